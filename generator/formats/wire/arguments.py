"""Encodings of one call's arguments: JSON, an element for each, elements within elements, Python keywords, or braces.

Each writes, reads what it wrote, and says which values a text in it may stand for: `alternatives` is the value alone where
the text has one meaning, several where a reader cannot tell them apart (`12` under an untyped parameter), and None where
the text cannot hold the value at all (its own end marker inside a text).
"""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.formats.wire import encodings as one
from generator.formats.wire.braces import braces_alternatives, read_braces, write_braces
from generator.formats.wire.encodings import Alternatives
from generator.formats.wire.format import WireFormat
from generator.formats.wire.nested import nested_alternatives, nested_text, read_nested
from generator.formats.wire.style import Style


class Encoding(msgspec.Struct, frozen=True):
    """One way to write arguments."""

    write: Callable[[WireFormat, dict[str, Any], Style], str]
    readings: Callable[[WireFormat, Any, Any], Alternatives]
    read: Callable[[WireFormat, str, int, Any, bool], tuple[dict[str, Any], int]]


_ENCODINGS = {
    "json": Encoding(one.write_json, one.json_alternatives, one.read_json),
    "tags": Encoding(one.write_tags, one.tag_alternatives, one.read_tags),
    "nested": Encoding(nested_text, nested_alternatives, read_nested),
    "python": Encoding(one.write_python, one.python_alternatives, one.read_python),
    "braces": Encoding(write_braces, braces_alternatives, read_braces),
}


def write_arguments(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return the arguments as the text of that encoding."""
    return _ENCODINGS[fmt.arguments].write(fmt, arguments, style)


def read_arguments(fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool) -> tuple[dict[str, Any], int]:
    """Return the arguments that stand at a place, and where they end; raises NotReadError."""
    return _ENCODINGS[fmt.arguments].read(fmt, text, at, schema, lenient)


def alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that a text for this one may be read as, given the argument's schema; None: any."""
    return _ENCODINGS[fmt.arguments].readings(fmt, value, schema)


def representable(fmt: WireFormat, value: Any, schema: Any) -> bool:
    """Whether the encoding can write this value so that it has one meaning."""
    return alternatives(fmt, value, schema) == (value,)
