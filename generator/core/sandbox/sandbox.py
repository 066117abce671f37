"""A sandbox: a process of its own that looks after foreign code (`supervisor.py`), and the wire to that code, or to a program."""

import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from generator.core.sandbox.confinement import hide, landlock_version
from generator.core.sandbox.supervisor import children
from generator.core.sandbox.wire import (
    MOST_BYTES,
    DisconnectedError,
    MalformedAnswerError,
    Message,
    NoAnswerError,
    Wire,
    packet_pair,
)

_PROGRAM = Path(__file__).with_name("supervisor.py")
_PATIENCE = 30.0
"""Seconds that the supervisor, which runs no foreign code, has for an answer."""
FEW_VARIABLES = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "TZ": "UTC", "PYTHONHASHSEED": "0"}
"""The environment variables that a module's process gets. A fixed hash seed keeps the order of sets."""
MOST_SAID = 500
"""Characters of what foreign code says that are put into a message."""

Answer = TypeVar("Answer")


class SandboxLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of what runs in a sandbox; None: none beyond those of this program."""

    memory: int | None = None
    """Bytes of address space of each process."""
    processes: int = 16
    """How many may run at once, the first one included."""
    files: int | None = None
    """How many may be open."""
    file_bytes: int | None = None
    """Bytes of a file that is written."""


MODULE_LIMITS = SandboxLimits(memory=1 << 30, files=64, file_bytes=1 << 24)
"""Of modules and strategies."""
PROGRAM_LIMITS = SandboxLimits(processes=512)
"""Of parsers and programs that somebody has typed the name of."""


class Ended(msgspec.Struct, frozen=True):
    """How the process that was started in a sandbox ended."""

    ended: int
    """Exit code, negative for a signal."""
    said: str = ""
    """The end of what it printed to stderr, and to stdout where that is not asked for."""
    crowded: bool = False
    """Whether it was ended because it had started too many processes."""
    killed: bool = False
    """Whether it ran until it was ended by its sandbox."""
    fault: str = ""
    """Why it could not be started, or cannot be looked after."""

    @property
    def reason(self) -> str:
        """What to tell when it is gone: that there were too many processes, else a signal or exit code."""
        if self.crowded or self.fault:
            return self.fault or "too many processes"
        if self.killed:
            return "it had closed its end of the connection"
        return f"signal {-self.ended}" if self.ended < 0 else f"exit code {self.ended}"


_LOST = Ended(-9, fault="the process that looks after it is gone")


class _EndedProcesses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    swept: int
    crowded: bool


class TooManyProcessesError(Exception):
    """Foreign code had started more processes than it may."""


def is_confined() -> bool:
    """Whether this system keeps modules from reading files: Linux with Landlock."""
    return landlock_version() > 0


class Sandbox:
    """Runs one piece of foreign code after the other; a copy of this process (fork) starts a supervisor of its own.

    Without an `environment` the foreign code finds all that this program has.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._control: Wire | None = None
        self._wire: Wire | None = None
        self._end: Ended | None = None
        self._owner = 0

    @property
    def is_running(self) -> bool:
        """Whether something was started by this process that is not known to have ended."""
        return self._owner == os.getpid() and self._process is not None and self._end is None

    def start_code(
        self, driver: Path, settings: Message, limits: SandboxLimits, readable: Sequence[Path] | None = None
    ) -> None:
        """Run Python code, which a driver loads.

        Args:
            driver: A file with `main(wire, settings)`, which imports nothing of this package.
            settings: What the driver's `main` gets.
            limits: What it may take.
            readable: Folders that it may read, but for hidden files; then it may write into a folder of its own only,
                where the system can see to that. None: it may use files as this program may.
        """
        ours, theirs = packet_pair()
        token = os.urandom(8)
        more = {"driver": str(driver), "settings": settings, "token": token.hex()}
        with theirs:
            self._start(more, [theirs.fileno()], limits, readable)
        self._wire = Wire(ours, token)

    def start_program(self, words: Sequence[str], stdin: int, stdout: int, limits: SandboxLimits) -> None:
        """Run a program with these descriptors; a program that is not there is reported as its end (`fault`)."""
        self._start({"driver": "", "words": list(words)}, [stdin, stdout], limits, None)

    def ask(self, message: Message, answer: type[Answer], seconds: float) -> Answer:
        """Send a message to the driver and return its answer; `seconds` is the time for both.

        Raises:
            NoAnswerError: when there is none in time.
            DisconnectedError: when the process is gone; `end` returns how it ended.
            MalformedAnswerError: when the answer has another shape, or is none.
        """
        began = time.monotonic()
        self.send(message, seconds)
        return self.receive(answer, seconds - (time.monotonic() - began))

    def send(self, message: Message, seconds: float) -> None:
        """Send a message to the driver. Raises like `ask`."""
        if self._wire is None:
            raise DisconnectedError
        self._wire.send(message, seconds)

    def receive(self, answer: type[Answer], seconds: float) -> Answer:
        """Return the driver's next message. Raises like `ask`."""
        if self._wire is None:
            raise DisconnectedError
        message = self._wire.receive(max(seconds, 0.0))
        try:
            return msgspec.convert(message, answer)
        except (msgspec.ValidationError, RecursionError, UnicodeEncodeError) as fault:
            raise MalformedAnswerError(f"another answer was expected ({fault})") from None

    def end_descendants(self) -> None:
        """End all that was started but the first process.

        Raises:
            DisconnectedError: when that is gone, too.
            TooManyProcessesError: when there were too many.
        """
        if not self.is_running or self._control is None or self._process is None:
            raise DisconnectedError
        if not self._has_leftovers(self._process.pid):
            return
        self._request({"do": "sweep"})
        while True:
            message = self._control.receive(_PATIENCE)
            if "swept" not in message:
                self._end = msgspec.convert(message, Ended)
                continue
            if msgspec.convert(message, _EndedProcesses).crowded:
                raise TooManyProcessesError
            if self._end is not None:
                raise DisconnectedError
            return

    def _has_leftovers(self, supervisor: int) -> bool:
        """Whether there is anything but the first process; to look is faster than to ask."""
        children_of_supervisor = children(supervisor)
        if len(children_of_supervisor) != 1 or children(children_of_supervisor[0]):
            return True
        with suppress(FileNotFoundError), os.scandir(self._scratch) as entries:
            return any(entries)
        return False

    def wait(self, seconds: float) -> Ended:
        """Wait for the end of what was started. Raises NoAnswerError when it has not ended in time."""
        self._await_end(seconds)
        assert self._end is not None
        return self._end

    def end(self) -> Ended:
        """End what was started and all that it has started, and return how it ended, if it had by itself."""
        if self._end is None and self.is_running and self._control is not None:
            try:
                self._request({"do": "end"})
                self._await_end(_PATIENCE)
            except (NoAnswerError, DisconnectedError, MalformedAnswerError):
                self.close()
        if self._wire is not None:  # not before: it would tell that nobody listens
            self._wire.close()
            self._wire = None
        return self._end or _LOST

    def close(self) -> None:
        """End the sandbox and whatever runs in it."""
        process, self._process = self._process, None
        for end in (self._wire, self._control):
            if end is not None:
                end.close()
        self._wire = self._control = None
        if process is None:
            return
        if self._owner != os.getpid():
            process.returncode = 0  # it is not our child: nobody here waits for it
            return
        try:
            process.send_signal(signal.SIGCONT)
            process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __del__(self) -> None:
        """End the sandbox when it is no longer used."""
        with suppress(Exception):
            self.close()

    def _start(
        self, details: Message, descriptors: list[int], limits: SandboxLimits, readable: Sequence[Path] | None
    ) -> None:
        """Have the supervisor start foreign code with these descriptors; `details` are what a driver or a program needs."""
        if self.is_running:
            self.end()
        self._open()
        assert self._control is not None
        self._end = None
        request: Message = {"do": "start", "descriptors": len(descriptors), **msgspec.structs.asdict(limits), **details}
        request["readable"] = None if readable is None else [str(folder.resolve()) for folder in readable]
        request["scratch"] = self._scratch if readable is not None else ""
        with suppress(DisconnectedError, OSError):  # the supervisor is gone, which `wait` and `end` tell
            self._request(request)
            socket.send_fds(self._control.end, [b"+"], descriptors)

    def _request(self, message: Message) -> None:
        """Send a message to the supervisor, which foreign code may have stopped."""
        if self._process is None or self._control is None:
            raise DisconnectedError
        self._process.send_signal(signal.SIGCONT)
        self._control.send(message, _PATIENCE)

    def _open(self) -> None:
        """Start the supervisor, unless it runs."""
        if self._process is not None and self._owner == os.getpid() and self._process.poll() is None:
            return
        self.close()
        hide()
        ours, theirs = packet_pair()
        self._scratch = f"{tempfile.gettempdir()}/room-{os.getpid()}-{os.urandom(6).hex()}"
        is_given = self._environment is not None
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", *(["-s", "-B"] if is_given else []), str(_PROGRAM), str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=self._environment,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        self._owner = os.getpid()
        self._control = Wire(ours, bytes(8))

    def _await_end(self, seconds: float) -> None:
        """Wait for the supervisor's message about the end of what was started; raises NoAnswerError when time is up."""
        if self._end is None and self._control is not None:
            try:
                self._end = msgspec.convert(self._control.receive(seconds), Ended)
            except DisconnectedError:  # somebody has ended the supervisor
                self._end = _LOST


