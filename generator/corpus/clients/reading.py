"""Read a stream back, by code that did not write it: every case is read so before it is written.

Events are read as the HTML standard says ("Interpreting an event stream"); calls are put together by
`generator.world.backends.states`, in which all providers' pieces become OpenAI's.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from generator.core.errors import FormatError
from generator.core.exact_json import loads
from generator.corpus.clients.turn import Event
from generator.world.backends.states import StreamedCall, assemble


class StreamAnswer(msgspec.Struct):
    """The answer that a stream holds."""

    content: str = ""
    calls: list[StreamedCall] = []
    finish: str | None = None
    usage: dict[str, int] | None = None
    error: str | None = None


def events_of(data: bytes) -> Iterator[Event]:
    """Yield the events of a stream; one without a blank line at its end is dropped, as the standard asks for."""
    name = ""
    parts: list[str] = []
    for line in re.split("\r\n|\r|\n", data.decode("utf-8", "replace").removeprefix("\ufeff"))[:-1]:
        if not line:
            if parts:
                yield Event(name, "\n".join(parts))
            name, parts = "", []
            continue
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            name = value
        elif field == "data":
            parts.append(value)


def read_stream(provider: str, data: bytes) -> StreamAnswer:
    """Return the answer that a stream of that provider holds; raises FormatError when its calls cannot be assembled."""
    heard, pieces = StreamAnswer(), []
    for event in events_of(data):
        if event.data == "[DONE]":
            break
        pieces += _LISTENERS[provider](loads(event.data), heard)
        if heard.error is not None:
            break
    heard.calls = assemble(pieces)
    return heard


def _piece(index: int, identifier: str | None, name: str | None, arguments: str) -> dict[str, Any]:
    return {"index": index, "id": identifier, "function": {"name": name, "arguments": arguments}}


def _chat(chunk: dict[str, Any], heard: StreamAnswer) -> list[dict[str, Any]]:
    """Take in a chunk of OpenAI's chat completions; return the pieces of calls in it."""
    if "error" in chunk:
        heard.error = chunk["error"]["message"]
        return []
    for choice in chunk["choices"]:
        heard.content += choice["delta"].get("content") or ""
        heard.finish = choice.get("finish_reason") or heard.finish
    if chunk.get("usage"):
        heard.usage = _usage(chunk["usage"], "prompt_tokens", "completion_tokens")
    return [chunk]


def _responses(event: dict[str, Any], heard: StreamAnswer) -> list[dict[str, Any]]:
    """Take in an event of OpenAI's responses; return the pieces of calls in it."""
    kind = event["type"]
    if kind == "error" or kind == "response.failed":
        heard.error = event["message"] if kind == "error" else event["response"]["error"]["message"]
    elif kind == "response.output_text.delta":
        heard.content += event["delta"]
    elif kind in ("response.completed", "response.incomplete"):
        heard.finish = event["response"]["status"]
        heard.usage = _usage(event["response"]["usage"], "input_tokens", "output_tokens")
    elif kind == "response.output_item.added" and event["item"]["type"] == "function_call":
        return [_piece(event["output_index"], event["item"]["call_id"], event["item"]["name"], "")]
    elif kind == "response.function_call_arguments.delta":
        return [_piece(event["output_index"], None, None, event["delta"])]
    return []


def _messages(event: dict[str, Any], heard: StreamAnswer) -> list[dict[str, Any]]:
    """Take in an event of Anthropic's messages; return the pieces of calls in it."""
    kind = event["type"]
    if kind == "error":
        heard.error = event["error"]["message"]
    elif kind == "message_start":
        heard.usage = _usage(event["message"]["usage"], "input_tokens", "output_tokens")
    elif kind == "message_delta":
        heard.finish = event["delta"].get("stop_reason") or heard.finish
        heard.usage = {**(heard.usage or {}), "output_tokens": event["usage"]["output_tokens"]}
    elif kind == "content_block_start" and event["content_block"]["type"] == "tool_use":
        return [_piece(event["index"], event["content_block"]["id"], event["content_block"]["name"], "")]
    elif kind == "content_block_delta":
        delta = event["delta"]
        heard.content += delta["text"] if delta["type"] == "text_delta" else ""
        if delta["type"] == "input_json_delta":
            return [_piece(event["index"], None, None, delta["partial_json"])]
    return []


def _gemini(chunk: dict[str, Any], answer: StreamAnswer) -> list[dict[str, Any]]:
    """Take in a chunk of Gemini; return the calls in it, which come whole."""
    if "error" in chunk:
        answer.error = chunk["error"]["message"]
    if "promptFeedback" in chunk:
        answer.error = chunk["promptFeedback"]["blockReason"]
    if "usageMetadata" in chunk:
        counts = {"candidatesTokenCount": 0, **chunk["usageMetadata"]}
        answer.usage = _usage(counts, "promptTokenCount", "candidatesTokenCount")
    calls = []
    for candidate in chunk.get("candidates", ())[:1]:
        answer.finish = candidate.get("finishReason") or answer.finish
        for part in candidate.get("content", {}).get("parts", ()):
            answer.content += "" if part.get("thought") else part.get("text", "")
            if "functionCall" in part:
                answer.calls.append(part["functionCall"])
                call = part["functionCall"]
                text = msgspec.json.encode(call.get("args", {})).decode()
                calls.append(_piece(len(answer.calls), call.get("id"), call["name"], text))
    return calls


def _usage(counts: dict[str, int], given: str, made: str) -> dict[str, int]:
    return {"input_tokens": counts[given], "output_tokens": counts[made]}


_LISTENERS: dict[str, Callable[[dict[str, Any], StreamAnswer], list[dict[str, Any]]]] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic_messages": _messages,
    "gemini_stream": _gemini,
}


def arguments_of(call: StreamedCall) -> dict[str, Any]:
    """Return the arguments of a call that was heard; a call without a piece of them has none. Raises FormatError."""
    try:
        arguments: dict[str, Any] = loads(call.arguments or "{}")
    except ValueError as fault:
        raise FormatError(f"{call.name}: arguments are not JSON: {fault}") from None
    return arguments
