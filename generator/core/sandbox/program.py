"""Programs in a room: what one writes to its stdout until it ends, or what it answers line by line."""

import os
import select
import time
from collections.abc import Sequence
from contextlib import suppress

from generator.core.sandbox.room import Ended, Room, RoomLimits
from generator.core.sandbox.wire import MOST_BYTES, GarbledError, GoneError, SilentError


def run_program(
    room: Room, words: Sequence[str], stdin: int, limits: RoomLimits, seconds: float, most: int = MOST_BYTES
) -> tuple[bytes, Ended]:
    """Return what a program writes to its stdout, and how it ended; nothing that it started goes on.

    Args:
        room: Where it runs.
        words: Program and arguments.
        stdin: The descriptor that it reads from.
        limits: What it may take.
        seconds: Time until it has ended.
        most: Bytes of its output.

    Raises:
        SilentError: when time is up.
        GarbledError: when it writes more than that.
    """
    ends = time.monotonic() + seconds
    reads, writes = os.pipe()
    with open(reads, "rb", buffering=0) as pipe:  # noqa: PTH123 - a descriptor
        try:
            room.start_program(words, stdin, writes, limits)
        finally:
            os.close(writes)
        try:
            output = _read(pipe.fileno(), ends, most)
            return output, room.wait(max(0.0, ends - time.monotonic()))
        finally:
            room.end()


def _read(pipe: int, ends: float, most: int) -> bytes:
    """Return all that is written; the end of the program ends all that could still write."""
    found = bytearray()
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    while True:
        if not poll.poll(max(0.0, ends - time.monotonic()) * 1000):
            raise SilentError
        more = os.read(pipe, 1 << 16)
        if not more:
            return bytes(found)
        found += more
        if len(found) > most:
            raise GarbledError(f"more than {most:,} bytes")


class LineProgram:
    """A program in a room that is talked to in lines, over its stdin and its stdout.

    Args:
        room: Where it runs, alone.
        words: Program and arguments.
        limits: What it may take.
    """

    def __init__(self, room: Room, words: Sequence[str], limits: RoomLimits) -> None:
        self._room = room
        self._found = bytearray()
        self._ends, self._left = 0.0, 0
        reads, writes = os.pipe()
        self._output, prints = os.pipe()
        self._input = writes
        os.set_blocking(writes, False)
        try:
            room.start_program(words, reads, prints, limits)
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
                        raise GoneError from None

    def receive(self) -> bytes:
        """Return the next line.

        Raises:
            SilentError: when time is up.
            GoneError: when it has ended, or closed its stdout.
            GarbledError: when it writes more than is allowed.
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
        if seconds and self._room.is_running:
            self._shut()
            with suppress(SilentError, GoneError, GarbledError):
                self._room.wait(seconds)
        ended = self._room.end()
        self._shut()
        self._room.close()
        return ended

    def _shut(self) -> None:
        for number in (self._input, self._output):
            if number >= 0:
                os.close(number)
        self._input = self._output = -1

    def _ready(self, *others: int) -> list[int]:
        """Wait for output, which is taken, or for one of the others; return what has come."""
        left = self._ends - time.monotonic()
        if left <= 0:
            raise SilentError
        if self._output < 0:
            raise GoneError
        poll = select.poll()
        poll.register(self._output, select.POLLIN)
        for number in others:
            poll.register(number, select.POLLOUT)
        ready = [number for number, _ in poll.poll(left * 1000)]
        if self._output in ready:
            more = os.read(self._output, 1 << 16)
            if not more:
                raise GoneError
            self._found += more
            self._left -= len(more)
            if self._left < 0:
                raise GarbledError("it writes more than is allowed")
        return ready
