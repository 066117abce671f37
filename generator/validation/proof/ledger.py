"""A finished conversation looked up once: its calls, its results, the day it states, and what is claimed of each call."""

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
from generator.validation.proof.spans import Place, place_at, places_of
from generator.validation.readers.messages import clause_of

NEVER = 1 << 60
"""The index of a message that is not there."""
UNKNOWN = object()
"""Stands for the value of an argument of a call that has not been made yet."""
Fault = tuple[str, str, tuple[Any, ...]]
"""Code, message and facts."""


class Finding(msgspec.Struct, frozen=True):
    """A fault of a row: formatted only when a person reads it."""

    code: str
    at: tuple[Any, ...]
    """`("message", index)`, `("message", index, start, end)`, `("argument", call id, pointer)` or `("calls", index)`."""
    text: str
    """The message, with a place in braces for each of the facts."""
    facts: tuple[Any, ...] = ()


class Saying(msgspec.Struct, eq=False):
    """One way to say the value at one place of a tool's arguments or result."""

    place: Place
    """How it is read."""
    spot: Spot
    """What may stand around it."""
    find: Callable[[Any], Any]
    """Takes the value out of the arguments or the result; raises LookupError."""
    known: dict[str, Any]
    """Words that were read here before, and what they mean."""
    literal: bool
    """Whether words that are the value itself say it."""


class Sayings(msgspec.Struct, eq=False):
    """The ways to say the values of one tool that have been met so far: by tongue, then by (of, pointer, verbalizer)."""

    spec: ToolSpec
    by_tongue: dict[Tongue, dict[tuple[str, str, str | None], Saying]]


class Made(msgspec.Struct, eq=False):
    """A call, and what has been claimed about it so far; or what was wished and declined, as if that message called it."""

    id: str
    sayings: Sayings
    arguments: dict[str, Any] | None
    """None for a call that a prefix of a conversation has not come to."""
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
    """By message and beginning of a span: the argument that it says."""
    asked_for: dict[str, int] = msgspec.field(default_factory=dict)
    """By pointer: the message in which the assistant asks for the value."""
    goes_on: bool = False
    """Whether values of the same tool's call in an earlier turn hold again."""
    failed: bool = False
    """Whether its result is an error."""
    mends: str | None = None
    """The failed call that it makes again."""
    is_again: bool = False
    """It has the same arguments as the call that it makes again, and so the same words."""
    is_wrong: bool = False
    """It was refused for its arguments, which have no source, and is not to be learnt."""
    proposed: dict[str, Any] | None = None
    """The arguments with which it is proposed, where the user changes one of them."""
    helps: str | None = None
    """It is a search that nobody asks for, made for this call."""
    chosen: dict[str, str] = msgspec.field(default_factory=dict)
    """By pointer: what the thing is (or an empty text) that the user is to choose from several."""
    is_unmade: bool = False
    """It was asked for and never made; `arguments` are those that it would have had."""


class Part(msgspec.Struct, eq=False, gc=False):
    """A claimed span of a text."""

    start: int
    end: int
    call: str
    saying: Saying
    value: Any
    """What the span says; UNKNOWN where that is checked elsewhere."""


class Segment(msgspec.Struct, eq=False, gc=False):
    """A sentence of the assistant that is more than the result of a call that went well."""

    start: int
    end: int
    tongue: Tongue | None
    """How it is read; None for one that is one of a few texts."""
    tell: TellClaim


class Ledger(msgspec.Struct, eq=False):
    """A conversation, looked up once."""

    conversation: Conversation
    calls: dict[str, Made]
    contents: list[str]
    """What each message says."""
    steps: list[tuple[int, AssistantMessage]]
    """Messages that make calls."""
    today: date | None
    """The day that the system message states as `YYYY-MM-DD`: relative dates count from it."""
    parts: dict[int, list[Part]]
    """The claimed spans of each message of the user or the assistant that says something."""
    taken: set[tuple[int, str, str | None]]
    """Places in results from which values have been taken so far, and why there."""
    each: dict[tuple[int, str], set[str]]
    """By message and pattern of a list: the elements that calls "for each of them" have taken."""
    replies: dict[int, int]
    """Messages of the user that reply to a question, and the message that asks it."""
    tongues: dict[int, Tongue]
    """How the user speaks in each message, and that the assistant answers in the others that say something."""
    segments: dict[int, list[Segment]]
    """What stands in messages of the assistant besides results, in order."""
    found: list[Finding]


def open_ledger(conversation: Conversation, proof: Proof, toolbox: Toolbox, *, prefix: bool) -> Ledger:
    """Look a conversation up. In a `prefix` calls may be claimed that have not been made yet."""
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
                made = ledger.calls[call.id] = Made(call.id, sayings_of(spec), call.arguments, index)
                if told_at.get(call.id, -1) > index:
                    made.told_at = told_at[call.id]
                    made.result = parsed(ledger.contents[made.told_at])
                    made.failed = is_failure(ledger.conversation.messages[made.told_at], made.result)


