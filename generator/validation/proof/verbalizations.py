"""How the values of a tool are said, at each place and in each kind of text."""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.tongues import ANSWERS, Spot, Tongue, spot_at
from generator.validation.proof.spans import SlotReader, place_at, places_of
from generator.validation.readers.messages import clause_of


class Verbalization(msgspec.Struct, eq=False):
    """One verbalizer at one place of a tool's arguments or result."""

    place: SlotReader
    """How its words are read."""
    spot: Spot
    """What may stand around them."""
    find: Callable[[Any], Any]
    """Takes the value out of the arguments or the result; raises LookupError."""
    known: dict[str, Any]
    """Cache: words that were read here before, and their values."""
    literal: bool
    """Whether the value itself, as text, counts as its words."""


class Verbalizations(msgspec.Struct, eq=False):
    """Cache: the ways to say the values of one tool, by tongue, then by (of, pointer, verbalizer)."""

    spec: ToolSpec
    by_tongue: dict[Tongue, dict[tuple[str, str, str | None], Verbalization]]


def sayings_of(spec: ToolSpec) -> Verbalizations:
    """Return what is known so far of how values of a tool are said."""
    known = _KNOWN.get(id(spec))
    if known is None or known.spec is not spec:
        if len(_KNOWN) >= _MOST_TOOLS:
            _KNOWN.clear()
        known = _KNOWN[id(spec)] = Verbalizations(spec, {})
    return known


_KNOWN: dict[int, Verbalizations] = {}
"""By id of the tool, which is kept alive so that no other object gets its id."""
_MOST_TOOLS = 2048
_MOST_SAYINGS = 2048


def saying_of(sayings: Verbalizations, tongue: Tongue, of: str, pointer: str, verbalizer: str | None) -> Verbalization:
    """Return how a verbalizer says a value in requests, replies or answers."""
    known = sayings.by_tongue.get(tongue)
    if known is None:
        known = sayings.by_tongue[tongue] = {}
    saying = known.get((of, pointer, verbalizer))
    if saying is None:
        if len(known) >= _MOST_SAYINGS:  # long lists could have many pointers
            known.clear()
        spec, way = sayings.spec, verbalizer or "reference"
        place = place_at(places_of(spec), spec, pointer, verbalizer or "", of)
        find = place.find
        if tongue is ANSWERS and verbalizer == "count":
            find = _counted(find)
        elif verbalizer == "message" and of == "result":
            find = _as_message(find)
        spot = spot_at(tongue, spec, of, pointer, way)
        saying = known[of, pointer, verbalizer] = Verbalization(place, spot, find, place.known, place.literal)
    return saying


def _counted(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that gives the number of elements of a list, and other values as they are."""

    def count(source: Any) -> Any:
        value = find(source)
        return len(value) if type(value) is list else value

    return count


def _as_message(find: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function that gives the text of an error as a clause."""
    return lambda source: clause_of(find(source))
