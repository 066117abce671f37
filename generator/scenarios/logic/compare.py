"""compare: several look-ups at once, and the answer names the best one: "Split has the lowest index: 22."."""

from collections.abc import Collection

from generator.core.errors import CannotFillError
from generator.core.planning import Comparison, Say, Step, Tell
from generator.core.pointers import resolve
from generator.scenarios.affordances import Toolkit
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import at_once, calls_in_order, serve_all, tell

_ALL_ALIKE = 0.25
"""How often rows are kept in which all results are equal."""
_BEST_FIRST = 0.9
"""How often the best one is named before all results are reported."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for tool, _ in toolkit.comparable}


def _events(scene: Scene) -> Events:
    tool, comparison = scene.decide(scene.toolkit.comparable)
    wishes = scene.wishes_that_vary(tool, comparison.slot, scene.draw.between(*_how_many(scene.toolkit)))
    asked = yield Say(wishes=wishes, compares=comparison)
    found = yield Step(calls=at_once(serve_all(asked), scene.draw))
    places = _best(found, comparison)
    if len(places) == len(wishes) and not scene.draw.chance(_ALL_ALIKE):
        raise CannotFillError("all of them are alike")
    best = Tell(about=calls_in_order([(found, place) for place in places]), how="best")
    is_first = scene.draw.chance(_BEST_FIRST)
    yield best if is_first else tell(found)
    yield tell(found) if is_first else best


def _how_many(toolkit: Toolkit) -> tuple[int, int]:
    """Return the least and greatest number of things to compare: people compare two to four."""
    least, most = toolkit.calls
    return min(least, 4), min(most, 4)


def _best(step: Step, comparison: Comparison) -> list[int]:
    """Return the places of the calls with the least, or the greatest, value; several that are equally good."""
    values = [resolve(outcome.value, comparison.field) for outcome in step.outcomes]
    best = min(values) if comparison.extreme == "min" else max(values)
    if best == 0 and comparison.extreme == "max":
        raise CannotFillError("none of them has any")
    return [place for place, value in enumerate(values) if value == best]


SCENARIO = Scenario(
    "compare",
    "several look-ups at once; the answer names the best one",
    _tools,
    _events,
    (
        Pattern("U C{2+}:one_tool A", told=("best", "comparison")),
        Pattern("U C{2+}:one_tool A", told=("comparison", "best")),
    ),
    needs="a tool that looks something up, with a name among its arguments and a number in its result",
)
