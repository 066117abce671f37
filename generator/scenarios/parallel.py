"""parallel: one tool, called several times at once with different arguments."""

from generator.errors import PlanError
from generator.planning import Plan, PlannedCall, Step, Turn
from generator.scenarios.base import Scenario, Scene
from generator.scenarios.shape import Shape
from generator.seeds import Draw


def _check(scene: Scene) -> None:
    if not any((spec.tool.parameters or {}).get("properties") for spec in scene.toolbox.values()):
        raise PlanError("scenario 'parallel' needs a tool with parameters: its calls must differ in their arguments")


def _plan(scene: Scene, draw: Draw) -> Plan:
    return Plan(scenario="parallel", turns=(Turn(steps=(parallel_step(scene, draw),)),))


def parallel_step(scene: Scene, draw: Draw) -> Step:
    """Several calls of one tool that differ in all arguments, or in one that reads well as a list."""
    tool = draw.choice(scene.repeatable)
    phrases = scene.toolbox[tool].phrases
    calls = tuple([PlannedCall(tool=tool)] * draw.between(*scene.calls))
    only_lists = phrases.vary and not (phrases.again or phrases.entry)
    vary = draw.choice(phrases.vary) if phrases.vary and (only_lists or draw.chance(0.5)) else None
    return Step(calls=calls, vary=vary)


def _holds(shape: Shape) -> str | None:
    if len(shape.steps) != 1 or shape.widths[0] < 2:
        return "the calls are not made at once"
    return None if len({call.name for call in shape.steps[0]}) == 1 else "different tools are called"


SCENARIO = Scenario("parallel", "one tool, two or more calls at once", _check, _plan, _holds)
