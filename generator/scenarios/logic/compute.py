"""compute: an argument is computed from a result: "Transfer half of the total to Priya", "Remind me the day before"."""

from collections.abc import Collection, Iterator
from decimal import Decimal
from typing import Any

import msgspec

from generator.calculating import CURRENCIES, OF_DAYS, OF_NUMBERS, OF_TWO
from generator.connectives import measure_in_field
from generator.errors import CannotFillError, PlanError
from generator.picking import single_out
from generator.planning import HERE, Calc, Meant, Ref, Say, Step, Wish
from generator.pointers import resolve
from generator.scenarios.calculating import calculate
from generator.scenarios.names import words_that_tell
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.toolkit import FIRST, Toolkit, once, picks_unseen
from generator.toolbox import Pick, ToolSpec, name_as_words

_AMOUNTS = words_that_tell("amounts")
"""The last words of field names that hold amounts of money."""
_DAYS = words_that_tell("days")
"""The last words of field names that hold dates, which may be in the future."""
_ABOUT_ANYTHING = words_that_tell("about_anything")
"""Words in the names of tools that people use for any subject."""
_MOST_LESS = 20
_TRIES = 10
_OF_TWO = 0.5
"""How often an amount is computed from two results, where that is possible."""
_AMOUNT = 0.4
"""How often an amount of money is computed, where dates could be, too."""


class Computable(msgspec.Struct, frozen=True):
    """A value of a result from which something can be computed, or an argument that can be computed."""

    tool: str
    slot: str
    kind: str
    """`day`, the currency of an amount, or `amount` where the currency is not known."""
    schema: dict[str, Any]


Pair = tuple[Computable, Computable]


def _tools(toolkit: Toolkit) -> Collection[str]:
    pairs = _pairs(toolkit)
    if not pairs:
        raise PlanError(
            "scenario 'compute' needs a look-up with a day or an amount of money in its result, and a tool of the same file that "
            "takes a day or an amount"
        )
    return {place.tool for pair in pairs for place in pair}


def _events(scene: Scene) -> Events:
    source, target = _pair(scene)
    in_list, today = "*" in source.slot, scene.draw.today.isoformat()
    picks = _picks(scene, source) if in_list else ()
    first, calc = _calculation(scene, source, target, picks)
    wanted = scene.wish_with(target.tool, {target.slot: Meant(Ref(HERE, 0, source.slot), picks, calc)})
    asked = yield Say(wishes=(*first, _briefly(scene, wanted)))
    found = yield Step(calls=tuple([serve(asked, number) for number in range(len(first))]))
    done = yield Step(calls=(serve(asked, len(first), found),))
    if target.kind == "day" and done.made[0].arguments[target.slot] < today:
        raise CannotFillError("that day is over")
    yield tell(found, done)


def _pair(scene: Scene) -> Pair:
    """Return a value and an argument computed from it; usually dates, because more kinds of tools can use them."""
    pairs = _pairs(scene.toolkit)
    of_days = tuple([pair for pair in pairs if pair[0].kind == "day"])
    others = tuple([pair for pair in pairs if pair[0].kind != "day"])
    some = others if others and (not of_days or scene.draw.chance(_AMOUNT)) else of_days
    pair: Pair = scene.decide(some)
    return pair


