"""Chains of calls that each take an argument from an earlier one."""

from typing import TYPE_CHECKING

from generator.core.toolbox import restores
from generator.scenarios.affordances.links import Edge, all_linked, ends_a_chain, works_unseen

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

Chain = tuple[Edge, ...]


_MOST_CHAINS = 20_000


def find_chains(toolkit: "Toolkit") -> dict[int, dict[str, tuple[Chain, ...]]]:
    """Return all chains that can be planned: by number of steps, then by their last tool."""
    known: dict[int, dict[str, tuple[Chain, ...]]] = {}
    firsts: list[Chain] = [
        (edge,)
        for edge in toolkit.first_edges
        if works_unseen(edge, toolkit.toolbox) and not _makes_no_sense(toolkit, edge.target, [edge.source])
    ]
    found = firsts
    for steps in range(2, toolkit.steps[1] + 1):
        ends: dict[str, list[Chain]] = {}
        for chain in found:
            ends.setdefault(chain[-1].target, []).append(chain)
        if steps >= toolkit.steps[0] and ends:
            known[steps] = {end: tuple(chains) for end, chains in ends.items()}
        found = [(*chain, edge) for chain in found for edge in _next_edges(toolkit, chain)][:_MOST_CHAINS]
    if not known:  # no chain is as long as the recipe asks for
        known[2] = {chain[0].target: (chain,) for chain in firsts}
    return known


def _next_edges(toolkit: "Toolkit", chain: Chain) -> list[Edge]:
    """Return the links from a tool of the chain to one outside it: only targets that need nothing else, if there are any."""
    made = [chain[0].source, *[edge.target for edge in chain]]
    if ends_a_chain(made[-1]):
        return []
    open_edges = [
        edge
        for edge in toolkit.edges
        if edge.source in made and edge.target not in made and works_unseen(edge, toolkit.toolbox)
    ]
    open_edges = [edge for edge in open_edges if not _makes_no_sense(toolkit, edge.target, made)]
    if not toolkit.look_ups.issuperset(
        made
    ):  # nobody has something changed and then has it taken away, or reads on about it
        open_edges = [
            edge for edge in open_edges if not ends_a_chain(edge.target) and not _looks_back(toolkit, edge, chain)
        ]
    closed = [edge for edge in open_edges if all_linked(toolkit.toolbox, toolkit.edges, edge.target, made)]
    return closed or open_edges


def _makes_no_sense(toolkit: "Toolkit", tool: str, made: list[str]) -> bool:
    """Whether nobody asks for a tool after those of a chain: it undoes one of them, or the files of goals keep the two apart."""
    spec = toolkit.toolbox[tool]
    return any(frozenset((tool, one)) in toolkit.apart or restores(spec, toolkit.toolbox[one]) for one in made)


def _looks_back(toolkit: "Toolkit", edge: Edge, chain: Chain) -> bool:
    """Whether something is looked up about an element of a list that the chain has already acted on."""
    acted = [one for one in chain if one.target not in toolkit.look_ups]
    return edge.target in toolkit.look_ups and any(
        (one.source, one.list_slot) == (edge.source, edge.list_slot) for one in acted
    )
