"""long_context: many requests stand between what the user goes back to and the request for it, and many tools are on offer."""

from collections.abc import Collection

from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.going_back import fillers
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.shape import ConversationShape
from generator.scenarios.turns.refer_back import go_back_to_a_result, tools_for_results

_BETWEEN = (4, 7)
"""How many requests about something else come in between, at least and at most."""
_TOOLS = (20, 100)
"""How many tools are offered besides the called ones, at least and at most, if there are so many."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    tools = tools_for_results(toolkit)
    return tools | {name for tool in tools for name in fillers(toolkit, tool, _BETWEEN[1])}


def _events(scene: Scene) -> Events:
    yield from go_back_to_a_result(scene, _BETWEEN)


def _tags(shape: ConversationShape) -> tuple[str, ...]:
    """Return how many user messages lie between a value and its use, and how many tools are on offer."""
    last = shape.steps[-1][0]
    return f"distance:{last.turn - min(last.turns)}", f"tools:{shape.offered}"


SCENARIO = Scenario(
    "long_context",
    "many requests and many tools between what was said or found and the call that takes it",
    _tools,
    _events,
    (Pattern("U C A (U C A){4+} U C:from_long_ago A"),),
    distractors=_TOOLS,
    tags=_tags,
    needs="a link between two loaded tools, and others to ask for in between",
)
