"""error_recover: a call with a wrong argument is refused; the assistant reads the error and makes it right.

The wrong call is not to be learnt (`train: false`); the right one, after the error, is.
"""

from collections.abc import Collection
from typing import Any

import msgspec

from generator.errors import CannotFillError, PlanError
from generator.planning import Say, Step, Wish
from generator.scenarios.mistakes import mistaken
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, make_again, serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit

_TRIES = 20


def _tools(toolkit: Toolkit) -> Collection[str]:
    tools = _checked(toolkit)
    if not tools:
        raise PlanError("scenario 'error_recover' needs a tool whose parameters refuse some arguments")
    return tools


def _events(scene: Scene) -> Events:
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
    """Return a wish, and wrong arguments for it."""
    for _ in range(_TRIES):
        wish = scene.wish(scene.decide(_checked(scene.toolkit)))
        wrong = mistaken(scene.toolkit.toolbox[wish.tool], wish.said, scene.draw)
        if wrong is not None:
            return wish, wrong
    raise CannotFillError("no mistake that the schema refuses came up")


def _checked(toolkit: Toolkit) -> tuple[str, ...]:
    found: list[str] = toolkit.memo.setdefault("error_recover", [])
    if not found:
        found += [name for name in toolkit.starters if (toolkit.toolbox[name].tool.parameters or {}).get("properties")]
    return tuple(found)


def _holds(shape: ConversationShape) -> str | None:
    if shape.order != "UCCA" or shape.widths != (1, 1):
        return "there are not two calls, one after the other"
    (first,), (second,) = shape.steps
    if not first.failed or first.learnt:
        return "the first call is not refused, or is to be learnt"
    return None if second.again and not second.failed else "the call is not made right"


SCENARIO = Scenario(
    "error_recover", "a refused call is made again with right arguments", _tools, _events, _holds, fails=True
)
