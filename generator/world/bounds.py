"""Values within the bounds that the arguments of a call give: numbers, days, moments and clock times."""

import math
from datetime import date
from typing import Any

import msgspec

from generator.core.seeds import Draw
from generator.world.functions import minutes_of
from generator.world.making import MOST


class Own(msgspec.Struct, frozen=True):
    """The schema's own bounds of a number; the bounds of a call take precedence where they lie outside."""

    low: float | None
    high: float | None
    step: float | None
    whole: bool


def own_bounds(schema: dict[str, Any]) -> Own:
    """Return the schema's own bounds; a bound that is excluded is moved by the least step."""
    step, whole = schema.get("multipleOf"), schema.get("type") == "integer"
    least = step or (1 if whole else 0.01)
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    return Own(
        low if above is None else above + least if low is None else max(low, above + least),
        high if below is None else below - least if high is None else min(high, below - least),
        step,
        whole,
    )


def within(value: Any, low: Any, high: Any, own: Own, draw: Draw) -> Any:
    """Return `value` if it is within the bounds, else another value within them; bounds of another type are ignored."""
    try:
        if _holds(value, low, high):
            return value
        if isinstance(value, str):
            return _text_within(value, low, high, draw)
        found = _number_within(value, low, high, own, draw)
    except (TypeError, ValueError, ArithmeticError):
        return value
    return found if -MOST <= found <= MOST else value


def _holds(value: Any, low: Any, high: Any) -> bool:
    if isinstance(value, str):  # a day holds all its moments
        return (low is None or value[: len(low)] >= low[: len(value)]) and (
            high is None or value[: len(high)] <= high[: len(value)]
        )
    return bool((low is None or value >= low) and (high is None or value <= high))


def _number_within(value: float, low: float | None, high: float | None, own: Own, draw: Draw) -> float:
    """Return a number within the bounds: whole if `value` is, else with two decimals or in the schema's steps."""
    bottom, top = _range(low, high, own)
    for unit in (own.step,) if own.step else (1,) if own.whole else (1, 0.01) if isinstance(value, int) else (0.01,):
        first, last = math.ceil(bottom / unit - 1e-7), math.floor(top / unit + 1e-7)
        if first <= last:
            found = draw.between(first, last) * unit
            return int(found) if found == int(found) and isinstance(value, int) else round(found, 10)
    return value if own.step or own.whole else bottom


def _range(low: float | None, high: float | None, own: Own) -> tuple[float, float]:
    bottom = low if own.low is None else own.low if low is None else max(low, own.low)
    top = high if own.high is None else own.high if high is None else min(high, own.high)
    if bottom is not None and top is not None and bottom > top:
        bottom, top = low, high
    if bottom is None:
        bottom = top - abs(top) * 0.4 if top is not None else 0
    return bottom, bottom + abs(bottom) * 0.4 if top is None else top


def _text_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    if len(value) >= 10 and value[4] == value[7] == "-":
        return _day_within(value, low, high, draw)
    if len(value) >= 5 and value[2] == ":":
        return _time_within(value, low, high, draw)
    return value


def _day_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    """Return a day between the bounds, within two weeks of one that stands alone; a moment keeps its time of day."""
    first = date.fromisoformat((low or high or value)[:10]).toordinal()
    last = date.fromisoformat((high or low or value)[:10]).toordinal()
    if not low or not high:
        first, last = _near(date.fromisoformat(value[:10]).toordinal(), first if low else None, last, draw)
    day = min(max(draw.between(first, max(first, last)), 1), date.max.toordinal())
    found = date.fromordinal(day).isoformat() + value[10:]
    if _holds(found, low, high):
        return found
    return next((bound for bound in (low, high) if bound and len(bound) == len(value)), found)


def _near(drawn: int, low: int | None, high: int, draw: Draw) -> tuple[int, int]:
    """Return both bounds; a missing one is two weeks from the other, on the drawn day's side of today."""
    today = draw.today.toordinal()
    if low is not None:
        return low, min(low + 14, today) if drawn <= today and low <= today else low + 14
    return max(high - 14, today) if drawn >= today and high >= today else high - 14, high


def _time_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    """Return a clock time between the bounds, on five minutes, within three hours of a bound that stands alone."""
    first = minutes_of(low) if low else max(0, minutes_of(high or value) - 180)
    last = minutes_of(high) if high else min(23 * 60 + 59, first + 180)
    start, end = -(-first // 5), last // 5
    minutes = draw.between(start, end) * 5 if start <= end else first
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}{value[5:]}"
