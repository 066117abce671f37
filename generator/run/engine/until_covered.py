"""How many rows a recipe with `rows: coverage` has."""

import msgspec

from generator.recipe import Recipe
from generator.run.row import PreparedRecipe, make_row, prepare

_ROUNDS = 3
"""The rows end when so many rounds over all targets have reached nothing new."""


def settle_rows(recipe: Recipe) -> Recipe:
    """Return the recipe with a number of rows, which is found out by making them (and making them again later).

    Raises:
        GeneratorError: the tools cannot serve the recipe, or a row cannot be made.
    """
    if recipe.rows:
        return recipe
    return msgspec.structs.replace(recipe, rows=rows_until_covered(prepare(recipe)))


def rows_until_covered(prepared: PreparedRecipe) -> int:
    """Return the number of rows after which all coverage goals are reached, but for those that no row seems to reach."""
    aims = prepared.aims
    assert aims is not None
    possible = sum(len(tool.goals) for tool in aims.tools.values())
    reached: set[tuple[str, int]] = set()
    needed = index = 0
    while len(reached) < possible and index - needed < _ROUNDS * len(aims.targets):
        shown = aims.reached(make_row(prepared, index).row.conversation)
        found = {(tool, goal) for tool, goals in shown.items() for goal in goals}
        index += 1
        if not found <= reached:
            reached |= found
            needed = index
    return max(needed, 1)
