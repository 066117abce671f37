"""Go through a JSON Schema: only where schemas stand, so that a property named `type` is no keyword."""

from collections.abc import Callable, Iterator
from typing import Any

from generator.core.errors import SchemaError
from generator.core.pointers import escape, resolve

MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Keywords whose keys are names, not keywords."""
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_ONES = frozenset(
    {
        *("items", "additionalItems", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"),
        *("unevaluatedItems", "unevaluatedProperties"),
    }
)

Change = Callable[[dict[str, Any], str], Any]
"""From a schema whose parts have been changed already, and its pointer, to what stands there instead."""


def rewrite(schema: Any, change: Change, pointer: str = "") -> Any:
    """Return the schema with every schema in it, and then itself, replaced by what `change` makes of it."""
    if not isinstance(schema, dict):
        return schema
    return change({key: _rewrite_part(key, part, change, pointer) for key, part in schema.items()}, pointer)


def _rewrite_part(key: str, part: Any, change: Change, pointer: str) -> Any:
    """Return what a keyword holds with the schemas in it rewritten; anything that is no schema as it is."""
    part_pointer = f"{pointer}/{escape(str(key))}"
    if key in MAPS and isinstance(part, dict):
        return {name: rewrite(child, change, f"{part_pointer}/{escape(str(name))}") for name, child in part.items()}
    if (key in _LISTS or key == "items") and isinstance(part, list):
        return [rewrite(child, change, f"{part_pointer}/{index}") for index, child in enumerate(part)]
    return rewrite(part, change, part_pointer) if key in _ONES else part


def schemas_in(schema: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the schema and all in it (not the booleans), each with its pointer, the whole before its parts."""
    waiting = [(schema, "")]
    while waiting:
        schema, pointer = waiting.pop()
        if isinstance(schema, dict):
            yield schema, pointer
            waiting += reversed(parts_of(schema, pointer))


def parts_of(schema: dict[str, Any], pointer: str) -> list[tuple[Any, str]]:
    """Return the schemas that stand directly in a schema, each with its pointer."""
    below: list[tuple[Any, str]] = []
    for key, part in schema.items():
        if key in MAPS and isinstance(part, dict):
            below += [(child, f"{pointer}/{key}/{escape(str(name))}") for name, child in part.items()]
        elif (key in _LISTS or key == "items") and isinstance(part, list):
            below += [(child, f"{pointer}/{key}/{index}") for index, child in enumerate(part)]
        elif key in _ONES:
            below.append((part, f"{pointer}/{key}"))
    return below


_DEFINITIONS = ("$defs", "definitions")
_SAYS_NOTHING = frozenset(
    ["title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment"]
)
"""Keywords beside a reference that do not restrict what it refers to."""


def inlined(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with what it refers to in the place of each reference, and without definitions.

    Raises:
        SchemaError: for a reference to another document, to nothing, or to a schema that contains it.
    """
    whole: dict[str, Any] = _inlined({key: part for key, part in schema.items() if key not in _DEFINITIONS}, schema, ())
    return whole


def _inlined(schema: Any, root: dict[str, Any], open_references: tuple[str, ...]) -> Any:
    """Return a schema with its references replaced; those that are being replaced around it are `open_references`."""
    return rewrite(schema, lambda part, _: _with_target(part, root, open_references) if "$ref" in part else part)


def _with_target(part: dict[str, Any], root: dict[str, Any], open_references: tuple[str, ...]) -> dict[str, Any]:
    """Return a schema with what its reference leads to in it: `{"$ref": "#/$defs/a", "title": "A"}` → the target with that title."""
    beside, reference = {key: value for key, value in part.items() if key != "$ref"}, part["$ref"]
    if not isinstance(reference, str):
        return beside
    target = _inlined(_target(reference, root, open_references), root, (*open_references, reference))
    if beside.keys() <= _SAYS_NOTHING and isinstance(target, dict):
        return target | beside
    return {"allOf": [target], **beside}


def _target(reference: str, root: dict[str, Any], open_references: tuple[str, ...]) -> Any:
    """Return the schema at a reference; raises SchemaError where nothing is there, or where it is part of the open references."""
    if reference in open_references:
        raise SchemaError(f"{reference[:80]!r} refers to what it is part of, and cannot be inlined")
    try:
        return resolve(root, reference.removeprefix("#"))
    except (LookupError, ValueError):
        raise SchemaError(f"{reference[:80]!r} refers to nothing in them") from None


BOUNDS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}
"""Exclusive bounds, which draft-04 has as booleans beside the others."""


def without_boolean_bounds(part: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of draft-04 with exclusive bounds written as numbers: `minimum: 3, exclusiveMinimum: true` → `exclusiveMinimum: 3`."""
    changed = dict(part)
    for keyword, inclusive in BOUNDS.items():
        if isinstance(part.get(keyword), bool):
            del changed[keyword]
            if part[keyword] and inclusive in part:
                changed[keyword] = changed.pop(inclusive)
    return changed
