"""near_miss: a tool on offer looks right and cannot do what is asked for: it only reads, or is about something else."""

from collections.abc import Collection

from generator.core.planning import Chat, Decline, Say
from generator.scenarios.affordances import Toolkit
from generator.scenarios.no_call.direct_answer import only_talk
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.shape import ConversationShape
from generator.scenarios.telling import exchange

_MENTIONS = 0.85
"""How often the assistant says what the similar tool can do."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.sisters


def _events(scene: Scene) -> Events:
    """Yield a wish, and why it is declined."""
    sisters = scene.toolkit.sisters
    tool = scene.decide(tuple(sisters))
    like = scene.draw.choice(sisters[tool])
    asked = yield Say(wishes=(scene.wish(tool),))
    yield Decline(wish=(asked.id, 0), instead=(like,) if scene.draw.chance(_MENTIONS) else (), like=like)
    if scene.draw.chance(0.25):
        yield from exchange(Chat(kind="disappointed"))


def _something_alike(shape: ConversationShape) -> bool:
    return only_talk(shape) and bool(shape.declined[0].like)


SCENARIO = Scenario(
    "near_miss",
    "a tool on offer looks right but cannot do it; the assistant says so",
    _tools,
    _events,
    (Pattern("(U A)+", declined=1, also=_something_alike),),
    needs=(
        "a tool that looks as if it could do what another one does, and cannot: one that only looks up what the "
        "other one changes"
    ),
    calls=False,
)
