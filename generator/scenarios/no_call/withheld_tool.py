"""withheld_tool: a tool cannot be used yet, as a system message says; when a later one lets it be used, the call is made."""

from collections.abc import Collection

from generator.core.planning import Chat, Decline, Note, Say, Step
from generator.dialogue.no_call.talk import talk
from generator.scenarios.affordances import Toolkit
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell
from generator.scenarios.shape import ConversationShape


def _tools(toolkit: Toolkit) -> Collection[str]:
    return toolkit.starters if len(toolkit.toolbox) > 1 else ()


def _events(scene: Scene) -> Events:
    """Yield a wish that is declined, the release of the tool for it, and the call."""
    tool, draw = scene.decide(scene.toolkit.starters), scene.draw
    yield Note(text=draw.choice(talk()["withheld"]).format(tool=tool), states_today=scene.states_today)
    asked = yield Say(wishes=(scene.wish(tool),))
    yield Decline(wish=(asked.id, 0))
    yield Note(text=draw.choice(talk()["available"]).format(tool=tool))
    yield Say(chat=Chat(kind="retry", wish=(asked.id, 0)))
    done = yield Step(calls=(serve(asked),))
    yield tell(done)


def _calls_what_was_declined(shape: ConversationShape) -> bool:
    return shape.chats == ("retry",) and [one.tool for one in shape.declined] == [shape.steps[0][0].name]


SCENARIO = Scenario(
    "withheld_tool",
    "a tool cannot be used yet; a later system message lets it be called",
    _tools,
    _events,
    (Pattern("U A U C A", also=_calls_what_was_declined),),
    needs="at least two tools: one that cannot be used yet, and another one",
)
