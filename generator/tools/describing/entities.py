"""The entities of a server, derived from nouns, identifiers and arguments of its tools, and what each tool does to them.

A kind of thing becomes an entity when its fields are known (from data/entities.yaml, or from the arguments that make one)
and some argument identifies one. Its fields are those of the thing, under the names that the server's own arguments have
for them, what the server's searches filter by, and the identifiers of what it belongs to.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from generator.tools.describing.effects import Doing, Kept, Role, choices_of, doing_of, filter_of, is_required, means
from generator.tools.describing.lexicon import READING, word_lists
from generator.tools.describing.reading import ArgumentLeaf, entity_of, is_id
from generator.tools.describing.records import ResultRecord
from generator.tools.describing.things import DerivedTool, Key, Thing, named_by, thing_of

Schema = dict[str, Any]
_WRITING = ("create", "update")


def keep_entities(
    tools: Mapping[str, DerivedTool],
    known: Mapping[str, Thing],
    keys: Mapping[str, Key],
    records: Mapping[str, ResultRecord | None],
) -> "Keeping":
    """Return the entities of a server, and what its tools do to them."""
    nouns = frozenset(noun for noun, key in keys.items() if noun in known and key.field.isidentifier())
    roles: dict[str, Role] = {}
    for name, told in tools.items():
        role = _role_of(told, known, keys, nouns)
        if role is not None:
            role = _as_told(role, records[name], known[role.noun]) if name in records else role
            roles |= {name: role} if role.effect else {}
    kept: dict[str, Kept] = {}
    for noun in sorted(nouns, key=lambda noun: _depth(noun, roles, tools)):
        own = {name: role for name, role in roles.items() if role.noun == noun}
        if own:
            kept[noun] = _entity(known[noun], keys, own, tools, kept)
    doings, missing = {}, {}
    for name, role in roles.items():
        doing = doing_of(tools[name], role, kept)
        if isinstance(doing, str):
            doing = _of_holder(tools[name], role, kept) or doing
        if isinstance(doing, str):
            missing[name] = doing
        else:
            doings[name] = msgspec.structs.replace(
                doing, record=records.get(name), choices=choices_of(tools[name], doing.kept)
            )
    used = {
        noun for doing in doings.values() for noun in (doing.kept.noun, *doing.kept.holders, *doing.role.slots.values())
    }
    return Keeping(
        kinds={noun: entity for noun, entity in kept.items() if noun in used}, doings=doings, missing=missing
    )


def _of_holder(told: DerivedTool, role: Role, kept: Mapping[str, Kept]) -> Doing | None:
    """Return the effect of a search whose filters are not known as one that looks at what it asks for: the tags of a task."""
    slot = next(
        (
            slot
            for slot, noun in reversed(role.slots.items())
            if noun in kept and noun != role.noun and is_required(told, slot)
        ),
        "",
    )
    if role.effect != "find" or not slot:
        return None
    doing = doing_of(told, msgspec.structs.replace(role, effect="read", noun=role.slots[slot]), kept)
    return None if isinstance(doing, str) else doing


class Keeping(msgspec.Struct, frozen=True, kw_only=True):
    """The entities of a server, and what its tools do to them."""

    kinds: dict[str, Kept]
    """By noun."""
    doings: dict[str, Doing]
    """Tool → its effect."""
    missing: dict[str, str]
    """Tool → why it acts on no entity although it is about one."""


def _role_of(
    told: DerivedTool, known: Mapping[str, Thing], keys: Mapping[str, Key], nouns: frozenset[str]
) -> Role | None:
    """Return what a tool does as far as its verb, its noun and the identifiers that it takes tell."""
    thing, many = thing_of(told.reading, known)
    about = thing.noun if thing is not None else ""
    slots = {leaf.slot: noun for leaf in told.leaves if (noun := named_by(leaf, keys)) in nouns}
    required = [leaf.slot for leaf in told.leaves if leaf.required and leaf.slot in slots]
    own = [slot for slot in required if slots[slot] == about]
    effect = told.reading.effect
    main = own[-1] if own else required[-1] if required else ""
    if about in nouns and not own and effect in ("find", "get", "read") and many:
        return Role(effect="find", noun=about, slots=slots)
    if about in nouns and not own and effect == "create" and not many and not _names_some(told, about):
        return Role(effect="create", noun=about, slots=slots)
    if not main:
        return None
    noun = slots[main]
    if effect in READING:
        is_it = bool(own) or (thing is not None and noun in known and thing.fields.keys() == known[noun].fields.keys())
        return Role(effect="get" if is_it and not many and _is_whole(told) else "read", noun=noun, slots=slots)
    if effect == "delete":
        return Role(effect="delete" if own and _is_whole(told) else "act", noun=noun, slots=slots)
    if (
        effect == "create" and told.verb in word_lists()["planning"]
    ):  # parts are ordered for a job: whether they can be is up to the job
        noun = next((slots[slot] for slot in required if _has_states(known[slots[slot]])), noun)
    return Role(effect="update" if effect == "update" else "act", noun=noun, slots=slots)


def _has_states(thing: Thing) -> bool:
    return any("enum" in schema and name in ("status", "state") for name, schema in thing.fields.items())


def _as_told(role: Role, record: ResultRecord | None, thing: Thing) -> Role:
    """Return the role of a tool whose output schema is known: only what is shown there can be an entity."""
    alike = record is not None and 2 * len(record.fields.keys() & thing.fields.keys()) >= len(thing.fields)
    fits = (
        record is not None
        and alike
        and _agree(record, thing)
        and record.shown
        and record.is_list == (role.effect == "find")
    )
    if fits or role.effect not in ("find", "get", "create", "update"):
        is_other = (
            record is not None and not record.at and not record.is_list and not fits and not _agree(record, thing)
        )
        return msgspec.structs.replace(role, effect="") if is_other else role
    return msgspec.structs.replace(role, effect={"find": "", "create": "", "get": "read", "update": "act"}[role.effect])


def _agree(record: ResultRecord, thing: Thing) -> bool:
    """Whether the record can show the thing."""
    for name, schema in thing.fields.items():
        shown = record.fields.get(name, schema)
        if shown.get("type") != schema.get("type") and not (
            schema.get("type") == "integer" and shown.get("type") == "number"
        ):
            return False
        if any(
            shown.get(part, schema.get(part)) != schema.get(part)
            for part in ("format", "pattern", "minimum", "maximum", "multipleOf")
        ):
            return False
        if "enum" in shown and not set(schema.get("enum", (None,))) <= set(shown["enum"]):
            return False
    return True


def _names_some(told: DerivedTool, noun: str) -> bool:
    """Whether a call names existing things of a kind, such as issues that are added to a sprint."""
    return any(
        leaf.required and entity_of(leaf) == noun and (leaf.type == "list" or is_id(leaf)) for leaf in told.leaves
    )


def _is_whole(told: DerivedTool) -> bool:
    """Whether a tool is about a whole thing and not about a part of it ("section of a page")."""
    name = [word for word in told.reading.name if word not in word_lists()["determiners"]]
    return len(name) <= 2 or not set(name) & set(word_lists()["prepositions"])


def _depth(noun: str, roles: Mapping[str, Role], tools: Mapping[str, DerivedTool]) -> tuple[int, str]:
    """Return a sort key: how many other kinds the tools that list or make it ask for, so that holders come first."""
    asked = {
        other
        for name, role in roles.items()
        if role.noun == noun and role.effect in ("find", "create")
        for slot, other in role.slots.items()
        if other != noun and is_required(tools[name], slot)
    }
    return len(asked), noun


def _entity(
    thing: Thing,
    keys: Mapping[str, Key],
    own: Mapping[str, Role],
    tools: Mapping[str, DerivedTool],
    kept: Mapping[str, Kept],
) -> Kept:
    """Return the entity with all fields that its tools know."""
    key = keys[thing.noun]
    thing = _renamed(thing, own, tools)
    fields: dict[str, Schema] = {
        key.field: key.schema,
        **{name: dict(schema) for name, schema in thing.fields.items() if name != key.field},
    }
    holders: list[str] = []
    for name, role in own.items():
        for slot, noun in role.slots.items():
            other = kept.get(noun)
            says = role.effect in ("find", "create") or (
                role.effect in ("get", "delete", "read", "act") and is_required(tools[name], slot)
            )
            if other is not None and noun != thing.noun and other.key.field not in fields and says:
                fields[other.key.field] = {}
                holders.append(noun)
    _add_filters(fields, thing, own, tools, {key.field for key in keys.values()})
    states = next(
        (
            name
            for name, schema in fields.items()
            if len(schema.get("enum", ())) > 1
            and (name in (thing.names.get("state"), thing.names.get("status"), "state", "status"))
        ),
        "",
    )
    if states and states not in thing.fields:
        thing = msgspec.structs.replace(thing, fields={**thing.fields, states: fields[states]})
    return Kept(noun=thing.noun, key=key, fields=fields, thing=thing, states=states, holders=tuple(holders))


def _add_filters(
    fields: dict[str, Schema], thing: Thing, own: Mapping[str, Role], tools: Mapping[str, DerivedTool], taken: set[str]
) -> None:
    """Add the fields by which searches can filter, and the choices that they list."""
    written = {leaf.slot for name, role in own.items() if role.effect in _WRITING for leaf in tools[name].leaves}
    for name, role in own.items():
        for leaf in tools[name].leaves:
            if leaf.slot in role.slots or "/" in leaf.slot:
                continue
            found = filter_of(leaf, tools[name], role.effect, fields, written)
            if found is not None and found.field and found.field not in fields and found.field not in taken:
                fields[found.field] = found.schema
            elif found is not None and not thing.is_recorded and found.values and "enum" in fields.get(found.field, {}):
                known = fields[found.field]["enum"]
                fields[found.field] = {
                    **fields[found.field],
                    "enum": [*known, *[value for value in found.values if value not in known]],
                }


def _renamed(thing: Thing, own: Mapping[str, Role], tools: Mapping[str, DerivedTool]) -> Thing:
    """Return the thing with the names and choices that the server's arguments have for its fields."""
    if thing.is_recorded:
        return thing
    names: dict[str, str] = {}
    fields: dict[str, Schema] = {}
    for field, schema in thing.fields.items():
        meant = [
            leaf
            for name, role in own.items()
            if role.effect in ("create", "update", "find")
            for leaf in tools[name].leaves
            if "/" not in leaf.slot and means(leaf, field, schema)
        ]
        slots = Counter(leaf.slot.removeprefix("new_") for leaf in meant if leaf.slot.isidentifier())
        name = slots.most_common(1)[0][0] if slots and field not in slots else field
        name = field if name in fields or (name != field and name in thing.fields) else name
        choices = list(
            dict.fromkeys(
                value
                for leaf in meant
                for value in leaf.schema.get("enum", ())
                if isinstance(value, str) and value not in word_lists()["anything"]
            )
        )
        names[field] = name
        fields[name] = {"type": "string", "enum": choices} if choices and schema.get("type") == "string" else schema
    return _with_moment(msgspec.structs.replace(thing, fields=fields, names=names), own, tools)


def _with_moment(thing: Thing, own: Mapping[str, Role], tools: Mapping[str, DerivedTool]) -> Thing:
    """Return the thing with one moment in place of date and time, where the server's arguments have it so."""
    day, time = thing.names.get("date", ""), thing.names.get("time", "")
    leaves = [
        (leaf, tools[name]) for name, role in own.items() if role.effect in _WRITING for leaf in tools[name].leaves
    ]
    moments = [leaf.slot for leaf, told in leaves if leaf.name[0] in word_lists()["moments"] and _is_moment(leaf, told)]
    if not moments or {day, time} & {leaf.slot for leaf, _ in leaves} or day not in thing.fields:
        return thing
    slot = Counter(moments).most_common(1)[0][0]
    kept = {name: schema for name, schema in thing.fields.items() if name not in (day, time)}
    return msgspec.structs.replace(thing, fields={**kept, slot: {"type": "string", "format": "date-time"}})


def _is_moment(leaf: ArgumentLeaf, told: DerivedTool) -> bool:
    return leaf.slot.isidentifier() and (
        leaf.schema.get("format") == "date-time"
        or told.values[leaf.slot].kind in ("date_time", "local_date_time", "local_date_time_seconds")
    )
