"""One attempt at a row: what it begins with, and what becomes of it."""

from collections.abc import Iterable
from datetime import date
from typing import Any

import msgspec

from generator.core.conversation import Row, Violation
from generator.core.seeds import Draw, stream_seed
from generator.episodes import Opening
from generator.run.prepared import PreparedRecipe
from generator.run.twins import FamilyPlan, Twin
from generator.scenarios import DocumentScenario, Scenario

ATTEMPTS = 25
"""Attempts at a row before it is drawn anew: each fails only by chance, so most recipes never reach this number."""
DRAWS = 3
"""How often a row is drawn, each time with another scenario if there is one, before it counts as failed."""
LONG_ATTEMPTS = 8
"""Attempts at a row that may be rejected for their length; then one is accepted, and formats in which it is too long leave it out."""

_NO_RECORD: dict[str, object] = {}


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt at a row."""

    index: int
    number: int = 0
    twin: Twin | None = None
    """The row's place in its family, where rows have twins."""
    short: bool = False
    """Whether the lists in results are as short as the tools' own limits make them."""
    any_length: bool = False
    """Whether the row may be longer than the recipe allows; formats in which it is too long leave it out."""

    @property
    def origin(self) -> int:
        """The row whose random streams it begins with: its own, or that of the first of its family."""
        return self.index if self.twin is None else self.twin.first


class RejectedRow(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that did not pass."""

    index: int
    attempt: int
    violations: tuple[Violation, ...]
    tools: tuple[str, ...] = ()
    """The tools that it called, or that the first violation names."""
    scenario: str = ""
    record: dict[str, object] = {}
    """Its DeepFabric record, if it came so far."""


class MadeRow(msgspec.Struct, frozen=True, kw_only=True):
    """A finished row, its DeepFabric record, and the attempts that failed before it."""

    row: Row
    record: dict[str, object]
    rejected: tuple[RejectedRow, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    """(use, outcome) pairs of a model's answers in this attempt, not in earlier ones."""
    plan: FamilyPlan | None = None
    """What the other rows of a family of twins take from this one, if it is the first."""
    opening: Opening | None = None
    """What its world begins with; None for a document."""
    tries: tuple[dict[str, Any], ...] = ()
    """Transcripts of a model that has played it."""
    left_out: str = ""
    """Why it is not written; empty for all others."""


def refused(
    attempt: Attempt,
    violations: list[Violation],
    tools: Iterable[str],
    scenario: str = "",
    record: dict[str, object] = _NO_RECORD,
) -> RejectedRow:
    """Return what is kept of an attempt that did not pass."""
    return RejectedRow(
        index=attempt.index,
        attempt=attempt.number,
        violations=tuple(violations),
        tools=tuple(dict.fromkeys(tools)),
        scenario=scenario,
        record=record,
    )


def begin(prepared: PreparedRecipe, attempt: Attempt) -> tuple[Draw, Scenario | DocumentScenario]:
    """Return the random stream of an attempt, with the row's day, and the row's scenario."""
    draw, scenario = _drawn(prepared, attempt.origin, attempt.number // ATTEMPTS)
    twin, number = attempt.twin, attempt.number
    if twin is not None:
        scenario, number = twin.scenario, number if twin.plan is None else twin.plan.attempt
    if number:
        draw.reseed(stream_seed(prepared.seed, "row", attempt.origin, number), draw.today)
    return draw, scenario


def _drawn(prepared: PreparedRecipe, index: int, before: int) -> tuple[Draw, Scenario | DocumentScenario]:
    """Return the row's random stream with its day, which holds for every attempt, and the scenario.

    It is another one than those that were drawn before, as long as there are others.
    """
    first, last = prepared.recipe.today
    draw = Draw(stream_seed(prepared.seed, "row", index), first)
    rand, low = draw.rand, first.toordinal()
    draw.today = date.fromordinal(low + int(rand() * (last.toordinal() - low + 1)))
    scenario = prepared.scenario_at(rand())
    if not before:
        return draw, scenario
    had, anew = [scenario], Draw(stream_seed(prepared.seed, "scenario", index), draw.today)
    for _ in range(before):
        had.append(prepared.scenario_at(anew.rand(), without=had))
    return draw, had[-1]
