"""Links into lists of which one element is chosen by the user: they are told apart, or one may stand in for another."""

from typing import TYPE_CHECKING

from generator.core.toolbox import name_as_words
from generator.dialogue.from_results.choosing import ways
from generator.scenarios.affordances.links import Edge
from generator.scenarios.affordances.names import words_that_tell

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit


def find_edges_to_one(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links into lists whose elements can be told apart, to tools that take nothing else from results."""
    return tuple([edge for edge in toolkit.first_edges if _leads_to_one(edge, toolkit)])


def _leads_to_one(edge: Edge, toolkit: "Toolkit") -> bool:
    list_slot, _, key = edge.link.result.partition("/*/")
    if edge.list_slot != list_slot or not key or "*" in key or not takes_one(edge, toolkit):
        return False
    return bool(ways(toolkit.toolbox[edge.source], list_slot, key))


def takes_one(edge: Edge, toolkit: "Toolkit") -> bool:
    """Whether the argument of a link is the only one that must come from a result."""
    spec = toolkit.toolbox[edge.target]
    required = spec.required
    linked = {
        link.argument for link in spec.links if link.tool in toolkit.toolbox and link.argument.split("/")[0] in required
    }
    return linked <= {edge.link.argument}


_TAKING = words_that_tell("taking")
"""First words in the names of tools that take one of several things, in place of which another one may do."""


def find_edges_taking_one(toolkit: "Toolkit") -> tuple[Edge, ...]:
    """Return links from a search to a tool that takes one of the things found."""
    return tuple([edge for edge in toolkit.edges_to_one if _takes_a_thing(edge, toolkit)])


def _takes_a_thing(edge: Edge, toolkit: "Toolkit") -> bool:
    words = name_as_words(edge.target).split()
    is_taking = words[0] in _TAKING or {"add", "cart"} <= {*words}
    return (
        is_taking
        and "/" not in edge.link.argument
        and edge.source in toolkit.look_ups
        and edge.target not in toolkit.look_ups
    )
