"""bad_value: the user gives a value that cannot be: the tool's schema does not allow it, or there is no such thing.

In the first case no call is made: the assistant says what is accepted. In the second the call fails, and the assistant
says why. Then the user gives another value, and the call is made with it.
"""

from collections.abc import Collection, Iterator
from typing import Any

from generator.errors import CannotFillError, PlanError
from generator.planning import Ask, Back, Meant, Ref, Say, Step, Wish
from generator.pointers import escape
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell, tell_failed
from generator.scenarios.toolkit import Toolkit, once
from generator.toolbox import ToolSpec, name_as_words
from generator.values import same

_TRIES = 20
_MOST_OPTIONS = 9
"""The most choices that an assistant lists."""
_NOT_THERE = 0.2
"""How often a name is used that nothing in the world has, where tools can be called with names."""
ToolSlot = tuple[str, str]
"""A tool and one of its arguments."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    tools = {tool for tool, _ in (*_limited(toolkit), *_named(toolkit))}
    if not tools:
        raise PlanError(
            "scenario 'bad_value' needs a tool with a number that has a minimum and a maximum, with a choice of which another tool "
            "has more values, or with the name of an entity"
        )
    return tools


def _events(scene: Scene) -> Events:
    limited, named = _limited(scene.toolkit), _named(scene.toolkit) if scene.world is not None else ()
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
    """Return the wish with a number near the refused one: the highest or lowest that is accepted, or the nearest of those that came up."""
    schema = (scene.toolkit.toolbox[wish.tool].tool.parameters or {})["properties"][slot]
    if "enum" in schema:
        return wish
    bound = schema["maximum"] if bad > schema["maximum"] else schema["minimum"]
    drawn = [said[slot] for said in (scene.arguments[wish.tool](scene.draw) for _ in range(_MORE)) if slot in said]
    nearest = min([wish.said[slot], *drawn], key=lambda value: abs(value - bound))
    for value in (bound, nearest) if scene.draw.chance(_BOUND) else (nearest, bound):
        near = {**wish.said, slot: value}
        if scene.suits(wish.tool, near):
            return Wish(wish.tool, near)
    return wish


_BOUND = 0.6
"""How often the user then takes the highest or lowest value that is accepted."""
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


@once
def _limited(toolkit: Toolkit) -> tuple[ToolSlot, ...]:
    """Return arguments whose limits people may exceed, and for which a question can be asked."""
    found = [(name, slot) for name in toolkit.starters for slot in _slots(toolkit.toolbox[name])]
    return tuple([place for place in found if any(True for _ in bad_values(toolkit, *place))])


def _slots(spec: ToolSpec) -> Iterator[str]:
    """Yield numbers with two bounds and enums for which the phrases have a question; without phrases, all of them."""
    for name, schema in (spec.tool.parameters or {}).get("properties", {}).items():
        if escape(name) != name or not isinstance(schema, dict):
            continue
        if "enum" in schema:
            texts = all(isinstance(value, str) for value in schema["enum"])
            if (
                schema.get("type") == "string"
                and texts
                and 2 <= len(schema["enum"]) <= _MOST_OPTIONS
                and _has_frame(spec, name)
            ):
                yield name
        elif (
            schema.get("type") in ("integer", "number")
            and {"minimum", "maximum"} <= schema.keys()
            and _is_asked_for(spec, name)
        ):
            yield name


def _is_asked_for(spec: ToolSpec, slot: str) -> bool:
    """Whether people would be asked for this number: it is no year, and no other argument limits it."""
    if not (spec.phrases.request or spec.phrases.question or spec.phrases.want):
        return True
    if "year" in name_as_words(slot) or any(slot in (relation.left, relation.right) for relation in spec.relations):
        return False
    return slot in spec.phrases.ask or slot in (spec.tool.parameters or {}).get("required", ())


def _has_frame(spec: ToolSpec, slot: str) -> bool:
    """Whether any value of it can be said, not only those that have clauses of their own."""
    frames = spec.phrases.slots.get(slot)
    return frames is None or bool(frames.frames) or not frames.clauses


def bad_values(toolkit: Toolkit, tool: str, slot: str) -> Iterator[Any]:
    """Yield values that people could give for an argument but that its schema does not allow."""
    schema = (toolkit.toolbox[tool].tool.parameters or {})["properties"][slot]
    if "enum" not in schema:
        yield from _beyond(schema["minimum"], schema["maximum"], schema.get("multipleOf", 1))
        return
    own = set(schema["enum"])
    spoken = {form.casefold() for _, forms in toolkit.toolbox[tool].phrases.synonyms.get(slot, ()) for form in forms}
    spoken |= {name_as_words(value) for value in own}
    for name, other in toolkit.toolbox.items():
        values = (
            ((other.tool.parameters or {}).get("properties", {}).get(slot) or {}).get("enum", ())
            if name != tool
            else ()
        )
        if not own.isdisjoint([value for value in values if isinstance(value, str)]):
            others = [value for value in values if isinstance(value, str) and value not in own]
            yield from [value.replace("_", " ") for value in others if name_as_words(value) not in spoken]


def _beyond(low: float, high: float, step: float) -> Iterator[float]:
    """Yield round numbers outside the bounds, not far from them."""
    one_more = (high + step, low - step) if high - low <= _FEW * step else ()
    for value in (*one_more, 1.25 * high, 1.5 * high, 2 * high, low / 2):
        near = _round(round(value / step) * step)
        if near > 1 and not low <= near <= high:
            yield near


_FEW = 30
"""The most steps between bounds which people may miss by one step."""


def _round(value: float) -> float:
    """Return the number with two significant digits, as an integer if possible."""
    near = float(f"{value:.2g}")
    return int(near) if near.is_integer() else near


@once
def _named(toolkit: Toolkit) -> tuple[ToolSlot, ...]:
    """Return arguments by which people name the entity that a call is about."""
    found: list[ToolSlot] = []
    for name in toolkit.starters:
        effect = toolkit.toolbox[name].effect
        if effect is not None and effect.kind not in ("find", "create"):
            found += [(name, argument) for argument in effect.names if _is_text(toolkit.toolbox[name], argument)]
    return tuple(found)


def _is_text(spec: ToolSpec, slot: str) -> bool:
    schema = (spec.tool.parameters or {}).get("properties", {}).get(slot) or {}
    return schema.get("type") == "string" and "enum" not in schema and escape(slot) == slot


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
)
