"""Choosing calls that depend on earlier results; shared by the scenarios with several steps."""

from collections.abc import Sequence

from generator.planning import Binding, PlannedCall
from generator.scenarios.base import Edge, Scene, all_linked, picks_for
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


def next_edges(scene: Scene, made: Sequence[str]) -> list[Edge]:
    """Edges from a tool already called to one not yet called, those without loose ends first."""
    open_edges = [edge for edge in scene.edges if edge.source in made and edge.target not in made]
    closed = [edge for edge in open_edges if all_linked(scene.toolbox, scene.edges, edge.target, made)]
    return closed or open_edges


def _is_wanted(spec: ToolSpec, argument: str, is_the_edge: bool, draw: Draw) -> bool:
    required = (spec.tool.parameters or {}).get("required", ())
    return is_the_edge or argument.split("/")[0] in required or draw.chance(0.3)
