"""What the written functions do in fewer steps is what the general way gives."""

from datetime import date
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.conversation import Tool
from generator.execution import compile_backend
from generator.execution.backend import _entities_at
from generator.execution.code import ResultFunction
from generator.execution.references import implies
from generator.pointers import expand, resolve
from generator.seeds import WALKED_ALONE
from generator.toolbox import Link, ToolSpec

TODAY = date(2026, 3, 12)
SCHEMAS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "string", "description": "told", "x-kind": "city"},
    {"type": "string", "maxLength": 2},
    {"type": "string", "enum": ["a", "b", "1"]},
    {"enum": ["a", "b", 1]},
    {"type": "integer"},
    {"type": "integer", "minimum": 3},
    {"type": "number"},
    {"type": "boolean"},
    {"type": ["integer", "null"]},
    {"type": "array", "items": {"type": "string"}},
]
VALUES = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from([1.0, 2.5]) | st.sampled_from("abc1") | st.lists(st.just("a"))


def world_of(returns: dict[str, Any]):
    parameters = {"type": "object", "properties": {"echo": {}}}
    spec = ToolSpec(tool=Tool(name="get", description="", parameters=parameters), domain="d", where="f:1", returns=returns)
    return compile_backend({"get": spec}, compile_value, 1).open(TODAY)


WORLDS = [
    (schema, world_of({"type": "object", "properties": {"echo": schema}, "required": ["echo"]})) for schema in SCHEMAS
]


@given(st.sampled_from(WORLDS), VALUES)
def test_an_argument_is_taken_when_and_only_when_it_is_valid(case, value):
    schema, world = case
    found = world.answer("get", {"echo": value})["echo"]
    is_valid = jsonschema_rs.validator_for(schema).is_valid
    assert is_valid(found)
    assert not is_valid(value) or (found == value and type(found) is type(value))


@pytest.mark.parametrize("depth", [5, 6, 7, 12, 13, 30])
@pytest.mark.parametrize("wrap", [
    lambda inner: {"type": "object", "properties": {"p": inner}, "required": ["p"]},
    lambda inner: {"type": "object", "properties": {"p": inner, "q": {"type": "integer", "x-compute": "1 + 1"}}},
    lambda inner: {"type": "array", "items": inner, "minItems": 1, "maxItems": 1},
    lambda inner: {"type": "array", "items": {"type": "object", "properties": {"p": inner}, "required": ["p"]}, "maxItems": 1},
])
def test_schemas_may_nest_deeper_than_source_may(wrap, depth: int):
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = wrap(schema)
    root = {"type": "object", "properties": {"root": schema}, "required": ["root"]}
    result = world_of(root).answer("get", {})
    assert jsonschema_rs.validator_for(root).is_valid(result)


@given(st.sampled_from(SCHEMAS), VALUES, VALUES)
def test_an_argument_of_the_same_schema_is_taken_as_it_is(schema, value, other):
    returns = {"type": "object", "properties": {"echo": schema}, "required": ["echo"]}
    spec = ToolSpec(
        tool=Tool(name="get", description="", parameters={"type": "object", "properties": {"echo": {**schema, "title": "Told"}}}),
        domain="d", where="f:1", returns=returns,
    )  # fmt: skip
    world = compile_backend({"get": spec}, compile_value, 1).open(TODAY)
    is_valid = jsonschema_rs.validator_for(schema).is_valid
    for given_value in filter(is_valid, (value, other)):
        assert world.answer("get", {"echo": given_value})["echo"] is given_value
    assert is_valid(world.answer("get", {})["echo"])


@pytest.mark.parametrize(
    ("known", "wanted", "says"),
    [
        ({"type": "string"}, {"type": "string"}, True),
        ({"type": "string", "description": "one"}, {"type": "string", "description": "another", "x-kind": "city"}, True),
        ({"type": "string", "maxLength": 4}, {"type": "string"}, True),
        ({"type": "string", "enum": ["a"]}, {"enum": ["a"]}, True),
        ({"type": "string"}, {"type": "string", "maxLength": 4}, False),
        ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 2}, False),
        ({"type": "object", "properties": {"a": {}}, "additionalProperties": False}, {"additionalProperties": False}, False),
        ({"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}, False),
        (True, {"type": "string"}, False),
        ({"enum": [0, 1]}, {"enum": [False, True]}, False),
        ({"const": 1}, {"const": True}, False),
    ],
)
def test_what_one_schema_says_of_another(known, wanted, says):
    assert implies(known, wanted) is says


