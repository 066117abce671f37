"""Plain text: the documents of a text format one after the other, with a separator between them.

The separator is the control character U+001E (record separator) and a line feed, on a line of its own only where a
document ends in a line feed; nothing stands before the first document or after the last. So a file that holds one
document (one row a shard) is just that document. A document that holds U+001E cannot be written.
"""

from pathlib import Path
from typing import BinaryIO

import orjson

from generator.core.files.regular import open_regular
from generator.formats.sinks.growing import GrowingFile, read_all
from generator.formats.sinks.packing import pack

MARK = "\x1e"
SEPARATOR = b"\x1e\n"


class TextFile(GrowingFile):
    """Documents; pieces that are added are JSON lines whose `text` is one."""

    def __init__(self, path: Path, name: str, packing: str | None) -> None:
        super().__init__(path, name)
        self._packing = packing

    def add_from(self, source: BinaryIO, size: int) -> None:
        """Add the documents of the next `size` bytes of JSON lines."""
        lines = read_all(source, size)
        documents = SEPARATOR.join([orjson.loads(line)["text"].encode() for line in lines.splitlines()])
        if lines:
            self.add(pack(SEPARATOR + documents if self.bytes else documents, self._packing))

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
