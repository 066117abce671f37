"""Calls: how many, how many at once, how many steps deep."""

from collections import Counter

from generator.report.metrics.base import Chart, Measured, numbered
from generator.report.rows import SeenRow
from generator.report.sketches import share


class CallMeter:
    """Counts calls, steps and what they take from each other."""

    def __init__(self) -> None:
        self._calls: Counter[int] = Counter()
        self._widths: Counter[int] = Counter()
        self._depths: Counter[int] = Counter()
        self._later = self._fed = 0

    def add(self, row: SeenRow) -> None:
        """Count the calls of one row."""
        self._calls[sum(len(turn.calls) for turn in row.turns)] += 1
        for turn in row.turns:
            if not turn.calls:
                continue
            self._widths.update(Counter(call.message for call in turn.calls).values())
            depth = turn.calls[-1].step + 1
            self._depths[depth] += 1
            if depth > 1:
                self._later += 1
                self._fed += any(value.origin == "result" for call in turn.calls for value in call.values)

    def result(self) -> Measured:
        """Return means, shares and counts."""
        rows, steps, turns = (counts.total() for counts in (self._calls, self._widths, self._depths))
        parallel = sum(count for width, count in self._widths.items() if width > 1)
        return Measured(
            {
                "calls": _mean(self._calls),
                "calls_p95": _at(self._calls, 0.95),
                "calls_most": max(self._calls, default=None),
                "parallel_steps": share(parallel, steps),
                "width": _mean(self._widths),
                "depth": _mean(self._depths),
                "depth_p95": _at(self._depths, 0.95),
                "depth_most": max(self._depths, default=None),
                "dependent": share(self._fed, self._later),
            },
            (
                Chart("Calls of a conversation", numbered(self._calls), "columns", "calls"),
                Chart("Calls made at once", numbered(self._widths), "columns", "calls"),
                Chart("Steps of a turn", numbered(self._depths), "columns", "steps"),
            )
            if rows and turns
            else (),
        )


def _mean(counts: Counter[int]) -> float | None:
    total = counts.total()
    return round(sum(number * count for number, count in counts.items()) / total, 2) if total else None


def _at(counts: Counter[int], part: float) -> int | None:
    """Return the number that this part of all are at most."""
    seen = 0
    for number, count in sorted(counts.items()):
        seen += count
        if seen >= part * counts.total():
            return number
    return None
