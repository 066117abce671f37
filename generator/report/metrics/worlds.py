"""Worlds: whether the results of a conversation agree, how large they are, and how often one name comes up."""

from collections import Counter
from itertools import islice

from generator.invariants import SeenCall as AnsweredCall
from generator.invariants import contradictions, shipped_invariants
from generator.pointers import leaves
from generator.report.metrics.base import Chart, Examples, Measured
from generator.report.rows import SeenCall, SeenRow
from generator.report.schemas import slot_of, written
from generator.report.sketches import FrequentValues, share

_NAMES = frozenset(
    {"name", "title", "subject", "body", "text", "merchant", "store", "venue", "artist", "album", "restaurant"}
)
"""Properties of results that hold what something is called, or what somebody has written."""
_MOST_LEAVES = 2000
_MOST_NAMES = 20_000
_LONG = 1500
"""Characters of a long result."""
_STEP = 10
"""Characters that are counted as one length."""


class WorldMeter:
    """Follows the results of each conversation, and their sizes and names over all of them."""

    def __init__(self) -> None:
        self._rows = self._with_results = self._contradicting = 0
        self._sizes: Counter[int] = Counter()
        self._long = self._leaves = self._nulls = 0
        self._names = FrequentValues(_MOST_NAMES)
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Note the results of one row."""
        self._rows += 1
        names: set[str] = set()
        answered = [call for call in row.calls if call.result is not None and not call.failed]
        for call in answered:
            size = len(written(call.result))
            self._sizes[size // _STEP] += 1
            self._long += size > _LONG
            for pointer, value in islice(leaves(call.result), _MOST_LEAVES):
                self._leaves += 1
                self._nulls += value is None
                name = slot_of(pointer).rpartition("/")[2]
                if name in _NAMES and isinstance(value, str) and value:
                    names.add(f"{name} = {value}")
        for told in names:
            self._names.add(told)
        if answered and contradictions(shipped_invariants(), map(_as_seen, answered)):
            self._contradicting += 1
            self._examples.note("results that contradict each other", row.number)

    def result(self) -> Measured:
        """Return shares, medians and the commonest names."""
        first = self._names.top(12)
        chart = Chart(
            "Names in most rows, in per cent", tuple([(name, round(100 * n / self._rows, 2)) for name, n in first])
        )
        results = sum(self._sizes.values())
        return Measured(
            {
                "contradictions": None if not self._rows else 1000 * self._contradicting / self._rows,
                "characters": self._quantile(0.5),
                "characters_90": self._quantile(0.9),
                "long": share(self._long, results),
                "nulls": share(self._nulls, self._leaves),
                "most_frequent_name": share(first[0][1], self._rows) if first else None,
            },
            (chart,) if first else (),
            self._examples.rows,
        )

    def _quantile(self, part: float) -> int | None:
        """Return the length below which a part of the results is, to the nearest ten characters."""
        left = part * sum(self._sizes.values())
        for size, count in sorted(self._sizes.items()):
            left -= count
            if left <= 0:
                return size * _STEP
        return None


def _as_seen(call: SeenCall) -> AnsweredCall:
    return AnsweredCall(call.name, call.call.arguments, call.result, call.message)
