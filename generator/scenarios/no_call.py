"""Conversations in which the assistant calls nothing, or not at once.

irrelevant: nothing on offer has to do with what the user wants, so the assistant says so.
near_miss: a tool on offer looks right and cannot do what is asked for: it only reads, or is about something else.
held_back: a tool on offer could do it, and still no call is right: it has been done, it is to wait, or a value is missing or
impossible. The conversation ends with the assistant's word: a note that it leaves the matter, or the question for the value.
withheld_tool: a tool cannot be used yet, as a system message says; when a later one lets it be used, the call is made.
"""

from collections.abc import Callable
from typing import Any

from generator.core.errors import CannotFillError
from generator.core.planning import Ask, Decline, Note, Remark, Say, Step, Tell, Wish
from generator.dialogue.no_call.talk import talk
from generator.scenarios.scenario import Events, Scenario, serve, tell
from generator.scenarios.scene import Scene
from generator.scenarios.shape import Pattern

_MENTIONED = (0, 0, 0, 1, 2, 2, 3)
"""How many tools the assistant mentions that have nothing to do with it (these are then all that is on offer); each is equally likely."""
_MENTIONS = 0.85
"""How often the assistant says what a similar tool can do."""


def _irrelevant(scene: Scene) -> Events:
    """Yield a wish, and why it is declined."""
    unlike = scene.toolkit.unrelated
    tool = scene.decide(tuple(unlike))
    asked = yield Say(wishes=(scene.wish(tool),))
    instead = scene.draw.shuffled(unlike[tool])[: scene.draw.choice(_MENTIONED)]
    yield Decline(wish=(asked.id, 0), instead=tuple(instead))


def _near_miss(scene: Scene) -> Events:
    """Yield a wish, and why it is declined although a tool looks as if it could do it."""
    look_alikes = scene.toolkit.look_alikes
    tool = scene.decide(tuple(look_alikes))
    look_alike = scene.draw.choice(look_alikes[tool])
    request = yield Say(wishes=(scene.wish(tool),))
    yield Decline(wish=(request.id, 0), instead=(look_alike,) if scene.draw.chance(_MENTIONS) else (), like=look_alike)


# --- what a tool could do ---

SET_ASIDE = ("settled", "waits")
_TRIES = 20


def set_aside(scene: Scene, tool: str, kind: str) -> Events:
    """Yield a wish that is not to be served (any more, or yet: a word of `SET_ASIDE`), and that the assistant takes note."""
    has_values = bool(scene.toolkit.toolbox[tool].properties)
    wish = _wish_that(scene, tool, bool) if has_values else scene.wish(tool)
    asked = yield Say(wishes=(Wish(tool, wish.said, set_aside=kind),))
    yield Tell(about=(), how="not_done", wish=(asked.id, 0))


def missing(scene: Scene, tool: str, slot: str, others: int = 1) -> Events:
    """Yield a wish without a value that the tool needs, but with so many others at least, and the question for it."""
    full = _wish_that(scene, tool, lambda said: len(said) > others)
    asked = yield Say(wishes=(Wish(tool, {key: value for key, value in full.said.items() if key != slot}),))
    yield Ask(wish=(asked.id, 0), slot=slot)


def refused(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a wish with a value that the tool's schema does not allow, what it allows, and the question for another value."""
    wish_in_full = _wish_that(scene, tool, lambda said: slot in said)
    refused_value = scene.draw.choice(tuple(scene.toolkit.bad_values(tool, slot)))
    request = yield Say(wishes=(Wish(tool, {**wish_in_full.said, slot: refused_value}),))
    yield Ask(wish=(request.id, 0), slot=slot, refuses=True)


def _wish_that(scene: Scene, tool: str, does: Callable[[dict[str, Any]], bool]) -> Wish:
    """Return a wish whose arguments do; raises CannotFillError where none come up."""
    for _ in range(_TRIES):
        wish = scene.wish(tool)
        if does(wish.said):
            return wish
    raise CannotFillError(f"no such arguments of {tool} came up")


def _held_back(scene: Scene) -> Events:
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


def _withheld(scene: Scene) -> Events:
    """Yield a wish that is declined, the release of the tool for it, and the call."""
    tool, draw = scene.decide(scene.toolkit.starters), scene.draw
    yield Note(text=draw.choice(talk()["withheld"]).format(tool=tool), states_today=scene.states_today)
    asked = yield Say(wishes=(scene.wish(tool),))
    yield Decline(wish=(asked.id, 0))
    yield Note(text=draw.choice(talk()["available"]).format(tool=tool))
    yield Say(remark=Remark("retry", (asked.id, 0)))
    done = yield Step(calls=(serve(asked),))
    yield tell(done)


SCENARIOS = (
    Scenario(
        "irrelevant",
        "nothing on offer can do what is asked for; the assistant says so",
        lambda toolkit: toolkit.unrelated,
        _irrelevant,
        (Pattern("U A", declined=1, also=lambda shape: not shape.declined[0].like),),
        needs=(
            "tools that have nothing to do with each other, from several files: one is asked for, the others are on offer"
        ),
        calls=False,
    ),
    Scenario(
        "near_miss",
        "a tool on offer looks right but cannot do it; the assistant says so",
        lambda toolkit: toolkit.look_alikes,
        _near_miss,
        (Pattern("U A", declined=1, also=lambda shape: bool(shape.declined[0].like)),),
        needs=(
            "a tool that looks as if it could do what another one does, and cannot: one that only looks up what the "
            "other one changes"
        ),
        calls=False,
    ),
    Scenario(
        "held_back",
        "a tool could do it, and no call is right: it is done or to wait, or a value is missing or impossible",
        lambda toolkit: toolkit.starters,
        _held_back,
        (
            *[
                Pattern("U A", told=(how, f"{kind}_noted"), declined=0)
                for kind in SET_ASIDE
                for how in (kind, f"{kind}_after")
            ],
            Pattern("U A", told=("refused",), retracted=1, declined=0),
            Pattern("U A", told=(), retracted=0, declined=0),
        ),
        needs="a tool that needs no other one",
    ),
    Scenario(
        "withheld_tool",
        "a tool cannot be used yet; a later system message lets it be called",
        lambda toolkit: toolkit.starters if len(toolkit.toolbox) > 1 else (),
        _withheld,
        (
            Pattern(
                "U A U C A",
                told=("retry",),
                also=lambda shape: [one.tool for one in shape.declined] == [shape.steps[0][0].name],
            ),
        ),
        needs="at least two tools: one that cannot be used yet, and another one",
    ),
)
