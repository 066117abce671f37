"""compare: several look-ups at once, and the answer names the best one: "Split has the lowest index: 22."."""

from collections.abc import Collection
from typing import Any

from generator.connectives import measure_in_field
from generator.errors import CannotFillError, PlanError
from generator.planning import Comparison, Say, Step, Tell
from generator.pointers import resolve
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, at_once, calls_in_order, serve_all, tell
from generator.scenarios.toolkit import Toolkit, is_single, once
from generator.toolbox import ToolSpec

_ALL_ALIKE = 0.25
"""How often rows are kept in which all results are equal."""
_BEST_FIRST = 0.6
"""How often the best one is named before all results are reported."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    pairs = _pairs(toolkit)
    if not pairs:
        raise PlanError(
            "scenario 'compare' needs a tool that looks something up, with a name among its arguments and a number in its result"
        )
    return {tool for tool, _ in pairs}


def _events(scene: Scene) -> Events:
    tool, comparison = scene.decide(_pairs(scene.toolkit))
    wishes = scene.wishes_that_vary(tool, comparison.slot, scene.draw.between(*_how_many(scene.toolkit)))
    asked = yield Say(wishes=wishes, compares=comparison)
    found = yield Step(calls=at_once(serve_all(asked), scene.draw))
    places = _best(found, comparison)
    if len(places) == len(wishes) and not scene.draw.chance(_ALL_ALIKE):
        raise CannotFillError("all of them are alike")
    best = Tell(about=calls_in_order([(found, place) for place in places]), how="best")
    is_first = scene.draw.chance(_BEST_FIRST)
    yield best if is_first else tell(found)
    yield tell(found) if is_first else best


def _how_many(toolkit: Toolkit) -> tuple[int, int]:
    """Return the least and greatest number of things to compare: people compare two to four."""
    least, most = toolkit.calls
    return min(least, 4), min(most, 4)


def _best(step: Step, comparison: Comparison) -> list[int]:
    """Return the places of the calls with the least, or the greatest, value; several that are equally good."""
    values = [resolve(outcome.value, comparison.field) for outcome in step.outcomes]
    best = min(values) if comparison.extreme == "min" else max(values)
    if best == 0 and comparison.extreme == "max":
        raise CannotFillError("none of them has any")
    return [place for place, value in enumerate(values) if value == best]


@once
def _pairs(toolkit: Toolkit) -> tuple[tuple[str, Comparison], ...]:
    """Return look-ups, each with what can be compared in its results."""
    return tuple(
        [
            (name, Comparison(slot, field, extreme))
            for name in toolkit.starters
            if name in toolkit.look_ups
            for slot in _names(toolkit.toolbox[name])
            for field, extreme in _fields(toolkit.toolbox[name])
        ]
    )


def _names(spec: ToolSpec) -> list[str]:
    """Return the arguments that are names, which people say as a list; of a tool without phrases only required ones."""
    parameters: dict[str, Any] = spec.tool.parameters or {}
    properties = parameters.get("properties", {})
    if not spec.phrases.request:
        return [
            slot for slot in parameters.get("required", ()) if slot.isidentifier() and _is_name(properties.get(slot))
        ]
    return [slot for slot in spec.phrases.vary if _is_name(properties.get(slot)) and _is_capital(properties[slot])]


def _is_name(schema: Any) -> bool:
    return is_single(schema) and schema["type"] == "string" and "format" not in schema


def _is_capital(schema: dict[str, Any]) -> bool:
    """Whether choices are names: "Oslo", not "last_week" or "USD"."""
    return all(
        isinstance(value, str) and value[:1].isupper() and not value.isupper() for value in schema.get("enum", ())
    )


def _fields(spec: ToolSpec) -> list[tuple[str, str]]:
    """Return numbers that every result has, with `min` or `max`: those that the tool has words for, or else all with plain names."""
    returns = spec.returns or {}
    known = [(best.by.partition(" ")[2], best.by.partition(" ")[0]) for best in spec.phrases.best]
    given = (spec.tool.parameters or {}).get("properties", {})
    return known or [
        (field, extreme)
        for field, schema in returns.get("properties", {}).items()
        if field in returns.get("required", ()) and field not in given and _is_measured(field, schema)
        for extreme in ("min", "max")
    ]


def _is_measured(field: str, schema: Any) -> bool:
    is_number = isinstance(schema, dict) and schema.get("type") in ("integer", "number") and "const" not in schema
    return is_number and all(
        word.isascii() and word.isalpha() and word.islower() for word in measure_in_field(field)[0].split(" ")
    )


SCENARIO = Scenario(
    "compare",
    "several look-ups at once; the answer names the best one",
    _tools,
    _events,
    (
        Pattern("U C{2+}:one_tool A", told=("best", "comparison")),
        Pattern("U C{2+}:one_tool A", told=("comparison", "best")),
    ),
)
