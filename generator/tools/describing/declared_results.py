"""Results of tools, from what their servers declare or from the things that they are known to be about."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.core.pointers import parts_of_object
from generator.core.toolbox import name_as_words
from generator.tools.describing.effects import DerivedEntity, ToolEffect
from generator.tools.describing.entity_templates import DerivedTool, Template, sort_field, template_for
from generator.tools.describing.lexicon import READING, is_plural, plural_of, words
from generator.tools.describing.reading import ArgumentLeaf, NameReading, is_id, participle
from generator.tools.describing.records import MOST_FOUND, ResultRecord, as_reported, showing_entity


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool returns."""

    returns: dict[str, Any]
    keys: dict[str, str] = {}
    """Entity → where the result holds its identifier: `issues/*/issue_key`."""
    required: tuple[str, ...] = ()
    """The arguments that every call has."""
    is_new: bool = False
    """Whether what it identifies was made by the call."""
    at: str = ""
    """Where the entity or the list of found ones stands; empty when it is the result itself."""


def _object_of(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has all these properties."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def _list_result(
    template: Template, fields: dict[str, dict[str, Any]], limits: dict[str, int], order: str = ""
) -> Results:
    """Return what lists several of a thing, under its noun in the plural (`{"jobs": […]}`), sorted by a field (`-field`: the greatest first)."""
    *first, last = template.noun.split(" ")
    list_name = "_".join([*first, plural_of(last)])
    listed = {"type": "array", **limits, "items": _object_of(fields), **({"x-sort": order} if order else {})}
    return Results(returns=_object_of({list_name: listed}), at=list_name)


def status_result(
    reading: NameReading, leaves: Sequence[ArgumentLeaf], entity_fields: frozenset[str] = frozenset()
) -> Results:
    """Return the result of a tool that only reports what it was called for, and that it was done.

    Args:
        reading: What the tool does.
        leaves: Its arguments.
        entity_fields: Names that mean something of the entity that is acted on, and not the argument.
    """
    types = {"text": "string", "number": "number"}
    fields: dict[str, dict[str, Any]] = {
        leaf.slot: {"type": types[leaf.type], "x-from": leaf.slot}
        for leaf in leaves
        if leaf.required and leaf.type in types and "/" not in leaf.slot and leaf.slot not in entity_fields
        if is_id(leaf) or leaf.name[-1] in words("echoed")
    }
    verb = reading.says if reading.says is not None and reading.sentence else reading.verb
    state = "success" if reading.effect in READING else participle(verb.said)
    return Results(
        returns=_object_of({**fields, "status" if "status" not in entity_fields else "outcome": {"const": state}})
    )


def derive_results(tool: DerivedTool, templates: Mapping[str, Template], effect: ToolEffect | None) -> Results | None:
    """Return the results of a tool; None when nothing is known of what it returns."""
    if effect is not None:
        results = _entity_results(tool, templates, effect)
    else:
        results = None if tool.reading.effect in READING else status_result(tool.reading, tool.leaves)
    return None if results is None else msgspec.structs.replace(results, required=tuple(tool.required))


def _entity_results(tool: DerivedTool, templates: Mapping[str, Template], effect: ToolEffect) -> Results | None:
    """Return the results of a tool that acts on an entity: what they show of it."""
    entity, kind = effect.entity, effect.role.effect
    shown, key = _shown_fields(entity, effect), entity.key.shown
    if kind == "find":
        results = _list_result(entity.template, shown, {"maxItems": MOST_FOUND})
        return msgspec.structs.replace(results, keys={entity.noun: f"{results.at}/*/{key}"})
    if kind == "create":  # an identifier of its own, and what the call says of the new entity
        kept_names = (key, entity.state_field, *tool.required)
        fields = {name: schema for name, schema in shown.items() if name in kept_names}
        return Results(returns=_object_of(fields), keys={entity.noun: key}, is_new=True)
    if kind == "get" or {"move", "update"} & effect.written.keys():
        return Results(returns=_object_of(shown))
    if kind == "delete":
        outcome = "status" if "status" not in entity.fields else "outcome"
        is_gone = tool.verb in words("ending")
        outcome_field = {"deleted": {"const": True}} if is_gone else {outcome: {"const": participle(tool.verb)}}
        return Results(returns=_object_of({key: shown[key], **outcome_field}))
    if kind == "read":
        return _listed_parts(tool, entity, templates)
    return status_result(tool.reading, tool.leaves, frozenset(entity.fields))


def _shown_fields(entity: DerivedEntity, effect: ToolEffect) -> dict[str, Any]:
    """Return the fields of an entity that results show, with their schemas, its identifier first."""
    key = entity.key
    shown = {key.shown: _shown_schema(key.schema) | ({} if key.shown == key.field else {"x-field": key.field})}
    for name, schema in entity.template.fields.items():
        if name != key.field and not (effect.missing and "enum" in schema):  # nothing that could contradict a query
            shown[name] = _shown_schema(entity.fields[name])
    return shown


