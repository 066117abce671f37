"""Tools that undo, change or overwrite what another call has done."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from generator.core.pointers import escape, schema_at
from generator.core.toolbox import ToolSpec, overwrites, restores, rewrites
from generator.scenarios.affordances.changes import Change, can_be_said_alone
from generator.scenarios.affordances.links import Edge, all_linked, ends_a_chain, works_unseen

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit


class Undoing(msgspec.Struct, frozen=True):
    """A tool, and another one that undoes or changes what it has done."""

    tool: str
    by: str
    slot: str
    """The argument of the other one that names what it is about."""
    key: str
    """Where the first one's result has that."""
    changes: tuple[tuple[str, str], ...] = ()
    """For a tool that changes what the first one has made: which of its arguments give anew which of the first one's."""
    edge: Edge | None = None
    """The link from the search that finds what the first one is about; None where it needs none."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the tools that are called."""
        return (self.tool, self.by, *([] if self.edge is None else [self.edge.source]))


def find_undoing(toolkit: "Toolkit") -> tuple[Undoing, ...]:
    """Return tools whose work another one can undo."""
    by_entity: dict[str, list[ToolSpec]] = {}
    for spec in toolkit.toolbox.values():
        if spec.acts_on:
            by_entity.setdefault(spec.acts_on, []).append(spec)
    pairs = [(one, other) for own in by_entity.values() for one in own for other in own if one is not other]
    return tuple([way for pair in pairs for undoing in _ways_to_undo(*pair) for way in _begun(undoing, toolkit)])


def _ways_to_undo(one: ToolSpec, other: ToolSpec) -> Iterator[Undoing]:
    """Yield how a tool undoes or changes what another one does to the same entity: by the key that the first one's result holds."""
    made, ended = one.effect, other.effect
    assert made is not None
    assert ended is not None
    changed = rewrites(other, one) if made.kind == "create" else ()
    is_ended = made.kind == "create" and ended.kind in ("delete", "move") and ends_a_chain(other.name)
    if not (is_ended or changed or (made.kind in ("update", "move") and restores(other, one))):
        return
    key = one.declared.entities[made.entity].key
    for argument, field in ended.by.items():
        if field == key and schema_at(one.returns, key) is not None and escape(argument) == argument:
            yield Undoing(one.name, other.name, argument, key, changed)


def _begun(undoing: Undoing, toolkit: "Toolkit") -> Iterator[Undoing]:
    """Yield the ways in which the first call can come about: by a request alone, or after a search that the user has in mind."""
    if undoing.tool in toolkit.starters:
        yield undoing
        return
    for edge in toolkit.first_edges:
        if edge.target == undoing.tool and _finds_all(edge, toolkit):
            yield msgspec.structs.replace(undoing, edge=edge)


def _finds_all(edge: Edge, toolkit: "Toolkit") -> bool:
    """Whether a search gives all that its target must have from results, and people can say what they mean before they see it."""
    is_enough = all_linked(toolkit.toolbox, toolkit.edges, edge.target, {edge.source})
    return edge.list_slot is not None and is_enough and works_unseen(edge, toolkit.toolbox)


def find_overwriting(toolkit: "Toolkit") -> tuple[Change, ...]:
    """Return what a call writes that another call of the same tool overwrites, where people can say it alone."""
    specs = [toolkit.toolbox[name] for name in toolkit.starters if name not in toolkit.look_ups]
    slots = [(spec, slot) for spec in specs for slot in spec.properties]
    found = [
        (spec.name, slot) for spec, slot in slots if overwrites(spec, slot) and can_be_said_alone(spec, escape(slot))
    ]
    return tuple(found)
