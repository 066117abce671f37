"""The worlds of episodes: opened as a row's was, many at once."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial

from generator.arguments import compile_value
from generator.core.toolbox import Toolbox
from generator.episodes.opening import Task
from generator.recipe import Recipe
from generator.world import Worlds, compile_backend
from generator.world.backends.external import stop
from generator.world.outcome import World

_MOST_FREE = 1
"""How many backends that run code are kept for the next conversation."""


class OpenWorlds:
    """Opens the worlds of rows that are played.

    Args:
        recipe: Of the rows; it can be played.
        toolbox: Its tools.
        seed: Of the prepared recipe.
        backend: What answers its calls.
    """

    def __init__(self, recipe: Recipe, toolbox: Toolbox, seed: int, backend: Worlds) -> None:
        self.lock: AbstractContextManager[object] = threading.RLock()
        self._recipe, self._toolbox, self._seed, self._backend = recipe, toolbox, seed, backend
        self._runs_code = recipe.has_real_backend
        self._free: list[Worlds] = []
        """Backends that run code and serve one conversation at a time, while nobody plays with them."""

    @contextmanager
    def world(self, task: Task) -> Iterator[World]:
        """Open the world of a row."""
        today, salt = task.opening.today, task.opening.salt
        if not self._runs_code:
            with self._backend.open(today, salt) as world:
                yield world
            return
        with self.lock:
            backend = self._free.pop() if self._free else self._another()
        try:
            with backend.open(today, salt) as world:
                yield world
        finally:
            self._give_back(backend)

    def _give_back(self, backend: Worlds) -> None:
        with self.lock:
            is_kept = len(self._free) < _MOST_FREE
            if is_kept:
                self._free.append(backend)
        if not is_kept:
            stop(backend)

    def _another(self) -> Worlds:
        """Return a backend of its own for an episode, since modules serve one conversation at a time."""
        from generator.run.backends import real_backend  # handlers only where they answer

        compiled = partial(compile_value, locale=self._recipe.arguments.locale)
        schema = compile_backend(self._toolbox, compiled, self._seed, sizes=self._recipe.results)
        return real_backend(self._recipe, self._toolbox, schema)


class OneTask:
    """A row that is there already, to be played any number of times."""

    def __init__(self, task: Task, worlds: OpenWorlds) -> None:
        self.lock, self._task, self._worlds = worlds.lock, task, worlds

    def task(self, index: int) -> Task:
        """Return the row."""
        return self._task

    def world(self, task: Task) -> AbstractContextManager[World]:
        """Open its world."""
        return self._worlds.world(task)
