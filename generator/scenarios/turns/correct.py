"""correct: the user takes back one value of a request after its answer: "Sorry, I meant Rome."; the rest stays as it was."""

from collections.abc import Collection

from generator.errors import PlanError
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.shape import Shape
from generator.scenarios.toolkit import Toolkit
from generator.scenarios.turns.follow_up import ask_with_another_value, changes


def _tools(toolkit: Toolkit) -> Collection[str]:
    varied = changes(toolkit)
    if not varied:
        raise PlanError(
            "scenario 'correct' needs a tool that only looks something up and has an argument to vary (`phrases: {vary: [...]}`)"
        )
    return {tool for tool, _ in varied}


def _events(scene: Scene) -> Events:
    tool, slot = scene.decide(changes(scene.toolkit))
    yield from ask_with_another_value(scene, tool, slot, corrects=True)


def _holds(shape: Shape) -> str | None:
    if shape.order != "UCAUCA" or shape.widths != (1, 1):
        return "there are not two requests, each with one call and its answer"
    if shape.retracted != 1:
        return "the user takes nothing back"
    (first,), (second,) = shape.steps
    if first.failed:
        return "the first call fails"
    return None if first.name == second.name and 1 in second.turns else "the second call does not keep the rest of the first"


SCENARIO = Scenario(
    "correct", "the user takes back one value; the call is made with the new one, the rest stays", _tools, _events, _holds
)
