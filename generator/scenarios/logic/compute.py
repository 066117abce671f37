"""compute: an argument is computed from a result: "Transfer half of the total to Priya", "Remind me the day before"."""

from collections.abc import Collection
from decimal import Decimal
from typing import Any

import msgspec

from generator.core.errors import CannotFillError
from generator.core.planning import HERE, Calc, Meant, Ref, Say, Step, Wish
from generator.core.pointers import resolve
from generator.core.toolbox import Pick
from generator.dialogue.from_results.calculating import OF_DAYS, OF_NUMBERS, OF_TWO
from generator.dialogue.from_results.picking import single_out
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.computing import Computable, ComputablePair
from generator.scenarios.affordances.links import FIRST, picks_unseen
from generator.scenarios.calculating import calculate
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell

_MOST_LESS = 20
_TRIES = 10
_OF_TWO = 0.5
"""How often an amount is computed from two results, where that is possible."""
_AMOUNT = 0.4
"""How often an amount of money is computed, where dates could be, too."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {place.tool for pair in toolkit.computable for place in pair}


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


def _pair(scene: Scene) -> ComputablePair:
    """Return a value and an argument computed from it; usually dates, because more kinds of tools can use them."""
    pairs = scene.toolkit.computable
    of_days = tuple([pair for pair in pairs if pair[0].kind == "day"])
    others = tuple([pair for pair in pairs if pair[0].kind != "day"])
    some = others if others and (not of_days or scene.draw.chance(_AMOUNT)) else of_days
    pair: ComputablePair = scene.decide(some)
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
    required = scene.toolkit.toolbox[wish.tool].required
    said = {name: value for name, value in wish.said.items() if name in required or scene.draw.chance(0.2)}
    return msgspec.structs.replace(wish, said=said)


SCENARIO = Scenario(
    "compute",
    "an argument is computed from a result: half of the total, the day before",
    _tools,
    _events,
    (Pattern("U C{1-2} C:computed A"),),
    needs=(
        "a look-up with a day or an amount of money in its result, and a tool of the same file that takes a day "
        "or an amount"
    ),
)
