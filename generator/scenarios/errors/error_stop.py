"""error_stop: a call fails for good; the assistant says so and why, and makes no other call.

It fails for reasons of the tool's own, or because of the state of what it is about: "the order has left the warehouse".
"""

from collections.abc import Collection

from generator.planning import Say, Step
from generator.scenarios.failures import let_fail
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell_failed
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit

_REFUSED = 0.6
"""How often a tool is refused because of the state of an entity, where it can be."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.starters


def _events(scene: Scene) -> Events:
    tool = scene.decide(scene.toolkit.starters)
    refusals = [refusal for refusal in scene.toolkit.facts.refusals if refusal.tool == tool]
    if refusals and scene.draw.chance(_REFUSED):
        wish = scene.wish_refused(scene.draw.choice(refusals))
    else:
        wish = scene.wish(tool)
        let_fail(scene, wish, "permanent")
    asked = yield Say(wishes=(wish,))
    failed = yield Step(calls=(serve(asked),))
    yield tell_failed(failed)


def _holds(shape: ConversationShape) -> str | None:
    if shape.order != "UCA" or shape.widths != (1,):
        return "there is not exactly one call"
    if not shape.steps[0][0].failed:
        return "the call does not fail"
    return None if shape.told == ("failed",) else "nobody says that the call failed"


SCENARIO = Scenario(
    "error_stop", "a call fails for good: the assistant says why, and invents nothing", _tools, _events, _holds, fails=True
)
