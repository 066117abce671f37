"""JSON Schema keywords by treatment: read as they are, folded into others, only annotations, or refused."""

from difflib import get_close_matches
from typing import Any

from generator.arguments.reading.patterns import read_pattern
from generator.core.errors import SchemaError
from generator.core.pointers import escape

COMBINING = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
TYPES = {
    "properties": "object",
    "required": "object",
    "additionalProperties": "object",
    "minProperties": "object",
    "maxProperties": "object",
    "patternProperties": "object",
    "propertyNames": "object",
    "items": "array",
    "prefixItems": "array",
    "additionalItems": "array",
    "minItems": "array",
    "maxItems": "array",
    "uniqueItems": "array",
    "contains": "array",
    "minLength": "string",
    "maxLength": "string",
    "pattern": "string",
    "format": "string",
    "minimum": "number",
    "maximum": "number",
    "exclusiveMinimum": "number",
    "exclusiveMaximum": "number",
    "multipleOf": "number",
}
"""Keywords that say something about values of one type, and that type."""
HANDLED = frozenset(TYPES) | COMBINING | {"type", "enum", "const", "minContains", "maxContains"}
NOTES = frozenset({
    "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "nullable",
    "optional", "enumNames", "enumDescriptions", "enum_descriptions", "markdownDescription", "propertyOrdering",
    "discriminator", "xml", "externalDocs", "$comment", "$schema", "$defs", "definitions", "contentEncoding",
    "contentMediaType", "contentSchema", "strict",
})  # fmt: skip
FOLDED = {
    "not": None,
    "if": None,
    "then": None,
    "else": None,
    "dependentRequired": "object",
    "dependentSchemas": "object",
    "dependencies": "object",
    "unevaluatedProperties": "object",
    "unevaluatedItems": "array",
    "$anchor": None,
    "$dynamicRef": None,
    "$dynamicAnchor": None,
    "$recursiveRef": None,
    "$recursiveAnchor": None,
}
"""Keywords that folding.py says in terms of the others, and the type of value they are about."""
REFUSED = frozenset({"$vocabulary"})


def check_keywords(schema: dict[str, Any], pointer: str) -> None:
    """Raise SchemaError for the first keyword of `schema` (not of its subschemas) that cannot be followed."""
    for keyword in schema:
        if keyword in HANDLED or keyword in NOTES or keyword in FOLDED or keyword.startswith("x-"):
            continue
        at = f"{pointer}/{escape(keyword)}"
        if keyword in REFUSED:
            raise SchemaError(f"{at}: the keyword {keyword!r} is not handled")
        if keyword in {"$id", "id"}:
            continue
        near = get_close_matches(keyword, sorted(HANDLED | FOLDED.keys()), n=1, cutoff=0.85)
        if near:
            raise SchemaError(f"{at}: unknown keyword {keyword!r}; did you mean {near[0]!r}?")
    if isinstance(schema.get("items"), list) and "prefixItems" in schema:
        raise SchemaError(f"{pointer}/items: a list of schemas beside 'prefixItems' is not handled")


def check_pattern(schema: dict[str, Any], pointer: str) -> None:
    """Raise SchemaError when the pattern of `schema`, if it has one, cannot be sampled."""
    if "pattern" in schema:
        try:
            read_pattern(schema["pattern"])
        except ValueError as fault:
            raise SchemaError(f"{pointer}/pattern: the pattern {schema['pattern']!r} is not handled: {fault}") from None
