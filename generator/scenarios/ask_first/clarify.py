"""clarify: a required value is withheld; the assistant asks for it, is told, and then calls."""

from collections.abc import Collection

from generator.core.planning import Ask, Ref, Say, Step, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for tool, _ in toolkit.gaps}


def _events(scene: Scene) -> Events:
    tool, missing = _left_out(scene)
    full = scene.wish(tool)
    withheld = Wish(tool, {key: value for key, value in full.said.items() if key not in missing})
    asked = yield Say(wishes=(withheld,))
    told: dict[str, Ref] = {}
    for name in missing:
        ask = yield Ask(wish=(asked.id, 0), slot=name)
        reply = yield Say(to=ask.id, wishes=(Wish(tool, {name: full.said[name]}),))
        told[name] = Ref(reply.id, 0, name)
    done = yield Step(calls=(serve(asked, 0, **told),))
    yield tell(done)


def _left_out(scene: Scene) -> tuple[str, tuple[str, ...]]:
    """Return a tool, and what the user does not say of what is wanted of it: one thing, or several that are asked for one by one."""
    together = scene.toolkit.gaps_together
    if scene.persona.drips and together and scene.draw.chance(scene.persona.drips):
        tool, slots = scene.decide(together)
        return tool, tuple(scene.draw.shuffled(list(slots)))
    tool, slot = scene.decide(scene.toolkit.gaps)
    return tool, (slot,)


SCENARIO = Scenario(
    "clarify",
    "a required value is missing; the assistant asks for it before it calls",
    _tools,
    _events,
    (Pattern("U (A U)+ C:from_turn_2 A", told=()),),
    needs="a tool with a required argument that a request can leave out",
)
