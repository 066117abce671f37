"""Results from many small schemas: arguments taken where they are valid, any depth, entities where pointers lead."""

from datetime import date
from typing import Any

import jsonschema_rs
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.core.conversation import Tool
from generator.core.pointers import expand, resolve
from generator.core.seeds import Draw
from generator.core.toolbox import Link, ToolSpec
from generator.world import compile_backend
from generator.world.backend import _identified_objects

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
VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from([1.0, 2.5])
    | st.sampled_from("abc1")
    | st.lists(st.just("a"))
)


def world_of(returns: dict[str, Any]):
    parameters = {"type": "object", "properties": {"echo": {}}}
    spec = ToolSpec(
        tool=Tool(name="get", description="", parameters=parameters), domain="d", where="f:1", returns=returns
    )
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
@pytest.mark.parametrize(
    "wrap",
    [
        lambda inner: {"type": "object", "properties": {"p": inner}, "required": ["p"]},
        lambda inner: {"type": "object", "properties": {"p": inner, "q": {"type": "integer", "x-compute": "1 + 1"}}},
        lambda inner: {"type": "array", "items": inner, "minItems": 1, "maxItems": 1},
        lambda inner: {
            "type": "array",
            "items": {"type": "object", "properties": {"p": inner}, "required": ["p"]},
            "maxItems": 1,
        },
    ],
)
def test_schemas_may_nest_deep(wrap, depth: int):
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


@given(st.integers(0, 2**64 - 1))
def test_a_fact_is_taken_and_what_is_not_known_is_drawn_as_ever(salt: int):
    """Only calls about the entity take its facts."""
    returns = {
        "type": "object",
        "properties": {"order": {"type": "string"}, "price": {"type": "integer", "minimum": 1, "maximum": 9}, "rest": {"enum": ["a", "b", "c"]}},
        "required": ["order", "price", "rest"],
    }  # fmt: skip
    parameters = {"type": "object", "properties": {"order": {"type": "string"}}}
    link = Link(tool="find", result="order", argument="order")
    toolbox = {
        name: ToolSpec(
            tool=Tool(name=name, description="", parameters=parameters),
            domain="d",
            where="f:1",
            returns=returns,
            links=links,
        )
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
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "0", "*"]), inner, max_size=3)
    ),
)
PLACES = st.lists(st.sampled_from(["a", "b", "0", "*", "1"]), min_size=1, max_size=3).map("/".join)


@given(JSON, PLACES)
@settings(max_examples=examples(300))
def test_entities_are_found_where_pointers_lead(result: Any, place: str):
    expected = []
    for pointer in expand(result, place):
        parent = resolve(result, pointer[: pointer.rindex("/")])
        if isinstance(parent, dict):
            expected.append((resolve(result, pointer), parent))
    assert _identified_objects(place)(result) == expected


BRANCHES = [["main", "develop"], ["main", "fix-login"]]


@pytest.mark.parametrize("items", [{"type": "string"}, {"type": "string", "examples": ["x", "y", "z"]}])
def test_examples_of_a_list_are_its_values(items: dict[str, Any]):
    branches = {"type": "array", "minItems": 1, "items": items, "examples": [*BRANCHES, [], "no list"]}
    inner = {"type": "object", "properties": {"branches": branches}, "required": ["branches"]}
    world = world_of({"type": "object", "properties": {"a": branches, "b": inner}, "required": ["a", "b"]})
    made = [world.answer("get", {"echo": number}) for number in range(20)]
    assert all(one["a"] in BRANCHES and one["b"]["branches"] in BRANCHES for one in made)
    assert {str(one["a"]) for one in made} == {str(one) for one in BRANCHES}


def test_lists_of_an_entity_are_among_the_examples():
    made = [
        compile_value({"type": "array", "items": {"type": "string"}, "examples": BRANCHES}, "b", 1)(Draw(n, TODAY))
        for n in range(9)
    ]
    assert all(one in BRANCHES for one in made)
