"""single: one request, one call."""

from generator.planning import Plan, PlannedCall, Step, Turn
from generator.scenarios.base import Scenario, Scene
from generator.scenarios.shape import Shape
from generator.seeds import Draw


def _check(scene: Scene) -> None:
    """Any tool will do."""


def _plan(scene: Scene, draw: Draw) -> Plan:
    call = PlannedCall(tool=draw.choice(scene.starters))
    return Plan(scenario="single", turns=(Turn(steps=(Step(calls=(call,)),)),))


def _holds(shape: Shape) -> str | None:
    return None if shape.widths == (1,) else "there is not exactly one call"


SCENARIO = Scenario("single", "one request, one call", _check, _plan, _holds)
