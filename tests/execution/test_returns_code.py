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
from generator.pointers import expand, resolve
from generator.seeds import Draw
from generator.toolbox import ToolSpec

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


@pytest.mark.parametrize("schema", [{"enum": ["a", "b", "c"]}, {"const": 4}, {"type": "string", "examples": ["x y", "z", "q"]}])
def test_choosing_from_the_options_is_what_the_maker_does(schema: dict[str, Any]):
    maker = compile_value(schema, "thing", 1)
    options = maker.options
    called, chosen = Draw(5, TODAY), Draw(5, TODAY)
    for _ in range(50):
        assert maker(called) == (options[0] if len(options) == 1 else options[int(chosen.rand() * len(options))])
    assert called.rand() == chosen.rand()


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
