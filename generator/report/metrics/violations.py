"""Violations of the rules that `validate` checks."""

from collections import Counter

from generator.report.metrics.base import Chart, Examples, Measured, most_first
from generator.report.rows import SeenRow
from generator.report.sketches import share


class ViolationMeter:
    """Counts violations by rule."""

    def __init__(self) -> None:
        self._rules: Counter[str] = Counter()
        self._rows = self._faulty = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Count those of one row."""
        self._rows += 1
        self._faulty += bool(row.violations)
        for violation in row.violations:
            self._rules[violation.rule] += 1
            self._examples.note(violation.rule, row.number)

    def result(self) -> Measured:
        """Return shares and counts."""
        return Measured(
            {"rows": share(self._faulty, self._rows), "violations": self._rules.total()},
            (Chart("Violations by rule", most_first(self._rules)),) if self._rules else (),
            self._examples.rows,
        )
