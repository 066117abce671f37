"""Tools that write something down, with the searches that find it again."""

from typing import TYPE_CHECKING

from generator.core.toolbox import is_same_kind
from generator.scenarios.affordances.going_back import fillers

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

Remembered = tuple[str, str, dict[str, str]]
"""A tool that writes something down, one that finds it again, and argument of the second → argument of the first with the same value."""


def find_remembered(toolkit: "Toolkit") -> tuple[Remembered, ...]:
    """Return the tools that write something down, each with one that finds it again."""
    found: list[Remembered] = []
    for writer in toolkit.starters:
        for finder in toolkit.starters:
            shared = _shared(toolkit, writer, finder)
            if shared and fillers(toolkit, writer):
                found.append((writer, finder, shared))
    return tuple(found)


def _shared(toolkit: "Toolkit", writer: str, finder: str) -> dict[str, str]:
    """Return argument of a search → argument of the tool that creates what it finds, where both hold the same field."""
    one, other = toolkit.toolbox[writer], toolkit.toolbox[finder]
    if one.effect is None or other.effect is None or one.effect.kind != "create" or other.effect.kind != "find":
        return {}
    if not is_same_kind(one, other):
        return {}
    given = one.required
    shared = {
        argument: field for argument, field in other.effect.by.items() if field in given and field not in one.effect.set
    }
    shared |= {argument: argument for argument in other.effect.by if argument in given}
    return shared if set(other.required) <= shared.keys() else {}
