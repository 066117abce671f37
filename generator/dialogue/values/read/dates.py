"""Readers of calendar dates: in full, without their year, or relative to today."""

import re
from datetime import date, timedelta
from functools import lru_cache

import msgspec

from generator.dialogue.values.read.numbers import NUMBER_WORDS, ordinal_suffix
from generator.dialogue.values.read.reading import SpanContext

MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTHS = {
    **{name: number for number, name in enumerate(MONTH_NAMES, 1)},
    **{name[:3]: number for number, name in enumerate(MONTH_NAMES, 1)},
    "sept": 9,
}
_WEEKDAYS = {
    "monday": 0,
    "tuesday": 1,
    "wednesday": 2,
    "thursday": 3,
    "friday": 4,
    "saturday": 5,
    "sunday": 6,
}
_RELATIVE = {"yesterday": -1, "today": 0, "tomorrow": 1, "the day after tomorrow": 2, "day after tomorrow": 2}
_YEARLESS_DAYS = 300
"""A date without a year lies fewer days ahead than this; one farther ahead would be read as one in the past."""

_DAY = r"(?P<day>[1-9]|[12][0-9]|3[01])(?P<suffix>st|nd|rd|th)?"
_match_day_first = re.compile(rf"{_DAY}(?: of)? (?P<month>[a-z]+)(?:,? (?P<year>[0-9]{{4}}))?").fullmatch
_match_month_first = re.compile(rf"(?P<month>[a-z]+) {_DAY}(?:,? (?P<year>[0-9]{{4}}))?").fullmatch
_match_spelled_day = re.compile(
    r"(?:the )?(?P<spelled>[a-z]+(?:-[a-z]+)?|[0-9]{1,2}(?:st|nd|rd|th))(?: of)? (?P<month>[a-z]+)(?P<year>,? [0-9]{4})?"
).fullmatch
_match_iso = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
_match_distance = re.compile(
    r"(?P<in>in )?(?P<number>[a-z-]+|[1-9][0-9]{0,2}) (?P<unit>day|week)(?P<plural>s?)(?P<from> from (?:today|now))?"
).fullmatch


def read_date(text: str, reading: SpanContext) -> str:
    """Return a date as `YYYY-MM-DD`."""
    day = _understand(text)
    if isinstance(day, str):
        return day
    if reading.today is None:
        raise ValueError(f"{text!r} says no year, and today is not known")
    return _resolve(day, reading.today, text).isoformat()


class _Yearless(msgspec.Struct, frozen=True):
    month: int
    number: int


class _Weekday(msgspec.Struct, frozen=True):
    weekday: int


@lru_cache(maxsize=8192)
def _understand(text: str) -> str | _Yearless | _Weekday | int:
    """Return a full date as `YYYY-MM-DD`, or what depends on today; an int is a number of days ahead."""
    if _match_iso(text):
        return date.fromisoformat(text).isoformat()
    lower = text.lower()
    if not text.isascii():
        raise ValueError(f"{text!r} is not a date")
    lower = _in_digits(lower)
    match = (_match_day_first if lower[:1].isdigit() else _match_month_first)(lower)
    if match is not None and match["month"] in _MONTHS:
        return _named_day(match)
    if lower in _RELATIVE:
        return _RELATIVE[lower]
    return _Weekday(_WEEKDAYS[lower]) if lower in _WEEKDAYS else _days_ahead(lower)


_DAYS_IN_WORDS = (
    *(
        "first",
        "second",
        "third",
        "fourth",
        "fifth",
        "sixth",
        "seventh",
        "eighth",
        "ninth",
        "tenth",
        "eleventh",
        "twelfth",
    ),
    *("thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth", "twentieth"),
    *(
        "twenty-first",
        "twenty-second",
        "twenty-third",
        "twenty-fourth",
        "twenty-fifth",
        "twenty-sixth",
        "twenty-seventh",
    ),
    *("twenty-eighth", "twenty-ninth", "thirtieth", "thirty-first"),
)


def _in_digits(lower: str) -> str:
    """Return "the first of August" as "1 august", and other words as they are."""
    match = _match_spelled_day(lower)
    if match is None or match["month"] not in _MONTHS:
        return lower
    day = match["spelled"]
    if day not in _DAYS_IN_WORDS:
        return lower.removeprefix("the ")
    return f"{_DAYS_IN_WORDS.index(day) + 1} {match['month']}{match['year'] or ''}"


def _resolve(day: _Yearless | _Weekday | int, today: date, text: str) -> date:
    if isinstance(day, _Yearless):
        return _next(day, today, text)
    if isinstance(day, int):
        ahead = day
    else:
        ahead = (day.weekday - today.weekday()) % 7
        if ahead == 0:
            raise ValueError(f"{text!r} may be today or in a week")
    try:
        return today + timedelta(days=ahead)
    except OverflowError:
        raise ValueError(f"{text!r} lies outside the calendar") from None


def _next(day: _Yearless, today: date, text: str) -> date:
    """Return the next date with this day and month; raises ValueError when it is too far ahead."""
    for year in (today.year, today.year + 1):
        try:
            found = date(year, day.month, day.number)
        except ValueError:  # 29 February, or the year 10000
            continue
        if 0 < (found - today).days < _YEARLESS_DAYS:
            return found
    raise ValueError(f"{text!r} is not a day of the months ahead")


def _named_day(match: re.Match[str]) -> str | _Yearless:
    """Return the date of "14 March 2026" or "14 March"."""
    number, month = int(match["day"]), _MONTHS[match["month"]]
    if match["suffix"] is not None and match["suffix"] != ordinal_suffix(number):
        raise ValueError(f"{match[0]!r} has the wrong ending")
    if match["year"] is not None:
        return date(int(match["year"]), month, number).isoformat()
    return _Yearless(month, number)


def _days_ahead(lower: str) -> int:
    """Return the number of days in "in ten days" or "a week from today"."""
    match = _match_distance(lower)
    if match is None or (match["in"] is None) == (match["from"] is None):
        raise ValueError(f"{lower!r} is not a date")
    number = _distance(match["number"])
    if number is None or (number == 1) == bool(match["plural"]):
        raise ValueError(f"{lower!r} is not a distance in days or weeks")
    return number * (7 if match["unit"] == "week" else 1)


def _distance(word: str) -> int | None:
    if word == "a":
        return 1
    number = int(word) if word.isdigit() else NUMBER_WORDS.get(word)
    return number or None
