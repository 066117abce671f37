"""What a result is made from, and the shape of the functions that make it."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from generator.seeds import Draw


class CompileValue(Protocol):
    """How the arguments package makes a value of one schema; handed in, because siblings do not import each other."""

    def __call__(
        self, schema: dict[str, Any], name: str, seed: int, *, kind: str | None = None, when: str | None = None
    ) -> Callable[[Draw], Any]:
        """A function that draws one value."""


class Making(msgspec.Struct):
    """What a result is made from."""

    draw: Draw
    arguments: Mapping[str, Any]
    facts: Mapping[str, Any]
    today: str


Maker = Callable[[Making, dict[str, Any]], Any]
"""(what it is made from, the properties of the same object made so far) → value."""

MOST = 2**63 - 1
"""The greatest whole number that every reader of JSON takes."""
