"""The answer of a parser, in any of the usual shapes."""

import json
from typing import Any

import msgspec

from generator.exact_json import loads


class FoundCall(msgspec.Struct, frozen=True):
    """A call that a parser found."""

    name: Any
    arguments: Any
    """The value; None when they are not JSON."""
    fault: str | None = None
    """Why they are not strict JSON."""


class ParserAnswer(msgspec.Struct, frozen=True):
    """The result of one run of a parser."""

    calls: tuple[FoundCall, ...] = ()
    content: str | None = None
    error: str | None = None
    """`Type: message` of an exception; `hang`, `died: …` when no answer came."""
    seconds: float = 0.0


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


def answer_of(plain: dict[str, Any]) -> ParserAnswer:
    """Return the answer that was sent as `plain_answer`."""
    if "error" in plain:
        return ParserAnswer(error=plain["error"], seconds=plain.get("seconds", 0.0))
    calls = tuple([_found(call) for call in plain["calls"]])
    return ParserAnswer(calls=calls, content=plain["content"], seconds=plain.get("seconds", 0.0))


def _found(call: dict[str, Any]) -> FoundCall:
    if "fault" in call:
        return FoundCall(call["name"], None, call["fault"])
    try:
        return FoundCall(call["name"], loads(call["text"]))
    except ValueError as fault:
        return FoundCall(call["name"], None, f"{str(fault)[:80]} in {call['text'][:80]!r}")
