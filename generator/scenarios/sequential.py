"""sequential: a chain in which every later call takes an argument from an earlier result."""

from generator.errors import PlanError
from generator.planning import Plan, PlannedCall, Step, Turn
from generator.scenarios.base import Scenario, Scene
from generator.scenarios.chains import Place, chains_by_end, dependent_call
from generator.scenarios.shape import Shape
from generator.seeds import Draw


def _check(scene: Scene) -> None:
    if not scene.first_edges:
        raise PlanError(
            "scenario 'sequential' needs a link between two loaded tools (e.g. `links: {order_id: "
            "find_orders#/orders/*/order_id}`); none of the loaded tools has one whose source is loaded too"
        )


def _plan(scene: Scene, draw: Draw) -> Plan:
    """Choose the last tool, then a chain that leads to it, so that tools at the end of long chains get their share."""
    chains = chains_by_end(scene)
    wanted = draw.between(*scene.steps)
    lengths = [length for length in chains if length <= wanted] or list(chains)
    ends = chains[max(lengths)]
    chain = draw.choice(ends[draw.choice(tuple(ends))])
    made: dict[str, Place] = {chain[0].source: (0, 0)}
    steps = [Step(calls=(PlannedCall(tool=chain[0].source),))]
    for edge in chain:
        steps.append(Step(calls=(dependent_call(scene, made, edge, draw),)))
        made[edge.target] = (len(steps) - 1, 0)
    return Plan(scenario="sequential", turns=(Turn(steps=tuple(steps)),))


def _holds(shape: Shape) -> str | None:
    if len(shape.steps) < 2:
        return "there is only one step"
    independent = [call.name for step in shape.steps[1:] for call in step if not call.dependent]
    return f"{independent[0]} needs nothing that only an earlier result says" if independent else None


SCENARIO = Scenario("sequential", "a chain: later calls need earlier results", _check, _plan, _holds)
