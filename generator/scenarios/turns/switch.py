"""switch: instead of answering a question the user asks for something else; then the assistant comes back to it."""

from collections.abc import Collection

from generator.errors import PlanError
from generator.planning import Ask, Ref, Say, Step, Wish
from generator.scenarios.ask_first.clarify import gaps
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.toolkit import Toolkit, once

Pair = tuple[str, str, tuple[str, ...]]
"""A tool, the argument that is asked for, and the tools that the user may ask for in between."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    pairs = _pairs(toolkit)
    if not pairs:
        raise PlanError(
            "scenario 'switch' needs a tool with a required argument that a request can leave out, and another tool "
            "that it does not feed"
        )
    return {tool for first, _, others in pairs for tool in (first, *others)}


def _events(scene: Scene) -> Events:
    tool, slot, others = scene.decide(_pairs(scene.toolkit))
    full, other = _wishes(scene, tool, others)
    asked = yield Say(wishes=(Wish(tool, {key: value for key, value in full.said.items() if key != slot}),))
    yield Ask(wish=(asked.id, 0), slot=slot)
    between = yield Say(wishes=(other,))
    found = yield Step(calls=(serve(between),))
    yield tell(found)
    ask = yield Ask(wish=(asked.id, 0), slot=slot, again=True)
    reply = yield Say(to=ask.id, wishes=(Wish(tool, {slot: full.said[slot]}),))
    done = yield Step(calls=(serve(asked, 0, **{slot: Ref(reply.id, 0, slot)}),))
    yield tell(done)


def _wishes(scene: Scene, tool: str, others: tuple[str, ...]) -> tuple[Wish, ...]:
    """Return the wish that is interrupted and the one in between, about the same thing where they serve one goal."""
    found = scene.purpose((tool,))
    if found is not None:
        _, purpose = found
        near = [name for name in purpose.slots if name in scene.toolkit.look_ups and name in purpose.friends[tool]]
        if near:
            return scene.agreed(purpose, scene.drafts.wishes((tool, scene.draw.choice(near))))
    return scene.wishes((tool, scene.draw.choice(others)))


@once
def _pairs(toolkit: Toolkit) -> tuple[Pair, ...]:
    """Return gaps of requests, each with look-ups of the same subject, else with other look-ups, else with any other tools."""
    found: list[Pair] = []
    for tool, slot in gaps(toolkit):
        partners = toolkit.partners[tool]
        reading = [name for name in partners if name in toolkit.look_ups]
        near = [name for name in reading if name in toolkit.neighbours[tool]]
        if partners:
            found.append((tool, slot, tuple(near or reading or partners)))
    return tuple(found)


SCENARIO = Scenario(
    "switch",
    "instead of answering the user asks for something else; then the question is asked again",
    _tools,
    _events,
    (Pattern("U A U C:only_turn_2 A U C:from_turn_3 A"),),
)
