"""From a `returns` schema to a function that makes the result of one call.

A property's value is what `result_fields.py` finds, or a value drawn from its schema, kept within the bounds that
arguments give (`x-minimum`, `x-maximum`): numbers, days, moments and clock times.
"""

import json
import math
from collections.abc import Callable, Mapping
from datetime import date
from itertools import repeat
from typing import Any

import msgspec

from generator.core.errors import SpecError
from generator.core.pointers import schema_at
from generator.core.seeds import Draw
from generator.core.toolbox import ToolSpec
from generator.world.expressions import defaults_of
from generator.world.functions import minutes_of
from generator.world.guided import (
    NOTES,
    Field,
    ResultListShape,
    dereferenced,
    distinct_properties,
    elements_about,
    identifies,
    make_list,
    propose_list,
    propose_object,
    propose_value,
    stand_alone,
)
from generator.world.making import ABSENT, MOST, CallDraw, CompileValue, MakeResult
from generator.world.result_fields import (
    ResultFields,
    ResultLocation,
    ShownEntity,
    argument_reader,
    check_results,
    check_x_keywords,
    check_x_sort,
    compile_order,
    fault,
    fewest_parts,
    hidden_keyword,
    makes_lists,
    makes_objects,
    sampler,
    try_out,
    validity_test,
)


class SchemaBounds(msgspec.Struct, frozen=True):
    """The schema's own bounds of a number; the bounds of a call take precedence where they lie outside."""

    low: float | None
    high: float | None
    step: float | None
    whole: bool


def schema_bounds(schema: dict[str, Any]) -> SchemaBounds:
    """Return the schema's own bounds; an excluded bound is moved by the smallest step: `{"exclusiveMinimum": 0}` → 0.01."""
    step, whole = schema.get("multipleOf"), schema.get("type") == "integer"
    least = step or (1 if whole else 0.01)
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    return SchemaBounds(
        low if above is None else above + least if low is None else max(low, above + least),
        high if below is None else below - least if high is None else min(high, below - least),
        step,
        whole,
    )


def within(value: Any, low: Any, high: Any, own: SchemaBounds, draw: Draw) -> Any:
    """Return `value` if it is within the bounds, else another value within them; bounds of another type are ignored."""
    try:
        if _is_within(value, low, high):
            return value
        if isinstance(value, str):
            return _text_within(value, low, high, draw)
        number = _number_within(value, low, high, own, draw)
    except (TypeError, ValueError, ArithmeticError):
        return value
    return number if -MOST <= number <= MOST else value


def _is_within(value: Any, low: Any, high: Any) -> bool:
    """Whether a value lies within the bounds, None for no bound; a day as a bound holds all moments of that day."""
    if isinstance(value, str):  # a day holds all its moments
        return (low is None or value[: len(low)] >= low[: len(value)]) and (
            high is None or value[: len(high)] <= high[: len(value)]
        )
    return bool((low is None or value >= low) and (high is None or value <= high))


def _number_within(value: float, low: float | None, high: float | None, own: SchemaBounds, draw: Draw) -> float:
    """Return a number within the bounds: whole if `value` is, else with two decimals or in the schema's steps."""
    bottom, top = _usable_range(low, high, own)
    for unit in (own.step,) if own.step else (1,) if own.whole else (1, 0.01) if isinstance(value, int) else (0.01,):
        first, last = math.ceil(bottom / unit - 1e-7), math.floor(top / unit + 1e-7)
        if first <= last:
            number = draw.between(first, last) * unit
            return int(number) if number == int(number) and isinstance(value, int) else round(number, 10)
    return value if own.step or own.whole else bottom


def _usable_range(low: float | None, high: float | None, own: SchemaBounds) -> tuple[float, float]:
    """Return both bounds of a call's number, narrowed by the schema's where these allow it; a missing one is 40 % away from the other."""
    bottom = low if own.low is None else own.low if low is None else max(low, own.low)
    top = high if own.high is None else own.high if high is None else min(high, own.high)
    if bottom is not None and top is not None and bottom > top:
        bottom, top = low, high
    if bottom is None:
        bottom = top - abs(top) * 0.4 if top is not None else 0
    return bottom, bottom + abs(bottom) * 0.4 if top is None else top


