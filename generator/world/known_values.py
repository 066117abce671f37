"""Makers of values that are known already: from the arguments of a call, or from earlier results."""

from collections.abc import Callable, Mapping
from typing import Any

from generator.core.pointers import resolve
from generator.world.making import ABSENT, CallDraw, MakeResult


def take_fact(key: str, is_valid: Callable[[Any], bool], otherwise: MakeResult) -> MakeResult:
    """Return a maker that takes what earlier results say of an entity if it is valid, and else makes the value."""

    def make(draw: CallDraw) -> Any:
        facts = draw.facts
        if facts and key in facts and is_valid(facts[key]):
            return facts[key]
        return otherwise(draw)

    return make


def take_value(read: Callable[[CallDraw], Any], is_valid: Callable[[Any], bool], otherwise: MakeResult) -> MakeResult:
    """Return a maker that takes what `read` finds if it is there and valid, and else makes the value."""

    def make(draw: CallDraw) -> Any:
        value = read(draw)
        return value if value is not ABSENT and is_valid(value) else otherwise(draw)

    return make


def argument_reader(slot: str, absent: Any = None) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function that reads an argument of a call; `absent` stands for one that the call does not have."""
    if "/" not in slot and "~" not in slot:
        return lambda arguments: arguments.get(slot, absent)

    def read(arguments: Mapping[str, Any]) -> Any:
        try:
            return resolve(arguments, slot)
        except LookupError:
            return absent

    return read
