"""irrelevant: nothing on offer has to do with what the user wants, so the assistant says so and calls nothing."""

from collections.abc import Collection

from generator.core.planning import Chat, Decline, Say
from generator.scenarios.affordances import Toolkit
from generator.scenarios.no_call.direct_answer import only_talk
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.shape import ConversationShape
from generator.scenarios.telling import exchange

_MENTIONED = (0, 0, 0, 1, 2, 2, 3)
"""How many tools the assistant mentions (these are then all that is on offer); each entry is equally likely."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.aliens


def _events(scene: Scene) -> Events:
    """Yield a wish, and why it is declined."""
    unlike = scene.toolkit.aliens
    tool = scene.decide(tuple(unlike))
    asked = yield Say(wishes=(scene.wish(tool),))
    instead = scene.draw.shuffled(unlike[tool])[: scene.draw.choice(_MENTIONED)]
    yield Decline(wish=(asked.id, 0), instead=tuple(instead))
    if scene.draw.chance(0.25):
        yield from exchange(Chat(kind="disappointed"))


def _nothing_alike(shape: ConversationShape) -> bool:
    return only_talk(shape) and not shape.declined[0].like


SCENARIO = Scenario(
    "irrelevant",
    "nothing on offer can do what is asked for; the assistant says so",
    _tools,
    _events,
    (Pattern("(U A)+", declined=1, also=_nothing_alike),),
    needs=(
        "tools that have nothing to do with each other, from several files: one is asked for, the others are on offer"
    ),
    calls=False,
)
