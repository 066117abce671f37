"""One pass over a row's claims that says "surely proven" or "look closer".

It reads what `proof.py` and `fragments.py` read, with the same readers and the same phrases, but looks each claim up
once and knows the usual row only: one request whose values the user says, its calls and their results, one answer. A
row that it passes breaks none of their rules; what is wrong with the others, if anything, those two say.
"""

from collections.abc import Callable
from datetime import date
from typing import Any

import msgspec

from generator.conversation import (
    AnswerClaim,
    AssistantMessage,
    Claim,
    Conversation,
    Proof,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from generator.toolbox import Toolbox, ToolSpec
from generator.validation.phrase_grammar.fragments import Piece, surely_right
from generator.validation.phrase_grammar.gaps import ANSWERS, REQUESTS, Spot, Tongue, book_of, spot_at
from generator.validation.proof.check_proof import (
    digit_outside,
    holds_digit,
    may_repeat,
    unclaimed,
    without_list_numbers,
)
from generator.validation.proof.facts import day_in, parsed
from generator.validation.proof.spans import (
    CLOSED,
    PLAIN,
    UNREAD,
    Place,
    keep,
    place_at,
    places_of,
    same,
    stands_alone,
)


class Saying(msgspec.Struct, eq=False):
    """One way to say the value at one place of a tool's arguments or result: all that both checks know of it."""

    place: Place
    spot: Spot
    key: str | None
    find: Callable[[Any], Any]
    literal: bool
    known: dict[str, Any]


Sayings = dict[tuple[str, str | None], Saying]
"""By pointer and verbalizer."""


class Known(msgspec.Struct, eq=False):
    """What has been looked at of one tool."""

    spec: ToolSpec
    asked: Sayings
    """How the user says its arguments."""
    given: Sayings
    """How answers say its arguments."""
    told: Sayings
    """How answers say its results."""


class Made(msgspec.Struct, eq=False):
    """A call, and what has been claimed about it."""

    tool: Known
    arguments: dict[str, Any]
    result: Any
    keys: set[str]
    """Arguments that have a claim."""
    covered: list[str]
    """Pointers of claims about parts of arguments."""


Calls = dict[str, Made]


def surely_proven(conversation: Conversation, proof: Proof, toolbox: Toolbox) -> bool:
    """True only for a row in whose claims and texts `check_proof` and `check_fragments` find no fault."""
    messages = conversation.messages
    first = 1 if messages and type(messages[0]) is SystemMessage else 0
    if len(messages) < first + 2:
        return False
    request, answer = messages[first], messages[-1]
    if type(request) is not UserMessage or type(answer) is not AssistantMessage or answer.tool_calls:
        return False
    calls = _calls(conversation, first + 1, toolbox)
    if calls is None:
        return False
    today = day_in(messages[0].content or "") if first else None
    asked, stated = _asked(proof.arguments, first, calls), _stated(proof.answers, len(messages) - 1, calls)
    if asked is None or stated is None:
        return False
    if any(unclaimed(made.arguments, made.keys, made.covered) for made in calls.values()):
        return False
    said = answer.content
    if not _surely_worded(request.content, asked, REQUESTS, calls, today):
        return False
    return _surely_worded(said, stated, ANSWERS, calls, today) if said else not stated


def _calls(conversation: Conversation, start: int, toolbox: Toolbox) -> Calls | None:
    """The calls, each answered once before anybody speaks again; None when it is not so, or two calls may be the same."""
    calls: Calls = {}
    waiting: set[str] = set()
    for message in conversation.messages[start:-1]:
        if type(message) is ToolMessage:
            if message.tool_call_id not in waiting:
                return None
            waiting.remove(message.tool_call_id)
            calls[message.tool_call_id].result = parsed(message.content)
        elif type(message) is not AssistantMessage or message.content or waiting:
            return None
        else:
            if len(message.tool_calls) > 1 and may_repeat(message.tool_calls):
                return None
            for call in message.tool_calls:
                spec = toolbox.get(call.name)
                if spec is None or call.id in calls:
                    return None
                calls[call.id] = Made(_known(spec), call.arguments, None, set(), [])
                waiting.add(call.id)
    return None if waiting else calls


def _known(spec: ToolSpec) -> Known:
    known = _KNOWN.get(id(spec))
    if known is None or known.spec is not spec:
        if len(_KNOWN) >= _MOST_TOOLS:
            _KNOWN.clear()
        known = _KNOWN[id(spec)] = Known(spec, {}, {}, {})
    return known


_KNOWN: dict[int, Known] = {}
"""By id of the tool, which is held so that its id stays its own."""
_MOST_TOOLS = 2048
_MOST_SAYINGS = 2048


def _saying(tool: Known, claim: Claim | AnswerClaim, of: str, tongue: Tongue) -> Saying:
    """Look at one more way to say a value of the tool."""
    sayings = tool.asked if tongue is REQUESTS else tool.told if of == "result" else tool.given
    if len(sayings) >= _MOST_SAYINGS:  # pointers into long lists could be many
        sayings.clear()
    pointer, verbalizer = claim.pointer, claim.verbalizer or ""
    place = place_at(places_of(tool.spec), tool.spec, pointer, verbalizer, of)
    spot = spot_at(*book_of(tool.spec, tongue), of, pointer, verbalizer)
    find = _counted(place.find) if verbalizer == "count" and tongue is ANSWERS else place.find
    saying = sayings[pointer, claim.verbalizer] = Saying(place, spot, place.key, find, place.literal, place.known)
    return saying


def _counted(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """How many elements a list has, and other values as they are."""

    def count(source: Any) -> Any:
        value = find(source)
        return len(value) if type(value) is list else value

    return count


Found = list[tuple[int, int, str, Saying, Any]]
"""For each claim of a message: its span, its call, how its value is said, and the value."""


def _asked(claims: tuple[Claim, ...], index: int, calls: Calls) -> Found | None:
    """What the user says in the message at `index`; None where a claim is about something else."""
    found: Found = []
    before: str | None = None
    try:
        for claim in claims:
            call, pointer, start, end = claim.call_id, claim.pointer, claim.start, claim.end
            if claim.source != "user" or claim.message != index or start is None or end is None:
                return None
            if call != before:
                before, made = call, calls[call]
                arguments, sayings, keys = made.arguments, made.tool.asked, made.keys
            saying = sayings.get((pointer, claim.verbalizer)) or _saying(made.tool, claim, "arguments", REQUESTS)
            key = saying.key
            if key is None:
                made.covered.append(pointer)
                found.append((start, end, call, saying, saying.find(arguments)))
            else:
                keys.add(key)
                found.append((start, end, call, saying, arguments[key]))
    except LookupError:  # there is no such call, or it has no such argument
        return None
    return found


def _stated(claims: tuple[AnswerClaim, ...], index: int, calls: Calls) -> Found | None:
    """What the answer at `index` states; None where a claim is about something else."""
    found: Found = []
    before: str | None = None
    try:
        for claim in claims:
            call, way = claim.call_id, (claim.pointer, claim.verbalizer)
            if claim.message != index:
                return None
            if call != before:
                before, made = call, calls[call]
                tool = made.tool
            if claim.of == "result":
                saying = tool.told.get(way) or _saying(tool, claim, "result", ANSWERS)
                value = saying.find(made.result)
            else:
                saying = tool.given.get(way) or _saying(tool, claim, "arguments", ANSWERS)
                value = saying.find(made.arguments)
            found.append((claim.start, claim.end, call, saying, value))
    except LookupError:  # there is no such call, or nothing stands there
        return None
    return found


def _surely_worded(content: str, found: Found, tongue: Tongue, calls: Calls, today: date | None) -> bool:
    """Whether every span says its value, and what stands between them belongs there."""
    pieces: list[Piece] = []
    shared: dict[int, list[str]] = {}
    begun, position, is_sure = -1, 0, True
    for start, end, call, saying, value in found:
        text, words = content[position:start], content[start:end]
        if not (saying.literal and words == value) and not _means(words, value, saying, today):
            return False
        if start >= position and words:
            if text not in _SURE and not (_surely_apart(text) if pieces else _may_begin(text)):
                is_sure = False
            pieces.append((text, call, saying.spot))
            begun, position = start, end
        elif pieces and start == begun and end == position and saying.spot is pieces[-1][2]:
            shared.setdefault(len(pieces) - 1, [pieces[-1][1]]).append(call)
        else:
            return False
    rest = content[position:]
    if position > len(content) or not ((is_sure and _may_end(rest)) or _stand_alone(content, found, tongue)):
        return False
    specs = {call: made.tool.spec for call, made in calls.items()}
    return surely_right(pieces, shared, rest, tongue, list(calls) if tongue is REQUESTS else [], specs)


def _means(words: str, value: Any, saying: Saying, today: date | None) -> bool:
    """Whether words that are not the value itself say it."""
    meaning = saying.known.get(words, UNREAD)
    if meaning is UNREAD:
        try:
            meaning = saying.place.read(words, today)
        except ValueError:
            return False
        if not saying.place.dated:
            keep(saying.known, words, meaning)
    kind = type(value)
    return bool(meaning == value) if kind in PLAIN and type(meaning) is kind else same(meaning, value)


_SURE: set[str] = set()
"""Texts that keep apart whatever stands on both sides of them."""
_MOST_SURE = 1 << 14


def _surely_apart(text: str) -> bool:
    """Whether a text between two spans says no number, and changes what neither of them says.

    It takes no text for such a one that `stands_alone` might not, and knows it again.
    """
    first = text[:1]
    if not _may_begin(text) or first.isalnum() or (first in {".", ","} and text[1].isdigit()):
        return False
    if len(_SURE) >= _MOST_SURE:
        _SURE.clear()
    _SURE.add(text)
    return True


def _may_begin(text: str) -> bool:
    """Whether a text before a span says no number, and does not change what the span says."""
    last = text[-1:]
    return last not in {"", "-", ".", ","} and not last.isalnum() and not holds_digit(text)


def _may_end(rest: str) -> bool:
    """The same for a text after the last span."""
    return rest[:2] in CLOSED and not holds_digit(rest)


def _stand_alone(content: str, found: Found, tongue: Tongue) -> bool:
    """Whether every span stands alone, and all numbers are in spans; those of a list stand for nothing."""
    if not all(stands_alone(content, start, end) for start, end, *_ in found):
        return False
    text = without_list_numbers(content) if tongue is REQUESTS else content
    return not digit_outside(text, [(start, end) for start, end, *_ in found])
