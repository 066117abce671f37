"""mixed: several calls at once, then a call that needs one of their results."""

from collections.abc import Collection

from generator.errors import PlanError
from generator.planning import HERE, Ref, Say, Step
from generator.scenarios.parallel_multiple import different_tools
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve
from generator.scenarios.shape import Shape
from generator.scenarios.telling import worth_telling
from generator.scenarios.toolkit import Edge, Toolkit


def _tools(toolkit: Toolkit) -> Collection[str]:
    edges = _edges(toolkit)
    if not edges:
        raise PlanError(
            "scenario 'mixed' needs a link between two loaded tools, and a third tool to call beside the first"
        )
    beside = {tool for edge in edges for tool in toolkit.partner_sets[edge.source] - {edge.target}}
    return beside | {tool for edge in edges for tool in (edge.source, edge.target)}


def _events(scene: Scene) -> Events:
    edge: Edge = scene.decide(_edges(scene.toolkit))
    tools = different_tools(scene, scene.draw.between(2, min(3, scene.toolkit.calls[1])), edge.source)
    # the call whose result is needed is asked for last, so that "the first one" is about it
    tools = [*(tool for tool in tools if tool not in {edge.source, edge.target}), edge.source]
    first = (*scene.wishes(tools[:-1]), scene.wish(edge.source, edge.target))
    last = scene.dependent_wish(edge, {edge.source: Ref(HERE, len(tools) - 1, "")})
    asked = yield Say(wishes=(*first, last))
    together = yield Step(calls=tuple([serve(asked, place) for place in range(len(tools))]))
    after = yield Step(calls=(serve(asked, len(tools), together),))
    yield worth_telling(scene, together, after)


def _edges(toolkit: Toolkit) -> tuple[Edge, ...]:
    """Links whose source can be called beside another tool."""
    if "mixed" not in toolkit.memo:
        edges = [edge for edge in toolkit.first_edges if toolkit.partner_sets[edge.source] - {edge.target}]
        toolkit.memo["mixed"] = tuple(edges)
    found: tuple[Edge, ...] = toolkit.memo["mixed"]
    return found


def _holds(shape: Shape) -> str | None:
    if shape.order != "UCCA" or shape.widths[0] < 2:
        return "calls made at once are not followed by another"
    return None if all(call.dependent for call in shape.steps[-1]) else "the last call needs no earlier result"


SCENARIO = Scenario(
    "mixed", "parallel calls, then a call that needs one of their results", _tools, _events, _holds
)
