"""Several backends in one conversation: each tool has its own."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import date
from types import TracebackType
from typing import Self

from generator.core.conversation import ToolCall
from generator.core.planning import Outcome
from generator.world.outcome import World, Worlds
from generator.world.state import Entities, State, entities_of, state_of


def stop(backend: Worlds) -> None:
    """End the processes of a backend that has any."""
    ending = getattr(backend, "stop", None)
    if ending is not None:
        ending()


class Mixed:
    """The backend of tools that others answer.

    Args:
        usual: Who answers calls of tools that are not named.
        by_tool: Who answers the others.
    """

    def __init__(self, usual: Worlds, by_tool: Mapping[str, Worlds]) -> None:
        self._usual, self._by_tool = usual, dict(by_tool)

    def answering(self, tool: str) -> Worlds:
        """Who answers the calls of a tool."""
        return self._by_tool.get(tool, self._usual)

    def stop(self) -> None:
        """End the processes of all backends."""
        for backend in (self._usual, *self._by_tool.values()):
            stop(backend)

    def open(self, today: date, salt: int = 0) -> "MixedWorld":
        """Return a world of worlds, one for each backend."""
        return MixedWorld(self._usual, self._by_tool, today, salt)


class MixedWorld:
    """The worlds of one conversation."""

    def __init__(self, usual: Worlds, by_tool: Mapping[str, Worlds], today: date, salt: int) -> None:
        self._stack = ExitStack()
        opened: dict[int, World] = {}
        with self._stack:
            for backend in (usual, *by_tool.values()):
                if id(backend) not in opened:
                    opened[id(backend)] = self._stack.enter_context(backend.open(today, salt))
            self._stack = self._stack.pop_all()
        self._usual = opened[id(usual)]
        self._declaring = next((world for world in opened.values() if state_of(world) is not None), self._usual)
        self._by_tool = {tool: opened[id(backend)] for tool, backend in by_tool.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    @property
    def entities(self) -> Entities | None:
        """Those of the world that has any."""
        return entities_of(self._declaring)

    @property
    def state(self) -> State | None:
        """That of the world that has one."""
        return state_of(self._declaring)

    def checks_arguments(self, tool: str) -> bool:
        """Whether the tool's own world refuses invalid arguments."""
        checks = getattr(self._by_tool.get(tool, self._usual), "checks_arguments", None)
        return checks is not None and bool(checks(tool))

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the outcomes, each world asked once for the calls that are its own."""
        groups: dict[int, tuple[World, list[int]]] = {}
        for index, call in enumerate(calls):
            world = self._by_tool.get(call.name, self._usual)
            groups.setdefault(id(world), (world, []))[1].append(index)
        found: dict[int, Outcome] = {}
        for world, places in groups.values():
            found |= zip(places, world.step([calls[place] for place in places]), strict=True)
        return tuple([found[index] for index in range(len(calls))])
