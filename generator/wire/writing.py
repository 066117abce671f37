"""Write a completion: what a model says, thinks and calls, in one wire format."""

import hashlib
from typing import Any

from generator.wire.calls import ExpectedCall
from generator.wire.encodings import write_arguments
from generator.wire.format import WireFormat, template_pieces
from generator.wire.style import Style, styled_json

Schemas = dict[str, Any]
"""Parameters by name of the tool."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def write(
    fmt: WireFormat,
    calls: tuple[ExpectedCall, ...],
    content: str | None = None,
    style: Style | None = None,
    schemas: Schemas | None = None,
) -> str:
    """Return the completion that makes these calls, without the token that ends the turn.

    Args:
        fmt: The wire format.
        calls: The calls, in order; without any, the content stands alone.
        content: What is said before them.
        style: How it is written; the format's own way where none is given.
        schemas: Parameters by name of the tool.
    """
    style = style or Style(json=fmt.json)
    said = (fmt.thoughts or "").replace("$text", style.thoughts) if style.thoughts is not None else ""
    if not calls:
        return said + (content or "") + (style.after or "")
    written = [write_call(fmt, call, index, style, (schemas or {}).get(call.name)) for index, call in enumerate(calls)]
    before = f"{content}{fmt.gap}" if content else ""
    return f"{said}{before}{fmt.open}{fmt.between.join(written)}{fmt.close}{style.after or ''}"


def write_call(fmt: WireFormat, call: ExpectedCall, index: int, style: Style, schema: Any = None) -> str:
    """Return the text of one call, given its index among the calls."""
    return "".join(
        [text if kind == "text" else _slot(fmt, text, call, index, style, schema) for kind, text in fmt.call_pieces]
    )


def _slot(fmt: WireFormat, slot: str, call: ExpectedCall, index: int, style: Style, schema: Any) -> str:
    if slot == "arguments":
        return write_arguments(fmt, call.arguments, style, schema)
    if slot == "object":
        return styled_json(_object(fmt, call, index, style), style)
    return _plain(slot, call, index)


def _object(fmt: WireFormat, call: ExpectedCall, index: int, style: Style) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, template in fmt.object.items():
        ((_, slot),) = template_pieces(template)
        made[key] = call.arguments if slot == "arguments" else _plain(slot, call, index)
    if style.arguments_first:
        first = next(key for key, template in fmt.object.items() if template == "$arguments")
        made = {first: made[first]} | made
    return made


def _plain(slot: str, call: ExpectedCall, index: int) -> str:
    if slot == "id":
        return corpus_call_id(call, index)
    return {"name": call.name, "index": str(index), "number": str(index + 1)}[slot]


def corpus_call_id(call: ExpectedCall, index: int) -> str:
    """Return nine letters and digits that depend on the name and the index only."""
    number = int.from_bytes(hashlib.blake2b(f"{index} {call.name}".encode(), digest_size=8).digest(), "big")
    return "".join([_LETTERS[number // 62**place % 62] for place in range(9)])
