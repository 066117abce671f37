"""Results of tools, from what their servers declare or from the things that they are known to be about."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.effects import Doing, Kept
from generator.tools.describing.lexicon import READING, is_plural, plural_of, word_lists
from generator.tools.describing.reading import ArgumentLeaf, NameReading, is_id, participle
from generator.tools.describing.records import KindOf, ResultRecord, reporting, showing
from generator.tools.describing.things import TITLES, DerivedTool, Key, Thing, order_of, thing_of

_FEWEST = 2


_MOST = 4


_MOST_FOUND = 6


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool returns."""

    returns: dict[str, Any]
    keys: dict[str, str] = {}
    """Entity → where the result holds its identifier: `issues/*/issue_key`."""
    told: tuple[str, ...] = ()
    """The arguments that every call has."""
    is_new: bool = False
    """Whether what it identifies was made by the call."""
    at: str = ""
    """Where the entity or the list of found ones stands; empty when it is the result itself."""


def object_of(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has all these properties."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def listed(thing: Thing, fields: dict[str, dict[str, Any]], key: Key | None, order: str = "") -> Results:
    """Return what a search finds, in an order: of entities all that match, of other things a few.

    Without a `key` it is other things. `order` is the field that it is sorted by, after `-` for the greatest first.
    """
    *first, last = thing.noun.split(" ")
    place = "_".join([*first, plural_of(last)])
    items: dict[str, Any] = {
        "type": "array",
        **({"minItems": _FEWEST, "maxItems": _MOST} if key is None else {"maxItems": _MOST_FOUND}),
        "items": object_of(fields),
        **({"x-sort": order} if order and key is None else {}),
    }
    return Results(
        returns=object_of({place: items}),
        keys={thing.noun: f"{place}/*/{key.shown}"} if key is not None and key.shown in fields else {},
        at=place,
    )


def reporting_result(
    reading: NameReading, leaves: Sequence[ArgumentLeaf], taken: frozenset[str] = frozenset()
) -> Results:
    """Return the result of a tool that only reports what it was called for, and that it was done.

    Args:
        reading: What the tool does.
        leaves: Its arguments.
        taken: Names that mean something of the entity that is acted on, and not the argument.
    """
    status = "status" if "status" not in taken else "outcome"
    fields: dict[str, dict[str, Any]] = {}
    for leaf in leaves:
        if (
            leaf.required
            and leaf.type in ("text", "number")
            and "/" not in leaf.slot
            and leaf.slot not in taken
            and (is_id(leaf) or leaf.name[-1] in word_lists()["echoed"])
        ):
            fields[leaf.slot] = {"type": "string" if leaf.type == "text" else "number", "x-from": leaf.slot}
    verb = reading.says if reading.says is not None and reading.sentence else reading.verb
    if reading.effect in READING:
        return Results(returns=object_of({**fields, status: {"const": "success"}}))
    state = participle(verb.said)
    return Results(returns=object_of({**fields, status: {"const": state}}))


def results_of(told: DerivedTool, known: Mapping[str, Thing], doing: Doing | None) -> Results | None:
    """Return the results of a tool; None when nothing is known of what it returns."""
    if doing is not None:
        found = _of_entity(told, known, doing)
    else:
        found = None if told.reading.effect in READING else reporting_result(told.reading, told.leaves)
    if found is None:
        return None
    return msgspec.structs.replace(found, told=tuple(leaf.slot for leaf in told.leaves if leaf.required))


def _of_entity(told: DerivedTool, known: Mapping[str, Thing], doing: Doing) -> Results | None:
    """Return the results of a tool that acts on an entity: what they show of it."""
    kept, effect = doing.kept, doing.role.effect
    if effect == "find":
        return listed(kept.thing, _shown(kept, doing), kept.key)
    if effect == "create":
        return _created(told, kept)
    fields = _shown(kept, doing)
    if effect == "get" or {"move", "update"} & doing.effect.keys():
        return Results(returns=object_of(fields))
    if effect == "delete":
        own = {kept.key.shown: fields[kept.key.shown]}
        if told.verb in _ENDING:
            return Results(returns=object_of({**own, "deleted": {"const": True}}))
        outcome = "status" if "status" not in kept.fields else "outcome"
        return Results(returns=object_of({**own, outcome: {"const": participle(told.verb)}}))
    return (
        _read_of(told, kept, known)
        if effect == "read"
        else reporting_result(told.reading, told.leaves, frozenset(kept.fields))
    )


def _read_of(told: DerivedTool, kept: Kept, known: Mapping[str, Thing]) -> Results | None:
    """Return the results of a tool that looks at several things of an entity, such as its comments."""
    thing, many = thing_of(told.reading, known)
    return _several(thing, dict(thing.fields), told) if many and thing is not None and thing.noun != kept.noun else None


_ENDING = ("delete", "remove", "destroy", "erase", "purge", "drop")


def _shown(kept: Kept, doing: Doing | None) -> dict[str, Any]:
    """Return the fields of an entity that results show, its identifier first."""
    key = _seen(kept.key.schema) | ({} if kept.key.shown == kept.key.field else {"x-field": kept.key.field})
    found = {kept.key.shown: key}
    for name, schema in kept.thing.fields.items():
        if name == kept.key.field or (doing is not None and doing.is_vague and "enum" in schema):
            continue
        found[name] = _seen(kept.fields[name])
    return found


def _seen(schema: dict[str, Any]) -> dict[str, Any]:
    """Return what remains to be declared of a field's values where an entity has them already."""
    return {key: schema[key] for key in ("type", "enum", "format") if key in schema}


def _several(thing: Thing, fields: dict[str, dict[str, Any]], told: DerivedTool) -> Results:
    """Return what a search finds of things that are no entities of which the world knows."""
    if any(
        leaf.type == "text"
        and set(leaf.name) & _BOUNDS
        and set(leaf.name) & {*word_lists()["of_time"], "since", "until"}
        for leaf in told.leaves
    ):
        plain = {
            name: schema
            for name, schema in fields.items()
            if "time" not in (schema.get("x-kind"), schema.get("format"))
            and schema.get("format") not in ("date", "date-time")
        }
        fields = plain or fields
    return listed(thing, fields, None, order_of(told.reading.description, fields))


_BOUNDS = frozenset({*word_lists()["least"], *word_lists()["most"]})


def _created(told: DerivedTool, kept: Kept) -> Results:
    """Return the results of a tool that creates: an identifier of its own, and what the call says of the new entity."""
    key = kept.key
    given = {leaf.slot for leaf in told.leaves if leaf.required}
    fields = {
        name: schema
        for name, schema in _shown(kept, None).items()
        if name == key.shown or name in given or name == kept.states
    }
    return Results(returns=object_of(fields), keys={kept.noun: key.shown}, is_new=True)


_REPORTS = frozenset({"success", "message", "status", "ok", "error", "detail", "details"})


_WRAPS = frozenset({"result", "content", "text", "output", "message", "data", "response", "value"})


_SAYING = frozenset({"enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if"})
"""Keywords that say more of a result than its type."""


def is_telling(returns: dict[str, Any] | None) -> bool:
    """Whether an output schema says more than that there is some text."""
    if _SAYING & (returns or {}).keys() or (returns or {}).get("type") in ("boolean", "integer", "number"):
        return True
    properties = (returns or {}).get("properties")
    if not isinstance(properties, dict) or not properties:
        return False
    names = set(properties)
    if names <= _REPORTS:
        return False
    return not (len(names) == 1 and names <= _WRAPS and _is_open(next(iter(properties.values()))))


def _is_open(schema: Any) -> bool:
    return not isinstance(schema, dict) or not (
        schema.get("properties") or (schema.get("items") or {}).get("properties")
    )


def described_results(returns: dict[str, Any], told: DerivedTool, doing: Doing | None, kind_of: KindOf) -> Results:
    """Return the results of a tool whose server says what it returns."""
    record = doing.record if doing is not None else None
    if (
        doing is not None
        and record is not None
        and record.shown
        and doing.role.effect in ("find", "get", "create", "update")
    ):
        return _of_record(returns, record, doing, kind_of)
    shown = reporting(returns, told, kind_of)
    if told.reading.effect == "create":
        shown = _as_begun(shown)
    place, title = _named_list(shown) if told.reading.effect in READING else ("", "")
    return Results(returns=_holding_query(shown, place, title, told) if place else shown)


def _holding_query(shown: dict[str, Any], place: str, title: str, told: DerivedTool) -> dict[str, Any]:
    """Return the schema of a search's result with one thing in the list at `place`, called as it was looked for."""
    query = next(
        (leaf.slot for leaf in told.leaves if leaf.required and leaf.slot in told.queries and leaf.slot.isidentifier()),
        "",
    )
    listed = shown["properties"][place]
    if not query or "enum" in listed["items"]["properties"][title]:
        return shown
    items = {
        **listed["items"],
        "properties": {**listed["items"]["properties"], title: {"type": "string", "x-from": query}},
    }
    return {
        **shown,
        "properties": {**shown["properties"], place: {**listed, "items": items, "minItems": 1, "maxItems": 1}},
    }


def _named_list(returns: dict[str, Any]) -> tuple[str, str]:
    """Return the list of named things in a result, and the field with their names; empty texts where there is none."""
    for name, schema in (returns.get("properties") or {}).items():
        items = schema.get("items") if isinstance(schema, dict) else None
        items = items if isinstance(items, dict) else {}
        fields = items.get("properties")
        said = name_as_words(name)
        if (
            isinstance(fields, dict)
            and name in returns.get("required", ())
            and said.replace(" ", "").isalpha()
            and is_plural(said.split()[-1])
        ):
            title = next(
                (
                    one
                    for one in TITLES
                    if isinstance(fields.get(one), dict)
                    and fields[one].get("type") == "string"
                    and one in items.get("required", ())
                ),
                "",
            )
            title = title or next((one for one in _plain_fields(items) if fields[one]["type"] == "string"), "")
            if title:
                return name, title
    return "", ""


def _plain_fields(schema: dict[str, Any]) -> list[str]:
    """Return the properties that an object always has and that say something by themselves."""
    properties = schema.get("properties") or {}
    plain = [
        name
        for name, part in properties.items()
        if isinstance(part, dict)
        and part.get("type") in ("string", "integer", "number")
        and name in schema.get("required", ())
    ]
    hidden = (*word_lists()["hard_ids"], "object", "type", "url")
    return [name for name in plain if name.isidentifier() and name_as_words(name).split()[-1] not in hidden]


def _as_begun(returns: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of what was made just now: in the first of its states, as schemas name them in order."""
    properties = returns.get("properties")
    begun = {
        name: {**part, "enum": part["enum"][:1]}
        for name, part in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(part, dict) and part.get("enum") and name_as_words(name).split()[-1] in _STATES
    }
    return {**returns, "properties": {**properties, **begun}} if begun and isinstance(properties, dict) else returns


_STATES = ("status", "state")


def _of_record(returns: dict[str, Any], record: ResultRecord, doing: Doing, kind_of: KindOf) -> Results:
    """Return the results of a tool with an output schema, in which an entity stands."""
    kept, effect = doing.kept, doing.role.effect
    shown = showing(returns, record, kept.fields, kept.key, kind_of)
    way = f"{record.at}/" if record.at else ""
    place = {"find": f"{way}*/{record.shown}", "create": f"{way}{record.shown}"}.get(effect)
    keys = {kept.noun: place} if place is not None else {}
    return Results(returns=shown, keys=keys, is_new=effect == "create", at=record.at)
