"""Faults found while a recipe is prepared, told with what helps to mend them: file and line, and what was left out."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from generator.core.documents import Document, Place, dotted
from generator.core.errors import GeneratorError, PlanError, RecipeError
from generator.core.toolbox import LeftOut
from generator.recipe import Recipe

_MOST_TOLD = 3
"""How many tools that were left out a message names."""


@contextmanager
def naming(left_out: Sequence[LeftOut]) -> Iterator[None]:
    """Add to an error the first of what was left out, which may be what is missing."""
    try:
        yield
    except GeneratorError as fault:
        for one in left_out[:_MOST_TOLD]:
            fault.add_note(str(one))
        raise


@contextmanager
def with_lines(recipe: Recipe, place: Place = ()) -> Iterator[None]:
    """Add the recipe's file and line to errors about it and about scenarios that its tools cannot serve.

    Args:
        recipe: The recipe.
        place: The place in the recipe for errors without a place of their own.
    """
    try:
        yield
    except (RecipeError, PlanError) as fault:
        place = getattr(fault, "place", ()) or place
        if not place:
            raise
        where = Document(str(recipe.path), recipe.text, None).where(place)
        raise type(fault)(f"{where}: {dotted(place)}: {fault}") from None
