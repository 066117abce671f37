"""Schemas as finite trees: every walk over them ends, whatever refers to what."""

import pytest
from arguments.making import arguments_of, draws, tool_of
from arguments.schema_strategies import parameters
from hypothesis import given, settings

from generator.arguments import compile_source, property_based
from generator.arguments.coverage import compile_coverage
from generator.arguments.reading.nodes import ReferenceNode, below
from generator.arguments.reading.schema import read_schema
from generator.core.errors import SchemaError
from generator.recipe import ArgumentSettings


def _nodes(node):
    yield node
    for _, part in below(node):
        yield from _nodes(part)


def _references_to_references(levels, width):
    """A schema of a few lines with `width ** levels` places."""
    places = {f"d{level}": {"$ref": f"#/$defs/d{level + 1}"} for level in range(levels)}
    defined = {
        name: {"type": "object", "properties": {f"p{place}": target for place in range(width)}}
        for name, target in places.items()
    }
    return {
        "type": "object",
        "properties": {"top": {"$ref": "#/$defs/d0"}},
        "$defs": {**defined, f"d{levels}": {"enum": ["a", "b"]}},
    }


@settings(max_examples=50)
@given(parameters())
def test_a_tree_has_no_references(schema):
    try:
        nodes = list(_nodes(read_schema(schema).root))
    except SchemaError:
        return
    assert not any(isinstance(node, ReferenceNode) for node in nodes)


def test_every_source_makes_values_of_a_schema_with_more_places_than_can_be_compiled(monkeypatch):
    monkeypatch.setattr(property_based, "POOL_SIZE", 5)
    spec = tool_of(_references_to_references(12, 4))
    assert 1_000 < sum(1 for _ in _nodes(read_schema(spec.tool.parameters).root)) < 4_000
    for source in ("realistic", "property_based"):
        assert len(arguments_of(spec, 3, source=((source, 1.0),))) == 3
    coverage = compile_coverage(spec, ArgumentSettings(), 1, compile_source(spec, ArgumentSettings(), 1))
    assert {state for target in coverage.targets for state in target.states} == {("top", True), ("top", False)}


REFERENCE = {"$ref": "#/$defs/node"}
NODE = {"type": "object", "properties": {"next": REFERENCE}}


@pytest.mark.parametrize(
    "node",
    [
        NODE,
        {**NODE, "properties": {"next": {"anyOf": [REFERENCE, {"enum": [7]}]}}, "required": ["next"]},
        {"type": "array", "items": REFERENCE},
        {"type": "array", "prefixItems": [{"type": "integer"}, REFERENCE], "items": False},
        {"type": "object", "additionalProperties": REFERENCE},
    ],
)
def test_what_has_no_end_is_left_out_where_it_may_be(node):
    make = compile_source(_with_top(node), ArgumentSettings(optional=1.0), 1)
    assert {_depth(row["top"]) for row in draws(make, 100)} <= {0, 1, 2}


@pytest.mark.parametrize("node", [{**NODE, "required": ["next"]}, {"type": "array", "items": REFERENCE, "minItems": 1}])
def test_what_has_an_end_nowhere_is_refused(node):
    with pytest.raises(SchemaError, match=r"without end|no value satisfies"):
        compile_source(_with_top(node), ArgumentSettings(), 1)


def _with_top(node):
    return tool_of({"type": "object", "properties": {"top": REFERENCE}, "required": ["top"], "$defs": {"node": node}})


def _depth(value):
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return max((1 + _depth(part) for part in parts), default=0)
