"""Whatever schema: every drawn value is valid, says the reference implementation."""

import jsonschema_rs
import pytest
from arguments.making import draws, faults, tool_of
from arguments.schema_strategies import ANY, DEFINITIONS, VALUES, parameters
from arguments.whole_schemas import AT_ALL
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.arguments import check_schema, compile_source, compile_value, property_based
from generator.core.errors import SchemaError
from generator.recipe import ArgumentSettings


@given(parameters(), st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.4, 1.0]))
@settings(deadline=None)
def test_every_argument_object_is_valid_and_keeps_the_declared_order(schema, seed, edge_cases, optional):
    make = compile_source(tool_of(schema), ArgumentSettings(edge_cases=edge_cases, optional=optional), 1)
    for arguments in draws(make, 8, seed):
        assert faults(schema, arguments) == []
        declared = [name for name in schema["properties"] if name in arguments]
        assert [name for name in arguments if name in schema["properties"]] == declared


@given(
    VALUES,
    st.integers(0, 2**32),
    st.sampled_from(["city", "id", "x", "date", "limit"]),
    st.sampled_from([None, "past"]),
)
@settings(deadline=None)
def test_every_single_value_is_valid(schema, seed, name, when):
    schema = {**schema, "$defs": DEFINITIONS}
    for value in draws(compile_value(schema, name, 1, when=when), 8, seed):
        assert faults(schema, value) == []


@given(ANY, st.integers(0, 2**32), st.sampled_from([0.0, 0.5]))
@settings(deadline=None)
def test_values_of_any_schema_are_valid_or_it_is_refused(schema, seed, edge_cases):
    schema = {"type": "object", "properties": {"x": schema}, "required": ["x"], "$defs": DEFINITIONS}
    try:
        make = compile_source(tool_of(schema), ArgumentSettings(edge_cases=edge_cases), 1)
    except SchemaError:
        return
    valid = jsonschema_rs.validator_for(schema, validate_formats=True).is_valid
    for arguments in draws(make, 8, seed):
        assert faults(schema, arguments) == []
        assert valid(arguments)


@given(ANY)
@settings(deadline=None, max_examples=examples(25), suppress_health_check=[HealthCheck.nested_given])
def test_pools_of_any_schema_are_valid(schema):
    schema = {"type": "object", "properties": {"x": schema}, "required": ["x"], "$defs": DEFINITIONS}
    try:
        make = compile_source(tool_of(schema), ArgumentSettings(source=(("property_based", 1.0),)), 1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(property_based, "POOL_SIZE", 8)
            values = draws(make, 10)
    except SchemaError:
        return
    assert [value for value in values if faults(schema, value)] == []


@pytest.mark.parametrize("keyword", AT_ALL)
def test_keywords_about_whole_values_work_from_both_sources(keyword):
    schema = {"type": "object", **AT_ALL[keyword]}
    check_schema(schema)
    for source in ("realistic", "property_based"):
        made = draws(compile_source(tool_of(schema), ArgumentSettings(source=((source, 1.0),)), 1), 30)
        assert [value for value in made if faults(schema, value)] == []
        assert len({repr(value) for value in made}) > 3


def test_folded_schemas_keep_their_notes_and_their_order():
    schema = {
        "type": "object",
        "properties": {
            "zone": {
                "type": "string",
                "description": "Where, e.g. 'North pier'",
                "examples": ["North pier", "Hall 7", "Gate B"],
            },
            "kind": {"enum": ["small", "large", "huge"]},
            "amount": {"type": "integer"},
        },
        "required": ["zone", "kind"],
        "not": {"required": ["amount"], "properties": {"kind": {"const": "small"}}},
        "unevaluatedProperties": False,
    }
    made = draws(compile_source(tool_of(schema), ArgumentSettings(optional=1.0), 1), 60)
    assert {row["zone"] for row in made} == {"North pier", "Hall 7", "Gate B"}
    assert {row["kind"] for row in made if "amount" in row} == {"large", "huge"}
    assert all(list(row) == [name for name in schema["properties"] if name in row] for row in made)


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {}},
        {"type": "object", "properties": {"a": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-6}}},
        {"type": "object", "properties": {"a": {"type": "integer", "minimum": 2**53, "maximum": 2**53 + 8}}},
        {"type": "object", "properties": {"a": {"type": "string", "minLength": 200, "pattern": "^[a-z]+$"}}},
        {"type": "object", "properties": {"a": {"type": "string", "pattern": "^[A-Z]", "maxLength": 2}}},
        {
            "type": "object",
            "properties": {"a": {"type": "array", "items": {"type": "boolean"}, "uniqueItems": True, "minItems": 2}},
        },
        {"type": "object", "additionalProperties": {"type": "number"}, "minProperties": 2},
        {
            "type": "object",
            "properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number"}]}},
            "required": ["a"],
        },
        {
            "type": "object",
            "properties": {"a": {"type": "string", "format": "email", "maxLength": 18}},
            "required": ["a"],
        },
        {"type": "object", "properties": {"a": {"enum": [{"b": [1]}, ["c"], None, 2]}}, "required": ["a"]},
        {"type": "object", "properties": {"a": False, "b": True}},
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "properties": {"a": {"items": [{"type": "integer"}], "additionalItems": False}},
        },
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/a~1b"}},
            "definitions": {"a/b": {"const": 3}},
            "required": ["a"],
        },
        {"type": "object", "properties": {"tree": {"$ref": "#"}, "size": {"type": "integer"}}, "required": ["size"]},
        {
            "type": "object",
            "properties": {"a": {"anyOf": [{"minimum": 3}, {"maximum": -3}], "type": "integer"}},
            "required": ["a"],
        },
    ],
)
def test_unusual_schemas_work_from_both_sources(schema):
    schema = {"type": "object", **schema}
    check_schema(schema)
    for source in ("realistic", "property_based"):
        make = compile_source(tool_of(schema), ArgumentSettings(source=((source, 1.0),), optional=1.0), 1)
        for arguments in draws(make, 40):
            assert faults(schema, arguments) == []
