"""Assemble tool calls from the pieces in which OpenAI's API streams them ("Tool Call" of the data model's document)."""

from collections.abc import Iterable
from typing import Any

import msgspec

from generator.core.errors import FormatError


class StreamedCall(msgspec.Struct, frozen=True):
    """A call as it was streamed; `arguments` is the JSON text as the model wrote it, which may be broken."""

    id: str
    name: str
    arguments: str


def assemble(chunks: Iterable[dict[str, Any]]) -> list[StreamedCall]:
    """Return the calls of one message, by the `index` of their pieces.

    Args:
        chunks: `chat.completion.chunk` objects, their `delta`s, or single entries of a delta's `tool_calls`.

    Raises:
        FormatError: for a piece without index, with another id than before, or a call that never got a name.
    """
    calls: dict[int, dict[str, str]] = {}
    named: set[int] = set()  # also with an empty name, which the whole answer may tell, too
    for piece in _pieces(chunks):
        index = piece.get("index")
        if not isinstance(index, int) or isinstance(index, bool):
            raise FormatError(f"a piece of a tool call has no index: {piece!r}")
        call = calls.setdefault(index, {"id": "", "name": "", "arguments": ""})
        given, function = piece.get("id"), piece.get("function") or {}
        if given and call["id"] and given != call["id"]:
            raise FormatError(f"tool call {index}: its id was {call['id']!r} and now is {given!r}")
        call["id"] = call["id"] or given or ""
        if isinstance(function.get("name"), str):
            named.add(index)
            call["name"] += function["name"]
        call["arguments"] += function.get("arguments") or ""
    nameless = [index for index in calls if index not in named]
    if nameless:
        raise FormatError(f"tool call {nameless[0]}: it never got a name")
    return [StreamedCall(**calls[index]) for index in sorted(calls)]


def _pieces(chunks: Iterable[dict[str, Any]]) -> Iterable[dict[str, Any]]:
    for chunk in chunks:
        if "choices" in chunk:
            deltas = [choice.get("delta") or {} for choice in chunk["choices"]]
        else:
            deltas = [
                chunk
                if "tool_calls" in chunk
                else {"tool_calls": [chunk] if "index" in chunk or "function" in chunk else []}
            ]
        for delta in deltas:
            yield from delta.get("tool_calls") or ()
