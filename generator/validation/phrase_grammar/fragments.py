"""The text between the claimed values: nothing but phrases of the called tools, and words that join them.

The proof (`proof.py`) reads the spans that say values; this reads all the rest, so that a text says nothing else. The
words before a value must be ones that lead to that argument, so "from Oslo to Rome" cannot be claimed the wrong way
round. Text that somebody else has worded anew (a model) is not made of phrases: it cannot be checked so.
"""

from itertools import pairwise
from operator import itemgetter

import msgspec

from generator.conversation import AssistantMessage, Conversation, Proof, ToolCall, UserMessage, Violation
from generator.toolbox import Toolbox, ToolSpec
from generator.validation.phrase_grammar.gaps import (
    ALSO,
    ANSWERS,
    LISTED,
    MORE,
    REQUESTS,
    Marks,
    Spot,
    Spots,
    Tongue,
    addition_marks,
    begins,
    book_of,
    ends,
    gap_marks,
    join_marks,
    lists,
    spot_at,
)
from generator.validation.phrase_grammar.phrases import Vocabulary

FRAGMENT_CODES = {
    "PF110": "what the user says between values is made of phrases that lead to those arguments, and of joining words",
    "PF111": "what an answer says between values is made of phrases about those values, and of joining words",
    "PF112": "what is said of one call stands together, and calls that share words differ in one argument only",
    "PF113": "the user asks for every call",
}
"""Held by rows whose text is made of the tools' phrases."""

Part = tuple[int, int, str, Spot]
"""Start and end of a span, a call it is about, and what it says of it."""
About = list[tuple[str, Spot]]
"""The calls that a span is about, and what it says of each."""


class Asked(msgspec.Struct, eq=False):
    """A call, and what may stand around its values."""

    spec: ToolSpec
    talk: "Talk | None"
    """The message that must ask for it."""
    requests: tuple[Vocabulary, Spots]
    answers: tuple[Vocabulary, Spots]


class Talk(msgspec.Struct, eq=False):
    """One message as it is checked."""

    at: int
    content: str
    parts: list[Part]
    calls: list[str]
    """The calls that it must ask for."""
    tongue: Tongue
    asked: dict[str, Asked]
    """All calls of the conversation."""

    def tools(self) -> dict[str, Vocabulary]:
        """What may stand around the values of each called tool."""
        return _books({call: about.spec for call, about in self.asked.items()}, self.tongue)


def check_fragments(conversation: Conversation, proof: Proof, toolbox: Toolbox) -> list[Violation]:
    """What stands between the claimed spans and does not belong there; nothing, as a rule."""
    talks: dict[int, Talk] = {}
    asked: dict[str, Asked] = {}
    request = None
    for index, message in enumerate(conversation.messages):
        if type(message) is UserMessage:
            request = talks[index] = Talk(index, message.content, [], [], REQUESTS, asked)
        elif type(message) is AssistantMessage:
            if message.content:
                talks[index] = Talk(index, message.content, [], [], ANSWERS, asked)
            _note_calls(message.tool_calls, request, toolbox, asked)
    _place(talks, proof, asked)
    found: list[Violation] = []
    for talk in talks.values():
        if not _surely_right(talk):
            found += _look_closer(talk)
    return found


def _note_calls(calls: tuple[ToolCall, ...], request: Talk | None, toolbox: Toolbox, asked: dict[str, Asked]) -> None:
    for call in calls:
        spec = toolbox.get(call.name)
        if spec is not None:
            asked[call.id] = Asked(spec, request, book_of(spec, REQUESTS), book_of(spec, ANSWERS))
            if request is not None:
                request.calls.append(call.id)


def _place(talks: dict[int, Talk], proof: Proof, asked: dict[str, Asked]) -> None:
    """Sort the claimed spans by message; claims that point nowhere are for the proof to find."""
    for claim in proof.arguments:
        call, start, end = claim.call_id, claim.start, claim.end
        about = asked.get(call)
        if about is None or start is None or end is None:
            continue
        # words for an element ("the cheapest one") are the user's, although the claim is about a result
        talk = talks.get(claim.message or 0) if claim.source == "user" else about.talk
        if talk is not None and talk.tongue is REQUESTS:
            key = ("arguments", claim.pointer, claim.verbalizer or "reference")
            spot = about.requests[1].get(key) or spot_at(*about.requests, *key)
            talk.parts.append((start, end, call, spot))
    before, about, at, talk = "", None, -1, None  # most claims are about the call and the message of the one before
    for stated in proof.answers:
        call, message = stated.call_id, stated.message
        if call != before:
            before, about = call, asked.get(call)
        if message != at:
            at, talk = message, talks.get(message)
        if about is not None and talk is not None and talk.tongue is ANSWERS:
            key = (stated.of, stated.pointer, stated.verbalizer)
            spot = about.answers[1].get(key) or spot_at(*about.answers, *key)
            talk.parts.append((stated.start, stated.end, call, spot))


