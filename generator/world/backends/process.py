"""A Python module in a sandbox of its own, which serves one conversation after the other."""

import time
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec

from generator.core.errors import SpecError
from generator.core.sandbox.sandbox import (
    FEW_VARIABLES,
    MODULE_LIMITS,
    Answer,
    Ended,
    Sandbox,
    TooManyProcessesError,
    output_tail,
)
from generator.core.sandbox.wire import DisconnectedError, MalformedAnswerError, Message, NoAnswerError

_DRIVER = Path(__file__).with_name("program.py")
_MOST_WAITED = 30.0
"""Seconds that a call may wait for a processor beyond its limit."""
_PATIENCE = 15.0
"""Seconds for what takes no time."""
_MOMENT = 0.05
"""Seconds in which a conversation's process may end by itself."""
_NOT_BEGUN = "no conversation can be begun"


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a handler: time, memory and length of results."""

    seconds: float = 0.1
    """For one call, without the time that the process waits for a processor."""
    start_seconds: float = 30.0
    """For importing the module."""
    memory: int = 1 << 30
    """Bytes of address space."""
    longest: int = 65536
    """Characters of one result."""


class EndedError(Exception):
    """The process that served a conversation is gone; the text says how: an exit code, a signal, or what it sent."""


class LateError(Exception):
    """No answer came in time."""


class ModuleReport(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a module holds, or why it cannot be imported (`fault`)."""

    fault: str | None = None
    line: int = 0
    """The line of the file that cannot be imported; 0: none."""
    has_tools: bool = False
    type: str = "NoneType"
    """The type of `TOOLS`."""
    handler: str = ""
    """Where `handle_tool_call` stands: `class`, `module`, or nowhere."""
    tools: Any = None
    not_json: str | None = None
    """Why `TOOLS` is no JSON."""


class _Functions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    functions: list[dict[str, Any]]


class CallAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What became of a call: one of these."""

    result: str | None = None
    raised: str | None = None
    type: str | None = None
    """Of a result that is no text."""
    length: int | None = None
    """Of a result that is too long."""
    late: bool = False
    ended: int | None = None
    """The exit code of the conversation's process, negative for a signal."""


