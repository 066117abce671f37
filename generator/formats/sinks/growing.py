"""A file that is put together from pieces, with the digest of what it holds so far."""

import hashlib
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from generator.core.errors import OutputError
from generator.core.files.regular import open_regular
from generator.formats.sinks.disk import writing

CHUNK = 1 << 20


class GrowingFile:
    """A file that pieces of other files are added to, in constant memory; it is open only while one is added."""

    def __init__(self, path: Path, name: str) -> None:
        self.path = path
        self.name = name
        """What people know the file by."""
        self.bytes = 0
        self._digest = hashlib.sha256()
        with self._telling():
            path.write_bytes(b"")

    @property
    def sha256(self) -> str:
        """Of all bytes so far."""
        return self._digest.hexdigest()

    def add(self, data: bytes | bytearray) -> None:
        """Add bytes."""
        with self._telling(), self.path.open("ab", buffering=0) as file:
            self._write(file, data)

    def add_from(self, source: BinaryIO, size: int) -> None:
        """Add the next `size` bytes of an open file.

        Raises:
            OutputError: when it holds less.
        """
        with self._telling(), self.path.open("ab", buffering=0) as file:
            while size:
                data = source.read(min(size, CHUNK))
                if not data:
                    raise OutputError(f"{source.name}: is shorter than it was")
                self._write(file, data)
                size -= len(data)

    def keep(self, path: Path, size: int) -> None:
        """Begin with the first `size` bytes of a finished file of this kind."""
        with open_regular(path) as source:
            self.add_from(source, size)

    def finish(self) -> None:
        """Make all of it durable."""
        with self._telling(), self.path.open("ab") as file:
            os.fsync(file.fileno())

    def _write(self, file: BinaryIO, data: bytes | bytearray) -> None:
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) or 0 :]
        self._digest.update(data)
        self.bytes += len(data)

    def _telling(self) -> AbstractContextManager[None]:
        return writing(self.path.with_name(self.name))


def read_all(source: BinaryIO, size: int) -> bytes:
    """Return the next `size` bytes of an open file; raises OutputError when it holds less."""
    data = source.read(size)
    if len(data) < size:
        raise OutputError(f"{source.name}: is shorter than it was")
    return data
