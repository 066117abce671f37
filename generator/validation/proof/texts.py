"""What users and answers say: every claimed span says its value, and what stands between them is made of phrases.

The words before a value must be ones that lead to that argument, so "from Oslo to Rome" cannot be claimed the wrong way
round; no number stands outside a span; what is said of one call stands together. Text that a model has worded is not made
of phrases: it is only read.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from generator.connectives import ASKING_LEADS, QUESTIONS
from generator.conversation import AskClaim, Proof, UserMessage
from generator.pointers import split
from generator.validation.phrase_grammar.gaps import (
    ALSO,
    ANSWERS,
    LISTED,
    MORE,
    Marks,
    Spot,
    Tongue,
    book_of,
    gap_marks,
)
from generator.validation.phrase_grammar.phrases import Vocabulary, spoken
from generator.validation.proof.claims import UNKNOWN, tongue_at
from generator.validation.proof.ledger import Finding, Ledger, Made, Part, saying_of
from generator.validation.proof.spans import CLOSED, UNREAD, keep, stands_alone
from generator.values import PLAIN, same

About = list[Part]
"""The parts that have one span."""


def check_answers(ledger: Ledger, proof: Proof) -> None:
    """Note what answers state; a claim that leads nowhere is a finding."""
    before, made = "", None
    for claim in proof.answers:
        index, call = claim.message, claim.call_id
        if call != before:
            before, made = call, ledger.calls.get(call)
        where = ("message", index, claim.start, claim.end)
        if index not in ledger.parts or type(ledger.conversation.messages[index]) is UserMessage:
            ledger.found.append(Finding("PF106", where, "there is no such answer"))
            continue
        if made is None or made.told_at >= index or made.arguments is None:
            ledger.found.append(Finding("PF106", where, "the answer must come after the result it speaks of"))
            continue
        saying = saying_of(made.sayings, ANSWERS, claim.of, claim.pointer, claim.verbalizer)
        try:
            value = saying.find(made.result if claim.of == "result" else made.arguments)
        except LookupError:
            ledger.found.append(Finding("PF106", where, "there is no {}", (claim.pointer,)))
            continue
        ledger.parts[index].append(Part(claim.start, claim.end, call, saying, value))


def check_texts(ledger: Ledger, proof: Proof, *, phrases: bool, prefix: bool) -> None:
    """Every text of the user and the assistant, in order."""
    asks: dict[int, list[AskClaim]] = {}
    for ask in proof.asks:
        asks.setdefault(ask.message, []).append(ask)
    calls_asked: dict[int, list[str]] = {}
    for made in ledger.calls.values():
        calls_asked.setdefault(made.asked_at, []).append(made.id)
    for index, parts in ledger.parts.items():
        content = ledger.contents[index]
        is_user = type(ledger.conversation.messages[index]) is UserMessage
        tongue = tongue_at(index, ledger) if is_user else ANSWERS
        if len(parts) > 1:
            parts.sort(key=_by_place)
        if index in asks:
            content = _check_asks(asks[index], content, ledger, index, phrases=phrases)
        _check_spans(content, parts, is_user, index, ledger)
        if phrases and (content or parts):
            _Gaps(ledger, tongue, index, content, parts, calls_asked.get(index, [])).check()


def _by_place(part: Part) -> tuple[int, int]:
    return part.start, part.end


def _check_spans(content: str, parts: list[Part], is_user: bool, index: int, ledger: Ledger) -> None:
    """Every span says its value, alone; no number stands outside the spans."""
    code = "PF102" if is_user else "PF106"
    position, is_sure = 0, True
    for part in parts:
        start, end = part.start, part.end
        if not 0 <= start < end <= len(content):
            ledger.found.append(Finding(code, ("message", index, start, end), "there is no such text"))
            return
        if start > position or not position:
            text = content[position:start]
            if text not in _APART and not _keeps_apart(text, is_first=not position):
                is_sure = False
            position = end
        elif end > position:
            position, is_sure = end, False
        if part.value is not UNKNOWN:
            words = content[start:end]
            if not (part.saying.place.literal and words == part.value):
                fault = _misread(words, part, ledger, index)
                if fault is not None:
                    ledger.found.append(Finding(code, ("message", index, start, end), *fault))
    rest = content[position:]
    if is_sure and rest[:2] in CLOSED and not _holds_digit(rest):
        return
    for part in parts:
        if not stands_alone(content, part.start, part.end):
            at = ("message", index, part.start, part.end)
            ledger.found.append(Finding(code, at, "{!r} is not a word or phrase of its own", (content[part.start : part.end],)))
    text = _LIST_NUMBER.sub(lambda number: " " * len(number[0]), content) if is_user else content
    if _digit_outside(text, parts):
        what = "the user says a number that no call takes" if is_user else "a number stands outside the claimed values"
        ledger.found.append(Finding("PF109" if is_user else "PF107", ("message", index), what))


def _misread(words: str, part: Part, ledger: Ledger, index: int) -> tuple[str, tuple[Any, ...]] | None:
    """Why words do not say the value of their part."""
    saying, value = part.saying, part.value
    meaning = saying.known.get(words, UNREAD)
    if meaning is UNREAD:
        try:
            meaning = saying.place.read(words, ledger.today)
        except ValueError as fault:
            if _is_whole_text(part, words, ledger):
                return None
            return "{!r} does not read as {}: {}", (words, saying.place.verbalizer, str(fault))
        if not saying.place.dated:
            keep(saying.known, words, meaning)
    kind = type(value)
    if meaning == value if kind in PLAIN and type(meaning) is kind else same(meaning, value):
        return None
    return None if _is_whole_text(part, words, ledger) else ("{!r} says {!r}, not {!r}", (words, meaning, value))


def _is_whole_text(part: Part, words: str, ledger: Ledger) -> bool:
    """Whether words state a result that is text, which may read as JSON all the same ("null", "5")."""
    if part.saying.spot.leaf != ("result", ""):
        return False
    made = ledger.calls[part.call]
    content = ledger.contents[made.told_at]
    try:
        return (part.saying.place.literal and words == content) or same(part.saying.place.read(words, ledger.today), content)
    except ValueError:
        return False


_APART: set[str] = set()
"""Texts that keep apart whatever stands on both sides of them, and hold no digit."""
_MOST_APART = 1 << 14
_DIGIT = re.compile(r"\d")
_LIST_NUMBER = re.compile(r"^[0-9]{1,2}\. ", re.MULTILINE)


def _keeps_apart(text: str, *, is_first: bool) -> bool:
    """Whether a text before a span says no number, and changes what neither of its neighbours says."""
    if is_first and not text:
        return True
    last, first = text[-1:], text[:1]
    if last in {"", "-", ".", ","} or last.isalnum() or _holds_digit(text):
        return False
    if is_first:
        return True
    if first.isalnum() or (first in {".", ","} and text[1:2].isdigit()):
        return False
    if len(_APART) >= _MOST_APART:
        _APART.clear()
    _APART.add(text)
    return True


def _holds_digit(text: str) -> bool:
    """Whether there is a digit of any script in it."""
    return _DIGIT.search(text) is not None


def _digit_outside(content: str, parts: Sequence[Part]) -> bool:
    between, end = [], 0
    for part in parts:
        if part.start > end:
            between.append(content[end : part.start])
        end = max(end, part.end)
    between.append(content[end:])
    return _holds_digit("".join(between))


def _check_asks(asks: list[AskClaim], content: str, ledger: Ledger, index: int, *, phrases: bool) -> str:
    """Whether a question asks for a value that is missing, and is answered; the text before the question."""
    ask = asks[0]
    at = ("message", index, ask.start, ask.end)
    made = ledger.calls.get(ask.call_id)
    if made is None:
        ledger.found.append(Finding("PF115", at, "there is no call {}", (ask.call_id,)))
        return content
    made.asked_for[ask.pointer] = index
    replies = [position for position, at_ in ledger.replies.items() if at_ == index]
    in_force = [where for (where, _), pointer in made.said.items() if pointer == ask.pointer and where < index]
    given = [where for (where, _), pointer in made.said.items() if pointer == ask.pointer and where in replies]
    if in_force:
        ledger.found.append(Finding("PF115", at, "{} has been said before it is asked for", (ask.pointer,)))
    if replies and not given:
        ledger.found.append(Finding("PF115", at, "the reply does not give {}", (ask.pointer,)))
    question = content[ask.start : ask.end]
    if phrases and (ask.end != len(content) or question not in _questions(made, ask.pointer)):
        ledger.found.append(Finding("PF115", at, "{!r} is no question for {}", (question, ask.pointer)))
    before = content[: ask.start]
    leads = [lead for lead in ASKING_LEADS if before.endswith(lead)] if phrases else [before]
    if not leads:
        ledger.found.append(Finding("PF115", at, "{!r} may not stand before the question", (before,)))
        return ""
    return before.removesuffix(max(leads, key=len)).rstrip(" ")


def _questions(made: Made, pointer: str) -> tuple[str, ...]:
    """The questions for a slot: those of the tool's phrases, or those made of its name."""
    slot = pointer.removeprefix("/")
    own = made.sayings.spec.phrases.ask.get(slot, ())
    steps = split(pointer) or ("",)
    return own or tuple([question.format(spoken(steps[-1]) or "value") for question in QUESTIONS])


