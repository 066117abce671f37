"""Where the value of a result's property comes from, before it is drawn; the `x-` keywords, checked and tried out.

It is, in this order: the argument that `x-from` names, the argument of the same name, a fact known of the entity, or
what `x-compute` says (which goes before an argument of the same name).

A misspelt keyword would have no effect, without an error, and an `x-compute` that can never work would leave what is drawn: both
are refused when tools are loaded. Values that come up only now and then (a day that does not exist, a number that is zero)
are no fault of the tool.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, NamedTuple

import msgspec

from generator.arguments.checks import check_known, refuse_if
from generator.core.documents import nearest, shown
from generator.core.entities import WorldDeclarations
from generator.core.errors import SpecError
from generator.core.exact_json import loads
from generator.core.offline_schemas import validator
from generator.core.pointers import escape, joined, resolve, schema_at, variants
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import ToolSpec
from generator.world.expressions import (
    EVERY,
    FAULTS,
    RELATED,
    Expression,
    ReadableNames,
    Reads,
    compile_expression,
    defaults_of,
    readable_arguments,
)
from generator.world.functions import MissingError
from generator.world.guided import NOTES, Arrange, dereferenced, remember_extra, stand_alone, without_proposal
from generator.world.making import ABSENT, MOST, CallDraw, CompileValue, MakeResult

NO_DEFAULTS: Mapping[str, Any] = {}


def compile_order(order: Any, defaults: Mapping[str, Any] = NO_DEFAULTS) -> Arrange | None:
    """Return the arrangement that `field`, `-field` (greatest first) or `{argument: {its value: field}}` asks for; `defaults` are the arguments of calls that leave them out."""
    if isinstance(order, str):
        return _sorting(order)
    if not isinstance(order, dict):
        return None
    ((argument, fields),) = order.items()
    by_text = {str(value): _sorting(field) for value, field in fields.items()}  # keys of JSON files are text

    def arrange(elements: list[Any], arguments: Mapping[str, Any]) -> list[Any]:
        sort = by_text.get(str(arguments.get(argument, defaults.get(argument))))
        return elements if sort is None else sort(elements, arguments)

    return arrange


def sort_fields(order: Any) -> tuple[str, ...]:
    """Return the fields that an order names; raises ValueError for anything else."""
    if isinstance(order, str):
        return (order.removeprefix("-"),)
    if isinstance(order, dict) and len(order) == 1:
        (fields,) = order.values()
        if isinstance(fields, dict) and all(isinstance(field, str) for field in fields.values()):
            return tuple(field.removeprefix("-") for field in fields.values())
    raise ValueError("a field, -field, or {argument: {its value: field}} is expected")


def _sorting(order: str) -> Arrange:
    """Return the arrangement by `field` or `-field`, whatever the arguments; elements that do not have the field come last."""
    field, reverse = order.removeprefix("-"), order[:1] == "-"
    key = itemgetter(field)

    def sort(elements: list[Any], _: Mapping[str, Any]) -> list[Any]:
        try:
            return sorted(elements, key=key, reverse=reverse)
        except (KeyError, TypeError):  # an element lacks the field, holds null there, or what has no order
            return _sorted_with_gaps(elements, field, reverse)

    return sort


def _sorted_with_gaps(elements: list[Any], field: str, reverse: bool) -> list[Any]:
    """Return the elements sorted by a field, those without a value last; as they are where the values have no order."""
    with_value = [element for element in elements if element.get(field) is not None]
    try:
        with_value.sort(key=itemgetter(field), reverse=reverse)
    except TypeError:  # text and numbers have no order
        return elements
    return with_value + [element for element in elements if element.get(field) is None]


KEYWORDS = ("x-from", "x-compute", "x-minimum", "x-maximum", "x-sort", "x-kind", "x-when", "x-field", "x-fresh")
_WHENS = ("past", "future")


def fault(at: str, message: str) -> SpecError:
    """Return the error for something at a place in `returns`."""
    return SpecError(f"returns{at and ': '}{at}: {message}")


def check_x_keywords(schema: dict[str, Any], parameters: Any, at: str) -> None:
    """Raise SpecError for an `x-` keyword that does not exist or names what is not there."""
    for key in schema:
        if key.startswith("x-") and key not in KEYWORDS:
            raise fault(at, f"unknown keyword {key!r}{nearest(key, KEYWORDS)}")
    if schema.get("x-when", "past") not in _WHENS:
        raise fault(at, f"x-when: {' or '.join(_WHENS)} is expected, not {schema['x-when']!r}")
    if schema.get("x-from") is not None:
        _check_argument(schema["x-from"], parameters, f"{at}: x-from")
    for key in ("x-minimum", "x-maximum"):
        if key in schema:
            _check_bound(schema, schema[key], parameters, f"{at}: {key}")
    if "x-sort" in schema and not isinstance(schema.get("items"), dict):
        raise fault(at, "x-sort is for lists")


def check_x_sort(order: Any, element: dict[str, Any], parameters: Any, at: str) -> None:
    """Raise SpecError for an `x-sort` by what the elements do not have."""
    at = f"{at}: x-sort"
    try:
        fields = sort_fields(order)
    except ValueError as wrong:
        raise fault(at, f"{wrong}, not {order!r}") from None
    properties = element.get("properties")
    known = properties if isinstance(properties, dict) else {}
    for field in fields:
        check_known(field, known, fault, at, "the elements have no")
    if isinstance(order, dict):
        _check_choice(order, parameters, at)


def _check_choice(order: dict[str, Any], parameters: Any, at: str) -> None:
    """Raise SpecError where an order by the value of an argument names no argument, or a value that it cannot have."""
    ((argument, fields),) = order.items()
    _check_argument(argument, parameters, at, is_slot=False)
    schema = schema_at(parameters, escape(argument)) or {}
    values = {str(value) for branch in variants(parameters, schema) for value in branch.get("enum", ())}
    for value in fields:
        if values and str(value) not in values:
            raise fault(at, f"{value!r} is not a value of {argument}{nearest(str(value), sorted(values))}")


def read_expression(
    text: Any, key: str, earlier_properties: Collection[str], parameters: Any, at: str, declared: WorldDeclarations
) -> tuple[Expression, Reads]:
    """Return an `x-compute` and the names it reads, all of which stand before it or are arguments."""
    start = f"x-compute of {key!r}: {text!r}"
    try:
        expression, reads = compile_expression(str(text), declared.tables, declared.entities)
    except ValueError as wrong:
        raise fault(at, f"{start}: {wrong}") from None
    for name in sorted(reads.properties - {"today", "value", *earlier_properties}):
        hint = " (the value it would otherwise have is 'value')" if name == key else nearest(name, earlier_properties)
        raise fault(at, f"{start}: no property {name!r} stands before it{hint}")
    for name in sorted(reads.arguments):
        _check_argument(name, parameters, f"{at}: {start}", is_slot=False)
    return expression, reads


def hidden_keyword(schema: Any, depth: int = 0) -> str | None:
    """Return the first `x-` keyword below a schema whose values are drawn as a whole, where it would have no effect."""
    if not isinstance(schema, dict):
        return None
    keyword = next((key for key in schema if key.startswith("x-")), None) if depth else None
    return keyword or next((found for part in _subschemas(schema) if (found := hidden_keyword(part, depth + 1))), None)


def _subschemas(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield the schemas of elements, properties and alternatives directly below a schema."""
    yield from (schema.get(key) for key in ("items", "additionalProperties"))
    for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
        yield from schema.get(key, ())
    properties = schema.get("properties")
    yield from properties.values() if isinstance(properties, dict) else ()


