"""How many rows a recipe with `rows: coverage` has."""

import msgspec

from generator.recipe import Recipe
from generator.run.engine.checked_row import make_checked_row
from generator.run.engine.failed_rows import FailedRow
from generator.run.row import PreparedRecipe
from generator.run.usable import prepare_usable

_ROUNDS = 3
"""The rows end when so many rounds over all targets have reached nothing new."""


def settle_rows(recipe: Recipe) -> Recipe:
    """Return the recipe with a number of rows, which is found out by making them (and making them again later).

    Raises:
        GeneratorError: the tools cannot serve the recipe, or a row cannot be made.
    """
    if recipe.rows:
        return recipe
    return msgspec.structs.replace(recipe, rows=rows_until_covered(prepare_usable(recipe)))


def rows_until_covered(prepared: PreparedRecipe) -> int:
    """Return the number of rows after which all coverage goals are reached, but for those that no row seems to reach."""
    aims = prepared.aims
    assert aims is not None
    possible = sum(len(tool.goals) for tool in aims.tools.values())
    reached: set[tuple[str, int]] = set()
    needed = index = 0
    while len(reached) < possible and index - needed < _ROUNDS * len(aims.targets):
        made = make_checked_row(prepared, index)
        shown = {} if isinstance(made, FailedRow) else aims.reached(made.row.conversation)
        found = {(tool, goal) for tool, goals in shown.items() for goal in goals}
        index += 1
        if not found <= reached:
            reached |= found
            needed = index
    return max(needed, 1)
