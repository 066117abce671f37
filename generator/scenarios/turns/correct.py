"""correct: the user takes back one value of a request: "Sorry, I meant Rome."; the rest stays as it was.

They do so after the answer, or before the call is made: with the reply to the assistant's question.
"""

from collections.abc import Collection

from generator.errors import CannotFillError, PlanError
from generator.planning import Ask, Ref, Say, Step, Wish
from generator.scenarios.ask_first.clarify import gaps
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit
from generator.scenarios.turns.follow_up import ask_with_another_value, changeable, changes

_BEFORE = 0.4
"""How often a value is changed before the call is made."""
_TRIES = 20


def _tools(toolkit: Toolkit) -> Collection[str]:
    varied = changes(toolkit)
    if not varied:
        raise PlanError(
            "scenario 'correct' needs a tool that only looks something up and has an argument to vary (`phrases: {vary: [...]}`)"
        )
    return {tool for tool, _ in (*varied, *gaps(toolkit))}


def _events(scene: Scene) -> Events:
    if gaps(scene.toolkit) and scene.draw.chance(_BEFORE):
        yield from _before_the_call(scene)
        return
    tool, slot = scene.decide(changes(scene.toolkit))
    yield from ask_with_another_value(scene, tool, slot, corrects=True)


def _before_the_call(scene: Scene) -> Events:
    """Yield a question for a missing value, and a reply that gives it and changes another one: "7 pm. Sorry, I meant Friday."."""
    for _ in range(_TRIES):
        tool, missing = scene.decide(gaps(scene.toolkit))
        full = scene.wish(tool)
        said = Wish(tool, {slot: value for slot, value in full.said.items() if slot != missing})
        slots = changeable(scene, said)
        if slots:
            break
    else:
        raise CannotFillError("nothing that was said can be said anew by itself")
    slot = scene.decide(slots)
    changed = Wish(tool, {slot: scene.another(full, slot)})
    asked = yield Say(wishes=(said,))
    ask = yield Ask(wish=(asked.id, 0), slot=missing)
    reply = yield Say(to=ask.id, wishes=(Wish(tool, {missing: full.said[missing]}), changed), corrects=True)
    given = {missing: Ref(reply.id, 0, missing), slot: Ref(reply.id, 1, slot)}
    done = yield Step(calls=(serve(asked, 0, **given),))
    yield tell(done)


def _holds(shape: ConversationShape) -> str | None:
    if shape.order == "UAUCA" and shape.widths == (1,) and shape.told == ("corrected",):
        return None if shape.retracted == 1 else "the user takes nothing back"
    if shape.order != "UCAUCA" or shape.widths != (1, 1):
        return "there are not two requests, each with one call and its answer"
    if shape.retracted != 1:
        return "the user takes nothing back"
    (first,), (second,) = shape.steps
    if first.failed:
        return "the first call fails"
    return None if first.name == second.name and 1 in second.turns else "the second call does not keep the rest of the first"


SCENARIO = Scenario(
    "correct", "the user takes back one value; the call is made with the new one, the rest stays", _tools, _events, _holds
)
