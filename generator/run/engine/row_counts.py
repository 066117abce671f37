"""How many rows are made: of a recipe with `rows: coverage`, and by a task on another machine."""

import time

import msgspec

from generator.recipe import Recipe
from generator.run.engine.checked_row import FailedRow, make_checked_row
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


_SIZES = (5000, 2000, 1000, 500, 200, 100, 50, 20, 10)
"""Rows of a task; the largest keeps a block below some 100 MB in every format."""
_SECONDS = 9.0
"""The longest that a task should take in seconds: long beside the overhead of a task, short beside what is lost with a machine."""
_LEAST_SECONDS = 1.0
_TASKS = 256
"""The number of tasks below which a run uses shorter ones."""
_SAMPLE = 100


def rows_of_a_task(prepared: PreparedRecipe, rows: int) -> int:
    """Return the number of rows that take 1 to 10 seconds of a core like this one.

    Args:
        prepared: The recipe; some of its rows are made and thrown away, which also fills its pools.
        rows: Of the whole run.
    """
    sample = min(_SAMPLE, rows)
    for index in range(sample):  # a first round, to warm up
        make_checked_row(prepared, index)
    begun = time.process_time()
    for index in range(sample):
        make_checked_row(prepared, index)
    return size_of(max(1e-6, (time.process_time() - begun) / sample), rows)


def size_of(seconds: float, rows: int) -> int:
    """Return the number of rows of a task when one row takes so many seconds."""
    most = min(_SECONDS / seconds, max(_LEAST_SECONDS / seconds, rows / _TASKS))
    return next((size for size in _SIZES if size <= most), _SIZES[-1])
