"""multiple: one right tool among look-alikes."""

from collections.abc import Collection

from generator.errors import PlanError
from generator.scenarios.calls.single import events
from generator.scenarios.scenario import Scenario
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit


def _tools(toolkit: Toolkit) -> Collection[str]:
    if len(toolkit.toolbox) < 2:
        raise PlanError("scenario 'multiple' needs at least two tools: one to call and one that looks like it")
    return toolkit.starters


def _holds(shape: ConversationShape) -> str | None:
    if shape.order != "UCA" or shape.widths != (1,):
        return "there is not exactly one call"
    return None if shape.offered > 1 else "only the called tool is on offer"


SCENARIO = Scenario(
    "multiple", "one call; the other tools on offer look like the right one", _tools, events, _holds, look_alikes=True
)
