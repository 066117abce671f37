"""The answer of a parser, in any of the usual shapes."""

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


def answer_of(plain: PlainAnswer) -> ParserAnswer:
    """Return the answer that was sent."""
    calls = tuple([_found(call) for call in plain.calls])
    return ParserAnswer(calls=calls, content=plain.content, error=plain.error, seconds=plain.seconds)


def _found(call: PlainCall) -> FoundCall:
    if call.fault:
        return FoundCall(call.name, None, call.fault)
    try:
        return FoundCall(call.name, loads(call.text))
    except ValueError as fault:
        return FoundCall(call.name, None, f"{str(fault)[:80]} in {call.text[:80]!r}")