def _calculation(
    scene: Scene, source: Computable, target: Computable, picks: tuple[Pick, ...]
) -> tuple[tuple[Wish, ...], Calc]:
    """Return the look-ups, and what is computed from them; an amount is one that the target takes."""
    if source.kind == "day":
        return (scene.wish(source.tool),), Calc(scene.draw.choice(OF_DAYS))
    is_varied = not picks and scene.toolkit.toolbox[source.tool].phrases.vary
    for _ in range(_TRIES):
        is_of_two = bool(is_varied) and scene.draw.chance(_OF_TWO)
        first = _two_searches(scene, source) if is_of_two else (scene.wish(source.tool),)
        number = 5 * scene.draw.between(1, _MOST_LESS // 5)
        ops = OF_TWO if is_of_two else (*OF_NUMBERS, "half", "half", "third")
        calcs = [Calc(op, number if op in ("plus", "minus") else None) for op in ops]
        values = _values(scene, first, source.slot, picks)
        able = [calc for calc in calcs if not values or _is_taken(calc, values, target.schema)]
        if able:
            calc: Calc = scene.draw.choice(able)
            return first, calc if not is_of_two else Calc(calc.op, also=Ref(HERE, 1, source.slot))
    raise CannotFillError(f"nothing that {target.tool} takes can be computed from what {source.tool} finds")


def _two_searches(scene: Scene, source: Computable) -> tuple[Wish, ...]:
    """Return two look-ups, from which a sum or a difference is made."""
    return scene.wishes_that_vary(source.tool, scene.draw.choice(scene.toolkit.toolbox[source.tool].phrases.vary), 2)


def _values(scene: Scene, searches: tuple[Wish, ...], slot: str, picks: tuple[Pick, ...]) -> list[Any]:
    """Return the values that look-ups will find; none where only the call itself will tell."""
    if scene.world is None:
        return []
    results = [scene.peek(wish.tool, wish.said).value for wish in searches]
    return [resolve(result, single_out(result, slot, picks)[0]) for result in results]


def _is_taken(calc: Calc, values: list[Any], schema: dict[str, Any]) -> bool:
    """Whether an argument takes what is computed."""
    try:
        value = calculate(calc, *values, *[None] * (2 - len(values)))
    except CannotFillError:
        return False
    step = Decimal(str(schema.get("multipleOf", "0.01")))
    return schema.get("minimum", value) <= value <= schema.get("maximum", value) and Decimal(str(value)) % step == 0


def _picks(scene: Scene, source: Computable) -> tuple[Pick, ...]:
    own = scene.toolkit.toolbox[source.tool].phrases.pick.get(source.slot.partition("/*")[0], ())
    unseen = picks_unseen(own)
    return (*scene.draw.shuffled(unseen or (FIRST,)), *((FIRST,) if len(unseen) == len(own) else ()))


def _briefly(scene: Scene, wish: Wish) -> Wish:
    """Return the wish without most optional arguments, because enough is said already."""
    required = (scene.toolkit.toolbox[wish.tool].tool.parameters or {}).get("required", ())
    said = {name: value for name, value in wish.said.items() if name in required or scene.draw.chance(0.2)}
    return msgspec.structs.replace(wish, said=said)


@once
def _pairs(toolkit: Toolkit) -> tuple[Pair, ...]:
    """Return pairs of a value in a result and an argument that can be computed from it."""
    able = [toolkit.toolbox[name] for name in toolkit.starters]
    sources = [place for spec in able if spec.name in toolkit.look_ups for place in _sources(spec)]
    targets = [place for spec in able if spec.name not in toolkit.look_ups for place in _targets(spec)]
    pairs = [(one, other) for one in sources for other in targets if _fit(toolkit, one, other)]
    return tuple(pairs)


def _fit(toolkit: Toolkit, source: Computable, target: Computable) -> bool:
    """Whether the argument may be computed from the value: both are dates, or amounts of one currency."""
    if source.kind != target.kind:
        return False
    is_near = toolkit.toolbox[source.tool].domain == toolkit.toolbox[target.tool].domain
    return is_near or not _ABOUT_ANYTHING.isdisjoint(name_as_words(target.tool).split())


def _sources(spec: ToolSpec) -> Iterator[Computable]:
    """Yield dates and amounts that every result has and that are not arguments of the call."""
    given = (spec.tool.parameters or {}).get("properties", {})
    is_quote = any(_is_amount(name) for name in given if name in (spec.tool.parameters or {}).get("required", ()))
    texts = [answer.say for answer in spec.phrases.answer] + [
        text for texts in spec.phrases.each.values() for text in texts
    ]
    for slot, schema in _fields(spec.returns or {}):
        name = slot.rpartition("/")[2]
        kind = _kind(name, schema, texts)
        is_of_interest = kind == "day" or (kind and not is_quote)  # nobody is sent a part of what a loan would cost
        if is_of_interest and name not in given and all(word.isalpha() and word.isascii() for word in name.split("_")):
            yield Computable(spec.name, slot, kind, schema)


def _targets(spec: ToolSpec) -> Iterator[Computable]:
    """Yield required arguments that are dates or amounts and stand in no order with another argument."""
    parameters = spec.tool.parameters or {}
    ordered = {slot for relation in spec.relations for slot in (relation.left, relation.right)}
    texts = [*spec.phrases.request, *[text for frames in spec.phrases.slots.values() for text in frames.frames]]
    for slot in parameters.get("required", ()):
        kind = _kind(slot, parameters.get("properties", {}).get(slot), texts)
        if kind and slot.isidentifier() and slot not in ordered:
            yield Computable(spec.name, slot, kind, parameters["properties"][slot])


def _kind(name: str, schema: Any, texts: list[str]) -> str:
    if not isinstance(schema, dict) or "const" in schema or "enum" in schema:
        return ""
    if schema.get("format") == "date":
        return "day" if name_as_words(name).rpartition(" ")[2] in _DAYS else ""
    if schema.get("type") not in ("integer", "number"):
        return ""
    currency = next((form for form in CURRENCIES if any(f"{{{name}:{form}}}" in text for text in texts)), "")
    return (currency or ("" if texts else "amount")) if _is_amount(name) else ""


def _is_amount(name: str) -> bool:
    """Whether a field or argument of this name holds an amount of money."""
    return measure_in_field(name)[0].rpartition(" ")[2].lower() in _AMOUNTS


def _fields(returns: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield required fields of a result, and of the elements of a list in it."""
    for name, schema in returns.get("properties", {}).items():
        if name not in returns.get("required", ()) or not isinstance(schema, dict):
            continue
        items = schema.get("items") if schema.get("type") == "array" else None
        if isinstance(items, dict):
            inside = items.get("properties", {})
            yield from [(f"{name}/*/{field}", inside[field]) for field in items.get("required", ()) if field in inside]
        else:
            yield name, schema


SCENARIO = Scenario(
    "compute",
    "an argument is computed from a result: half of the total, the day before",
    _tools,
    _events,
    (Pattern("U C{1-2} C:computed A"),),
)
