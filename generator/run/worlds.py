"""The worlds of episodes, opened as a row's was, many at once; the backends of a recipe that really run something."""

import shlex
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Any

import orjson

from generator.arguments import arguments_schema, compile_value
from generator.core.documents import nearest
from generator.core.errors import RecipeError, SpecError
from generator.core.offline_schemas import validator
from generator.core.profiles import PROFILES
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox, ToolSpec
from generator.episodes import Task
from generator.recipe import Recipe
from generator.recipe.tools import EVERY_TOOL, ArgumentSource
from generator.tools.specs.readers.live import list_server_tools
from generator.world import Worlds, compile_backend
from generator.world.backends.external import Http, HttpLimits, McpTools, Mixed, PythonTools, Recorded, stop
from generator.world.backends.mcp_session import McpLimits
from generator.world.backends.process import Limits
from generator.world.outcome import World


def real_backend(recipe: Recipe, toolbox: Toolbox, schema: Worlds) -> Worlds:
    """Return what answers the calls of a recipe whose `backend` is more than a word; `schema` answers from `returns`.

    Raises:
        SpecError: when a module or file cannot be loaded.
        RecipeError: for a tool that is not there, or that its backend cannot answer.
    """
    names = {spec.name: spec.origin.name for spec in toolbox.values() if spec.origin.name}
    opened: dict[ArgumentSource, Worlds] = {}
    answers: dict[str, Worlds] = {}
    for tool, _ in recipe.backends:
        if tool != EVERY_TOOL and tool not in toolbox:
            raise RecipeError(f"there is no tool {tool!r}{nearest(tool, toolbox)}", ("backend", "tools", tool))
    for name, spec in toolbox.items():
        source = recipe.answered_by(spec)
        if source is not None and source not in opened:
            opened[source] = _open_backend(source, recipe, names)
        answers[name] = schema if source is None else opened[source]
        _check_offered(name, names.get(name, name), answers[name])
    first_backend = next(iter(answers.values()), schema)
    return Mixed(schema, answers) if any(answer is not first_backend for answer in answers.values()) else first_backend


def recorded_arguments(backend: Worlds, spec: ToolSpec) -> Callable[[Draw], dict[str, Any]] | None:
    """Return what draws the arguments of a tool that is answered from recorded calls: those that were recorded with a result.

    None for any other tool, and where no recorded arguments are valid.
    """
    answering = backend.answering(spec.name) if isinstance(backend, Mixed) else backend
    if not isinstance(answering, Recorded):
        return None
    checker = validator(arguments_schema(spec.tool.parameters))
    valid_arguments = [
        orjson.dumps(arguments) for arguments in answering.arguments_of(spec.name) if checker.is_valid(arguments)
    ]
    return (lambda draw: orjson.loads(draw.choice(valid_arguments))) if valid_arguments else None


def _open_backend(source: ArgumentSource, recipe: Recipe, names: Mapping[str, str]) -> Worlds:
    """Start the module, file of recorded calls or server that a source names."""
    limits: dict[str, Any] = {key: limit for key in ("seconds", "attempts") if (limit := getattr(source, key))}
    if source.python is not None:
        limits |= {"memory": source.memory << 20} if source.memory else {}
        is_plain = recipe.profile is not None and PROFILES[recipe.profile].plain_results
        return PythonTools(str(source.python), Limits(**limits), names, plain=is_plain)
    if source.recorded is not None:
        return Recorded(source.recorded)
    if source.command:
        return McpTools(source.command, McpLimits(**limits), source.session, names)
    return Http(source.http, HttpLimits(**limits))


def _check_offered(name: str, known_as: str, backend: Worlds) -> None:
    """A module or an MCP server must have every tool that it is to answer."""
    if isinstance(backend, PythonTools):
        holder, offered = backend.handlers.process.module, [tool.name for tool in backend.handlers.tools]
    elif isinstance(backend, McpTools):
        holder, offered = (
            shlex.join(backend.command),
            [server_tool.name for server_tool in list_server_tools(backend.command)],
        )
    else:
        return
    if known_as not in offered:
        raise SpecError(f"{holder}: it has no tool {known_as!r}{nearest(name, offered)}")


class OpenWorlds:
    """Opens the worlds of rows that are played."""

    def __init__(self, recipe: Recipe, toolbox: Toolbox, seed: int, backend: Worlds) -> None:
        self.lock: AbstractContextManager[object] = threading.RLock()
        self._recipe, self._toolbox, self._seed, self._backend = recipe, toolbox, seed, backend
        self._runs_code = recipe.has_real_backend
        self._free: Worlds | None = None
        """A backend that runs code and serves one conversation at a time, while nobody plays with it."""

    @contextmanager
    def world(self, task: Task) -> Iterator[World]:
        """Open the world of a row."""
        today, salt = task.opening.today, task.opening.salt
        if not self._runs_code:
            with self._backend.open(today, salt) as world:
                yield world
            return
        with self.lock:
            backend, self._free = self._free or self._another(), None
        try:
            with backend.open(today, salt) as world:
                yield world
        finally:
            with self.lock:
                surplus, self._free = self._free, backend
            if surplus is not None:
                stop(surplus)

    def _another(self) -> Worlds:
        """Return a backend of its own for an episode, since modules serve one conversation at a time."""
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
