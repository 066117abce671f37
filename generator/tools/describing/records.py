"""Things that a server's tools return, as output schemas describe them: where a thing stands in a result, and its fields."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec

from generator.arguments.kinds.names import kind_of_name
from generator.core.pointers import parts_of_object, schema_at, variants
from generator.core.toolbox import name_as_words
from generator.tools.describing.entity_templates import DerivedTool, Key, Template
from generator.tools.describing.lexicon import FIELD_KEYWORDS, READING, load, plural_of, singular, split_list, words
from generator.tools.describing.reading import allows_any_properties, is_id, noun_in_name, usual_branch

Schema = dict[str, Any]


MOMENTS = {"type": "integer", "minimum": 1_735_689_600, "maximum": 1_767_225_599}
"""Seconds since 1970, within the year 2025."""


@cache
def _schemas_by_name() -> dict[tuple[str, ...], Schema]:
    """Return the schemas of results.yaml by the words of the names that they are for."""
    return {tuple(name.split()): schema for names, schema in load("results").items() for name in split_list(names)}


def plausible_schema(name: str, schema: Schema) -> Schema | None:
    """Return the schema of a plain property with values that mean what its name does; None where nothing tells them."""
    kind = schema.get("type")
    if schema.keys() & (_SAYING if kind == "string" else _SAYING - {"format"}) or kind == "boolean":
        return schema
    words_of_name = tuple(name_as_words(name).split())
    for size in range(len(words_of_name), 0, -1):
        usual = _schemas_by_name().get(words_of_name[-size:])
        if usual is not None and (usual["type"] == kind or (kind == "number" and usual["type"] == "integer")):
            return {**schema, **usual}
    last = words_of_name[-1] if words_of_name else ""
    if kind == "integer" and last in ("at", "time", "timestamp"):
        return {**schema, **MOMENTS}
    if kind in ("integer", "number"):
        if "maximum" in schema or kind_of_name(name, (), True) is not None:
            return schema
        low = schema.get("minimum", 0)
        return {**schema, "type": "integer", "minimum": max(0, int(low)), "maximum": int(max(40, low + 40))}
    is_known = last in (*words("hard_ids"), "url", "href", "link", "uri") or kind_of_name(name, (), False) is not None
    return schema if is_known else None


_SAYING = frozenset({"enum", "const", "format", "pattern", "examples", "x-from", "x-field", "x-kind", "x-when"})


def plausible_properties(root: Schema, schema: Schema, kept: frozenset[str], depth: int = 0) -> Schema:
    """Return the properties of an object's schema with meaningful values; those whose values nothing tells are left out where they may be."""
    properties: Schema = {}
    for name, part in schema["properties"].items():
        plausible = part if name in kept or not isinstance(part, dict) else _plausible_property(root, name, part, depth)
        if plausible is not None:
            properties[name] = plausible
        elif name in schema.get("required", ()):
            properties[name] = _neutral_schema(name, part)
    return properties


def _plausible_property(root: Schema, name: str, part: Schema, depth: int) -> Schema | None:
    """Return the schema of a property with meaningful values; None where nothing tells what they look like."""
    if part.get("type") in ("string", "integer", "number"):
        return plausible_schema(name, part)
    inner = usual_branch(root, part)
    if depth >= _DEEPEST:
        return part
    if allows_any_properties(inner):
        return _schemas_by_name().get(tuple(name_as_words(name).split()))
    if isinstance(inner.get("properties"), dict):
        return _plausible_object(root, inner, depth)
    if isinstance(inner.get("items"), dict):
        items = _plausible_element(root, name, inner["items"], depth)
        return None if items is None else {**inner, "items": items} if items else part
    return None if inner.get("type") == "object" and not inner.keys() & _STRICT else part


def _plausible_element(root: Schema, name: str, items: Schema, depth: int) -> Schema | None:
    """Return the schema of a list's elements with meaningful values; None where nothing tells them, `{}` where it may stay as it is."""
    element = usual_branch(root, items)
    if isinstance(element.get("properties"), dict):
        return None if allows_any_properties(element) else _plausible_object(root, element, depth)
    if element.get("type") == "string":
        return plausible_schema(" ".join(singular(tuple(name_as_words(name).split()))), element)
    return None if allows_any_properties(element) else {}


def _plausible_object(root: Schema, schema: Schema, depth: int) -> Schema:
    """Return the schema of an object within a result with meaningful values, closed where all that it needs is known."""
    properties = plausible_properties(root, schema, frozenset(), depth + 1)
    is_whole = not schema.keys() & _STRICT and properties.keys() >= set(schema.get("required", ()))
    return {**schema, "properties": properties, **({"additionalProperties": False} if is_whole else {})}


_DEEPEST = 3


_STRICT = frozenset(
    {"allOf", "anyOf", "oneOf", "patternProperties", "minProperties", "additionalProperties", "if", "not", "$ref"}
)