def _text_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    """Return a day, moment or clock time within the bounds; any other text as it is."""
    if len(value) >= 10 and value[4] == value[7] == "-":
        return _day_within(value, low, high, draw)
    return _time_within(value, low, high, draw) if len(value) >= 5 and value[2] == ":" else value


def _day_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    """Return a day between the bounds, within two weeks of one that stands alone; a moment keeps its time of day."""
    first = date.fromisoformat((low or high or value)[:10]).toordinal()
    last = date.fromisoformat((high or low or value)[:10]).toordinal()
    if not low or not high:
        first, last = _fortnight(date.fromisoformat(value[:10]).toordinal(), first if low else None, last, draw)
    day = min(max(draw.between(first, max(first, last)), 1), date.max.toordinal())
    text = date.fromordinal(day).isoformat() + value[10:]
    if _is_within(text, low, high):
        return text
    return next((bound for bound in (low, high) if bound and len(bound) == len(value)), text)


def _fortnight(drawn: int, low: int | None, high: int, draw: Draw) -> tuple[int, int]:
    """Return the range of days (as numbers) for a single bound: two weeks from it, on the drawn day's side of today. `high` counts where `low` is None."""
    today = draw.today.toordinal()
    if low is not None:
        return low, min(low + 14, today) if drawn <= today and low <= today else low + 14
    return max(high - 14, today) if drawn >= today and high >= today else high - 14, high


def _time_within(value: str, low: str | None, high: str | None, draw: Draw) -> str:
    """Return a clock time between the bounds, on five minutes, within three hours of a bound that stands alone."""
    first = minutes_of(low) if low else max(0, minutes_of(high or value) - 180)
    last = minutes_of(high) if high else min(23 * 60 + 59, first + 180)
    start, end = -(-first // 5), last // 5
    minutes = draw.between(start, end) * 5 if start <= end else first
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}{value[5:]}"


DEFAULT_RETURNS: dict[str, Any] = {
    "type": "object",
    "properties": {"status": {"const": "success"}},
    "required": ["status"],
}
"""The result of a tool whose spec does not say what it returns."""
_OPTIONAL_SHARE = 0.75
"""Probability that an optional property is present."""


def compile_returns(
    spec: ToolSpec, compile_value: CompileValue, seed: int, shown: ShownEntity | None = None, *, guided: bool = False
) -> MakeResult:
    """Return the maker of a tool's results; raises SpecError for an `x-` keyword that cannot be.

    `shown` is the entity that the result shows, if the tool has an effect on one; `guided`: the proposed values of a draw are taken
    wherever a value would be drawn.
    """
    compiler = _Compiler(spec, compile_value, seed, shown, guided=guided)
    if fewest_parts(compiler.root, compiler.root, {}) > _LARGEST:
        raise fault("/", f"the smallest result has more than {_LARGEST:,} elements and properties")
    make = compiler.value(compiler.root, ResultLocation("", "result", "top"))
    examples = () if shown is None else shown.examples
    nothing = dict.fromkeys(defaults_of(compiler.parameters))  # neither given nor left out
    check_results(make, compiler.root, examples, nothing)
    if compiler.fields.trials:
        sample = sampler(compiler.parameters, compile_value, seed, spec.kinds, spec.examples)
        try_out(make, compiler.fields.trials, sample, examples)
    return make


def compile_test(schema: dict[str, Any]) -> Callable[[Any], bool]:
    """Return the test of whether a value is valid; raises ValueError for something that is not a JSON Schema."""
    return validity_test(
        json.dumps({key: part for key, part in schema.items() if key not in NOTES and key[:2] != "x-"})
    )


_LARGEST = 20_000
"""Values that the smallest result may consist of."""
_MOST_PARTS = 100
"""Objects and lists of one schema that are made part by part."""
_MOST_LISTS = 3
"""Nested lists that are made element by element."""


