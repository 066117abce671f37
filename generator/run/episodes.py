"""The rows of a recipe as episodes."""

from array import array
from collections.abc import Sequence
from contextlib import AbstractContextManager

import msgspec

from generator.core.errors import PlanError
from generator.episodes.episode import Episode, Limits
from generator.episodes.opening import Task
from generator.recipe import Recipe
from generator.recipe.combinations import why_unplayable
from generator.recipe.load import places_of_models
from generator.report.files.contamination import split_of
from generator.run.engine.checked_row import make_checked_row
from generator.run.engine.failed_rows import FailedRow
from generator.run.prepared import PreparedRecipe
from generator.run.preparing.faults import with_lines
from generator.run.usable import prepare_usable
from generator.run.worlds import OpenWorlds
from generator.world.outcome import World

_KEPT = 256
"""Rows that are kept: several episodes of one row follow each other, as a rule."""


class RecipeTasks:
    """The rows of a prepared recipe, ready to be played.

    Raises:
        PlanError: for a recipe whose calls are answered by something that cannot be opened again as it was.
    """

    def __init__(self, prepared: PreparedRecipe) -> None:
        why = why_unplayable(prepared.recipe)
        with with_lines(prepared.recipe, ("backend",)):
            if why:
                raise PlanError(why)
        self.prepared = prepared
        self._worlds = OpenWorlds(prepared.recipe, prepared.toolbox, prepared.seed, prepared.backend)
        self.lock = self._worlds.lock
        self._known: dict[int, Task] = {}

    @property
    def rows(self) -> int:
        """How many rows the recipe says; others can be played, too."""
        return self.prepared.recipe.rows

    def splits(self) -> dict[str, Sequence[int]]:
        """Return the indices of the recipe's rows by split; all are in `train` where it has no splits."""
        recipe = self.prepared.recipe
        if not recipe.splits:
            return {"train": range(self.rows)}
        named = {name: array("q") for name, _ in recipe.splits}
        split = split_of(recipe)
        for index in range(self.rows):
            named[split(index) or ""].append(index)
        return dict(named)

    def task(self, index: int) -> Task:
        """Return a row that can be played.

        Raises:
            RowError: when it cannot be made.
            PlanError: when it is a document, which nobody can play.
        """
        with self.lock:
            found = self._known.get(index)
            if found is None:
                if len(self._known) >= _KEPT:
                    del self._known[next(iter(self._known))]
                found = self._known[index] = self._make(index)
            return found

    def _make(self, index: int) -> Task:
        if index < 0:
            raise PlanError(f"row {index}: rows are counted from 0")
        made = make_checked_row(self.prepared, index)
        if isinstance(made, FailedRow):
            raise PlanError(made.why)
        if made.opening is None:
            raise PlanError(f"row {index} is a document ({made.row.scenario}): there is nobody to talk to")
        return Task(row=made.row, opening=made.opening, toolbox=self.prepared.for_row(index).toolbox)

    def world(self, task: Task) -> AbstractContextManager[World]:
        """Open the world of a row."""
        return self._worlds.world(task)

    def episode(self, limits: Limits | None = None) -> Episode:
        """Return an episode that any of the rows can be played in, one after the other."""
        return Episode(self, limits)


def open_recipe(recipe: Recipe) -> RecipeTasks:
    """Load and compile what a recipe names, and return its rows.

    Raises:
        GeneratorError: for tools that cannot be used, and for a recipe whose rows cannot be played.
    """
    recipe = as_planned(recipe)
    if recipe.llm is not None:
        with with_lines(recipe, ("llm",)):
            raise PlanError("a model has a part in the rows of this recipe: play one without `llm`")
    return RecipeTasks(prepare_usable(recipe))


def as_planned(recipe: Recipe) -> Recipe:
    """Return a recipe without the model that plays its rows: these are then as they are before it does, in the templates' words."""
    if recipe.solve is None:
        return recipe
    alone = len(list(places_of_models(recipe))) == 1
    return msgspec.structs.replace(recipe, solve=None, llm=None if alone else recipe.llm)
