"""The answer of a parser: calls and content, at once or as the deltas of a stream."""

from typing import Any

import msgspec

from generator.core.exact_json import loads
from generator.corpus.check.judge import Call, call_of, end_of


class ParserAnswer(msgspec.Struct, frozen=True):
    """The result of one run of a parser."""

    calls: tuple[Call, ...] = ()
    content: str | None = None
    error: str | None = None
    """`Type: message` of an exception; `hang`, `died: …` when no answer came; `deltas: …` of some that make no calls."""
    seconds: float = 0.0
    deltas: tuple[dict[str, Any], ...] | None = None
    """Of a stream that tells them: `after` (how many pieces were taken), `content`, and `tool_calls` as OpenAI streams them."""
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
    deltas: tuple[dict[str, Any], ...] | None = None
    reasoning: str | None = None
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    usage: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    value: str | msgspec.UnsetType = msgspec.UNSET
    """As JSON."""


def answer_of(plain: PlainAnswer) -> ParserAnswer:
    """Return the answer that was sent; that of a stream is where its deltas end."""
    if plain.error is None and plain.deltas is not None:
        end = end_of(plain.deltas)
        error = f"deltas: {end.fault}" if end.fault else None
        return ParserAnswer(tuple(end.calls), end.content or None, error, plain.seconds, plain.deltas)
    if plain.value is not msgspec.UNSET:
        try:
            return ParserAnswer(value=loads(plain.value, nan=True), seconds=plain.seconds)
        except ValueError as fault:
            return ParserAnswer(error=f"its value is no JSON: {fault}", seconds=plain.seconds)
    told = msgspec.structs.asdict(plain)
    calls = [Call(call.name, None, call.fault) if call.fault else call_of(call.name, call.text) for call in plain.calls]
    return ParserAnswer(**{**told, "calls": tuple(calls), "value": msgspec.UNSET})
