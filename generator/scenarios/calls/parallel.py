"""parallel: one tool, called several times at once with different arguments."""

from collections.abc import Collection

from generator.core.planning import Say, Step, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import at_once, serve_all, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.repeatable if any(spec.properties for spec in toolkit.toolbox.values()) else ()


def _events(scene: Scene) -> Events:
    asked = yield Say(wishes=wishes_for_one_tool(scene))
    done = yield Step(calls=at_once(serve_all(asked), scene.draw))
    yield tell(done)


def wishes_for_one_tool(scene: Scene) -> tuple[Wish, ...]:
    """Return wishes that differ in all arguments, or in one that reads well as a list ("in Oslo, Rome and Lima")."""
    toolkit, draw = scene.toolkit, scene.draw
    tool = scene.decide(toolkit.repeatable)
    phrases = toolkit.toolbox[tool].phrases
    number = draw.between(*toolkit.calls)
    only_lists = phrases.vary and not (phrases.again or phrases.entry)
    if phrases.vary and (only_lists or draw.chance(0.5)):
        return scene.wishes_that_vary(tool, draw.choice(phrases.vary), number)
    return scene.wishes([tool] * number)


SCENARIO = Scenario(
    "parallel",
    "one tool, two or more calls at once",
    _tools,
    _events,
    (Pattern("U C{2+}:one_tool A"),),
    needs="a tool with parameters: its calls must differ in their arguments",
)
