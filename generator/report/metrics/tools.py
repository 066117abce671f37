"""Tools: which are called, how many are offered, and where the called ones stand among them."""

from collections import Counter
from collections.abc import Iterator, Sequence

from generator.core.conversation import ToolMessage
from generator.report.metrics.base import Chart, Measured, numbered
from generator.report.rows import SeenCall, SeenRow
from generator.report.sketches import DistinctValues, FrequentValues, share

_PLACES = 8
_MOST_DESCRIBED = 20_000
"""Descriptions of tools that are remembered."""
_TELLING = 3
"""Letters that a text has at least for it to be no accident that two tools use it."""


class ToolMeter:
    """Counts tools and their places."""

    def __init__(self) -> None:
        self._called = FrequentValues(2048)
        self._distinct_called = DistinctValues()
        self._distinct_offered = DistinctValues()
        self._offered: Counter[int] = Counter()
        self._places: Counter[int] = Counter()
        self._expected = [0.0] * _PLACES
        self._position = 0.0
        self._several = self._sharing = 0
        self._turns = self._sharing_turns = 0
        self._described: dict[str, str] = {}

    def add(self, row: SeenRow) -> None:
        """Count the tools of one row."""
        calls = list(row.calls)
        known = dict(zip((tool.name for tool in row.tools), self._known_as(row), strict=True))
        for name in known.values():
            self._distinct_offered.add(name)
        for call in calls:
            name = known.get(call.call.name, call.name)
            self._called.add(name)
            self._distinct_called.add(name)
        self._offered[len(row.tools)] += 1
        names = {call.call.name for call in calls}
        if len(row.tools) > len(names) > 0:
            self._note_places([place for place, tool in enumerate(row.tools) if tool.name in names], len(row.tools))
        if len(names) > 1:
            self._several += 1
            self._sharing += _are_related(row, calls, names)
        for turn in row.turns:
            own = {call.call.name for call in turn.calls}
            if len(own) > 1:
                self._turns += 1
                self._sharing_turns += _are_related(row, turn.calls, own)

    def result(self) -> Measured:
        """Return counts and the commonest tools."""
        rows = self._offered.total()
        offered = sum(number * count for number, count in self._offered.items())
        placed = self._places.total()
        return Measured(
            {
                "called": self._distinct_called.count,
                "offered": self._distinct_offered.count,
                "offered_mean": round(offered / rows, 2) if rows else None,
                "most_called": self._called.share_of_first,
                "position": 100 * self._position / placed if placed else None,
                "related": share(self._sharing, self._several),
                "related_turns": share(self._sharing_turns, self._turns),
            },
            (
                Chart("Most called tools", tuple(self._called.top(15))),
                Chart("Tools offered", numbered(self._offered, 16)),
                Chart(
                    "How often a tool in this place is called (100: as often as any other)",
                    tuple(
                        (str(place + 1), round(100 * self._places[place] / expected))
                        for place, expected in enumerate(self._expected)
                        if expected >= 1
                    ),
                ),
            ),
        )

    def _known_as(self, row: SeenRow) -> Iterator[str]:
        """Yield what each offered tool is told apart by: its usual name, or that of the first with its description."""
        for name, tool in zip(row.offered, row.conversation.tools, strict=True):
            text = " ".join((tool.description or "").split())
            if not text or (text not in self._described and len(self._described) >= _MOST_DESCRIBED):
                yield name
            else:
                yield self._described.setdefault(text, name)

    def _note_places(self, called: list[int], offered: int) -> None:
        for place in called:
            self._position += place / (offered - 1)
            self._places[min(place, _PLACES)] += 1
        for place in range(min(offered, _PLACES)):
            self._expected[place] += len(called) / offered


def _are_related(row: SeenRow, calls: Sequence[SeenCall], names: set[str]) -> bool:
    """Whether all tools hang together: they use the same text, or one uses what another returned or depends on it."""
    group = {name: name for name in names}
    for one, other in _sharing(row, calls):
        if one in group and other in group:
            old, new = group[one], group[other]
            group = {name: new if own == old else own for name, own in group.items()}
    return len(set(group.values())) == 1


def _sharing(row: SeenRow, calls: Sequence[SeenCall]) -> Iterator[tuple[str, str]]:
    """Yield pairs of tools that use the same text, or of which one uses what the other returned."""
    users: dict[str, str] = {}
    by_id = {call.call.id: call.call.name for call in calls}
    for call in calls:
        for value in call.values:
            source = row.conversation.messages[value.message] if value.message is not None else None
            if isinstance(source, ToolMessage):
                yield call.call.name, by_id.get(source.tool_call_id, call.call.name)
            elif isinstance(value.value, str) and len(value.value) >= _TELLING:
                yield call.call.name, users.setdefault(value.value.casefold(), call.call.name)
