"""The protocol of backends: a backend opens a world for each conversation, and the world answers its calls."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from datetime import date
from typing import Any, Protocol

import orjson

from generator.core.conversation import ToolCall
from generator.core.planning import Outcome
from generator.core.profiles import says_failure


class World(Protocol):
    """Answers the calls of one conversation, and holds the state that they change."""

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the outcomes of calls that are made at once, in their order."""


class Worlds(Protocol):
    """A backend."""

    def open(self, today: date, salt: int = 0) -> AbstractContextManager[World]:
        """Return a fresh world. The same day and salt, and the same steps, give the same outcomes."""


def read_outcome(content: str) -> Outcome:
    """Return what the text of a result means: JSON is its value, else the text is; one that says so is a failure."""
    value: Any = content
    with suppress(ValueError):
        value = orjson.loads(content)
    if says_failure(value):
        return Outcome(False, content, value if isinstance(value, dict) else None)
    return Outcome(True, content, value)
