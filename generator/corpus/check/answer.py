"""The answer of a parser: calls and content, at once or as the deltas of a stream."""

from typing import Any

import msgspec

from generator.core.errors import FormatError
from generator.core.exact_json import loads
from generator.world.backends.python.deltas import assemble


class FoundCall(msgspec.Struct, frozen=True):
    """A call that a parser found."""

    name: Any
    arguments: Any
    """The value; None when they are not JSON."""
    fault: str | None = None
    """Why they are not strict JSON."""


class Delta(msgspec.Struct, frozen=True):
    """What a stream sends at once."""

    after: int
    """How many pieces were taken by then."""
    content: str = ""
    tool_calls: tuple[dict[str, Any], ...] = ()
    """Pieces of calls as OpenAI's API streams them: `index`, `function` with `name` and `arguments`."""


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
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    """Of a client of streams, if it tells it."""
    usage: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    value: Any = msgspec.UNSET
    """Of a reader of JSON."""


class PlainCall(msgspec.Struct, frozen=True):
    """A call as it is sent from a parser's process: arguments as JSON text, or why there are none."""

    name: Any
    text: str = "null"
    fault: str = ""


class PlainAnswer(msgspec.Struct, frozen=True):
    """What is sent from a parser's process; `plain.py` makes it."""

    error: str | None = None
    calls: tuple[PlainCall, ...] = ()
    content: str | None = None
    seconds: float = 0.0
    deltas: tuple[Delta, ...] | None = None
    reasoning: str | None = None
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    usage: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    value: str | msgspec.UnsetType = msgspec.UNSET
    """As JSON."""


def answer_of(plain: PlainAnswer) -> ParserAnswer:
    """Return the answer that was sent; that of a stream is where its deltas end."""
    if plain.error is None and plain.deltas is not None:
        return _end_of(plain.deltas, plain.seconds)
    if plain.value is not msgspec.UNSET:
        return _of_value(plain.value, plain.seconds)
    calls = tuple([_found(call) for call in plain.calls])
    return ParserAnswer(
        calls,
        plain.content,
        plain.error,
        plain.seconds,
        None,
        plain.reasoning,
        plain.finish_reason,
        plain.usage,
    )


def _of_value(text: str, seconds: float) -> ParserAnswer:
    try:
        return ParserAnswer(value=loads(text, nan=True), seconds=seconds)
    except ValueError as fault:
        return ParserAnswer(error=f"its value is no JSON: {fault}", seconds=seconds)


def _end_of(deltas: tuple[Delta, ...], seconds: float) -> ParserAnswer:
    """Return where a stream ends; a call whose arguments were never sent has none."""
    content = "".join([delta.content for delta in deltas])
    try:
        calls = assemble({"tool_calls": delta.tool_calls} for delta in deltas)
    except FormatError as fault:
        return ParserAnswer(error=f"deltas: {fault}", seconds=seconds, deltas=deltas)
    found = tuple([_found(PlainCall(call.name, call.arguments or "{}")) for call in calls])
    return ParserAnswer(found, content or None, None, seconds, deltas)


def _found(call: PlainCall) -> FoundCall:
    if call.fault:
        return FoundCall(call.name, None, call.fault)
    try:
        return FoundCall(call.name, loads(call.text))
    except ValueError as fault:
        return FoundCall(call.name, None, f"{str(fault)[:80]} in {call.text[:80]!r}")
