"""JSON Lines: one record a line, UTF-8, a line feed at the end of each."""

import errno
import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from generator.sinks.disk import write_error

_BUFFER = 1 << 18


def encode_line(record: Any) -> bytes:
    """One record as compact JSON with its newline."""
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # whole numbers over 64 bits, which JSON may hold
        return json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class JsonlSink:
    """A JSONL file that is being written under a temporary name."""

    def __init__(self, path: Path, part: Path) -> None:
        self.path = path
        self.part = part
        self.rows = 0
        self.bytes = 0
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        self._file = part.open("wb", buffering=_BUFFER)

    def write(self, record: Any) -> None:
        """Add one record."""
        self.write_line(encode_line(record))

    def write_line(self, line: bytes) -> None:
        """Add one record that is encoded already, newline included."""
        try:
            self._file.write(line)
        except OSError as fault:
            raise write_error(self.path, fault) from fault
        self.rows += 1
        self.bytes += len(line)

    def finish(self) -> None:
        """Make what was written durable; it keeps its temporary name."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def discard(self) -> None:
        """Remove what was written, unless it has its final name already."""
        with suppress(OSError):  # closing writes what is buffered, and the disk may be full
            self._file.close()
        with suppress(OSError):
            self.part.unlink(missing_ok=True)