FIELDS: list[dict[str, Any]] = [
    {"type": "string", "pattern": "^AB-[0-9]{5}$"},
    {"type": "string", "pattern": "^(08|1[0-6]):[0-5]0$"},
    {"type": "string", "format": "date"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "uuid"},
    {"type": "number", "minimum": 1, "maximum": 90, "multipleOf": 0.01},
    {"type": "number", "minimum": 1, "maximum": 90, "x-maximum": "most"},
    {"type": "integer", "minimum": 1, "maximum": 9, "x-compute": "value * args.most"},
    {"type": "integer", "x-compute": "len(str(args.day)) + args.most"},
    {"type": "string", "format": "date", "x-compute": "add_days(args.day, 3) if args.most > 2 else value"},
    {"type": "string", "format": "date", "x-minimum": "day"},
    {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "uniqueItems": True, "minItems": 2},
    {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 3}, "minItems": 2, "x-maximum": "most"},
]
GIVEN = st.fixed_dictionaries({}, optional={"most": st.integers(1, 40), "day": st.sampled_from(["2026-03-20", "2026-04-01"])})


def alone_and_not(returns: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    """Worlds of the same tool: result functions that take random numbers out of the table, and that ask for each."""
    parameters = {"type": "object", "properties": {"most": {"type": "integer"}, "day": {"type": "string", "format": "date"}}}
    spec = ToolSpec(tool=Tool(name="get", description="", parameters=parameters), domain="d", where="f:1", returns=returns)
    alone, asking = [compile_backend({"get": spec}, compile_value, 1) for _ in range(2)]
    alone.open(TODAY).answer("get", {})
    monkeypatch.setattr(ResultFunction, "can_walk_alone", lambda *_: False)
    asking.open(TODAY).answer("get", {})
    return alone, asking


@given(st.lists(st.tuples(st.sampled_from(FIELDS), st.booleans()), min_size=1, max_size=5), st.integers(0, 99), GIVEN)
@settings(max_examples=150, deadline=None)
def test_walking_alone_makes_no_difference(fields, salt, arguments):
    part = {f"p{at}": schema for at, (schema, _) in enumerate(fields)}
    required = [f"p{at}" for at, (_, is_sure) in enumerate(fields) if is_sure]
    element = {"type": "object", "properties": part, "required": required}
    returns = {"type": "object", "properties": {**part, "list": {"type": "array", "items": element}}, "required": [*required, "list"]}
    with pytest.MonkeyPatch.context() as patch:
        alone, asking = alone_and_not(returns, patch)
        result = alone.open(TODAY, salt).answer("get", arguments)
        assert result == asking.open(TODAY, salt).answer("get", arguments)
    assert list(result) == [key for key in returns["properties"] if key in result]
    assert set(required) <= result.keys()


def test_a_result_may_take_more_random_numbers_than_the_table_has_to_spare():
    properties = {f"p{at}": {"type": "boolean"} for at in range(WALKED_ALONE + 10)}
    returns = {"type": "object", "properties": properties, "required": list(properties)}
    result = world_of(returns).answer("get", {})
    assert result.keys() == properties.keys()
    assert set(result.values()) == {True, False}


@given(st.integers(0, 2**64 - 1))
def test_a_fact_is_taken_and_what_is_not_known_is_drawn_as_ever(salt: int):
    """A call that something is known for has a function of its own: the rest of its result is drawn all the same."""
    returns = {
        "type": "object",
        "properties": {"order": {"type": "string"}, "price": {"type": "integer", "minimum": 1, "maximum": 9}, "rest": {"enum": ["a", "b", "c"]}},
        "required": ["order", "price", "rest"],
    }  # fmt: skip
    parameters = {"type": "object", "properties": {"order": {"type": "string"}}}
    link = Link(tool="find", result="order", argument="order")
    toolbox = {
        name: ToolSpec(tool=Tool(name=name, description="", parameters=parameters), domain="d", where="f:1", returns=returns, links=links)
        for name, links in (("find", ()), ("get", (link,)))
    }
    backend = compile_backend(toolbox, compile_value, 1)
    world, fresh = backend.open(TODAY, salt), backend.open(TODAY, salt)
    found = world.answer("find", {"order": "7"})
    world.settle()
    assert world.answer("get", {"order": "7"}) == found
    assert world.answer("get", {"order": "8"}) == fresh.answer("get", {"order": "8"})


JSON = st.recursive(
    st.integers() | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "0", "*"]), inner, max_size=3),
)
PLACES = st.lists(st.sampled_from(["a", "b", "0", "*", "1"]), min_size=1, max_size=3).map("/".join)


@given(JSON, PLACES)
@settings(max_examples=300)
def test_entities_are_found_where_pointers_lead(result: Any, place: str):
    expected = []
    for pointer in expand(result, place):
        parent = resolve(result, pointer[: pointer.rindex("/")])
        if isinstance(parent, dict):
            expected.append((resolve(result, pointer), parent))
    assert _entities_at(place)(result) == expected
