"""A program in a room: what it writes to its stdout until it ends."""

import os
import select
import time
from collections.abc import Sequence

from generator.foreign.room import Ended, Room, RoomLimits
from generator.foreign.wire import MOST_BYTES, GarbledError, SilentError


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
