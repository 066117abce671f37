"""clarify: a required value is withheld; the assistant asks for it, is told, and then calls."""

from collections.abc import Collection

from generator.affordances import Toolkit
from generator.planning import Ask, Ref, Say, Step, Wish
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for tool, _ in toolkit.gaps}


def _events(scene: Scene) -> Events:
    tool, slot = scene.decide(scene.toolkit.gaps)
    full = scene.wish(tool)
    withheld = Wish(tool, {key: value for key, value in full.said.items() if key != slot})
    asked = yield Say(wishes=(withheld,))
    ask = yield Ask(wish=(asked.id, 0), slot=slot)
    reply = yield Say(to=ask.id, wishes=(Wish(tool, {slot: full.said[slot]}),))
    done = yield Step(calls=(serve(asked, 0, **{slot: Ref(reply.id, 0, slot)}),))
    yield tell(done)


SCENARIO = Scenario(
    "clarify",
    "a required value is missing; the assistant asks for it before it calls",
    _tools,
    _events,
    (Pattern("U A U C:from_turn_2 A", told=()),),
    needs="a tool with a required argument that a request can leave out",
)
