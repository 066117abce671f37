"""empty_result: a search finds nothing; the assistant says so with what it looked for, and makes nothing up.

It searches again without one of the filters, or with another value of it ("Shall I look on Monday instead?"), only by the user's
leave: they have said so with the request, or the assistant asks.
"""

from collections.abc import Collection
from datetime import date, timedelta
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.exact_json import same
from generator.core.planning import Ask, Fixed, Ref, Say, Step, Tell, Wish
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.filters import finds, is_day, is_offered, searches
from generator.scenarios.affordances.goals import holds
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import make_otherwise, serve, tell

_WIDENED = 0.3
"""How often the search is made again without one of its filters, where a search has a filter that people would drop."""
_TRIED = 0.3
"""How often it is made again with another value of a filter, where a search has one that people would change."""
_NEAR_DAYS = 3
"""How many days away another day is, at most."""
_BY_REQUEST = 0.5
"""How often the user has said so with the request."""
_WORLDS = 4
"""How often a search that finds something is drawn, and other values for it are tried."""
_TRIES = 20


def _tools(toolkit: Toolkit) -> Collection[str]:
    return searches(toolkit)


def _events(scene: Scene) -> Events:
    filters, others = scene.toolkit.filters, scene.toolkit.changeable_filters
    chosen = scene.draw.rand()
    if filters and chosen < _WIDENED:
        yield from _widen(scene, *scene.decide(filters))
        return
    if others and chosen >= 1 - _TRIED:
        yield from _try_another(scene, *scene.decide(others))
        return
    tool = scene.decide(searches(scene.toolkit))
    asked = yield Say(
        wishes=(scene.wish_for_nothing(tool, lambda outcome: finds(scene.toolkit.toolbox[tool], outcome)),)
    )
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
    if finds(scene.toolkit.toolbox[tool], done.outcomes[0]) or not finds(
        scene.toolkit.toolbox[tool], again.outcomes[0]
    ):
        raise CannotFillError(f"{slot} does not keep everything out")
    if is_requested:
        yield Tell(about=((done.id, 0),), how="empty")
        yield Tell(about=((again.id, 0),), how="left_out")
    yield tell(again)


def _try_another(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a search that finds nothing, and the same search with another value of one of its filters."""
    wish, value = _too_narrow_value(scene, tool, slot)
    is_requested = scene.draw.chance(_BY_REQUEST) or not is_offered(scene.toolkit, tool, slot)
    others = (Wish(tool, {slot: value}, instead_of=0),) if is_requested else ()
    asked = yield Say(wishes=(wish, *others))
    done = yield Step(calls=(serve(asked),))
    if not is_requested:
        yield Tell(about=((done.id, 0),), how="empty")
        ask = yield Ask(wish=(asked.id, 0), slot=slot, instead=make_otherwise(done, slot, Fixed(value)))
        yield Say(to=ask.id, yes=True)
    origin = Ref(asked.id, 1, slot) if is_requested else Ref(ask.id, 0, slot)
    again = yield Step(calls=(make_otherwise(done, slot, origin),))
    if finds(scene.toolkit.toolbox[tool], done.outcomes[0]) or not finds(
        scene.toolkit.toolbox[tool], again.outcomes[0]
    ):
        raise CannotFillError(f"another {slot} finds nothing, too")
    if is_requested:
        yield Tell(about=((done.id, 0),), how="empty")
    yield tell(again)


def _too_narrow_value(scene: Scene, tool: str, slot: str) -> tuple[Wish, Any]:
    """Return a wish for a search that finds nothing, and another value of one argument with which it finds something.

    Raises:
        CannotFillError: when there is always something, or nothing even so.
    """
    spec = scene.toolkit.toolbox[tool]
    for _ in range(_WORLDS):
        wide = scene.wish(tool).said
        if slot not in wide or not finds(scene.toolkit.toolbox[tool], scene.peek(tool, wide)):
            continue
        for value in _others(scene, tool, slot, wide[slot]):
            narrow = {**wide, slot: value}
            if all(holds(relation, narrow) for relation in spec.relations):
                outcome = scene.peek(tool, narrow)
                if outcome.ok and not finds(scene.toolkit.toolbox[tool], outcome):
                    return Wish(tool, narrow), wide[slot]
    raise CannotFillError(f"{slot} of {tool} never keeps everything out")


def _others(scene: Scene, tool: str, slot: str, value: Any) -> list[Any]:
    """Return other values for an argument: days near it that are not over, other choices, or some that come up."""
    spec = scene.toolkit.toolbox[tool]
    schema = spec.properties[slot]
    found: list[Any]
    if is_day(spec, slot):
        near = [date.fromisoformat(value) + timedelta(days=days) for days in range(-_NEAR_DAYS, _NEAR_DAYS + 1)]
        found = [day.isoformat() for day in near if day >= scene.draw.today]
    else:
        found = list(schema.get("enum", ())) or [scene.arguments[tool](scene.draw).get(slot) for _ in range(_TRIES)]
    return scene.draw.shuffled([other for other in found if other is not None and not same(other, value)])


def _too_narrow(scene: Scene, tool: str, slot: str) -> Wish:
    """Return a wish for a search that finds nothing, but does without one of its arguments.

    Raises:
        CannotFillError: when there is always something, or nothing even so.
    """
    for _ in range(_TRIES):
        wide = {name: value for name, value in scene.wish(tool).said.items() if name != slot}
        value = scene.arguments[tool](scene.draw).get(slot)
        narrow = _in_order(scene.toolkit, tool, {**wide, slot: value})
        if value is None or value is False or not finds(scene.toolkit.toolbox[tool], scene.peek(tool, wide)):
            continue
        outcome = scene.peek(tool, narrow)
        if outcome.ok and not finds(scene.toolkit.toolbox[tool], outcome):
            return Wish(tool, narrow)
    raise CannotFillError(f"{slot} of {tool} never keeps everything out")


def _in_order(toolkit: Toolkit, tool: str, said: dict[str, Any]) -> dict[str, Any]:
    """Return arguments in the order in which the tool declares them."""
    properties = toolkit.toolbox[tool].properties
    return {name: said[name] for name in properties if name in said}


SCENARIO = Scenario(
    "empty_result",
    "a search finds nothing: the assistant says so, and widens it by leave only",
    _tools,
    _events,
    (
        Pattern("U C A", told=("empty",)),
        Pattern("U C C:again A", told=("fallback", "empty", "left_out")),
        Pattern("U C C:again A", told=("otherwise", "empty")),
        Pattern("U C A U C:again A", told=("empty", "alternative", "yes")),
        Pattern("U C A U C:again A", told=("empty", "offered", "yes")),
    ),
    needs="a tool with `effect: {find: …}` and an argument that narrows what it finds",
)
