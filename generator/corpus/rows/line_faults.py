"""Faults of lines: a line that is not a JSON value in UTF-8, or not exactly one value."""

import json
from collections.abc import Callable

from generator.core.exact_json import loads
from generator.core.seeds import Draw

LINE = "DF100"
"""The rule that every line is one JSON value in UTF-8."""
LineFault = Callable[[bytes, Draw], tuple[bytes, str | None]]
"""Changes a line; gives the rule that it breaks, None where a reader may take it either way."""


def cut_line(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line ends early."""
    return line[: draw.between(1, len(line) - 2)] + b"\n", LINE


def bad_utf8(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A byte that UTF-8 does not have stands in a text."""
    at = line.index(b'":"') + 3 if b'":"' in line else 2
    return line[:at] + draw.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80")) + line[
        at:
    ], LINE


def byte_order_mark(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """U+FEFF stands before a line."""
    return b"\xef\xbb\xbf" + line, None


def utf16(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is UTF-16."""
    return line.decode().rstrip("\n").encode("utf-16") + b"\n", LINE


def crlf(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line ends with CR LF."""
    return line.rstrip(b"\n") + b"\r\n", None


def spaces_around(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """White space stands around a value."""
    return b" \t" + line.rstrip(b"\n") + b"  \n", None


def blank_line(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is blank."""
    return line + draw.choice((b"\n", b"  \n", b"\t\n")), LINE


def two_values(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """Two values stand on one line."""
    return line.rstrip(b"\n") + draw.choice((b" ", b",", b"")) + line, LINE


def over_lines(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A value stands on many lines."""
    return json.dumps(loads(line), indent=1).encode() + b"\n", LINE


def trailing_comma(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A comma stands behind the last key."""
    return line.rstrip(b"\n")[:-1] + b",}\n", LINE


def python_text(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is a Python dict as `print` shows it, not JSON."""
    return repr(loads(line)).encode() + b"\n", LINE


def duplicate_key(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A key stands twice."""
    key = json.dumps(next(iter(loads(line)))).encode()
    return b"{" + key + b":null," + line[1:], LINE


def odd_number(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A number that JSON does not have, or one greater than any float."""
    return b'{"n":' + draw.choice((b"NaN", b"Infinity", b"-Infinity", b"1e400", b"01", b"+1", b"1.")) + b"," + line[
        1:
    ], LINE


def lone_surrogate(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """Half a surrogate pair, escaped."""
    return b'{"s":"' + draw.choice((b"\\ud83d", b"\\ude00", b"\\ud83dx")) + b'",' + line[1:], LINE


def raw_control_character(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A control character stands in a text as it is."""
    return b'{"s":"' + draw.choice((b"\x00", b"\x01", b"\x1f", b"\t")) + b'",' + line[1:], LINE


def deep_nesting(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A value is nested deeper than most readers go."""
    levels = draw.choice((200, 1100, 20000))
    return b'{"deep":' + b"[" * levels + b"]" * levels + b"," + line[1:], None


def huge_line(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is longer than usual buffers."""
    return b'{"long":"' + b"x" * draw.choice((2**16, 2**18)) + b'",' + line[1:], None


def other_value(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A line is a JSON value, but not a record."""
    return draw.choice((b"null", b"[]", b"{}", b'"text"', b"3", b"true", b"[[[]]]")) + b"\n", None


def many_digits(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """A whole number has more digits than Python reads."""
    return b'{"n":' + b"9" * draw.choice((25, 400, 5000)) + b"," + line[1:], None


def no_line_feed(line: bytes, draw: Draw) -> tuple[bytes, str | None]:
    """The last line has no line feed (or two lines are one)."""
    return line.rstrip(b"\n"), None


_LINE_FAULTS: tuple[LineFault, ...] = (
    cut_line, bad_utf8, byte_order_mark, utf16, crlf, spaces_around, blank_line, two_values, over_lines, trailing_comma, python_text,
    duplicate_key, odd_number, lone_surrogate, raw_control_character, deep_nesting, huge_line, other_value, many_digits, no_line_feed,
)  # fmt: skip
LINE_FAULTS: dict[str, LineFault] = {fault.__name__: fault for fault in _LINE_FAULTS}
"""Faults of lines by name."""
HARMLESS = ("crlf", "spaces_around")
"""Those that change nothing of what a line says."""
