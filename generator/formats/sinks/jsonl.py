"""JSON Lines: one record a line, UTF-8, a line feed at the end of each."""

from pathlib import Path
from typing import Any

import orjson

from generator.core.errors import CannotCarryError
from generator.core.exact_json import write_exactly
from generator.formats.sinks.growing import GrowingFile
from generator.formats.sinks.packing import pack


class LinesFile(GrowingFile):
    """Lines; pieces that are added are packed already."""

    def __init__(self, path: Path, name: str, packing: str | None) -> None:
        super().__init__(path, name)
        self._packing = packing

    def finish(self) -> None:
        """Make all of it durable."""
        if self._packing and not self.bytes:
            self.add(pack(b"", self._packing))  # an empty file is not a packed one
        super().finish()


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
    known = _known[id(tool)] = tool, _text_of(tool)
    return known


def _text_of(tool: Any) -> orjson.Fragment | None:
    """Return how the tool is written wherever it stands; None where a whole record must be written to tell, or to be refused."""
    try:
        text = orjson.dumps(tool)
        return orjson.Fragment(text) if write_exactly(tool) == text + b"\n" else None
    except (TypeError, CannotCarryError):
        return None
