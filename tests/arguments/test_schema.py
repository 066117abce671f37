"""What cannot be followed is refused by name, with the pointer of the place."""

import pytest
from arguments.making import tool_of

from generator.arguments import Arguments, check_schema, compile_source
from generator.errors import SchemaError


def refusal(schema):
    with pytest.raises(SchemaError) as caught:
        check_schema(schema)
    return str(caught.value)


def at_x(schema):
    return {"type": "object", "properties": {"x": schema}}


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("not", {"type": "string"}),
        ("if", {"type": "string"}),
        ("then", {"type": "string"}),
        ("else", {"type": "string"}),
        ("patternProperties", {"^a": {"type": "string"}}),
        ("propertyNames", {"maxLength": 3}),
        ("contains", {"type": "string"}),
        ("minContains", 1),
        ("maxContains", 2),
        ("dependentRequired", {"a": ["b"]}),
        ("dependentSchemas", {"a": {"required": ["b"]}}),
        ("dependencies", {"a": ["b"]}),
        ("unevaluatedProperties", False),
        ("unevaluatedItems", False),
        ("$dynamicRef", "#a"),
        ("$dynamicAnchor", "a"),
        ("$anchor", "a"),
        ("$vocabulary", {}),
    ],
)
def test_keywords_that_are_not_handled_are_refused_by_name(keyword, value):
    assert refusal(at_x({keyword: value})) == f"/properties/x/{keyword}: the keyword {keyword!r} is not handled"


@pytest.mark.parametrize(
    ("schema", "told"),
    [
        (at_x({"$ref": "https://example.com/city.json"}), "/properties/x/$ref: the reference 'https://example.com/city.json'"),
        (at_x({"$ref": "#city"}), "/properties/x/$ref: the reference '#city' is not handled"),
        (at_x({"$ref": "#/$defs/city"}), "/properties/x/$ref: there is nothing at '#/$defs/city'"),
        (at_x({"$id": "https://example.com/x"}), "/properties/x/$id: the keyword '$id' is not handled below the root"),
        (at_x({"type": "strin"}), "/properties/x/type: not valid JSON Schema"),
        (at_x({"type": "integer", "minimun": 3}), "/properties/x/minimun: unknown keyword 'minimun'; did you mean 'minimum'?"),
        (at_x({"type": "string", "pattern": "^(?=a)b"}), "/properties/x/pattern: the pattern '^(?=a)b' is not handled: lookahead '(?='"),
        (at_x({"type": "string", "pattern": "(?<!a)b"}), "lookbehind '(?<!' is not handled"),
        (at_x({"type": "string", "pattern": "(a)\\1"}), "/properties/x/pattern: the pattern '(a)\\\\1' is not handled: the back-reference"),
        (at_x({"type": "string", "pattern": "(a"}), "/properties/x/pattern"),
        (at_x({"type": "integer", "minimum": 5, "maximum": 3}), "/properties/x: no value satisfies 'minimum' and 'maximum' together"),
        (at_x({"enum": ["a"], "type": "integer"}), "/properties/x: no value satisfies"),
        (at_x({"type": "string", "pattern": "^[0-9]{3}$", "minLength": 5}), "/properties/x: no text was found that satisfies minLength 5"),
        (at_x({"type": "array", "items": {"type": "boolean"}, "minItems": 3, "uniqueItems": True}), "/properties/x: no value satisfies"),
        ({"type": "object", "required": ["a"], "properties": {}, "additionalProperties": False}, "/: no value satisfies"),
        ({"$schema": "https://example.com/my-dialect"}, "/$schema: the dialect 'https://example.com/my-dialect' is not handled"),
        (False, "/: no value"),
        ({"type": "object", "properties": {"x": {"$ref": "#"}}, "required": ["x"]}, "no value satisfies this schema"),
    ],
)
def test_faults_are_told_with_their_place(schema, told):
    assert told in refusal(schema)


def test_a_choice_whose_branches_overlap_is_refused_when_no_draw_fits_only_one():
    schema = {"type": "object", "properties": {"x": {"oneOf": [{"type": "string"}, {"type": "string", "maxLength": 10000}]}}, "required": ["x"]}
    assert refusal(schema)== "/properties/x/oneOf: no value was found that fits only one of the schemas"


def test_annotations_change_nothing():
    noted = {
        "title": "X", "description": "An x", "default": 3, "examples": [1], "deprecated": True, "readOnly": True,
        "$comment": "c", "x-anything": {"not": {}}, "type": "integer",
    }  # fmt: skip
    check_schema({"$schema": "https://json-schema.org/draft/2020-12/schema", **at_x(noted)})


def test_a_tool_with_a_bad_schema_is_named_with_its_file():
    with pytest.raises(SchemaError, match=r"^d\.yaml:1: do_it: parameters/properties/x/not: the keyword 'not'"):
        compile_source(tool_of(at_x({"not": {}})), Arguments(), 1)
