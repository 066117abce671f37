"""What a reader knows besides the text."""

from collections.abc import Callable
from datetime import date
from typing import Any

import msgspec


class SpanContext(msgspec.Struct, frozen=True):
    """The circumstances of a span of text."""

    today: date | None = None
    """Today's date, when the conversation states it."""
    schema: dict[str, Any] = {}
    """JSON schema of the leaf whose value the text says."""
    synonyms: tuple[tuple[Any, tuple[str, ...]], ...] = ()
    """(value, spoken forms) pairs of the slot, from the tool spec."""


Reader = Callable[[str, SpanContext], Any]
"""Turns the whole of a text into the value it says; raises ValueError when it says none, or more than one."""


def may_be_fraction(reading: SpanContext) -> bool:
    """Whether the leaf takes numbers that are not whole."""
    types = reading.schema.get("type", "number")
    return types == "number" or (types != "integer" and "number" in types)
