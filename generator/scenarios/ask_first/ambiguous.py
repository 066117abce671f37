"""ambiguous: several things fit what the user says; the assistant says how they differ and asks which one is meant."""

from collections.abc import Collection, Sequence
from typing import Any

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Ask, Meant, Ref, Say, Step, Wish
from generator.core.pointers import resolve
from generator.core.toolbox import Pick
from generator.dialogue.from_results.choosing import (
    MOST_CHOICES,
    UNDECIDED,
    Way,
    by_place,
    noun_in_key,
    the_thing,
    ways,
)
from generator.dialogue.from_results.picking import by_value
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.links import Edge, tools_of
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell

_TOLD_BEFORE = 0.2
"""How often the list has been reported in an earlier turn."""
_BEST_WAY = 0.8
"""How often things are told apart by the field that is most usual for them."""
_BY_PLACE = 0.3
"""How often the user chooses by the place in the list."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return tools_of(toolkit.edges_to_one)


def _events(scene: Scene) -> Events:
    edge: Edge = scene.decide(scene.toolkit.edges_to_one)
    slot, key = edge.link.argument, edge.link.result
    search = scene.wish(edge.source, edge.target, fewest=2)
    if scene.draw.chance(_TOLD_BEFORE):
        asked = yield Say(wishes=(search,))
        found = yield Step(calls=(serve(asked),))
        yield tell(found)
        say = yield Say(wishes=(_open_wish(scene, edge, Ref(asked.id, 0, key), UNDECIDED),))
    else:
        words = the_thing(noun_in_key(key), is_name=_names(edge, scene))
        say = asked = yield Say(wishes=(search, _open_wish(scene, edge, Ref(HERE, 0, key), words)))
        found = yield Step(calls=(serve(say, 0),))
    way, pick = choose_way(scene, edge, found)
    assert way is not None
    wish = (say.id, len(say.wishes) - 1)
    ask = yield Ask(wish=wish, slot=slot, among=Ref(found.id, 0, f"{edge.list_slot}/*/{way.field}"))
    reply = yield Say(to=ask.id, wishes=(Wish(edge.target, {}, {slot: Meant(Ref(asked.id, 0, key), (pick,))}),))
    done = yield Step(calls=(serve(say, wish[1], found, **{slot: Ref(found.id, 0, key, (reply.id, 0, slot))}),))
    yield tell(done)


def _open_wish(scene: Scene, edge: Edge, source: Ref, words: tuple[str, ...]) -> Wish:
    """Return a wish about something that is found, without saying which element is meant."""
    return scene.wish_with(edge.target, {edge.link.argument: Meant(source, words=scene.draw.choice(words))})


def choose_way(scene: Scene, edge: Edge, found: Step, told: Collection[str] | None = None) -> tuple[Way | None, Pick]:
    """Return the field that tells the elements of a list apart, if one is used, and the pick that singles one of them out.

    With the fields that have been `told` of them it may be the place alone.

    Raises:
        CannotFillError: when there are too few or too many elements, or no field tells them apart.
    """
    assert edge.list_slot is not None
    elements = resolve(found.outcomes[0].value, edge.list_slot)
    if not 2 <= len(elements) <= MOST_CHOICES:
        raise CannotFillError(f"{len(elements)} things are not to be chosen from")
    apart = ways_apart(scene, edge, elements)
    if told is not None:
        apart = [way for way in apart if way.field in told]
    place = scene.draw.below(len(elements))
    if not apart and told is not None:
        return None, Pick("", by_place(place))
    if not apart:
        raise CannotFillError("nothing that people would say tells the elements apart")
    is_named = not apart[0].before  # what has a name of its own is not told apart by a day
    way = apart[0] if is_named or scene.draw.chance(_BEST_WAY) else scene.draw.choice(apart)
    return way, Pick("", by_place(place) if scene.draw.chance(_BY_PLACE) else by_value(elements[place], way.field))


def ways_apart(scene: Scene, edge: Edge, elements: Sequence[Any]) -> list[Way]:
    """Return the ways to tell the elements of a link's list apart by a value that each has for itself, best first."""
    assert edge.list_slot is not None
    key = edge.link.result.partition("/*/")[2]
    return [
        way for way in ways(scene.toolkit.toolbox[edge.source], edge.list_slot, key) if _all_differ(elements, way.field)
    ]


def _all_differ(elements: Sequence[Any], field: str) -> bool:
    """Whether every element has its own value in a field, in words of its own."""
    try:
        values = [resolve(element, field) for element in elements]
    except LookupError:
        return False
    if not all(
        isinstance(value, str | int | float) and not isinstance(value, bool) and value != "" for value in values
    ):
        return False
    said = [str(value).casefold() for value in values]
    return len(set(said)) == len(said) and not any(len(text) > _LONGEST for text in said)


_LONGEST = 60
"""The longest value, in characters, by which people choose."""


def _names(edge: Edge, scene: Scene) -> bool:
    """Whether the search is for a name, which people believe to be unique."""
    spec = scene.toolkit.toolbox[edge.source]
    required = spec.required
    return not _NAMES.isdisjoint(required)


_NAMES = frozenset({"name", "title", "last_name", "full_name"})


SCENARIO = Scenario(
    "ambiguous",
    "several things fit: the assistant says how they differ and asks which one is meant",
    _tools,
    _events,
    (Pattern("U C A (U A)? U C:takes A", told=("several",)),),
    needs=(
        "a link into a list whose elements differ in something that people would say (e.g. `order_id: "
        "find_orders#/orders/*/order_id`)"
    ),
)
