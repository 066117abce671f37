"""The records of anybody's file, one after the other in constant memory, whatever they stand in.

JSON Lines, one JSON list, values over several lines, `{"data": [...]}`, Parquet, sessions of coding agents; columns that hold
JSON as text; packed or not. What had to be undone is counted by name (`UNFOLDED`). What cannot be read is refused with what it looks like.
"""

import codecs
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from generator.core.errors import FormatError, OutputError
from generator.core.exact_json import read_exactly
from generator.formats.files.sessions import Raw, is_session, rows_of_session
from generator.formats.openai_messages import parse_or_text
from generator.formats.sinks import reading, table_rows

LONGEST_LINE = 64 * 1024 * 1024
UNFOLDED = {
    "byte_order_mark": "files that begin with a byte order mark",
    "json_columns": "columns that held JSON as text",
    "over_lines": "files whose values stand over several lines, which are no JSON Lines",
    "wrapped": "rows that stood in an object with nothing else in it that is a row",
    "session": "sessions of Claude Code or Codex, whose events were put together",
    "not_said": "messages of such sessions that were taken back, or that the program said in place of the model",
    "no_role": "messages of such sessions without a role, which is told by their line or by what they hold",
    "no_message": "lines of such sessions with a message that is none of the user or the model; they were left out",
    "bare_list": "lists of messages that stood in no record, and were read as one conversation",
}
"""Name of what was undone -> what it was."""
_CHUNK = 1 << 20
_BLANK = "$: is blank"
_BLANKS = re.compile(r"[ \t\r\n]*")
_NOT_WHOLE = "is not JSON, or is cut off"
_OF_MESSAGES = {
    "messages": frozenset({"role", "content"}),
    "contents": frozenset({"role", "parts"}),
    "conversations": frozenset({"from", "value"}),
}
"""Key of a record -> keys of its messages."""
_OF_TABLE = re.compile(r"(?i)conv|dialog|session|thread|chat|index|row")
_WRITES_LINES = "writes JSON Lines, which are read here"
_LOOKS = (
    ((b"\xff\xfe", b"\xfe\xff", b"{\0", b"[\0", b"\0{", b"\0["), "UTF-16", "`iconv -f UTF-16 -t UTF-8` makes UTF-8 of it"),
    ((b"ARROW1", b"\xff\xff\xff\xff"), "an Arrow file", f"`datasets.Dataset.from_file(...).to_json(...)` {_WRITES_LINES}"),
    ((b"PK\3\4",), "a ZIP archive", "`unzip` takes the files out of it"),
    ((b"BZh",), "a file that is packed with bzip2", "`bunzip2` unpacks it"),
    ((b"\xfd7zXZ",), "a file that is packed with xz", "`unxz` unpacks it"),
    ((b"SQLite format 3",), "a database of SQLite", "`sqlite3 -json FILE 'select …'` writes a JSON list, which is read here"),
    ((b"\x89HDF", b"\x80\2", b"\x80\3", b"\x80\4", b"\x80\5", b"\x93NUMPY"), "data of a Python program", f"`pandas.DataFrame.to_json(..., orient='records', lines=True)` {_WRITES_LINES}"),
    ((b"%PDF-",), "a PDF document", "nothing reads rows from it"),
    ((b"version https://git-lfs",), "a pointer of Git LFS in place of the file", "`git lfs pull` fetches it"),
    ((b"<!DOCTYPE", b"<!doctype", b"<html", b"<?xml"), "a page of HTML or XML, perhaps of a download that failed", "look at it, and fetch the file again"),
)  # fmt: skip
"""How a file begins, what it is then, and what reads it."""
_SHOWN = "looks like what Cline shows: its `api_conversation_history.json` holds the conversation, and is read here"
_NO_JSON = re.compile(r'(?!true\b|false\b|null\b|NaN\b)(?:[A-Za-z#;<]|- |"[^"]*"[,;])[^{\[]*')
"""A line of a file that is text: words, a heading, a row of CSV."""
_COLUMNS: dict[str, frozenset[str]] = dict.fromkeys(
    ("messages", "conversations", "prompt", "completion", "chosen", "rejected", "preferred_output", "non_preferred_output"),
    frozenset({"role", "from"}),
) | {
    "contents": frozenset({"parts"}),
    "question": frozenset({"role"}),
    "input": frozenset({"messages", "role", "type"}),
    "answer": frozenset({"calls"}),
    "function": frozenset({"name"}),
    "ground_truth": frozenset(),
    "spans": frozenset(),
    "systemInstruction": frozenset({"parts"}),
    "responses_create_params": frozenset({"input"}),
}  # fmt: skip
"""Columns that hold lists and objects in every format, and of what one of their objects has a key."""
_OF_ROWS = _COLUMNS.keys() - {"answer", "function", "spans", "input"} | {"query", "instruction", "chat"}
"""Keys that only rows have."""


