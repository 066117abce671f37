"""The records of a file of JSON lines or of one JSON list, one after the other in constant memory."""

import codecs
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from generator.core.errors import FormatError, OutputError
from generator.core.exact_json import read_exactly
from generator.formats.files.validate import LONGEST_LINE, pass_blank

_BLANKS = re.compile(r"[ \t\r\n]*")
_NOT_WHOLE = "this element of the list is not JSON, or is cut off"


def list_elements(first: bytes, line: int, read: Callable[[], bytes], source: Path) -> Iterator[tuple[int, Any, str]]:
    """Yield (line, element, what is wrong with it) of a list.

    Args:
        first: The beginning of the file's text, from the opening bracket or white space before it.
        line: Its line.
        read: Reads on; nothing at the end.
        source: The file, for messages.

    Raises:
        OutputError: when the list is not JSON: what is behind the fault cannot be found.
    """
    rest = _Rest(first, line, read, source)
    rest.ahead()
    rest.at += 1  # the bracket
    more = rest.ahead() != "]"
    while more:
        rest.ahead()
        yield rest.line, *rest.element()
        more = rest.takes_comma()
    rest.at += 1
    if rest.ahead():
        raise rest.fault("something stands behind the end of the list")


class _Rest:
    """The text that has been read from the file but not consumed yet."""

    def __init__(self, first: bytes, line: int, read: Callable[[], bytes], source: Path) -> None:
        self.at = 0
        self.line = line
        self._read = read
        self._source = source
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        # Only ends are looked for: no number is too long, and `read_exactly` reads what was found.
        self._decoder = json.JSONDecoder(parse_int=float)
        self._text = ""
        self._add(first)

    def ahead(self) -> str:
        """Return the next character that is not white space; an empty text at the end of the file."""
        while True:
            blanks = _BLANKS.match(self._text, self.at)
            self._go_to(blanks.end() if blanks else self.at)
            if self.at < len(self._text):
                return self._text[self.at]
            if not self._more():
                return ""

    def element(self) -> tuple[Any, str]:
        """Return the value that begins here, and its fault."""
        while (end := self._end()) is None:
            if len(self._text) - self.at > LONGEST_LINE:
                raise self.fault(f"this element of the list is not JSON, or is longer than {LONGEST_LINE:,} characters")
            if not self._more():
                raise self.fault(_NOT_WHOLE)
        text = self._text[self.at : end]
        self._go_to(end)
        try:
            return read_exactly(text.encode()), ""
        except FormatError as fault:
            return None, f"$: {fault}"

    def takes_comma(self) -> bool:
        """Whether a comma was consumed and another element follows; otherwise the list ends here."""
        mark = self.ahead()
        if mark not in (",", "]"):
            raise self.fault("a comma or the end of the list is expected here" if mark else _NOT_WHOLE)
        self.at += mark == ","
        return mark == ","

    def fault(self, what: str) -> OutputError:
        return OutputError(f"{self._source}:{self.line}: {what}")

    def _end(self) -> int | None:
        """Return where the value ends; None if it is not complete yet, or there is no value."""
        try:
            value, end = self._decoder.raw_decode(self._text, self.at)
        except RecursionError:
            raise self.fault("this element of the list is nested too deep") from None
        except ValueError:
            return None
        goes_on = end == len(self._text) or (isinstance(value, float) and self._text[end] in ".eE")
        return None if goes_on else end

    def _go_to(self, at: int) -> None:
        self.line += self._text.count("\n", self.at, at)
        self.at = at

    def _more(self) -> bool:
        more = self._read()
        self._add(more)
        return bool(more)

    def _add(self, more: bytes) -> None:
        try:
            self._text = self._text[self.at :] + self._utf8.decode(more, final=not more)
        except UnicodeDecodeError as fault:
            self.line += self._text.count("\n", self.at) + fault.object.count(b"\n", 0, fault.start)
            raise self.fault("is not UTF-8") from None
        self.at = 0


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
