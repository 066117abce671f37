"""What came of a call, and who answers calls: the protocol that every backend has."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import date
from typing import Any, Protocol

import msgspec

from generator.conversation import ToolCall


class Outcome(msgspec.Struct, frozen=True):
    """What came of one call."""

    ok: bool
    content: str
    """The text of the tool message."""
    value: Any = None
    """The content as JSON, for pointers; None where it is no JSON."""


class World(Protocol):
    """What the calls of one conversation act on."""

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """The outcomes of calls that are made at once, in their order."""


class Worlds(Protocol):
    """A backend: opens a world for each conversation."""

    def open(self, today: date, salt: int) -> AbstractContextManager[World]:
        """A fresh world. The same day and salt, and the same steps, give the same outcomes."""
