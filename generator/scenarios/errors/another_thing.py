"""What was found cannot be had any more, and another thing is offered: a story of `error_recover`.

The assistant says so, offers another thing of those that it found, and takes that when the user agrees; when they do
not, nothing is done.
"""

from typing import Any

import msgspec
import orjson

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Ask, Meant, Ref, Say, Step, Tell, Wish
from generator.core.pointers import resolve, set_at
from generator.core.toolbox import Pick
from generator.dialogue.from_results.choosing import MOST_CHOICES, told_fields
from generator.dialogue.from_results.picking import by_value, single_out
from generator.scenarios.affordances.links import Edge
from generator.scenarios.affordances.uses_of_links import is_searched_silently
from generator.scenarios.ask_first.ambiguous import choose_way, ways_apart
from generator.scenarios.failures import let_be_taken
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events
from generator.scenarios.scene import Scene
from generator.scenarios.serving import make_otherwise, serve, tell, tell_failed

_AGREED = 0.72
"""How often the user agrees to what the assistant offers."""
_TOLD_BEFORE = 0.4
"""How often what was found has been reported before the user wants one of them."""


def take_another(scene: Scene, edge: Edge) -> Events:
    """Yield a request for one of several things, which is gone, the offer of another one, and a yes or no to that."""
    search, slot = scene.wish(edge.source, edge.target, fewest=2), edge.link.argument
    if scene.draw.chance(_TOLD_BEFORE):
        asked = yield Say(wishes=(search,))
        found = yield Step(calls=(serve(asked),))
        yield tell(found)
        pick = choose_way(scene, edge, found, told_fields(scene.toolkit.toolbox[edge.source], edge.list_slot or ""))[1]
        asked = yield Say(
            wishes=(scene.wish_with(edge.target, {slot: Meant(Ref(asked.id, 0, edge.link.result), (pick,))}),)
        )
    else:
        is_unnamed = is_searched_silently(scene.toolkit, edge.source)
        search = msgspec.structs.replace(search, unnamed=is_unnamed)
        asked = yield Say(wishes=(search, scene.dependent_wish(edge, {edge.source: Ref(HERE, 0, "")}, edge.target)))
        found = yield Step(calls=(serve(asked, 0),))
    number = len(asked.wishes) - 1
    _let_the_first_be_gone(scene, edge, found, asked.wishes[number])
    failed = yield Step(calls=(serve(asked, number, found),))
    if failed.outcomes[0].ok:
        raise CannotFillError("it can be had")
    yield tell_failed(failed)
    other = _another(scene, edge, found, failed.made[0].arguments)
    ask = yield Ask(wish=(asked.id, number), slot=slot, instead=make_otherwise(failed, slot, other))
    if not scene.draw.chance(_AGREED):
        yield Say(to=ask.id, yes=False)
        yield Tell(about=(), how="not_done", wish=(asked.id, number))
        return
    yield Say(to=ask.id, yes=True)
    other = msgspec.structs.replace(other, because=(ask.id, 0, slot))
    done = yield Step(calls=(make_otherwise(failed, slot, other),))
    if not done.outcomes[0].ok:
        raise CannotFillError("the other one cannot be had either")
    yield tell(done)


def _let_the_first_be_gone(scene: Scene, edge: Edge, found: Step, wish: Wish) -> None:
    """Plan that what the user wants cannot be had, unless that is so in the world anyway."""
    meant = wish.meant[edge.link.argument]
    assert isinstance(meant, Meant)
    result = found.outcomes[0].value
    pointer, _ = single_out(result, edge.link.result, meant.picks)
    arguments = _with(wish.said, edge.link.argument, resolve(result, pointer))
    if scene.world is None or scene.peek(wish.tool, arguments).ok:
        let_be_taken(scene, wish.tool, arguments)


def _another(scene: Scene, edge: Edge, found: Step, tried: dict[str, Any]) -> Ref:
    """Return another element that was found, which can be had, with a way to name it."""
    assert edge.list_slot is not None
    elements = resolve(found.outcomes[0].value, edge.list_slot)
    if not 2 <= len(elements) <= MOST_CHOICES:
        raise CannotFillError(f"{len(elements)} things are not to be chosen from")
    key = edge.link.result.partition("/*/")[2]
    ways = ways_apart(scene, edge, elements)
    if not ways:
        raise CannotFillError("nothing that people would say tells the elements apart")
    for place in scene.draw.shuffled(list(range(len(elements)))):
        other = _with(tried, edge.link.argument, resolve(elements[place], key))
        if other != tried and (scene.world is None or scene.peek(edge.target, other).ok):
            pick = Pick("", by_value(elements[place], ways[0].field))
            return Ref(found.id, 0, f"{edge.list_slot}/{place}/{key}", pick=pick)
    raise CannotFillError("nothing else can be had")


def _with(arguments: dict[str, Any], slot: str, value: Any) -> dict[str, Any]:
    """Return arguments with a value at a slot."""
    changed: dict[str, Any] = orjson.loads(orjson.dumps(arguments))
    set_at(changed, f"/{slot}", value)
    return changed


ANOTHER_THING = tuple(
    [
        Pattern(f"{search} C:failed A {end}", told=("failed", "alternative", *answer))
        for search in ("U C", "U C A U")
        for answer, end in ((("no", "not_done"), "U A"), (("yes",), "U C:again:takes:ok A"))
    ]
)
"""The ways in which another thing is offered: within one request or after the report of a search, refused or taken."""
