"""multiple: one right tool among look-alikes."""

from collections.abc import Collection

from generator.scenarios.affordances import Toolkit
from generator.scenarios.calls.single import events
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Scenario


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.starters if len(toolkit.toolbox) > 1 else ()


SCENARIO = Scenario(
    "multiple",
    "one call; the other tools on offer look like the right one",
    _tools,
    events,
    (Pattern("U C A", also=lambda shape: shape.offered > 1),),
    look_alikes=True,
    needs="at least two tools: one to call and one that looks like it",
)