class _Gaps:
    """What stands between the spans of one message."""

    def __init__(
        self, ledger: Ledger, tongue: Tongue, index: int, content: str, parts: list[Part], calls: list[str]
    ) -> None:
        self.ledger = ledger
        self.tongue = tongue
        self.index = index
        self.content = content
        self.parts = parts
        self.calls = calls
        """The calls that the message must ask for."""

    def check(self) -> None:
        """Go through the message from gap to gap."""
        tongue, content = self.tongue, self.content
        spans = self._spans()
        named: set[str] = set()
        linked: list[set[str]] = [{part.call for part in about} for about in spans if len(about) > 1]
        beside: set[str] = set()  # calls asked for in the sentence of another one
        before: About | None = None
        position = 0
        for about in (*spans, None):
            start, end = (len(content), len(content)) if about is None else (about[0].start, about[0].end)
            text = content[position:start]
            marks = self._between(before, text, about) if start >= position else None
            if marks is None:
                self._report(tongue.code, "{!r} is no phrase that may stand here", (text,), (position, start))
            elif marks:
                calls = {part.call for part in (*(before or ()), *(about or ()))}
                if marks is LISTED or (marks is MORE and not beside.isdisjoint(calls)):
                    linked.append(calls | (beside if marks is MORE else set()))
                if marks is ALSO and before and about and before[0].saying.spot.tool == about[0].saying.spot.tool:
                    beside = beside | calls if beside & calls else calls
                named.update(marks)
            before, position = about, max(position, end)
        fault = apart(spans, linked)
        if fault is not None:
            self._report("PF112", fault)
        self._check_silent(named)

    def _check_silent(self, named: set[str]) -> None:
        """The message asks for every call that it is claimed to ask for."""
        spoken_of = {part.call for part in self.parts}
        for call in self.calls:
            if call not in spoken_of and self.ledger.calls[call].sayings.spec.name not in named:
                self._report("PF113", "nobody asks for the call {}", (call,))

    def _report(
        self, code: str, text: str, facts: tuple[Any, ...] = (), at: tuple[int, int] | None = None
    ) -> None:
        self.ledger.found.append(Finding(code, ("message", self.index, *(at or ())), text, facts))

    def _spans(self) -> list[About]:
        """The parts by span, in order."""
        spans: list[About] = []
        for part in self.parts:
            if spans and spans[-1][0].start == part.start and spans[-1][0].end == part.end:
                spans[-1].append(part)
            else:
                spans.append([part])
        return spans

    def _between(self, before: About | None, text: str, after: About | None) -> Marks | None:
        """The marks of a text between two spans; None when it may not stand there."""
        tongue = self.tongue
        if before is None or after is None or len(before) + len(after) > 2:
            calls = {part.call for part in before or ()}
            related = any(part.call in calls for part in after or ())
            for left in dict.fromkeys([part.saying.spot for part in before]) if before else (tongue.first,):
                for right in dict.fromkeys([part.saying.spot for part in after]) if after else (tongue.last,):
                    marks = gap_marks(left, text, right, related, tongue, self._tools)
                    if marks is not None:
                        return marks
            return None
        one, other = before[0], after[0]
        return gap_marks(one.saying.spot, text, other.saying.spot, one.call == other.call, tongue, self._tools)

    def _tools(self) -> dict[str, Vocabulary]:
        """What may stand around the values of each called tool."""
        specs = [made.sayings.spec for made in self.ledger.calls.values()]
        return {spec.name: book_of(spec, self.tongue)[0] for spec in specs}


