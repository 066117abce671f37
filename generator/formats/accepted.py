"""Accepted calls: those of a conversation, with the differences that are allowed."""

from typing import Any

from generator.core.conversation import Tool, ToolCall
from generator.core.exact_json import same
from generator.core.pointers import escape, parts_of_object

Accepted = dict[str, Any]
"""A call that is right: `name` and `arguments`, and where there are any: `may_omit` (arguments that need not be given,
because they have their defaults), `may_add` (arguments that may be given, with the only value they may have),
`accepts` (pointer -> other values that are as right, `""` where it may be left out), `any_case` and `any_order` (pointers of texts in which upper and lower case and white space count as the same, and of lists
whose order does not matter)."""


def accepted(call: ToolCall, tool: Tool | None) -> Accepted:
    """Return the call, with all that may differ in it by the schema of its tool.

    - an argument that is not required and has its default may be left out; one that was left out may be given so
    - of a text without `enum`, `const`, `format` and `pattern`, case and white space do not matter
    - of a list with `uniqueItems`, the order does not matter
    """
    properties, required = parts_of_object(tool.parameters if tool is not None else None)
    defaults = {
        name: part["default"]
        for name, part in properties.items()
        if name not in required and isinstance(part, dict) and "default" in part
    }
    loose = [
        entry
        for name, value in call.arguments.items()
        for entry in _loose(value, properties.get(name), f"/{escape(name)}")
    ]
    found: Accepted = {"name": call.name, "arguments": call.arguments}
    beside: Accepted = {
        "may_omit": [
            name for name, value in call.arguments.items() if name in defaults and same(defaults[name], value)
        ],
        "may_add": {name: value for name, value in defaults.items() if name not in call.arguments},
        "accepts": call.accepts or {},
        "any_case": [pointer for kind, pointer in loose if kind == "any_case"],
        "any_order": [pointer for kind, pointer in loose if kind == "any_order"],
    }
    return found | {key: value for key, value in beside.items() if value}


_EXACT = ("enum", "const", "format", "pattern", "$ref", "anyOf", "oneOf", "allOf")


def _loose(value: Any, schema: Any, pointer: str) -> list[tuple[str, str]]:
    """Yield (what may differ, pointer) for each part of a value."""
    schema = schema if isinstance(schema, dict) else {}
    if isinstance(value, str):
        free = schema.get("type") == "string" and not any(key in schema for key in _EXACT)
        return [("any_case", pointer)] if free and value.casefold() != value.upper() else []
    if isinstance(value, dict):
        properties, _ = parts_of_object(schema)
        return [e for key, item in value.items() for e in _loose(item, properties.get(key), f"{pointer}/{escape(key)}")]
    if isinstance(value, list):
        found = [("any_order", pointer)] if schema.get("uniqueItems") is True and len(value) > 1 else []
        return found + [e for i, item in enumerate(value) for e in _loose(item, schema.get("items"), f"{pointer}/{i}")]
    return []
