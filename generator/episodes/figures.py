"""Figures in a text: times, dates, lengths of time, codes and numbers, as the proof's readers read them.

A figure of an answer is grounded when something that the assistant was told holds the same one, in whatever words: "half past
nine" is not read, but "9:30 am" and `09:30` are the same time, and "an hour and a half" is `"duration_minutes": 90`.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import msgspec

from generator.toolbox import name_as_words
from generator.validation.readers import READERS, SpanContext
from generator.validation.readers.numbers import NUMBER_WORDS

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = r"(?:[12][0-9]|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|weeks?)"
_COUNT = r"(?:[0-9]+(?:\.[0-9]+)?|[a-z]+(?:-[a-z]+)?)"
_PART = rf"{_COUNT}(?: and a half)?[ -]?{_UNIT}"


class Figure(msgspec.Struct, frozen=True):
    """One figure of a text."""

    kind: str
    """`day`, `time`, `length`, `code`, `number`, or `count`: a spelled number."""
    value: Any
    """(year or None, month, day), `HH:MM`, seconds, small letters, or a number."""
    start: int
    end: int
    decimals: int = 0


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
            if not is_name(value):
                self.add(value)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.numbers.add(abs(value))
            self.lengths.update(abs(value) * unit for unit in _units_of(key))

    def update(self, other: "Known") -> None:
        """Take all figures of others."""
        for place in _PLACES.values():
            getattr(self, place).update(getattr(other, place))

    def holds(self, figure: Figure) -> bool:
        """Whether a figure is one of these."""
        match figure.kind:
            case "day":
                year, month, day = figure.value
                return any(
                    (month, day) == known[1:] and (year is None or known[0] in {None, year}) for known in self.days
                )
            case "time":
                return figure.value in self.times
            case "length":
                return any(abs(figure.value - known) < _NEAR for known in self.lengths)
            case "code":
                parts = re.split(r"[-/]", figure.value)  # "125/78"
                are_known = all(part.isdigit() and int(part) in self.numbers for part in parts)
                return are_known or figure.value in self.codes or any(figure.value in code for code in self.codes)
        return self._has_number(figure)

    def _has_number(self, figure: Figure) -> bool:
        value = figure.value
        if value in self.numbers or round(value / 100, 6) in self.numbers:
            return True
        return value >= _ROUNDED and any(
            isinstance(known, float) and round(known, figure.decimals) == value for known in self.numbers
        )


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


def is_name(text: str) -> bool:
    """Whether a text of a result that holds digits is said as a whole or not at all: "Sprint 1", "020 7946 0197"."""
    return " " in text and any(map(str.isdigit, text)) and all(kind == "number" for kind, _ in plain_figures(text))


def figures(text: str) -> list[Figure]:
    """Return the figures of a text, in no order; the numbers of a list's lines are none."""
    found: list[Figure] = []
    text = _LIST_NUMBER.sub(lambda match: " " * len(match[0]), text)
    for kind, find, read in _KINDS:
        if kind == "length" and _HAS_UNIT(text) is None:
            continue
        blanked: list[tuple[int, int]] = []
        for match in find(text):
            for value, decimals in read(match):
                found.append(Figure(kind, value, match.start(), match.end(), decimals))
                blanked.append(match.span())
        for start, end in blanked if kind != "count" else ():
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return found


@lru_cache(maxsize=16384)
def plain_figures(text: str) -> tuple[tuple[str, Any], ...]:
    """Return kind and value of the figures of a text that was told."""
    return tuple([(figure.kind, figure.value) for figure in figures(text)])


Values = Iterable[tuple[Any, int]]
"""Values with the number of their decimals."""


def _iso_day(match: re.Match[str]) -> Values:
    year, month, day = map(int, match[0].split("-"))
    return [((year, month, day), 0)] if month in range(1, 13) and day in range(1, 32) else []


def _day(match: re.Match[str]) -> Values:
    month = _MONTHS.index((match["m1"] or match["m2"]).lower()[:3]) + 1
    day = int(re.sub(r"\D", "", match["d1"] or match["d2"]))
    year = match["y1"] or match["y2"]
    return [((int(year) if year else None, month, day), 0)]


