"""The signs of currencies.yaml, the units of units.yaml, and which one a number's name or description states."""

import re
from fractions import Fraction
from functools import cache

import msgspec

from generator.arguments.kinds.names import words_in_name
from generator.arguments.kinds.records import split_values
from generator.core.yaml_values import own_data

SIGNS: dict[str, str] = own_data(__file__, "currencies.yaml")
"""Code → sign."""


class Unit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One unit, and the words for it."""

    family: str
    """Units of one family are turned into each other."""
    size: str
    """How many of its family's smallest unit it is: a whole number."""
    one: str
    many: str
    short: str = ""
    british: str = ""
    names: str
    """Words of names and descriptions that state it."""

    @property
    def exact(self) -> Fraction:
        """Return the size as a number."""
        return Fraction(self.size)


UNITS: dict[str, Unit] = msgspec.convert(own_data(__file__), dict[str, Unit])
_BY_NAME = {name: unit for unit, record in UNITS.items() for name in split_values(record.names)}
_LONGEST_FIRST = "|".join(sorted(map(re.escape, _BY_NAME), key=len, reverse=True))
_STATED = re.compile(rf"(?:\b(?:in|of|number of) (?:whole |full )?|\()({_LONGEST_FIRST})(?![\w/²°-])", re.IGNORECASE)
_PER = re.compile(rf"\b(?:{_LONGEST_FIRST})(?: ?/| per )|(?:\bper |/ ?)(?:{_LONGEST_FIRST})\b", re.IGNORECASE)


@cache
def stated_unit(name: str, description: str) -> str | None:
    """Return the unit in which a number is given; None where nothing tells, or several units are named.

    The end of the name tells (`radius_km`), or the description: "Duration in minutes", "Weight (kg)".
    """
    if _PER.search(description) or "per" in words_in_name(name):
        return None
    units = {_BY_NAME[match.lower()] for match in _STATED.findall(description)}
    unit_of_last_word = _BY_NAME.get(words_in_name(name)[-1]) if words_in_name(name) else None
    if unit_of_last_word is not None:
        units.add(unit_of_last_word)
    return units.pop() if len(units) == 1 else None


def says_unit(text: str) -> bool:
    """Whether a text ends with a unit: "with radius km"."""
    return not _BY_NAME.keys().isdisjoint(text.lower().split()[-1:])
