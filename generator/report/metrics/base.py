"""Metrics: a name, the meaning of its figures, and a meter that sees one row after the other."""

from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from generator.report.rows import SeenRow

MOST_EXAMPLES = 5
"""Rows that are named for people to look at."""

Unit = Literal["%", "", "words", "tokens", "turns", "tools", "values"]


class Figure(msgspec.Struct, frozen=True):
    """One number that a metric gives."""

    name: str
    about: str
    """What it counts, in one sentence; docs/report.md shows it."""
    unit: Unit = ""
    grows: bool = False
    """Whether it depends on how many rows there are, so that a sample does not show it."""


class Chart(msgspec.Struct, frozen=True):
    """Counts to look at."""

    title: str
    counts: tuple[tuple[str, float], ...]


class Measured(msgspec.Struct, frozen=True):
    """What a meter found."""

    figures: dict[str, float | int | None]
    """By name, in the order of the metric; None where there was nothing to measure."""
    charts: tuple[Chart, ...] = ()
    examples: dict[str, list[int]] = {}
    """Numbers of some rows (from 0), by what they are examples of."""


class Meter(Protocol):
    """Takes rows one after the other, in bounded memory."""

    def add(self, row: SeenRow) -> None:
        """Look at one row."""

    def result(self) -> Measured:
        """Return what was found in all of them."""


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a report measures."""

    name: str
    """The module's name; figures are named after it: `near_duplicates.plain`."""
    title: str
    about: str
    """How it is measured; docs/report.md shows it."""
    figures: tuple[Figure, ...]
    make: Callable[[], Meter]


class Examples:
    """The first rows of each kind."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {}

    def note(self, kind: str, number: int) -> None:
        """Note a row, unless there are enough of its kind."""
        found = self.rows.setdefault(kind, [])
        if len(found) < MOST_EXAMPLES and number not in found:
            found.append(number)


def numbered(counts: dict[int, int], most: int = 12) -> tuple[tuple[str, float], ...]:
    """Return counts in order of the number; those beyond `most` different numbers are added up."""
    ordered = sorted(counts.items())
    if len(ordered) <= most:
        return tuple((str(number), count) for number, count in ordered)
    rest = sum(count for _, count in ordered[most - 1 :])
    return (*((str(number), count) for number, count in ordered[: most - 1]), (f"{ordered[most - 1][0]}+", rest))


def most_first(counts: dict[str, int]) -> tuple[tuple[str, float], ...]:
    """Return the twelve largest counts by name, the largest first."""
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:12])
