"""single: one request, one call."""

from collections.abc import Collection

from generator.planning import Say, Step
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit


def tools(toolkit: Toolkit) -> Collection[str]:
    """Return every tool that needs no other one."""
    return toolkit.starters


def events(scene: Scene) -> Events:
    """Yield one wish, its call and the report."""
    asked = yield Say(wishes=(scene.wish(scene.decide(scene.toolkit.starters)),))
    done = yield Step(calls=(serve(asked),))
    yield tell(done)


def _holds(shape: ConversationShape) -> str | None:
    return None if shape.order == "UCA" and shape.widths == (1,) else "there is not exactly one call"


SCENARIO = Scenario("single", "one request, one call", tools, events, _holds)
