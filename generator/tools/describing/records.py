"""Things that a server's tools return, as output schemas describe them: where a thing stands in a result, and its fields."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec

from generator.core.pointers import schema_at, variants
from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import READING, load, plural_of, singular, split_list, word_lists
from generator.tools.describing.reading import is_id, noun_in_name
from generator.tools.describing.things import DerivedTool, Key, Thing

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
    """Return the schema of a plain property with values that mean what its name does; None where nothing tells them."""
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
        return _usual().get(tuple(name_as_words(name).split()))
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
        return None
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
    return {**part, "maxItems": 0} if part.get("type") == "array" and not part.get("minItems") else part


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


_LISTS = ("data", "items", "results", "values", "records", "list")


_KEPT = ("type", "enum", "format", "pattern", "minimum", "maximum", "multipleOf", "description", "examples")


_MOST_FIELDS = 14


_NO_FIELDS = frozenset({"object", "url", "href", "etag", "kind", "self"})


class ResultRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One thing, or a list of things, in the result of a tool."""

    at: str
    """The property that holds it; empty when it is the result itself."""
    is_list: bool
    fields: dict[str, Schema]
    """Its properties that hold plain values."""
    shown: str = ""
    """The property that identifies it."""


def result_record(returns: Schema, told: DerivedTool) -> ResultRecord | None:
    """Return where the thing that a tool is about stands in its result; None where that is not to be told."""
    (root,) = variants(returns, returns)[:1] or ({},)
    if "items" in root:
        return _record(returns, "", True)
    properties = root.get("properties")
    if not isinstance(properties, dict):
        return None
    noun = noun_in_name(told.reading).split(" ")[-1]
    lists = [
        name for name in properties if "items" in (schema_at(returns, name) or {}) and _objects_at(returns, f"{name}/*")
    ]
    if told.reading.effect in ("find", "get", "read") and lists and "id" not in properties:
        named = [name for name in lists if name in _LISTS or name_as_words(name).split()[-1:] == [plural_of(noun)]]
        return _record(returns, (named or lists)[0], True) if len(lists) == 1 or named else None
    inside = [name for name in properties if _objects_at(returns, name)]
    if len(inside) == 1 and (len(properties) == 1 or inside[0] == noun):
        return _record(returns, inside[0], False)
    return _record(returns, "", False)


def _objects_at(returns: Schema, place: str) -> bool:
    return isinstance((schema_at(returns, place) or {}).get("properties"), dict)


def _record(returns: Schema, at: str, is_list: bool) -> ResultRecord | None:
    place = "/".join(part for part in (at, "*" if is_list else "") if part)
    schema = schema_at(returns, place) if place else (variants(returns, returns) or [{}])[0]
    properties = (schema or {}).get("properties")
    if not isinstance(properties, dict):
        return None
    fields: dict[str, Schema] = {}
    for name in properties:
        part = _merged(returns, f"{place}/{name}" if place else name)
        if name.isidentifier() and part.get("type") in ("string", "integer", "number", "boolean"):
            fields[name] = {key: part[key] for key in _KEPT if key in part}
    return ResultRecord(at=at, is_list=is_list, fields=fields) if fields else None


def _merged(root: Schema, place: str) -> Schema:
    """Return the schema of a property; of a choice, the first branch that is not null."""
    schema = schema_at(root, place) or {}
    branch = next((branch for branch in variants(root, schema) if branch.get("type") != "null"), {})
    named = branch.get("type")
    if isinstance(named, list):
        named = next((one for one in named if one != "null"), None)
    return {**branch, **({"type": named} if named else {})}


def identified(record: ResultRecord, key: Key, slots: tuple[str, ...]) -> ResultRecord | None:
    """Return the record with the property that identifies it; None when it has none."""
    for name in (key.shown, key.field, *slots, "id", "gid", "uuid", "key", "sid"):
        if name in record.fields and record.fields[name]["type"] == key.schema.get("type"):
            return msgspec.structs.replace(record, shown=name)
    return None


def sensible_record(record: ResultRecord, kind_of: KindOf) -> ResultRecord:
    """Return the record with those of its fields whose values are known."""
    fields = {
        name: schema if name == record.shown else sensible(name, schema, kind_of)
        for name, schema in record.fields.items()
    }
    return msgspec.structs.replace(
        record, fields={name: schema for name, schema in fields.items() if schema is not None}
    )


