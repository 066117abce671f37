"""script and long_context: any script of the recipe, which decides what the row is, or several one after the other."""

from collections.abc import Collection

from generator.core.errors import CannotFillError
from generator.scenarios.affordances import Toolkit
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene


def tools(toolkit: Toolkit) -> Collection[str]:
    """Return all tools: scripts name their own."""
    return toolkit.toolbox


def events(scene: Scene) -> Events:
    """Scripts have no events; a row that comes here found no script that fits."""
    raise CannotFillError("no script is left for this row; `per_script` of `scripts` allows more rows of each")
    yield  # a generator, as for all scenarios


SCENARIO = Scenario("script", "any script of the recipe", tools, events, (), calls=False)
LONG_CONTEXT = Scenario(
    "long_context", "seven requests or more, of a script or of several", tools, events, (), calls=False
)