def _time(match: re.Match[str]) -> Values:
    words = match[0].lstrip("Tt").lower().replace(" a.m.", " am").replace(" p.m.", " pm")
    if words[1] == ":" and words[-1].isdigit():
        words = f"0{words}"
    try:
        return [(READERS["time_seconds"](words, _ANY)[:5] if words.count(":") < 2 else words, 0)]
    except ValueError:
        return [(words, 0)]


def _length(match: re.Match[str]) -> Values:
    words = _NEXT_PART.sub(" and ", match[0])
    try:
        return [(float(READERS["seconds"](words, _ANY)), 0)]
    except ValueError:
        return []


_NEXT_PART = re.compile(r"(?<=[a-z]),? (?=[0-9])(?<!and )")


def _code(match: re.Match[str]) -> Values:
    return [(match[0].casefold().rstrip("-_./:"), 0)]


def _number(match: re.Match[str]) -> Values:
    digits = match[0].replace(",", "")
    return [(float(digits) if "." in digits else int(digits), len(digits.partition(".")[2]))]


def _word(match: re.Match[str]) -> Values:
    number = NUMBER_WORDS.get(match[0].lower(), 0)
    return [(number, 0)] if number > 1 else []  # "one" is said of anything


_ANY = SpanContext()
_LIST_NUMBER = re.compile(r"^[0-9]{1,2}[.)](?= )", re.MULTILINE)
_HAS_UNIT = re.compile(rf"\b{_UNIT}\b", re.IGNORECASE).search
_KINDS: tuple[tuple[str, Callable[[str], Iterable[re.Match[str]]], Callable[[re.Match[str]], Values]], ...] = (
    ("day", re.compile(r"(?<![\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?=T|\b)").finditer, _iso_day),
    (
        "day",
        re.compile(
            rf"\b(?:(?P<d1>{_DAY})(?: of)? (?P<m1>{_MONTH})\b(?:,? (?P<y1>[0-9]{{4}})\b)?"
            rf"|(?P<m2>{_MONTH}) (?:the )?(?P<d2>{_DAY})\b(?:,? (?P<y2>[0-9]{{4}})\b)?)",
            re.IGNORECASE,
        ).finditer,
        _day,
    ),
    (
        "time",
        re.compile(
            r"(?<![\w.:])(?:T(?=[0-9]))?(?:[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap](?:m\b|\.m\.))?|[0-9]{1,2} ?[ap](?:m\b|\.m\.))",
            re.IGNORECASE,
        ).finditer,
        _time,
    ),
    (
        "length",
        re.compile(
            rf"\b(?:half an hour|an hour and a half|three quarters of an hour|a quarter of an hour|{_PART}(?:(?: and |, | )(?:[0-9]+|{_COUNT})[ -]?{_UNIT})?)\b",
            re.IGNORECASE,
        ).finditer,
        _length,
    ),
    (
        "code",
        re.compile(
            r"(?<![\w-])(?=[\w./:@+-]*[0-9])(?=[\w./:@+-]*[A-Za-z_])(?![0-9]+-[a-z]+\b)(?![0-9.,]+(?:st|nd|rd|th|h|min|mins|km|m|cm|mm|kg|g|mb|gb|kb|ml|l|x|k|%|mph|kmh)\b)[A-Za-z0-9][\w./:@+-]*[\w]"
            r"|(?<![\w.,-])[0-9]+(?:[-/][0-9]+)+(?![\w-])|(?<![\w.,])0[0-9]+(?!\w|[.,][0-9])",
            re.IGNORECASE,
        ).finditer,
        _code,
    ),
    ("number", re.compile(r"(?<![\w])(?<![0-9][.,])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?!\w*[A-Z_])").finditer, _number),
    ("count", re.compile(r"(?<!past )(?<!quarter to )\b[A-Za-z]+(?:-[A-Za-z]+)?\b").finditer, _word),
)
