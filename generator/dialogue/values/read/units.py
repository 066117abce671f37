"""Readers of numbers with a unit: "750 grams" in kilograms is 0.75. Any unit of the same family is understood."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from generator.arguments.kinds.records import split_values
from generator.arguments.kinds.units import UNITS
from generator.dialogue.values.read.numbers import NUMBER_WORDS
from generator.dialogue.values.read.reading import SpanContext, may_be_fraction

_AMOUNT = re.compile(
    r"(?P<number>[a-z-]+|(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|0|[1-9][0-9]*)(?:\.[0-9]{1,9})?) ?(?P<unit>[^\d,.].*)"
)
_CLOCKS = frozenset(("seconds", "minutes", "hours"))
_HALF = re.compile(r"half an? (?P<unit>.+)")


def _words_of_units() -> dict[str, str]:
    found: dict[str, str] = {}
    for name, unit in UNITS.items():
        for word in (
            unit.one,
            unit.many,
            unit.short,
            unit.british,
            f"{unit.british}s" if unit.british else "",
            *split_values(unit.names),
        ):
            found.setdefault(word.lower(), name)
    found.pop("")
    return found


_UNIT_OF = _words_of_units()


def _read(unit: str, text: str, reading: SpanContext) -> int | float:
    """Return a number in this unit."""
    amount, named = _parts(text.lower(), unit)
    if UNITS[named].family != UNITS[unit].family:
        raise ValueError(f"{text!r} is no number of {unit}")
    exact = amount * UNITS[named].exact / UNITS[unit].exact
    if exact.denominator == 1:
        return int(exact)
    if not may_be_fraction(reading):
        raise ValueError(f"{text!r} is not a whole number of {unit}")
    return float(exact)


def _parts(text: str, unit: str) -> tuple[Fraction, str]:
    half = _HALF.fullmatch(text)
    match = None if half else _AMOUNT.fullmatch(text)
    named = _UNIT_OF.get(half["unit"] if half else match["unit"] if match else "")
    if named in ("celsius", "fahrenheit") and (half["unit"] if half else match["unit"] if match else "").startswith(
        "degree"
    ):
        named = unit if unit in ("celsius", "fahrenheit") else named
    if named is None:
        raise ValueError(f"{text!r} is no number with a unit")
    if half is not None:
        return Fraction(1, 2), named
    assert match is not None
    word = match["number"]
    number = 1 if word in ("a", "an") else NUMBER_WORDS.get(word)
    if number is None and not word[0].isdigit():
        raise ValueError(f"{word!r} is no number")
    return Fraction(word.replace(",", "")) if number is None else Fraction(number), named


UNIT_READERS: dict[str, Callable[[str, SpanContext], int | float]] = {
    unit: partial(_read, unit) for unit in UNITS if unit not in _CLOCKS
}