def apart(spans: list[About], linked: list[set[str]]) -> str | None:
    """Why what is said of one call does not stand together; calls that share words (are linked) count as one."""
    group: dict[str, frozenset[str]] = {about[0].call: frozenset((about[0].call,)) for about in spans}
    for calls in linked:
        whole = frozenset(calls).union(*[group.get(call, frozenset()) for call in calls])
        group.update(dict.fromkeys(whole, whole))
    order = [group[about[0].call] for about in spans]
    groups = set(order)
    if sum([left != right for left, right in pairwise(order)]) >= max(1, len(groups)):
        return "the words for one call stand among those for another"
    for members in groups:
        if len(members) > 1:
            fault = _unshared(members, [about for about, whole in zip(spans, order, strict=True) if whole == members])
            if fault is not None:
                return fault
    return None


def _unshared(calls: frozenset[str], spans: list[About]) -> str | None:
    """Why words are not for all of the calls alike: calls in one phrase differ in one argument, and each has one."""
    owners: set[str] = set()
    varied: set[str] = set()
    for about in spans:
        said: dict[str, set[Spot]] = {}
        for part in about:
            said.setdefault(part.call, set()).add(part.saying.spot)
        if len(said) == 1:
            owners.update(said)
            varied.update([part.saying.spot.leaf[1].removesuffix("/*") for part in about])
        elif said.keys() != calls or any(spots != said[about[0].call] for spots in said.values()):
            return "words that are for several calls are not for all of them alike"
    if len(varied) > 1 or (owners and owners != calls):
        return "calls that share words differ in more than one argument"
    return None
