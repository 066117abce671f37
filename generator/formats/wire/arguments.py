"""Encodings of one call's arguments: JSON, an element for each, elements within elements, Python keywords, or braces.

Each writes, reads what it wrote, and says which values a text in it may stand for: `alternatives` is the value alone where
the text has one meaning, several where a reader cannot tell them apart (`12` under an untyped parameter), and None where
the text cannot hold the value at all (its own end marker inside a text).
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from generator.formats.wire import encodings as one
from generator.formats.wire.encodings import (
    Alternatives,
    depth,
    element_value,
    holds,
    is_json,
    leaf_readings,
    plain_values,
    read_json_at,
)
from generator.formats.wire.format import NotReadError, Style, WireFormat, properties_of, styled_json, take

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_ITEM = "item"
_DEEPEST = 60


def nested_text(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return an element for each argument but those that are null."""
    return "".join([_nested_element(fmt, key, value, style) for key, value in arguments.items()])


def _nested_element(fmt: WireFormat, key: str, value: Any, style: Style) -> str:
    """Return an argument as an element: `<key>value</key>`; nothing for null."""
    if value is None:
        return ""
    slots = {"key": key, "value": _nested_value_text(fmt, value, style)}
    return "".join([text if kind == "text" else slots[text] for kind, text in fmt.argument_pieces])


def _nested_value_text(fmt: WireFormat, value: Any, style: Style) -> str:
    """Return a value as elements inside an element, or as text."""
    if isinstance(value, dict):
        return nested_text(fmt, value, style)
    if isinstance(value, list):
        return "".join([_nested_element(fmt, _ITEM, part, style) for part in value])
    return value if isinstance(value, str) else styled_json(value, style)


def nested_alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that the element may be read as; None where nobody can tell."""
    if not is_json(value) or value is None:
        return None
    if not isinstance(value, dict | list):
        return None if isinstance(value, str) and holds(value, fmt.markers[:1]) else leaf_readings(fmt, value, schema)
    return (value,) if _has_one_meaning(fmt, value, schema, 1) else None


def _has_one_meaning(fmt: WireFormat, value: Any, schema: Any, depth: int) -> bool:
    """Whether a value inside has one meaning: nothing empty, and lists only where the schema says so."""
    if not isinstance(value, dict | list):
        return nested_alternatives(fmt, value, schema) == (value,)
    is_list = isinstance(schema, dict) and schema.get("type") == "array"
    if not value or depth > _DEEPEST or isinstance(value, list) != is_list:
        return False
    parts = value.items() if isinstance(value, dict) else [(_ITEM, part) for part in value]
    has_plain_keys = isinstance(value, list) or all(_NAME.fullmatch(key) and key != _ITEM for key in value)
    return has_plain_keys and all(
        _has_one_meaning(fmt, part, _schema_of(schema, key), depth + 1) for key, part in parts
    )


def _schema_of(schema: Any, key: str) -> Any:
    """Return the schema of a key of an object, or of an item of a list."""
    if isinstance(schema, dict) and schema.get("type") == "array":
        return schema.get("items", {})
    return properties_of(schema).get(key, {})


def read_nested(fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool) -> tuple[dict[str, Any], int]:
    """Return the arguments that stand there as elements, and where they end."""
    pairs, at = _read_elements(fmt, text, at, schema, lenient, 0)
    if len(dict(pairs)) < len(pairs):
        raise NotReadError("a key stands twice")
    return dict(pairs), at


def _read_elements(
    fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool, depth: int
) -> tuple[list[tuple[str, Any]], int]:
    """Return the (key, value) pairs that stand there as elements, and where they end."""
    (_, opening), _, (_, behind_key), _, (_, closing), _, (_, end) = fmt.argument_pieces
    pairs: list[tuple[str, Any]] = []
    while text.startswith(opening, at) and not text.startswith(closing, at):
        key = _NAME.match(text, at + len(opening))
        if key is None or depth > _DEEPEST:
            raise NotReadError("a key is expected")
        at = take(behind_key, text, key.end(), lenient)
        inner, until = _schema_of(schema, key[0]), text.find(closing, at)
        if until < 0:
            raise NotReadError(f"{closing!r} is expected")
        parts, after = _read_elements(fmt, text, at, inner, lenient, depth + 1)
        if parts:
            value = _list_or_object(parts, inner)
        else:
            value, after = element_value(fmt, text[at:until], inner), until
        pairs.append((key[0], value))
        at = take(f"{closing}{key[0]}{end}", text, after, lenient)
    return pairs, at


def _list_or_object(parts: list[tuple[str, Any]], schema: Any) -> Any:
    """Return pairs as a list where the schema says so, else as an object."""
    if isinstance(schema, dict) and schema.get("type") == "array":
        return [value for _, value in parts]
    if len(dict(parts)) < len(parts):
        raise NotReadError("a key stands twice")
    return dict(parts)


def write_braces(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return bare keys and values."""
    return ",".join([f"{name}:{_braces_text(value, fmt.quote)}" for name, value in arguments.items()])


def _braces_text(value: Any, quote: str) -> str:
    """Return a value with bare keys and texts in the quotes of the format: `{city:<q>Oslo<q>}`."""
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, list):
        return f"[{','.join([_braces_text(part, quote) for part in value])}]"
    if isinstance(value, dict):
        return f"{{{','.join([f'{key}:{_braces_text(part, quote)}' for key, part in value.items()])}}}"
    return json.dumps(value)


def braces_alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that its text may be read as; None where a reader may take it for anything.

    That is so where it holds a marker, a key that is no name, a null that servers dispute, or is nested very deep.
    """
    if not is_json(value) or (fmt.null_contested and any(leaf is None for leaf in plain_values(value))):
        return None
    if any(holds(leaf, fmt.markers) for leaf in plain_values(value) if isinstance(leaf, str)):
        return None
    return (
        (value,) if all(_BARE_KEY.fullmatch(key) for key in _keys_at_any_depth(value)) and depth(value) <= 60 else None
    )


_BARE_KEY = re.compile(r"[A-Za-z_]\w*")


def _keys_at_any_depth(value: Any) -> Iterator[str]:
    """Yield the keys of all objects in a value."""
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys_at_any_depth(part)


def read_braces(fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool) -> tuple[dict[str, Any], int]:
    """Return the arguments between braces, up to the brace that closes them."""
    return _read_braces_pairs(text, at, fmt.quote)


def _read_braces_pairs(text: str, at: int, quote: str) -> tuple[dict[str, Any], int]:
    """Return the pairs up to the closing brace, and where they end."""
    pairs: dict[str, Any] = {}
    while not text.startswith("}", at):
        if pairs:
            at = take(",", text, at)
        key = _BARE_KEY.match(text, at)
        if key is None or key[0] in pairs:
            raise NotReadError("a key is expected")
        pairs[key[0]], at = _read_braces_value(text, take(":", text, key.end()), quote)
    return pairs, at


def _read_braces_value(text: str, at: int, quote: str) -> tuple[Any, int]:
    """Return the value that stands there, and where it ends."""
    if text.startswith(quote, at):
        end = text.find(quote, at + len(quote))
        if end < 0:
            raise NotReadError("the text has no end")
        return text[at + len(quote) : end], end + len(quote)
    if text.startswith("{", at):
        pairs, end = _read_braces_pairs(text, at + 1, quote)
        return pairs, take("}", text, end)
    if text.startswith("[", at):
        values: list[Any] = []
        at += 1
        while not text.startswith("]", at):
            value, at = _read_braces_value(text, take(",", text, at) if values else at, quote)
            values.append(value)
        return values, at + 1
    return read_json_at(text, at)


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
