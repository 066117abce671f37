"""JSON pointers (RFC 6901) into values and into the schemas that describe them.

Two spellings are used: `/orders/0/id` points at one value; a *slot* such as `orders/*/id` has no leading
slash and `*` for any element of a list, and names the same place in every value of a schema.
"""

from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any


def escape(step: str) -> str:
    """Escape one key for a pointer."""
    return step.replace("~", "~0").replace("/", "~1") if "~" in step or "/" in step else step


def unescape(step: str) -> str:
    """Return the key of an escaped step."""
    return step.replace("~1", "/").replace("~0", "~") if "~" in step else step


def joined(slot: str, step: str) -> str:
    """Return the slot of a part, named by its key or `*`, of what stands at a slot."""
    return f"{slot}/{escape(step)}" if slot else escape(step)


@lru_cache(maxsize=1 << 14)
def split(pointer: str) -> tuple[str, ...]:
    """Return the steps of a pointer or slot, unescaped; `""` is the whole value, `"/"` its property without a name."""
    return tuple(unescape(step) for step in (pointer.removeprefix("/").split("/") if pointer else []))


def resolve(value: Any, pointer: str) -> Any:
    """Return the value that `pointer` leads to; raises LookupError when there is none."""
    for step in split(pointer):
        kind = type(value)
        if kind is dict:
            value = value[step]
        elif kind is list and step.isdecimal():
            value = value[int(step)]
        else:
            raise LookupError(pointer)
    return value


def resolve_or_none(value: Any, pointer: str) -> Any:
    """Return the value that `pointer` leads to; None when there is none."""
    try:
        return resolve(value, pointer)
    except LookupError:
        return None


def set_at(value: Any, pointer: str, new: Any) -> None:
    """Set the value at `pointer`; its parent must exist."""
    *parents, last = split(pointer)
    for step in parents:
        value = value[int(step)] if isinstance(value, list) else value[step]
    value[int(last) if isinstance(value, list) else last] = new


def with_value(value: dict[str, Any], pointer: str, new: Any) -> dict[str, Any]:
    """Return a copy of an object with a value at `pointer`, whose parent must exist."""
    copy = deepcopy(value)
    set_at(copy, pointer, new)
    return copy


def without(value: dict[str, Any], steps: tuple[str, ...]) -> dict[str, Any]:
    """Return an object without the value that these keys lead to, and without objects that only held it."""
    first, *rest = steps
    if not rest:
        return {key: part for key, part in value.items() if key != first}
    if not isinstance(value.get(first), dict):
        return value
    inner = without(value[first], tuple(rest))
    return {**value, first: inner} if inner else without(value, (first,))


def expand(value: Any, pattern: str) -> list[str]:
    """Return all pointers that a pattern with `*` leads to in `value`, in order."""
    parts: list[tuple[str, Any]] = [("", value)]
    for step in split(pattern):
        parts = [(f"{pointer}/{escape(key)}", child) for pointer, part in parts for key, child in _children(part, step)]
    return [pointer for pointer, _ in parts]


