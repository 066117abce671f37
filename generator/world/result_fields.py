"""Where the value of a result's property comes from, before it is drawn.

It is, in this order: the argument that `x-from` names, the argument of the same name, a fact known of the entity, or
what `x-compute` says (which goes before an argument of the same name).
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from generator.core.documents import nearest
from generator.core.pointers import escape, joined, schema_at
from generator.core.toolbox import ToolSpec
from generator.world.expressions import EVERY, FAULTS, RELATED, ReadableNames, defaults_of, readable_arguments
from generator.world.guided import (
    remember,
    without_proposal,
)
from generator.world.keywords import fault, read_expression
from generator.world.known_values import argument_reader, take_fact, take_value
from generator.world.making import ABSENT, CallDraw, MakeResult
from generator.world.references import NOTES, dereferenced, stand_alone
from generator.world.result_schemas import types_of, validity_test
from generator.world.trial import ExpressionTrial, fits, python_types


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
        self.root = root
        self.parameters = spec.tool.parameters or {}
        self.takes_facts = bool(spec.links) and shown is None
        self.shown = shown
        self.guided = guided
        self.declared = spec.declared
        self.trials: dict[str, ExpressionTrial] = {}
        """The expressions of the schema, by place."""

    def sourced(
        self, schema: dict[str, Any], place: ResultLocation, before: list[str], drawn: MakeResult
    ) -> MakeResult:
        """Return the maker of a property's value; `before` are the properties that formulas may read, `drawn` makes what nothing says."""
        make, record = self.remembered(schema, place, drawn), self.record_of(schema, place)
        echoed = escape(place.name) if place.level != "inner" and self.echoes(place.name, schema) else None
        if record is not None:
            before = [*before, *record]
        if "x-compute" in schema:
            make = self.computed(schema, place, before, make)
            echoed = None
        if place.level == "top" and self.takes_facts:
            make = take_fact(place.name, self.validator(schema, place), make)
        source = schema.get("x-from") or echoed
        if source:
            read = argument_reader(source, ABSENT)
            make = take_value(lambda draw: read(draw.arguments), self.validator(schema, place), make)
        if "/" in str(schema.get("x-field", "")):
            return self.related_field(str(schema["x-field"]), place, make)
        if record is not None:
            return self.shown_field(schema, place, record, make)
        if "x-field" in schema:
            raise fault(place.at, "x-field: no entity is shown here")
        return make

    def remembered(self, schema: dict[str, Any], place: ResultLocation, make: MakeResult) -> MakeResult:
        """Return the maker of a property; what may be proposed beside the fields of an entity is remembered with it."""
        if (
            not self.guided
            or self.shown is None
            or self.record_of(schema, place) is None
            or self.is_decided(place.name, schema, place)
        ):
            return make
        return remember(
            place.name, self.shown.key, self.validator(schema, place), make, recalls=self.shown.is_only_shown
        )

    def related_field(self, path: str, place: ResultLocation, otherwise: MakeResult) -> MakeResult:
        """Return the maker of a property that shows `customer_id/name`: a field of the entity that a key leads to."""
        holder, _, name = path.partition("/")
        related = {} if self.shown is None else self.shown.related
        if holder not in related:
            raise fault(place.at, f"x-field: {holder!r} holds the key of no entity{nearest(holder, related)}")
        title, fields = related[holder]
        if name not in fields:
            raise fault(place.at, f"x-field: the entity has no field {name!r}{nearest(name, fields)}")

        def make(draw: CallDraw) -> Any:
            key = draw.facts[holder] if holder in draw.facts else draw.arguments.get(holder)
            found = None if key is None else draw.related(title, key)
            return otherwise(draw) if found is None else found[name]

        return make

    def is_decided(self, key: str, schema: Any, place: ResultLocation) -> bool:
        """Whether a formula, an argument or an entity says what the value of a property is, wherever they can."""
        plain = dereferenced(self.root, schema)
        record = self.record_of(plain, place)
        named = plain.get("x-field", key)
        is_shown = "/" in str(named) or (record is not None and named in record)
        is_told = "x-compute" in plain or "x-from" in plain or (place.level != "inner" and self.echoes(key, schema))
        return is_shown or is_told

    def shows(self, schema: dict[str, Any], place: ResultLocation) -> str:
        """Return the field of the entity that a property shows, where it is there; an empty text where it shows none."""
        record, name = self.record_of(schema, place), schema.get("x-field", place.name)
        return str(name) if record is not None and name in record else ""

    def is_drawn_seldom(self, schema: dict[str, Any], place: ResultLocation) -> bool:
        """Whether a property shows a field of the entity, without a kind of its own to draw from."""
        return bool(self.shows(schema, place)) and "x-kind" not in schema

    def record_of(self, schema: dict[str, Any], place: ResultLocation) -> frozenset[str] | None:
        """Return the fields of the entity that the object shows whose property this is; of an object within it, where `x-field` says so."""
        if self.shown is None:
            return None
        if place.at != f"{self.shown.record}/properties/{escape(place.name)}":
            inside = place.at.removeprefix(f"{self.shown.record}/properties/")
            is_within = inside != place.at and all("/" not in step for step in inside.split("/properties/"))
            return self.shown.fields if is_within and "x-field" in schema else None
        return self.shown.fields

    def shown_field(
        self, schema: dict[str, Any], place: ResultLocation, fields: frozenset[str], otherwise: MakeResult
    ) -> MakeResult:
        """Return the maker of a property that shows a field of the entity: the one of its name, or of `x-field`."""
        name = schema.get("x-field", place.name)
        if name is None:
            return otherwise
        if name not in fields:
            if "x-field" in schema:
                raise fault(place.at, f"x-field: the entity has no field {name!r}{nearest(str(name), fields)}")
            return otherwise
        assert self.shown is not None
        is_valid = self.validator(schema, place)
        for example in self.shown.examples:
            if name in example and not is_valid(example[name]):
                raise fault(
                    place.at,
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
        self, schema: dict[str, Any], place: ResultLocation, before: list[str], drawn: MakeResult
    ) -> MakeResult:
        """Return the maker of what an expression says; the value is drawn where it says nothing, or what is not valid."""
        text, at = str(schema["x-compute"]), place.at
        expression, reads = read_expression(text, place.name, before, self.parameters, at, self.declared)
        types = types_of(self.root, schema)
        self.trials[at] = ExpressionTrial(at, text, place.name, types)
        kinds = python_types(types)
        takes_value = "value" in reads.properties
        shows = self.record_of(schema, place) is not None
        base = without_proposal(drawn) if self.guided else drawn
        defaults = {name: value for name, value in defaults_of(self.parameters).items() if name in reads.arguments}

        def make(draw: CallDraw) -> Any:
            fields = {**draw.facts, **draw.fields} if shows else draw.fields
            usual = base(draw) if takes_value else None
            try:
                args = readable_arguments(draw.arguments, defaults) if defaults else draw.given
                names = ReadableNames(fields, args=args, today=draw.day, value=usual)
                names[RELATED], names[EVERY] = draw.related, draw.every
                found = expression(names)
            except FAULTS as wrong:
                found = wrong
            if draw.watch is not None:
                draw.watch(at, found)
            if fits(kinds, found):
                return int(found) if type(found) is float and float not in kinds else found
            return usual if takes_value else drawn(draw)

        return make

    def validator(self, schema: dict[str, Any], place: ResultLocation) -> Callable[[Any], bool]:
        """Return the test of whether a value is valid for a part of the schema."""
        plain = {key: part for key, part in schema.items() if key not in NOTES and key[:2] != "x-"}
        try:
            return validity_test(json.dumps(stand_alone(self.root, plain)))
        except ValueError as wrong:
            raise fault(place.at, f"not a valid JSON Schema: {wrong}") from None
