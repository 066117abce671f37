"""Answers that say more than the row shows: a unit, a currency, a point of reference."""

from collections import Counter

from generator.report.metrics.base import Chart, Examples, Measured, most_first
from generator.report.rows import SeenRow
from generator.report.sketches import share
from generator.tools.specs.shown import unshown


class UnshownMeter:
    """Counts rows whose answers claim what nothing in them shows."""

    def __init__(self) -> None:
        self._answered = self._more = 0
        self._said: Counter[str] = Counter()
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Look at the answers of one row."""
        self._answered += any(turn.answer and turn.calls for turn in row.turns)
        said = {f"{claim.said} ({claim.kind})" for claim in unshown(row.conversation)}
        self._more += bool(said)
        self._said.update(said)
        for one in sorted(said):
            self._examples.note(f"nothing shows {one}", row.number)

    def result(self) -> Measured:
        """Return the share of the rows with answers to results."""
        charts = (Chart("Said but not shown", most_first(self._said)),) if self._said else ()
        return Measured({"rows": share(self._more, self._answered)}, charts, self._examples.rows)
