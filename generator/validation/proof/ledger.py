"""A finished conversation, looked up once: its calls, its results, the day it states, and the claims about each call."""

import re
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec
import orjson

from generator.conversation import (
    AssistantMessage,
    Conversation,
    DeclineClaim,
    Message,
    Proof,
    SystemMessage,
    TellClaim,
    ToolMessage,
    UserMessage,
)
from generator.toolbox import Toolbox, ToolSpec
from generator.validation.phrase_grammar.tongues import (
    ANSWERS,
    BEST,
    CONDITIONS,
    CORRECTED,
    EMPTY,
    FAILED,
    FAILED_AGAIN,
    FURTHER_REQUESTS,
    PROPOSED,
    REPLIES,
    REQUESTS,
    SEVERAL,
    UNTRUE,
    Spot,
    Tongue,
    spot_at,
)
from generator.validation.proof.spans import SlotReader, place_at, places_of
from generator.validation.readers.messages import clause_of

NEVER = 1 << 60
"""The index of a message that is not there."""
UNKNOWN = object()
"""Stands for the argument of a call that has not been made yet."""
FaultFacts = tuple[str, str, tuple[Any, ...]]
"""Code, message and facts."""


class Finding(msgspec.Struct, frozen=True):
    """A fault of a row; its message is formatted only when a person reads it."""

    code: str
    at: tuple[Any, ...]
    """`("message", index)`, `("message", index, start, end)`, `("argument", call id, pointer)` or `("calls", index)`."""
    text: str
    """The message, with a placeholder in braces for each of the facts."""
    facts: tuple[Any, ...] = ()


class Verbalization(msgspec.Struct, eq=False):
    """One verbalizer at one place of a tool's arguments or result."""

    place: SlotReader
    """How its words are read."""
    spot: Spot
    """What may stand around them."""
    find: Callable[[Any], Any]
    """Takes the value out of the arguments or the result; raises LookupError."""
    known: dict[str, Any]
    """Cache: words that were read here before, and their values."""
    literal: bool
    """Whether the value itself, as text, counts as its words."""


class Verbalizations(msgspec.Struct, eq=False):
    """Cache: the ways to say the values of one tool, by tongue, then by (of, pointer, verbalizer)."""

    spec: ToolSpec
    by_tongue: dict[Tongue, dict[tuple[str, str, str | None], Verbalization]]


class ClaimedCall(msgspec.Struct, eq=False):
    """A call and the claims about it so far; a declined wish is treated as if its message made the call."""

    id: str
    sayings: Verbalizations
    arguments: dict[str, Any] | None
    """None for a call that a prefix of a conversation does not reach."""
    at: int
    """Index of the assistant message that makes the call."""
    asked_at: int = NEVER
    """Index of the user's message that asks for it."""
    told_at: int = NEVER
    """Index of the tool message that answers it."""
    result: Any = None
    """Its result, parsed."""
    keys: set[str] = msgspec.field(default_factory=set)
    """Arguments that have a claim."""
    covered: list[str] = msgspec.field(default_factory=list)
    """Pointers of claims about parts of arguments."""
    said: dict[tuple[int, int], str] = msgspec.field(default_factory=dict)
    """(message, start of a span) → the argument that the span says."""
    asked_for: dict[str, int] = msgspec.field(default_factory=dict)
    """Pointer → the message in which the assistant asks for the value."""
    goes_on: bool = False
    """Whether values of an earlier turn's call of the same tool are valid again."""
    failed: bool = False
    """Whether its result is an error."""
    mends: str | None = None
    """The failed call that it makes again."""
    is_again: bool = False
    """It has the same arguments as the call that it makes again, and so the same words."""
    is_wrong: bool = False
    """Whether it was refused for its arguments, which have no source; such a call is not to be learnt."""
    proposed: dict[str, Any] | None = None
    """The arguments with which it was proposed, if the user changed one of them."""
    helps: str | None = None
    """The call for which it was made, if it is a search that nobody asks for."""
    chosen: dict[str, str] = msgspec.field(default_factory=dict)
    """Pointer → the noun (or an empty text) of the things among which the user chooses."""
    is_unmade: bool = False
    """Whether it was asked for and never made; `arguments` are those that it would have had."""


