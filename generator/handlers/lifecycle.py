"""The lifecycle of one call: read and validate arguments, call the handler, accept or refuse its result.

The error texts are those of "Runtime (Tool Execution)" in the data model's document.
"""

import json
from collections.abc import Sequence
from datetime import date
from typing import Any

from generator.conversation import Tool
from generator.errors import SpecError
from generator.handlers.parameters import InvalidParametersError, compile_check
from generator.handlers.process import CallAnswer, EndedError, LateError, Limits, ModuleProcess
from generator.handlers.states import Loaded, LoadState, check_report
from generator.profiles import Profile, arguments_excess, check_result

ERROR = "Error: "
"""How the text of every failed call begins."""
TIMED_OUT = f"{ERROR}Tool execution timed out"
NOT_TEXT = f"{ERROR}Tool must return string"


class Handlers:
    """A module with `TOOLS`, loaded and ready for calls.

    Args:
        module: Path of the Python file.
        limits: Limits of time, memory and length of results.
        profile: Limits of arguments and results; None: only `limits`.

    Raises:
        SpecError: when the module cannot be imported or its load state is FAILED_VALIDATION.
    """

    def __init__(self, module: str, limits: Limits | None = None, profile: Profile | None = None) -> None:
        self.process = ModuleProcess(module, limits or Limits())
        self.profile = profile
        self.loaded: Loaded = check_report(self.process.load())
        if self.loaded.state is LoadState.FAILED_VALIDATION:
            self.process.stop()
            lines = [f"{module}: {self.loaded.state.value}: {fault}" for fault in self.loaded.faults]
            raise SpecError("\n".join(lines))
        self._checks = {tool.name: compile_check(tool) for tool in self.loaded.tools}
        self._begun: tuple[int, date] = (0, date.min)
        self._done: list[tuple[str, dict[str, Any]]] = []
        self._is_open = False

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools that the module offers."""
        return self.loaded.tools

    def open(self, seed: int, today: date) -> None:
        """Begin a conversation: the handler's state is new."""
        self.close()
        self._begun, self._done = (seed, today), []

    def close(self) -> None:
        """End the conversation."""
        self._is_open = False
        self.process.close()

    def stop(self) -> None:
        """End the child process."""
        self._is_open = False
        self.process.stop()

    def call(self, name: str, arguments: str | dict[str, Any]) -> str:
        """Return the text that a model is told: the result, or `Error: …`.

        Args:
            name: The tool.
            arguments: An object, or its JSON text as providers send it.
        """
        if name not in self._checks:
            return f"{ERROR}Unknown tool: {name}"
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError) as fault:
                return f"{ERROR}Invalid JSON arguments - {fault}"
        if not isinstance(arguments, dict):
            return f"{ERROR}Invalid parameters - Input should be an object"
        for excess in arguments_excess(arguments, self.profile) if self.profile else ():
            return f"{ERROR}Invalid parameters - {excess.message}"
        try:
            ready = self._checks[name](arguments)
        except InvalidParametersError as fault:
            return f"{ERROR}Invalid parameters - {fault}"
        return self._run(name, ready)

    def _run(self, name: str, arguments: dict[str, Any]) -> str:
        """Call the handler; if its process ended, repeat the calls that succeeded in a new one."""
        try:
            self._resume()
            answer = self.process.call(name, arguments)
        except LateError:
            self._is_open = False
            return TIMED_OUT
        except EndedError as ended:
            self._is_open = False
            return f"{ERROR}Tool process ended ({ended})"
        self._done.append((name, arguments))
        return self._content(answer)

    def _resume(self) -> None:
        if self._is_open:
            return
        self.process.open(*self._begun)
        self._is_open = True
        for name, arguments in self._done:
            self.process.call(name, arguments)

    def _content(self, answer: CallAnswer) -> str:
        if answer.raised is not None:
            return f"{ERROR}{answer.raised.removeprefix(ERROR)}"
        if answer.length is not None:
            most = self.process.limits.longest
            return f"{ERROR}Tool result is too long ({answer.length:,} characters; {most:,} are the most)"
        result = answer.result
        if result is None or any("\ud800" <= letter <= "\udfff" for letter in result):
            return NOT_TEXT
        return self._bounded(result)

    def _bounded(self, result: str) -> str:
        for excess in check_result(result, self.profile) if self.profile else ():
            return f"{ERROR}Tool result is too long ({excess.message})"
        return result
