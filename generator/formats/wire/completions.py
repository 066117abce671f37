"""Completions in every wire format, written and read: what a model says, thinks and calls.

Strict reading accepts only what is written here. Lenient reading also accepts other white space around markers and
calls anywhere in the text; it is used to make sure that a text holds no call.
"""

import hashlib
import re
from functools import lru_cache
from typing import Any

import msgspec

from generator.core.conversation import ToolCall
from generator.formats.wire.arguments import read_arguments, write_arguments
from generator.formats.wire.encodings import read_json_at
from generator.formats.wire.format import (
    ExpectedCall,
    NotReadError,
    Schemas,
    Style,
    WireFormat,
    end_of,
    find,
    styled_json,
    take,
    template_pieces,
)

Span = tuple[int, int]
"""[start, end) of characters."""
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


class Completion(msgspec.Struct, frozen=True):
    """A completion and where its parts stand in it, in characters."""

    text: str
    prefix: str
    """What the prompt ends in and the text goes on from."""
    content: Span
    """What is said before the calls; empty where nothing is."""
    calls: tuple[tuple[Span, Span], ...]
    """Of each call: its name, and all of it."""
    thoughts: Span = (0, 0)
    """The block of thoughts, with its markers."""


def write(
    fmt: WireFormat,
    calls: tuple[ExpectedCall, ...],
    content: str | None = None,
    style: Style | None = None,
) -> str:
    """Return the completion that makes these calls, without the token that ends the turn; see `write_completion`."""
    return write_completion(fmt, calls, content, style).text


def write_completion(
    fmt: WireFormat,
    calls: tuple[ExpectedCall, ...],
    content: str | None = None,
    style: Style | None = None,
) -> Completion:
    """Return the completion that makes these calls, without the token that ends the turn.

    Args:
        fmt: The wire format.
        calls: The calls, in order; without any, the content stands alone.
        content: What is said before them.
        style: How it is written; the format's own way where none is given.
    """
    style = style or Style(json=fmt.json)
    parts = [(fmt.thoughts or "").replace("$text", style.thoughts) if style.thoughts is not None else ""]
    words = _text_of_words(fmt, content, bool(calls))
    start = len(parts[0]) + len(words.partition(content)[0]) if content else len(parts[0])
    parts.append(words)
    if calls and (content or fmt.gap_always):
        parts.append(fmt.gap)
    spans = []
    if calls:
        parts.append(fmt.open)
        at = sum(map(len, parts))
        for index, call in enumerate(calls):
            between = fmt.between if index else ""
            text = write_call(fmt, call, index, style)
            at += len(between)
            name = at + _place_of_name(fmt, text, call, style)
            spans.append(((name, name + len(call.name)), (at, at + len(text))))
            at += len(text)
            parts += (between, text)
        parts.append(fmt.close)
    text = "".join(parts)
    begins_there = style.prompted and (style.thoughts is not None or fmt.alone.startswith(fmt.prompt))
    prefix = fmt.prompt if begins_there and text.startswith(fmt.prompt) else ""
    content_span = (start, start + len(content or ""))
    return _without_prompt(prefix, Completion(text, prefix, content_span, tuple(spans), (0, len(parts[0]))))


def _text_of_words(fmt: WireFormat, content: str | None, calls: bool) -> str:
    """Return what is said as the template writes it: before calls, or alone."""
    if not calls:
        return fmt.alone.replace("$text", content) if content is not None else ""
    return fmt.before.replace("$text", content) if content else ""


def _without_prompt(prefix: str, whole: Completion) -> Completion:
    """Return the completion without what the prompt ends in."""
    if not prefix:
        return whole
    size = len(prefix)

    def moved(span: Span) -> Span:
        return max(0, span[0] - size), max(0, span[1] - size)

    calls = tuple([(moved(name), moved(call)) for name, call in whole.calls])
    return Completion(whole.text[size:], prefix, moved(whole.content), calls, moved(whole.thoughts))


def _place_of_name(fmt: WireFormat, text: str, call: ExpectedCall, style: Style) -> int:
    """Return where the name stands in the text of a call."""
    if "$object" not in fmt.call:
        return text.find(call.name, len(fmt.call.partition("$name")[0]))
    key = next(key for key, template in fmt.object.items() if template == "$name")
    quoted = f'"{call.name}"'
    last = style.arguments_first or next(iter(fmt.object.values())) == "$arguments"
    return (text.rfind(quoted) if last else text.find(quoted, text.find(f'"{key}"') + len(key) + 2)) + 1


Call = ExpectedCall | ToolCall
"""What is written: a call that is expected of a parser, or that of a conversation, which has an id."""


def write_call(fmt: WireFormat, call: Call, index: int, style: Style) -> str:
    """Return the text of one call, given its index among the calls."""
    return "".join(
        [text if kind == "text" else _slot_text(fmt, text, call, index, style) for kind, text in fmt.call_pieces]
    )


def _slot_text(fmt: WireFormat, slot: str, call: Call, index: int, style: Style) -> str:
    """Return what stands in a slot of the template of a call."""
    if slot == "arguments":
        return write_arguments(fmt, call.arguments, style)
    if slot == "object":
        return styled_json(_call_object(fmt, call, index, style), style)
    return _plain_slot_text(slot, call, index)


