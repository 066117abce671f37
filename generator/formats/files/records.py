"""The records of a file of JSON lines or of one JSON list, one after the other in constant memory."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from generator.core.errors import FormatError
from generator.core.exact_json import read_exactly
from generator.formats.files.json_list import list_elements
from generator.formats.files.validate import LONGEST_LINE, pass_blank

_CHUNK = 1 << 20
PASSED_OVER = object()
"""Stands for a record that was not wanted."""


def read_records(
    file: BinaryIO, source: Path, wanted: Callable[[int], bool] = lambda number: True
) -> Iterator[tuple[int, Any, str]]:
    """Yield (line, record, what is wrong with it) of JSON lines or of one JSON list.

    Args:
        file: The open file.
        source: Its path, for messages.
        wanted: Whether a row is to be read, by its number from 0; PASSED_OVER is yielded for the others.

    Raises:
        OutputError: when a list is not JSON: what is behind the fault cannot be found.
    """
    first = file.readline(_CHUNK)
    line = 1
    while first and not first.strip():
        line, first = line + 1 + pass_blank(file), file.readline(_CHUNK)
    if first.lstrip()[:1] == b"[" and not _is_record_line(first):
        listed = list_elements(first, line, lambda: file.read(_CHUNK), source)
        for number, entry in enumerate(listed):
            yield entry if wanted(number) else (entry[0], PASSED_OVER, "")
        return
    number = 0
    while text := first:
        length = len(text)
        while not text.endswith(b"\n") and (more := file.readline(_CHUNK)):
            length += len(more)
            text = text + more if length <= LONGEST_LINE else more
        yield (line, *_decoded(text, length)) if wanted(number) else (line, PASSED_OVER, "")
        blank = pass_blank(file) if text.isspace() else 0
        line, number, first = line + 1 + blank, number + 1 + blank, file.readline(_CHUNK)


def _is_record_line(line: bytes) -> bool:
    """Whether a line that begins with a bracket is a complete value: then the file is JSONL, not one list."""
    return line.rstrip().endswith(b"]") and not line.lstrip().startswith((b"[{", b"[]"))


def _decoded(text: bytes, length: int) -> tuple[Any, str]:
    if length > LONGEST_LINE:
        return None, f"$: is longer than {LONGEST_LINE:,} bytes"
    if not text.strip():
        return None, "$: is blank"
    try:
        return read_exactly(text), ""
    except FormatError as fault:
        return None, f"$: {fault}"
