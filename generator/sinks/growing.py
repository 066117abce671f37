"""A file that is put together from pieces, with the digest of what it holds so far."""

import hashlib
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from generator.errors import OutputError
from generator.sinks.disk import writing

_CHUNK = 1 << 20


class GrowingFile:
    """A file that pieces of other files are added to, in constant memory."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        """What people know the file by."""
        self.bytes = 0
        self._digest = hashlib.sha256()
        with writing(path):
            self._file = path.open("wb", buffering=0)

    @property
    def sha256(self) -> str:
        """Of all bytes so far."""
        return self._digest.hexdigest()

    def add(self, data: bytes) -> None:
        """Add bytes."""
        with writing(self.path.with_name(self.name)):
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        self._digest.update(data)
        self.bytes += len(data)

    def add_from(self, source: BinaryIO, size: int) -> None:
        """Add the next `size` bytes of an open file.

        Raises:
            OutputError: when it holds less.
        """
        while size:
            data = source.read(min(size, _CHUNK))
            if not data:
                raise OutputError(f"{source.name}: is shorter than it was")
            self.add(data)
            size -= len(data)

    def finish(self) -> None:
        """Make all of it durable."""
        with writing(self.path.with_name(self.name)):
            os.fsync(self._file.fileno())
            self._file.close()

    def close(self) -> None:
        """Let go of the file as it is."""
        with suppress(OSError):
            self._file.close()
