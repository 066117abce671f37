"""Where the values of arguments come from."""

from collections import Counter

from generator.report.metrics.base import Chart, Examples, Measured, most_first
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


_TYPES = {str: "text", int: "number", float: "number", bool: "boolean"}


class SourceMeter:
    """Counts argument values by origin, and those that users say by type."""

    def __init__(self) -> None:
        self._said: Counter[tuple[str, str]] = Counter()
        """(type, origin) of values that users say."""
        self._ways: Counter[str] = Counter()
        """Values in other words, by verbalizer."""
        self._origins: Counter[str] = Counter()
        self._rows = self._proven = self._lacking = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Count the values of one row."""
        found = Counter(value.origin for call in row.calls for value in call.values)
        self._origins.update(found)
        self._ways.update(
            value.way.replace("_", " ")
            for call in row.calls
            for value in call.values
            if value.origin == "reworded" and value.way
        )
        self._said.update(
            (_TYPES[type(value.value)], value.origin)
            for call in row.calls
            for value in call.values
            if value.origin in ("as_is", "reworded") and type(value.value) in _TYPES
        )
        if found:
            self._rows += 1
            self._proven += row.proof is not None
            self._lacking += found["not_found"] > 0
        if found["not_found"]:
            self._examples.note("values that were not found", row.number)

    def result(self) -> Measured:
        """Return shares of all values that have an origin or should have one."""
        values = self._origins.total() - self._origins["not_sought"]
        figures: dict[str, float | int | None] = {}
        for name in _NAMES:
            figures[name] = share(self._origins[name], values)
            if name == "reworded":
                figures |= self._by_type()
        figures["rows_lacking"] = share(self._lacking, self._rows)
        figures["proven"] = share(self._proven, self._rows)
        counts = tuple((label, self._origins[name]) for name, label in _NAMES.items() if self._origins[name])
        charts = [Chart("Values by origin", counts)]
        charts += [Chart("Values in other words, by how they are said", most_first(self._ways))] if self._ways else []
        return Measured(figures, tuple(charts), self._examples.rows)

    def _by_type(self) -> dict[str, float | int | None]:
        """Return the shares of values in other words, of those of one type that users say."""
        reworded = {kind: self._said[kind, "reworded"] for kind in dict.fromkeys(_TYPES.values())}
        return {f"reworded_{kind}": share(of, of + self._said[kind, "as_is"]) for kind, of in reworded.items()}