class Entry(NamedTuple):
    """What stands at one place of a file."""

    number: int
    """Which it is, from 0; each blank line is one."""
    line: int
    """Where it begins; of Parquet, the row from 1."""
    record: Any
    fault: str = ""
    """What is wrong with it, behind its path."""
    lines: int = 1
    """Blank lines in a row are one entry."""

    @property
    def is_blank(self) -> bool:
        """Whether it is blank lines."""
        return self.fault.startswith(_BLANK)


PASSED_OVER = object()
"""Stands for a record that was not wanted."""


def records_of(
    path: Path, wanted: Callable[[int], bool] = lambda number: True, mended: Counter[str] | None = None
) -> Iterator[Entry]:
    """Yield what stands in a file.

    Args:
        path: The file, of this machine or an object of a store.
        wanted: Whether a record is to be read, by its number; PASSED_OVER is yielded for others where they need not be
            read to be counted.
        mended: Where it is counted what was undone, by names of UNFOLDED.

    Raises:
        OutputError: when it cannot be read, is something else, or is a list that is not JSON: what is behind the fault
            cannot be found.
    """
    mended = Counter() if mended is None else mended
    with reading(path, foreign=True) as file:
        head = _beginning_of_file(file, path, mended)
        number, several = 0, False
        if head.startswith(b"PAR1"):
            entries: Iterator[Raw] = (
                (row, record | {key: _parsed_text(record[key]) for key in record.keys() & {"tools"}}, "", 1)
                for row, record in enumerate(table_rows(file, path), 1)
            )
        else:
            entries = _entries_of_text(file, path, lambda number: several or wanted(number), mended)
        first = next(entries, None)
        entries = chain([first] if first else [], entries)
        if (
            first
            and isinstance(first[1], dict)
            and any({"ts", kind} <= first[1].keys() and first[1].get("type") == kind for kind in ("say", "ask"))
        ):
            raise OutputError(f"{path}: {_SHOWN}")
        if first and is_session(first[1]):
            several, entries = True, rows_of_session(entries, mended)
        for line, record, fault, lines in entries:
            if record is PASSED_OVER and not several:
                yield Entry(number, line, record)
                number += 1
                continue
            rows = [record] if fault else unfolded(record, mended)
            several = several or len(rows) > 1
            if mended["wrapped"]:  # an object with a list of rows may stand over several lines
                del mended["over_lines"]
            for row in rows:
                yield Entry(number, line, row if fault or wanted(number) else PASSED_OVER, fault, lines)
                number += lines


def unfolded(record: Any, mended: Counter[str]) -> list[Any]:
    """Return the rows that a record is: one, with its columns as they are meant, or those in its one list of rows."""
    if not isinstance(record, dict):
        return [record]
    row_lists = (
        [value for value in map(_parsed_text, record.values()) if _is_row(value)] if _OF_ROWS.isdisjoint(record) else []
    )
    if len(row_lists) == 1:
        mended["wrapped"] += 1
        rows = row_lists[0] if isinstance(row_lists[0], list) else row_lists
        return [row for part in rows for row in unfolded(_parsed_text(part), mended)]
    texts = {key: record[key] for key in record.keys() & _COLUMNS if isinstance(record[key], str)}
    values = {key: _parsed_text(text) for key, text in texts.items()}
    parsed_columns = {
        key: value
        for key, value in values.items()
        if value is not texts[key] and _begins_with_keys(value, _COLUMNS[key])
    }
    mended["json_columns"] += len(parsed_columns)
    return [record | parsed_columns if parsed_columns else record]


def _parsed_text(text: Any) -> Any:
    """Return the object or list that a text holds; anything else as it is."""
    return parse_or_text(text) if isinstance(text, str) and text.lstrip()[:1] in ("{", "[") else text


def _begins_with_keys(value: Any, keys: frozenset[str]) -> bool:
    """Whether a value, or the first of a list, is an object with one of the keys."""
    while isinstance(value, list) and value:
        value = value[0]
    return value == [] or not keys or (isinstance(value, dict) and not keys.isdisjoint(value))


def _is_row(value: Any) -> bool:
    """Whether a value is a row, or a list whose first element is one."""
    first = value[0] if isinstance(value, list) and value else value
    first = _parsed_text(first)
    return isinstance(first, dict) and not _OF_ROWS.isdisjoint(first)


