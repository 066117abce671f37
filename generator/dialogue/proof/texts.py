"""What users and answers say: every claimed span says its value, and the text between spans is made of phrases.

The words before a value must be ones that lead to that argument, so "from Oslo to Rome" cannot be claimed the wrong way
round; no number stands outside a span; what is said of one call stands together. Text that a model has worded is not made
of phrases: it is only read.
"""

import re
from collections.abc import Iterator, Sequence
from operator import attrgetter

from generator.core.conversation import UserMessage
from generator.core.exact_json import same
from generator.core.pointers import resolve_or_none
from generator.core.templates import MONEY, beside
from generator.dialogue.no_call.talk import texts_beside_calls
from generator.dialogue.proof.derivation import Derivation
from generator.dialogue.proof.ledger import UNKNOWN, ClaimedSpan, Ledger, Passage, Sentence
from generator.dialogue.proof.spans import SpanFault, misread_faults, stands_alone, verbalization
from generator.dialogue.proof.tongues import ANSWERS
from generator.dialogue.values.numbers import currency_in


def check_answers(ledger: Ledger) -> None:
    """Note what answers state; report claims that lead nowhere."""
    for claim in ledger.proof.answers:
        index, call, root = claim.message, claim.call_id, claim.of
        call_made = ledger.calls.get(call)
        sentence = ledger.sentence_at(index, claim.start) if index in ledger.sentences else None
        fault: str | None = None
        is_theirs = sentence is not None and sentence.act.by == "user" and sentence.act.claims
        if ledger.tongues.get(index) is not ANSWERS and not is_theirs:
            fault = "there is no such answer"
        elif call_made is None or not (
            call_made.told_at < index and call_made.arguments is not None
            if sentence is None
            else sentence.act.may_state(sentence, call_made, root)
        ):
            fault = "the answer must come after the result it speaks of"
        else:
            tongue = (None if sentence is None else sentence.act.inside) or ledger.tongues[index]
            in_answer = tongue is ANSWERS
            saying = verbalization(call_made.spec, root, claim.pointer, claim.verbalizer, in_answer=in_answer)
            try:
                is_first = sentence is not None and sentence.act.how == "proposed" and index < call_made.changed_at
                proposed = call_made.proposed if is_first and call_made.proposed is not None else call_made.arguments
                source = call_made.result if root == "result" else proposed
                value = UNKNOWN if source is None and root == "arguments" else saying.find(source)
                ledger.parts[index].append(ClaimedSpan(claim.start, claim.end, call, saying, value))
            except LookupError:
                fault = "there is no such value"
        if fault is not None:
            ledger.report("PF106", ("message", index, claim.start, claim.end), fault)


def check_texts(ledger: Ledger, left: dict[int, str]) -> None:
    """Check every text of the user and the assistant, in order; `left` is what is still to be read of some messages."""
    calls_asked = _calls_asked(ledger)
    left = {**left, **dict.fromkeys(_beside_calls(ledger), "")}
    for index, parts in ledger.parts.items():
        content, calls = left.get(index, ledger.contents[index]), calls_asked.get(index, [])
        parts.sort(key=_BY_PLACE)
        if content or parts or calls or not ledger.contents[index]:
            _check_message(ledger, index, content, parts, calls)


def _check_message(ledger: Ledger, index: int, content: str, parts: list[ClaimedSpan], calls: list[str]) -> None:
    """Check a text: what asks for `calls` or reports results, and each sentence of its own."""
    runs, sentences = _texts_between_sentences(ledger, index, content), ledger.sentences.get(index, ())
    own = [sentence.made.id for sentence in sentences if sentence.act.by == "user" and sentence.act.inside]
    asked = [call for call in calls if call not in own] if own else calls
    for begin, end in runs:
        within = parts if end - begin == len(content) else [one for one in parts if begin <= one.start < end]
        _check_passage(Passage(ledger, index, content[:end], within, ledger.tongues[index], begin), asked)
    for sentence in sentences:
        _read_sentence(sentence, content)
    if sentences:
        _check_inside(ledger, index, parts, [*runs, *[(one.start, one.end) for one in sentences if one.act.states]])


def _calls_asked(ledger: Ledger) -> dict[int, list[str]]:
    """Return the ids of the calls for which each message asks."""
    found: dict[int, list[str]] = {}
    for made in ledger.calls.values():
        is_silent = made.helps is not None and not (
            made.arguments or made.spec.required
        )  # there is nothing to say of it
        if not (made.demanded or is_silent):
            found.setdefault(made.asked_at, []).append(made.id)
    return found


