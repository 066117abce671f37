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
_MORE = rf"(?:{_DAY}(?:,| and| or| to| until| through|[-–]| [-–])+ ?)"
"""Days that share the month of the last one: "6 and 8 August"."""
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|(?<=[0-9])h|(?<=[0-9] )h|days?|weeks?)"
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
    """Of a number; of a time, whether it may be meant before noon or after it."""


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
                return any(
                    (month, day) == known[1:] and (year is None or known[0] in {None, year}) for known in self.days
                )
            case "time":
                return figure.value in self.times or (
                    figure.decimals == _EITHER_HALF and _later(figure.value) in self.times
                )
            case "length":
                return any(abs(figure.value - known) < _NEAR for known in self.lengths)
            case "code":
                parts = re.split(r"[-/]", figure.value)  # "125/78"
                are_known = all(part.isdigit() and int(part) in self.numbers for part in parts)
                return are_known or figure.value in self.codes or any(figure.value in code for code in self.codes)
        return self._has_number(figure)

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
_EITHER_HALF = 1
"""In place of the decimals of a time: it may be meant before noon or after it."""


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


def is_name(text: str) -> bool:
    """Whether a text of a result that holds digits is said as a whole or not at all: "Sprint 1", "020 7946 0197"."""
    return " " in text and any(map(str.isdigit, text)) and all(kind == "number" for kind, _ in plain_figures(text))


def figures(text: str) -> list[Figure]:
    """Return the figures of a text, in no order; the numbers of a list's lines are none."""
    found: list[Figure] = []
    kinds = _SPELLED
    if _HAS_DIGIT(text) is not None:
        kinds, text = _KINDS, _LIST_NUMBER.sub(lambda match: " " * len(match[0]), text)
    for kind, has, find, read in kinds:
        if has(text) is None:
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
    if _IS_ID(text):  # most texts of results are ids
        return (("code", text.casefold()),)
    return tuple([(figure.kind, figure.value) for figure in figures(text)])


Values = Iterable[tuple[Any, int]]
"""Values with the number of their decimals."""


def _iso_day(match: re.Match[str]) -> Values:
    year, month, day = map(int, match[0].split("-"))
    return [((year, month, day), 0)] if month in range(1, 13) and day in range(1, 32) else []


def _day(match: re.Match[str]) -> Values:
    month = _MONTHS.index((match["m1"] or match["m2"]).lower()[:3]) + 1
    days = re.findall("[0-9]+", f"{match['more1'] or ''} {match['d1'] or match['d2']} {match['more2'] or ''}")
    year = match["y1"] or match["y2"]
    return [((int(year) if year else None, month, int(day)), 0) for day in days]


def _ordinal(match: re.Match[str]) -> Values:
    return [((None, None, int(match[1])), 0)]


def _time(match: re.Match[str]) -> Values:
    words = match[0].lstrip("Tt").lower().replace(" a.m.", " am").replace(" p.m.", " pm")
    if words[1] == ":" and words[-1].isdigit():
        words = f"0{words}"
    try:
        either = _EITHER_HALF if words[-1].isdigit() and not match[0].startswith("0") else 0
        return [(READERS["time_seconds"](words, _ANY)[:5] if words.count(":") < 2 else words, either)]
    except ValueError:
        return [(words, 0)]


def _first_hour(match: re.Match[str]) -> Values:
    """The first hour of "6 to 8 pm"."""
    hour = int(match[1])
    return [(f"{hour % 12:02}:00", _EITHER_HALF)] if 0 < hour < 13 else []


def _length(match: re.Match[str]) -> Values:
    words = _NEXT_PART.sub(" and ", match[0])
    if words.lower() in {"a second", "a day", "a week"}:  # "a second time", "once a day"
        return []
    try:
        return [(float(READERS["seconds"](words, _ANY)), 0)]
    except ValueError:  # two lengths: "between 5 minutes and 24 hours"
        first, both, second = match[0].partition(" and ")
        return [one for part in (first, second) for one in _length_of(part)] if both else []


def _length_of(words: str) -> Values:
    try:
        return [(float(READERS["seconds"](words, _ANY)), 0)]
    except ValueError:
        return []


def _hours(match: re.Match[str]) -> Values:
    """Hours, and minutes without their unit: "1 h 30"."""
    return [(float(int(match[1]) * 3_600 + int(match[2]) * 60), 0)]


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
_HAS_DIGIT = re.compile("[0-9]").search
_HAS_UNIT = re.compile(rf"\b{_UNIT}\b", re.IGNORECASE).search
_HAS_MONTH = re.compile("|".join(_MONTHS), re.IGNORECASE).search
_HAS_ISO_DAY = re.compile("[0-9]-[0-9]").search
_HAS_ORDINAL = re.compile("the [0-9]").search
_HAS_HALF = re.compile(r"[0-9] ?[ap]\.?m\b", re.IGNORECASE).search
_HAS_TIME = re.compile(r"[0-9](?::[0-9]| ?[ap]\.?m\b)", re.IGNORECASE).search
_WORDS = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?").findall


