"""Links by what they are good for: a call for each element, a call beside others, a search that nobody asks for."""

from typing import TYPE_CHECKING

from generator.core.toolbox import fields_written, found_by
from generator.scenarios.affordances.links import Edge, says_place, works_unseen

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

_FOR_ONE_ONLY = frozenset(
    [
        "book",
        "buy",
        "confirm",
        "merge",
        "order",
        "pay",
        "play",
        "purchase",
        "reschedule",
        "reserve",
        "restore",
        "save",
        "take",
    ]
)
"""Verbs of tools before which people choose among what they found; nobody books every flight."""


_WHOLE_NAMES = frozenset({"last_name", "full_name"})
"""Arguments of searches for one person, even where several have that name."""


def find_edges_to_each(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links into lists; first those into lists of always at least two elements, to tools that one calls for each."""
    edges = [edge for edge in toolkit.first_edges if edge.list_slot is not None]
    long = [edge for edge in edges if edge.fewest >= 2] or edges
    usual = [edge for edge in long if edge.target.split("_")[0] not in _FOR_ONE_ONLY and not _is_for_one(edge, toolkit)]
    return tuple(usual or long)


def _is_for_one(edge: Edge, toolkit: "Toolkit") -> bool:
    """Whether the search is for one person by name, or the elements would all be moved to the same time.

    Nobody gives two people of a name the same telephone number.
    """
    required = toolkit.toolbox[edge.source].required
    target = toolkit.toolbox[edge.target]
    entity = target.declared.entities.get(target.effect.entity) if target.effect is not None else None
    times = (entity.one_at_a_time or ())[:2] if entity is not None else ()
    return not _WHOLE_NAMES.isdisjoint(required) or not fields_written(target).keys().isdisjoint(times)


def find_edges_beside(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links whose source can be called beside another tool."""
    edges = [
        edge
        for edge in toolkit.first_edges
        if toolkit.partner_sets[edge.source] - {edge.target} and works_unseen(edge, toolkit.toolbox)
    ]
    return tuple(edges)


def find_sources_with_goals(toolkit: "Toolkit") -> tuple[str, ...]:
    """Return the sources of such links that serve a goal together with other tools."""
    return tuple({edge.source: None for edge in toolkit.edges_beside if edge.source in toolkit.purposes})


def find_silent_edges(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links from a search to a tool that needs no other search."""
    return tuple([edge for edge in toolkit.first_edges if is_told_unseen(edge, toolkit)])


def is_told_unseen(edge: Edge, toolkit: "Toolkit") -> bool:
    """Whether people who have not searched can say which element of the list they want: "change the first match" is no way."""
    own = toolkit.toolbox[edge.source].phrases.pick.get(edge.list_slot or "", ())
    is_placed = bool(own) and all(map(says_place, own)) and edge.target not in toolkit.look_ups
    return bool(edge.list_slot) and not is_placed and is_searched_silently(toolkit, edge.source)


def is_searched_silently(toolkit: "Toolkit", tool: str) -> bool:
    """Whether a tool only looks something up, and has a noun phrase for what it finds: nobody need ask for the search."""
    return tool in toolkit.look_ups and bool(toolkit.toolbox[tool].phrases.found or found_by(tool))
