"""What cannot be followed is refused by name, with the pointer of the place."""

import re

import pytest
from arguments.making import arguments_of, faults, tool_of

from generator.arguments import check_schema, compile_source
from generator.core.errors import SchemaError
from generator.recipe import ArgumentSettings


def refusal(schema):
    with pytest.raises(SchemaError) as caught:
        check_schema(schema)
    return str(caught.value)


def at_x(schema):
    return {"type": "object", "properties": {"x": schema}}


def test_a_keyword_that_is_not_handled_is_refused_by_name():
    assert refusal(at_x({"$vocabulary": {}})) == "/properties/x/$vocabulary: the keyword '$vocabulary' is not handled"


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (
            at_x({"$ref": "https://example.com/city.json"}),
            "/properties/x/$ref: the reference 'https://example.com/city.json'",
        ),
        (at_x({"$ref": "#city"}), "/properties/x/$ref: the reference '#city' is not handled"),
        (at_x({"$ref": "#/$defs/city"}), "/properties/x/$ref: there is nothing at '#/$defs/city'"),
        (at_x({"$dynamicRef": "#city"}), "/properties/x/$dynamicRef: the reference '#city' is not handled"),
        (
            at_x({"not": {"type": "string"}, "requird": ["a"]}),
            "/properties/x/requird: unknown keyword 'requird'; did you mean 'required'?",
        ),
        (at_x({"type": "string", "not": {"minLength": 0}}), "/properties/x: no value satisfies"),
        (at_x({"if": {"const": 1}, "then": {"const": 2}, "const": 1}), "/properties/x: no value satisfies"),
        (at_x({"patternProperties": {"(a": {}}}), "/properties/x/patternProperties"),
        (
            at_x({"type": "object", "propertyNames": {"pattern": "(a)\\1"}}),
            "/properties/x/propertyNames/pattern: the pattern",
        ),
        (
            at_x({"type": "array", "contains": {"type": "string"}, "items": {"type": "integer"}}),
            "/properties/x: no value satisfies",
        ),
        (
            at_x(
                {
                    "$ref": "#/$defs/a",
                    "$defs": {"a": {"type": "array", "if": {"contains": {"const": 1}}, "unevaluatedItems": False}},
                }
            ),
            "/properties/x/$ref: there is nothing at '#/$defs/a'",
        ),
        (at_x({"type": "strin"}), "/properties/x/type: not valid JSON Schema"),
        (
            at_x({"type": "integer", "minimun": 3}),
            "/properties/x/minimun: unknown keyword 'minimun'; did you mean 'minimum'?",
        ),
        (
            at_x({"type": "string", "pattern": "^(?=a)b"}),
            "/properties/x: no text was found that satisfies pattern '^(?=a)b'",
        ),
        (
            at_x({"type": "string", "pattern": "(a)\\1"}),
            "/properties/x/pattern: the pattern '(a)\\\\1' is not handled: the back-reference",
        ),
        (at_x({"type": "string", "pattern": "(a"}), "/properties/x/pattern"),
        (
            at_x({"type": "integer", "minimum": 5, "maximum": 3}),
            "/properties/x: no value satisfies 'minimum' and 'maximum' together",
        ),
        (at_x({"enum": ["a"], "type": "integer"}), "/properties/x: no value satisfies"),
        (
            at_x({"type": "string", "pattern": "^[0-9]{3}$", "minLength": 5}),
            "/properties/x: no text was found that satisfies minLength 5",
        ),
        (
            at_x({"type": "array", "items": {"type": "boolean"}, "minItems": 3, "uniqueItems": True}),
            "/properties/x: no value satisfies",
        ),
        (
            {"type": "object", "required": ["a"], "properties": {}, "additionalProperties": False},
            "/: no value satisfies",
        ),
        (
            {"$schema": "https://example.com/my-dialect"},
            "/$schema: the dialect 'https://example.com/my-dialect' is not handled",
        ),
        (False, "/: no value"),
        ({"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}, "no value satisfies this schema"),
    ],
)
def test_faults_are_told_with_their_place(schema, told):
    assert told in refusal(schema)


