"""DF2xx: what a call passes on."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs

from generator.validation.record import Record, called_tools
from generator.validation.rules.base import Fault
from generator.validation.schemas import Broken, compiled
from generator.validation.text import one_line, steps, wrong


def arguments_are_objects(record: Record) -> Iterator[Fault]:
    """Arguments are native JSON objects, not text."""
    for call in record.calls:
        if isinstance(call.body.get("function"), dict) and not isinstance(call.function.get("arguments"), dict):
            yield f"{call.path}.function.arguments", wrong(call.function, "arguments", "an object")


def arguments_fit_the_schema(record: Record) -> Iterator[Fault]:
    """Arguments are valid against the declared `parameters`, formats included; a tool that declares none takes none."""
    tools = called_tools(record)
    for call in record.calls:
        arguments = call.function.get("arguments")
        tool = tools.get(call.name) if call.name is not None else None
        if tool is None or not isinstance(arguments, dict):
            continue
        path = f"{call.path}.function.arguments"
        schema = tool.function.get("parameters")
        if schema is None and arguments:
            yield path, f"{tool.path} declares no parameters"
        elif isinstance(schema, dict):
            validator = compiled(schema)
            if not isinstance(validator, Broken):
                yield from _schema_faults(validator, arguments, path)


def _schema_faults(validator: jsonschema_rs.Validator, arguments: dict[str, Any], path: str) -> Iterator[Fault]:
    try:
        for error in validator.iter_errors(arguments):
            yield steps(path, error.instance_path), one_line(error.message)
    except ValueError as fault:  # text or nesting that the validator cannot take in
        yield path, f"cannot be checked: {one_line(str(fault))}"
