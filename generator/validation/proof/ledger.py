"""A finished conversation, looked up once: its calls, its results, the day it states, and the claims about each call."""

from datetime import date
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, TellClaim
from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.tongues import Tongue
from generator.validation.proof.verbalizations import Verbalization

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


class ClaimedCall(msgspec.Struct, eq=False):
    """A call and the claims about it so far; a declined wish is treated as if its message made the call."""

    id: str
    spec: ToolSpec
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
    """It has the same arguments as the call that it makes again, but for one at most, and so the same words."""
    is_wrong: bool = False
    """Whether it was refused for its arguments, which have no source; such a call is not to be learnt."""
    proposed: dict[str, Any] | None = None
    """The arguments with which it was proposed, if the user changed one of them."""
    helps: str | None = None
    """The call for which it was made, if it is a search that nobody asks for."""
    unblocks: str | None = None
    """The refused call for which it was made, if it changes the state because of which that one was refused."""
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

    def tells(self, index: int, made: ClaimedCall, how: str) -> bool:
        """Whether a sentence of a message tells this of a call: that it failed, say."""
        return any(
            segment.tell.how == how and segment.tell.call_id == made.id for segment in self.segments.get(index, ())
        )
