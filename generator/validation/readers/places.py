"""Readers of places: the latitude and the longitude of "Lisbon", or of a point in digits."""

from generator.kinds.places import PLACES
from generator.validation.readers.numbers import read_number
from generator.validation.readers.reading import SpanContext

_POINTS = {name.casefold(): (before, point) for name, (before, point) in PLACES.items()}
_LIMITS = (90, 180)


def read_place(text: str, reading: SpanContext) -> tuple[float, float]:
    """Return the latitude and the longitude of a place."""
    known = _POINTS.get(text.casefold())
    return _read_point(text, reading) if known is None else known[1]


def read_where(text: str, reading: SpanContext) -> tuple[float, float]:
    """Return the latitude and the longitude of a place with the word before it."""
    before, _, name = text.partition(" ")
    if before.casefold() == "at":
        return _read_point(name, reading)
    known = _POINTS.get(name.casefold())
    if known is None or before.casefold() != known[0]:
        raise ValueError(f"{text!r} does not say where a known place is")
    return known[1]


def _read_point(text: str, reading: SpanContext) -> tuple[float, float]:
    numbers = [read_number(part, reading) for part in text.split(", ")]
    if len(numbers) != 2 or any(abs(number) > most for number, most in zip(numbers, _LIMITS, strict=True)):
        raise ValueError(f"{text!r} is neither a known place nor a latitude and a longitude")
    return numbers[0], numbers[1]
