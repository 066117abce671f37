"""The answer of a parser, in any of the usual shapes, as plain JSON. Runs in a room too: it imports nothing of this package."""

import json
from typing import Any


def plain_answer(result: Any) -> dict[str, Any]:
    """Return the result of a parser with arguments as JSON text, so that it can be sent to another process.

    A result is `{"content": …, "tool_calls": […]}`, a pair (content, calls), a list of calls, or None. A call is
    `{"name", "arguments"}`, `{"function": {"name", "arguments"}}` or a pair; arguments are a JSON text or the value.

    Raises:
        ValueError: for an object whose list has another key than `tool_calls`: its calls would seem to be lost.
    """
    content: Any = None
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
    return {"content": content if isinstance(content, str) else None, "calls": [_plain_call(call) for call in calls]}


def _plain_call(call: Any) -> dict[str, Any]:
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