def output_tail(ended: Ended) -> str:
    """Return, for a message, the last lines of what was printed, in short; empty when it was nothing."""
    text = " / ".join([line.strip() for line in ended.said.splitlines() if line.strip()][-3:])
    return text if len(text) <= MOST_SAID else f"…{text[-MOST_SAID:]}"


def run_program(
    sandbox: Sandbox, words: Sequence[str], stdin: int, limits: SandboxLimits, seconds: float, most: int = MOST_BYTES
) -> tuple[bytes, Ended]:
    """Return what a program that reads from the descriptor `stdin` writes to its stdout, and how it ended; nothing that it started goes on.

    Raises:
        NoAnswerError: when time is up.
        MalformedAnswerError: when it writes more than that.
    """
    ends = time.monotonic() + seconds
    reads, writes = os.pipe()
    with open(reads, "rb", buffering=0) as pipe:  # noqa: PTH123 - a descriptor
        try:
            sandbox.start_program(words, stdin, writes, limits)
        finally:
            os.close(writes)
        try:
            output = _read(pipe.fileno(), ends, most)
            return output, sandbox.wait(max(0.0, ends - time.monotonic()))
        finally:
            sandbox.end()


def _read(pipe: int, ends: float, most: int) -> bytes:
    """Return all that is written; the end of the program ends all that could still write."""
    output = bytearray()
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    while True:
        if not poll.poll(max(0.0, ends - time.monotonic()) * 1000):
            raise NoAnswerError
        more = os.read(pipe, 1 << 16)
        if not more:
            return bytes(output)
        output += more
        if len(output) > most:
            raise MalformedAnswerError(f"more than {most:,} bytes")


