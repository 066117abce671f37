"""bad_value: the user gives a value that cannot be: the tool's schema does not allow it, or there is no such thing.

In the first case no call is made: the assistant says what is accepted. In the second the call fails, and the assistant
says why. Then the user gives another value, and the call is made with it.
"""

from collections.abc import Collection
from typing import Any

from generator.core.errors import CannotFillError
from generator.core.planning import Ask, Back, Meant, Ref, Say, Step, Wish
from generator.core.pointers import escape
from generator.core.values import same
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.mistakable import bad_values
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell, tell_failed

_TRIES = 20
_NOT_THERE = 0.2
"""How often a name is used that nothing in the world has, where tools can be called with names."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for tool, _ in (*toolkit.limited, *toolkit.named)}


def _events(scene: Scene) -> Events:
    limited, named = scene.toolkit.limited, scene.toolkit.named if scene.world is not None else ()
    if not (limited or named):
        raise CannotFillError("the tools of this row act on no entities")
    if named and (not limited or scene.draw.chance(_NOT_THERE)):
        yield from _name_what_is_not_there(scene, *scene.decide(named))
    else:
        yield from _break_the_schema(scene, *scene.decide(limited))


def _break_the_schema(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a conversation in which no call is made before the user gives a value that the tool accepts."""
    full = _wish_with(scene, tool, slot)
    bad = scene.draw.choice(tuple(bad_values(scene.toolkit, tool, slot)))
    full = _nearer(scene, full, slot, bad)
    asked = yield Say(wishes=(Wish(tool, {name: bad if name == slot else value for name, value in full.said.items()}),))
    ask = yield Ask(wish=(asked.id, 0), slot=slot, refuses=True)
    reply = yield Say(to=ask.id, wishes=(Wish(tool, {slot: full.said[slot]}),))
    done = yield Step(calls=(serve(asked, 0, **{slot: Ref(reply.id, 0, slot)}),))
    _check(done)
    yield tell(done)


def _check(step: Step) -> None:
    """Raise CannotFillError if the call with the second value failed."""
    if not step.outcomes[0].ok:
        raise CannotFillError("the call with the second value fails, too")


def _nearer(scene: Scene, wish: Wish, slot: str, bad: Any) -> Wish:
    """Return the wish with a number near the refused one: the highest or lowest that is accepted, or the nearest of those that came up.

    Raises:
        CannotFillError: when only such numbers fit as nobody would take instead: who wants 30 hours is not content with ninety minutes.
    """
    schema = scene.toolkit.toolbox[wish.tool].properties[slot]
    if "enum" in schema or scene.toolkit.toolbox[wish.tool].only_calls:
        return wish
    bound = schema["maximum"] if bad > schema["maximum"] else schema["minimum"]
    drawn = [said[slot] for said in (scene.arguments[wish.tool](scene.draw) for _ in range(_MORE)) if slot in said]
    nearest = min([wish.said[slot], *drawn], key=lambda value: abs(value - bound))
    for value in (bound, nearest) if scene.draw.chance(_BOUND) else (nearest, bound):
        near = {**wish.said, slot: value}
        if abs(value - bound) <= _FAR * abs(bad) and scene.suits(wish.tool, near):
            return Wish(wish.tool, near)
    raise CannotFillError(f"no {slot} near {bad} fits")


_BOUND = 0.6
"""How often the user then takes the highest or lowest value that is accepted."""
_FAR = 0.15
"""How far from the limit it may be, as a share of the refused number."""
_MORE = 6
"""How many more values are drawn, of which the nearest one may be taken."""


def _wish_with(scene: Scene, tool: str, slot: str) -> Wish:
    """Return a wish that says an argument."""
    for _ in range(_TRIES):
        wish = scene.wish(tool)
        if slot in wish.said:
            return wish
    raise CannotFillError(f"{slot} of {tool} did not come up")


def _name_what_is_not_there(scene: Scene, tool: str, slot: str) -> Events:
    """Yield a conversation in which the call fails because nothing has that name, and the user names something else."""
    full = _wish_with(scene, tool, slot)
    wrong = _unknown_name(scene, full, slot)
    asked = yield Say(
        wishes=(Wish(tool, {name: wrong if name == slot else value for name, value in full.said.items()}),)
    )
    failed = yield Step(calls=(serve(asked),))
    yield tell_failed(failed)
    kept: dict[str, Meant | Back] = {
        other: Back(Ref(asked.id, 0, other)) for other in map(escape, full.said) if other != slot
    }
    again = yield Say(wishes=(Wish(tool, {slot: full.said[slot]}, kept),), corrects=True)
    done = yield Step(calls=(serve(again),))
    _check(done)
    yield tell(done)


def _unknown_name(scene: Scene, wish: Wish, slot: str) -> Any:
    """Return a name that nothing has, in place of the one in a wish."""
    for _ in range(_TRIES):
        value = scene.arguments[wish.tool](scene.draw).get(slot)
        if value is None or same(value, wish.said[slot]):
            continue
        outcome = scene.peek(wish.tool, {**wish.said, slot: value})
        if not outcome.ok and outcome.content.startswith("Error: Not found"):
            return value
    raise CannotFillError(f"everything that {slot} could name is there")


SCENARIO = Scenario(
    "bad_value",
    "a value that cannot be: the assistant says what is accepted, and calls with the next one",
    _tools,
    _events,
    (
        Pattern("U A U C:ok A", told=("refused",), retracted=1),
        Pattern("U C:failed A U C:ok A", told=("failed",), retracted=1),
    ),
    fails=True,
    needs=(
        "a tool with a number that has a minimum and a maximum, with a choice of which another tool has more "
        "values, or with the name of an entity"
    ),
)