def _check_argument(slot: Any, parameters: Any, at: str, *, is_slot: bool = True) -> None:
    """Raise SpecError where a slot (`address/city`, or a name alone unless `is_slot`) is not that of one argument."""
    refuse_if(
        not isinstance(slot, str) or not slot or "*" in slot.split("/"),
        fault,
        at,
        f"the name of one argument is expected, not {slot!r}",
    )
    slot_path = slot if is_slot else escape(slot)
    if schema_at(parameters, slot_path) is None:
        known = [name for branch in variants(parameters, parameters) for name in branch.get("properties", {})]
        raise fault(at, f"there is no argument {slot!r}{nearest(slot, known)}")


def _check_bound(schema: dict[str, Any], slot: Any, parameters: Any, at: str) -> None:
    """Raise SpecError where the argument at a slot cannot bound the values of a schema, since it does not exist or has another type."""
    _check_argument(slot, parameters, at)
    bounded_types, argument_types = _type_names(schema, schema), _type_names(parameters, schema_at(parameters, slot))
    bounded_types = {"number"} if "array" in bounded_types else bounded_types
    refuse_if(
        bounded_types and argument_types and not bounded_types & argument_types,
        fault,
        at,
        f"{slot!r} is of type {', '.join(sorted(argument_types))} and cannot bound this",
    )