def _shown_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what remains to be declared of a field's values where an entity has them already."""
    return {key: schema[key] for key in ("type", "enum", "format") if key in schema}


def _listed_parts(tool: DerivedTool, entity: DerivedEntity, templates: Mapping[str, Template]) -> Results | None:
    """Return the results of a tool that looks at several things of an entity, such as its comments, of which the world knows nothing."""
    template, is_several = template_for(tool.reading, templates)
    if not is_several or template is None or template.noun == entity.noun:
        return None
    return _list_result(
        template, template.fields, {"minItems": 2, "maxItems": 4}, sort_field(tool.reading.description, template.fields)
    )


_SAYING = frozenset({"enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if"})
"""Keywords that say more of a result than its type."""


def says_more_than_text(returns: dict[str, Any]) -> bool:
    """Whether an output schema says more than that there is some text."""
    if _SAYING & returns.keys() or returns.get("type") in ("boolean", "integer", "number"):
        return True
    properties, _ = parts_of_object(returns)
    if properties.keys() <= {*words("reports")}:  # nothing, or only how the call went
        return False
    is_wrapped = len(properties) == 1 and properties.keys() <= {*words("wraps")}
    return not (is_wrapped and all(map(_has_no_fields, properties.values())))


def _has_no_fields(schema: Any) -> bool:
    return not any(part.get("properties") for part in _with_items(schema))


def _with_items(schema: Any) -> list[dict[str, Any]]:
    """Return a schema and that of its elements, where they are objects."""
    own_schema = schema if isinstance(schema, dict) else {}
    return [part for part in (own_schema, own_schema.get("items")) if isinstance(part, dict)]


def results_from_schema(returns: dict[str, Any], tool: DerivedTool, effect: ToolEffect | None) -> Results:
    """Return the results of a tool whose server says what it returns."""
    record = effect.record if effect is not None else None
    kind = effect.role.effect if effect is not None else ""
    if effect is not None and record is not None and record.shown and kind in ("find", "get", "create", "update"):
        return _record_results(returns, record, effect)
    shown = as_reported(returns, tool)
    return Results(
        returns=_in_first_state(shown) if tool.reading.effect == "create" else _with_queried_name(shown, tool)
    )


def _with_queried_name(shown: dict[str, Any], tool: DerivedTool) -> dict[str, Any]:
    """Return the schema of a search's result with one thing in its list of named things, called as it was looked for."""
    list_name, title = _list_of_named(shown) if tool.reading.effect in READING else ("", "")
    query_arguments = [slot for slot in tool.required if slot in tool.queries and slot.isidentifier()]
    if not list_name or not query_arguments or "enum" in shown["properties"][list_name]["items"]["properties"][title]:
        return shown
    listed = shown["properties"][list_name]
    item_properties = {**listed["items"]["properties"], title: {"type": "string", "x-from": query_arguments[0]}}
    listed = {**listed, "items": {**listed["items"], "properties": item_properties}, "minItems": 1, "maxItems": 1}
    return {**shown, "properties": {**shown["properties"], list_name: listed}}


def _list_of_named(returns: dict[str, Any]) -> tuple[str, str]:
    """Return the list of named things in a result, and the field with their names; empty texts where there is none."""
    properties, required = parts_of_object(returns)
    for name in [name for name in properties if name in required]:
        words_of_name = name_as_words(name).split()
        fields, required_fields = (
            parts_of_object(_with_items(properties[name])[-1]) if "items" in properties[name] else ({}, ())
        )
        texts = [
            field
            for field, schema in fields.items()
            if isinstance(schema, dict) and schema.get("type") == "string" and field in required_fields
        ]
        titles = [field for field in words("titles") if field in texts]
        titles += [field for field in texts if field.isidentifier() and not _is_hidden(field)]
        if titles and "".join(words_of_name).isalpha() and is_plural(words_of_name[-1]):
            return name, titles[0]
    return "", ""


def _is_hidden(field: str) -> bool:
    """Whether a field says nothing by itself: an identifier, an address."""
    return name_as_words(field).rpartition(" ")[2] in (*words("hard_ids"), "object", "type", "url")


def _in_first_state(returns: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what was made just now: in the first of its states, as schemas name them in order."""
    properties, _ = parts_of_object(returns)
    begun = {
        name: {**part, "enum": part["enum"][:1]}
        for name, part in properties.items()
        if isinstance(part, dict) and part.get("enum") and name_as_words(name).rpartition(" ")[2] in ("status", "state")
    }
    return {**returns, "properties": {**properties, **begun}} if begun else returns


def _record_results(returns: dict[str, Any], record: ResultRecord, effect: ToolEffect) -> Results:
    """Return the results of a tool with an output schema, in which an entity stands."""
    entity, kind = effect.entity, effect.role.effect
    pointer = "/".join(step for step in (record.at, "*" if kind == "find" else "", record.shown) if step)
    keys = {entity.noun: pointer} if kind in ("find", "create") else {}
    return Results(
        returns=showing_entity(returns, record, entity.fields, entity.key),
        keys=keys,
        is_new=kind == "create",
        at=record.at,
    )
