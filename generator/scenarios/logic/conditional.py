"""conditional: something is looked up, and only if the result is as the user says, something is done."""

from collections.abc import Collection
from typing import Any

from generator.core.planning import Say, Step, Tell, Test, Wish
from generator.core.pointers import resolve
from generator.dialogue.from_results.depending import acts_at_once, days_of
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.tested import SHARED, Tested
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for tested, writers in toolkit.conditionals for tool in (tested.tool, *writers)}


def _events(scene: Scene) -> Events:
    tested, writers = scene.decide(scene.toolkit.conditionals)
    first, then = scene.wishes((tested.tool, scene.draw.choice(writers)))
    first = Wish(first.tool, _for_today(scene, first.tool, _required(scene, first), then.tool))
    op, values = scene.decide(tested.tests)
    test = Test(0, tested.field, op, scene.decide(values))
    said = _with_values(scene, then.tool, _said_briefly(scene, first, then), tested)
    asked = yield Say(wishes=(first, Wish(then.tool, said, when=test)))
    found = yield Step(calls=(serve(asked, 0),))
    holds = test.holds(resolve(found.outcomes[0].value, tested.field))
    done = [(yield Step(calls=(serve(asked, 1),)))] if holds else []
    yield tell(found)
    yield Tell(about=(), how="not_done" if not holds else "held", wish=(asked.id, 1))
    for step in done:
        yield tell(step)


def _said_briefly(scene: Scene, first: Wish, then: Wish) -> dict[str, Any]:
    """Return only the required arguments, about the same place or person as the look-up where both ask for one."""
    said = _required(scene, then)
    return {name: first.said[name] if _is_shared(name, value, first) else value for name, value in said.items()}


def _with_values(scene: Scene, tool: str, said: dict[str, Any], tested: Tested) -> dict[str, Any]:
    """Return the arguments with values for which the test is a reason: it is a picnic that is called off because of rain."""
    if not tested.values:
        return said
    fixed = {argument: scene.draw.choice(values) for argument, values in tested.values}
    return scene.fitted(tool, {**said, **fixed}, agreed=True)


def _required(scene: Scene, wish: Wish) -> dict[str, Any]:
    """Return what a wish says of required arguments: two requests and a condition are long enough."""
    required = scene.toolkit.toolbox[wish.tool].required
    return {name: value for name, value in wish.said.items() if name in required}


def _for_today(scene: Scene, tool: str, said: dict[str, Any], then: str) -> dict[str, Any]:
    """Return what the look-up says: nobody moves the blinds now because of the weather on Monday."""
    spec, toolbox = scene.toolkit.toolbox[tool], scene.toolkit.toolbox
    if not acts_at_once(toolbox[then]):
        return said
    today = scene.draw.today.isoformat()
    days = {
        name: "today" if "today" in spec.properties[name].get("enum", ()) else today
        for name in days_of(spec) & said.keys()
    }
    return scene.fitted(tool, {**said, **days}, agreed=True) if days else said


def _is_shared(name: str, value: Any, first: Wish) -> bool:
    return name in SHARED and type(value) is type(first.said.get(name))


SCENARIO = Scenario(
    "conditional",
    "a look-up, and what is to be done only if its result is so: both ways occur",
    _tools,
    _events,
    (
        Pattern("U C A", told=("condition", "untrue")),
        Pattern("U C C A", told=("condition", "held")),
    ),
    needs=(
        "a tool that looks something up, with a field in its result to compare (a choice, or a number with a "
        "minimum and a maximum), and a tool of the same file that acts"
    ),
)
