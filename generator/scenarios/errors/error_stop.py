"""error_stop: a call fails for good; the assistant says so and why, and makes no other call.

It fails for reasons of the tool's own, or because of the state of what it is about: "the order has left the warehouse".
"""

from collections.abc import Collection
from contextlib import suppress

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Ref, Say, Step, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.links import Edge
from generator.scenarios.affordances.refusals import Searched
from generator.scenarios.affordances.uses_of_links import is_searched_silently
from generator.scenarios.failures import let_fail
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell, tell_failed

_REFUSED = 0.6
"""How often a tool is refused because of the state of an entity, where it can be."""
_SEARCHED = 0.35
"""How often that entity is searched for first."""
_UNNAMED = 0.6
"""How often the user does not ask for that search."""


_TRIES = 4
"""How many further links are tried where a search does not find what the first one needs."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {*toolkit.starters, *[tool for edge, _ in toolkit.searched for tool in (edge.source, edge.target)]}


def _events(scene: Scene) -> Events:
    searched = scene.toolkit.searched if scene.world is not None else ()
    if searched and scene.draw.chance(_SEARCHED):
        yield from _find_and_fail(scene, *_search(scene, searched))
        return
    tool = scene.decide(scene.toolkit.starters)
    refusals = [refusal for refusal in scene.toolkit.facts.refusals if refusal.tool == tool]
    if refusals and scene.draw.chance(_REFUSED):
        wish = scene.wish_refused(scene.draw.choice(refusals))
    else:
        wish = scene.wish(tool)
        let_fail(scene, wish, "permanent")
    asked = yield Say(wishes=(wish,))
    failed = yield Step(calls=(serve(asked),))
    yield tell_failed(failed)


def _search(scene: Scene, searched: tuple[Searched, ...]) -> tuple[Edge, Wish]:
    """Return a link, and a wish for a search that finds only what the link's target refuses."""
    for edge, refusal in (scene.decide(searched), *scene.draw.shuffled(searched)[:_TRIES]):
        with suppress(CannotFillError):
            return edge, scene.wish_for_refused(edge, refusal)
    raise CannotFillError("what is found is never refused")


def _find_and_fail(scene: Scene, edge: Edge, search: Wish) -> Events:
    """Yield a request for something that is found, and with which nothing can be done in its state."""
    is_unnamed = is_searched_silently(scene.toolkit, edge.source) and scene.draw.chance(_UNNAMED)
    search = msgspec.structs.replace(search, unnamed=is_unnamed)
    asked = yield Say(wishes=(search, scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")})))
    found = yield Step(calls=(serve(asked, 0),))
    failed = yield Step(calls=(serve(asked, 1, found),))
    if not found.outcomes[0].ok or failed.outcomes[0].ok:
        raise CannotFillError(f"{edge.target} is not refused")
    if not is_unnamed:
        yield tell(found)
    yield tell_failed(failed)


SCENARIO = Scenario(
    "error_stop",
    "a call fails for good: the assistant says why, and invents nothing",
    _tools,
    _events,
    (
        Pattern("U C:failed A", told=("failed",)),
        Pattern("U C:ok C:failed:takes A", told=("failed",)),
    ),
    fails=True,
)