def _has_number_word(text: str) -> bool | None:
    return None if NUMBER_WORDS.keys().isdisjoint(_WORDS(text.lower())) else True


_Kind = tuple[
    str,
    Callable[[str], object],
    Callable[[str], Iterable[re.Match[str]]],
    Callable[[re.Match[str]], Values],
]
"""A kind, whether a text may hold such figures (None: it does not), how they are found, and how they are read."""
_KINDS: tuple[_Kind, ...] = (
    ("day", _HAS_ISO_DAY, re.compile(r"(?<![\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?=T|\b)").finditer, _iso_day),
    (
        "day",
        _HAS_MONTH,
        re.compile(
            rf"(?<![\w:.,])(?:(?P<more1>{_MORE}*)(?P<d1>{_DAY})(?: of)? (?P<m1>{_MONTH})\b(?:,? (?P<y1>[0-9]{{4}})\b)?"
            rf"|(?P<m2>{_MONTH}) (?:the )?(?P<d2>{_DAY})\b(?P<more2>(?: ?(?:and|or|to|until|[-–]) ?{_DAY}\b(?![:.%]?[\w]| [ap]\.?m\b| {_UNIT}))*)(?:,? (?P<y2>[0-9]{{4}})\b)?)",
            re.IGNORECASE,
        ).finditer,
        _day,
    ),
    ("day", _HAS_ORDINAL, re.compile(r"\bthe ([12][0-9]|3[01]|[1-9])(?:st|nd|rd|th)\b").finditer, _ordinal),
    (
        "time",
        _HAS_HALF,
        re.compile(
            r"(?<![\w.:])([0-9]{1,2})(?= ?(?:-|–|to|and|or|until) ?[0-9]{1,2}(?::[0-9]{2})? ?[ap]\.?m\b)"
        ).finditer,
        _first_hour,
    ),
    (
        "time",
        _HAS_TIME,
        re.compile(
            r"(?<![\w.:])(?:T(?=[0-9]))?(?:[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap](?:m\b|\.m\.))?|[0-9]{1,2} ?[ap](?:m\b|\.m\.))",
            re.IGNORECASE,
        ).finditer,
        _time,
    ),
    ("length", _HAS_DIGIT, re.compile(r"\b([0-9]{1,2}) ?h(?:rs?)? ?([0-9]{2})\b(?! ?(?:min|m\b|s))").finditer, _hours),
    (
        "length",
        _HAS_UNIT,
        re.compile(
            rf"(?!(?<=[0-9] )an? )\b(?:half an hour|an hour and a half|three quarters of an hour|a quarter of an hour|{_PART}(?:(?: and |, | )(?:[0-9]+|{_COUNT})[ -]?{_UNIT})?)\b",
            re.IGNORECASE,
        ).finditer,
        _length,
    ),
    (
        "code",
        _HAS_DIGIT,
        re.compile(
            r"(?<![\w-])(?=[\w./:@+-]*[0-9])(?=[\w./:@+-]*[A-Za-z_])(?![0-9]+-[a-z]+\b)(?![0-9.,]+(?:st|nd|rd|th|h|min|mins|km|m|cm|mm|kg|g|mb|gb|kb|ml|l|x|k|%|mph|kmh)\b)[A-Za-z0-9][\w./:@+-]*[\w]"
            r"|(?<![\w.,-])[0-9]+(?:[-/][0-9]+)+(?![\w-])|(?<![\w.,])0[0-9]+(?!\w|[.,][0-9])",
            re.IGNORECASE,
        ).finditer,
        _code,
    ),
    (
        "number",
        _HAS_DIGIT,
        re.compile(r"(?<![\w])(?<![0-9][.,])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?!\w*[A-Z_])").finditer,
        _number,
    ),
    ("count", _has_number_word, re.compile(r"(?<!past )(?<!quarter to )\b[A-Za-z]+(?:-[A-Za-z]+)?\b").finditer, _word),
)
_SPELLED = tuple([kind for kind in _KINDS if kind[0] == "count" or kind[1] is _HAS_UNIT])
"""Those that texts without digits may hold."""
_IS_ID = re.compile("[A-Z]{2,6}-[0-9]+").fullmatch
