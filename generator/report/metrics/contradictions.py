"""Contradictions: whether the results of a conversation agree with each other."""

from collections.abc import Iterator
from typing import Any

from generator.report.mentions import is_look_up
from generator.report.metrics.base import Examples, Measured
from generator.report.rows import SeenCall, SeenRow
from generator.report.schemas import written
from generator.report.sketches import share
from generator.tools.invariants import SeenCall as AnsweredCall
from generator.tools.invariants import contradictions, shipped_invariants

_MOST_ELEMENTS = 300
_DEEPEST = 6


class ContradictionMeter:
    """Holds the results of each conversation against the shipped invariants, and against each other."""

    def __init__(self) -> None:
        self._rows = self._broken = self._compared = self._disagreeing = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Look at the results of one row."""
        answered = [call for call in row.calls if call.result is not None and not call.failed]
        said_twice = list(_said_twice(answered))
        is_broken = bool(answered and contradictions(shipped_invariants(), map(_as_seen, answered)))
        self._rows += 1
        self._broken += is_broken
        self._compared += bool(said_twice)
        self._disagreeing += not all(said_twice)
        if is_broken:
            self._examples.note("results that break an invariant", row.number)
        if not all(said_twice):
            self._examples.note("results that disagree", row.number)

    def result(self) -> Measured:
        """Return shares of the conversations."""
        return Measured(
            {
                "rows": share(self._broken, self._rows),
                "disagreeing": share(self._disagreeing, self._compared),
                "compared": self._compared,
            },
            examples=self._examples.rows,
        )


def _as_seen(call: SeenCall) -> AnsweredCall:
    return AnsweredCall(call.name, call.call.arguments, call.result, call.message)


def _said_twice(calls: list[SeenCall]) -> Iterator[bool]:
    """Yield for each value that two results give of one thing whether it is the same.

    A thing is known by its first property `id` or `…_id`. A call that is not a look-up may change things: what was
    returned before it is forgotten, and so are values that are told of other arguments of one name (a price for two
    people is another one for three).
    """
    known: dict[tuple[str, str], dict[str, tuple[str, dict[str, str]]]] = {}
    for call in calls:
        if not is_look_up(call.name):
            known.clear()
        asked = {value.pointer: written(value.value) for value in call.values}
        for thing, values in _things(call.result):
            before = known.setdefault(thing, {})
            for key, value in values.items():
                told = before.get(key)
                if told is not None and not _asked_otherwise(told[1], asked):
                    yield told[0] == value
                before[key] = value, asked


def _asked_otherwise(one: dict[str, str], other: dict[str, str]) -> bool:
    return any(other.get(name, value) != value for name, value in one.items())


def _things(result: Any, depth: int = 0) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Yield the objects of a result that have an identifier, each with its simple values."""
    if depth > _DEEPEST:
        return
    if isinstance(result, list):
        for element in result[:_MOST_ELEMENTS]:
            yield from _things(element, depth + 1)
    elif isinstance(result, dict):
        name = next(filter(_is_identifier, result), None)
        if name is not None and _tells_apart(result[name]):
            simple = {
                key: written(value)
                for key, value in result.items()
                if key != name and isinstance(value, str | int | float | bool)
            }
            yield (name, written(result[name])), simple
        for value in result.values():
            yield from _things(value, depth + 1)


def _is_identifier(name: str) -> bool:
    return name == "id" or name.endswith(("_id", "Id"))


def _tells_apart(identifier: Any) -> bool:
    """Whether an identifier is no small number, which things of several kinds may have."""
    if isinstance(identifier, str):
        return len(identifier) >= 4
    return isinstance(identifier, int) and not isinstance(identifier, bool) and identifier >= 1000
