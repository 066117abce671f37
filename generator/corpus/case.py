"""One entry of a parser corpus: bytes, what a parser must read from them, and the ways to cut them for streaming."""

import base64
from typing import Any, Literal

import msgspec

from generator.formats.wire.format import ExpectedCall

Verdict = Literal["y", "n", "i"]
"""A parser must find these calls; must find none; may do either, within the invariants (names of JSONTestSuite)."""


class Oracle(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a right parser reads from a completion."""

    tool_calls: tuple[ExpectedCall, ...]
    content: str | None = None
    """What is said beside the calls; compared up to outer white space."""
    reasoning: str | None = None
    """What the model thinks before. A parser that leaves thoughts to another part of a server returns them, with their
    markers, as content."""
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    """Of a stream for clients: why the answer ended, in the provider's words; None where that was not stated."""
    usage: dict[str, int] | msgspec.UnsetType = msgspec.UNSET
    """Of a stream for clients: input_tokens and output_tokens."""
    value: Any = msgspec.UNSET
    """Of a text that holds one JSON value, or its beginning: the value."""
    error: str | msgspec.UnsetType = msgspec.UNSET
    """The reader raises instead, or returns no value; the rest says nothing then."""


class Emissions(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the parts of a case stand in its bytes: what a stream may have sent by then, and what it must have."""

    content: tuple[int, int]
    """[start, end) of what is said: none of it is sent before it was read, all of it once the first name is known."""
    names: tuple[tuple[int, int], ...]
    """[start, end) of each call's name: nothing of a call is sent before its name begins."""
    calls: tuple[tuple[int, int], ...]
    """[start, end) of each call: all of it is sent once the next name is known, or the text ends."""
    thoughts: tuple[int, int] | None = None
    """[start, end) of the thoughts before all else, with their markers."""


class Mutation(msgspec.Struct, frozen=True, omit_defaults=True):
    """One change by which a case was made from a valid completion."""

    op: str
    at: int | None = None
    """Byte of the text where it was applied."""
    arg: str | None = None


class ChunkPlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """One way to cut the bytes for streaming."""

    kind: str
    sizes: tuple[int, ...]
    """Bytes of each piece, in order."""
    utf8_safe: bool = True
    """Whether no character is cut; servers deliver whole characters only."""
    splits_special_token: bool = False
    """Whether a special token is cut; servers whose tokenizer knows it never do that."""


class Case(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One entry of a corpus."""

    id: str
    format: str
    verdict: Verdict
    text: bytes
    oracle: Oracle | None = None
    """Of `y` and `n` cases; of others what was meant before they were broken, if anything."""
    prefix: str = ""
    """What the prompt ends in and the text goes on from: `<think>`, `>>>`."""
    emissions: Emissions | None = None
    """Of `y` and `n` cases of wire formats."""
    allowed: tuple[Oracle, ...] = ()
    """Of an `i` case: all that a parser may make of it, where that is a finite list; the call that was meant comes first."""
    hazard: str | None = None
    """Of a case of the grid: the one thing that is hard about it."""
    tools: tuple[str, ...] = ()
    """Names of the offered ones; where none is named, all are."""
    mutations: tuple[Mutation, ...] = ()
    tags: tuple[str, ...] = ()
    plans: tuple[ChunkPlan, ...] = ()
    stretch: tuple[int, int] | None = None
    """Bytes [start, end) that may be repeated without changing the meaning; for measuring how time grows."""
    parent: str | None = None
    """The case that this one is the beginning of."""

    @property
    def chars(self) -> str:
        """The text; bytes that are not UTF-8 are replaced by U+FFFD."""
        return self.text.decode("utf-8", "replace")

    def plain(self) -> dict[str, Any]:
        """Return the case as a line holds it: keys with their default are left out, `base64` holds a text that is no UTF-8."""
        line: dict[str, Any] = msgspec.to_builtins(self, builtin_types=(bytes,))
        try:
            line["text"] = self.text.decode()
        except UnicodeDecodeError:
            line["base64"] = base64.b64encode(line.pop("text")).decode()
        return line
