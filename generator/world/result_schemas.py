"""What `returns` schemas allow, as far as results are made of them part by part."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from generator.core.exact_json import loads
from generator.core.offline_schemas import validator
from generator.core.pointers import variants
from generator.world.references import dereferenced

_COMBINING = frozenset({"anyOf", "oneOf", "allOf"})


def fewest_parts(root: dict[str, Any], schema: Any, known: dict[int, int]) -> int:
    """Return how many values the smallest value consists of, as far as lists of lists and objects make it large.

    `known` holds the numbers of the schemas that were looked at, 1 of those that are being looked at.
    """
    plain = dereferenced(root, schema)
    parts = plain.get("properties") if makes_objects(plain) else plain.get("items") if makes_lists(plain) else None
    if parts is None:
        return 1
    if id(parts) not in known:
        known[id(parts)] = 1
        if makes_objects(plain):
            wanted = [parts[key] for key in plain.get("required", ()) if key in parts]
            known[id(parts)] = 1 + sum(fewest_parts(root, part, known) for part in wanted)
        elif plain.get("minItems", 0):
            known[id(parts)] = 1 + int(plain["minItems"]) * fewest_parts(root, parts, known)
    return known[id(parts)]


@lru_cache(maxsize=1024)
def validity_test(schema: str) -> Callable[[Any], bool]:
    """Return the test for a schema; many properties share a small one."""
    keywords = loads(schema)
    kind = _PLAIN_TYPES.get(str(keywords.get("type"))) if isinstance(keywords, dict) else None
    if kind is not None and keywords.keys() == {"type"}:
        return lambda value: type(value) is kind
    return validator(keywords).is_valid


_PLAIN_TYPES = {"string": str, "boolean": bool}
"""Types of JSON Schema all of whose values are of one type in Python."""


def makes_objects(schema: dict[str, Any]) -> bool:
    """Whether objects can be made of it property by property."""
    properties = schema.get("properties")
    return (
        isinstance(properties, dict)
        and schema.get("type", "object") == "object"
        and "minProperties" not in schema
        and _COMBINING.isdisjoint(schema)
        and set(schema.get("required", ())) <= properties.keys()
    )


def makes_lists(schema: dict[str, Any]) -> bool:
    """Whether lists can be made of it element by element."""
    return (
        isinstance(schema.get("items"), dict)
        and schema.get("type", "array") == "array"
        and "prefixItems" not in schema
        and _COMBINING.isdisjoint(schema)
    )


def types_of(root: dict[str, Any], schema: dict[str, Any]) -> tuple[str, ...]:
    """Return the types that a schema allows; empty when it does not say."""
    types = [branch["type"] for branch in variants(root, schema) if "type" in branch]
    return tuple(dict.fromkeys(name for named in types for name in ([named] if isinstance(named, str) else named)))
