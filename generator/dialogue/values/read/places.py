"""Readers of places: the latitude and the longitude of "Lisbon", or of a point in digits."""

from generator.arguments.kinds.places import PLACES
from generator.dialogue.values.read.numbers import read_number
from generator.dialogue.values.read.reading import SpanContext
from generator.dialogue.values.read.texts import read_json_words

_POINTS = {name.casefold(): (before, point) for name, (before, point) in PLACES.items()}


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


def read_coordinates(text: str, reading: SpanContext) -> str:
    """Return the point of a known place as one text, latitude first."""
    known = _POINTS.get(text.casefold())
    if known is None:
        raise ValueError(f"{text!r} is not a known place")
    return ",".join(map(repr, known[1]))


def _read_point(text: str, reading: SpanContext) -> tuple[float, float]:
    latitude, _, longitude = text.partition(", ")
    return _read_degrees(latitude, reading), _read_degrees(longitude, reading)


def _read_degrees(text: str, reading: SpanContext) -> float:
    number = read_json_words(text, reading) if "e" in text or text == "-0.0" else read_number(text, reading)
    if not isinstance(number, int | float):
        raise ValueError(f"{text!r} is neither a known place nor a number of degrees")
    return number
