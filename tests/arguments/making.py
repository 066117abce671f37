"""Short ways to make tools and draw from them."""

from datetime import date

from jsonschema import Draft202012Validator

from generator.arguments import ArgumentSettings, compile_source
from generator.conversation import Tool
from generator.seeds import Draw
from generator.toolbox import ToolSpec

TODAY = date(2026, 3, 1)


def tool(properties, required=None, name="do_it", **more):
    """A tool with these properties, all required unless said otherwise."""
    schema = {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }
    return tool_of(schema, name, **more)


def tool_of(schema, name="do_it", **more):
    """A tool with this schema."""
    return ToolSpec(tool=Tool(name=name, parameters=schema), domain="d", where="d.yaml:1", **more)


def draws(make, count=200, seed=5):
    """That many values."""
    draw = Draw(seed, TODAY)
    return [make(draw) for _ in range(count)]


def arguments_of(spec, count=200, seed=5, **settings):
    """That many argument objects of a tool."""
    return draws(compile_source(spec, ArgumentSettings(**settings), 1), count, seed)


def faults(schema, value):
    """What the reference implementation has against the value, formats asserted."""
    checker = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    return [error.message for error in checker.iter_errors(value)]
