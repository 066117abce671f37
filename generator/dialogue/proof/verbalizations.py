"""How the values of a tool are said, at each place."""

from typing import Any

import msgspec

from generator.core.pointers import escape, resolve, schema_at, split, variants
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.dialogue.proof.spans import SlotReader, place_at
from generator.dialogue.proof.tongues import ANSWERS, Tongue
from generator.dialogue.values.texts import clause_of


class Verbalization(msgspec.Struct, eq=False):
    """One verbalizer at one place of a tool's arguments or result."""

    place: SlotReader
    """How its words are read."""
    spec: ToolSpec
    of: str
    """Where the value is: `arguments` or `result`."""
    leaf: tuple[str, str]
    """The same, and the pointer without its first slash and with `*` for places in lists."""
    pointer: str
    is_reference: bool
    """Whether the words stand for a value that an earlier result or turn holds."""
    counts: bool
    """Whether the number of elements of a list is said, not the list."""
    is_clause: bool
    """Whether the text of an error is said, as a clause."""

    def find(self, source: Any) -> Any:
        """Return what is said of the arguments or of the result; raises LookupError where there is no such value."""
        value = resolve(source, self.pointer)
        if self.counts and type(value) is list:
            return len(value)
        return clause_of(value) if self.is_clause else value


def verbalization(spec: ToolSpec, tongue: Tongue, of: str, pointer: str, verbalizer: str | None) -> Verbalization:
    """Return how a verbalizer says a value of the tool's result or arguments (`of`) in requests, replies or answers."""
    known, key = _known(spec), (of, pointer, verbalizer, tongue is ANSWERS)
    found = known.get(key)
    if found is None:
        if len(known) >= _MOST_KNOWN:  # long lists could have many pointers
            known.clear()
        found = known[key] = Verbalization(
            place=place_at(spec, pointer, verbalizer or "", of),
            spec=spec,
            of=of,
            leaf=(of, pattern_of(spec, of, pointer)),
            pointer=pointer,
            is_reference=not verbalizer,
            counts=tongue is ANSWERS and verbalizer == "count",
            is_clause=verbalizer == "message" and of == "result",
        )
    return found


_MOST_KNOWN = 2048


@once_per_tool
def _known(spec: ToolSpec) -> dict[tuple[str, str, str | None, bool], Verbalization]:
    return {}


def pattern_of(spec: ToolSpec, of: str, pointer: str) -> str:
    """Return the slot of a pointer, with `*` for places in lists; the schema tells these from keys that look like numbers."""
    slot, root = "", spec.returns if of == "result" else spec.tool.parameters
    for number, step in enumerate(split(pointer)):
        is_key = not step.isdecimal() or any(
            step in one.get("properties", ()) for one in variants(root, schema_at(root, slot))
        )
        slot += ("/" if number else "") + (escape(step) if is_key else "*")
    return slot