_by_place = itemgetter(0, 1)

Piece = tuple[str, str, Spot]
"""The text before a span, the call that it is about (the first of several), and what it says of it."""


def _surely_right(talk: Talk) -> bool:
    """Whether all gaps are right and nothing is notable about them, at a first look."""
    parts = talk.parts
    if len(parts) > 1:
        parts.sort(key=_by_place)
    pieces: list[Piece] = []
    shared: dict[int, list[str]] = {}
    begun, position = -1, 0
    for start, end, call, spot in parts:
        if start >= position:
            pieces.append((talk.content[position:start], call, spot))
            begun, position = start, end
        elif pieces and start == begun and end == position and spot is pieces[-1][2]:
            shared.setdefault(len(pieces) - 1, [pieces[-1][1]]).append(call)
        else:
            return False
    if position > len(talk.content):
        return False
    specs = {call: about.spec for call, about in talk.asked.items()}
    return surely_right(pieces, shared, talk.content[position:], talk.tongue, talk.calls, specs)


def surely_right(
    pieces: list[Piece],
    shared: dict[int, list[str]],
    rest: str,
    tongue: Tongue,
    calls: list[str],
    specs: dict[str, ToolSpec],
) -> bool:
    """True only for a message in which PF110 to PF113 find no fault.

    Args:
        pieces: Its spans in their order.
        shared: The calls of those that are about several, by their place.
        rest: The text after the last one.
        tongue: Whether it is a request or an answer.
        calls: The calls that it must ask for, in their order.
        specs: The tools of all calls of the conversation, by call.
    """
    if not pieces:
        return False
    named: set[str] = set()  # tools that are asked for without a value
    first, last = pieces[0], pieces[-1][2]
    if not begins(first[0], first[2], tongue) and not _names(tongue.first, first[0], first[2], tongue, specs, named):
        return False
    asked = None if shared else _one_by_one(pieces, tongue, specs, named)
    if asked is None and not (calls and _all_together(pieces, shared, tongue, calls)):
        return False
    if not ends(last, rest, tongue) and not _names(last, rest, tongue.last, tongue, specs, named):
        return False
    return asked is None or asked.issuperset(calls) or all(call in asked or specs[call].name in named for call in calls)


def _names(left: Spot, text: str, right: Spot, tongue: Tongue, specs: dict[str, ToolSpec], named: set[str]) -> bool:
    """Whether a text asks for tools without a value, which are then added to `named`."""
    marks = gap_marks(left, text, right, False, tongue, lambda: _books(specs, tongue))
    if marks is None or marks is LISTED:
        return False
    named.update(marks)
    return True


def _books(specs: dict[str, ToolSpec], tongue: Tongue) -> dict[str, Vocabulary]:
    """What may stand around the values of each called tool."""
    return {spec.name: book_of(spec, tongue)[0] for spec in specs.values()}


def _one_by_one(
    pieces: list[Piece], tongue: Tongue, specs: dict[str, ToolSpec], named: set[str]
) -> set[str] | None:
    """The calls of a message that speaks of one after the other; None when there may be something wrong with it."""
    _, before, left = pieces[0]
    calls = {before}
    also = False
    for text, call, right in pieces[1:]:
        if call == before:
            marks = left.known.get((text, right))
            if marks is None:
                marks = addition_marks(left, text, right, tongue)
            if marks is None or (also and marks is MORE):
                return None
        else:
            if call in calls:
                return None
            marks = join_marks(left, text, right, tongue)
            if marks is None and not _names(left, text, right, tongue, specs, named):
                return None
            also = also or (marks is ALSO and left.tool == right.tool)
            calls.add(call)
            before = call
        left = right
    return calls