class ClaimedSpan(msgspec.Struct, eq=False, gc=False):
    """A claimed span of a text."""

    start: int
    end: int
    call: str
    saying: Verbalization
    value: Any
    """The value that the span says; UNKNOWN where that is checked elsewhere."""


class TellSentence(msgspec.Struct, eq=False, gc=False):
    """A sentence of the assistant that does not report the result of a call that succeeded."""

    start: int
    end: int
    tongue: Tongue | None
    """How it is read; None for a sentence that must be one of a few fixed texts."""
    tell: TellClaim


class Ledger(msgspec.Struct, eq=False):
    """A conversation, looked up once."""

    conversation: Conversation
    calls: dict[str, ClaimedCall]
    contents: list[str]
    """The text of each message."""
    steps: list[tuple[int, AssistantMessage]]
    """Messages that make calls."""
    today: date | None
    """The day that the system message states as `YYYY-MM-DD`: relative dates count from it."""
    parts: dict[int, list[ClaimedSpan]]
    """The claimed spans of each message of the user or the assistant that says something."""
    taken: set[tuple[int, str, str | None]]
    """Places in results from which values have been taken so far, with the reason."""
    each: dict[tuple[int, str], set[str]]
    """(message, pattern of a list) → the elements that calls "for each of them" have taken."""
    replies: dict[int, int]
    """Reply of the user → the message that asks the question."""
    tongues: dict[int, Tongue]
    """The tongue of each message: how the user speaks in it, or that it is an answer of the assistant."""
    segments: dict[int, list[TellSentence]]
    """The sentences in messages of the assistant that report no result, in order."""
    found: list[Finding]


def open_ledger(conversation: Conversation, proof: Proof, toolbox: Toolbox, *, prefix: bool) -> Ledger:
    """Return the ledger of a conversation. In a `prefix`, claims may name calls that have not been made yet."""
    messages = conversation.messages
    asks = {ask.message for ask in proof.asks}
    asking = {wish.message for wish in proof.wishes}
    ledger = Ledger(
        conversation=conversation,
        calls={},
        contents=[message.content or "" for message in messages],
        steps=[(at, message) for at, message in enumerate(messages) if type(message) is AssistantMessage and message.tool_calls],
        today=_stated_day(conversation),
        parts={},
        taken=set(),
        each={},
        replies={},
        tongues={},
        segments={},
        found=[],
    )
    changing = {claim.by for claim in proof.retracted}
    proposed = {tell.message for tell in proof.tells if tell.how == "proposed"}
    before, first = -1, True
    for index, message in enumerate(messages):
        if type(message) is UserMessage:
            is_reply = (before in asks and index not in asking) or (before in proposed and index in changing)
            if is_reply:
                ledger.replies[index] = before
            ledger.tongues[index] = REPLIES if is_reply else REQUESTS if first else FURTHER_REQUESTS
            first = False
        elif type(message) is AssistantMessage and message.content:
            ledger.tongues[index] = ANSWERS
        before = index
    for index in ledger.tongues:
        ledger.parts[index] = []
    _note_calls(ledger, toolbox)
    for decline in proof.declines:
        _note_decline(ledger, decline, toolbox)
    _note_wishes(ledger, proof, toolbox, prefix=prefix)
    note_segments(ledger, proof)
    return ledger


def _note_calls(ledger: Ledger, toolbox: Toolbox) -> None:
    """Note every call with its result."""
    told_at: dict[str, int] = {}
    for index, message in enumerate(ledger.conversation.messages):
        if type(message) is ToolMessage:
            told_at.setdefault(message.tool_call_id, index)
    for index, step in ledger.steps:
        for call in step.tool_calls:
            spec = toolbox.get(call.name)
            if spec is None:
                ledger.found.append(Finding("PF101", ("argument", call.id, ""), "there is no tool {!r}", (call.name,)))
            elif call.id in ledger.calls:
                ledger.found.append(Finding("PF101", ("argument", call.id, ""), "two calls have this id"))
            else:
                made = ledger.calls[call.id] = ClaimedCall(call.id, sayings_of(spec), call.arguments, index)
                if told_at.get(call.id, -1) > index:
                    made.told_at = told_at[call.id]
                    made.result = parsed(ledger.contents[made.told_at])
                    made.failed = is_failure(ledger.conversation.messages[made.told_at], made.result)


