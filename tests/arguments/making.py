"""Short ways to make tools and draw from them."""

from datetime import date
from decimal import Decimal

from jsonschema import Draft202012Validator
from jsonschema.validators import validator_for

from generator.arguments import compile_source
from generator.core.conversation import Tool
from generator.core.seeds import Draw
from generator.core.toolbox import ToolSpec
from generator.recipe import ArgumentSettings

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


_LAST = {}
"""The schema whose values are looked at, and its checker: making one takes longer than using it."""


def faults(schema, value):
    """What the reference implementation has against the value, formats asserted."""
    if _LAST.get("schema") is not schema:
        reference = validator_for(schema, default=Draft202012Validator)
        _LAST.update(schema=schema, checker=reference(schema, format_checker=reference.FORMAT_CHECKER))
    return [error.message for error in _LAST["checker"].iter_errors(value) if not _is_multiple(error)]


def _is_multiple(error):
    """The reference divides in floating point: 0.07 is no multiple of 0.01 to it."""
    return error.validator == "multipleOf" and Decimal(repr(error.instance)) % Decimal(repr(error.validator_value)) == 0