def _type_names(root: Any, schema: Any) -> set[str]:
    """Return the JSON types that a schema names, but null: `{"string", "number"}`; `integer` counts as `number`."""
    type_names: set[str] = set()
    for branch in variants(root, schema):
        type_or_types = branch.get("type", ())
        type_names |= {type_or_types} if isinstance(type_or_types, str) else {str(name) for name in type_or_types}
    return {"number" if name == "integer" else name for name in type_names - {"null"}}


_TRIALS = 40
_LONGEST_REASON = 160
_TODAY = date(2026, 3, 2)


class ExpressionTrial(msgspec.Struct):
    """The results of trying one expression."""

    at: str
    text: str
    key: str
    types: tuple[str, ...]
    """The types that the schema names; empty when it names none."""
    works: bool = False
    failure: str = ""
    misfit: str = ""

    def note(self, value: Any) -> None:
        """Record a value of the expression, or the exception that it raised."""
        if isinstance(value, MissingError):
            return
        if isinstance(value, Exception):
            self.failure = self.failure or f"{value} ({type(value).__name__})"
        elif fits(python_types(self.types), value):
            self.works = True
        elif isinstance(value, int | float) and not -MOST <= value <= MOST:
            self.failure = self.failure or "the number is too great"
        else:
            self.misfit = self.misfit or shown(value)


def python_types(types: tuple[str, ...]) -> frozenset[type]:
    """Return the Python types for those of JSON Schema; all of them where the schema names none."""
    return frozenset([kind for name in types or _PYTHON_TYPES for kind in _PYTHON_TYPES[name]])


def fits(kinds: frozenset[type], value: Any) -> bool:
    """Whether the result of an expression (or its exception) has one of the types and is not too large for JSON."""
    kind = type(value)
    if kind is float:
        return (float in kinds or (int in kinds and value.is_integer())) and -MOST <= value <= MOST
    return kind in kinds and (kind is not int or -MOST <= value <= MOST)


def check_results(
    make: MakeResult, returns: dict[str, Any], shown: Sequence[dict[str, Any]], nothing: dict[str, Any]
) -> None:
    """Make results of a call with nothing for arguments, about some of the entities, and raise SpecError when none is valid."""
    draw = CallDraw(stream_seed("trial"), _TODAY)
    draw.start(stream_seed("trial"), _TODAY)
    checker = validator(_without_computed(returns))
    for number in range(_TRIALS):
        draw.take(nothing, shown[number % len(shown)] if shown else {}, shown[: number % 4])
        result = make(draw)
        if checker.is_valid(result):
            return
    error = next(checker.iter_errors(result))
    pointer = "".join(f"/{escape(str(step))}" for step in error.schema_path)
    raise fault(pointer, f"no valid value was found in {_TRIALS} draws ({error.message[:_LONGEST_REASON]})")


def _without_computed(schema: Any) -> Any:
    """Return the schema without what it says of computed values: that is about the values they are computed from."""
    if isinstance(schema, list):
        return [_without_computed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {} if "x-compute" in schema else {key: _without_computed(part) for key, part in schema.items()}


def try_out(
    make: MakeResult,
    trials: dict[str, ExpressionTrial],
    sample: Callable[[Draw], dict[str, Any]],
    shown: Sequence[dict[str, Any]],
) -> None:
    """Make some results and raise SpecError for an expression that gives what its schema forbids, or nothing ever."""
    draw = CallDraw(stream_seed("trial"), _TODAY)
    draw.start(stream_seed("trial"), _TODAY)
    draw.watch = lambda at, found: trials[at].note(found)
    for number in range(_TRIALS):
        draw.take(sample(draw), shown[number % len(shown)] if shown else {}, shown[: 1 + number % 4])
        make(draw)
        if all(trial.works for trial in trials.values()):
            return
    for trial in trials.values():
        start = f"x-compute of {trial.key!r}: {trial.text!r}"
        refuse_if(
            trial.misfit and not trial.works,
            fault,
            trial.at,
            f"{start} gives {trial.misfit}, which is not of type {' or '.join(trial.types)}",
        )
        refuse_if(
            trial.failure and not trial.works,
            fault,
            trial.at,
            f"{start} has no value whatever its names stand for ({trial.failure})",
        )


def sampler(
    parameters: dict[str, Any],
    compile_value: CompileValue,
    seed: int,
    kinds: Mapping[str, str],
    examples: Mapping[str, tuple[Any, ...]],
) -> Callable[[Draw], dict[str, Any]]:
    """Return a function that draws arguments to try things with; those that cannot be drawn are left out."""
    makers: dict[str, Callable[[Draw], Any]] = {}
    for branch in variants(parameters, parameters):
        for name, schema in branch.get("properties", {}).items():
            slot = escape(name)
            if examples.get(slot):
                makers[name] = partial(Draw.choice, options=examples[slot])
            elif isinstance(schema, dict):
                try:
                    makers[name] = compile_value(stand_alone(parameters, schema), name, seed, kind=kinds.get(slot))
                except SpecError:  # what is wrong with parameters is told elsewhere
                    continue
    return lambda draw: {name: _small_now_and_then(make(draw), draw) for name, make in makers.items()}


def _small_now_and_then(value: Any, draw: Draw) -> Any:
    """Return the value, or for an integer in one case of four 1 or 2, for which most expressions work."""
    return draw.between(1, 2) if type(value) is int and draw.rand() < 0.25 else value


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}

