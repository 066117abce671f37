"""Coordinates by the name of the place that is there: (38.7223, -9.1393) as "Lisbon"."""

from typing import Any

from generator.kinds.places import PLACES
from generator.wording.verbalizers.numbers import say_number
from generator.wording.voice import Voice

_AT = {at: (before, name) for name, (before, at) in PLACES.items()}


def say_place(value: Any, voice: Voice) -> str | None:
    """Return the place at a latitude and a longitude."""
    found = _found(value)
    return None if found is None else found[1]


def say_where(value: Any, voice: Voice) -> str | None:
    """Return the place at a latitude and a longitude, with the word before it: "in Lisbon", "near the Louvre"."""
    found = _found(value)
    return None if found is None else " ".join(found)


def say_point(value: Any, voice: Voice) -> str | None:
    """Return a latitude and a longitude in digits."""
    parts = [say_number(part, voice) for part in value]
    return None if None in parts else ", ".join(filter(None, parts))


def _found(value: Any) -> tuple[str, str] | None:
    is_pair = type(value) is tuple and all(type(part) is float for part in value)
    return _AT.get(value) if is_pair else None
