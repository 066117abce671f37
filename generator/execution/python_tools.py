"""Calls answered by the handler of a Python module with `TOOLS`, which runs in a child process."""

import json
from collections.abc import Sequence
from datetime import date
from types import TracebackType
from typing import Any, Self

from generator.conversation import ToolCall
from generator.execution.outcome import Outcome
from generator.handlers.lifecycle import ERROR, Handlers
from generator.handlers.process import Limits
from generator.profiles import Profile


class PythonTools:
    """The backend of one module. Conversations are served one after the other, each from a fresh state.

    Args:
        module: Path of the Python file.
        limits: Time, memory and length of results.
        profile: Limits of arguments and results.

    Raises:
        SpecError: when the module cannot be loaded.
    """

    def __init__(self, module: str, limits: Limits | None = None, profile: Profile | None = None) -> None:
        self.handlers = Handlers(module, limits, profile)

    def open(self, today: date, salt: int) -> "PythonWorld":
        """A world in which chance comes from `salt` and the clock stands at noon of `today`."""
        self.handlers.open(salt, today)
        return PythonWorld(self.handlers)

    def stop(self) -> None:
        """End the child process."""
        self.handlers.stop()


class PythonWorld:
    """One conversation with a handler."""

    def __init__(self, handlers: Handlers) -> None:
        self._handlers = handlers

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._handlers.close()

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """The handler's answers, in the order of the calls."""
        return tuple([outcome_of(self._handlers.call(call.name, call.arguments)) for call in calls])


def outcome_of(content: str) -> Outcome:
    """What a text means: one that begins with `Error: ` is a failure."""
    return Outcome(not content.startswith(ERROR), content, _value_of(content))


def _value_of(content: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
