"""Lengths of time ("half an hour") and numbers with a unit in the size in which people say them (0.75 kilograms as "750 grams"), said and read."""

import re
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from generator.arguments.kinds.records import split_values
from generator.arguments.kinds.units import UNITS, Unit
from generator.core.yaml_values import own_data
from generator.dialogue.values.numbers import NUMBER_WORDS, say_number, small_number
from generator.dialogue.values.voice import SpanContext, Verbalizer, Voice, expected, may_be_fraction, refuse_if

_TABLES: dict[str, Any] = own_data(__file__)
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_LONGEST = 10**9


def say_minutes(value: Any, voice: Voice) -> str | None:
    """Return whole minutes in words: `90` as "an hour and a half"."""
    return _say_seconds(value * _MINUTE, "minutes", voice) if type(value) is int else None


def say_seconds(value: Any, voice: Voice) -> str | None:
    """Return whole seconds in words: `90` as "90 seconds"."""
    return _say_seconds(value, "seconds", voice) if type(value) is int else None


def say_hours(value: Any, voice: Voice) -> str | None:
    """Return hours with up to two decimals in words: `1.5` as "an hour and a half"."""
    if type(value) is int:
        return _say_seconds(value * _HOUR, "hours", voice)
    if type(value) is not float or not 0 < value < 1000:
        return None
    if value % 0.5 == 0:
        return _say_seconds(int(value * _HOUR), "hours", voice)
    digits = say_number(value, voice)
    return None if digits is None or len(digits.partition(".")[2]) > 2 else f"{digits} hours"


