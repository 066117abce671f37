"""parallel_multiple: different tools at once, none of which needs another's result."""

from generator.errors import PlanError
from generator.planning import Plan, PlannedCall, Step, Turn
from generator.scenarios.base import Scenario, Scene
from generator.scenarios.shape import Shape
from generator.seeds import Draw


def _check(scene: Scene) -> None:
    if not any(scene.partners[name] for name in scene.starters):
        raise PlanError("scenario 'parallel_multiple' needs two tools that do not feed each other")


def _plan(scene: Scene, draw: Draw) -> Plan:
    first = draw.choice(scene.starters)
    while not scene.partners[first]:
        first = draw.choice(scene.starters)
    tools = different_tools(scene, draw, draw.between(*scene.calls), first)
    step = Step(calls=tuple([PlannedCall(tool=tool) for tool in tools]))
    return Plan(scenario="parallel_multiple", turns=(Turn(steps=(step,)),))


def different_tools(scene: Scene, draw: Draw, wanted: int, first: str) -> list[str]:
    """`first` and other tools, up to `wanted`, without a link between any two; often of one domain."""
    tools = [first]
    partners, sets, rand = scene.partners[first], scene.partner_sets, draw.rand
    near = scene.neighbours[first] or partners
    for _ in range(wanted * 4):
        if len(tools) == wanted:
            break
        some = near if rand() < 0.35 else partners
        tool = some[int(rand() * len(some))]
        for other in tools:
            if tool not in sets[other]:
                break
        else:
            tools.append(tool)
    return tools


def _holds(shape: Shape) -> str | None:
    if len(shape.steps) != 1 or shape.widths[0] < 2:
        return "the calls are not made at once"
    return None if len({call.name for call in shape.steps[0]}) > 1 else "one tool only is called"


SCENARIO = Scenario("parallel_multiple", "different tools called at once", _check, _plan, _holds)
