"""Arguments that belong together: check-in before check-out, origin other than destination."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from generator.arguments.leaves import Maker
from generator.pointers import put, resolve
from generator.seeds import Draw
from generator.toolbox import Relation

Relate = Callable[[Draw, dict[str, Any]], None]

_ABSENT = object()
_GAP_DAYS = (1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 7, 7, 10, 14)
_GAP_MINUTES = (30, 30, 30, 45, 60, 60, 60, 60, 90, 90, 120, 120, 180)
_DAY = 24 * 60
_TRIES = 12


def compile_relation(relation: Relation, makers: dict[str, Maker]) -> Relate:
    """A function that changes arguments in place so that the relation holds, when both sides are there."""
    left, right = relation.left, relation.right
    again = makers.get(right)

    def differ(draw: Draw, arguments: dict[str, Any]) -> None:
        first, second = _get(arguments, left), _get(arguments, right)
        if first is _ABSENT or second is _ABSENT or again is None:
            return
        for _ in range(_TRIES):
            if second != first:
                break
            second = again(draw)
            put(arguments, right, second)

    def order(draw: Draw, arguments: dict[str, Any]) -> None:
        first, second = _get(arguments, left), _get(arguments, right)
        if first is _ABSENT or second is _ABSENT:
            return
        if _are_numbers(first, second):
            if second < first:
                put(arguments, left, second)
                put(arguments, right, first)
            elif second == first:
                put(arguments, right, first + max(1, int(abs(first) * 0.25)))
        elif isinstance(first, str) and isinstance(second, str):
            first, second = _follow(draw, first, second)
            put(arguments, left, first)
            put(arguments, right, second)

    return differ if relation.operator == "!=" else order


def _follow(draw: Draw, first: str, second: str) -> tuple[str, str]:
    """The two moments with the second a usual time after the first; text that is not a moment is only sorted."""
    try:
        day = date.fromisoformat(first[:10]) if len(first) >= 10 else None
        clock = first if day is None else first[11:]
        minutes = int(clock[:2]) * 60 + int(clock[3:5]) if clock[2:3] == ":" else None
    except ValueError:
        day = minutes = None
    if day is not None and minutes is None:
        return first, _later_day(day, draw.choice(_GAP_DAYS)) + first[10:]
    if minutes is None:
        return (first, second) if first < second else (second, first)
    gap = draw.choice(_GAP_MINUTES)
    if day is None:
        return _clock_pair(first, minutes, gap)
    end = minutes + gap
    later = _later_day(day, end // _DAY)
    return first, f"{later}{first[10]}{_clock(end % _DAY)}{first[16:]}"


def _clock_pair(first: str, minutes: int, gap: int) -> tuple[str, str]:
    """Both clock times on the same day."""
    minutes = min(minutes, _DAY - 1 - gap)
    return _clock(minutes) + first[5:], _clock(minutes + gap) + first[5:]


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _later_day(day: date, days: int) -> str:
    return (day + timedelta(days)).isoformat()


def _get(arguments: dict[str, Any], slot: str) -> Any:
    try:
        return resolve(arguments, slot)
    except (LookupError, ValueError):
        return _ABSENT


def _are_numbers(*values: Any) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
