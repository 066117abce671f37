"""empty_result: a search finds nothing; the assistant says so with what it looked for, and makes nothing up.

It searches again without one of the filters only by the user's leave: they have said so with the request, or the assistant
asks.
"""

from collections.abc import Collection
from typing import Any

import msgspec

from generator.connectives import argument_name
from generator.errors import CannotFillError, PlanError
from generator.planning import Ask, Outcome, Say, Step, Tell, Wish
from generator.pointers import escape, resolve
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, make_otherwise, serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit
from generator.toolbox import name_as_words

_WIDENED = 0.45
"""How often the search is made again without one of its filters, where a search has a filter that people would drop."""
_BY_REQUEST = 0.5
"""How often the user has said so with the request."""
_TRIES = 20
Filter = tuple[str, str]
"""A search, and an argument of it that narrows what it finds."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    tools = _searches(toolkit)
    if not tools:
        raise PlanError("scenario 'empty_result' needs a tool with `effect: {find: …}` and an argument that narrows what it finds")
    return tools


def _events(scene: Scene) -> Events:
    filters = _filters(scene.toolkit)
    if filters and scene.draw.chance(_WIDENED):
        yield from _widen(scene, *scene.decide(filters))
        return
    tool = scene.decide(_searches(scene.toolkit))
    asked = yield Say(wishes=(scene.wish_for_nothing(tool, lambda outcome: _finds(scene.toolkit, tool, outcome)),))
    done = yield Step(calls=(serve(asked),))
    yield Tell(about=((done.id, 0),), how="empty")


def _widen(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a search that finds nothing, and the same search without one of its filters."""
    wish = _too_narrow(scene, tool, slot)
    is_requested = scene.draw.chance(_BY_REQUEST)
    asked = yield Say(wishes=(msgspec.structs.replace(wish, fallback=slot if is_requested else ""),))
    done = yield Step(calls=(serve(asked),))
    call = make_otherwise(done, slot)
    if not is_requested:
        yield Tell(about=((done.id, 0),), how="empty")
        ask = yield Ask(wish=(asked.id, 0), slot=slot, instead=call)
        yield Say(to=ask.id, yes=True)
    again = yield Step(calls=(call,))
    if _finds(scene.toolkit, tool, done.outcomes[0]) or not _finds(scene.toolkit, tool, again.outcomes[0]):
        raise CannotFillError(f"{slot} does not keep everything out")
    if is_requested:
        yield Tell(about=((done.id, 0),), how="empty")
        yield Tell(about=((again.id, 0),), how="left_out")
    yield tell(again)


def _too_narrow(scene: Scene, tool: str, slot: str) -> Wish:
    """Return a wish for a search that finds nothing, but does without one of its arguments.

    Raises:
        CannotFillError: when there is always something, or nothing even so.
    """
    for _ in range(_TRIES):
        wide = {name: value for name, value in scene.wish(tool).said.items() if name != slot}
        value = scene.arguments[tool](scene.draw).get(slot)
        narrow = _in_order(scene.toolkit, tool, {**wide, slot: value})
        if value is None or value is False or not _finds(scene.toolkit, tool, scene.peek(tool, wide)):
            continue
        outcome = scene.peek(tool, narrow)
        if outcome.ok and not _finds(scene.toolkit, tool, outcome):
            return Wish(tool, narrow)
    raise CannotFillError(f"{slot} of {tool} never keeps everything out")


def _in_order(toolkit: Toolkit, tool: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return arguments in the order in which the tool declares them."""
    properties = (toolkit.toolbox[tool].tool.parameters or {}).get("properties", {})
    return {name: said[name] for name in properties if name in said}


def _finds(toolkit: Toolkit, tool: str, outcome: Outcome) -> bool:
    """Whether the result of a search holds anything."""
    effect = toolkit.toolbox[tool].effect
    assert effect is not None
    return outcome.ok and bool(resolve(outcome.value, effect.at))


def _searches(toolkit: Toolkit) -> tuple[str, ...]:
    found = [(name, toolkit.toolbox[name].effect) for name in toolkit.starters]
    return tuple([name for name, effect in found if effect is not None and effect.kind == "find" and effect.by])


def _filters(toolkit: Toolkit) -> tuple[Filter, ...]:
    """Return optional filters of searches that people have a name for."""
    if "empty_result" not in toolkit.memo:
        toolkit.memo["empty_result"] = tuple([(tool, slot) for tool in _searches(toolkit) for slot in _optional(toolkit, tool)])
    found: tuple[Filter, ...] = toolkit.memo["empty_result"]
    return found


def _optional(toolkit: Toolkit, tool: str) -> list[str]:
    spec = toolkit.toolbox[tool]
    parameters: dict[str, Any] = spec.tool.parameters or {}
    narrowing = spec.effect.by if spec.effect is not None else {}
    given = {slot for slot in narrowing if slot not in parameters.get("required", ()) and slot not in spec.context and escape(slot) == slot}
    return [
        slot
        for slot, schema in parameters.get("properties", {}).items()
        if slot in given and schema.get("type") != "boolean" and argument_name(name_as_words(slot)) and slot not in spec.say
    ]


def _holds(shape: ConversationShape) -> str | None:
    if shape.told == ("empty",):
        return None if shape.order == "UCA" and shape.widths == (1,) else "there is not exactly one call"
    wide = {"UCCA": ("fallback", "empty", "left_out"), "UCAUCA": ("empty", "alternative", "yes")}.get(shape.order)
    if shape.widths != (1, 1) or shape.told != wide:
        return "nobody says that nothing was found, or the search is made again without leave"
    return None if shape.steps[1][0].again else "another call is made than the same search without a filter"


SCENARIO = Scenario(
    "empty_result", "a search finds nothing: the assistant says so, and widens it by leave only", _tools, _events, _holds
)
