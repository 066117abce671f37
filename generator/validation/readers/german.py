"""Readers of German. `wording/verbalizers/german.py` makes the texts that they read; neither knows the other."""

import re
from datetime import date, timedelta
from fractions import Fraction

from generator.validation.readers.reading import Reader, SpanContext, may_be_fraction

_MOST_DIGITS = 40
_match_number = re.compile(
    r"(?P<sign>-?)(?P<whole>0|[1-9][0-9]*|[1-9][0-9]{0,2}(?:\.[0-9]{3})+)(?P<fraction>,[0-9]+)?"
).fullmatch


def _numbered(first: int, *words: str) -> dict[str, int]:
    return {word: number for number, word in enumerate(words, first)}


_NUMBERS = _numbered(2, "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
_MONTHS = {
    **_numbered(1, "januar", "februar", "märz", "april", "mai", "juni"),
    **_numbered(7, "juli", "august", "september", "oktober", "november", "dezember"),
}
_WEEKDAYS = _numbered(0, "montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag")
_RELATIVE = {"gestern": -1, "heute": 0, "morgen": 1, "übermorgen": 2}
_YEARLESS_DAYS = 300
"""A date without a year lies fewer days ahead than this."""


# --- numbers ---


def read_number(text: str, reading: SpanContext) -> int | float:
    """Return a number in digits: "1.234,5" and "1234,5" as 1234.5."""
    match = _match_number(text) if text.isascii() and len(text) <= _MOST_DIGITS else None
    if match is None:
        raise ValueError(f"{text!r} is no number in digits")
    digits, fraction = match["sign"] + match["whole"].replace(".", ""), match["fraction"]
    if fraction is not None and not may_be_fraction(reading):
        raise ValueError(f"{text!r} is no whole number")
    number = int(digits) if fraction is None else float(f"{digits}.{fraction[1:]}")
    if match["sign"] and not number:
        raise ValueError(f"{text!r} is a zero with a sign")
    return number


def read_words(text: str, reading: SpanContext) -> int:
    """Return a spelled number from 2 to 12."""
    if text.lower() not in _NUMBERS:
        raise ValueError(f"{text!r} is no spelled number")
    return _NUMBERS[text.lower()]


def read_count(text: str, reading: SpanContext) -> int:
    """Return a count, in digits or spelled."""
    number = _NUMBERS.get(text.lower())
    found = read_number(text, reading) if number is None else number
    if isinstance(found, float) or found < 0:
        raise ValueError(f"{text!r} does not say how many")
    return found


def read_percentage(text: str, reading: SpanContext) -> int | float:
    """Return a percentage: "15 %" as 15."""
    return read_number(_without(text, (" %", " Prozent")), reading)


def read_percent(text: str, reading: SpanContext) -> int | float:
    """Return a percentage as a share of one: "15 %" as 0.15."""
    hundredths = read_number(_without(text, (" %", " Prozent")), SpanContext())
    share = Fraction(str(hundredths)) / 100
    if share.denominator == 1:
        return int(share)
    if not may_be_fraction(reading):
        raise ValueError(f"{text!r} is no whole number")
    return float(share)


def read_amount(text: str, reading: SpanContext) -> int | float:
    """Return an amount of money: "49,50" as 49.5."""
    if "," in text and text[-3:-2] != ",":
        raise ValueError(f"{text!r} does not have two decimals")
    return read_number(text, reading)


def read_usd(text: str, reading: SpanContext) -> int | float:
    """Return US dollars: "49,50 $" as 49.5."""
    return read_amount(_without(text, (" $", " Dollar")), reading)


def read_eur(text: str, reading: SpanContext) -> int | float:
    """Return euros: "49,50 €" as 49.5."""
    return read_amount(_without(text, (" €", " Euro")), reading)


def _without(text: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if text.endswith(ending):
            return text.removesuffix(ending)
    raise ValueError(f"{text!r} does not end in one of {endings}")


# --- days and times ---


def read_date(text: str, reading: SpanContext) -> str:
    """Return the day of "am 4. Mai" and "morgen" as `YYYY-MM-DD`."""
    return _read_day(text.lower(), "am ", "", reading)


def read_date_of(text: str, reading: SpanContext) -> str:
    """Return the day of "vom 4. Mai" and "von morgen" as `YYYY-MM-DD`."""
    return _read_day(text.lower(), "vom ", "von ", reading)


def read_date_alone(text: str, reading: SpanContext) -> str:
    """Return the day of "4. Mai" and "morgen" as `YYYY-MM-DD`."""
    return _read_day(text.lower(), "", "", reading)


_match_named = re.compile(r"(?P<day>[1-9]|[12][0-9]|3[01])\. (?P<month>[a-zä]+)(?: (?P<year>[1-9][0-9]{3}))?").fullmatch
_match_numeric = re.compile(r"(?P<day>[0-9]{1,2})\.(?P<month>[0-9]{1,2})\.(?P<year>[1-9][0-9]{3})").fullmatch


def _read_day(text: str, before: str, before_relative: str, reading: SpanContext) -> str:
    ahead = _RELATIVE.get(text.removeprefix(before_relative)) if text.startswith(before_relative) else None
    if ahead is not None:
        return (_today(text, reading) + timedelta(days=ahead)).isoformat()
    if not text.startswith(before):
        raise ValueError(f"{text!r} is no day behind {before!r}")
    said = text.removeprefix(before)
    if said in _WEEKDAYS:
        return _on_weekday(said, text, _today(text, reading)).isoformat()
    match = _match_numeric(said) or _match_named(said)
    if match is None:
        raise ValueError(f"{text!r} is no day")
    month = int(match["month"]) if match["month"].isdecimal() else _MONTHS.get(match["month"], 0)
    if match["year"] is not None:
        return date(int(match["year"]), month, int(match["day"])).isoformat()
    return _ahead(month, int(match["day"]), text, _today(text, reading)).isoformat()


def _today(text: str, reading: SpanContext) -> date:
    if reading.today is None:
        raise ValueError(f"{text!r} depends on today, which is not known")
    return reading.today


def _on_weekday(said: str, text: str, today: date) -> date:
    ahead = (_WEEKDAYS[said] - today.weekday()) % 7
    if not ahead:
        raise ValueError(f"{text!r} may be today or in a week")
    return today + timedelta(days=ahead)


def _ahead(month: int, number: int, text: str, today: date) -> date:
    """Return the next day of this date."""
    for year in (today.year, today.year + 1):
        try:
            found = date(year, month, number)
        except ValueError:  # 29 February, or no month
            continue
        if 0 < (found - today).days < _YEARLESS_DAYS:
            return found
    raise ValueError(f"{text!r} is no day of the months ahead")


_match_clock = re.compile(r"(?P<hour>[0-9]|1[0-9]|2[0-3])(?:[:.](?P<minute>[0-5][0-9]))? uhr").fullmatch


def read_time(text: str, reading: SpanContext) -> str:
    """Return the time of "15:30 Uhr" as `HH:MM`."""
    match = _match_clock(text.lower()) if text.isascii() else None
    if match is None:
        raise ValueError(f"{text!r} is no time of day")
    return f"{int(match['hour']):02}:{match['minute'] or '00'}"


def read_datetime(text: str, reading: SpanContext) -> str:
    """Return the moment of "am 4. Mai um 15:30 Uhr" as `YYYY-MM-DDTHH:MM`."""
    day, between, clock = text.rpartition(" um ")
    if not between:
        raise ValueError(f"{text!r} is no day with a time")
    return f"{read_date(day, reading)}T{read_time(clock, reading)}"


# --- lengths of time ---

_SPOKEN = {"eine halbe stunde": Fraction(30), "anderthalb stunden": Fraction(90)}
_match_length = re.compile(r"(?P<number>[a-zü]+|[0-9.,]+) (?P<unit>stunde|minute)(?P<several>n?)").fullmatch


def read_minutes(text: str, reading: SpanContext) -> int | float:
    """Return a length of time in minutes."""
    return _in_units(text, 1, reading)


def read_hours(text: str, reading: SpanContext) -> int | float:
    """Return a length of time in hours."""
    return _in_units(text, 60, reading)


def _in_units(text: str, minutes: int, reading: SpanContext) -> int | float:
    length = _length(text.lower()) / minutes
    if length.denominator == 1:
        return int(length)
    if not may_be_fraction(reading):
        raise ValueError(f"{text!r} is no whole number of units")
    return float(length)


def _length(text: str) -> Fraction:
    """Return a length of time in minutes."""
    if text in _SPOKEN:
        return _SPOKEN[text]
    first, between, second = text.partition(" und ")
    length, unit = _one_length(first)
    if not between:
        return length
    more, smaller = _one_length(second)
    if (unit, smaller) != (60, 1) or not 0 < more < 60 or length.denominator != 1:
        raise ValueError(f"the parts of {text!r} do not go together")
    return length + more


def _one_length(text: str) -> tuple[Fraction, int]:
    """Return the length of a number with its unit in minutes, and the minutes of the unit."""
    match = _match_length(text)
    if match is None:
        raise ValueError(f"{text!r} is no length of time")
    unit = 60 if match["unit"] == "stunde" else 1
    if match["number"] == "eine" or not match["several"]:
        if match["number"] != "eine" or match["several"]:
            raise ValueError(f"{text!r} mixes one and several")
        return Fraction(unit), unit
    spelled = _NUMBERS.get(match["number"])
    number = read_number(match["number"], SpanContext()) if spelled is None else spelled
    if number == 1:
        raise ValueError(f"{text!r} mixes one and several")
    return Fraction(str(number)) * unit, unit


# --- texts ---


def read_quoted(text: str, reading: SpanContext) -> str:
    """Return what stands between quotation marks: „so“ or "so"."""
    closing = {"„": "“", '"': '"'}.get(text[:1])
    inside = text[1:-1]
    if closing is None or len(text) < 2 or text[-1] != closing:
        raise ValueError(f"{text!r} is not in quotation marks")
    if text[0] in inside or closing in inside or not inside.isprintable():
        raise ValueError(f"{text!r} is not one quotation")
    return inside


def read_titled(text: str, reading: SpanContext) -> str:
    """Return a name with its title as the tools have it: `Dr Ida Roth` for "Dr. Ida Roth"."""
    if text.startswith("Dr ") or not text.isprintable():
        raise ValueError(f"{text!r} has a title without a full stop")
    return f"Dr {text[4:]}" if text.startswith("Dr. ") else text


def read_yes_no(text: str, reading: SpanContext) -> bool:
    """Return True for "ja", False for "nein"."""
    found = {"ja": True, "nein": False}.get(text.lower())
    if found is None:
        raise ValueError(f"{text!r} is not ja or nein")
    return found


GERMAN: tuple[tuple[str, Reader], ...] = (
    ("quoted", read_quoted),
    ("titled", read_titled),
    ("yes_no", read_yes_no),
    ("number", read_number),
    ("words", read_words),
    ("count", read_count),
    ("percent", read_percent),
    ("percentage", read_percentage),
    ("amount", read_amount),
    ("usd", read_usd),
    ("eur", read_eur),
    ("date", read_date),
    ("date_of", read_date_of),
    ("date_alone", read_date_alone),
    ("time", read_time),
    ("datetime", read_datetime),
    ("minutes", read_minutes),
    ("hours", read_hours),
)
