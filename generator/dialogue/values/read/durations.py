"""Readers of lengths of time: "45 minutes", "an hour and a half", "2 hours and 20 minutes"."""

import re
from fractions import Fraction
from functools import lru_cache

from generator.dialogue.values.read.numbers import NUMBER_WORDS
from generator.dialogue.values.read.reading import SpanContext, may_be_fraction

_UNITS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "week": 604_800}
_FIXED = {
    "half a minute": 30,
    "a quarter of an hour": 900,
    "half an hour": 1_800,
    "three quarters of an hour": 2_700,
    "an hour and a half": 5_400,
    "one and a half hours": 5_400,
    "half a day": 43_200,
    "a day and a half": 129_600,
}
_match_part = re.compile(
    r"(?P<number>one hundred|[a-z-]+|0|[1-9][0-9]{0,9})(?P<decimals>\.[0-9]{1,9})?(?P<half> and a half)?"
    r"(?:(?P<hyphen>-| )(?P<unit>second|minute|hour|day|week)(?P<plural>s?)| ?(?P<short>secs?|mins?|hrs?|h))"
).fullmatch
_SHORT = {"sec": "second", "min": "minute", "hr": "hour", "h": "hour"}


def read_seconds(text: str, reading: SpanContext) -> int | float:
    """Return a length of time in seconds."""
    return _read(text, 1, reading)


def read_minutes(text: str, reading: SpanContext) -> int | float:
    """Return a length of time in minutes."""
    return _read(text, 60, reading)


def read_hours(text: str, reading: SpanContext) -> int | float:
    """Return a length of time in hours."""
    return _read(text, 3_600, reading)


def _read(text: str, unit: int, reading: SpanContext) -> int | float:
    seconds = _in_seconds(text)
    if type(seconds) is int and seconds % unit == 0:
        return seconds // unit
    if not may_be_fraction(reading):
        raise ValueError(f"{text!r} is not a whole number of units")
    return float(Fraction(seconds) / unit)


@lru_cache(maxsize=4096)
def _in_seconds(text: str) -> int | Fraction:
    if not text.isascii():
        raise ValueError(f"{text!r} is not a length of time")
    lower = text.lower()
    if lower in _FIXED:
        return _FIXED[lower]
    parts = [lower] if " and a half " in lower else lower.split(" and ")
    spans = [_part(part) for part in parts]
    first = spans[0][0]
    if len(spans) == 1:
        return first
    if len(spans) > 2 or type(first) is not int or type(spans[1][0]) is not int:
        raise ValueError(f"{text!r} is not a length of time")
    if not 0 < spans[1][0] < spans[0][1] or first == 0:
        raise ValueError(f"the parts of {text!r} do not go together")
    return first + spans[1][0]


def _part(text: str) -> tuple[int | Fraction, int]:
    """Return the length of a number with its unit in seconds, and the seconds of one unit."""
    match = _match_part(text)
    if match is None:
        raise ValueError(f"{text!r} is not a length of time")
    name = match["unit"] or _SHORT[match["short"].removesuffix("s")]
    word, unit = match["number"], _UNITS[name]
    if match["decimals"] is not None:
        if not word.isdigit() or match["half"] or not (match["plural"] or match["short"]):
            raise ValueError(f"{text!r} is not a number of units")
        exact = Fraction(word + match["decimals"]) * unit
        return (int(exact) if exact.denominator == 1 else exact), unit
    number = _number(word, name)
    if match["hyphen"] == "-" and (match["plural"] or match["half"]):
        raise ValueError(f"{text!r} is not a length of time")
    if match["hyphen"] == " " and (number == 1 and not match["half"]) == bool(match["plural"]):
        raise ValueError(f"{text!r} mixes singular and plural")
    if match["half"] and (number == 0 or unit == 1):
        raise ValueError(f"{text!r} is not a length of time")
    return number * unit + (unit // 2 if match["half"] else 0), unit


def _number(word: str, unit: str) -> int:
    if word == ("an" if unit == "hour" else "a"):
        return 1
    number = int(word) if word.isdigit() else NUMBER_WORDS.get(word)
    if number is None:
        raise ValueError(f"{word!r} is not a number of {unit}s")
    return number