def test_a_choice_whose_branches_overlap_is_refused_when_no_draw_fits_only_one():
    schema = {
        "type": "object",
        "properties": {"x": {"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 10000}]}},
        "required": ["x"],
    }
    assert refusal(schema) == "/properties/x/oneOf: no value was found that fits only one of the schemas"


SIZES = (
    {"type": "string", "minLength": 10**8},
    {"type": "array", "minItems": 10**8},
    {"type": "object", "minProperties": 10**8},
)


@pytest.mark.parametrize("schema", SIZES)
def test_sizes_beyond_all_use_are_refused_by_name(schema):
    keyword = next(word for word in schema if word != "type")
    assert refusal(at_x(schema)).startswith(
        f"/properties/x/{keyword}: 100000000 is more than this program makes (at most"
    )


def test_small_sizes_that_multiply_are_refused():
    schema = {"type": "string"}
    for _ in range(14):
        schema = {"type": "array", "items": schema, "minItems": 3}
    assert re.match(
        "/properties/x(/items)*: the smallest value has more than 200000 characters, items and properties",
        refusal(at_x(schema)),
    )
    assert "more than 200000 characters, items and properties" in refusal(_pairs_of_pairs(["a", "b"]))


def test_what_references_share_is_counted_once():
    check_schema(_pairs_of_pairs([]))  # two to the power of 30 places, 31 schemas
    many = {f"p{n}": {"type": "string"} for n in range(20_000)}
    assert refusal({"type": "object", "properties": many}) == "/: the schema has more than 20,000 parts"


def _pairs_of_pairs(required):
    definitions = {
        f"d{n}": {
            "type": "object",
            "properties": {key: {"$ref": f"#/$defs/d{n + 1}"} for key in "ab"},
            "required": required,
        }
        for n in range(30)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, "d30": {"type": "string"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}},
        {"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"$ref": "#/properties/a"}]}}},
        {
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/x"}},
            "$defs": {"x": {"allOf": [{"$ref": "#/$defs/y"}]}, "y": {"$ref": "#/$defs/x"}},
        },
    ],
)
def test_a_reference_that_leads_back_to_itself_is_refused(schema):
    assert refusal(schema).endswith("it leads back to itself, so it says nothing about values")


def nested_lists(depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "array", "items": schema}
    return schema


def wide_choice(count):
    return {
        "oneOf": [
            {"type": "object", "properties": {"kind": {"const": n}, "note": {"type": "string"}}, "required": ["kind"]}
            for n in range(count)
        ]
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"enum": [f"value {n}" for n in range(1000)]},
        nested_lists(14),
        {"type": "array", "items": {"type": "integer"}, "uniqueItems": True, "minItems": 300},
        {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "minItems": 300},
        {
            "type": "array",
            "items": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
            "uniqueItems": True,
            "minItems": 300,
        },
        {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 200},
        {
            "type": "object",
            "patternProperties": {"^x[0-9]+$": {"type": "integer"}},
            "additionalProperties": False,
            "minProperties": 100,
        },
        wide_choice(200),
    ],
    ids=["enum", "nested", "integers", "texts", "numbers", "properties", "patterns", "choice"],
)
def test_large_schemas_are_loaded_and_their_values_are_valid_and_of_sensible_size(schema):
    for value in arguments_of(tool_of(at_x(schema)), 10, edge_cases=0.5):
        assert faults(at_x(schema), value) == []
        assert len(repr(value)) < 60_000


def test_where_too_many_conditions_meet_values_are_drawn_and_checked():
    names = [f"p{n}" for n in range(40)]
    rules = [
        {"if": {"required": [name], "properties": {name: {"const": "a"}}}, "then": {"required": ["p0"]}}
        for name in names
    ]
    schema = {"type": "object", "properties": {name: {"enum": ["a", "b", "c"]} for name in names}, "allOf": rules}
    for value in arguments_of(tool_of(schema), 50):
        assert faults(schema, value) == []


def test_annotations_change_nothing():
    noted = {
        "title": "X", "description": "An x", "default": 3, "examples": [1], "deprecated": True, "readOnly": True,
        "$comment": "c", "x-anything": {"not": {}}, "type": "integer",
    }  # fmt: skip
    check_schema({"$schema": "https://json-schema.org/draft/2020-12/schema", **at_x(noted)})


def test_a_tool_with_a_bad_schema_is_named_with_its_file():
    with pytest.raises(SchemaError, match=r"^d\.yaml:1: do_it: parameters: /properties/x/\$vocabulary: the keyword"):
        compile_source(tool_of(at_x({"$vocabulary": {}})), ArgumentSettings(), 1)