def leaves(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every leaf with its pointer; an empty object or array is a leaf too."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from leaves(child, f"{pointer}/{escape(key)}")
    elif isinstance(value, list) and value:
        for index, child in enumerate(value):
            yield from leaves(child, f"{pointer}/{index}")
    else:
        yield pointer, value


def schema_at(root: Any, place: str) -> dict[str, Any] | None:
    """Return the schema of the values at a slot or pointer, `$ref` followed; None when the schema has no such place."""
    return next(schemas_at(root, place), None)


def schemas_at(root: Any, place: str) -> Iterator[dict[str, Any]]:
    """Yield all schemas of the values at a slot or pointer, `$ref` followed: one of each branch that has the place."""
    schemas = [root]
    for step in split(place):
        schemas = [schema_below for schema in schemas for schema_below in _schemas_below(root, schema, step)]
    for schema in schemas:
        resolved = _dereferenced(root, schema)
        if resolved is not None:
            yield resolved


def parts_of_object(schema: Any) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the declared properties and required names of an object's schema; nothing for other schemas."""
    if not isinstance(schema, dict):
        return {}, frozenset()
    properties, required = schema.get("properties"), schema.get("required")
    return (
        properties if isinstance(properties, dict) else {},
        frozenset(name for name in required if isinstance(name, str)) if isinstance(required, list) else frozenset(),
    )


_SCHEMA_KEYS = frozenset(
    {"type", "properties", "$ref", "anyOf", "oneOf", "allOf", "$schema", "additionalProperties", "required", "enum"}
)


def is_map_of_parameters(schema: dict[str, Any]) -> bool:
    """Whether what should be a schema is a map of the schemas of parameters: it would allow anything."""
    parts = list(schema.values())
    return bool(parts) and not schema.keys() & _SCHEMA_KEYS and all(isinstance(p, dict) and "type" in p for p in parts)


def wrapped_parameters(parts: dict[str, Any]) -> dict[str, Any]:
    """Return a map of parameters as the schema that it is meant to be; what says of itself that it is required is."""
    plain = {name: {key: value for key, value in part.items() if key != "required"} for name, part in parts.items()}
    needed = [name for name, part in parts.items() if part.get("required") is True]
    return {"type": "object", "properties": plain, "required": needed}


def variants(root: Any, schema: Any) -> list[dict[str, Any]]:
    """Return the schema itself or, where it combines others (anyOf, then, …), all branches, `$ref` followed."""
    if isinstance(schema, dict) and "$ref" not in schema and _COMBINING.isdisjoint(schema):
        return [schema]  # as nearly all are
    branches: list[dict[str, Any]] = []
    seen: set[int] = set()
    waiting = [schema]
    while waiting:
        resolved = _dereferenced(root, waiting.pop())
        if resolved is None or id(resolved) in seen:  # said already, or it combines itself
            continue
        seen.add(id(resolved))
        branches.append(resolved)
        waiting += reversed(_branches(resolved))
    return branches


def types_of(schema: dict[str, Any]) -> set[str]:
    """Return the JSON types that a schema names itself: one or several."""
    types = schema.get("type") or ()
    return {types} if isinstance(types, str) else {str(name) for name in types}


def types_at(root: Any, place: str) -> set[str]:
    """Return the JSON types that the branches of the schema at a slot or pointer name; empty where any value may stand."""
    return {name for branch in variants(root, schema_at(root, place)) for name in types_of(branch)}


def _branches(schema: dict[str, Any]) -> list[Any]:
    """Return the schemas that a schema combines, as they stand."""
    if _COMBINING.isdisjoint(schema):
        return []
    dependent = schema.get("dependentSchemas")
    return [
        *(branch for keyword in ("anyOf", "oneOf", "allOf") for branch in schema.get(keyword, ())),
        *(schema[keyword] for keyword in ("then", "else") if keyword in schema and "if" in schema),
        *(dependent.values() if isinstance(dependent, dict) else ()),
    ]


_COMBINING = frozenset({"anyOf", "oneOf", "allOf", "if", "dependentSchemas"})


def _schemas_below(root: Any, schema: Any, step: str) -> Iterator[Any]:
    """Yield the schemas of what stands below one step of a pointer, in all variants of a schema."""
    for variant in variants(root, schema):
        properties = variant.get("properties")
        if isinstance(properties, dict) and step in properties:
            yield properties[step]
        elif step == "*" or step.isdecimal():
            yield from _items(variant, step)


def _items(schema: dict[str, Any], step: str) -> Iterator[Any]:
    """Yield schemas of a list's items: of one place, or of all."""
    for keyword in ("prefixItems", "items"):
        item_schemas = schema.get(keyword)
        if isinstance(item_schemas, list):
            yield from item_schemas[int(step) : int(step) + 1] if step.isdecimal() else item_schemas
    places = schema.get("prefixItems", ())
    if isinstance(schema.get("items"), dict) and not (step.isdecimal() and int(step) < len(places)):
        yield schema["items"]


def _dereferenced(root: Any, schema: Any) -> dict[str, Any] | None:
    """Return the schema that references lead to; None where they lead nowhere."""
    for _ in range(32):  # a chain of references that is longer goes in a circle
        if not isinstance(schema, dict):
            return None
        reference = schema.get("$ref")
        if not isinstance(reference, str) or not reference.startswith("#"):
            return schema
        schema = resolve_or_none(root, reference[1:])
    return None


def _children(part: Any, step: str) -> list[tuple[str, Any]]:
    """Return (step, value) of what stands below a value; all items of a list for `*`."""
    if isinstance(part, list):
        if step == "*":
            return [(str(index), child) for index, child in enumerate(part)]
        return [(step, part[int(step)])] if step.isdecimal() and int(step) < len(part) else []
    if isinstance(part, dict) and step in part:
        return [(step, part[step])]
    return []
