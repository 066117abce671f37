"""Where the values of arguments come from."""

from collections import Counter

from generator.report.metrics.base import Chart, Examples, Figure, Measured, Metric
from generator.report.rows import SeenRow
from generator.report.sketches import share

_NAMES = {
    "as_is": "said as it is",
    "reworded": "said in other words",
    "earlier_turn": "from an earlier turn",
    "result": "from a result",
    "context": "from the system message",
    "default": "a default",
    "offered": "proposed by the assistant",
    "not_found": "not found",
}


class SourceMeter:
    """Counts argument values by origin."""

    def __init__(self) -> None:
        self._origins: Counter[str] = Counter()
        self._rows = self._proven = self._lacking = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Count the values of one row."""
        found = Counter(value.origin for call in row.calls for value in call.values)
        self._origins.update(found)
        if found:
            self._rows += 1
            self._proven += row.proof is not None
            self._lacking += found["not_found"] > 0
        if found["not_found"]:
            self._examples.note("values that were not found", row.number)

    def result(self) -> Measured:
        """Return shares of all values that have an origin or should have one."""
        values = self._origins.total() - self._origins["not_sought"]
        figures: dict[str, float | int | None] = {name: share(self._origins[name], values) for name in _NAMES}
        figures["rows_lacking"] = share(self._lacking, self._rows)
        figures["proven"] = share(self._proven, self._rows)
        counts = tuple((label, self._origins[name]) for name, label in _NAMES.items() if self._origins[name])
        return Measured(figures, (Chart("Values by origin", counts, "shares"),), self._examples.rows)


METRIC = Metric(
    name="sources",
    title="Where values come from",
    about=(
        "Every string, number and boolean in the arguments of a call. Where proofs.jsonl stands beside the file, origins are"
        " those of the proofs. Elsewhere they are searched: the user's messages, latest first, then results, then the system"
        " message, then other words of the user (number words, dates and times as people say them, all words of a text); a"
        " search cannot find what was inferred, and true, false, null and empty values are left out of it. Read `not_found`"
        " without proofs as an upper bound."
    ),
    figures=(
        Figure("as_is", "%", "Values that the user says as they are, but for the case of letters."),
        Figure("reworded", "%", "Values that the user says in other words: `two` for 2, `June 3` for 2026-06-03."),
        Figure("earlier_turn", "%", "Values from an earlier turn."),
        Figure("result", "%", "Values from the result of an earlier call."),
        Figure("context", "%", "Values from the system message."),
        Figure("default", "%", "Values that the schema gives: its default, or the only one possible."),
        Figure("offered", "%", "Values that the assistant proposed and the user agreed to."),
        Figure("not_found", "%", "Values of which no origin is known."),
        Figure("rows_lacking", "%", "Rows with calls in which some value was not found."),
        Figure("proven", "%", "Rows with calls whose origins are taken from proofs."),
    ),
    make=SourceMeter,
)