def _note_decline(ledger: Ledger, decline: DeclineClaim, toolbox: Toolbox) -> None:
    """Note a declined wish as a call that was not made: claims name it by the request and the tool."""
    spec, wish, messages = toolbox.get(decline.tool), decline_id(decline), ledger.conversation.messages
    if spec is None:
        ledger.found.append(Finding("PF131", ("message", decline.message), "there is no tool {!r}", (decline.tool,)))
    elif wish in ledger.calls:
        ledger.found.append(Finding("PF131", ("message", decline.message), "this is declined twice"))
    elif not 0 <= decline.asked_at < decline.message or type(messages[decline.asked_at]) is not UserMessage:
        ledger.found.append(Finding("PF131", ("message", decline.message), "nobody asks for what is declined"))
    else:
        ledger.calls[wish] = ClaimedCall(wish, sayings_of(spec), decline.arguments, decline.message, decline.asked_at)


def decline_id(decline: DeclineClaim) -> str:
    """Return the id by which claims name a declined wish."""
    return f"{decline.asked_at}:{decline.tool}"


def _note_wishes(ledger: Ledger, proof: Proof, toolbox: Toolbox, *, prefix: bool) -> None:
    """Note which message asks for each call."""
    messages = ledger.conversation.messages
    for wish in proof.wishes:
        made = ledger.calls.get(wish.call_id)
        if made is None and wish.unmade is not None and wish.tool in toolbox:
            made = ClaimedCall(wish.call_id, sayings_of(toolbox[wish.tool]), wish.unmade, len(messages), is_unmade=True)
            ledger.calls[wish.call_id] = made
        if made is None and prefix and wish.tool in toolbox:
            made = ledger.calls[wish.call_id] = ClaimedCall(wish.call_id, sayings_of(toolbox[wish.tool]), None, len(messages))
        if made is None or not 0 <= wish.message < made.at or type(messages[wish.message]) is not UserMessage:
            fault = "the call must be asked for by the user, before it"
            ledger.found.append(Finding("PF114", ("argument", wish.call_id, ""), fault))
        elif made.asked_at != NEVER:
            ledger.found.append(Finding("PF114", ("argument", wish.call_id, ""), "two messages are said to ask for it"))
        else:
            made.asked_at, made.mends, made.helps = wish.message, wish.mends, wish.helps
            if wish.tool != made.sayings.spec.name:
                fault = "the user is said to ask for {!r}"
                ledger.found.append(Finding("PF114", ("argument", wish.call_id, ""), fault, (wish.tool,)))


def note_segments(ledger: Ledger, proof: Proof) -> None:
    """Note the sentences that are neither requests nor results told, and how each is to be read."""
    for tell in proof.tells:
        fault = _note_segment(tell, ledger)
        if fault is not None:
            at = ("message", tell.message, tell.start, tell.end)
            ledger.found.append(Finding("PF120", at, fault, (tell.call_id, tell.how)))
    for index, segments in ledger.segments.items():
        segments.sort(key=lambda segment: segment.start)
        if any(one.end > other.start for one, other in pairwise(segments)):
            ledger.found.append(Finding("PF120", ("message", index), "two of these sentences are in one another"))


