"""Go through a JSON Schema: only where schemas stand, so that a property named `type` is no keyword."""

from collections.abc import Callable, Iterator
from typing import Any

from generator.core.pointers import escape

_MAPS = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
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
    at = f"{pointer}/{escape(str(key))}"
    if key in _MAPS and isinstance(part, dict):
        return {name: rewrite(child, change, f"{at}/{escape(str(name))}") for name, child in part.items()}
    if (key in _LISTS or key == "items") and isinstance(part, list):
        return [rewrite(child, change, f"{at}/{index}") for index, child in enumerate(part)]
    return rewrite(part, change, at) if key in _ONES else part


def schemas_in(schema: Any, pointer: str = "") -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the schema and all in it, each with its pointer, the whole before its parts."""
    if not isinstance(schema, dict):
        return
    yield schema, pointer
    for key, part in schema.items():
        at = f"{pointer}/{escape(str(key))}"
        if key in _MAPS and isinstance(part, dict):
            for name, child in part.items():
                yield from schemas_in(child, f"{at}/{escape(str(name))}")
        elif (key in _LISTS or key == "items") and isinstance(part, list):
            for index, child in enumerate(part):
                yield from schemas_in(child, f"{at}/{index}")
        elif key in _ONES:
            yield from schemas_in(part, at)
