"""Kinds of entities, as the links between tools tell them apart.

What a link joins is of one kind: the `order_id` that is cancelled and the `orders/*/order_id` that was found. So is an
argument and the place of the tool's own result that repeats it.
"""

from collections.abc import Iterator

from generator.core.pointers import schema_at
from generator.core.toolbox import Toolbox, ToolSpec

Kind = int
"""A number for a kind of entity."""
IdentifierSlot = tuple[str, str, str]
"""(tool, `argument` or `result`, slot): where identifiers stand."""


def kinds_of_entities(toolbox: Toolbox) -> dict[IdentifierSlot, Kind]:
    """Return the kind of what each place that links name identifies."""
    kinds: dict[IdentifierSlot, Kind] = {}
    members: dict[Kind, list[IdentifierSlot]] = {}
    for left, right in _of_one_kind(toolbox):
        for place in (left, right):
            if place not in kinds:
                kinds[place] = len(kinds)
                members[kinds[place]] = [place]
        kept, gone = kinds[left], kinds[right]
        if kept != gone:
            for place in members[gone]:
                kinds[place] = kept
            members[kept] += members.pop(gone)
    return kinds


def _of_one_kind(toolbox: Toolbox) -> Iterator[tuple[IdentifierSlot, IdentifierSlot]]:
    for name, spec in toolbox.items():
        for link in spec.links:
            yield (name, "argument", link.argument), (link.tool, "result", link.result)
            if link.tool in toolbox:
                repeated = _repeated_argument(toolbox[link.tool], link.result)
                yield (link.tool, "argument", repeated), (link.tool, "result", link.result)


def _repeated_argument(spec: ToolSpec, place: str) -> str:
    """Return the argument that stands at a place of the result again."""
    schema = schema_at(spec.returns, place) or {}
    named = schema.get("x-from")
    return named if isinstance(named, str) else place
