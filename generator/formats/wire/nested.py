"""Arguments as elements within elements: one for each key of an object, `item` for each entry of a list, texts as they are.

Null is left out. What is written has one meaning where the schema says a type or only a text can be meant.
"""

import re
from typing import Any

from generator.formats.wire.encodings import Alternatives, element_value, holds, is_json, leaf_readings
from generator.formats.wire.format import WireFormat, properties_of
from generator.formats.wire.literals import NotReadError, take
from generator.formats.wire.style import Style, styled_json

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_ITEM = "item"
_DEEPEST = 60


def nested_text(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return an element for each argument but those that are null."""
    return "".join([_element(fmt, key, value, style) for key, value in arguments.items()])


def _element(fmt: WireFormat, key: str, value: Any, style: Style) -> str:
    if value is None:
        return ""
    slots = {"key": key, "value": _inside(fmt, value, style)}
    return "".join([text if kind == "text" else slots[text] for kind, text in fmt.argument_pieces])


def _inside(fmt: WireFormat, value: Any, style: Style) -> str:
    if isinstance(value, dict):
        return nested_text(fmt, value, style)
    if isinstance(value, list):
        return "".join([_element(fmt, _ITEM, part, style) for part in value])
    return value if isinstance(value, str) else styled_json(value, style)


def nested_alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that the element may be read as; None where nobody can tell."""
    if not is_json(value) or value is None:
        return None
    if not isinstance(value, dict | list):
        return None if isinstance(value, str) and holds(value, fmt.markers[:1]) else leaf_readings(fmt, value, schema)
    return (value,) if _is_clear(fmt, value, schema, 1) else None


def _is_clear(fmt: WireFormat, value: Any, schema: Any, depth: int) -> bool:
    """Whether a value inside has one meaning: nothing empty, and lists only where the schema says so."""
    if not isinstance(value, dict | list):
        return nested_alternatives(fmt, value, schema) == (value,)
    is_list = isinstance(schema, dict) and schema.get("type") == "array"
    if not value or depth > _DEEPEST or isinstance(value, list) != is_list:
        return False
    parts = value.items() if isinstance(value, dict) else [(_ITEM, part) for part in value]
    named = isinstance(value, list) or all(_NAME.fullmatch(key) and key != _ITEM for key in value)
    return named and all(_is_clear(fmt, part, _schema_of(schema, key), depth + 1) for key, part in parts)


def _schema_of(schema: Any, key: str) -> Any:
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
    (_, opening), _, (_, behind_key), _, (_, closing), _, (_, end) = fmt.argument_pieces
    found: list[tuple[str, Any]] = []
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
            value = _container(parts, inner)
        else:
            value, after = element_value(fmt, text[at:until], inner), until
        found.append((key[0], value))
        at = take(f"{closing}{key[0]}{end}", text, after, lenient)
    return found, at


def _container(parts: list[tuple[str, Any]], schema: Any) -> Any:
    if isinstance(schema, dict) and schema.get("type") == "array":
        return [value for _, value in parts]
    if len(dict(parts)) < len(parts):
        raise NotReadError("a key stands twice")
    return dict(parts)
