"""Faults of recipes: values with a place, which are reported together."""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import NamedTuple

from generator.core.documents import Document, Place
from generator.core.errors import RecipeError

_MOST_TOLD = 20
"""Faults that are told."""


class RecipeFault(NamedTuple):
    """A fault at a place of the recipe, with a hint at what may have been meant, which is computed when needed."""

    place: Place
    what: str
    near: Callable[[], str] = str


def raise_faults(document: Document, found: Iterable[RecipeFault]) -> None:
    """Raise RecipeError for the faults: the first ones, and how many more there are."""
    rest = iter(found)
    faults = list(islice(rest, _MOST_TOLD))
    lines = [f"{document.at(at)}: {what}{near()}" for at, what, near in faults]
    more = sum(1 for _ in rest)
    if more:
        lines.append(f"{document.path}: and {more:,} more faults")
    if lines:
        raise RecipeError("\n".join(lines))
