"""JSON Schemas for servers: without keywords that constrained decoding does not support.

The answer is checked against the whole schema afterwards, so leaving something out costs a retry at most. What servers
do with which keyword differs; those left out here made a widespread one (llama.cpp) refuse the request, run on without
end, or ignore the rest of the schema.
"""

from typing import Any

_LEFT_OUT = frozenset(
    {
        *("not", "if", "then", "else", "uniqueItems", "prefixItems", "contains", "minContains", "maxContains"),
        *(
            "dependentRequired",
            "dependentSchemas",
            "patternProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
        ),
        *("unevaluatedProperties", "unevaluatedItems", "$schema", "$id", "$anchor", "$comment"),
        *("examples", "title", "default", "deprecated", "readOnly", "writeOnly"),
    }
)
_OF_SCHEMAS = frozenset({"properties", "$defs", "definitions"})
_LISTS = frozenset({"anyOf", "oneOf", "allOf"})
_ONE = frozenset({"items", "additionalProperties"})
_HOISTED = ("$defs", "definitions")


def looser_schema(schema: Any) -> Any:
    """Return a simpler schema that allows at least the same values."""
    if not isinstance(schema, dict):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _LEFT_OUT or key.startswith("x-") or (key == "items" and "prefixItems" in schema):
            continue
        if key in _OF_SCHEMAS and isinstance(value, dict):
            found[key] = {name: looser_schema(part) for name, part in value.items()}
        elif key in _LISTS and isinstance(value, list):
            found[key] = [looser_schema(part) for part in value]
        else:
            found[key] = looser_schema(value) if key in _ONE else value
    return found


def array_schema(schema: dict[str, Any], count: int) -> dict[str, Any]:
    """Return the schema of `{"values": [...]}` with so many values of this schema."""
    loose = looser_schema(schema)
    hoisted = {key: loose.pop(key) for key in _HOISTED if key in loose}
    items = loose if _refers_to_definitions_only(loose) and _refers_to_definitions_only(hoisted) else {"type": "object"}
    values = {"type": "array", "items": items, "minItems": 1, "maxItems": count}
    whole = {"type": "object", "properties": {"values": values}, "required": ["values"], "additionalProperties": False}
    return {**whole, **hoisted}


def _refers_to_definitions_only(part: Any) -> bool:
    """Whether every `$ref` still leads somewhere when the schema stands inside another one."""
    if isinstance(part, list):
        return all(map(_refers_to_definitions_only, part))
    if not isinstance(part, dict):
        return True
    reference = part.get("$ref")
    if isinstance(reference, str) and not reference.startswith(("#/$defs/", "#/definitions/")):
        return False
    return all(map(_refers_to_definitions_only, part.values()))
