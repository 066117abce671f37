"""Arguments: how much of what the schemas allow is used, and how varied the values are."""

import math
from statistics import median

from generator.report.metrics.base import Chart, Measured
from generator.report.rows import SeenRow
from generator.report.schemas import DeclaredValue, ToolShape, slot_of, written
from generator.report.sketches import DistinctValues, FrequentValues, share

MOST_ARGUMENTS = 4000
"""Arguments that are followed; the others of a file with very many tools are left out."""
_WORTH_TELLING = 10
"""Uses of an argument from which on its most frequent value says something."""
_ENOUGH_ROWS = 20
"""Rows that give an argument from which on repeated values say how many there are to choose from."""


class _Argument:
    """What has been seen of one argument of one tool."""

    __slots__ = ("absent", "chosen", "declared", "distinct", "frequent", "present")

    def __init__(self, declared: DeclaredValue) -> None:
        self.declared = declared
        self.present = self.absent = 0
        self.chosen = 0
        """The number of values; those that a row gives several times count once."""
        self.distinct = DistinctValues()
        self.frequent = FrequentValues(256, 60)


class ArgumentMeter:
    """Follows every argument of every called tool."""

    def __init__(self) -> None:
        self._arguments: dict[tuple[str, str], _Argument] = {}

    def add(self, row: SeenRow) -> None:
        """Note the arguments of one row's calls."""
        chosen: set[tuple[str, str, str]] = set()
        for call in row.calls:
            if call.tool is None:
                continue
            there = {"": 1}
            for value in call.values:
                slot = slot_of(value.pointer)
                _note_parents(slot, there)
                argument = self._argument(call.tool, slot)
                if argument is not None and argument.declared.leaf:
                    text = written(value.value)
                    argument.distinct.add(text)
                    argument.frequent.add(text)
                    choice = (call.tool.name, slot, text)
                    argument.chosen += choice not in chosen
                    chosen.add(choice)
            for place in call.tool.places:
                if place.parent in there and not place.slot.endswith("/*"):
                    argument = self._argument(call.tool, place.slot)
                    if argument is not None:
                        argument.present += place.slot in there
                        argument.absent += place.slot not in there

    def result(self) -> Measured:
        """Return shares and medians over all arguments."""
        called = list(self._arguments.items())
        used = [(name, argument) for name, argument in called if argument.frequent.total]
        texts = [argument for _, argument in used if argument.declared.free_text]
        known = [argument for argument in texts if argument.chosen >= _ENOUGH_ROWS] or texts
        optional = [argument for _, argument in called if not argument.declared.required]
        enums = [argument for _, argument in called if argument.declared.enum]
        seen = sum(_enum_values_seen(argument) for argument in enums)
        often = [(name, argument) for name, argument in used if argument.frequent.total >= _WORTH_TELLING]
        free = [(name, argument) for name, argument in often if argument.declared.free_text]
        return Measured(
            {
                "enum_values": share(seen, sum(len(argument.declared.enum) for argument in enums)),
                "optional_both": share(sum(bool(a.present and a.absent) for a in optional), len(optional)),
                "optional_used": share(sum(a.present for a in optional), sum(a.present + a.absent for a in optional)),
                "distinct_texts": median([a.distinct.count for a in known]) if known else None,
                "choices": median_of([choices(a.chosen, a.distinct.count) for a in known if a.chosen >= _ENOUGH_ROWS]),
                "distinct_share": median_of([100 * a.distinct.count / a.frequent.total for a in known]),
                "most_frequent": median_of([a.frequent.share_of_first or 0.0 for _, a in free]),
            },
            (
                Chart(
                    "Free texts with the fewest different values (of those used most)",
                    tuple(
                        (_named(name), a.distinct.count) for name, a in sorted(_much_used(free), key=_by_distinct)[:12]
                    ),
                ),
                Chart(
                    "Most frequent value of a free text, in per cent of its uses",
                    tuple(
                        (f"{_named(name)} = {a.frequent.top(1)[0][0]}", round(a.frequent.share_of_first or 0.0, 1))
                        for name, a in sorted(free, key=_by_first)[:12]
                    ),
                ),
            ),
        )

    def _argument(self, tool: ToolShape, slot: str) -> _Argument | None:
        declared = tool.by_slot.get(slot)
        if declared is None:
            return None
        found = self._arguments.get((tool.name, slot))
        if found is None and len(self._arguments) < MOST_ARGUMENTS:
            found = self._arguments[tool.name, slot] = _Argument(declared)
        return found


def _note_parents(slot: str, there: dict[str, int]) -> None:
    """Note a slot and all objects and lists that it is in."""
    while slot and slot not in there:
        there[slot] = 1
        slot = slot.rpartition("/")[0]


def choices(drawn: int, distinct: int) -> float:
    """Return of how many equally likely values so many draws show so many different ones.

    Where none came twice it is as if half of one had.
    """
    seen = min(float(distinct), drawn - 0.5)
    low, high = seen, float(drawn * drawn)
    while high - low > 0.01:
        middle = (low + high) / 2
        expected = -middle * math.expm1(drawn * math.log1p(-1 / middle)) if middle > 1 else 1.0
        low, high = (middle, high) if expected < seen else (low, middle)
    return high


def _enum_values_seen(argument: _Argument) -> int:
    seen = {text for text, _ in argument.frequent.top(256)}
    return sum(value in seen for value in argument.declared.enum)


def _much_used(free: list[tuple[tuple[str, str], _Argument]]) -> list[tuple[tuple[str, str], _Argument]]:
    """Return the half that is used most, because rarely used arguments cannot have many values."""
    return sorted(free, key=lambda pair: (-pair[1].frequent.total, pair[0]))[: (len(free) + 1) // 2]


def _by_distinct(pair: tuple[tuple[str, str], _Argument]) -> tuple[float, tuple[str, str]]:
    return pair[1].distinct.count / pair[1].frequent.total, pair[0]


def _by_first(pair: tuple[tuple[str, str], _Argument]) -> tuple[float, tuple[str, str]]:
    return -(pair[1].frequent.share_of_first or 0.0), pair[0]


def _named(name: tuple[str, str]) -> str:
    return f"{name[0]}{name[1].replace('/', '.')}"


def median_of(numbers: list[float]) -> float | None:
    """Return the median; None of no numbers."""
    return median(numbers) if numbers else None
