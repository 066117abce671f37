"""Whatever schema of the everyday subset: every drawn value is valid, says the reference implementation."""

from datetime import date

from arguments.schema_strategies import VALUES, DEFINITIONS, parameters
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from generator.arguments import ArgumentSettings, compile_source, compile_value
from generator.conversation import Tool
from generator.seeds import Draw
from generator.toolbox import ToolSpec


def tool(schema, **more):
    return ToolSpec(tool=Tool(name="do_it", parameters=schema), domain="d", where="d.yaml:1", **more)


def faults(schema, value):
    checker = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [error.message for error in checker.iter_errors(value)]


@given(parameters(), st.integers(0, 2**32), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.4, 1.0]))
@settings(deadline=None)
def test_every_argument_object_is_valid(schema, seed, edge_cases, optional):
    make = compile_source(tool(schema), ArgumentSettings(edge_cases=edge_cases, optional=optional), 1)
    draw = Draw(seed, date(2026, 3, 1))
    for _ in range(8):
        arguments = make(draw)
        assert faults(schema, arguments) == []
        declared = [name for name in schema["properties"] if name in arguments]
        assert [name for name in arguments if name in schema["properties"]] == declared


@given(VALUES, st.integers(0, 2**32), st.sampled_from(["city", "id", "x", "date", "limit"]), st.sampled_from([None, "past"]))
@settings(deadline=None)
def test_every_single_value_is_valid(schema, seed, name, when):
    schema = {**schema, "$defs": DEFINITIONS}
    make = compile_value(schema, name, 1, when=when)
    draw = Draw(seed, date(2026, 3, 1))
    for _ in range(8):
        assert faults(schema, make(draw)) == []