def _beginning_of_file(file: BinaryIO, path: Path, mended: Counter[str]) -> bytes:
    """Return how a file begins, with a byte order mark passed over.

    Raises:
        OutputError: when it is none that holds records.
    """
    head = file.peek(1)[:4096] if isinstance(file, io.BufferedReader) else b""
    if head.startswith(codecs.BOM_UTF8):
        mended["byte_order_mark"] += 1
        file.read(len(codecs.BOM_UTF8))
        head = head[len(codecs.BOM_UTF8) :]
    for beginnings, what, reader in _LOOKS:
        if head.startswith(beginnings):
            raise OutputError(f"{path}: looks like {what}: {reader}")
    lines = [line for line in head.decode("utf-8", "replace").split("\n")[:9] if line.strip()]
    if len(lines) > 1 and all(_NO_JSON.fullmatch(line.strip()) for line in lines):
        what = "CSV" if re.search(r"[,;\t]", lines[0]) else "plain text"
        raise OutputError(
            f"{path}: looks like {what} ({lines[0][:40].strip()!r}): JSON Lines, a JSON list or Parquet is read"
        )
    return head


def _entries_of_text(
    file: BinaryIO, source: Path, wanted: Callable[[int], bool], mended: Counter[str]
) -> Iterator[Raw]:
    """Yield (line, value, fault, number of lines) of what stands in a text file: JSON Lines, or values over several lines.

    Of a record that is not wanted, the value is PASSED_OVER.
    """
    number, line = 0, 1
    while first := file.readline(_CHUNK):
        if not first.isspace():
            break
        more = pass_blank(file)
        number, line = number + 1 + more, line + 1 + more
    begun, text = number, first.strip()
    begins_list = text.startswith(b"[") and (not text.endswith(b"]") or text.startswith((b"[{", b"[]")))
    second = file.readline(_CHUNK) if text.startswith(b"{") and first.endswith(b"\n") else b""
    if (
        begins_list or text == b"{" or _value_goes_on(text, second, file)
    ):  # otherwise a line is a complete value: JSON Lines
        mended["over_lines"] += not begins_list
        values = _values_in_text(first + second, line, lambda: file.read(_CHUNK), source, begins_list)
        yield from ((*entry, 1) for entry in (_with_bare_lists(values, mended) if begins_list else values))
        return
    if number:
        yield 1, None, _blank_lines_fault(number), number
    while text := first:
        length = len(text)
        while not text.endswith(b"\n") and (more_text := file.readline(_CHUNK)):
            length += len(more_text)
            text = text + more_text if length <= LONGEST_LINE else more_text
        if text.isspace():
            blank = 1 + pass_blank(file)
            yield line, None, _blank_lines_fault(blank), blank
        else:
            blank = 1
            yield (
                (line, *_value_and_fault(text, length), 1)
                if number == begun or wanted(number)
                else (line, PASSED_OVER, "", 1)
            )
        line, number, first, second = line + blank, number + blank, second or file.readline(_CHUNK), b""


def _value_goes_on(first: bytes, second: bytes, file: BinaryIO) -> bool:
    """Whether a value that begins in a line goes on in the next, which is no line of JSON Lines then."""
    begins_inside = second.lstrip().startswith((b",", b"]", b"}", b":"))
    may_go_on = begins_inside or (second and first.endswith((b"{", b"[", b",", b":")))
    if not may_go_on or not _value_and_fault(first, 0)[1]:
        return False
    ahead = file.peek() if isinstance(file, io.BufferedReader) else b""
    return begins_inside or bool(_value_and_fault(second, 0)[1]) or ahead.lstrip().startswith((b"]", b"}"))


def _with_bare_lists(values: Iterator[tuple[int, Any, str]], mended: Counter[str]) -> Iterator[tuple[int, Any, str]]:
    """Yield the elements of a list; where they are messages, which stand in no record, one record with all of them."""
    first = next(values, None)
    if first is None:
        return
    values = chain([first], values)
    keys_of_first = first[1] if isinstance(first[1], dict) else {}
    key = next(
        (
            key
            for key, keys in _OF_MESSAGES.items()
            if keys_of_first.keys() >= keys and _OF_ROWS.isdisjoint(keys_of_first)
        ),
        "",
    )
    answers = keys_of_first.get("role", keys_of_first.get("from")) in ("assistant", "model", "gpt")
    if not key or answers or any(map(_OF_TABLE.search, keys_of_first)):  # or a table of messages of many conversations
        yield from values
        return
    mended["bare_list"] += 1
    messages = list(values)
    fault = next(((line, None, fault) for line, _, fault in messages if fault), None)
    yield fault or (first[0], {key: [message for _, message, _ in messages]}, "")


def _blank_lines_fault(lines: int) -> str:
    """Return the fault of blank lines, which says how many there are."""
    return _BLANK + (f", and so are the next {lines - 1:,} lines" if lines > 1 else "")


