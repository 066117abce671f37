"""Numbers with their unit, in the size in which people say them: 0.75 kilograms as "750 grams", 1500 meters as "1.5 km"."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from generator.arguments.kinds.units import UNITS, Unit
from generator.dialogue.values.say.numbers import say_number, small_number
from generator.dialogue.values.voice import Voice

_CLOCKS = frozenset(("seconds", "minutes", "hours"))
_MOST = 1_000_000
_HALVES = {
    "kilometers": "half a kilometer",
    "kilograms": "half a kilo",
    "miles": "half a mile",
    "liters": "half a liter",
}
_LARGER = {"milliseconds": ("seconds",), "meters": ("kilometers",), "grams": ("kilograms",), "milliliters": ("liters",), "millimeters": ("centimeters",), "centimeters": ("meters",), "days": ("weeks",)}  # fmt: skip
_SMALLER = {"kilometers": "meters", "kilograms": "grams", "liters": "milliliters"}
_WEEKS = (7, 14, 21, 28)


def _say(unit: str, value: Any, voice: Voice) -> str | None:
    if type(value) not in (int, float) or not 0 < value < _MOST or value != value:
        return None
    exact = Fraction(repr(value))
    other = _other_size(unit, exact)
    if other is not None:
        return _with(*other, voice)
    if value == 0.5 and unit in _HALVES:
        return _spelt(_HALVES[unit], UNITS[unit], voice)
    return _with(exact, unit, voice)


def _other_size(unit: str, exact: Fraction) -> tuple[Fraction, str] | None:
    """Return the value in the unit in which people say it; None where it stays as it is."""
    mine = UNITS[unit]
    if unit == "days":
        return (exact / 7, "weeks") if exact in _WEEKS else None
    if unit == "months":
        return (exact / 12, "years") if exact % 12 == 0 else None
    for larger in _LARGER.get(unit, ()):
        ratio = UNITS[larger].exact / mine.exact
        if exact >= ratio and (exact / ratio * (10 if unit != "centimeters" else 2)).denominator == 1:
            return exact / ratio, larger
    smaller = _SMALLER.get(unit)
    if smaller is not None and exact < 1 and exact != Fraction(1, 2):
        moved = exact * mine.exact / UNITS[smaller].exact
        if moved.denominator == 1 and moved >= 1:
            return moved, smaller
    return None


def _with(exact: Fraction, unit: str, voice: Voice) -> str | None:
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
        return _spelt(
            f"{_article(record.one)} {record.one}" if voice.small_numbers_as_words else f"1 {record.one}", record, voice
        )
    return _spelt(f"{digits} {record.many}", record, voice)


def _spelt(text: str, unit: Unit, voice: Voice) -> str:
    """Return the text with the unit spelt as the speaker does: those who write the day first are British here."""
    return text.replace(unit.one, unit.british) if unit.british and voice.date_style == "day_first" else text


def _article(word: str) -> str:
    return "an" if word[0] in "aeiou" or word == "hour" else "a"


UNIT_SAYERS: dict[str, Callable[[Any, Voice], str | None]] = {
    unit: partial(_say, unit) for unit in UNITS if unit not in _CLOCKS
}
"""Unit → what says a number of it; those of clocks are in durations.py."""
