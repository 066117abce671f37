"""Results: how varied they are, and whether those of one conversation agree."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from generator.pointers import leaves
from generator.report.mentions import is_look_up
from generator.report.metrics.arguments import choices, median_of
from generator.report.metrics.base import Chart, Examples, Measured, numbered
from generator.report.rows import SeenCall, SeenRow
from generator.report.schemas import slot_of, written
from generator.report.sketches import DistinctValues, FrequentValues, share

_MOST_PLACES = 4000
"""Texts in results, by tool and place, that are followed."""
_MOST_LEAVES = 300
_DEEPEST = 6
_ENOUGH = 20
"""Texts from which on repeated ones say how many there are to choose from."""


class _Place:
    """What has been seen in one place of one tool's results."""

    __slots__ = ("distinct", "frequent", "total")

    def __init__(self) -> None:
        self.total = 0
        self.distinct = DistinctValues()
        self.frequent = FrequentValues(128, 60)


class ResultMeter:
    """Follows the results of every tool, and what those of one conversation say of one thing."""

    def __init__(self) -> None:
        self._results = self._empty = 0
        self._distinct = DistinctValues()
        self._shapes = FrequentValues(4096)
        self._lengths: dict[int, int] = {}
        self._places: dict[tuple[str, str], _Place] = {}
        self._compared = self._contradicting = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Note the results of one row."""
        seen: set[tuple[str, str, str]] = set()
        for call in row.calls:
            if call.failed or call.result is None:
                continue
            self._results += 1
            self._empty += not any(True for _ in _filled(call.result))
            self._distinct.add(f"{call.name} {written(_without_identifiers(call.result))}")
            self._note(call, seen)
        compared = False
        for same in _said_twice(row):
            compared = True
            if not same:
                self._contradicting += 1
                self._examples.note("results that contradict each other", row.number)
                break
        self._compared += compared

    def _note(self, call: SeenCall, seen: set[tuple[str, str, str]]) -> None:
        """Note the shape of a result, and each text in it once for a row: one thing is often returned again."""
        slots = []
        for pointer, value in islice(leaves(call.result), _MOST_LEAVES):
            slot = slot_of(pointer)
            slots.append(slot)
            if (
                not isinstance(value, str)
                or _is_identifier(slot.rpartition("/")[2])
                or (call.name, slot, value) in seen
            ):
                continue
            seen.add((call.name, slot, value))
            place = self._places.get((call.name, slot))
            if place is None and len(self._places) < _MOST_PLACES:
                place = self._places[call.name, slot] = _Place()
            if place is not None:
                place.total += 1
                place.distinct.add(value)
                place.frequent.add(value)
        self._shapes.add(f"{call.name} {' '.join(sorted(set(slots)))}")
        for elements in _lists(call.result):
            self._lengths[elements] = self._lengths.get(elements, 0) + 1

    def result(self) -> Measured:
        """Return shares and medians over all places."""
        often = [(name, place) for name, place in self._places.items() if place.total >= _ENOUGH]
        narrow = sorted(often, key=lambda pair: (-(pair[1].frequent.share_of_first or 0), pair[0]))
        lists = sum(self._lengths.values())
        elements = sum(number * count for number, count in self._lengths.items())
        charts = []
        if lists:
            charts.append(Chart("Elements of a list in a result", numbered(self._lengths), "columns", "elements"))
        if narrow:
            title = "Most frequent text in a place of results, in per cent of all there"
            charts.append(Chart(title, tuple(_told(name, place) for name, place in narrow[:12])))
        return Measured(
            {
                "distinct": share(min(self._distinct.count, self._results), self._results),
                "choices": median_of([choices(place.total, place.distinct.count) for _, place in often]),
                "most_frequent": median_of([place.frequent.share_of_first or 0.0 for _, place in often]),
                "elements": round(elements / lists, 2) if lists else None,
                "empty": share(self._empty, self._results),
                "contradicting": share(self._contradicting, self._compared),
                "compared": self._compared,
            },
            tuple(charts),
            self._examples.rows,
        )


def _told(name: tuple[str, str], place: _Place) -> tuple[str, float]:
    return f"{name[0]}{name[1].replace('/', '.')} = {place.frequent.top(1)[0][0]}", round(
        place.frequent.share_of_first or 0.0, 1
    )


def _filled(result: Any) -> Iterator[Any]:
    """Yield the values of a result that hold something."""
    for _, value in leaves(result):
        if value not in (None, "", [], {}):
            yield value


def _without_identifiers(result: Any, depth: int = 0) -> Any:
    """Return a result without what makes any two of them differ."""
    if isinstance(result, dict) and depth < _DEEPEST:
        kept = {key: value for key, value in result.items() if not _is_identifier(key)}
        return {key: _without_identifiers(value, depth + 1) for key, value in kept.items()}
    if isinstance(result, list) and depth < _DEEPEST:
        return [_without_identifiers(element, depth + 1) for element in result]
    return result


def _is_identifier(name: str) -> bool:
    return name == "id" or name.endswith(("_id", "Id"))


def _lists(result: Any) -> Iterator[int]:
    """Yield the length of each list of objects in a result, of an empty list too, but for those within others."""
    if isinstance(result, list):
        if all(isinstance(element, dict) for element in result):
            yield len(result)
    elif isinstance(result, dict):
        for value in result.values():
            yield from _lists(value)


def _said_twice(row: SeenRow) -> Iterator[bool]:
    """Yield for each value that two results give of one thing whether it is the same.

    A thing is known by its first property `id` or `…_id`. A call that is not a look-up may change things: what was
    returned before it is forgotten, and so are values that are told of other arguments of one name (a price for two
    people is another one for three).
    """
    known: dict[tuple[str, str], dict[str, tuple[str, dict[str, str]]]] = {}
    for call in row.calls:
        if call.failed or call.result is None:
            continue
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
        for element in result[:_MOST_LEAVES]:
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


def _tells_apart(identifier: Any) -> bool:
    """Whether an identifier is no small number, which things of several kinds may have."""
    if isinstance(identifier, str):
        return len(identifier) >= 4
    return isinstance(identifier, int) and not isinstance(identifier, bool) and identifier >= 1000
