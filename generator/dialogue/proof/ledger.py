"""A finished conversation, looked up once: its calls, its results, the day it states, and the claims about each call."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any, Literal

import msgspec

from generator.core.claims import Proof, RetractedClaim, UseClaim
from generator.core.conversation import AssistantMessage, Conversation
from generator.core.toolbox import Toolbox, ToolSpec
from generator.dialogue.proof.spans import Verbalization, verbalization
from generator.dialogue.proof.tongues import ANSWERS, Tongue

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
    covered: set[str] = set()
    """Pointers of the arguments, and parts of arguments, that have a claim."""
    said: dict[tuple[int, int], str] = {}
    """(message, start of a span) → the argument that the span says."""
    failed: bool = False
    """Whether its result is an error."""
    proposed: dict[str, Any] | None = None
    """The arguments with which it was proposed, if the user changed one of them."""
    changed_at: int = NEVER
    """Index of the user's message that did so."""
    helps: str | None = None
    """The call for which it was made, if it is a search that nobody asks for."""
    demanded: bool = False
    """Whether only a policy demands it, before the one that it helps."""
    is_unmade: bool = False
    """Whether it was asked for and never made; `arguments` are those that it would have had."""


class ClaimedSpan(msgspec.Struct, eq=False):
    """A claimed span of a text."""

    start: int
    end: int
    call: str
    saying: Verbalization
    value: Any
    """The value that the span says; UNKNOWN where that is checked elsewhere."""

    @property
    def slot_name(self) -> str:
        """The name by which forms call the value: `price`, `args.city`, or `message` for the reason of an error."""
        saying = self.saying
        return "message" if saying.is_clause else f"args.{saying.slot}" if saying.of == "arguments" else saying.slot


class Act(msgspec.Struct, frozen=True, eq=False):
    """One thing that is said in a sentence of its own, and how such a sentence is checked."""

    how: str
    """The name by which claims call it."""
    by: Literal["user", "assistant"]
    code: str
    """The code of what is untrue of it."""
    forms: Callable[["Sentence"], Iterable[str]]
    """Yields the texts that it may have, written anew from what it is about. A value that is claimed stands in braces by the name
    that `slot_name` gives it; `…` stands for the text that `inside` reads."""
    faults: Callable[["Sentence"], Iterator[str]]
    """Yields what is wrong with it, whatever its words are."""
    inside: Tongue | None = None
    """How a part of it is read that is made of the tool's phrases."""
    claims: bool = False
    """Whether it states values by itself, which are claimed; those of the part `inside` are so, too."""
    may_state: Callable[["Sentence", ClaimedCall, str], bool] = lambda sentence, made, of: (
        sentence.made is made and (made.told_at < sentence.index or of == "arguments")
    )
    """Whether it may state values of the result or the arguments of a call."""

    @property
    def states(self) -> bool:
        """Whether values that are claimed are said in it."""
        return self.claims or self.inside is not None


class Sentence(msgspec.Struct, eq=False):
    """A sentence of a conversation that makes no request and reports no result of a call that succeeded."""

    ledger: "Ledger"
    index: int
    """Index of its message."""
    start: int
    end: int
    act: Act
    made: ClaimedCall
    """The call that it is about."""

    @property
    def at(self) -> tuple[Any, ...]:
        """Where a fault that is found in it is reported."""
        return ("message", self.index, self.start, self.end)

    @property
    def text(self) -> str:
        """What it says."""
        return self.ledger.contents[self.index][self.start : self.end]

    @property
    def parts(self) -> list[ClaimedSpan]:
        """The claimed spans within it, in order."""
        parts = [part for part in self.ledger.parts.get(self.index, ()) if self.start <= part.start < self.end]
        return sorted(parts, key=lambda part: part.start)

    @property
    def form(self) -> str:
        """What it says with the names of slots in place of claimed values, as forms have them: "It costs {price}."."""
        return self.with_slots(self.parts)

    def with_slots(self, parts: Iterable[ClaimedSpan]) -> str:
        """Return what it says with the names of slots in place of some values."""
        content, position, pieces = self.ledger.contents[self.index], self.start, []
        for part in parts:
            pieces += [content[position : part.start], f"{{{part.slot_name}}}"]
            position = max(position, part.end)
        return "".join(pieces) + content[position : self.end]

    def follows(self, *hows: str) -> bool:
        """Whether the message before tells one of these of the call that it is about."""
        return any(self.ledger.tells(self.index - 1, self.made, how) for how in hows)

    def beside(self, how: str, made: ClaimedCall | None = None) -> bool:
        """Whether another sentence of the message tells this of the call that it is about, or of another call."""
        return self.ledger.tells(self.index, made or self.made, how)


