"""empty_result: a search finds nothing; the assistant says so with what it looked for, and makes nothing up."""

from collections.abc import Collection

from generator.errors import PlanError
from generator.planning import Outcome, Say, Step, Tell
from generator.pointers import resolve
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit


def _tools(toolkit: Toolkit) -> Collection[str]:
    tools = _searches(toolkit)
    if not tools:
        raise PlanError("scenario 'empty_result' needs a tool with `effect: {find: …}` and an argument that narrows what it finds")
    return tools


def _events(scene: Scene) -> Events:
    tool = scene.decide(_searches(scene.toolkit))
    effect = scene.toolkit.toolbox[tool].effect
    assert effect is not None
    at = effect.at

    def finds(outcome: Outcome) -> bool:
        return bool(resolve(outcome.value, at))

    asked = yield Say(wishes=(scene.wish_for_nothing(tool, finds),))
    done = yield Step(calls=(serve(asked),))
    yield Tell(about=((done.id, 0),), how="empty")


def _searches(toolkit: Toolkit) -> tuple[str, ...]:
    found = [(name, toolkit.toolbox[name].effect) for name in toolkit.starters]
    return tuple([name for name, effect in found if effect is not None and effect.kind == "find" and effect.by])


def _holds(shape: ConversationShape) -> str | None:
    if shape.order != "UCA" or shape.widths != (1,):
        return "there is not exactly one call"
    return None if shape.told == ("empty",) else "nobody says that nothing was found"


SCENARIO = Scenario(
    "empty_result", "a search finds nothing: the assistant says so, and invents nothing", _tools, _events, _holds
)
