"""Try a tool out: rows of it alone, and how many of the attempts to make them were accepted."""

from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from generator.core.conversation import Row, ToolCall
from generator.core.errors import GeneratorError, RowError
from generator.core.toolbox import ToolSpec
from generator.recipe import ArgumentSettings, Offer, Recipe
from generator.run.prepared import prepare
from generator.run.row import make_row

ROWS = 40
ENOUGH = 0.9
"""The share of attempts that should be accepted."""
_SEED = 20260301


class ToolTrial(msgspec.Struct, frozen=True, kw_only=True):
    """The results of trial rows of one tool."""

    rows: tuple[Row, ...]
    attempts: int
    refusals: tuple[tuple[str, int], ...]
    """Why attempts were refused, and how often, the most usual first."""

    @property
    def share(self) -> float:
        """The share of attempts that were accepted."""
        return len(self.rows) / self.attempts if self.attempts else 0.0


def try_tool(spec: ToolSpec, rows: int = ROWS) -> ToolTrial:
    """Make rows of one tool."""
    made: list[Row] = []
    refused: Counter[str] = Counter()
    attempts = 0
    try:
        prepared = prepare(recipe_of_trial(rows), {spec.name: spec})
    except GeneratorError as fault:
        return ToolTrial(rows=(), attempts=rows, refusals=((str(fault), rows),))
    for index in range(rows):
        try:
            done = make_row(prepared, index)
        except RowError as fault:
            attempts += 1
            refused[str(fault)] += 1
            continue
        attempts += 1 + len(done.rejected)
        made.append(done.row)
        for row in done.rejected:
            refused[f"{row.violations[0].rule} {row.violations[0].message}"] += 1
    return ToolTrial(rows=tuple(made), attempts=attempts, refusals=tuple(refused.most_common()))


def answer_alone(spec: ToolSpec, arguments: dict[str, Any]) -> Any:
    """Return the result of a call of one tool in a world of its own; None when it fails."""
    with prepare(recipe_of_trial(1), {spec.name: spec}).backend.open(_DAY, 0) as world:
        (outcome,) = world.step([ToolCall("worked", spec.name, arguments)])
    return outcome.value if outcome.ok else None


_DAY = date(2026, 3, 12)


def recipe_of_trial(rows: int) -> Recipe:
    """Return the recipe of trial rows: one request, one call, nothing else."""
    return Recipe(
        path=Path("trial.yaml"),
        text="",
        name="trial",
        seed=_SEED,
        rows=rows,
        tools=(),
        offer=Offer(distractors=(0, 0)),
        scenarios=(("single", 1.0),),
        calls=(2, 3),
        steps=(2, 3),
        arguments=ArgumentSettings(),
        system=(),
        today=(date(2026, 1, 1), date(2026, 12, 31)),
        formats=("openai",),
    )