class _Compiler:
    """One `returns` schema being compiled; holds the root for `$ref`."""

    def __init__(
        self, spec: ToolSpec, compile_value: CompileValue, seed: int, shown: ShownEntity | None, *, guided: bool
    ) -> None:
        self.root = DEFAULT_RETURNS if spec.returns is None else spec.returns
        self.parameters = spec.tool.parameters or {}
        self.shown = shown
        self.fields = ResultFields(spec, self.root, shown, guided=guided)
        self.guided = guided
        self.compile_value = compile_value
        self.seed = seed
        self._being_compiled: set[int] = set()
        self._list_depth = 0
        """The number of lists around the place that is being compiled."""
        self._part_count = 0
        self._free_leaves = 0
        """The number of leaves so far that may be proposed."""

    def value(self, schema: Any, location: ResultLocation, *, is_shown: bool = False) -> MakeResult:
        """Return the maker of a schema's values: of objects and lists part by part, else drawn as a whole. `is_shown`: an entity has the value as a rule, so that the maker is compiled late."""
        plain = dereferenced(self.root, schema)
        check_x_keywords(plain, self.parameters, location.at)
        parts = plain.get("properties") if makes_objects(plain) else plain.get("items") if makes_lists(plain) else None
        if parts is None or (makes_lists(plain) and any(isinstance(one, list) for one in plain.get("examples", ()))):
            hidden = hidden_keyword(plain)
            if hidden:
                raise fault(location.at, f"{hidden} does nothing here; it is for values that are not drawn as a whole")
            return _when_needed(lambda: self.leaf(plain, location)) if is_shown else self.leaf(plain, location)
        self._part_count += 1
        # what holds itself, is very large or lists of lists of lists is drawn as a whole, which ends it soon
        if id(parts) in self._being_compiled or self._part_count > _MOST_PARTS or self._list_depth > _MOST_LISTS:
            return self.leaf(plain, location)
        self._being_compiled.add(id(parts))
        self._list_depth += not makes_objects(plain)
        make = self.object(plain, location) if makes_objects(plain) else self.array(plain, location)
        self._list_depth -= not makes_objects(plain)
        self._being_compiled.discard(id(parts))
        return make

    def object(self, schema: dict[str, Any], location: ResultLocation) -> MakeResult:
        """Return the maker of objects with the properties of a schema; optional ones are there in three of four cases."""
        required = set(schema.get("required", ()))
        earlier_properties: list[str] = []
        fields: list[Field] = []
        shown_fields: list[str] = []
        for key, part in schema["properties"].items():
            if part is not False:
                property_location, free_before = location.below(key), self._free_leaves
                make_value = self.field(part, property_location, earlier_properties)
                is_free = self._free_leaves > free_before and not self.fields.is_decided(key, part, property_location)
                fields.append(Field(key, make_value, key in required, property_location.slot, is_free))
                shown_fields.append(self.fields.shows(dereferenced(self.root, part), property_location))
            earlier_properties.append(key)
        if self.guided:
            return propose_object(fields, _OPTIONAL_SHARE)

        properties_to_make = [
            (key, make, is_required, name)
            for (key, make, is_required, *_), name in zip(fields, shown_fields, strict=True)
        ]

        def make(draw: CallDraw) -> dict[str, Any]:
            properties: dict[str, Any] = {}
            facts = draw.facts
            for key, make_field, is_required, name in properties_to_make:
                if is_required or draw.rand() < _OPTIONAL_SHARE:
                    if name in facts:
                        properties[key] = facts[name]
                    else:
                        draw.fields = properties
                        properties[key] = make_field(draw)
            return properties

        return make

    def array(self, schema: dict[str, Any], location: ResultLocation) -> MakeResult:
        """Return the maker of lists of a schema's elements: of the entities found where the result lists these, else of drawn elements."""
        free_before = self._free_leaves
        element = self.value(schema["items"], location.element)
        fewest = int(schema.get("minItems", min(1, schema.get("maxItems", 1))))
        properties = self.elements(schema, location)
        if self.shown is not None and self.shown.is_list and self.shown.record == f"{location.at}/items":
            return self.list_of_found(schema, location, element, properties)
        shape = ResultListShape(
            fewest=fewest,
            most=int(schema.get("maxItems", max(3, fewest))),
            limit=self.bound(schema, "x-maximum") if "x-maximum" in schema else None,
            may_repeat=schema.get("uniqueItems") is not True,
            distinct=distinct_properties(
                properties, {key for key, part in properties.items() if self.fields.echoes(key, part)}
            ),
            arrange=compile_order(schema.get("x-sort"), defaults_of(self.parameters)),
        )
        return (
            propose_list(shape, element, location.slot, is_free=self._free_leaves > free_before)
            if self.guided
            else make_list(shape, element)
        )

    def list_of_found(
        self, schema: dict[str, Any], location: ResultLocation, element: MakeResult, properties: dict[str, Any]
    ) -> MakeResult:
        """Return the maker of the list that has an element for each entity that a search has found."""
        for key in ("x-sort", "x-maximum"):
            if key in schema:
                raise fault(location.at, f"{key}: the effect says this of what is found: `sort`, `limit`")
        key_field = "" if self.shown is None else self.shown.key
        shows = next(
            (
                name
                for name, part in properties.items()
                if dereferenced(self.root, part).get("x-field", name) == key_field
            ),
            None,
        )

        def make(draw: CallDraw) -> list[Any]:
            elements, facts_before, proposed = [], draw.facts, draw.proposed
            proposals = elements_about(draw.found, proposed, key_field, shows) if type(proposed) is list else _endless
            for fields, proposal in zip(draw.found, proposals, strict=False):
                draw.facts, draw.proposed = fields, proposal
                elements.append(element(draw))
            draw.facts, draw.proposed = facts_before, proposed
            return elements

        return make

    def elements(self, schema: dict[str, Any], location: ResultLocation) -> dict[str, Any]:
        """Return the properties of a list's elements by name; raises SpecError for an `x-sort` by what these do not have."""
        element = dereferenced(self.root, schema["items"])
        if "x-sort" in schema:
            check_x_sort(schema["x-sort"], element if makes_objects(element) else {}, self.parameters, location.at)
        properties = element.get("properties", {})
        return dict(properties) if isinstance(properties, dict) else {}

    def leaf(self, schema: dict[str, Any], location: ResultLocation) -> MakeResult:
        """Return the maker of values that are drawn as a whole, kept within the bounds that arguments give."""
        drawn = self.drawn(schema, location)
        if "x-minimum" not in schema and "x-maximum" not in schema:
            return drawn
        low, high = [
            self.bound(schema, key) if key in schema else (lambda arguments: None) for key in ("x-minimum", "x-maximum")
        ]
        own = schema_bounds(schema)
        return lambda draw: within(drawn(draw), low(draw.arguments), high(draw.arguments), own, draw)

    def bound(self, schema: dict[str, Any], key: str) -> Callable[[Mapping[str, Any]], Any]:
        """Return a function that reads the argument that is a bound, or its default."""
        bounding = schema_at(self.parameters, schema[key])
        return argument_reader(schema[key], (bounding or {}).get("default"))

    def drawn(self, schema: dict[str, Any], location: ResultLocation) -> MakeResult:
        """Return the maker of values drawn from a schema alone; a proposed value goes before in guided results, but for identifiers and what has one value only."""
        plain_schema = {key: part for key, part in stand_alone(self.root, schema).items() if not key.startswith("x-")}
        try:
            make = self.compile_value(
                plain_schema, location.name, self.seed, kind=schema.get("x-kind"), when=schema.get("x-when")
            )
            if (
                not self.guided
                or "const" in plain_schema
                or len(plain_schema.get("enum", "  ")) == 1
                or identifies(schema, location.name)
            ):
                return make
            self._free_leaves += 1
            return propose_value(make, self.fields.validator(schema, location), schema.get("x-when"), location.slot)
        except SpecError as wrong:  # its message begins with a pointer below this place, or with the name
            text = str(wrong).removeprefix("/: ")
            raise SpecError(f"returns: {location.at}{text if text[:1] == '/' else f': {text}'}") from None

    def field(self, schema: Any, location: ResultLocation, earlier_properties: list[str]) -> MakeResult:
        """Return the maker of a property's value, by its sources or else drawn."""
        plain = dereferenced(self.root, schema)
        is_shown = bool(self.fields.shows(plain, location)) and "x-kind" not in plain  # a kind of its own is drawn from
        drawn = self.value(schema, location._replace(level="inner"), is_shown=is_shown)
        return self.fields.sourced(plain, location, earlier_properties, drawn)


_endless = repeat(ABSENT)


def _when_needed(compile_maker: Callable[[], MakeResult]) -> MakeResult:
    """Return a maker that is compiled only when it makes its first value."""
    maker: MakeResult | None = None

    def make(draw: CallDraw) -> Any:
        nonlocal maker
        if maker is None:
            maker = compile_maker()
        return maker(draw)

    return make
