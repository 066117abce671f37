"""How the values of a tool are said, at each place and in each kind of text."""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.tongues import ANSWERS, Spot, Tongue, spot_at
from generator.validation.proof.spans import SlotReader, place_at
from generator.validation.readers.messages import clause_of


class Verbalization(msgspec.Struct, eq=False):
    """One verbalizer at one place of a tool's arguments or result."""

    place: SlotReader
    """How its words are read."""
    spot: Spot
    """What may stand around them."""
    find: Callable[[Any], Any]
    """Takes the value out of the arguments or the result; raises LookupError."""


def verbalization(spec: ToolSpec, tongue: Tongue, of: str, pointer: str, verbalizer: str | None) -> Verbalization:
    """Return how a verbalizer says a value of the tool's result or arguments (`of`) in requests, replies or answers."""
    place = place_at(spec, pointer, verbalizer or "", of)
    find = place.find
    if tongue is ANSWERS and verbalizer == "count":
        find = _counted(find)
    elif verbalizer == "message" and of == "result":
        find = _as_message(find)
    return Verbalization(place, spot_at(tongue, spec, of, pointer, verbalizer or "reference"), find)


def _counted(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that gives the number of elements of a list, and other values as they are."""

    def count(source: Any) -> Any:
        value = find(source)
        return len(value) if type(value) is list else value

    return count


def _as_message(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that gives the text of an error as a clause."""
    return lambda source: clause_of(find(source))