def with_common_choices(record: ResultRecord, other: ResultRecord) -> ResultRecord:
    """Return the record with the choices that another one of the same thing has, too."""
    fields = dict(record.fields)
    for name, schema in record.fields.items():
        choices = other.fields.get(name, {}).get("enum")
        if choices is not None and "enum" in schema and name != record.shown:
            fields[name] = {**schema, "enum": [value for value in schema["enum"] if value in choices]}
            if not fields[name]["enum"]:
                del fields[name]
    return msgspec.structs.replace(record, fields=fields)


def thing_of_record(noun: str, record: ResultRecord, like: Thing | None) -> Thing:
    """Return the thing that a record describes; the values of a known one of that name (`like`) stand in for plain texts."""
    fields: dict[str, Schema] = {}
    for name, schema in record.fields.items():
        if name == record.shown or name in _NO_FIELDS or len(fields) >= _MOST_FIELDS:
            continue
        known = like.fields.get(name) if like is not None else None
        plain = not schema.keys() & {"enum", "format", "pattern"}
        fields[name] = known if known is not None and plain and known.get("type") == schema["type"] else schema
    return Thing(noun=noun, fields=fields, start=_start_of(fields), is_recorded=True)


def _start_of(fields: Mapping[str, Schema]) -> dict[str, Any]:
    """Return the start values of days on which a thing was made or changed: today."""
    made = word_lists()["made"]
    return {
        name: "today"
        for name, schema in fields.items()
        if schema.get("format") == "date" and name_as_words(name).split()[0] in made
    }


def showing(returns: Schema, record: ResultRecord, kept: Mapping[str, Schema], key: Key, kind_of: KindOf) -> Schema:
    """Return an output schema in which the record shows an entity, also by its identifier."""
    place = "/".join(part for part in (record.at, "*" if record.is_list else "") if part)
    found = (schema_at(returns, place) if place else None) or variants(returns, returns)[0]
    own = with_sense(returns, found, kind_of, frozenset(kept))
    own[record.shown] = {**own[record.shown], "x-field": key.field} if record.shown != key.field else own[record.shown]
    told = [name for name in own if name == record.shown or name in kept]
    required = [*found.get("required", ())]
    shown = {
        **_without_definitions(found),
        "properties": own,
        "required": [*required, *[name for name in told if name not in required]],
    }
    if record.is_list:
        listed_at = (schema_at(returns, record.at) if record.at else None) or variants(returns, returns)[0]
        shown = {
            **{part: value for part, value in _without_definitions(listed_at).items() if part != "minItems"},
            "items": shown,
            "maxItems": min(int(listed_at.get("maxItems", _MOST_FOUND)), _MOST_FOUND),
        }
    definitions = {part: returns[part] for part in _DEFINITIONS if part in returns}
    if not record.at:
        return {**shown, **definitions}
    base = variants(returns, returns)[0]
    required = [*base.get("required", ())]
    around = {
        name: _PAGING.get(name, part)
        for name, part in with_sense(returns, base, kind_of, frozenset({record.at})).items()
    }
    around = {
        name: part for name, part in around.items() if name == record.at or name in required or not _is_of_pages(name)
    }
    required = required if record.at in required else [*required, record.at]
    return {**base, **definitions, "properties": {**around, record.at: shown}, "required": required}


_PAGING: dict[str, Schema] = {
    "has_more": {"const": False},
    "hasMore": {"const": False},
    "success": {"const": True},
    "ok": {"const": True},
}
"""Properties that say that a list holds all that was found."""


def _is_of_pages(name: str) -> bool:
    said = name_as_words(name).split()
    return bool(
        {
            "next",
            "previous",
            "prev",
            "cursor",
            "first",
            "last",
            "offset",
            "page",
            "pages",
            "total",
            "count",
            "links",
            "pagination",
        }
        & set(said)
    )


_DEFINITIONS = ("$defs", "definitions", "$schema")


_MOST_FOUND = 6


def _without_definitions(schema: Schema) -> Schema:
    return {part: value for part, value in schema.items() if part not in _DEFINITIONS}
