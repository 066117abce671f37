"""A child process that has loaded one Python module and serves conversations."""

import json
import os
import selectors
import signal
import struct
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec

from generator.errors import SpecError

_PROGRAM = Path(__file__).with_name("program.py")
_LENGTH = struct.Struct(">I")
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}
"""All that a handler's process is told of ours. A fixed hash seed keeps the order of sets."""
_MOST_BYTES = 1 << 26


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
    """The process that served a conversation is gone; `status` is its exit code, negative for a signal."""

    def __init__(self, status: int) -> None:
        super().__init__(str(status))
        self.status = status


class LateError(Exception):
    """No answer came in time."""


class ModuleProcess:
    """A child process with one module loaded. One conversation at a time.

    Args:
        module: Path of a Python file, or a module's name.
        limits: What it may take.
    """

    def __init__(self, module: str, limits: Limits) -> None:
        self.module, self.limits = module, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._pid = 0
        """The id of the process that serves the open conversation; 0: none is open."""
        self._owner = 0
        """The id of the process that started it: a forked worker starts a handler of its own."""

    def load(self) -> dict[str, Any]:
        """Start the process and import the module: a report of what it holds, or `{"fault": ...}`."""
        self._start()
        return self._ask({"do": "load"}, "import")

    def functions(self) -> dict[str, Any]:
        """Return the functions of the loaded module, described by JSON Schemas."""
        return self._ask({"do": "functions"}, "read")

    def open(self, seed: int, today: date) -> None:
        """Begin a conversation in which chance comes from `seed` and the clock stands at noon of `today`.

        Raises:
            SpecError: when the module cannot be loaded for it.
        """
        self.close()
        if self._process is None or self._owner != os.getpid() or self._process.poll() is not None:
            report = self.load()
            if "fault" in report:
                raise SpecError(f"{self.module}: it cannot be imported: {report['fault']}")
        noon = datetime(today.year, today.month, today.day, 12, tzinfo=UTC).timestamp()
        limits = {"seconds": self.limits.seconds, "longest": self.limits.longest}
        opened = self._ask({"do": "open", "seed": seed, "now": noon, **limits}, "open")
        self._pid = int(opened.get("pid", 0))
        if "fault" in opened or "ended" in opened:
            if "fault" in opened:
                self._read(self.limits.start_seconds)
            self._pid = 0
            raise SpecError(f"{self.module}: no conversation can be begun: {opened.get('fault', 'its process ended')}")

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the handler's answer in the open conversation.

        Raises:
            LateError: when the limit is reached; the conversation is closed then.
            EndedError: when the process ended; the conversation is closed then.
        """
        self._write({"do": "call", "name": name, "input": arguments})
        answer = self._read_in_time()
        if "ended" in answer:
            self._pid = 0
            raise EndedError(int(answer["ended"]))
        if answer.get("late"):
            raise LateError
        return answer

    def close(self) -> None:
        """End the open conversation, if there is one."""
        if self._pid and self._owner == os.getpid():
            with suppress(OSError):
                self._write({"do": "close"})
            self._end_copy()

    def stop(self) -> None:
        """End the process and whatever it has started."""
        process, self._process = self._process, None
        pid, self._pid = self._pid, 0
        if process is None:
            return
        is_ours = self._owner == os.getpid()
        for group in (pid, process.pid):
            if group and is_ours:
                _kill_group(group)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        if is_ours:
            process.wait()
        else:
            process.returncode = 0  # it is not our child: nobody here waits for it

    def __del__(self) -> None:
        """End the process when this object is no longer used."""
        with suppress(Exception):
            self.stop()

    def _start(self) -> None:
        self.stop()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-s", "-B", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            start_new_session=True,
            bufsize=0,
        )
        self._owner = os.getpid()
        name, folder = self.module, ""
        if name.endswith(".py"):
            name = str(Path(name).resolve())
            folder = str(Path(name).parent)
        self._write({"module": name, "folder": folder, "memory": self.limits.memory})

    def _ask(self, request: dict[str, Any], doing: str) -> dict[str, Any]:
        """Return the answer to a request that has time to load; a process that gives none is ended."""
        try:
            self._write(request)
            return self._read(self.limits.start_seconds)
        except LateError:
            self.stop()
            return {"fault": f"no answer to {doing} within {self.limits.start_seconds:g} seconds"}
        except (EOFError, OSError):
            self.stop()
            return {"fault": f"its process ended while it was to {doing}"}

    def _read_in_time(self) -> dict[str, Any]:
        """Return the answer to a call; time spent waiting for a processor does not count."""
        began, waited = time.monotonic(), _time_waited(self._pid)
        left = self.limits.seconds
        while True:
            try:
                return self._read(max(left, 0.005))
            except LateError:
                used = time.monotonic() - began - (_time_waited(self._pid) - waited)
                left = self.limits.seconds - used
                if left <= 0:
                    self._end_copy()
                    raise
            except EOFError:
                self.stop()
                raise EndedError(-9) from None

    def _end_copy(self) -> None:
        """Wait a moment for the copy to end by itself, then end it; read until its end is reported."""
        pid, self._pid = self._pid, 0
        deadline = time.monotonic() + 0.05
        killed = False
        while True:
            try:
                answer = self._read(5.0 if killed else max(0.0, deadline - time.monotonic()))
                if "ended" in answer:
                    break
            except LateError:
                if killed:
                    self.stop()
                    return
                killed = True
                _kill_group(pid)
            except EOFError:
                self.stop()
                return
        _kill_group(pid)  # what the handler has started

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        body = json.dumps(message).encode()
        data = memoryview(_LENGTH.pack(len(body)) + body)
        while data:
            data = data[self._process.stdin.write(data) :]

    def _read(self, seconds: float) -> dict[str, Any]:
        """Return the next message. Raises LateError when none begins in time, EOFError when the process is gone."""
        assert self._process is not None
        assert self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            if not selector.select(seconds):
                raise LateError
        size = _LENGTH.unpack(_take(pipe, _LENGTH.size))[0]
        if size > _MOST_BYTES:
            raise EOFError
        found: dict[str, Any] = json.loads(_take(pipe, size))
        return found


def _take(pipe: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = os.read(pipe, size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def _kill_group(pid: int) -> None:
    with suppress(OSError):
        os.killpg(pid, signal.SIGKILL)


def _time_waited(pid: int) -> float:
    """Return seconds that a process was ready to run but had no processor (Linux; elsewhere 0)."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
