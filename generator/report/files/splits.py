"""Which part of the data set a row belongs to: decided by its index alone, so that it never moves."""

from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

from generator.core.seeds import stream_seed
from generator.recipe import TWINS, Recipe
from generator.recipe.settings import rows_together

_SEEDS = 2**64


def split_of(recipe: Recipe) -> Callable[[int], str | None]:
    """Return a function from a row's index to the name of its split; None when there are no splits.

    The rows of a family of twins, and those of a pair, are in the same split.
    """
    if not recipe.splits:
        return lambda index: None
    names = tuple(name for name, _ in recipe.splits)
    bounds = tuple(accumulate(share for _, share in recipe.splits))
    most, seed = len(names) - 1, recipe.seed
    together = rows_together(recipe.no_call) if recipe.no_call is not None else len(TWINS) if recipe.twins else 1

    def split(index: int) -> str | None:
        place = stream_seed(seed, "split", index // together) / _SEEDS * bounds[-1]
        return names[min(bisect_right(bounds, place), most)]

    return split