def fault_unless(holds: Callable[[Sentence], bool], fault: str) -> Callable[[Sentence], Iterator[str]]:
    """Return the `Act.faults` of an act that has one fault, unless something holds of the sentence."""
    return lambda sentence: iter(() if holds(sentence) else (fault,))


class Ledger(msgspec.Struct, eq=False):
    """A conversation, looked up once."""

    conversation: Conversation
    proof: Proof
    toolbox: Toolbox
    phrases: bool
    """Whether the texts must be made of the tools' phrases."""
    prefix: bool
    """Whether the conversation may end before all that was asked for is done."""
    contents: list[str]
    """The text of each message."""
    steps: list[tuple[int, AssistantMessage]]
    """Messages that make calls."""
    today: date | None
    """The day that the system message states as `YYYY-MM-DD`: relative dates count from it."""
    uses: dict[int, list[UseClaim]]
    """The forms that each message is made of, in order."""
    calls: dict[str, ClaimedCall] = {}
    parts: dict[int, list[ClaimedSpan]] = {}
    """The claimed spans of each message of the user or the assistant that says something."""
    taken: set[tuple[int, str, str | None]] = set()
    """Places in results from which values have been taken so far, with the reason."""
    each: dict[tuple[int, str], set[str]] = {}
    """(message, pattern of a list) → the elements that calls "for each of them" have taken."""
    replies: dict[int, int] = {}
    """Reply of the user → the message that asks the question."""
    tongues: dict[int, Tongue] = {}
    """The tongue of each message: how the user speaks in it, or that it is an answer of the assistant."""
    sentences: dict[int, list[Sentence]] = {}
    """The sentences that make no request and report no result, by message and in order."""
    found: list[Finding] = []

    def answered_at(self, index: int | None) -> ClaimedCall | None:
        """Return the call that a message answers; None where it answers none."""
        return next((call for call in self.calls.values() if call.told_at == index), None)

    def tells(self, index: int, made: ClaimedCall, how: str) -> bool:
        """Whether a sentence of a message tells this of a call: that it failed, say."""
        return any(one.act.how == how and one.made is made for one in self.sentences.get(index, ()))

    def sentence_at(self, index: int, start: int) -> Sentence | None:
        """Return the sentence in which a place of a message lies; None when it lies in none."""
        return next((one for one in self.sentences.get(index, ()) if one.start <= start < one.end), None)

    def spoken(self, *hows: str) -> Iterator[Sentence]:
        """Yield the sentences of these acts, or of all."""
        for sentences in self.sentences.values():
            yield from [one for one in sentences if one.act.how in hows or not hows]

    def note_former(self, claim: RetractedClaim, made: ClaimedCall) -> Verbalization | None:
        """Note that a span says a value which no call takes; return how it is read, or None where it says something else."""
        index, start, end = claim.message, claim.start, claim.end
        parts = self.parts.get(index)
        if parts is None or not 0 <= start < end <= len(self.contents[index]):
            return None
        if any(part.start < end and start < part.end for part in parts):
            return None
        saying = verbalization(made.spec, "arguments", claim.pointer, claim.verbalizer)
        parts.append(ClaimedSpan(start, end, made.id, saying, UNKNOWN))
        return saying

    def report(self, code: str, at: tuple[Any, ...], text: str, *facts: Any) -> None:
        """Note a fault."""
        self.found.append(Finding(code, at, text, facts))


Acts = Mapping[str, Act]
"""What a sentence can tell, by name."""


class Passage(msgspec.Struct, frozen=True):
    """A message, or a part of it that is read by itself."""

    ledger: Ledger
    index: int
    """The message."""
    content: str
    """Its text, up to the end of what is read."""
    parts: list[ClaimedSpan]
    """The claimed spans in it."""
    tongue: Tongue
    begin: int
    """Where it begins: what stands before is read by itself."""

    @property
    def is_user(self) -> bool:
        """Whether the user says it."""
        return self.ledger.tongues[self.index] is not ANSWERS

    def report(self, code: str, text: str, facts: tuple[Any, ...] = (), at: tuple[int, ...] = ()) -> None:
        """Note a fault of the message, or of a span of it."""
        self.ledger.report(code, ("message", self.index, *at), text, *facts)
