"""The answer of a parser, in any of the usual shapes, as plain JSON. Runs in a sandbox too: it imports nothing of this package."""

import json
from collections.abc import Iterator
from typing import Any


class Pieces(list[str]):
    """The pieces of a text, which know how many of them were taken."""

    taken = 0

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces."""
        for index in range(len(self)):
            self.taken = index + 1
            yield self[index]


def plain_stream(result: Any, pieces: Pieces) -> dict[str, Any]:
    """Return the result of a streaming parser: the deltas that it yields, or the whole answer as `plain_answer`.

    A delta is a text (content), OpenAI's delta or chunk, or `{"content", "tool_calls"}` with calls as in a delta, or
    without their `function`. The pieces are taken one by one, so that each delta is known to come after so many.
    """
    if not hasattr(result, "__next__"):
        return plain_answer(result)
    sent = ((pieces.taken, plain) for delta in result for plain in plain_deltas(delta))
    return {"deltas": [{"after": after, **plain} for after, plain in sent]}


def plain_deltas(delta: Any) -> Iterator[dict[str, Any]]:
    """Yield what a stream sent at once as `{"content", "tool_calls"}`, calls as in OpenAI's deltas."""
    if isinstance(delta, str):
        delta = {"content": delta}
    for part in [choice.get("delta") or {} for choice in delta["choices"]] if "choices" in delta else [delta]:
        calls = []
        for call in part.get("tool_calls") or ():
            function = call.get("function", call)
            sent_function = {key: function[key] for key in ("name", "arguments") if function.get(key) is not None}
            calls.append({"index": call.get("index"), "id": call.get("id"), "function": sent_function})
        yield {"content": part.get("content") or "", "tool_calls": calls}


def plain_answer(result: Any) -> dict[str, Any]:
    """Return the result of a parser with arguments as JSON text, so that it can be sent to another process.

    A result is `{"content": …, "tool_calls": […]}`, a pair (content, calls), a list of calls, or None. A call is
    `{"name", "arguments"}`, `{"function": {"name", "arguments"}}` or a pair; arguments are a JSON text or the value. A
    client also tells `finish_reason` and `usage`, a reader of JSON `{"value": …}` alone.

    Raises:
        ValueError: for an object whose list has another key than `tool_calls`: its calls would seem to be lost.
    """
    content: Any = None
    if isinstance(result, dict) and result.keys() == {"value"}:
        return {"value": json.dumps(result["value"], allow_nan=False)}
    if isinstance(result, dict) and "tool_calls" in result:
        content, calls = result.get("content"), result["tool_calls"] or []
    elif isinstance(result, tuple) and len(result) == 2 and not isinstance(result[0], dict):
        content, calls = result
    elif isinstance(result, dict):
        lists = [key for key, value in result.items() if isinstance(value, list)]
        if lists and "name" not in result:
            raise ValueError(f"the parser answers with {lists[0]!r}: {{content, tool_calls}} is expected")
        content, calls = result.get("content"), [result] if "name" in result else []
    else:
        calls = result or []
    reasoning = result.get("reasoning", result.get("reasoning_content")) if isinstance(result, dict) else None
    extras: dict[str, Any] = {"reasoning": reasoning} if isinstance(reasoning, str) else {}
    extras |= {key: result[key] for key in ("finish_reason", "usage") if isinstance(result, dict) and key in result}
    text = content if isinstance(content, str) else None
    return {"content": text, "calls": [_plain_call(call) for call in calls], **extras}


def _plain_call(call: Any) -> dict[str, Any]:
    """Return a call as `{"name", "text"}`, its arguments as JSON text, or with the `fault` of writing them."""
    if isinstance(call, dict):
        call = call.get("function", call)
        name, arguments = call.get("name"), call.get("arguments", call.get("parameters"))
    else:
        name, arguments = call
    if isinstance(arguments, str):
        return {"name": name, "text": arguments}
    try:
        return {"name": name, "text": json.dumps(arguments)}
    except (TypeError, ValueError, RecursionError) as fault:
        return {"name": name, "fault": f"{type(fault).__name__}: {fault}"[:200]}
