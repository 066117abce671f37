"""Which keywords of JSON Schema are understood, which only tell people something, and which are refused by name."""

from difflib import get_close_matches
from typing import Any

from generator.arguments.patterns import read_pattern
from generator.errors import SchemaError
from generator.pointers import escape

COMBINING = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
TYPES = {
    "properties": "object",
    "required": "object",
    "additionalProperties": "object",
    "minProperties": "object",
    "maxProperties": "object",
    "items": "array",
    "prefixItems": "array",
    "additionalItems": "array",
    "minItems": "array",
    "maxItems": "array",
    "uniqueItems": "array",
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
HANDLED = frozenset(TYPES) | COMBINING | {"type", "enum", "const"}
NOTES = frozenset({
    "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly", "nullable",
    "optional", "enumNames", "enumDescriptions", "enum_descriptions", "markdownDescription", "propertyOrdering",
    "discriminator", "xml", "externalDocs", "$comment", "$schema", "$defs", "definitions", "contentEncoding",
    "contentMediaType", "contentSchema", "strict",
})  # fmt: skip
REFUSED = frozenset({
    "not", "if", "then", "else", "patternProperties", "propertyNames", "contains", "minContains", "maxContains",
    "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems",
    "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$anchor", "$vocabulary",
})  # fmt: skip


def check_keywords(schema: dict[str, Any], pointer: str) -> None:
    """Raise SchemaError for the first keyword of `schema` (not of its subschemas) that cannot be followed."""
    for keyword in schema:
        if keyword in HANDLED or keyword in NOTES or keyword.startswith("x-"):
            continue
        at = f"{pointer}/{escape(keyword)}"
        if keyword in REFUSED:
            raise SchemaError(f"{at}: the keyword {keyword!r} is not handled")
        if keyword in {"$id", "id"} and pointer == "":
            continue
        if keyword == "$id":
            raise SchemaError(f"{at}: the keyword '$id' is not handled below the root")
        near = get_close_matches(keyword, sorted(HANDLED), n=1, cutoff=0.85)
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
