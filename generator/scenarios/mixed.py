"""mixed: several calls at once, then a call that needs one of their results."""

from generator.errors import PlanError
from generator.planning import Plan, PlannedCall, Step, Turn
from generator.scenarios.base import Edge, Scenario, Scene
from generator.scenarios.chains import dependent_call
from generator.scenarios.parallel_multiple import different_tools
from generator.scenarios.shape import Shape
from generator.seeds import Draw


def _check(scene: Scene) -> None:
    if not _edges(scene):
        raise PlanError(
            "scenario 'mixed' needs a link between two loaded tools, and a third tool to call beside the first"
        )


def _plan(scene: Scene, draw: Draw) -> Plan:
    edge = draw.choice(_edges(scene))
    tools = different_tools(scene, draw, draw.between(2, min(3, scene.calls[1])), edge.source)
    # the call whose result is needed is asked for last, so that "the first one" is about it
    tools = [*(tool for tool in tools if tool not in {edge.source, edge.target}), edge.source]
    together = Step(calls=tuple([PlannedCall(tool=tool) for tool in tools]))
    after = Step(calls=(dependent_call(scene, {edge.source: (0, len(tools) - 1)}, edge, draw),))
    return Plan(scenario="mixed", turns=(Turn(steps=(together, after)),))


def _edges(scene: Scene) -> tuple[Edge, ...]:
    """Links whose source can be called beside another tool."""
    if "mixed" not in scene.found:
        scene.found["mixed"] = tuple(
            edge for edge in scene.first_edges if scene.partner_sets[edge.source] - {edge.target}
        )
    return scene.found["mixed"]


def _holds(shape: Shape) -> str | None:
    if len(shape.steps) < 2 or shape.widths[0] < 2:
        return "calls made at once are not followed by another"
    return None if all(call.dependent for call in shape.steps[-1]) else "the last call needs no earlier result"


SCENARIO = Scenario("mixed", "parallel calls, then a call that needs one of their results", _check, _plan, _holds)
