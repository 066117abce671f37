"""held_back: a tool on offer could do it, and still no call is right: it has been done, it is to wait, or a value is missing or impossible.

The conversation ends with the assistant's word: a note that it leaves the matter, or the question for the value.
"""

from collections.abc import Callable, Collection
from typing import Any

from generator.core.errors import CannotFillError
from generator.core.planning import Ask, Say, Tell, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.mistakable import bad_values
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene

SET_ASIDE = ("settled", "waits")
_TRIES = 20


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.starters


def set_aside(scene: Scene, tool: str, kind: str) -> Events:
    """Yield a wish that is not to be served (any more, or yet: a word of `SET_ASIDE`), and that the assistant takes note."""
    has_values = bool(scene.toolkit.toolbox[tool].properties)
    wish = _wish_that(scene, tool, bool) if has_values else scene.wish(tool)
    asked = yield Say(wishes=(Wish(tool, wish.said, set_aside=kind),))
    yield Tell(about=(), how="not_done", wish=(asked.id, 0))


def missing(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a wish without a value that the tool needs, but with others, and the question for it."""
    full = _wish_that(scene, tool, lambda said: len(said) > 1)
    asked = yield Say(wishes=(Wish(tool, {key: value for key, value in full.said.items() if key != slot}),))
    yield Ask(wish=(asked.id, 0), slot=slot)


def refused(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a wish with a value that the tool's schema does not allow, what it allows, and the question for another value."""
    full = _wish_that(scene, tool, lambda said: slot in said)
    bad = scene.draw.choice(tuple(bad_values(scene.toolkit, tool, slot)))
    asked = yield Say(wishes=(Wish(tool, {**full.said, slot: bad}),))
    yield Ask(wish=(asked.id, 0), slot=slot, refuses=True)


def _wish_that(scene: Scene, tool: str, does: Callable[[dict[str, Any]], bool]) -> Wish:
    """Return a wish whose arguments do; raises CannotFillError where none come up."""
    for _ in range(_TRIES):
        wish = scene.wish(tool)
        if does(wish.said):
            return wish
    raise CannotFillError(f"no such arguments of {tool} came up")


def _events(scene: Scene) -> Events:
    """Yield one of the reasons not to call."""
    toolkit = scene.toolkit
    ways: list[Callable[[], Events]] = [
        lambda: set_aside(scene, scene.decide(toolkit.starters), scene.draw.choice(SET_ASIDE))
    ]
    if toolkit.gaps:
        ways.append(lambda: missing(scene, *scene.decide(toolkit.gaps)))
    if toolkit.limited:
        ways.append(lambda: refused(scene, *scene.decide(toolkit.limited)))
    yield from scene.draw.choice(ways)()


SCENARIO = Scenario(
    "held_back",
    "a tool could do it, and no call is right: it is done or to wait, or a value is missing or impossible",
    _tools,
    _events,
    (
        *[
            Pattern("U A", told=(how, f"{kind}_noted"), declined=0)
            for kind in SET_ASIDE
            for how in (kind, f"{kind}_after")
        ],
        Pattern("U A", told=("refused",), retracted=1, declined=0),
        Pattern("U A", told=(), retracted=0, declined=0, also=lambda shape: not shape.chats),
    ),
    needs="a tool that needs no other one",
)