def _check_inside(ledger: Ledger, index: int, parts: list[ClaimedSpan], runs: list[tuple[int, int]]) -> None:
    """Check that every value stands in one of the parts into which the message is divided."""
    for part in parts:
        if not any(begin <= part.start < part.end <= end for begin, end in runs):
            at = ("message", index, part.start, part.end)
            code = "PF106" if ledger.tongues[index] is ANSWERS else "PF102"
            ledger.report(code, at, "the value does not stand within a sentence")


def _beside_calls(ledger: Ledger) -> Iterator[int]:
    """Yield messages that make calls and hold a remark about that, but no values."""
    messages = ledger.conversation.messages
    for index, message in ledger.steps:
        if message.content and type(messages[index - 1]) is UserMessage:
            called = [ledger.calls[call.id].spec for call in message.tool_calls if call.id in ledger.calls]
            if message.content in texts_beside_calls(called):
                yield index


def _texts_between_sentences(ledger: Ledger, index: int, content: str) -> list[tuple[int, int]]:
    """Return the parts of a message that make requests or report results."""
    if index not in ledger.sentences:
        return [(0, len(content))]
    found: list[tuple[int, int]] = []
    position = 0
    for sentence in ledger.sentences[index]:
        found += _without_separators(content, position, sentence.start)
        position = sentence.end
    return found + _without_separators(content, position, len(content))