_COMBINING = frozenset({"anyOf", "oneOf", "allOf"})


def fewest_parts(root: dict[str, Any], schema: Any, counts: dict[int, int]) -> int:
    """Return how many values the smallest value consists of, as far as lists of lists and objects make it large.

    `known` holds the numbers of the schemas that were looked at, 1 of those that are being looked at.
    """
    plain = dereferenced(root, schema)
    parts = plain.get("properties") if makes_objects(plain) else plain.get("items") if makes_lists(plain) else None
    if parts is None:
        return 1
    if id(parts) not in counts:
        counts[id(parts)] = 1
        if makes_objects(plain):
            wanted = [parts[key] for key in plain.get("required", ()) if key in parts]
            counts[id(parts)] = 1 + sum(fewest_parts(root, part, counts) for part in wanted)
        elif plain.get("minItems", 0):
            counts[id(parts)] = 1 + int(plain["minItems"]) * fewest_parts(root, parts, counts)
    return counts[id(parts)]


@lru_cache(maxsize=1024)
def validity_test(schema: str) -> Callable[[Any], bool]:
    """Return the test for a schema; many properties share a small one."""
    keywords = loads(schema)
    kind = _PLAIN_TYPES.get(str(keywords.get("type"))) if isinstance(keywords, dict) else None
    if kind is not None and keywords.keys() == {"type"}:
        return lambda value: type(value) is kind
    return validator(keywords).is_valid


_PLAIN_TYPES = {"string": str, "boolean": bool}
"""Types of JSON Schema all of whose values are of one type in Python."""


def makes_objects(schema: dict[str, Any]) -> bool:
    """Whether objects can be made of it property by property."""
    properties = schema.get("properties")
    return (
        isinstance(properties, dict)
        and schema.get("type", "object") == "object"
        and "minProperties" not in schema
        and _COMBINING.isdisjoint(schema)
        and set(schema.get("required", ())) <= properties.keys()
    )


def makes_lists(schema: dict[str, Any]) -> bool:
    """Whether lists can be made of it element by element."""
    return (
        isinstance(schema.get("items"), dict)
        and schema.get("type", "array") == "array"
        and "prefixItems" not in schema
        and _COMBINING.isdisjoint(schema)
    )


