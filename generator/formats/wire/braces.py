"""Arguments between braces, with bare keys: how they are written, read and told apart."""

import json
import re
from collections.abc import Iterator
from typing import Any

from generator.formats.wire.encodings import Alternatives, depth, holds, is_json, plain_values, read_json_at
from generator.formats.wire.format import WireFormat
from generator.formats.wire.literals import NotReadError, take
from generator.formats.wire.style import Style


def write_braces(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return bare keys and values."""
    return ",".join([f"{name}:{_braces_text(value, fmt.quote)}" for name, value in arguments.items()])


def _braces_text(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, list):
        return f"[{','.join([_braces_text(part, quote) for part in value])}]"
    if isinstance(value, dict):
        return f"{{{','.join([f'{key}:{_braces_text(part, quote)}' for key, part in value.items()])}}}"
    return json.dumps(value)


def braces_alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that its text may be read as; None: any."""
    if not is_json(value) or (fmt.null_contested and any(leaf is None for leaf in plain_values(value))):
        return None
    if any(holds(leaf, fmt.markers) for leaf in plain_values(value) if isinstance(leaf, str)):
        return None
    return (value,) if all(_BARE_KEY.fullmatch(key) for key in _keys(value)) and depth(value) <= 60 else None


_BARE_KEY = re.compile(r"[A-Za-z_]\w*")


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(part)


def read_braces(fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool) -> tuple[dict[str, Any], int]:
    """Return the arguments between braces, up to the brace that closes them."""
    return _read_pairs(text, at, fmt.quote)


def _read_pairs(text: str, at: int, quote: str) -> tuple[dict[str, Any], int]:
    found: dict[str, Any] = {}
    while not text.startswith("}", at):
        if found:
            at = take(",", text, at)
        key = _BARE_KEY.match(text, at)
        if key is None or key[0] in found:
            raise NotReadError("a key is expected")
        found[key[0]], at = _read_bare(text, take(":", text, key.end()), quote)
    return found, at


def _read_bare(text: str, at: int, quote: str) -> tuple[Any, int]:
    if text.startswith(quote, at):
        end = text.find(quote, at + len(quote))
        if end < 0:
            raise NotReadError("the text has no end")
        return text[at + len(quote) : end], end + len(quote)
    if text.startswith("{", at):
        found, end = _read_pairs(text, at + 1, quote)
        return found, take("}", text, end)
    if text.startswith("[", at):
        values: list[Any] = []
        at += 1
        while not text.startswith("]", at):
            value, at = _read_bare(text, take(",", text, at) if values else at, quote)
            values.append(value)
        return values, at + 1
    return read_json_at(text, at)
