"""DF6xx: the tools that a record declares."""

from collections.abc import Iterator
from typing import Any

from generator.validation.record import Record
from generator.validation.rules.base import Fault
from generator.validation.schemas import Broken, compiled
from generator.validation.text import kind, quoted, steps, wrong

_FIELDS = (("description", str, "a string"), ("parameters", dict, "an object"), ("strict", bool, "true or false"))


def tools_are_functions(record: Record) -> Iterator[Fault]:
    """A declared tool is an object of type `function` whose `function` has a name."""
    for tool in record.tools or ():
        yield from tool_faults(tool.path, tool.raw)


def tool_names_are_unique(record: Record) -> Iterator[Fault]:
    """No two declared tools have the same name."""
    first: dict[str, str] = {}
    for tool in record.tools or ():
        if tool.name is not None and first.setdefault(tool.name, tool.path) != tool.path:
            yield f"{tool.path}.function.name", f"{quoted(tool.name)} is the name of {first[tool.name]} too"


def called_tools_are_declared(record: Record) -> Iterator[Fault]:
    """A called tool is one of the declared tools, when the record declares tools."""
    if record.tools is None:
        return
    declared = {tool.name for tool in record.tools}
    for call in record.calls:
        if call.name is not None and call.name not in declared:
            yield f"{call.path}.function.name", f"{quoted(call.name)} is not a declared tool"


def tool_schemas_are_valid(record: Record) -> Iterator[Fault]:
    """The `parameters` of a declared tool are a valid JSON Schema that refers to nothing outside itself."""
    for tool in record.tools or ():
        schema = tool.function.get("parameters")
        if isinstance(schema, dict):
            validator = compiled(schema)
            if isinstance(validator, Broken):
                yield steps(f"{tool.path}.function.parameters", validator.place), validator.reason


def tool_faults(path: str, raw: Any) -> Iterator[Fault]:
    """Faults of the shape of one declared tool (its schema is another rule's matter)."""
    if not isinstance(raw, dict):
        yield path, f"a tool should be an object, not {kind(raw)}"
        return
    if raw.get("type") != "function":
        yield f"{path}.type", "is missing" if "type" not in raw else "is not 'function'"
    function = raw.get("function")
    if not isinstance(function, dict):
        yield f"{path}.function", wrong(raw, "function", "an object")
        return
    name = function.get("name")
    if not isinstance(name, str) or not name:
        yield f"{path}.function.name", wrong(function, "name", "a string")
    for key, types, expected in _FIELDS:
        value = function.get(key)
        if value is not None and not isinstance(value, types):
            yield f"{path}.function.{key}", wrong(function, key, expected)
