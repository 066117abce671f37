"""Output schemas with values that mean what the names of their properties say."""

from collections.abc import Callable
from functools import cache
from typing import Any

from generator.core.pointers import variants
from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import READING, load, singular, split_list, word_lists
from generator.tools.describing.reading import is_id
from generator.tools.describing.things import DerivedTool, things

Schema = dict[str, Any]


KindOf = Callable[[str, bool], str | None]
"""(name, whether it is of a number) → the kind of values that the name asks for."""


MOMENTS = {"type": "integer", "minimum": 1_735_689_600, "maximum": 1_767_225_599}
"""Seconds since 1970, within the year 2025."""


@cache
def _usual() -> dict[tuple[str, ...], Schema]:
    """Return the schemas of results.yaml by the words of the names that they are for."""
    return {tuple(name.split()): schema for names, schema in load("results").items() for name in split_list(names)}


def sensible(name: str, schema: Schema, kind_of: KindOf) -> Schema | None:
    """Return the schema of a plain property with values that mean what its name does; None where nothing tells them.

    Args:
        name: Of the property.
        schema: As the server declares it.
        kind_of: Returns the kind that a name (of a number, or else of a text) asks for.
    """
    kind = schema.get("type")
    if schema.keys() & (_SAYING if kind == "string" else _SAYING - {"format"}) or kind == "boolean":
        return schema
    said = tuple(name_as_words(name).split())
    for size in range(len(said), 0, -1):
        usual = _usual().get(said[-size:])
        if usual is not None and (usual["type"] == kind or (kind == "number" and usual["type"] == "integer")):
            return {**schema, **usual}
    if kind == "integer" and said[-1:] and said[-1] in ("at", "time", "timestamp"):
        return {**schema, **MOMENTS}
    if kind in ("integer", "number"):
        if "maximum" in schema or kind_of(name, True) is not None:
            return schema
        return {
            **schema,
            "type": "integer",
            "minimum": max(0, int(schema.get("minimum", 0))),
            "maximum": int(max(40, schema.get("minimum", 0) + 40)),
        }
    if said[-1:] and (said[-1] in word_lists()["hard_ids"] or said[-1] in ("url", "href", "link", "uri")):
        return schema
    return schema if kind_of(name, False) is not None else None


_SAYING = frozenset({"enum", "const", "format", "pattern", "examples", "x-from", "x-field", "x-kind", "x-when"})


def with_sense(root: Schema, schema: Schema, kind_of: KindOf, kept: frozenset[str], depth: int = 0) -> Schema:
    """Return the properties of an object's schema with meaningful values; those whose values nothing tells are left out where they may be."""
    found = {}
    wanted = schema.get("required", ())
    for name, part in schema["properties"].items():
        if name in kept or not isinstance(part, dict):
            found[name] = part
            continue
        better = _sense_of(root, name, part, kind_of, depth)
        if better is not None:
            found[name] = better
        elif name in wanted:
            found[name] = _neutral(name, part)
    return found


def _sense_of(root: Schema, name: str, part: Schema, kind_of: KindOf, depth: int) -> Schema | None:
    """Return the schema of a property with meaningful values; None where nothing tells what they look like."""
    if part.get("type") in ("string", "integer", "number"):
        return sensible(name, part, kind_of)
    inner = next((one for one in variants(root, part) if one.get("type") != "null"), part)
    if depth >= _DEEPEST:
        return part
    if _is_any_object(inner):
        return _usual().get(tuple(name_as_words(name).split())) or _usual_thing(name)
    if isinstance(inner.get("properties"), dict):
        return _object_with_sense(root, inner, kind_of, depth)
    if isinstance(inner.get("items"), dict):
        return _list_with_sense(root, name, part, inner, kind_of, depth)
    return None if inner.get("type") == "object" and not inner.keys() & _STRICT else part


