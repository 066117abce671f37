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

    def relate(draw: Draw, arguments: dict[str, Any]) -> None:
        first, second = _get(arguments, left), _get(arguments, right)
        if first is _ABSENT or second is _ABSENT:
            return
        if relation.operator != "!=":
            first, second = _order(draw, first, second)
            put(arguments, left, first)
        elif again is not None:
            second = _other(draw, again, first, second)
        put(arguments, right, second)

    return relate


def _other(draw: Draw, again: Maker, first: Any, second: Any) -> Any:
    for _ in range(_TRIES):
        if second != first:
            break
        second = again(draw)
    return second


def _order(draw: Draw, first: Any, second: Any) -> tuple[Any, Any]:
    """The two values, made or put so that the first is less."""
    if isinstance(first, str) and isinstance(second, str):
        return _follow(draw, first, second)
    if not _are_numbers(first, second):
        return first, second
    if second == first:
        return first, first + max(1, int(abs(first) * 0.25))
    return (first, second) if first < second else (second, first)


def _follow(draw: Draw, first: str, second: str) -> tuple[str, str]:
    """The two moments with the second a usual time after the first; text that is not a moment is only sorted."""
    try:
        if first[2:3] == ":":
            return _clock_pair(first, _minutes(first), draw.choice(_GAP_MINUTES))
        day = date.fromisoformat(first[:10])
        if len(first) == 10:
            return first, _later_day(day, draw.choice(_GAP_DAYS))
        end = _minutes(first[11:]) + draw.choice(_GAP_MINUTES)
        return first, f"{_later_day(day, end // _DAY)}{first[10]}{_clock(end % _DAY)}{first[16:]}"
    except (ValueError, OverflowError):
        return (first, second) if first < second else (second, first)


def _minutes(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])


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
