"""Figures that were told, and whether they hold one of a text."""

import re
from functools import lru_cache
from typing import Any

import msgspec

from generator.episodes.figures import BY_THE_CLOCK, HALF_A_DAY, Figure, is_name, plain_figures, seconds_of_day
from generator.toolbox import name_as_words


class Known(msgspec.Struct):
    """Figures that the assistant was told."""

    days: set[tuple[int | None, int, int]] = msgspec.field(default_factory=set)
    times: set[str] = msgspec.field(default_factory=set)
    lengths: set[float] = msgspec.field(default_factory=set)
    codes: set[str] = msgspec.field(default_factory=set)
    numbers: set[float] = msgspec.field(default_factory=set)

    def add(self, text: str) -> None:
        """Take the figures of a text."""
        for kind, value in plain_figures(text):
            getattr(self, _PLACES[kind]).add(value)

    def add_value(self, value: Any, key: str = "") -> None:
        """Take the figures of JSON: its numbers, those in its texts, and how long its lists are.

        Args:
            value: The JSON.
            key: The property that holds it, whose words may tell the unit of a length of time.
        """
        if isinstance(value, dict):
            for name, inner in value.items():
                self.add_value(inner, name)
        elif isinstance(value, list):
            self.numbers.add(len(value))
            for inner in value:
                self.add_value(inner, key)
        elif isinstance(value, str):
            self._add_text(value, key)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.numbers.add(abs(value))
            self.lengths.update(abs(value) * unit for unit in _units_of(key))

    def _add_text(self, text: str, key: str) -> None:
        if not is_name(text):
            self.add(text)
        if _RUNS.fullmatch(text) and _is_length(key):  # minutes and seconds, or hours and minutes
            first, second = map(int, text.split(":"))
            self.lengths |= {first * 60 + second, first * 3_600 + second * 60}

    def update(self, other: "Known") -> None:
        """Take all figures of others."""
        for place in _PLACES.values():
            getattr(self, place).update(getattr(other, place))

    def holds(self, figure: Figure) -> bool:
        """Whether a figure is one of these."""
        match figure.kind:
            case "day":
                year, month, day = figure.value
                if month is None:  # "the 13th"
                    return day in self.numbers or any(day == known[2] for known in self.days)
                either = {(month, day), (day, month)} if figure.decimals else {(month, day)}
                return any(known[1:] in either and (year is None or known[0] in {None, year}) for known in self.days)
            case "time":
                if figure.value in self.times or (figure.decimals and _later(figure.value) in self.times):
                    return True
                return figure.decimals == BY_THE_CLOCK and self._has_time_near(seconds_of_day(figure.value))
            case "length":
                return any(abs(figure.value - known) < _NEAR for known in self.lengths)
            case "code":
                parts = re.split(r"[-/]", figure.value)  # "125/78"
                are_known = all(part.isdigit() and int(part) in self.numbers for part in parts)
                return are_known or figure.value in self.codes or any(figure.value in code for code in self.codes)
        return self._has_number(figure)

    def _has_time_near(self, seconds: int) -> bool:
        """Whether a time is known that is told as so many seconds of half a day."""
        away = [abs(seconds_of_day(known) - seconds) % HALF_A_DAY for known in self.times]
        return any(min(one, HALF_A_DAY - one) <= _BY_THE_CLOCK_NEAR for one in away)

    def _has_number(self, figure: Figure) -> bool:
        value = figure.value
        if value in self.numbers or (value <= 100 and round(value / 100, 6) in self.numbers):  # 75 % of 0.75
            return True
        if value >= _METRES and round(value / 1000, 6) in self.numbers:  # 600 m for 0.6 km
            return True
        return value >= _ROUNDED and any(
            isinstance(known, float) and round(known, figure.decimals) == value for known in self.numbers
        )


_RUNS = re.compile(r"[0-9]{1,3}:[0-9]{2}")
_BY_THE_CLOCK_NEAR = 120


def _later(time: str) -> str:
    """Return a time twelve hours later."""
    return f"{int(time[:2]) + 12:02}{time[2:]}" if time[:2].isdigit() and int(time[:2]) < 12 else time


@lru_cache(maxsize=4096)
def _is_length(key: str) -> bool:
    return not {"length", "duration", "runtime"}.isdisjoint(name_as_words(key).split())


_METRES = 100
_ROUNDED = 10
"""Numbers from here on may be told rounded."""
_NEAR = 1e-6
_UNITS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_PLACES = {
    "day": "days",
    "time": "times",
    "length": "lengths",
    "code": "codes",
    "number": "numbers",
    "count": "numbers",
}


@lru_cache(maxsize=4096)
def _units_of(key: str) -> tuple[int, ...]:
    """Return the seconds of the unit that the words of a property tell; of all units where they tell none."""
    words = name_as_words(key).split()
    told = [unit for word in words for name, unit in _UNITS.items() if word in {name, f"{name}s"}]
    return tuple(told) or tuple(set(_UNITS.values()))