def _without_separators(content: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Return a part without the separators at its ends; nothing when no text is left."""
    for mark in _SETTING_APART if begin else ():
        if content.startswith(mark, begin, end):
            begin += len(mark)
            break
    for mark in _SETTING_APART if end < len(content) else ():
        if content.endswith(mark, begin, end):
            end -= len(mark)
            break
    return [(begin, end)] if begin < end else []


_SETTING_APART = ("\n- ", "\n\n", " ")


_BY_PLACE = attrgetter("start", "end")


def _read_sentence(sentence: Sentence, content: str) -> None:
    """Check that a sentence is one of the forms of its act, written anew with the values that are claimed, and read these values.

    Spans that say arguments stand in the part that `Act.inside` reads, if there is one; where texts need not be made of phrases,
    what is no form is only read.
    """
    ledger, act, parts, index = sentence.ledger, sentence.act, sentence.parts, sentence.index
    named = [part for part in parts if act.inside is None or part.saying.of == "result"]
    place = _place_inside(sentence, named) if ledger.phrases or act.by == "assistant" else None
    if place is None:
        if ledger.phrases:
            code = act.code if not act.states else "PF110" if act.by == "user" else "PF111"
            ledger.report(code, sentence.at, "nobody says it in these words")
        if act.states:
            passage = Passage(ledger, index, content[: sentence.end], parts, act.inside or ANSWERS, sentence.start)
            _check_values(passage)
        return
    for part in named:
        for text, facts in _span_faults(part, content, ledger, index):
            code = "PF102" if act.by == "user" else "PF106"
            ledger.report(code, ("message", index, part.start, part.end), text, *facts)
    begin, end = place
    if act.inside is not None and begin < end:
        rest = [part for part in parts if part not in named]
        asked = [sentence.made.id] if sentence.made.asked_at == index else []
        _check_passage(Passage(ledger, index, content[:end], rest, act.inside, begin), asked)


def _place_inside(sentence: Sentence, named: list[ClaimedSpan]) -> tuple[int, int] | None:
    """Return the place (of no length, where there is no such text) that stands for `…` in a sentence's form; None if it has no form."""
    ends = [sentence.start, *[part.end for part in named]]
    if any(part.start < end for part, end in zip(named, ends, strict=False)) or ends[-1] > sentence.end:
        return None
    text = sentence.with_slots(named)
    best: tuple[str, str] | None = None
    for form in sentence.act.forms(sentence):
        before, hole, after = form.partition("…")
        if hole and len(text) > len(before + after) and text.startswith(before) and text.endswith(after):
            if best is None or len(before + after) > len("".join(best)):
                best = before, after
        elif not hole and text == form:
            return sentence.end, sentence.end
    if best is None:
        return None
    sizes = [part.end - part.start - len(part.slot_name) - 2 for part in named]
    first = best[0].count("{")
    begin = sentence.start + len(best[0]) + sum(sizes[:first])
    return begin, sentence.end - len(best[1]) - sum(sizes[first:])


def _check_passage(passage: Passage, calls: list[str]) -> None:
    """Check that a text says its values, and is made of the forms of its derivation, which ask for all of these calls."""
    if not _check_values(passage) or not passage.ledger.phrases:
        return
    derivation, is_whole = Derivation(passage), True
    for code, text, facts, at in derivation.faults():
        is_whole = False
        passage.report(code or ("PF110" if passage.is_user else "PF111"), text, facts, at)
    for call in calls if is_whole else ():
        if call not in derivation.asked:
            passage.report("PF113", "nobody asks for the call {}", (call,))


def _check_values(passage: Passage) -> bool:
    """Check that every span says its value, and no number stands outside; return whether all are spans of the text."""
    content, parts = passage.content, passage.parts
    code, number_code = ("PF102", "PF109") if passage.is_user else ("PF106", "PF107")
    for part in parts:
        at = (part.start, part.end)
        if not 0 <= part.start < part.end <= len(content):
            passage.report(code, "there is no such text", (), at)
            return False
        for text, facts in _span_faults(part, content, passage.ledger, passage.index):
            passage.report(code, text, facts, at)
    # but the numbers of lists
    text = _LIST_NUMBER.sub(lambda number: " " * len(number[0]), content)
    if _digit_outside(text, parts, passage.begin):
        passage.report(number_code, "a number stands outside the claimed values")
    return True


def _span_faults(part: ClaimedSpan, content: str, ledger: Ledger, index: int) -> Iterator[SpanFault]:
    """Yield why a span of a message does not say its value, or why what stands around it changes that."""
    words = content[part.start : part.end]
    if part.saying.verbalizer == "pronoun":
        if words != "it" or not _is_named(part, ledger, index):
            yield "nobody knows what {!r} is", (words,)
    elif part.value is not UNKNOWN:
        yield from _misread(words, part, ledger)
    if not stands_alone(content, part.start, part.end):
        yield "{!r} is not a word or phrase of its own", (words,)


_AMOUNTS = frozenset({MONEY, "usd", "eur", "gbp"})
"""Verbalizers that say a currency."""


def _misread(words: str, part: ClaimedSpan, ledger: Ledger) -> Iterator[SpanFault]:
    """Yield why words do not say the value of their part, or an amount in another currency than its result has."""
    currency = _currency_of(part, ledger) if part.saying.verbalizer in _AMOUNTS else None
    if currency and (currency_in(words) or part.saying.verbalizer.upper()) != currency.upper():
        yield "{!r} is not said in {}", (words, currency)
    for fault in misread_faults(words, part.value, part.saying, ledger.today):
        if not _is_whole_text(part, words, ledger):
            yield fault


def _currency_of(part: ClaimedSpan, ledger: Ledger) -> str | None:
    """Return the currency that stands beside an amount in its result; None where there is none."""
    found = resolve_or_none(ledger.calls[part.call].result, beside(part.saying.pointer))
    return found if part.saying.of == "result" and type(found) is str else None


def _is_whole_text(part: ClaimedSpan, words: str, ledger: Ledger) -> bool:
    """Whether words repeat a result that is text, even if they could be read as JSON ("null", "5")."""
    if (part.saying.of, part.saying.pointer) != ("result", ""):
        return False
    made = ledger.calls[part.call]
    content = ledger.contents[made.told_at]
    try:
        return (part.saying.is_literal and words == content) or same(part.saying.read(words, ledger.today), content)
    except ValueError:
        return False


def _is_named(part: ClaimedSpan, ledger: Ledger, index: int) -> bool:
    """Whether the assistant has said which thing the call of a part is about, with its key."""
    sentences = [one for at in range(index + 1) for one in ledger.sentences.get(at, ()) if one.act.how == "shown"]
    return any(
        one.made.id == part.call and str(part.value) in ledger.contents[one.index][one.start : one.end]
        for one in sentences
    )


_DIGIT = re.compile(r"\d")
_LIST_NUMBER = re.compile(r"^[0-9]{1,2}\. ", re.MULTILINE)


def _digit_outside(content: str, parts: Sequence[ClaimedSpan], end: int) -> bool:
    """Whether a digit of any script stands outside the spans, from `end` on."""
    between = []
    for part in parts:
        if part.start > end:
            between.append(content[end : part.start])
        end = max(end, part.end)
    between.append(content[end:])
    return _DIGIT.search("".join(between)) is not None
