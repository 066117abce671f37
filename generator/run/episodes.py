"""The rows of a recipe as episodes."""

import threading
from array import array
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from generator.arguments import compile_value
from generator.data.splits import split_of
from generator.episodes.episode import Episode, Limits
from generator.episodes.opening import Task
from generator.errors import PlanError
from generator.execution import Worlds, compile_backend
from generator.execution.outcome import World
from generator.recipe import EVERY_TOOL, Recipe
from generator.run.engine.checked_row import make_checked_row
from generator.run.engine.failed_rows import FailedRow
from generator.run.prepared import PreparedRecipe, with_lines
from generator.run.usable import prepare_usable

_KEPT = 256
"""Rows that are kept: several episodes of one row follow each other, as a rule."""


class RecipeTasks:
    """The rows of a prepared recipe, ready to be played.

    Raises:
        PlanError: for a recipe whose calls are answered by something that cannot be opened again as it was.
    """

    def __init__(self, prepared: PreparedRecipe) -> None:
        with with_lines(prepared.recipe, ("backend",)):
            _check(prepared.recipe)
        self.prepared = prepared
        self.lock: AbstractContextManager[object] = threading.RLock()
        self._known: dict[int, Task] = {}
        self._runs_code = bool(prepared.recipe.backends)
        self._free: list[Worlds] = []
        """Backends that run code and serve one conversation at a time, while nobody plays with them."""

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

    @contextmanager
    def world(self, task: Task) -> Iterator[World]:
        """Open the world of a row."""
        today, salt = task.opening.today, task.opening.salt
        if not self._runs_code:
            with self.prepared.backend.open(today, salt) as world:
                yield world
            return
        with self.lock:
            backend = self._free.pop() if self._free else self._another()
        try:
            with backend.open(today, salt) as world:
                yield world
        finally:
            self._free.append(backend)

    def _another(self) -> Worlds:
        """Return a backend of its own for an episode, since modules serve one conversation at a time."""
        from generator.run.backends import real_backend  # handlers only where they answer

        prepared, recipe = self.prepared, self.prepared.recipe
        schema = compile_backend(
            prepared.toolbox,
            partial(compile_value, locale=recipe.arguments.locale),
            prepared.seed,
            sizes=recipe.results,
        )
        return real_backend(recipe, prepared.toolbox, schema)

    def episode(self, limits: Limits | None = None) -> Episode:
        """Return an episode that any of the rows can be played in, one after the other."""
        return Episode(self, limits)


def _check(recipe: Recipe) -> None:
    """Raise PlanError for what cannot be played."""
    if recipe.backend == "llm":
        raise PlanError("a model answers the calls of this recipe: what it would answer to other calls is not known")
    for tool, source in recipe.backends:
        what = "recorded" if source.recorded else "http" if source.http else "command" if source.command else ""
        named = "its tools" if tool == EVERY_TOOL else f"the tool {tool!r}"
        if what == "recorded":
            raise PlanError(
                f"recorded calls answer {named}: calls that were not recorded have no answer, so it cannot be played"
            )
        if what:
            raise PlanError(
                f"a server answers {named}: it cannot be set back to where a row begins, so it cannot be played"
            )


def open_recipe(recipe: Recipe) -> RecipeTasks:
    """Load and compile what a recipe names, and return its rows.

    Raises:
        GeneratorError: for tools that cannot be used, and for a recipe whose rows cannot be played.
    """
    if recipe.llm is not None:
        with with_lines(recipe, ("llm",)):
            raise PlanError("a model has a part in the rows of this recipe: play one without `llm`")
    return RecipeTasks(prepare_usable(recipe))
