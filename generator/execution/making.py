"""What makes values and results: the shapes of the functions."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from generator.seeds import Draw


class CompileValue(Protocol):
    """How the arguments package makes a value of one schema; handed in, because siblings do not import each other."""

    def __call__(
        self, schema: dict[str, Any], name: str, seed: int, *, kind: str | None = None, when: str | None = None
    ) -> Callable[[Draw], Any]:
        """A function that draws one value."""


Make = Callable[[Draw, Mapping[str, Any], Mapping[str, Any], str], Any]
"""(draw, arguments, facts of the entity, today) → the result of a call."""

MOST = 2**63 - 1
"""The greatest whole number that every reader of JSON takes."""
