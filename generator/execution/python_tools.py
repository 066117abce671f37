"""Calls answered by the handler of a Python module with `TOOLS`, which runs in a child process."""

from collections.abc import Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Self

from generator.conversation import ToolCall
from generator.execution.outcome import read_outcome
from generator.handlers.lifecycle import Handlers
from generator.handlers.process import Limits
from generator.planning import Outcome


class PythonTools:
    """The backend of one module. Conversations are served one after the other, each from a fresh state.

    Args:
        module: Path of the Python file.
        limits: Time, memory and length of results.
        plain: Whether results must be plain text.
        names: The module's names of tools that are called otherwise here.

    Raises:
        SpecError: when the module cannot be loaded.
    """

    def __init__(
        self,
        module: str,
        limits: Limits | None = None,
        names: Mapping[str, str] | None = None,
        *,
        plain: bool = False,
    ) -> None:
        self.handlers = Handlers(module, limits, plain=plain)
        self._names = dict(names or {})

    def open(self, today: date, salt: int = 0) -> "PythonWorld":
        """Return a world in which chance comes from `salt` and the clock stands at noon of `today`."""
        self.handlers.open(salt, today)
        return PythonWorld(self.handlers, self._names)

    def stop(self) -> None:
        """End the child process."""
        self.handlers.stop()


class PythonWorld:
    """One conversation with a handler."""

    def __init__(self, handlers: Handlers, names: Mapping[str, str]) -> None:
        self._handlers, self._names = handlers, names

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._handlers.close()

    def checks_arguments(self, tool: str) -> bool:
        """Whether invalid arguments of a tool are refused here."""
        return True

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the handler's answers, in the order of the calls."""
        return tuple(
            [read_outcome(self._handlers.call(self._names.get(call.name, call.name), call.arguments)) for call in calls]
        )