def types_of(root: dict[str, Any], schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema allows; empty when it does not say."""
    types = [branch["type"] for branch in variants(root, schema) if "type" in branch]
    return tuple(dict.fromkeys(name for named in types for name in ([named] if isinstance(named, str) else named)))


def first_valid(read: Callable[[CallDraw], Any], is_valid: Callable[[Any], bool], otherwise: MakeResult) -> MakeResult:
    """Return a maker that takes the value which `read` finds if that is there and valid, and otherwise makes one."""

    def make(draw: CallDraw) -> Any:
        value = read(draw)
        return value if value is not ABSENT and is_valid(value) else otherwise(draw)

    return make


def argument_reader(slot: str, absent: Any = None) -> Callable[[Mapping[str, Any]], Any]:
    """Return a function that reads an argument of a call; `absent` stands for one that the call does not have."""
    if "/" not in slot and "~" not in slot:
        return lambda arguments: arguments.get(slot, absent)

    def read(arguments: Mapping[str, Any]) -> Any:
        try:
            return resolve(arguments, slot)
        except LookupError:
            return absent

    return read


class ResultLocation(NamedTuple):
    """Where in the result a schema stands."""

    at: str
    """Pointer into the schema."""
    name: str
    """The nearest property's name."""
    level: str
    """`top`, `element` (of a list) or `inner`: only the first two take facts or echo arguments."""
    slot: str = ""
    """Where in the result the value stands."""

    def below(self, key: str) -> "ResultLocation":
        """Return the location of an object's property."""
        step = escape(key)
        return ResultLocation(f"{self.at}/properties/{step}", key, self.level, joined(self.slot, key))

    @property
    def element(self) -> "ResultLocation":
        """The location of a list's elements."""
        return ResultLocation(f"{self.at}/items", self.name, "element", joined(self.slot, "*"))


class ShownEntity(NamedTuple):
    """What a result shows of an entity."""

    record: str
    """Pointer to the schema of the object that shows it."""
    is_list: bool
    """Whether that object is an element of the list of all that was found."""
    fields: frozenset[str]
    examples: tuple[dict[str, Any], ...]
    """Some entities, to try with."""
    related: Mapping[str, tuple[str, frozenset[str]]] = {}
    """Field or argument that holds the key of another entity → its kind's title and fields."""
    key: str = ""
    """The field that identifies the entity."""
    is_only_shown: bool = False
    """Whether the call changes nothing, so that it shows what earlier results have shown."""


class ResultFields:
    """The properties of one tool's results: what says their values."""

    def __init__(self, spec: ToolSpec, root: dict[str, Any], shown: ShownEntity | None, *, guided: bool) -> None:
        """Take the tool, the `root` of its result's schema, and the entity shown; `guided`: values may be proposed."""
        self.root = root
        self.parameters = spec.tool.parameters or {}
        self.takes_facts = bool(spec.links) and shown is None
        self.shown = shown
        self.guided = guided
        self.declared = spec.declared
        self.trials: dict[str, ExpressionTrial] = {}
        """The expressions of the schema, by place."""

    def sourced(
        self, schema: dict[str, Any], location: ResultLocation, earlier: list[str], otherwise: MakeResult
    ) -> MakeResult:
        """Return the maker of a property's value by its sources in their order; `otherwise` makes it where none has one, formulas may read `earlier_properties`."""
        make, record = self.with_memory(schema, location, otherwise), self.record_of(schema, location)
        echoed = escape(location.name) if location.level != "inner" and self.echoes(location.name, schema) else None
        if record is not None:
            earlier = [*earlier, *record]
        if "x-compute" in schema:
            make = self.computed(schema, location, earlier, make)
            echoed = None
        if location.level == "top" and self.takes_facts:
            make = first_valid(
                lambda draw: draw.facts.get(location.name, ABSENT), self.validator(schema, location), make
            )
        source = schema.get("x-from") or echoed
        if source:
            read = argument_reader(source, ABSENT)
            make = first_valid(lambda draw: read(draw.arguments), self.validator(schema, location), make)
        if "/" in str(schema.get("x-field", "")):
            return self.related_field(str(schema["x-field"]), location, make)
        if record is not None:
            return self.shown_field(schema, location, record, make)
        refuse_if("x-field" in schema, fault, location.at, "x-field: no entity is shown here")
        return make

    def with_memory(self, schema: dict[str, Any], location: ResultLocation, make: MakeResult) -> MakeResult:
        """Return the maker of a property; where a model may propose it and it is no field of the shown entity, one that remembers it."""
        if (
            not self.guided
            or self.shown is None
            or self.record_of(schema, location) is None
            or self.is_decided(location.name, schema, location)
        ):
            return make
        return remember_extra(
            location.name, self.shown.key, self.validator(schema, location), make, recalls=self.shown.is_only_shown
        )

    def related_field(self, path: str, location: ResultLocation, otherwise: MakeResult) -> MakeResult:
        """Return the maker of a property that shows `customer_id/name`: a field of the entity that a key leads to."""
        holder, _, name = path.partition("/")
        related = {} if self.shown is None else self.shown.related
        if holder not in related:
            raise fault(location.at, f"x-field: {holder!r} holds the key of no entity{nearest(holder, related)}")
        title, fields = related[holder]
        check_known(name, fields, fault, location.at, "x-field: the entity has no field")

        def make(draw: CallDraw) -> Any:
            key = draw.facts[holder] if holder in draw.facts else draw.arguments.get(holder)
            entity = None if key is None else draw.related(title, key)
            return otherwise(draw) if entity is None else entity[name]

        return make

    def is_decided(self, key: str, schema: Any, location: ResultLocation) -> bool:
        """Whether a property has a source before proposals and chance: a formula, an argument, or a field of the shown entity."""
        resolved = dereferenced(self.root, schema)
        record = self.record_of(resolved, location)
        shown_field = resolved.get("x-field", key)
        is_shown = "/" in str(shown_field) or (record is not None and shown_field in record)
        is_told = (
            "x-compute" in resolved or "x-from" in resolved or (location.level != "inner" and self.echoes(key, schema))
        )
        return is_shown or is_told

    def shows(self, schema: dict[str, Any], location: ResultLocation) -> str:
        """Return the field of the shown entity that a property takes its value from; an empty text where there is none."""
        record, name = self.record_of(schema, location), schema.get("x-field", location.name)
        return str(name) if record is not None and name in record else ""

    def record_of(self, schema: dict[str, Any], location: ResultLocation) -> frozenset[str] | None:
        """Return the fields of the shown entity where a property belongs to the object that shows it (or, with `x-field`, to an object within); else None."""
        if self.shown is None:
            return None
        if location.at != f"{self.shown.record}/properties/{escape(location.name)}":
            inside = location.at.removeprefix(f"{self.shown.record}/properties/")
            is_within = inside != location.at and all("/" not in step for step in inside.split("/properties/"))
            return self.shown.fields if is_within and "x-field" in schema else None
        return self.shown.fields

    def shown_field(
        self, schema: dict[str, Any], location: ResultLocation, fields: frozenset[str], otherwise: MakeResult
    ) -> MakeResult:
        """Return the maker of a property that shows a field of the entity: the one of its name, or of `x-field`."""
        name = schema.get("x-field", location.name)
        if name is None:
            return otherwise
        if name not in fields:
            if "x-field" in schema:
                raise fault(location.at, f"x-field: the entity has no field {name!r}{nearest(str(name), fields)}")
            return otherwise
        assert self.shown is not None
        is_valid = self.validator(schema, location)
        for example in self.shown.examples:
            if name in example and not is_valid(example[name]):
                raise fault(
                    location.at,
                    f"the field {name} of the entity can be {json.dumps(example[name])}, which is not valid here",
                )

        def make(draw: CallDraw) -> Any:
            facts = draw.facts
            return facts[name] if name in facts else otherwise(draw)

        return make

    def echoes(self, key: str, schema: Any) -> bool:
        """Whether a property takes the value of the argument that has its name."""
        return schema_at(self.parameters, escape(key)) is not None and "x-from" not in dereferenced(self.root, schema)

    def computed(
        self, schema: dict[str, Any], location: ResultLocation, earlier: list[str], drawn: MakeResult
    ) -> MakeResult:
        """Return the maker of what an `x-compute` says; the value is drawn where that fails or is not of the schema's type."""
        text, at = str(schema["x-compute"]), location.at
        expression, reads = read_expression(text, location.name, earlier, self.parameters, at, self.declared)
        types = types_of(self.root, schema)
        self.trials[at] = ExpressionTrial(at, text, location.name, types)
        kinds = python_types(types)
        takes_value = "value" in reads.properties
        shows = self.record_of(schema, location) is not None
        base = without_proposal(drawn) if self.guided else drawn
        defaults = {name: value for name, value in defaults_of(self.parameters).items() if name in reads.arguments}

        def make(draw: CallDraw) -> Any:
            fields = {**draw.facts, **draw.fields} if shows else draw.fields
            usual = base(draw) if takes_value else None
            try:
                args = readable_arguments(draw.arguments, defaults) if defaults else draw.given
                names = ReadableNames(fields, args=args, today=draw.day, value=usual)
                names[RELATED], names[EVERY] = draw.related, draw.every
                value = expression(names)
            except FAULTS as wrong:
                value = wrong
            if draw.watch is not None:
                draw.watch(at, value)
            if fits(kinds, value):
                return int(value) if type(value) is float and float not in kinds else value
            return usual if takes_value else drawn(draw)

        return make

    def validator(self, schema: dict[str, Any], location: ResultLocation) -> Callable[[Any], bool]:
        """Return the test of whether a value is valid for a part of the schema."""
        plain = {key: part for key, part in schema.items() if key not in NOTES and key[:2] != "x-"}
        try:
            return validity_test(json.dumps(stand_alone(self.root, plain)))
        except ValueError as wrong:
            raise fault(location.at, f"not a valid JSON Schema: {wrong}") from None
