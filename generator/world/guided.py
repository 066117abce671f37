"""Lists of different elements, and results that take proposed values (a model's, as a rule) wherever a value would otherwise be drawn.

Everything else stays as it is: what arguments, earlier results, entities and formulas fix is not asked for, and formulas
count with the proposed values. A proposal that its schema does not allow is not taken. Identifiers and addresses are drawn
in any case: those of different calls must differ, and whoever proposes results sees one call only.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from generator.arguments.kinds.names import kind_of_name
from generator.arguments.kinds.records import RECORDS
from generator.core.pointers import variants
from generator.world.making import ABSENT, CallDraw, MakeResult

NOTES = frozenset({"title", "description", "default", "examples", "example", "deprecated", "readOnly", "$comment"})
"""Annotations: keywords that do not restrict values."""

_BY_NAME = ("#/$defs/", "#/definitions/")


def dereferenced(root: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return a part of a schema with its `$ref` resolved; annotations and `x-` keywords beside the `$ref` go before those of the target."""
    if not isinstance(schema, dict):
        return {} if schema is True else {"enum": []}
    target = next(iter(variants(root, schema)), schema)
    if target is schema:
        return schema
    annotations = {key: part for key, part in schema.items() if key != "$ref"}
    if all(key in NOTES or key.startswith("x-") for key in annotations):
        return target | annotations
    return {key: part for key, part in target.items() if key.startswith("x-")} | schema