def _say_seconds(seconds: int, unit: str, voice: Voice) -> str | None:
    """Return a length of time in words; `unit` is what none of it is said in ("0 minutes")."""
    if seconds == 0:
        return f"0 {unit}"
    if not 0 < seconds < _LONGEST:
        return None
    if seconds % 1800 == 0:
        return _half_hours(seconds, voice)
    if seconds % _MINUTE == 0:
        return _minutes(seconds // _MINUTE, voice)
    minutes, rest = divmod(seconds, _MINUTE)
    if 2 <= minutes < 60:
        return f"{_plural(minutes, 'minute', voice)} and {_plural(rest, 'second', voice)}"
    return _plural(seconds, "second", voice)


def _half_hours(seconds: int, voice: Voice) -> str:
    """Return a length of time of whole or half hours: "two and a half hours"."""
    if seconds % _DAY == 0 and seconds > _DAY:
        return _plural(seconds // _DAY, "day", voice)
    hours, half = divmod(seconds, _HOUR)
    if not half:
        return _plural(hours, "hour", voice)
    if hours < 2:
        return "an hour and a half" if hours else "half an hour"
    if voice.small_numbers_as_words and hours <= 10:
        return f"{small_number(hours, voice)} and a half hours"
    return f"{hours}.5 hours"


def _minutes(minutes: int, voice: Voice) -> str:
    """Return minutes, with hours where there are many: "2 hours and 5 minutes"."""
    hours, rest = divmod(minutes, 60)
    if hours < 1:
        return _plural(minutes, "minute", voice)
    return f"{_plural(hours, 'hour', voice)} and {_plural(rest, 'minute', voice)}"


def _plural(number: int, unit: str, voice: Voice) -> str:
    """Return a number of units of time: "an hour", "20 minutes"."""
    if number == 1:
        return "an hour" if unit == "hour" else f"a {unit}"
    return f"{small_number(number, voice)} {unit}s"


_CLOCKS = frozenset(("seconds", "minutes", "hours"))
_MOST = 1_000_000
_HALVES: dict[str, str] = _TABLES["halves"]
_LARGER: dict[str, str] = _TABLES["larger"]
_SMALLER: dict[str, str] = _TABLES["smaller"]
_WEEKS = (7, 14, 21, 28)


def _say_unit(unit: str, value: Any, voice: Voice) -> str | None:
    """Return a number with its unit, in the size in which people say it: 0.75 kilograms as "750 grams"."""
    if type(value) not in (int, float) or not 0 < value < _MOST or value != value:
        return None
    exact = Fraction(repr(value))
    other = _in_usual_size(unit, exact)
    if other is not None:
        return _number_with_unit(*other, voice)
    if value == 0.5 and unit in _HALVES:
        return _in_own_spelling(_HALVES[unit], UNITS[unit], voice)
    return _number_with_unit(exact, unit, voice)


def _in_usual_size(unit: str, exact: Fraction) -> tuple[Fraction, str] | None:
    """Return the value in the unit in which people say it; None where it stays as it is."""
    mine = UNITS[unit]
    if unit == "days":
        return (exact / 7, "weeks") if exact in _WEEKS else None
    if unit == "months":
        return (exact / 12, "years") if exact % 12 == 0 else None
    larger = _LARGER.get(unit)
    if larger is not None:
        ratio = UNITS[larger].exact / mine.exact
        if exact >= ratio and (exact / ratio * (10 if unit != "centimeters" else 2)).denominator == 1:
            return exact / ratio, larger
    smaller = _SMALLER.get(unit)
    if smaller is not None and exact < 1 and exact != Fraction(1, 2):
        moved = exact * mine.exact / UNITS[smaller].exact
        if moved.denominator == 1 and moved >= 1:
            return moved, smaller
    return None


def _number_with_unit(exact: Fraction, unit: str, voice: Voice) -> str | None:
    """Return a number with its unit."""
    record = UNITS[unit]
    is_short = bool(record.short) and voice.tight_meridiem
    if exact.denominator == 1:
        whole = int(exact)
        digits = say_number(whole, voice) if is_short else small_number(whole, voice)
    else:
        digits = say_number(float(exact), voice)
    if digits is None or len(digits.partition(".")[2]) > 2:
        return None
    if is_short:
        return f"{digits} {record.short}"
    if exact == 1:
        return _in_own_spelling(
            f"{('an' if record.one[0] in 'aeiou' or record.one == 'hour' else 'a')} {record.one}"
            if voice.small_numbers_as_words
            else f"1 {record.one}",
            record,
            voice,
        )
    return _in_own_spelling(f"{digits} {record.many}", record, voice)


def _in_own_spelling(text: str, unit: Unit, voice: Voice) -> str:
    """Return the text with the unit spelt as the speaker does: those who write the day first are British here."""
    return text.replace(unit.one, unit.british) if unit.british and voice.date_style == "day_first" else text


_UNITS: dict[str, int] = _TABLES["seconds"]
_FIXED: dict[str, int] = _TABLES["fixed"]
_match_part = re.compile(
    r"(?P<number>one hundred|[a-z-]+|0|[1-9][0-9]{0,9})(?P<decimals>\.[0-9]{1,9})?(?P<half> and a half)?"
    r"(?:(?P<hyphen>-| )(?P<unit>second|minute|hour|day|week)(?P<plural>s?)| ?(?P<short>secs?|mins?|hrs?|h))"
).fullmatch
_SHORT: dict[str, str] = _TABLES["short"]


def _read_length(unit: int, text: str, reading: SpanContext) -> int | float:
    """Return a length of time in units of so many seconds."""
    seconds = _in_seconds(text)
    if type(seconds) is int and seconds % unit == 0:
        return seconds // unit
    refuse_if(not may_be_fraction(reading), text, "is not a whole number of units")
    return float(Fraction(seconds) / unit)


@lru_cache(maxsize=4096)
def _in_seconds(text: str) -> int | Fraction:
    """Return a length of time in words as seconds: "an hour and a half" as 5400."""
    refuse_if(not text.isascii(), text, "is not a length of time")
    lower = text.lower()
    if lower in _FIXED:
        return _FIXED[lower]
    parts = [lower] if " and a half " in lower else lower.split(" and ")
    lengths_and_units = [_seconds_and_unit(part) for part in parts]
    first_length = lengths_and_units[0][0]
    if len(lengths_and_units) == 1:
        return first_length
    refuse_if(
        len(lengths_and_units) > 2 or type(first_length) is not int or type(lengths_and_units[1][0]) is not int,
        text,
        "is not a length of time",
    )
    if not 0 < lengths_and_units[1][0] < lengths_and_units[0][1] or first_length == 0:
        raise ValueError(f"the parts of {text!r} do not go together")
    return first_length + lengths_and_units[1][0]


def _seconds_and_unit(text: str) -> tuple[int | Fraction, int]:
    """Return the length of a number with its unit in seconds, and the seconds of one unit."""
    match = expected(_match_part(text), text, "is not a length of time")
    name = match["unit"] or _SHORT[match["short"].removesuffix("s")]
    word, unit = match["number"], _UNITS[name]
    if match["decimals"] is not None:
        refuse_if(
            not word.isdigit() or match["half"] or not (match["plural"] or match["short"]),
            text,
            "is not a number of units",
        )
        exact = Fraction(word + match["decimals"]) * unit
        return (int(exact) if exact.denominator == 1 else exact), unit
    number = _whole_number(word, name)
    refuse_if(match["hyphen"] == "-" and (match["plural"] or match["half"]), text, "is not a length of time")
    refuse_if(
        match["hyphen"] == " " and (number == 1 and not match["half"]) == bool(match["plural"]),
        text,
        "mixes singular and plural",
    )
    refuse_if(match["half"] and (number == 0 or unit == 1), text, "is not a length of time")
    return number * unit + (unit // 2 if match["half"] else 0), unit


def _whole_number(word: str, unit: str) -> int:
    """Return the number of units before a word for a unit: "a", "ten", "10"."""
    if word == ("an" if unit == "hour" else "a"):
        return 1
    return expected(int(word) if word.isdigit() else NUMBER_WORDS.get(word), word, "is not a number of units")


_AMOUNT = re.compile(
    r"(?P<number>[a-z-]+|(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]{1,9})?) ?(?P<unit>[^\d,.].*)"
)
_HALF = re.compile(r"half an? (?P<unit>.+)")


def _words_of_units() -> dict[str, str]:
    """Return the names of units by all words for them, in small letters."""
    names_by_word: dict[str, str] = {}
    for name, unit in UNITS.items():
        for word in (
            unit.one,
            unit.many,
            unit.short,
            unit.british,
            f"{unit.british}s" if unit.british else "",
            *split_values(unit.names),
        ):
            names_by_word.setdefault(word.lower(), name)
    names_by_word.pop("")
    return names_by_word


_UNIT_OF = _words_of_units()


def _read_unit(unit: str, text: str, reading: SpanContext) -> int | float:
    """Return a number in this unit."""
    amount, unit_named = _amount_and_unit(text.lower(), unit)
    refuse_if(UNITS[unit_named].family != UNITS[unit].family, text, f"is no number of {unit}")
    exact = amount * UNITS[unit_named].exact / UNITS[unit].exact
    if exact.denominator == 1:
        return int(exact)
    refuse_if(not may_be_fraction(reading), text, "is not a whole number of units")
    return float(exact)


def _amount_and_unit(text: str, unit: str) -> tuple[Fraction, str]:
    """Return the number and the unit of "half a mile", "12 kg" or "twelve kilograms"."""
    half_match = _HALF.fullmatch(text)
    match = expected(half_match or _AMOUNT.fullmatch(text), text, "is no number with a unit")
    unit_named = expected(_UNIT_OF.get(match["unit"]), text, "is no number with a unit")
    if unit_named in _DEGREES and unit in _DEGREES and match["unit"].startswith("degree"):
        unit_named = unit
    if half_match is not None:
        return Fraction(1, 2), unit_named
    word = match["number"]
    number = 1 if word in ("a", "an") else NUMBER_WORDS.get(word)
    refuse_if(number is None and not word[0].isdigit(), word, "is no number")
    return Fraction(word.replace(",", "")) if number is None else Fraction(number), unit_named


_DEGREES = ("celsius", "fahrenheit")
read_seconds = partial(_read_length, 1)
MEASURES: tuple[Verbalizer, ...] = (
    Verbalizer("minutes", say_minutes, partial(_read_length, 60)),
    Verbalizer("seconds", say_seconds, read_seconds),
    Verbalizer("hours", say_hours, partial(_read_length, 3_600)),
    *(Verbalizer(unit, partial(_say_unit, unit), partial(_read_unit, unit)) for unit in UNITS if unit not in _CLOCKS),
)
