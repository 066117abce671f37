"""Choosing calls that depend on earlier results; shared by the scenarios with several steps."""

from generator.planning import Binding, PlannedCall
from generator.scenarios.base import Edge, Scene, all_linked, ends_a_chain, picks_for
from generator.seeds import Draw
from generator.toolbox import Pick, ToolSpec

Place = tuple[int, int]
"""(step, call) of a call made earlier."""


def dependent_call(scene: Scene, made: dict[str, Place], edge: Edge, draw: Draw) -> PlannedCall:
    """A call of the edge's target that takes all it can from the calls already made."""
    chosen: dict[str, Edge] = {edge.link.argument: edge}
    for other in scene.edges:
        if other.target == edge.target and other.source in made and other.link.argument not in chosen:
            chosen[other.link.argument] = other
    picks: dict[tuple[str, str | None], tuple[Pick, ...]] = {}
    taken: set[tuple[str, str]] = set()
    bindings = []
    for argument, source in chosen.items():
        if not _is_wanted(scene.toolbox[edge.target], argument, argument == edge.link.argument, draw):
            continue
        if (source.source, source.link.result) in taken:
            continue  # two arguments from one field would have to be two elements
        taken.add((source.source, source.link.result))
        key = (source.source, source.list_slot)
        if key not in picks:
            picks[key] = picks_for(source, scene.toolbox, draw)
        step, call = made[source.source]
        bindings.append(
            Binding(argument=argument, step=step, call=call, result=source.link.result, picks=picks[key])
        )
    return PlannedCall(tool=edge.target, bindings=tuple(bindings))


Chain = tuple[Edge, ...]


def chains_by_end(scene: Scene) -> dict[int, dict[str, tuple[Chain, ...]]]:
    """All chains that can be planned: by number of steps, then by their last tool."""
    known = scene.chains
    if not known:
        found: list[Chain] = [(edge,) for edge in scene.first_edges]
        for steps in range(2, scene.steps[1] + 1):
            ends: dict[str, list[Chain]] = {}
            for chain in found:
                ends.setdefault(chain[-1].target, []).append(chain)
            if steps >= scene.steps[0] and ends:
                known[steps] = {end: tuple(chains) for end, chains in ends.items()}
            found = [(*chain, edge) for chain in found for edge in _next_edges(scene, chain)][:_MOST_CHAINS]
        if not known:  # none is as long as the recipe asks for
            known[2] = {edge.target: ((edge,),) for edge in scene.first_edges}
    return known


_MOST_CHAINS = 20_000


def _next_edges(scene: Scene, chain: Chain) -> list[Edge]:
    """Edges from a tool of the chain to one not in it, those without loose ends first."""
    made = [chain[0].source, *[edge.target for edge in chain]]
    if ends_a_chain(made[-1]):
        return []
    open_edges = [edge for edge in scene.edges if edge.source in made and edge.target not in made]
    closed = [edge for edge in open_edges if all_linked(scene.toolbox, scene.edges, edge.target, made)]
    return closed or open_edges


def _is_wanted(spec: ToolSpec, argument: str, is_the_edge: bool, draw: Draw) -> bool:
    required = (spec.tool.parameters or {}).get("required", ())
    return is_the_edge or argument.split("/")[0] in required or draw.chance(0.3)