def _list_with_sense(
    root: Schema, name: str, part: Schema, inner: Schema, kind_of: KindOf, depth: int
) -> Schema | None:
    """Return the schema of a list (`inner`, as `part` names it) with meaningful values, as `_sense_of` does."""
    items = inner["items"]
    element = next((one for one in variants(root, items) if one.get("type") != "null"), items)
    if _is_any_object(element):
        thing = _usual_thing(" ".join(singular(tuple(name_as_words(name).split()))))
        return None if thing is None else {**inner, "items": thing}
    if isinstance(element.get("properties"), dict):
        return {**inner, "items": _object_with_sense(root, element, kind_of, depth)}
    if element.get("type") == "string":
        told = sensible(" ".join(singular(tuple(name_as_words(name).split()))), element, kind_of)
        return None if told is None else {**inner, "items": told}
    return part


def _is_any_object(schema: Schema) -> bool:
    """Whether a schema allows objects of any properties."""
    return (
        schema.get("type") == "object"
        and not schema.get("properties")
        and schema.get("additionalProperties", True) in (True, {})
        and "required" not in schema
    )


def _usual_thing(name: str) -> Schema | None:
    """Return the schema of a known thing of this name, where the server says no more than that it is an object."""
    thing = things().get(name_as_words(name))
    return (
        None if thing is None else {"type": "object", "properties": dict(thing.fields), "required": list(thing.fields)}
    )


def _object_with_sense(root: Schema, schema: Schema, kind_of: KindOf, depth: int) -> Schema:
    found = with_sense(root, schema, kind_of, frozenset(), depth + 1)
    closed = (
        {}
        if schema.keys() & _STRICT or not found.keys() >= set(schema.get("required", ()))
        else {"additionalProperties": False}
    )
    return {**schema, "properties": found, **closed}


_DEEPEST = 3


_STRICT = frozenset(
    {"allOf", "anyOf", "oneOf", "patternProperties", "minProperties", "additionalProperties", "if", "not", "$ref"}
)


def _neutral(name: str, part: Schema) -> Schema:
    """Return the schema of a property that must be there although nothing tells what its values look like."""
    if part.get("type") == "string" and not part.keys() & _SAYING:
        said = name_as_words(name).split()[-1:]
        return (
            {**part, "enum": ["standard", "basic", "custom"]}
            if said and said[0] in word_lists()["closed"]
            else {**part, "x-kind": "proper_name"}
        )
    if (
        part.get("type") == "object"
        and not part.get("required")
        and not part.keys() & (_STRICT - {"additionalProperties"})
    ):
        return {**part, "maxProperties": 0}
    if part.get("type") == "array" and not part.get("minItems"):
        return {**part, "maxItems": 0}
    return part


def _from_call(part: Any, own: frozenset[str]) -> Any:
    """Return the schema of an object with those properties from the call that have the name of an argument (`own`)."""
    inner = part.get("properties") if isinstance(part, dict) else None
    if not isinstance(inner, dict) or not own & inner.keys():
        return part
    return {
        **part,
        "properties": {
            name: {**schema, "x-from": name} if name in own and isinstance(schema, dict) else schema
            for name, schema in inner.items()
        },
    }


def reporting(returns: Schema, told: DerivedTool, kind_of: KindOf) -> Schema:
    """Return an output schema whose reports of success say that it was one, and that repeats what the call names.

    What stands beside a success (`error`, `errors`) is left out.
    """
    properties = returns.get("properties")
    if not isinstance(properties, dict):
        return returns
    changed: dict[str, Any] = {}
    own = (
        frozenset() if told.reading.effect in READING else frozenset(leaf.slot for leaf in told.leaves)
    )  # what a call gave comes back
    named = next(
        (leaf for leaf in reversed(told.leaves) if leaf.required and is_id(leaf) and leaf.type == "text"), None
    )
    wanted = returns.get("required", ())
    for name, part in with_sense(returns, returns, kind_of, own).items():
        plain = part if isinstance(part, dict) else {}
        if plain.get("type") == "boolean" and name in ("success", "ok", "deleted", "succeeded", "done"):
            changed[name] = {"const": True}
            wanted = [*wanted, name]
        elif name in ("error", "errors", "error_message") and name not in wanted:
            continue
        elif (
            name == "id"
            and named is not None
            and told.reading.effect in ("delete", "update", "act")
            and plain.get("type") == "string"
        ):
            changed[name] = {**plain, "x-from": named.slot}
        else:
            changed[name] = _from_call(part, own)
    return {**returns, "properties": changed, "required": list(dict.fromkeys(wanted))}
