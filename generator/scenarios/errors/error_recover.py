"""error_recover: the cause of an error is removed, and the call made again.

A call with a wrong argument is refused; the assistant reads the error and makes it right. The wrong call is not to be
learnt (`train: false`); the right one, after the error, is. Or the state of a thing forbids the call, and a step by another
tool ends that state, if the user allows it (`unblocked.py`). Or what was found cannot be had any more, and another thing is
offered (`another_thing.py`).
"""

from collections.abc import Collection
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import Say, Step, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.errors.another_thing import ANOTHER_THING, take_another
from generator.scenarios.errors.unblocked import UNBLOCKED, unblock
from generator.scenarios.mistakes import is_missed, mistaken
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import make_again, serve, tell

_TRIES = 20
_TAKEN = 0.35
"""How often what was found cannot be had any more, where tools take one of several things that were found."""
_BLOCKED = 0.3
"""How often the state of a thing forbids the call, where another tool can end such a state."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    tools = {*toolkit.checked, *[tool for edge in toolkit.edges_taking_one for tool in (edge.source, edge.target)]}
    tools |= {tool for way in toolkit.blocked for tool in way.tools}
    return tools


def _events(scene: Scene) -> Events:
    ways = () if scene.planned or scene.world is None else scene.toolkit.blocked
    if ways and scene.draw.chance(_BLOCKED):
        yield from unblock(scene, scene.decide(ways))
        return
    taking = () if scene.planned else scene.toolkit.edges_taking_one  # a planned call is made with a mistake
    if taking and (not scene.toolkit.checked or scene.draw.chance(_TAKEN)):
        yield from take_another(scene, scene.decide(taking))
        return
    wish, wrong = _mistaken_wish(scene)
    asked = yield Say(wishes=(wish,))
    refused = yield Step(calls=(msgspec.structs.replace(serve(asked), wrong=wrong),))
    if refused.outcomes[0].ok:
        raise CannotFillError("the wrong call is not refused")
    done = yield Step(calls=(make_again(refused),))
    if not done.outcomes[0].ok:
        raise CannotFillError("the right call fails, too")
    yield tell(done)


def _mistaken_wish(scene: Scene) -> tuple[Wish, dict[str, Any]]:
    """Return a wish, and wrong arguments for it: none at all, where nothing else can be wrong with a single one."""
    for _ in range(_TRIES):
        wish = scene.wish(scene.decide(scene.toolkit.checked))
        wrong = mistaken(scene.toolkit.toolbox[wish.tool], wish.said, scene.draw)
        if wrong is not None:
            return wish, wrong
    if len(wish.said) == 1 and is_missed(scene.toolkit.toolbox[wish.tool]):
        return wish, {}
    raise CannotFillError("no mistake that the schema refuses came up")


SCENARIO = Scenario(
    "error_recover",
    "a refused call is made right, or made possible by another step or thing if the user agrees",
    _tools,
    _events,
    (
        Pattern("U C:failed:not_learnt C:again:ok A", told=()),
        *ANOTHER_THING,
        *UNBLOCKED,
    ),
    fails=True,
    needs="a tool whose parameters refuse some arguments",
)
