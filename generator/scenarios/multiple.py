"""multiple: one right tool among look-alikes."""

from generator.errors import PlanError
from generator.planning import Plan, PlannedCall, Step, Turn
from generator.scenarios.base import Scenario, Scene
from generator.scenarios.shape import Shape
from generator.seeds import Draw


def _check(scene: Scene) -> None:
    if len(scene.toolbox) < 2:
        raise PlanError("scenario 'multiple' needs at least two tools: one to call and one that looks like it")


def _plan(scene: Scene, draw: Draw) -> Plan:
    call = PlannedCall(tool=draw.choice(scene.starters))
    return Plan(scenario="multiple", turns=(Turn(steps=(Step(calls=(call,)),)),), look_alikes=True)


def _holds(shape: Shape) -> str | None:
    if shape.widths != (1,):
        return "there is not exactly one call"
    return None if shape.offered > 1 else "only the called tool is on offer"


SCENARIO = Scenario("multiple", "one call; the other tools on offer look like the right one", _check, _plan, _holds)
