"""switch: instead of answering a question the user asks for something else; then the assistant comes back to it."""

from collections.abc import Collection

from generator.core.planning import Ask, Ref, Say, Step, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.goals import Purpose
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell
from generator.scenarios.shared import named_again


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for first, _, others in toolkit.interruptions for tool in (first, *others)}


def _events(scene: Scene) -> Events:
    tool, slot, others = scene.decide(scene.toolkit.interruptions)
    purpose, (full, other) = _wishes(scene, tool, others)
    asked = yield Say(wishes=(Wish(tool, {key: value for key, value in full.said.items() if key != slot}),))
    yield Ask(wish=(asked.id, 0), slot=slot)
    between = yield Say(wishes=(other if purpose is None else named_again(scene, purpose, asked, other),))
    found = yield Step(calls=(serve(between),))
    yield tell(found)
    ask = yield Ask(wish=(asked.id, 0), slot=slot, again=True)
    reply = yield Say(to=ask.id, wishes=(Wish(tool, {slot: full.said[slot]}),))
    done = yield Step(calls=(serve(asked, 0, **{slot: Ref(reply.id, 0, slot)}),))
    yield tell(done)


def _wishes(scene: Scene, tool: str, others: tuple[str, ...]) -> tuple[Purpose | None, tuple[Wish, ...]]:
    """Return the wish that is interrupted and the one in between, and the goal that both serve, if any: they are about the same thing then."""
    found = scene.purpose((tool,) if tool in scene.toolkit.purposes else ())
    if found is not None:
        _, purpose = found
        near = [name for name in purpose.slots if name in scene.toolkit.look_ups and name in purpose.friends[tool]]
        if near:
            return purpose, scene.agreed(purpose, scene.drafts.wishes((tool, scene.draw.choice(near))))
    return None, scene.wishes((tool, scene.draw.choice(others)))


SCENARIO = Scenario(
    "switch",
    "instead of answering the user asks for something else; then the question is asked again",
    _tools,
    _events,
    (Pattern("U A U C A U C:from_turn_3 A"),),
    needs="a tool with a required argument that a request can leave out, and another tool that it does not feed",
)