def _note_decline(ledger: Ledger, decline: DeclineClaim, toolbox: Toolbox) -> None:
    """Note what was wished and not done: claims name it by the place of the request and the tool."""
    spec, wish, messages = toolbox.get(decline.tool), decline_id(decline), ledger.conversation.messages
    if spec is None:
        ledger.found.append(Finding("PF131", ("message", decline.message), "there is no tool {!r}", (decline.tool,)))
    elif wish in ledger.calls:
        ledger.found.append(Finding("PF131", ("message", decline.message), "this is declined twice"))
    elif not 0 <= decline.asked_at < decline.message or type(messages[decline.asked_at]) is not UserMessage:
        ledger.found.append(Finding("PF131", ("message", decline.message), "nobody asks for what is declined"))
    else:
        ledger.calls[wish] = Made(wish, sayings_of(spec), decline.arguments, decline.message, decline.asked_at)


def decline_id(decline: DeclineClaim) -> str:
    """How claims name what was declined."""
    return f"{decline.asked_at}:{decline.tool}"


def _note_wishes(ledger: Ledger, proof: Proof, toolbox: Toolbox, *, prefix: bool) -> None:
    """Note which message asks for each call."""
    messages = ledger.conversation.messages
    for wish in proof.wishes:
        made = ledger.calls.get(wish.call_id)
        if made is None and wish.unmade is not None and wish.tool in toolbox:
            made = Made(wish.call_id, sayings_of(toolbox[wish.tool]), wish.unmade, len(messages), is_unmade=True)
            ledger.calls[wish.call_id] = made
        if made is None and prefix and wish.tool in toolbox:
            made = ledger.calls[wish.call_id] = Made(wish.call_id, sayings_of(toolbox[wish.tool]), None, len(messages))
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
    """Note the sentences that are more than a request or a result told, and how each is to be read."""
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
    """Why there is no such sentence."""
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
    ledger.segments.setdefault(index, []).append(Segment(tell.start, tell.end, reading, tell))
    return None


HOWS: dict[str, Tongue | None] = {
    "failed": FAILED, "empty": EMPTY, "proposed": PROPOSED, "condition": CONDITIONS, "untrue": UNTRUE,
    "yes": None, "no": None, "not_done": None, "several": SEVERAL, "refused": None,
    "comparison": None, "best": BEST, "corrected": CORRECTED,
}
"""What can be told, and how it is read."""
SAID_BY_THE_USER = frozenset({"yes", "no", "condition", "comparison", "corrected"})


def sayings_of(spec: ToolSpec) -> Sayings:
    """What is known of how values of a tool are said."""
    known = _KNOWN.get(id(spec))
    if known is None or known.spec is not spec:
        if len(_KNOWN) >= _MOST_TOOLS:
            _KNOWN.clear()
        known = _KNOWN[id(spec)] = Sayings(spec, {})
    return known


_KNOWN: dict[int, Sayings] = {}
"""By id of the tool, which is held so that its id stays its own."""
_MOST_TOOLS = 2048
_MOST_SAYINGS = 2048


def saying_of(sayings: Sayings, tongue: Tongue, of: str, pointer: str, verbalizer: str | None) -> Saying:
    """How a value is said in requests, replies or answers."""
    known = sayings.by_tongue.get(tongue)
    if known is None:
        known = sayings.by_tongue[tongue] = {}
    saying = known.get((of, pointer, verbalizer))
    if saying is None:
        if len(known) >= _MOST_SAYINGS:  # pointers into long lists could be many
            known.clear()
        spec, way = sayings.spec, verbalizer or "reference"
        place = place_at(places_of(spec), spec, pointer, verbalizer or "", of)
        find = place.find
        if tongue is ANSWERS and verbalizer == "count":
            find = _counted(find)
        elif verbalizer == "message" and of == "result":
            find = _as_message(find)
        spot = spot_at(tongue, spec, of, pointer, way)
        saying = known[of, pointer, verbalizer] = Saying(place, spot, find, place.known, place.literal)
    return saying


def _counted(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """How many elements a list has, and other values as they are."""

    def count(source: Any) -> Any:
        value = find(source)
        return len(value) if type(value) is list else value

    return count


def _as_message(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The text of an error, as a clause."""
    return lambda source: clause_of(find(source))


_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_NAMED = re.compile(r"\b(?:today|date|day)\b[^.!?]{0,40}\Z", re.IGNORECASE)
"""What stands before a day that is today's, when a system message holds several days."""


def _stated_day(conversation: Conversation) -> date | None:
    first = conversation.messages[0] if conversation.messages else None
    return day_in(first.content) if type(first) is SystemMessage else None


@lru_cache(maxsize=1024)
def day_in(content: str) -> date | None:
    """The day that a system message says it is."""
    days = list(_DAY.finditer(content))
    named = [day for day in days if _NAMED.search(content[: day.start()])]
    try:
        return date.fromisoformat((named or days)[0].group()) if days else None
    except ValueError:
        return None


def is_failure(message: Message, result: Any) -> bool:
    """Whether a tool message says that its call failed: by its mark, or by what it says where a format has lost the mark."""
    if type(message) is ToolMessage and message.is_error:
        return True
    if type(result) is dict:
        return bool(result.get("error")) or result.get("status") == "error"
    return type(result) is str and result.startswith("Error: ")


def parsed(content: str) -> Any:
    """A result as its JSON says; a text that is not JSON as it is."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content