class LineProgram:
    """A program in a sandbox, alone there, that is talked to in lines, over its stdin and its stdout."""

    def __init__(self, sandbox: Sandbox, words: Sequence[str], limits: SandboxLimits) -> None:
        self._sandbox = sandbox
        self._found = bytearray()
        self._ends, self._left = 0.0, 0
        reads, writes = os.pipe()
        self._output, prints = os.pipe()
        self._input = writes
        os.set_blocking(writes, False)
        try:
            sandbox.start_program(words, reads, prints, limits)
        except BaseException:
            self._shut()
            raise
        finally:
            os.close(reads)
            os.close(prints)

    def allow(self, seconds: float, most: int = MOST_BYTES) -> None:
        """Begin something that may take this time, and this many bytes of output, in all."""
        self._ends, self._left = time.monotonic() + seconds, most

    def send(self, line: bytes) -> None:
        """Write a line. Raises like `receive`."""
        rest = memoryview(line + b"\n")
        while rest:
            if self._input in self._ready(self._input):
                with suppress(BlockingIOError):
                    try:
                        rest = rest[os.write(self._input, rest) :]
                    except BrokenPipeError:
                        raise DisconnectedError from None

    def receive(self) -> bytes:
        """Return the next line.

        Raises:
            NoAnswerError: when time is up.
            DisconnectedError: when it has ended, or closed its stdout.
            MalformedAnswerError: when it writes more than is allowed.
        """
        seen = 0
        while (stop := self._found.find(b"\n", seen)) < 0:
            seen = len(self._found)
            self._ready()
        line = bytes(self._found[:stop])
        del self._found[: stop + 1]
        return line

    def end(self, seconds: float = 0.0) -> Ended:
        """End it with all that it has started, and return how it ended; it has time to do so by itself once its stdin is closed."""
        if seconds and self._sandbox.is_running:
            self._shut()
            with suppress(NoAnswerError, DisconnectedError, MalformedAnswerError):
                self._sandbox.wait(seconds)
        ended = self._sandbox.end()
        self._shut()
        self._sandbox.close()
        return ended

    def _shut(self) -> None:
        """Close this program's ends of the pipes."""
        for number in (self._input, self._output):
            if number >= 0:
                os.close(number)
        self._input = self._output = -1

    def _ready(self, *writable: int) -> list[int]:
        """Wait for output, which is taken, or until one of the others can be written to; return the descriptors that are ready."""
        seconds_left = self._ends - time.monotonic()
        if seconds_left <= 0:
            raise NoAnswerError
        if self._output < 0:
            raise DisconnectedError
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        for number in writable:
            poll.register(number, select.POLLOUT)
        ready = [number for number, _ in poll.poll(seconds_left * 1000)]
        if self._output in ready:
            more = os.read(self._output, 1 << 16)
            if not more:
                raise DisconnectedError
            self._found += more
            self._left -= len(more)
            if self._left < 0:
                raise MalformedAnswerError("it writes more than is allowed")
        return ready