class _Opened(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pid: int = 0
    fault: str | None = None
    ended: int | None = None


class ModuleProcess:
    """A Python file, or a module of that name, loaded in a sandbox. One conversation at a time."""

    def __init__(self, module: str, limits: Limits) -> None:
        self.module, self.limits = module, limits
        self._sandbox = Sandbox(FEW_VARIABLES)
        self._is_open = False
        self._pid = 0
        """The id of the process that serves the open conversation."""

    def load(self) -> ModuleReport:
        """Start the process and import the module.

        Raises:
            SpecError: when it cannot be imported.
        """
        name, folder = self.module, str(Path.cwd())
        if name.endswith(".py"):
            name = str(Path(name).resolve())
            folder = str(Path(name).parent)
        limits = msgspec.structs.replace(MODULE_LIMITS, memory=self.limits.memory)
        self._is_open = False
        self._sandbox.start_code(_DRIVER, {"module": name, "folder": folder}, limits, [Path(folder)])
        report = self._ask({"do": "load"}, ModuleReport, "it cannot be imported")
        if report.fault is not None:
            line = f":{report.line}" if report.line else ""
            raise SpecError(f"{self.module}{line}: it cannot be imported: {report.fault}")
        return report

    def functions(self) -> list[dict[str, Any]]:
        """Return the functions of the loaded module, described by JSON Schemas. Raises SpecError."""
        return self._ask({"do": "functions"}, _Functions, "its functions cannot be read").functions

    def open(self, seed: int, today: date) -> None:
        """Begin a conversation in which chance comes from `seed` and the clock stands at noon of `today`.

        Raises:
            SpecError: when the module cannot be loaded for it.
        """
        self.close()
        if not self._sandbox.is_running:
            self.load()
        noon = datetime(today.year, today.month, today.day, 12, tzinfo=UTC).timestamp()
        limits = {"seconds": self.limits.seconds, "longest": self.limits.longest}
        opened = self._ask({"do": "open", "seed": seed, "now": noon, **limits}, _Opened, _NOT_BEGUN)
        self._is_open, self._pid = opened.ended is None, opened.pid
        if opened.fault is not None or opened.ended is not None:
            self.close()
            raise SpecError(f"{self.module}: {_NOT_BEGUN}: {opened.fault or 'its process ended'}")

    def call(self, name: str, arguments: dict[str, Any]) -> CallAnswer:
        """Return the handler's answer in the open conversation.

        Raises:
            LateError: when the limit is reached; the conversation is closed then.
            EndedError: when the process ended; the conversation is closed then.
        """
        try:
            self._sandbox.send({"do": "call", "name": name, "input": arguments}, self.limits.seconds + _PATIENCE)
            answer = self._hear_in_time()
        except NoAnswerError:
            self._sweep()
            raise LateError from None
        except MalformedAnswerError as fault:
            self._sweep()
            raise EndedError(f"it sent something else than an answer: {fault}") from None
        except DisconnectedError:
            ended = self._sandbox.end()
            self._refuse_many_processes(ended.crowded)
            raise EndedError(ended.reason) from None
        if answer.ended is not None:
            self._is_open = False
            self._sweep()
            raise EndedError(Ended(answer.ended).reason)
        if answer.late:
            raise LateError
        return answer

    def close(self) -> None:
        """End the open conversation, if there is one, and whatever it has started."""
        if not self._is_open or not self._sandbox.is_running:
            return
        with suppress(NoAnswerError, DisconnectedError, MalformedAnswerError):
            self._sandbox.send({"do": "close"}, _MOMENT)
            self._is_open = self._sandbox.receive(CallAnswer, _MOMENT).ended is None
        self._sweep()

    def stop(self) -> None:
        """End the process and whatever it has started."""
        self._is_open = False
        self._sandbox.close()

    def _sweep(self) -> None:
        """End what is left of a conversation, its process included."""
        try:
            self._sandbox.end_descendants()
            while self._is_open:
                self._is_open = self._sandbox.receive(CallAnswer, _PATIENCE).ended is None
        except TooManyProcessesError:
            self._refuse_many_processes(True)
        except NoAnswerError:
            self.stop()
            raise SpecError(
                f"{self.module}: its process did not go on within {_PATIENCE:g} seconds after a conversation"
            ) from None
        except (DisconnectedError, MalformedAnswerError):
            self._is_open = False
            self._refuse_many_processes(self._sandbox.end().crowded)

    def _refuse_many_processes(self, crowded: bool) -> None:
        """End the process and raise SpecError where its module has started too many others."""
        if crowded:
            self.stop()
            raise SpecError(f"{self.module}: it starts more than {MODULE_LIMITS.processes} processes")

    def _ask(self, request: Message, answer: type[Answer], failing: str) -> Answer:
        """Return the answer to a request that has time to load; a process that gives none is ended. Raises SpecError."""
        try:
            return self._sandbox.ask(request, answer, self.limits.start_seconds)
        except NoAnswerError:
            fault = f"no answer within {self.limits.start_seconds:g} seconds"
        except MalformedAnswerError as garbled:
            fault = f"it sent something else than an answer: {garbled}"
        except DisconnectedError:
            fault = ""
        ended = self._sandbox.end()
        self._refuse_many_processes(ended.crowded)
        fault = fault or f"its process ended ({ended.reason})"
        said = output_tail(ended)
        raise SpecError(f"{self.module}: {failing}: {fault}{f'; it said: {said}' if said else ''}")

    def _hear_in_time(self) -> CallAnswer:
        """Return the answer to a call; time spent waiting for a processor does not count."""
        began, waited = time.monotonic(), _time_waited(self._pid)
        left = self.limits.seconds
        while True:
            try:
                return self._sandbox.receive(CallAnswer, max(left, 0.005))
            except NoAnswerError:
                spent = time.monotonic() - began
                left = self.limits.seconds - (spent - (_time_waited(self._pid) - waited))
                if left <= 0 or spent > self.limits.seconds + _MOST_WAITED:
                    raise


def _time_waited(pid: int) -> float:
    """Return seconds that a process was ready to run but had no processor (Linux; elsewhere 0)."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