def stand_alone(root: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a schema with copies of what its references lead to, so that it can be used without the `root` schema."""
    definitions: dict[str, Any] = {key: root[key] for key in ("$defs", "definitions") if key in root}
    pointers = set(_references(schema))
    if not pointers:
        return schema
    if all(name.startswith(_BY_NAME) for name in (*pointers, *_references(definitions))):
        return {**definitions, **schema}
    whole = {key: part for key, part in root.items() if key not in {"$id", "$schema"}}
    own = {key: part for key, part in schema.items() if key not in {"$id", "$schema", "$defs", "definitions"}}
    return {"$defs": {"whole": _into_whole(whole)}, **_into_whole(own)}


def _references(schema: Any) -> Iterator[str]:
    """Yield all `$ref` anywhere in a schema."""
    if isinstance(schema, dict):
        for key, part in schema.items():
            if key == "$ref" and isinstance(part, str):
                yield part
            yield from _references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _references(part)


def _into_whole(schema: Any) -> Any:
    """Return a copy of a schema whose references lead into `#/$defs/whole`: `#/$defs/a` → `#/$defs/whole/$defs/a`."""
    if isinstance(schema, list):
        return [_into_whole(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"#/$defs/whole{part[1:]}"
        if key == "$ref" and isinstance(part, str) and part[:1] == "#"
        else _into_whole(part)
        for key, part in schema.items()
    }


_TRIES = 6
"""How often an element is drawn for each one that is wanted."""
_PATIENT_TRIES = 60
"""The same for elements that must differ and of which there are too few."""


Arrange = Callable[[list[Any], Mapping[str, Any]], list[Any]]
"""(elements, arguments of the call) → elements in order."""


class ResultListShape(NamedTuple):
    """What a schema says of a list as a whole."""

    fewest: int
    most: int
    limit: Callable[[Mapping[str, Any]], Any] | None
    """Reads the argument that says how many at most."""
    may_repeat: bool
    distinct: tuple[str, ...]
    """Properties whose values must not occur twice; without any, whole elements must not."""
    arrange: Arrange | None


def distinct_properties(properties: dict[str, Any], echoed: set[str]) -> tuple[str, ...]:
    """Return the properties by which elements are told apart: the first one, `name` and `title`.

    Those in `echoed` are taken from the arguments: they are the same in all elements.
    """
    candidates = [key for key in properties if key not in echoed]
    return tuple(dict.fromkeys([*candidates[:1], *(key for key in ("name", "title") if key in candidates)]))


def make_list(shape: ResultListShape, element: MakeResult) -> MakeResult:
    """Return a maker of lists.

    An element that is like another one is drawn again, a limited number of times. Where there are too few then, the rest
    are alike if they may be; otherwise only the fewest that there must be are looked for, with more patience.
    """
    choices = shape.most - shape.fewest + 1

    def make(draw: CallDraw) -> list[Any]:
        wanted = shape.fewest + int(draw.rand() * choices)
        limit = None if shape.limit is None else shape.limit(draw.arguments)
        if type(limit) is int:
            wanted = max(min(wanted, limit), min(shape.fewest, 1))
        fewest = min(wanted, shape.fewest)
        elements: list[Any] = []
        seen: set[str] = set()
        repeated = _add_distinct(elements, seen, wanted, wanted * _TRIES, shape, element, draw)
        if len(elements) < fewest and not shape.may_repeat:
            _add_distinct(elements, seen, fewest, fewest * _PATIENT_TRIES, shape, element, draw)
        elif len(elements) < fewest:
            elements += repeated[: fewest - len(elements)]
        return elements if shape.arrange is None else shape.arrange(elements, draw.arguments)

    return make


def distinct_marks(value: Any, distinct: Sequence[str]) -> list[str]:
    """Return the texts of which no two elements of a list may have one in common: `["id='A1'", "name='Anna'"]`."""
    if distinct and type(value) is dict:
        return [f"{key}={value[key]!r}" for key in distinct if key in value]
    return [repr(value)]  # tells 1, 1.0 and True apart


def _add_distinct(
    elements: list[Any],
    seen: set[str],
    wanted: int,
    tries: int,
    shape: ResultListShape,
    element: MakeResult,
    draw: CallDraw,
) -> list[Any]:
    """Add drawn elements that differ from those in the list, up to `wanted` in all; return the drawn ones that do not differ."""
    repeated: list[Any] = []
    while tries and len(elements) < wanted:
        tries -= 1
        value = element(draw)
        marks = distinct_marks(value, shape.distinct)
        if seen.isdisjoint(marks):
            seen.update(marks)
            elements.append(value)
        else:
            repeated.append(value)
    return repeated


class Field(NamedTuple):
    """A property of an object in a result."""

    key: str
    make: MakeResult
    is_required: bool
    slot: str
    """Where it is in the result."""
    is_free: bool
    """Whether its value may be proposed, so that an optional one is there if it is proposed."""


def identifies(schema: Mapping[str, Any], name: str) -> bool:
    """Whether the values of a property identify something or are addresses: `booking_id`, `link`."""
    kind = schema.get("x-kind") or kind_of_name(name, (), is_number=False)
    record = RECORDS.get(str(kind))
    return schema.get("format") in _ADDRESSES or kind == "url" or (record is not None and bool(record.code))


_ADDRESSES = frozenset({"uuid", "uri", "uri-reference", "iri"})


def propose_value(drawn: MakeResult, is_valid: Callable[[Any], bool], when: str | None, slot: str) -> MakeResult:
    """Return a maker of the proposed value if that is valid and, where its schema says so, a date in the past or future."""

    def make(draw: CallDraw) -> Any:
        draw.undecided[slot] = None
        drawn_value = drawn(draw)  # drawn in any case, so that later draws do not depend on the proposal
        proposed = draw.proposed
        if proposed is ABSENT or not is_valid(proposed):
            return drawn_value
        return proposed if when is None or _is_when(str(proposed)[:10], draw.day, when) else drawn_value

    return make


def _is_when(day: str, today: str, side: str) -> bool:
    """Whether a day (`2026-03-02`) is on the side of today that `when` asks for, `past` or `future`; today is on both."""
    return day <= today if side == "past" else day >= today


def without_proposal(drawn: MakeResult) -> MakeResult:
    """Return a maker that ignores proposals, for the values that formulas start from."""

    def make(draw: CallDraw) -> Any:
        proposed, opened = draw.proposed, draw.undecided
        draw.proposed, draw.undecided = ABSENT, {}
        value = drawn(draw)
        draw.proposed, draw.undecided = proposed, opened
        return value

    return make


def propose_object(fields: Sequence[Field], share: float) -> MakeResult:
    """Return a maker of objects, with the optional properties that are proposed."""

    def make(draw: CallDraw) -> dict[str, Any]:
        proposed = draw.proposed
        properties: dict[str, Any] = {}
        for key, make_field, is_required, slot, is_free in fields:
            is_there = is_required or draw.rand() < share
            if is_free and type(proposed) is dict:
                is_there = is_required or key in proposed
            if is_there:
                draw.fields = properties
                draw.proposed = proposed.get(key, ABSENT) if type(proposed) is dict else ABSENT
                properties[key] = make_field(draw)
            elif is_free:
                draw.undecided[slot] = None
        draw.proposed = proposed
        return properties

    return make


def remember_extra(
    name: str, key: str, is_valid: Callable[[Any], bool], make_value: MakeResult, *, recalls: bool
) -> MakeResult:
    """Return a maker of a property that is no field of the shown entity: its value is noted, and taken from earlier results where `recalls`.

    Args:
        name: The property.
        key: The field that identifies the entity.
        is_valid: Whether the property may have a value.
        make_value: Makes the value where no earlier result showed it.
        recalls: Whether the tool only shows the entity, so that what it shows stays the same.
    """

    def make(draw: CallDraw) -> Any:
        entity = draw.facts.get(key)
        if entity is None:
            return make_value(draw)
        earlier = draw.remembered_extras.get((entity, name), ABSENT) if recalls else ABSENT
        value = earlier if earlier is not ABSENT and is_valid(earlier) else make_value(draw)
        draw.extras[entity, name] = value
        return value

    return make


def elements_about(
    entities: Sequence[Mapping[str, Any]], proposed: list[Any], key: str, key_property: str | None
) -> list[Any]:
    """Return the proposed element for each entity in turn, ABSENT where there is none: `([{"id": 1}, {"id": 2}], [{"id": 2}])` → `[ABSENT, {"id": 2}]`.

    `key_property` is the property that shows the `key` of an entity; None: elements are told apart by their order.
    """
    if key_property is None:
        return proposed if len(proposed) == len(entities) else [ABSENT] * len(entities)
    by_key = {
        one[key_property]: one for one in proposed if type(one) is dict and isinstance(one.get(key_property), str | int)
    }
    return [by_key.get(fields.get(key), ABSENT) for fields in entities]


def propose_list(shape: ResultListShape, element: MakeResult, slot: str, *, is_free: bool) -> MakeResult:
    """Return a maker of lists with as many elements as are proposed, if that number is allowed and all are different.

    `is_free`: something in the elements may be proposed.
    """
    usual = make_list(shape, element)
    is_free = is_free and shape.fewest < shape.most

    def make(draw: CallDraw) -> list[Any]:
        if is_free:
            draw.undecided[slot] = None
        proposed, draw.proposed = draw.proposed, ABSENT
        elements = _with_proposals(shape, element, draw, proposed) if type(proposed) is list else usual(draw)
        draw.proposed = proposed
        return elements

    return make


def _with_proposals(shape: ResultListShape, element: MakeResult, draw: CallDraw, proposed: list[Any]) -> list[Any]:
    """Return a list with what is proposed, or the usual one where that may not be; the random stream ends in the same state in both cases."""
    usual, stream_states = _with_stream_states(shape, element, draw)
    end = draw.stream.getstate()
    elements = _proposed_elements(shape, element, draw, proposed, [*stream_states, end])
    draw.stream.setstate(end)
    return usual if elements is None else elements


def _with_stream_states(shape: ResultListShape, element: MakeResult, draw: CallDraw) -> tuple[list[Any], list[Any]]:
    """Return the list drawn without proposals, and the state of the random stream before each of its elements."""
    state_by_id: dict[int, Any] = {}

    def with_state_noted(draw: CallDraw) -> Any:
        state = draw.stream.getstate()
        value = element(draw)
        state_by_id[id(value)] = state
        return value

    elements = make_list(shape, with_state_noted)(draw)
    return elements, [state_by_id[id(value)] for value in elements]


def _proposed_elements(
    shape: ResultListShape, element: MakeResult, draw: CallDraw, proposed: list[Any], stream_states: list[Any]
) -> list[Any] | None:
    """Return a list with the proposals, None if there may not be as many, or two are alike.

    What is not proposed of an element is drawn at its place of the random stream, and so as without proposals.
    """
    limit = None if shape.limit is None else shape.limit(draw.arguments)
    most = min(shape.most, limit) if type(limit) is int else shape.most
    if not min(shape.fewest, most) <= len(proposed) <= max(most, 1):
        return None
    elements: list[Any] = []
    seen: set[str] = set()
    for number, value in enumerate(proposed):
        draw.proposed = value
        if number < len(stream_states):
            draw.stream.setstate(stream_states[number])
        drawn = element(draw)
        marks = distinct_marks(drawn, shape.distinct)
        if not seen.isdisjoint(marks):
            return None
        seen.update(marks)
        elements.append(drawn)
    return elements if shape.arrange is None else shape.arrange(elements, draw.arguments)