def _value_and_fault(text: bytes, length: int) -> tuple[Any, str]:
    """Return the value of a line and ""; or None and what is wrong with it."""
    if length > LONGEST_LINE:
        return None, f"$: is longer than {LONGEST_LINE:,} bytes"
    try:
        return read_exactly(text), ""
    except FormatError as fault:
        return None, f"$: {fault}"


def _values_in_text(
    first: bytes, line: int, read: Callable[[], bytes], source: Path, is_list: bool
) -> Iterator[tuple[int, Any, str]]:
    """Yield (line, value, what is wrong with it) of the elements of a list, or of values that stand one behind another.

    Args:
        first: The beginning of the file's text, from the opening bracket or white space before it.
        line: Its line.
        read: Reads on; nothing at the end.
        source: The file, for messages.
        is_list: Whether the text is a list.

    Raises:
        OutputError: when the text is not JSON: what is behind the fault cannot be found.
    """
    rest = _Rest(first, line, read, source, is_list=is_list)
    rest.ahead()
    rest.at += is_list  # the bracket
    more = rest.ahead() != "]"
    while more:
        rest.ahead()
        yield rest.line, *rest.element()
        more = rest.takes_comma() if is_list else bool(rest.ahead())
    rest.at += 1
    if is_list and rest.ahead():
        raise rest.fault("something stands behind the end of the list")


class _Rest:
    """The text that has been read from the file but not consumed yet."""

    def __init__(self, first: bytes, line: int, read: Callable[[], bytes], source: Path, *, is_list: bool) -> None:
        self.at = 0
        self.line = line
        self._read = read
        self._source = source
        self._what = "this element of the list" if is_list else "this value"
        self._bad = 0
        self._utf8 = codecs.getincrementaldecoder("utf-8")()
        # Only ends are looked for: no number is too long, and `read_exactly` reads what was found.
        self._decoder = json.JSONDecoder(parse_int=float)
        self._text = ""
        self._ended = False
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
        """Return (value, what is wrong with it) of the element that begins here, and go past it."""
        while (end := self._end()) is None:
            if len(self._text) - self.at > LONGEST_LINE:
                raise self._not_whole(f"is not JSON, or is longer than {LONGEST_LINE:,} characters")
            if self._ended:
                raise self._not_whole()
            self._more()
        text = self._text[self.at : end]
        self._go_to(end)
        return _value_and_fault(text.encode(), 0)

    def takes_comma(self) -> bool:
        """Whether a comma was consumed and another element follows; otherwise the list ends here."""
        mark = self.ahead()
        if mark not in (",", "]"):
            raise self.fault("a comma or the end of the list is expected here") if mark else self._not_whole()
        self.at += mark == ","
        return mark == ","

    def fault(self, what: str) -> OutputError:
        return OutputError(f"{self._source}:{self.line}: {what}")

    def _not_whole(self, what: str = _NOT_WHOLE) -> OutputError:
        """Return the refusal of the value that begins here, with the line in which it is no longer JSON."""
        begun = self.line
        self.line += self._text.count("\n", self.at, self._bad)
        return self.fault(f"{self._what} {what}" + (f" (it begins in line {begun})" if self.line > begun else ""))

    def _end(self) -> int | None:
        """Return where the value ends; None if it is not complete yet, or there is no value."""
        try:
            value, end = self._decoder.raw_decode(self._text, self.at)
        except RecursionError:
            raise self.fault(f"{self._what} is nested too deep") from None
        except json.JSONDecodeError as fault:
            self._bad = fault.pos
            return None
        is_whole = end < len(self._text) and not (isinstance(value, float) and self._text[end] in ".eE")
        return end if is_whole or self._ended else None

    def _go_to(self, at: int) -> None:
        self.line += self._text.count("\n", self.at, at)
        self.at = at

    def _more(self) -> bool:
        """Read the next piece of the file; return whether there was one."""
        more = self._read()
        self._ended = not more
        self._add(more)
        return bool(more)

    def _add(self, more: bytes) -> None:
        """Decode the next piece of the file behind the text that has not been parsed."""
        try:
            self._text = self._text[self.at :] + self._utf8.decode(more, final=not more)
        except UnicodeDecodeError as fault:
            self.line += self._text.count("\n", self.at) + fault.object.count(b"\n", 0, fault.start)
            raise self.fault("is not UTF-8") from None
        self.at = 0


def pass_blank(file: BinaryIO) -> int:
    """Go past blank lines, many at once; return how many there were."""
    passed = 0
    while isinstance(file, io.BufferedReader) and (ahead := file.peek()):
        end = ahead.rfind(b"\n", 0, len(ahead) - len(ahead.lstrip())) + 1
        if not end:
            break
        passed += ahead.count(b"\n", 0, end)
        file.read(end)
    return passed


def bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file in constant memory: of one with more than LONGEST_LINE bytes the first LONGEST_LINE + 1."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while line and len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)
