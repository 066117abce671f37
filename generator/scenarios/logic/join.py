"""join: one call takes values from two look-ups: "Give the task that is due first to the newest hire"."""

from collections.abc import Collection
from typing import Any

from generator.core.planning import HERE, Meant, Ref, Say, Step
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.joining import picks_in
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import at_once, serve, tell


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for target, one, other in toolkit.joints for tool in (target, one.source, other.source)}


def _events(scene: Scene) -> Events:
    target, one, other = scene.decide(scene.toolkit.joints)
    first = (scene.wish(one.source, target), scene.wish(other.source))
    meant: dict[str, Any] = {
        origin.argument: Meant(
            Ref(HERE, place, origin.at), tuple(scene.draw.shuffled(list(picks_in(scene.toolkit, origin))))
        )
        for place, origin in enumerate((one, other))
    }
    asked = yield Say(wishes=(*first, scene.wish_with(target, meant, then=(target,))))
    found = yield Step(calls=at_once((serve(asked, 0), serve(asked, 1)), scene.draw))
    done = yield Step(calls=(serve(asked, 2, found),))
    yield tell(done)


SCENARIO = Scenario(
    "join",
    "one call takes values from two look-ups",
    _tools,
    _events,
    (Pattern("U C{2} C:takes_two A"),),
    needs="a tool with two arguments that come from lists of two other tools (two `links`, or a link and a person)",
)
