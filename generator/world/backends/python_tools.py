"""Calls answered by the handler of a Python module with `TOOLS`, which runs in a child process."""

from collections.abc import Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import Self

from generator.core.conversation import ToolCall
from generator.core.planning import Outcome
from generator.core.profiles import ERROR
from generator.world.backends.python.lifecycle import ENDED, TIMED_OUT, Handlers
from generator.world.backends.python.process import Limits
from generator.world.backends.silence import Silence
from generator.world.outcome import read_outcome


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
        self._silence = Silence()

    def open(self, today: date, salt: int = 0) -> "PythonWorld":
        """Return a world in which chance comes from `salt` and the clock stands at noon of `today`."""
        self.handlers.open(salt, today)
        return PythonWorld(self.handlers, self._names, self._silence)

    def stop(self) -> None:
        """End the child process."""
        self.handlers.stop()


class PythonWorld:
    """One conversation with a handler."""

    def __init__(self, handlers: Handlers, names: Mapping[str, str], silence: Silence) -> None:
        self._handlers, self._names, self._silence = handlers, names, silence

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, at: TracebackType | None) -> None:
        self._handlers.close()

    def checks_arguments(self, tool: str) -> bool:
        """Whether invalid arguments of a tool are refused here."""
        return True

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the handler's answers, in the order of the calls."""
        return tuple([read_outcome(self._answer(call)) for call in calls])

    def _answer(self, call: ToolCall) -> str:
        content = self._handlers.call(self._names.get(call.name, call.name), call.arguments)
        if content.startswith((TIMED_OUT, ENDED)):
            self._silence.failure(call.name, content.removeprefix(ERROR))
        else:
            self._silence.answer(call.name)
        return content
