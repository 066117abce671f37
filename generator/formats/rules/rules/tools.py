"""DF6xx: the tools that a record declares."""

from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec
import orjson

from generator.formats.rules.rules.base import Place, Rule, RuleFinding, RuleFindings, add_finding
from generator.formats.rules.schemas import UnusableSchema, compiled
from generator.formats.rules.text import kind, path, quoted, wrong

RULES = (
    Rule("DF601", "A declared tool is an object of type `function` whose `function` has a name."),
    Rule("DF602", "No two declared tools have the same name."),
    Rule("DF603", "A called tool is one of the declared tools, when the record declares tools."),
    Rule("DF604", "The `parameters` of a declared tool are a valid JSON Schema that refers to nothing outside itself."),
)
_LARGEST_KEPT = 64 * 1024
"""Bytes of JSON: larger entries are compiled each time, so that the cache cannot grow without bound."""
_FIELDS = (("description", str, "a string"), ("parameters", dict, "an object"), ("strict", bool, "true or false"))


class DeclaredTool(msgspec.Struct, frozen=True):
    """An entry of `tools`, independent of its place."""

    name: str | None
    validator: jsonschema_rs.Validator | None
    """None when it declares no parameters, or broken ones."""
    has_bad_parameters: bool
    faults: tuple[RuleFinding, ...]
    """Their places are relative to the entry."""


def check_tools(found: RuleFindings, entries: list[Any]) -> dict[str, DeclaredTool]:
    """Return the tools of a record by name; the first of a name counts."""
    tools: dict[str, DeclaredTool] = {}
    for index, entry in enumerate(entries):
        tool = _declared(entry)
        if tool.faults:
            found += [msgspec.structs.replace(fault, place=("tools", index, *fault.place)) for fault in tool.faults]
        if tool.name in tools:
            add_finding(found, "DF602", ("tools", index, "function", "name"), _not_unique, tool.name, entries)
        elif tool.name is not None:
            tools[tool.name] = tool
    return tools


def _declared(entry: Any) -> DeclaredTool:
    """Return the tool of an entry. Equal entries share one object, because all rows of a file offer the same few tools."""
    try:
        text = orjson.dumps(entry)
    except TypeError:  # numbers beyond 64 bits, broken text, deep nesting: rare, so not worth a cache
        return _look_at(entry)
    return _look_at_text(text) if len(text) <= _LARGEST_KEPT else _look_at(entry)


@lru_cache(maxsize=2048)
def _look_at_text(text: bytes) -> DeclaredTool:
    return _look_at(orjson.loads(text))


def _look_at(entry: Any) -> DeclaredTool:
    faults: RuleFindings = []
    function = _check_shape(faults, entry)
    schema, name = function.get("parameters"), function.get("name")
    validator = compiled(schema) if isinstance(schema, dict) else None
    if isinstance(validator, UnusableSchema):
        add_finding(faults, "DF604", ("function", "parameters", *validator.place), str, validator.reason)
        validator = None
    return DeclaredTool(
        name=name if isinstance(name, str) and name else None,
        validator=validator,
        has_bad_parameters=validator is None and schema is not None,
        faults=tuple(faults),
    )


def called_tool(
    found: RuleFindings, at: Place, function: dict[str, Any], tools: dict[str, DeclaredTool]
) -> DeclaredTool | None:
    """Return the tool that a call names, if it is declared."""
    name = function.get("name")
    if not isinstance(name, str) or not name:
        return None
    tool = tools.get(name)
    if tool is None:
        add_finding(found, "DF603", (*at, "function", "name"), _not_declared, name)
    return tool


def _check_shape(found: RuleFindings, entry: Any) -> dict[str, Any]:
    """Return the `function` of an entry; empty if it is no object."""
    if not isinstance(entry, dict):
        add_finding(found, "DF601", (), "a tool should be an object, not {}".format, kind(entry))
        return {}
    if entry.get("type") != "function":
        add_finding(found, "DF601", ("type",), str, "is not 'function'" if "type" in entry else "is missing")
    function = entry.get("function")
    if not isinstance(function, dict):
        add_finding(found, "DF601", ("function",), wrong, entry, "function", "an object")
        return {}
    name = function.get("name")
    if not isinstance(name, str) or not name:
        add_finding(found, "DF601", ("function", "name"), wrong, function, "name", "a string")
    for key, types, expected in _FIELDS:
        value = function.get(key)
        if value is not None and not isinstance(value, types):
            add_finding(found, "DF601", ("function", key), wrong, function, key, expected)
    return function


def _not_unique(name: str, entries: list[Any]) -> str:
    first = next(index for index, entry in enumerate(entries) if _declared(entry).name == name)
    return f"{quoted(name)} is the name of {path(('tools', first))} too"


def _not_declared(name: str) -> str:
    return f"{quoted(name)} is not a declared tool"
