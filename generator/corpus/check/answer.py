"""The answer of a parser, in any of the usual shapes: at once, or as the deltas of a stream."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.errors import FormatError
from generator.handlers.deltas import assemble


class Pieces(list[str]):
    """The pieces of a text, which know how many of them were taken."""

    taken = 0

    def __iter__(self) -> Iterator[str]:
        """Yield the pieces."""
        for index in range(len(self)):
            self.taken = index + 1
            yield self[index]


class Delta(msgspec.Struct, frozen=True):
    """What a stream sends at once."""

    after: int
    """How many pieces were taken by then."""
    content: str = ""
    tool_calls: tuple[dict[str, Any], ...] = ()
    """Pieces of calls as OpenAI's API streams them: `index`, `function` with `name` and `arguments`."""


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
    """`Type: message` of an exception; `hang`, `died: …` when no answer came; `deltas: …` of some that make no calls."""
    seconds: float = 0.0
    deltas: tuple[Delta, ...] | None = None
    """Of a stream that tells them."""
    reasoning: str | None = None


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
    reasoning = result.get("reasoning", result.get("reasoning_content")) if isinstance(result, dict) else None
    told = {"reasoning": reasoning} if isinstance(reasoning, str) else {}
    text = content if isinstance(content, str) else None
    return {"content": text, "calls": [_plain_call(call) for call in calls], **told}


def plain_stream(result: Any, pieces: Pieces) -> dict[str, Any]:
    """Return the result of a streaming parser: the deltas that it yields, or the whole answer as `plain_answer`.

    A delta is a text (content), OpenAI's delta or chunk, or `{"content", "tool_calls"}` with calls as in a delta, or
    without their `function`. The pieces are taken one by one, so that each delta is known to come after so many.
    """
    if not hasattr(result, "__next__"):
        return plain_answer(result)
    sent = ((pieces.taken, plain) for delta in result for plain in _plain_deltas(delta))
    return {"deltas": [{"after": after, **plain} for after, plain in sent]}


def _plain_deltas(delta: Any) -> Iterator[dict[str, Any]]:
    if isinstance(delta, str):
        delta = {"content": delta}
    for part in [choice.get("delta") or {} for choice in delta["choices"]] if "choices" in delta else [delta]:
        calls = []
        for call in part.get("tool_calls") or ():
            function = call.get("function", call)
            given = {key: function[key] for key in ("name", "arguments") if function.get(key) is not None}
            calls.append({"index": call.get("index"), "function": given})
        yield {"content": part.get("content") or "", "tool_calls": calls}


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
    if "deltas" in plain:
        return answer_of_deltas(msgspec.convert(plain["deltas"], tuple[Delta, ...]), plain.get("seconds", 0.0))
    calls = tuple([_found(call) for call in plain["calls"]])
    return ParserAnswer(calls, plain["content"], None, plain.get("seconds", 0.0), None, plain.get("reasoning"))


def answer_of_deltas(deltas: tuple[Delta, ...], seconds: float) -> ParserAnswer:
    """Return where a stream ends; a call whose arguments were never sent has none."""
    content = "".join([delta.content for delta in deltas])
    try:
        calls = assemble({"tool_calls": delta.tool_calls} for delta in deltas)
    except FormatError as fault:
        return ParserAnswer(error=f"deltas: {fault}", seconds=seconds, deltas=deltas)
    found = tuple([_found({"name": call.name, "text": call.arguments or "{}"}) for call in calls])
    return ParserAnswer(found, content or None, None, seconds, deltas)


def _found(call: dict[str, Any]) -> FoundCall:
    if "fault" in call:
        return FoundCall(call["name"], None, call["fault"])
    try:
        return FoundCall(call["name"], json.loads(call["text"], parse_constant=_refuse))
    except (ValueError, RecursionError) as fault:
        return FoundCall(call["name"], None, f"{str(fault)[:80]} in {call['text'][:80]!r}")


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")
