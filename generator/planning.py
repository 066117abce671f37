"""Plans: what a row will do, before any word of it is written.

A scenario makes a `Plan` (turns → steps → calls). Calls in one step are parallel and independent;
steps are sequential, and a `Binding` says what a dependent call takes from which earlier result.
Carrying the plan out fills the arguments and the results: a `Story`, which wording turns into text.
"""

from datetime import date
from typing import Any

import msgspec

from generator.conversation import Document, Tool, ToolCall
from generator.toolbox import Pick, ToolSpec


class Binding(msgspec.Struct, frozen=True, kw_only=True):
    """An argument taken from an earlier result."""

    argument: str
    """JSON pointer into this call's arguments."""
    step: int
    call: int
    """Which earlier call (step of the turn, call of the step)."""
    result: str
    """Pointer into its result; at most one `*`."""
    picks: tuple[Pick, ...] = ()
    """Ways to choose the element at `*`: the first that names exactly one element is taken. Empty when
    the pointer has no `*`."""


class PlannedCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call to make."""

    tool: str
    bindings: tuple[Binding, ...] = ()
    for_each: bool = False
    """Make one such call for every element of the (only) binding's list."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Calls made at once."""

    calls: tuple[PlannedCall, ...]
    vary: str | None = None
    """The one argument (a slot of the tool's `vary`) in which the step's calls differ; the others
    are shared. None: each call has its own arguments."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """What one user message asks for."""

    steps: tuple[Step, ...]


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A whole row, still without values."""

    scenario: str
    turns: tuple[Turn, ...]
    look_alikes: bool = False
    """The tools offered besides the called ones should resemble them."""


class SourceText(msgspec.Struct, frozen=True):
    """A text or source file that documents are made from."""

    name: str
    """Its path as the recipe writes it."""
    text: str


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What documents are made from, and how."""

    texts: tuple[SourceText, ...] = ()
    cuts: tuple[tuple[str, float], ...] = (("line", 1.0),)
    """How the ends of a gap are chosen, with weights: `character`, `line`, `syntax`."""
    together: tuple[int, int] = (2, 3)
    """How many files stand in one sequence."""
    gaps: float = 0.0
    """How often the last of several files has a gap."""
    longest: int = 4000
    """Most characters of one file; of a longer file a part is taken."""


class PlannedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A row that is a document: nothing is left to be filled in."""

    scenario: str
    document: Document
    tags: tuple[str, ...]
    """Where it is from: `file:NAME` for every file, and `cut:KIND` where there is a gap."""


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """A binding with its value: where exactly the argument came from."""

    argument: str
    call_id: str
    pointer: str
    """JSON pointer into that call's result."""
    pick: Pick | None = None


class FilledCall(msgspec.Struct, frozen=True):
    """A call with its arguments and its answer."""

    spec: ToolSpec
    call: ToolCall
    result: Any
    content: str
    """The result as the tool message carries it."""
    bound: tuple[Bound, ...] = ()


class FilledStep(msgspec.Struct, frozen=True):
    """A step whose calls have been made."""

    calls: tuple[FilledCall, ...]
    vary: str | None = None
    for_each: bool = False


class Story(msgspec.Struct, frozen=True, kw_only=True):
    """A plan carried out: all values are fixed, only the words are missing."""

    scenario: str
    turns: tuple[tuple[FilledStep, ...], ...]
    offered: tuple[Tool, ...]
    today: date
    system: str | None
    """The system message, if the row has one."""
    knows_today: bool = False
    """Whether the system message states today's date, so that relative dates may be said."""