def _neutral_schema(name: str, part: Schema) -> Schema:
    """Return the schema of a property that must be there although nothing tells what its values look like."""
    if part.get("type") == "string" and not part.keys() & _SAYING:
        is_closed = name_as_words(name).rpartition(" ")[2] in words("closed")
        return {**part, **({"enum": ["standard", "basic", "custom"]} if is_closed else {"x-kind": "proper_name"})}
    is_free = not part.get("required") and not part.keys() & (_STRICT - {"additionalProperties"})
    if part.get("type") == "object" and is_free:
        return {**part, "maxProperties": 0}
    return {**part, "maxItems": 0} if part.get("type") == "array" and not part.get("minItems") else part


def _with_values_of_call(part: Any, argument_names: frozenset[str]) -> Any:
    """Return the schema of an object in which each property that has the name of an argument repeats its value (`x-from`)."""
    properties = part.get("properties") if isinstance(part, dict) else None
    if not isinstance(properties, dict) or not argument_names & properties.keys():
        return part
    return {
        **part,
        "properties": {
            name: {**schema, "x-from": name} if name in argument_names and isinstance(schema, dict) else schema
            for name, schema in properties.items()
        },
    }


def as_reported(returns: Schema, tool: DerivedTool) -> Schema:
    """Return an output schema in which `success` is true, and `id` and fields named like arguments repeat what the call gave.

    What stands beside a success (`error`, `errors`) is left out.
    """
    properties = returns.get("properties")
    if not isinstance(properties, dict):
        return returns
    changed: dict[str, Any] = {}
    argument_names = frozenset(() if tool.reading.effect in READING else tool.slots)  # what a call gave comes back
    names = [leaf.slot for leaf in tool.leaves if leaf.required and is_id(leaf) and leaf.type == "text"]
    is_named = bool(names) and tool.reading.effect in ("delete", "update", "act")
    required = [*returns.get("required", ())]
    for name, part in plausible_properties(returns, returns, argument_names).items():
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "boolean" and name in ("success", "ok", "deleted", "succeeded", "done"):
            changed[name] = {"const": True}
            required.append(name)
        elif name == "id" and is_named and kind == "string":
            changed[name] = {**part, "x-from": names[-1]}
        elif name not in ("error", "errors", "error_message") or name in required:
            changed[name] = _with_values_of_call(part, argument_names)
    return {**returns, "properties": changed, "required": list(dict.fromkeys(required))}


_MOST_FIELDS = 14


class ResultRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One thing, or a list of things, in the result of a tool."""

    at: str
    """The property that holds it; empty when it is the result itself."""
    is_list: bool
    fields: dict[str, Schema]
    """Its properties that hold plain values."""
    shown: str = ""
    """The property that identifies it."""


def result_record(returns: Schema, tool: DerivedTool) -> ResultRecord | None:
    """Return where the thing that a tool is about stands in its result: at its top, in its one object, or in a list.

    None where that is not clear.
    """
    root, effect = (variants(returns, returns) or [{}])[0], tool.reading.effect
    properties = root.get("properties")
    if "items" in root or not isinstance(properties, dict):
        return _record_at(returns, "", True) if "items" in root else None
    noun = noun_in_name(tool.reading).split(" ")[-1]
    lists = [name for name in properties if _objects_at(returns, f"{name}/*")]
    if effect in READING and lists and "id" not in properties:
        usual = (*words("list_names"), plural_of(noun))
        usual_lists = [name for name in lists if name in usual or name_as_words(name).rpartition(" ")[2] in usual[-1:]]
        return _record_at(returns, (usual_lists or lists)[0], True) if len(lists) == 1 or usual_lists else None
    objects = [name for name in properties if _objects_at(returns, name)]
    is_inside = len(objects) == 1 and (len(properties) == 1 or objects[0] == noun)
    return _record_at(returns, objects[0] if is_inside else "", False)


def _objects_at(returns: Schema, place: str) -> bool:
    """Whether objects with declared properties stand at a place of a result."""
    return isinstance((schema_at(returns, place) or {}).get("properties"), dict)


def _record_at(returns: Schema, at: str, is_list: bool) -> ResultRecord | None:
    """Return what stands at a property of a result as a record: its plain fields with their schemas; None for no object."""
    pointer = "/".join(step for step in (at, "*" if is_list else "") if step)
    fields: dict[str, Schema] = {}
    for name in parts_of_object(_schema_at_place(returns, pointer))[0]:
        part = _property_schema(returns, f"{pointer}/{name}" if pointer else name)
        if name.isidentifier() and part.get("type") in ("string", "integer", "number", "boolean"):
            fields[name] = {key: part[key] for key in (*FIELD_KEYWORDS, "examples") if key in part}
    return ResultRecord(at=at, is_list=is_list, fields=fields) if fields else None


def _schema_at_place(returns: Schema, place: str) -> Schema:
    """Return the schema at a place of a result; the first branch of the result itself."""
    return (schema_at(returns, place) if place else None) or (variants(returns, returns) or [{}])[0]


def _property_schema(root: Schema, pointer: str) -> Schema:
    """Return the schema of a property; of a choice, the first branch that is not null."""
    branch = usual_branch(root, schema_at(root, pointer) or {})
    declared_type = branch.get("type")
    types = (
        [declared_type]
        if isinstance(declared_type, str)
        else [branch_type for branch_type in declared_type or () if branch_type != "null"]
    )
    return {**branch, **({"type": types[0]} if types else {})}


def with_identifier(record: ResultRecord, key: Key, slots: tuple[str, ...]) -> ResultRecord | None:
    """Return the record with the property that identifies it; None when it has none."""
    for name in (key.shown, key.field, *slots, "id", "gid", "uuid", "key", "sid"):
        if name in record.fields and record.fields[name]["type"] == key.schema.get("type"):
            return msgspec.structs.replace(record, shown=name)
    return None


def plausible_record(record: ResultRecord) -> ResultRecord:
    """Return the record with those of its fields whose values are known."""
    fields = {
        name: better
        for name, schema in record.fields.items()
        if (better := schema if name == record.shown else plausible_schema(name, schema)) is not None
    }
    return msgspec.structs.replace(record, fields=fields)


def with_common_choices(record: ResultRecord, other: ResultRecord) -> ResultRecord:
    """Return the record with the choices that another one of the same thing has, too."""
    fields = dict(record.fields)
    for name, schema in record.fields.items():
        choices = other.fields.get(name, {}).get("enum")
        if choices is not None and "enum" in schema and name != record.shown:
            kept = [value for value in schema["enum"] if value in choices]
            fields |= {name: {**schema, "enum": kept}} if kept else {}
    return msgspec.structs.replace(record, fields=fields)


def template_of_record(noun: str, record: ResultRecord, like: Template | None) -> Template:
    """Return the thing that a record describes; the values of a known one of that name (`like`) stand in for plain texts."""
    fields: dict[str, Schema] = {}
    for name, schema in record.fields.items():
        if name != record.shown and name not in words("no_fields") and len(fields) < _MOST_FIELDS:
            known_schema = like.fields.get(name, {}) if like is not None else {}
            is_plain = not schema.keys() & {"enum", "format", "pattern"} and known_schema.get("type") == schema["type"]
            fields[name] = known_schema if is_plain else schema
    days = [name for name, schema in fields.items() if schema.get("format") == "date"]
    start = {name: "today" for name in days if name_as_words(name).split()[0] in words("made")}
    return Template(noun=noun, fields=fields, start=start, is_recorded=True)


def showing_entity(returns: Schema, record: ResultRecord, kept: Mapping[str, Schema], key: Key) -> Schema:
    """Return an output schema in which the record shows an entity, also by its identifier."""
    record_schema = _schema_at_place(
        returns, "/".join(step for step in (record.at, "*" if record.is_list else "") if step)
    )
    properties = plausible_properties(returns, record_schema, frozenset(kept))
    properties[record.shown] = {
        **properties[record.shown],
        **({"x-field": key.field} if record.shown != key.field else {}),
    }
    required = [
        *record_schema.get("required", ()),
        *[name for name in properties if name == record.shown or name in kept],
    ]
    shown = {**_without_definitions(record_schema), "properties": properties, "required": list(dict.fromkeys(required))}
    if record.is_list:
        list_schema = {
            part: value
            for part, value in _without_definitions(_schema_at_place(returns, record.at)).items()
            if part != "minItems"
        }
        shown = {
            **list_schema,
            "items": shown,
            "maxItems": min(int(list_schema.get("maxItems", MOST_FOUND)), MOST_FOUND),
        }
    definitions = {part: returns[part] for part in _DEFINITIONS if part in returns}
    if not record.at:
        return {**shown, **definitions}
    base = _schema_at_place(returns, "")
    required = list(dict.fromkeys([*base.get("required", ()), record.at]))
    other_properties = {
        name: _PAGING.get(name, part)
        for name, part in plausible_properties(returns, base, frozenset({record.at})).items()
        if name in required or not {*name_as_words(name).split()} & {*words("of_pages")}
    }
    return {**base, **definitions, "properties": {**other_properties, record.at: shown}, "required": required}


_PAGING: dict[str, Schema] = {
    name: {"const": is_whole}
    for name, is_whole in (("has_more", False), ("hasMore", False), ("success", True), ("ok", True))
}
"""Properties that say that a list holds all that was found."""
_DEFINITIONS = ("$defs", "definitions", "$schema")


MOST_FOUND = 6
"""So many elements does a list of what was found have at most."""


def _without_definitions(schema: Schema) -> Schema:
    return {part: value for part, value in schema.items() if part not in _DEFINITIONS}
