"""Plans: what a row will do, before any word of it is written.

A scenario makes a `Plan` (turns → steps → calls). Calls in one step are parallel and independent;
steps are sequential, and a `Binding` says what a dependent call takes from which earlier result.
Carrying the plan out fills the arguments and the results: a `Story`, which wording turns into text.
"""

from datetime import date
from typing import Any

import msgspec

from generator.conversation import Tool, ToolCall
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


class Bound(msgspec.Struct, frozen=True, kw_only=True):
    """A binding with its value: where exactly the argument came from."""

    argument: str
    call_id: str
    pointer: str
    """JSON pointer into that call's result."""
    pick: Pick | None = None


class FilledCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call with its arguments and its answer."""

    spec: ToolSpec
    call: ToolCall
    result: Any
    content: str
    """The result as the tool message carries it."""
    bound: tuple[Bound, ...] = ()


class FilledStep(msgspec.Struct, frozen=True, kw_only=True):
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
