"""What a run tells while it goes on: plain events, and the counts it ends with.

The engine prints nothing; a progress bar, a log or a test listens.
"""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from generator.recipe import Recipe


class Tally(msgspec.Struct):
    """What was made. Tallies of parts of a run add up to the tally of the run."""

    rows: int = 0
    scenarios: Counter[str] = msgspec.field(default_factory=Counter)
    """Rows by scenario."""
    rejected: Counter[str] = msgspec.field(default_factory=Counter)
    """Attempts that were thrown away, by the code of each rule they broke."""
    refused: Counter[tuple[str, str]] = msgspec.field(default_factory=Counter)
    """Rows that a format cannot carry, by (format, reason)."""

    def add(self, other: "Tally") -> None:
        """Count another part of the run in."""
        self.rows += other.rows
        self.scenarios.update(other.scenarios)
        self.rejected.update(other.rejected)
        self.refused.update(other.refused)


class Written(msgspec.Struct, frozen=True):
    """A finished file."""

    path: Path
    rows: int
    bytes: int


class RunStarted(msgspec.Struct, frozen=True):
    """The recipe and its tools are good; rows come next."""

    recipe: Recipe
    out: Path


class RowsMade(msgspec.Struct, frozen=True):
    """So many rows are made by now."""

    made: int
    of: int


class RunFinished(msgspec.Struct, frozen=True):
    """All files have their final names."""

    tally: Tally
    files: tuple[Written, ...]

    def rows_in(self, format_name: str) -> int:
        """How many rows the file of a format holds."""
        return sum(file.rows for file in self.files if file.path.name == f"{format_name}.jsonl")


Event = RunStarted | RowsMade | RunFinished
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Listen to nothing."""