def _call_object(fmt: WireFormat, call: Call, index: int, style: Style) -> dict[str, Any]:
    """Return the JSON object of a call, with the keys of the format."""
    call_object: dict[str, Any] = {}
    for key, template in fmt.object.items():
        ((_, slot),) = template_pieces(template)
        call_object[key] = call.arguments if slot == "arguments" else _plain_slot_text(slot, call, index)
    if style.arguments_first:
        first = next(key for key, template in fmt.object.items() if template == "$arguments")
        call_object = {first: call_object[first]} | call_object
    return call_object


def _plain_slot_text(slot: str, call: Call, index: int) -> str:
    """Return a call's name, id, index (from 0) or number (from 1) as text."""
    if slot == "id":
        return call.id if isinstance(call, ToolCall) else corpus_call_id(call, index)
    return {"name": call.name, "index": str(index), "number": str(index + 1)}[slot]


def corpus_call_id(call: ExpectedCall, index: int) -> str:
    """Return nine letters and digits that depend on the name and the index only."""
    number = int.from_bytes(hashlib.blake2b(f"{index} {call.name}".encode(), digest_size=8).digest(), "big")
    return "".join([_LETTERS[number // 62**place % 62] for place in range(9)])


# ------------------------------------------------------------------------------------------------------------ reading


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
    at = _end_of_thoughts(fmt, text, lenient) or (len(alone) if alone and text.startswith(alone) else 0)
    while head := find(opening.strip() if lenient else opening, text, at, lenient):
        start, end = head
        at = end if end > start else end + 1
        try:
            calls, end = _read_section(fmt, text, start, schemas, lenient)
            return ParsedCompletion(_words_before_calls(fmt, text[:start]), calls, text[end:])
        except NotReadError:
            pass
    return None


def _end_of_thoughts(fmt: WireFormat, text: str, lenient: bool) -> int:
    """Return where thoughts end that the text begins with: what is drafted in them is no call."""
    head, tail = (part.strip() if lenient else part for part in fmt.around_thoughts)
    start = len(text) - len(text.lstrip()) if lenient else 0
    if not head or not text.startswith(head, start):
        return 0
    behind = find(tail, text, start + len(head), lenient)
    return behind[1] if behind else len(text)


def _words_before_calls(fmt: WireFormat, before: str) -> str:
    """Return what is said in the text before the calls, thoughts included where they are not marked as such."""
    head, _, tail = fmt.before.partition("$text")
    words = before.removesuffix(tail)
    return words.removeprefix(head) if words.startswith(head) else words.rpartition(head)[2]


def _first_text(fmt: WireFormat) -> str:
    """Return the text that every call begins with."""
    kind, text = fmt.call_pieces[0]
    if kind == "text":
        return text
    return "{" if text == "object" else ""


def _read_section(
    fmt: WireFormat, text: str, at: int, schemas: Schemas, lenient: bool
) -> tuple[tuple[ExpectedCall, ...], int]:
    """Return all calls that begin at a place, and where the section ends."""
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
    """Return the call that begins at a place, and where it ends."""
    names: list[str] = []
    arguments: dict[str, Any] = {}
    pieces = fmt.call_pieces
    for index, (kind, piece) in enumerate(pieces):
        if kind == "text":
            at = take(piece, text, at, lenient)
        elif piece == "object":
            value, at = read_json_at(text, at)
            name, arguments = _name_and_arguments(fmt, value)
            names.append(name)
        elif piece == "arguments":
            arguments, at = read_arguments(fmt, text, at, schemas.get(names[-1]), lenient)
        else:
            match = _pattern(fmt.name_pattern if piece == "name" else r"\w+").match(text, at)
            if match is None:
                raise NotReadError(f"{piece} is expected")
            slot_text, at = match[0], match.end()
            if piece == "name":
                name, at = _name_before_literal(slot_text, pieces[index + 1 :], text, at)
                names.append(name)
    if len(set(names)) > 1:
        raise NotReadError("a call has two names")
    return ExpectedCall(names[-1], arguments), at


def _name_before_literal(name: str, rest: Any, text: str, at: int) -> tuple[str, int]:
    """Return the name, cut before the literal that follows it in the template, and the position behind it."""
    following = next((piece for kind, piece in rest if kind == "text"), "")
    if following and not text.startswith(following[:1], at):
        cut = name.find(following.strip()[:1]) if following.strip() else -1
        if cut > 0:
            return name[:cut], at - len(name) + cut
    return name, at


def _name_and_arguments(fmt: WireFormat, value: Any) -> tuple[str, dict[str, Any]]:
    """Return name and arguments from the JSON object of a call."""
    if not isinstance(value, dict) or value.keys() != fmt.object.keys():
        raise NotReadError("the keys of a call are expected")
    by_slot = {template_pieces(template)[0][1]: value[key] for key, template in fmt.object.items()}
    if not isinstance(by_slot["name"], str) or not isinstance(by_slot["arguments"], dict):
        raise NotReadError("a name and arguments are expected")
    return by_slot["name"], by_slot["arguments"]
