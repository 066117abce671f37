"""Tools that refuse a call because of the state of a thing, how that is found, and what ends such a state."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from generator.core.planning import Unblocking
from generator.core.pointers import escape
from generator.dialogue.acts.unblock import words_to_unblock
from generator.scenarios.affordances.links import Edge, ends_a_chain, works_unseen
from generator.world.state import Mend, Refusal

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

Searched = tuple[Edge, Refusal]
"""A link from a search to a tool that refuses some of what is found, and why it does."""


def find_searched(toolkit: "Toolkit") -> tuple[Searched, ...]:
    """Return links from a search to a tool that refuses some of what it finds, and why."""
    edges = [edge for edge in toolkit.first_edges if edge.list_slot is not None]
    pairs = [(edge, refusal) for edge in edges for refusal in toolkit.facts.refusals if refusal.tool == edge.target]
    return tuple([pair for pair in pairs if (pair[0].source, pair[1]) in toolkit.facts.findable])


_ENDING = frozenset({"update", "move", "act"})
"""Kinds of effects that can end a state."""


class Blocked(msgspec.Struct, frozen=True):
    """A tool that some states forbid to call, and a tool that leads out of such a state."""

    refusal: Refusal
    named: str
    """The argument that names the thing."""
    by: Unblocking
    names: str
    """The argument of the other tool that names it."""
    edge: Edge | None = None
    """The link from the search that finds the thing; None where people know it by name or number."""

    @property
    def tools(self) -> tuple[str, ...]:
        """Return the tools that are called."""
        return (self.refusal.tool, self.by.tool, *([] if self.edge is None else [self.edge.source]))


def find_blocked(toolkit: "Toolkit") -> tuple[Blocked, ...]:
    """Return what can be refused because of a state that another tool ends."""
    return tuple([one for mend in toolkit.facts.mends for one in _ways(mend, toolkit)])


def _ways(mend: Mend, toolkit: "Toolkit") -> Iterator[Blocked]:
    """Yield how a call can come to be refused in the way that another tool mends."""
    spec, other = toolkit.toolbox.get(mend.tool), toolkit.toolbox.get(mend.by)
    if spec is None or other is None or spec.effect is None or other.effect is None:
        return
    chosen = dict(mend.arguments)
    if other.effect.kind not in _ENDING or ends_a_chain(mend.by) or not words_to_unblock(other, chosen):
        return
    required = {*other.required}
    naming = [name for name in other.effect.by if required <= {name, *chosen} and name not in chosen]
    for names in naming[:1]:
        field, more = other.effect.by[names], other.effect.names.get(names)
        same = [name for name, at in spec.effect.by.items() if at == field and spec.effect.names.get(name) == more]
        if len(same) != 1 or escape(same[0]) != same[0]:
            return
        way = Blocked(Refusal(mend.tool, mend.entity, mend.error), same[0], Unblocking(mend.by, chosen), names)
        if mend.tool in toolkit.starters:
            yield way
        for edge in toolkit.first_edges:
            is_of_it = (edge.target, edge.link.argument) == (mend.tool, same[0]) and works_unseen(edge, toolkit.toolbox)
            if is_of_it and (edge.source, way.refusal) in toolkit.facts.findable:
                yield msgspec.structs.replace(way, edge=edge)