def _all_together(pieces: list[Piece], shared: dict[int, list[str]], tongue: Tongue, calls: list[str]) -> bool:
    """Whether a message asks for all calls at once: they have words in common and differ in one argument."""
    varied: set[str] = set()
    owners: set[str] = set()
    left: Spot | None = None
    before = ""
    for index, (text, call, right) in enumerate(pieces):
        about_all = shared.get(index)
        if about_all is None:
            varied.add(right.leaf[1].removesuffix("/*"))
            owners.add(call)
        elif about_all != calls:
            return False
        related = about_all is not None or before in ("", call)
        if left is not None and not _goes_on(left, text, right, related, bool(shared), tongue):
            return False
        left, before = right, call if about_all is None else ""
    return len(varied) <= 1 and (not owners or owners == set(calls))


def _goes_on(left: Spot, text: str, right: Spot, related: bool, linked: bool, tongue: Tongue) -> bool:
    """Whether a text between two values is right where calls are asked for at once; `linked`: something else links them."""
    if left.tool != right.tool:
        return False
    if related:
        return addition_marks(left, text, right, tongue) is not None
    marks = join_marks(left, text, right, tongue)
    return lists(left, text.casefold(), right) if marks is None else linked


def _look_closer(talk: Talk) -> list[Violation]:
    """Go through one message from gap to gap."""
    found: list[Violation] = []
    spans: list[tuple[int, int, About]] = []
    for start, end, call, spot in talk.parts:
        if spans and spans[-1][:2] == (start, end):
            spans[-1][2].append((call, spot))
        else:
            spans.append((start, end, [(call, spot)]))
    named: set[str] = set()
    linked = [{call for call, _ in about} for _, _, about in spans]
    beside: set[str] = set()  # calls asked for in the sentence of another one
    size = len(talk.content)
    before, position = [("", talk.tongue.first)], 0
    for start, end, about in [*spans, (size, size, [("", talk.tongue.last)])]:
        text = talk.content[position:start]
        marks = _between(before, text, about, talk) if start >= position else None
        if marks is None:
            path = f"$.messages[{talk.at}].content[{position}:{start}]"
            found.append(Violation(talk.tongue.code, path, f"{text!r} is no phrase that may stand here"))
        calls = {call for call, _ in (*before, *about)}
        if marks is LISTED or (marks is MORE and not beside.isdisjoint(calls)):
            linked.append(calls | (beside if marks is MORE else set()))
        if marks is ALSO and before[0][1].tool == about[0][1].tool:
            beside = beside | calls if beside & calls else calls
        named.update(marks or ())
        before, position = about, end
    fault = _apart([about for _, _, about in spans], linked)
    path = f"$.messages[{talk.at}].content"
    if fault is not None:
        found.append(Violation("PF112", path, fault))
    spoken = {call for _, _, about in spans for call, _ in about}
    silent = [call for call in talk.calls if call not in spoken and talk.asked[call].spec.name not in named]
    return [*found, *[Violation("PF113", path, f"nobody asks for the call {call}") for call in silent]]


def _between(before: About, text: str, after: About, talk: Talk) -> Marks | None:
    """The marks of a text between two spans; None when it may not stand there."""
    calls = {call for call, _ in before if call}
    related = any(call in calls for call, _ in after)
    for left in dict.fromkeys([spot for _, spot in before]):
        for right in dict.fromkeys([spot for _, spot in after]):
            marks = gap_marks(left, text, right, related, talk.tongue, talk.tools)
            if marks is not None:
                return marks
    return None


def _apart(spans: list[About], linked: list[set[str]]) -> str | None:
    """Why what is said of one call does not stand together; calls that share words (are linked) count as one."""
    group: dict[str, frozenset[str]] = {}
    for calls in linked:
        whole = frozenset(calls).union(*[group.get(call, frozenset()) for call in calls])
        group.update(dict.fromkeys(whole, whole))
    order = [group[about[0][0]] for about in spans]
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
        for call, spot in about:
            said.setdefault(call, set()).add(spot)
        if len(said) == 1:
            owners.update(said)
            varied.update([spot.leaf[1].removesuffix("/*") for _, spot in about])
        elif said.keys() != calls or any(spots != said[about[0][0]] for spots in said.values()):
            return "words that are for several calls are not for all of them alike"
    if len(varied) > 1 or (owners and owners != calls):
        return "calls that share words differ in more than one argument"
    return None
