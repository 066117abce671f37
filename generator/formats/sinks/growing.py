"""A file that is put together from pieces, with the digest of what it holds so far."""

import hashlib
import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from generator.core.errors import CannotCarryError, OutputError
from generator.core.exact_json import write_exactly
from generator.core.files import open_regular
from generator.formats.sinks.disk import writing
from generator.formats.sinks.packing import pack

CHUNK = 1 << 20


class GrowingFile:
    """A file that pieces of other files are added to, in constant memory; it is open only while one is added."""

    def __init__(self, path: Path, name: str, packing: str | None = None) -> None:
        self.path = path
        self.name = name
        """What people know the file by."""
        self._packing = packing
        """How pieces that are added are packed already."""
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
        if self._packing and not self.bytes:
            self.add(pack(b"", self._packing))  # an empty file is not a packed one
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


MARK = "\x1e"
SEPARATOR = b"\x1e\n"


class TextFile(GrowingFile):
    """Documents; pieces that are added are JSON lines whose `text` is one."""

    def __init__(self, path: Path, name: str, packing: str | None) -> None:
        super().__init__(path, name)  # packed or not, it is empty where there is no document
        self._packed_by = packing

    def add_from(self, source: BinaryIO, size: int) -> None:
        """Add the documents of the next `size` bytes of JSON lines."""
        lines = read_all(source, size)
        documents = SEPARATOR.join([orjson.loads(line)["text"].encode() for line in lines.splitlines()])
        if lines:
            self.add(pack(SEPARATOR + documents if self.bytes else documents, self._packed_by))

    def keep(self, path: Path, size: int) -> None:
        """Begin with a finished file."""
        with open_regular(path) as source:
            super().add_from(source, size)


def count_documents(data: BinaryIO) -> int:
    """Return how many documents a file of them holds."""
    marks = size = 0
    while read := data.read(1 << 20):
        marks, size = marks + read.count(MARK.encode()), size + len(read)
    return marks + 1 if size else 0


def encode_line(record: Any) -> bytes:
    """Return one record as compact JSON with its newline; raises CannotCarryError for what JSON cannot say."""
    return write_exactly(record)


def encode_read_line(record: dict[str, Any]) -> bytes:
    """Return the same line, for the record of a row that was read from JSON, so that no number is NaN or infinite.

    Most of it are its tools, which are written once and not for every row (`convert` takes 17 % longer without). They are
    recognised by identity, so tool objects that many records share must not be changed.
    """
    try:
        tools = record.get("tools")
        if type(tools) is not list:
            return write_exactly(record)
        known = [_known.get(id(tool)) or _look_at(tool) for tool in tools]
        texts = [text for _, text in known]
        return write_exactly(record) if None in texts else orjson.dumps({**record, "tools": texts}) + b"\n"
    except TypeError:  # what orjson cannot write
        return write_exactly(record)


_known: dict[int, tuple[Any, orjson.Fragment | None]] = {}
"""id of a tool object → the object (held, so that its id stays its own), its text; None where that is not simple."""
_MOST_KNOWN = 2048


def _look_at(tool: Any) -> tuple[Any, orjson.Fragment | None]:
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    known = _known[id(tool)] = tool, _text_of_tool(tool)
    return known


def _text_of_tool(tool: Any) -> orjson.Fragment | None:
    """Return how the tool is written wherever it stands; None where a whole record must be written to tell, or to be refused."""
    try:
        text = orjson.dumps(tool)
        return orjson.Fragment(text) if write_exactly(tool) == text + b"\n" else None
    except (TypeError, CannotCarryError):
        return None