def _note_segment(tell: TellClaim, ledger: Ledger) -> str | None:
    """Note the sentence of a claim; return why there is none, or None."""
    index, made = tell.message, ledger.calls.get(tell.call_id)
    if tell.how not in HOWS:
        return "{1!r} is nothing that can be told"
    is_users = tell.how in SAID_BY_THE_USER
    tongue = ledger.tongues.get(index)
    if tongue is None or (tongue is not ANSWERS) != is_users or not 0 <= tell.start < tell.end <= len(ledger.contents[index]):
        return "nobody says it there"
    if made is None:
        return "there is no call {0}"
    reading = HOWS[tell.how]
    if tell.how == "failed" and made.mends is not None:
        reading = FAILED_AGAIN
    ledger.segments.setdefault(index, []).append(TellSentence(tell.start, tell.end, reading, tell))
    return None


HOWS: dict[str, Tongue | None] = {
    "failed": FAILED, "empty": EMPTY, "proposed": PROPOSED, "condition": CONDITIONS, "untrue": UNTRUE,
    "yes": None, "no": None, "not_done": None, "several": SEVERAL, "refused": None,
    "comparison": None, "best": BEST, "corrected": CORRECTED,
}
"""What a sentence can tell → the tongue in which it is read."""
SAID_BY_THE_USER = frozenset({"yes", "no", "condition", "comparison", "corrected"})


def sayings_of(spec: ToolSpec) -> Verbalizations:
    """Return what is known so far of how values of a tool are said."""
    known = _KNOWN.get(id(spec))
    if known is None or known.spec is not spec:
        if len(_KNOWN) >= _MOST_TOOLS:
            _KNOWN.clear()
        known = _KNOWN[id(spec)] = Verbalizations(spec, {})
    return known


_KNOWN: dict[int, Verbalizations] = {}
"""By id of the tool, which is kept alive so that no other object gets its id."""
_MOST_TOOLS = 2048
_MOST_SAYINGS = 2048


def saying_of(sayings: Verbalizations, tongue: Tongue, of: str, pointer: str, verbalizer: str | None) -> Verbalization:
    """Return how a verbalizer says a value in requests, replies or answers."""
    known = sayings.by_tongue.get(tongue)
    if known is None:
        known = sayings.by_tongue[tongue] = {}
    saying = known.get((of, pointer, verbalizer))
    if saying is None:
        if len(known) >= _MOST_SAYINGS:  # long lists could have many pointers
            known.clear()
        spec, way = sayings.spec, verbalizer or "reference"
        place = place_at(places_of(spec), spec, pointer, verbalizer or "", of)
        find = place.find
        if tongue is ANSWERS and verbalizer == "count":
            find = _counted(find)
        elif verbalizer == "message" and of == "result":
            find = _as_message(find)
        spot = spot_at(tongue, spec, of, pointer, way)
        saying = known[of, pointer, verbalizer] = Verbalization(place, spot, find, place.known, place.literal)
    return saying


def _counted(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that gives the number of elements of a list, and other values as they are."""

    def count(source: Any) -> Any:
        value = find(source)
        return len(value) if type(value) is list else value

    return count


def _as_message(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that gives the text of an error as a clause."""
    return lambda source: clause_of(find(source))


_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_NAMED = re.compile(r"\b(?:today|date|day)\b[^.!?]{0,40}\Z", re.IGNORECASE)
"""The words before today's date, when a system message holds several dates."""


def _stated_day(conversation: Conversation) -> date | None:
    first = conversation.messages[0] if conversation.messages else None
    return day_in(first.content) if type(first) is SystemMessage else None


@lru_cache(maxsize=1024)
def day_in(content: str) -> date | None:
    """Return the date that a system message gives as today's; None when it gives none."""
    days = list(_DAY.finditer(content))
    named = [day for day in days if _NAMED.search(content[: day.start()])]
    try:
        return date.fromisoformat((named or days)[0].group()) if days else None
    except ValueError:
        return None


def is_failure(message: Message, result: Any) -> bool:
    """Whether a tool message reports a failed call: by its mark, or by its content where a format has lost the mark."""
    if type(message) is ToolMessage and message.is_error:
        return True
    if type(result) is dict:
        return bool(result.get("error")) or result.get("status") == "error"
    return type(result) is str and result.startswith("Error: ")


def parsed(content: str) -> Any:
    """Return a result parsed as JSON; text that is not JSON is returned as it is."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content
