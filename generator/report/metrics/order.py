"""The order of calls against the order in which the user mentions them."""

from itertools import groupby

from generator.report.metrics.base import Examples, Measured
from generator.report.rows import SeenCall, SeenRow
from generator.report.schemas import written
from generator.report.sketches import share


class OrderMeter:
    """Compares calls made at once with the places of their values in the request."""

    def __init__(self) -> None:
        self._free = self._unlike = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Compare the calls of one row."""
        free = unlike = False
        for turn in row.turns:
            for _, step in groupby(turn.calls, key=lambda call: call.message):
                places = _places(list(step), turn.message)
                if places is None:
                    continue
                free = True
                unlike = unlike or places != sorted(places)
        self._free += free
        self._unlike += unlike
        if unlike:
            self._examples.note("calls in another order than they are mentioned in", row.number)

    def result(self) -> Measured:
        """Return shares of the rows in which the order is free."""
        return Measured(
            {"unlike_mention": share(self._unlike, self._free), "free": self._free}, examples=self._examples.rows
        )


def _places(calls: list[SeenCall], message: int | None) -> list[int] | None:
    """Return where the user first says a value that is of one call only, for each call; None when that does not tell an order."""
    if len(calls) < 2:
        return None
    users: dict[str, set[int]] = {}
    for number, call in enumerate(calls):
        for value in call.values:
            users.setdefault(written(value.value), set()).add(number)
    places = []
    for call in calls:
        own = [
            value.span[0]
            for value in call.values
            if value.span is not None and value.message == message and len(users[written(value.value)]) == 1
        ]
        if not own:
            return None
        places.append(min(own))
    return places if len(set(places)) == len(places) else None
