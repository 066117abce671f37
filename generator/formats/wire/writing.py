"""Write a completion: what a model says, thinks and calls, in one wire format."""

import hashlib
from typing import Any

import msgspec

from generator.formats.wire.arguments import write_arguments
from generator.formats.wire.format import ExpectedCall, Style, WireFormat, styled_json, template_pieces

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
    said = _said(fmt, content, bool(calls))
    start = len(parts[0]) + len(said.partition(content)[0]) if content else len(parts[0])
    parts.append(said)
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
            name = at + _name_at(fmt, text, call, style)
            spans.append(((name, name + len(call.name)), (at, at + len(text))))
            at += len(text)
            parts += (between, text)
        parts.append(fmt.close)
    text = "".join(parts)
    begins_there = style.prompted and (style.thoughts is not None or fmt.alone.startswith(fmt.prompt))
    prefix = fmt.prompt if begins_there and text.startswith(fmt.prompt) else ""
    content_span = (start, start + len(content or ""))
    return _behind_prompt(prefix, Completion(text, prefix, content_span, tuple(spans), (0, len(parts[0]))))


def _said(fmt: WireFormat, content: str | None, calls: bool) -> str:
    if not calls:
        return fmt.alone.replace("$text", content) if content is not None else ""
    return fmt.before.replace("$text", content) if content else ""


def _behind_prompt(prefix: str, whole: Completion) -> Completion:
    """Return the completion without what the prompt ends in."""
    if not prefix:
        return whole
    size = len(prefix)

    def moved(span: Span) -> Span:
        return max(0, span[0] - size), max(0, span[1] - size)

    calls = tuple([(moved(name), moved(call)) for name, call in whole.calls])
    return Completion(whole.text[size:], prefix, moved(whole.content), calls, moved(whole.thoughts))


def _name_at(fmt: WireFormat, text: str, call: ExpectedCall, style: Style) -> int:
    """Return where the name stands in the text of a call."""
    if "$object" not in fmt.call:
        return text.find(call.name, len(fmt.call.partition("$name")[0]))
    key = next(key for key, template in fmt.object.items() if template == "$name")
    quoted = f'"{call.name}"'
    last = style.arguments_first or next(iter(fmt.object.values())) == "$arguments"
    return (text.rfind(quoted) if last else text.find(quoted, text.find(f'"{key}"') + len(key) + 2)) + 1


def write_call(fmt: WireFormat, call: ExpectedCall, index: int, style: Style) -> str:
    """Return the text of one call, given its index among the calls."""
    return "".join([text if kind == "text" else _slot(fmt, text, call, index, style) for kind, text in fmt.call_pieces])


def _slot(fmt: WireFormat, slot: str, call: ExpectedCall, index: int, style: Style) -> str:
    if slot == "arguments":
        return write_arguments(fmt, call.arguments, style)
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
