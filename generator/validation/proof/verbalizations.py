"""How the values of a tool are said, at each place and in each kind of text."""

from typing import Any

import msgspec

from generator.pointers import resolve
from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.phrases import leaf_of, name_in_words
from generator.validation.phrase_grammar.tongues import ANSWERS, Spot, Tongue, spot_at
from generator.validation.proof.spans import SlotReader, place_at
from generator.validation.readers.messages import clause_of

__all__ = ["leaf_of", "name_in_words"]

class Verbalization(msgspec.Struct, eq=False):
    """One verbalizer at one place of a tool's arguments or result."""

    place: SlotReader
    """How its words are read."""
    spot: Spot
    """What may stand around them."""
    spec: ToolSpec
    leaf: tuple[str, str]
    """`arguments` or `result`, and the pointer with `*` for places in lists."""
    pointer: str
    counts: bool
    """Whether the number of elements of a list is said, not the list."""
    is_clause: bool
    """Whether the text of an error is said, as a clause."""

    @property
    def of(self) -> str:
        """Where the value is: `arguments` or `result`."""
        return self.leaf[0]

    def find(self, source: Any) -> Any:
        """Return what is said of the arguments or of the result; raises LookupError where there is no such value."""
        value = resolve(source, self.pointer)
        if self.counts and type(value) is list:
            return len(value)
        return clause_of(value) if self.is_clause else value


def verbalization(spec: ToolSpec, tongue: Tongue, of: str, pointer: str, verbalizer: str | None) -> Verbalization:
    """Return how a verbalizer says a value of the tool's result or arguments (`of`) in requests, replies or answers."""
    return Verbalization(
        place=place_at(spec, pointer, verbalizer or "", of),
        spot=spot_at(tongue, spec, of, pointer, verbalizer or "reference"),
        spec=spec,
        leaf=leaf_of(of, pointer, spec.returns if of == "result" else spec.tool.parameters),
        pointer=pointer,
        counts=tongue is ANSWERS and verbalizer == "count",
        is_clause=verbalizer == "message" and of == "result",
    )
