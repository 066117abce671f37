"""single: one request, one call."""

from collections.abc import Collection

from generator.core.planning import Say, Step
from generator.scenarios.affordances import Toolkit
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell


def tools(toolkit: Toolkit) -> Collection[str]:
    """Return every tool that needs no other one."""
    return toolkit.starters


def events(scene: Scene) -> Events:
    """Yield one wish, its call and the report."""
    asked = yield Say(wishes=(scene.wish(scene.decide(scene.toolkit.starters)),))
    done = yield Step(calls=(serve(asked),))
    yield tell(done)


SCENARIO = Scenario("single", "one request, one call", tools, events, (Pattern("U C A"),))
