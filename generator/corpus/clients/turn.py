"""What a model says and calls in one turn, and the server-sent events that tell it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from generator.formats.wire.format import ExpectedCall


class TurnCall(msgspec.Struct, frozen=True):
    """A call with its identifier."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(msgspec.Struct, frozen=True):
    """One answer of a model."""

    content: str | None
    calls: tuple[TurnCall, ...]
    input_tokens: int = 61
    output_tokens: int = 17

    @property
    def expected(self) -> tuple[ExpectedCall, ...]:
        """The calls as a client must tell them."""
        return tuple([ExpectedCall(call.name, call.arguments) for call in self.calls])

    @property
    def usage(self) -> dict[str, int]:
        """Tokens, by the names that answers of clients have for them."""
        return {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}


class Event(NamedTuple):
    """One event: its name, empty where a provider gives none, and its data, JSON or a bare text such as `[DONE]`."""

    name: str
    data: Any


class Pieces(NamedTuple):
    """How texts and the JSON of arguments are cut into deltas."""

    cut: Callable[[str], list[str]]
    write: Callable[[Any], str]
    """Writes arguments as JSON."""


Change = Callable[[list[Event]], list[Event]]
"""Makes other events that mean the same, or do not (which, `hazards.yaml` says)."""


class Provider(msgspec.Struct, frozen=True):
    """An API that streams answers."""

    name: str
    about: str
    events: Callable[[Turn, Pieces], list[Event]]
    finish: Callable[[Turn], str]
    """The reason why the turn ended, in the provider's words."""
    error: Event
    """What is sent when something fails midway."""
    changes: dict[str, Change]
    """By hazard."""
    newline: str = "\n"
