"""Make parts of a schema self-contained: together with the targets of their references."""

from collections.abc import Iterator
from typing import Any

from generator.core.pointers import variants

NOTES = frozenset({"title", "description", "default", "examples", "example", "deprecated", "readOnly", "$comment"})
"""Annotations: keywords that do not restrict values."""

_BY_NAME = ("#/$defs/", "#/definitions/")


def dereferenced(root: dict[str, Any], schema: Any) -> dict[str, Any]:
    """Return the target of a schema's `$ref`, with the annotations and `x-` keywords beside the `$ref`."""
    if not isinstance(schema, dict):
        return {} if schema is True else {"enum": []}
    target = next(iter(variants(root, schema)), schema)
    if target is schema:
        return schema
    beside = {key: part for key, part in schema.items() if key != "$ref"}
    if all(key in NOTES or key.startswith("x-") for key in beside):
        return target | beside
    return {key: part for key, part in target.items() if key.startswith("x-")} | schema


def stand_alone(root: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema together with the targets of its references."""
    definitions: dict[str, Any] = {key: root[key] for key in ("$defs", "definitions") if key in root}
    named = set(_references(schema))
    if not named:
        return schema
    if all(name.startswith(_BY_NAME) for name in (*named, *_references(definitions))):
        return {**definitions, **schema}
    whole = {key: part for key, part in root.items() if key not in {"$id", "$schema"}}
    own = {key: part for key, part in schema.items() if key not in {"$id", "$schema", "$defs", "definitions"}}
    return {"$defs": {"whole": _moved(whole)}, **_moved(own)}


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, part in schema.items():
            if key == "$ref" and isinstance(part, str):
                yield part
            yield from _references(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _references(part)


def _moved(schema: Any) -> Any:
    """Return a copy whose references look for their targets in `#/$defs/whole`."""
    if isinstance(schema, list):
        return [_moved(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"#/$defs/whole{part[1:]}" if key == "$ref" and isinstance(part, str) and part[:1] == "#" else _moved(part)
        for key, part in schema.items()
    }
