"""Coordinates by the name of the place that is there: (38.7223, -9.1393) as "Lisbon"."""

from typing import Any

from generator.arguments.kinds.places import PLACES
from generator.dialogue.values.say.numbers import say_number
from generator.dialogue.values.say.texts import say_json
from generator.dialogue.values.voice import Voice

_NAMED = {f"{latitude},{longitude}": name for name, (_, (latitude, longitude)) in PLACES.items()}
_AT = {at: (before, name) for name, (before, at) in PLACES.items()}


def say_place(value: Any, voice: Voice) -> str | None:
    """Return the place at a latitude and a longitude."""
    found = _found(value)
    return None if found is None else found[1]


def say_where(value: Any, voice: Voice) -> str | None:
    """Return the place at a latitude and a longitude, with the word before it: "in Lisbon", "near the Louvre"."""
    found = _found(value)
    return None if found is None else " ".join(found)


def say_coordinates(value: Any, voice: Voice) -> str | None:
    """Return the place at a point that one text gives: `38.7223,-9.1393` as "Lisbon"."""
    return _NAMED.get(value) if type(value) is str else None


def say_point(value: tuple[float, float], voice: Voice) -> str:
    """Return a latitude and a longitude in digits."""
    return ", ".join([say_number(part, voice) or say_json(part, voice) or "" for part in value])


def _found(value: Any) -> tuple[str, str] | None:
    is_pair = type(value) is tuple and all(type(part) is float for part in value)
    return _AT.get(value) if is_pair else None
