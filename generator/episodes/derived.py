"""Figures that follow from others: sums, differences and products of a text's own figures, other units, round values.

They are asked for only where nothing that was told holds the figure.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, combinations
from typing import Any

from generator.episodes.figures import Figure, seconds_of_day
from generator.episodes.known import Known
from generator.episodes.things import Sentences
from generator.toolbox import name_as_words
from generator.yaml_values import own_data

_DATA: dict[str, Any] = own_data(__file__, "figures.yaml")
_UNITS: dict[str, dict[str, float]] = _DATA["units"]
_ABOUT = re.compile(rf"(?:^|[\s(])(?:{'|'.join(map(re.escape, _DATA['about'].split()))}) ?[$€£]?$", re.IGNORECASE)
_HOUR = re.compile(r"\b(?:at|around|from|by|until|before|after|about|to|and) $|[0-9] ?[-–] ?$", re.IGNORECASE)
_RANGE = re.compile(r" ?[-–] ?[0-9]{1,2}\b")
_BEHIND = re.compile(r" ?-?(km/h|m/s|[^\W\d_]+|%|°)")
_SECONDS = {"minute": 60, "min": 60, "hour": 3_600, "hr": 3_600, "h": 3_600, "day": 86_400, "week": 604_800}
_DAY = 86_400
_CLOSE = 0.05
"""By how much of it a length of time may differ that is told as "about" so long."""
_REASONS = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _DATA["reasons"].items()}
_BEFORE = re.compile(r"\b(?:before|earlier|ahead)\b", re.IGNORECASE)


class Derived:
    """What follows from the figures of a text.

    Args:
        text: The text.
        stated: Those of its figures that were told.
        told: All that was told.
        labels: The numbers of each property of results, by the words of its name.
        lists: The lists of things that were found.
    """

    def __init__(
        self,
        text: str,
        stated: Sequence[Figure],
        told: Known,
        labels: Mapping[tuple[str, ...], set[float]],
        lists: Iterable[Sequence[dict[str, Any]]],
    ) -> None:
        self._text, self._stated, self._told, self._labels, self._lists = text, stated, told, labels, lists
        self._sentences = Sentences(text)
        self._seconds = [one.value for one in stated if one.kind == "length"]

    def follows(self, figure: Figure) -> bool:
        """Whether a figure follows from what was told."""
        if figure.kind == "time":
            return self._is_before_or_after(figure)
        if figure.kind not in {"number", "count", "length"}:
            return False
        return (
            any(abs(figure.value - one) < 10.0 ** -(figure.decimals + 3) for one in self._results(figure))
            or self._is_about(figure)
            or (figure.kind == "length" and self._is_between(figure.value))
            or (figure.kind == "number" and (self._is_year_or_hour(figure) or self._is_in_other_unit(figure)))
        )

    def _results(self, figure: Figure) -> Iterator[float]:
        """Yield what the text's figures of the same unit make together: sums, differences, products, halves, means."""
        says = {name for name, words in _REASONS.items() if words.search(self._sentence(figure))}
        unit = self._unit(figure)
        same = [one for one in self._stated if one.kind == figure.kind and self._unit(one) == unit]
        values = [one.value for one in sorted(same, key=lambda one: one.start)] if unit else []
        before = [one.value for one in sorted(same, key=lambda one: -one.start) if one.start < figure.start]
        if "sum" in says:
            yield from [*accumulate(before if unit else [])][1:]
            yield from [sum(values)] if len(values) > 1 else []
            yield from self._sums()
        if "mean" in says and values:
            yield sum(values) / len(values)
        if "difference" in says:
            yield from (abs(first - second) for first, second in combinations(values, 2))
        if "half" in says:
            yield from (value / 2 for value in values)
        if "product" in says:
            times = {one.value for one in self._stated if one.kind in {"number", "count"} and one.value in range(2, 61)}
            yield from (value * by for value in values for by in times)

    def _sentence(self, figure: Figure) -> str:
        """Return the sentence of a figure."""
        start, stop = self._sentences.around(figure.start)
        return self._text[start:stop]

    def _sums(self) -> Iterator[float]:
        """Yield what the numbers of found things come to: of all of a list, and of those that the text names."""
        lower = self._text.lower()
        for things in self._lists:
            named = [
                one
                for one in things
                if any(isinstance(value, str) and value.lower() in lower for value in one.values())
            ]
            for some in (things, named):
                for key in some[0] if len(some) > 1 else ():
                    values = [one.get(key) for one in some]
                    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
                        total = sum(value for value in values if value is not None)
                        yield total
                        yield from (total * unit for word, unit in _SECONDS.items() if word in _words(key))

    def _unit(self, figure: Figure) -> str:
        """Return the sign before a figure, or the word behind it."""
        if figure.kind == "length":
            return "s"
        sign = self._text[max(0, figure.start - 1) : figure.start]
        behind = _BEHIND.match(self._text, figure.end)
        return sign if sign and sign in "$€£" else behind[1].lower() if behind else ""

    def _is_about(self, figure: Figure) -> bool:
        """Whether a figure is said to be round, or has a fraction, and what was told is about as much."""
        value = figure.value
        is_fraction = self._text[figure.end - 1] in "¼½¾⅓⅔"
        if not is_fraction and _ABOUT.search(self._text, max(0, figure.start - 16), figure.start) is None:
            return False
        seconds = value if figure.kind == "length" else value * _SECONDS.get(self._unit(figure).removesuffix("s"), 0)
        if seconds:
            return any(abs(seconds - known) <= _CLOSE * seconds for known in self._told.lengths)
        digits = f"{value:f}".rstrip("0").rstrip(".")
        place = 10.0 ** (len(digits) - len(digits.rstrip("0"))) if "." not in digits else 10.0**-figure.decimals
        return any(abs(value - known) <= place / 2 for known in self._told.numbers)

    def _is_between(self, seconds: float) -> bool:
        """Whether a length of time lies between two times, or two days, of the text."""
        times = [seconds_of_day(one.value) for one in self._stated if one.kind == "time"]
        return any(abs(first - second) % _DAY in {seconds, _DAY - seconds} for first, second in combinations(times, 2))

    def _is_before_or_after(self, figure: Figure) -> bool:
        """Whether a time is so long before or after a known one as the text says."""
        time = seconds_of_day(figure.value)
        wanted = {time, (time + _DAY // 2) % _DAY} if figure.decimals else {time}
        signs = (-1,) if _BEFORE.search(self._sentence(figure)) else (1, -1)
        known = map(seconds_of_day, self._told.times)
        return any(
            (one + sign * length) % _DAY in wanted for one in known for length in self._seconds for sign in signs
        )

    def _is_year_or_hour(self, figure: Figure) -> bool:
        """Whether a bare number is the year of a known day ("Christmas 2021"), or the hour of a known time ("10–11")."""
        value = figure.value
        if any(day[0] == value for day in self._told.days):
            return True
        is_hour = value == int(value) and 0 <= value <= 24 and not figure.decimals
        stands_as_hour = _HOUR.search(self._text, 0, figure.start) or _RANGE.match(self._text, figure.end)
        times = (
            {f"{int(value) % 24:02}:00", f"{(int(value) + 12) % 24:02}:00"}
            if is_hour and stands_as_hour
            else set[str]()
        )
        return not times.isdisjoint(self._told.times)

    def _is_in_other_unit(self, figure: Figure) -> bool:
        """Whether a number is that of a property with another unit: 0.32 km of `distance_m`."""
        unit = self._unit(figure)
        for units in _UNITS.values():
            into = units.get(unit, units.get(unit.removesuffix("s")))
            for words, values in self._labels.items() if into else ():
                factor = next((units[word] for word in reversed(words) if word in units), None)
                if into and factor and factor != into:
                    slack = 0.5 * 10.0**-figure.decimals + 1e-9
                    if any(abs(value * factor / into - figure.value) <= slack for value in values):
                        return True
        return False


def _words(key: str) -> set[str]:
    return {word.removesuffix("s") for word in name_as_words(key).split()}
