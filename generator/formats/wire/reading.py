"""Read a completion: our own reader of every wire format.

Strict reading accepts only what `writing` writes. Lenient reading also accepts other white space around markers and
calls anywhere in the text; it is used to make sure that a text holds no call.
"""

import re
from functools import lru_cache
from typing import Any

import msgspec

from generator.formats.wire.arguments import read_arguments
from generator.formats.wire.encodings import read_json_at
from generator.formats.wire.format import (
    ExpectedCall,
    NotReadError,
    Schemas,
    WireFormat,
    end_of,
    find,
    take,
    template_pieces,
)


class ParsedCompletion(msgspec.Struct, frozen=True):
    """The contents of a completion: calls, and the text around them."""

    before: str
    calls: tuple[ExpectedCall, ...]
    after: str


_pattern = lru_cache(maxsize=64)(re.compile)


def read(fmt: WireFormat, text: str, schemas: Schemas, *, lenient: bool = False) -> ParsedCompletion | None:
    """Return the calls that stand in a completion and the text around them; None when there are none."""
    added = fmt.prompt if fmt.call.startswith(fmt.prompt) else ""
    text = added + text
    alone = fmt.alone.partition("$text")[0]
    opening = fmt.open or _first_text(fmt)
    at = _behind_thoughts(fmt, text, lenient) or (len(alone) if alone and text.startswith(alone) else 0)
    while head := find(opening.strip() if lenient else opening, text, at, lenient):
        start, end = head
        at = end if end > start else end + 1
        try:
            calls, end = _read_section(fmt, text, start, schemas, lenient)
            return ParsedCompletion(_said(fmt, text[:start]), calls, text[end:])
        except NotReadError:
            pass
    return None


def _behind_thoughts(fmt: WireFormat, text: str, lenient: bool) -> int:
    """Return where thoughts end that the text begins with: what is drafted in them is no call."""
    head, tail = (part.strip() if lenient else part for part in fmt.around_thoughts)
    start = len(text) - len(text.lstrip()) if lenient else 0
    if not head or not text.startswith(head, start):
        return 0
    behind = find(tail, text, start + len(head), lenient)
    return behind[1] if behind else len(text)


def _said(fmt: WireFormat, before: str) -> str:
    """Return what is said in the text before the calls, thoughts included where they are not marked as such."""
    head, _, tail = fmt.before.partition("$text")
    said = before.removesuffix(tail)
    return said.removeprefix(head) if said.startswith(head) else said.rpartition(head)[2]


def _first_text(fmt: WireFormat) -> str:
    kind, text = fmt.call_pieces[0]
    if kind == "text":
        return text
    return "{" if text == "object" else ""


def _read_section(
    fmt: WireFormat, text: str, at: int, schemas: Schemas, lenient: bool
) -> tuple[tuple[ExpectedCall, ...], int]:
    at = take(fmt.open, text, at, lenient)
    call, at = _read_call(fmt, text, at, schemas, lenient)
    calls = [call]
    while not fmt.one and (following := end_of(fmt.between, text, at, lenient)) is not None:
        try:
            call, at = _read_call(fmt, text, following, schemas, lenient)
        except NotReadError:
            break
        calls.append(call)
    return tuple(calls), take(fmt.close, text, at, lenient)


def _read_call(fmt: WireFormat, text: str, at: int, schemas: Schemas, lenient: bool) -> tuple[ExpectedCall, int]:
    names: list[str] = []
    arguments: dict[str, Any] = {}
    pieces = fmt.call_pieces
    for place, (kind, piece) in enumerate(pieces):
        if kind == "text":
            at = take(piece, text, at, lenient)
        elif piece == "object":
            value, at = read_json_at(text, at)
            name, arguments = _call_of(fmt, value)
            names.append(name)
        elif piece == "arguments":
            arguments, at = read_arguments(fmt, text, at, schemas.get(names[-1]), lenient)
        else:
            match = _pattern(fmt.name_pattern if piece == "name" else r"\w+").match(text, at)
            if match is None:
                raise NotReadError(f"{piece} is expected")
            found, at = match[0], match.end()
            if piece == "name":
                name, at = _up_to(found, pieces[place + 1 :], text, at)
                names.append(name)
    if len(set(names)) > 1:
        raise NotReadError("a call has two names")
    return ExpectedCall(names[-1], arguments), at


def _up_to(name: str, rest: Any, text: str, at: int) -> tuple[str, int]:
    """Return the name, cut before the literal that follows it in the template, and the position behind it."""
    following = next((piece for kind, piece in rest if kind == "text"), "")
    if following and not text.startswith(following[:1], at):
        cut = name.find(following.strip()[:1]) if following.strip() else -1
        if cut > 0:
            return name[:cut], at - len(name) + cut
    return name, at


def _call_of(fmt: WireFormat, value: Any) -> tuple[str, dict[str, Any]]:
    if not isinstance(value, dict) or value.keys() != fmt.object.keys():
        raise NotReadError("the keys of a call are expected")
    by_slot = {template_pieces(template)[0][1]: value[key] for key, template in fmt.object.items()}
    if not isinstance(by_slot["name"], str) or not isinstance(by_slot["arguments"], dict):
        raise NotReadError("a name and arguments are expected")
    return by_slot["name"], by_slot["arguments"]
