"""The entities of a server, derived from nouns, identifiers and arguments of its tools, and what each tool does to them.

A kind of thing becomes an entity when its fields are known (from data/entities.yaml, or from the arguments that make one)
and some argument identifies one. Its fields are those of the thing, under the names that the server's own arguments have
for them, what the server's searches filter by, and the identifiers of what it belongs to.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.tools.describing.effects import (
    DerivedEntity,
    Role,
    ToolEffect,
    choices_for_arguments,
    derive_effect,
    filter_of_argument,
    means_field,
)
from generator.tools.describing.entity_templates import DerivedTool, Key, Template, identified_noun, template_for
from generator.tools.describing.lexicon import READING, words
from generator.tools.describing.reading import entity_noun, is_id
from generator.tools.describing.records import ResultRecord

Schema = dict[str, Any]
_WRITING = ("create", "update")


class ServerEntities(msgspec.Struct, frozen=True):
    """The entities of a server, and what its tools do to them."""

    kinds: dict[str, DerivedEntity]
    """By noun."""
    effects: dict[str, ToolEffect]
    """By tool."""
    missing: dict[str, str]
    """Tool → why it acts on no entity although it is about one."""


def entities_and_effects(
    tools: Mapping[str, DerivedTool],
    templates: Mapping[str, Template],
    keys: Mapping[str, Key],
    records: Mapping[str, ResultRecord | None],
) -> ServerEntities:
    """Return the entities of a server, and what its tools do to them."""
    nouns = frozenset(noun for noun, key in keys.items() if noun in templates and key.field.isidentifier())
    roles: dict[str, Role] = {}
    for name, tool in tools.items():
        role = _tool_role(tool, templates, keys, nouns)
        if role is not None:
            role = _role_in_output(role, records[name], templates[role.noun]) if name in records else role
            roles |= {name: role} if role.effect else {}
    entities: dict[str, DerivedEntity] = {}
    for noun in sorted(nouns, key=lambda noun: _sort_key(noun, roles, tools)):
        tools_and_roles = [(tools[name], role) for name, role in roles.items() if role.noun == noun]
        if tools_and_roles:
            entities[noun] = _entity_with_fields(templates[noun], keys, tools_and_roles, entities)
    effects, missing = dict[str, ToolEffect](), dict[str, str]()
    for name, role in roles.items():
        effect = derive_effect(tools[name], role, entities)
        if isinstance(effect, str):
            missing[name] = effect
        else:
            choices = choices_for_arguments(tools[name], effect.entity)
            effects[name] = msgspec.structs.replace(effect, record=records.get(name), choices=choices)
    used = {
        noun
        for effect in effects.values()
        for noun in (effect.entity.noun, *effect.entity.holders, *effect.role.slots.values())
    }
    return ServerEntities({noun: entity for noun, entity in entities.items() if noun in used}, effects, missing)


Users = Sequence[tuple[DerivedTool, Role]]
"""The tools that act on one kind of entity, each with its role."""


def _tool_role(
    tool: DerivedTool, templates: Mapping[str, Template], keys: Mapping[str, Key], nouns: frozenset[str]
) -> Role | None:
    """Return what a tool does as far as its verb, its noun and the identifiers that it takes tell."""
    template, is_several = template_for(tool.reading, templates)
    subject_noun = template.noun if template is not None else ""
    slots = {leaf.slot: noun for leaf in tool.leaves if (noun := identified_noun(leaf, keys)) in nouns}
    required = [leaf.slot for leaf in tool.leaves if leaf.required and leaf.slot in slots]
    own_slots = [slot for slot in required if slots[slot] == subject_noun]
    effect = tool.reading.effect
    main = own_slots[-1] if own_slots else required[-1] if required else ""
    if subject_noun in nouns and not own_slots and effect in ("find", "get", "read") and is_several:
        return Role(effect="find", noun=subject_noun, slots=slots)
    if (
        subject_noun in nouns
        and not own_slots
        and effect == "create"
        and not is_several
        and not _takes_existing(tool, subject_noun)
    ):
        return Role(effect="create", noun=subject_noun, slots=slots)
    if not main:
        return None
    noun = slots[main]
    if effect in READING:
        is_it = bool(own_slots) or (
            template is not None and noun in templates and template.fields.keys() == templates[noun].fields.keys()
        )
        return Role(
            effect="get" if is_it and not is_several and _is_about_whole(tool) else "read", noun=noun, slots=slots
        )
    if effect == "delete":
        return Role(effect="delete" if own_slots and _is_about_whole(tool) else "act", noun=noun, slots=slots)
    if effect == "create" and tool.verb in words("planning"):
        # parts are ordered for a job: whether they can be is up to the job
        noun = next((slots[slot] for slot in required if _has_states(templates[slots[slot]])), noun)
    return Role(effect="update" if effect == "update" else "act", noun=noun, slots=slots)


def _has_states(template: Template) -> bool:
    return any("enum" in schema and name in ("status", "state") for name, schema in template.fields.items())


def _role_in_output(role: Role, record: ResultRecord | None, template: Template) -> Role:
    """Return the role of a tool whose output schema is known: only what is shown there can be an entity."""
    agrees = record is not None and _can_show(record, template)
    fits = (
        record is not None
        and agrees
        and 2 * len(record.fields.keys() & template.fields.keys()) >= len(template.fields)
        and record.shown
        and record.is_list == (role.effect == "find")
    )
    effect = role.effect
    if not fits and effect in ("find", "get", "create", "update"):
        effect = {"find": "", "create": "", "get": "read", "update": "act"}[effect]
    elif record is not None and not (record.at or record.is_list or agrees):
        effect = ""
    return msgspec.structs.replace(role, effect=effect)


def _can_show(record: ResultRecord, template: Template) -> bool:
    """Whether the record can show the thing."""
    for name, schema in template.fields.items():
        shown = record.fields.get(name, schema)
        types = (schema.get("type"), "number" if schema.get("type") == "integer" else schema.get("type"))
        limits = ("format", "pattern", "minimum", "maximum", "multipleOf")
        if shown.get("type") not in types or any(shown.get(key, schema.get(key)) != schema.get(key) for key in limits):
            return False
        if "enum" in shown and not set(schema.get("enum", (None,))) <= set(shown["enum"]):
            return False
    return True


def _takes_existing(tool: DerivedTool, noun: str) -> bool:
    """Whether a call names existing things of a kind, such as issues that are added to a sprint."""
    return any(
        leaf.required and entity_noun(leaf) == noun and (leaf.type == "list" or is_id(leaf)) for leaf in tool.leaves
    )


def _is_about_whole(tool: DerivedTool) -> bool:
    """Whether a tool is about a whole thing and not about a part of it ("section of a page")."""
    name = [word for word in tool.reading.name if word not in words("determiners")]
    return len(name) <= 2 or not set(name) & set(words("prepositions"))


def _sort_key(noun: str, roles: Mapping[str, Role], tools: Mapping[str, DerivedTool]) -> tuple[int, str]:
    """Return a sort key: how many other kinds the tools that list or make it ask for, so that holders come first."""
    asked_nouns = {
        other
        for name, role in roles.items()
        if role.noun == noun and role.effect in ("find", "create")
        for slot, other in role.slots.items()
        if other != noun and slot in tools[name].required
    }
    return len(asked_nouns), noun


def _entity_with_fields(
    template: Template, keys: Mapping[str, Key], users: Users, entities: Mapping[str, DerivedEntity]
) -> DerivedEntity:
    """Return the entity with all fields that its tools know; `entities` are those that it may belong to."""
    key = keys[template.noun]
    template = template if template.is_recorded else _with_server_names(template, users)
    fields: dict[str, Schema] = {key.field: key.schema}
    fields |= {name: dict(schema) for name, schema in template.fields.items() if name != key.field}
    holders: list[str] = []
    for tool, role in users:
        for slot, noun in role.slots.items():
            says = role.effect in ("find", "create") or (role.effect != "update" and slot in tool.required)
            if noun in entities and noun != template.noun and entities[noun].key.field not in fields and says:
                fields[entities[noun].key.field] = {}
                holders.append(noun)
    _add_filters(fields, template, users, {key.field for key in keys.values()})
    state_names = (template.names.get("state"), template.names.get("status"), "state", "status")
    listed = (name for name, schema in fields.items() if len(schema.get("enum", ())) > 1 and name in state_names)
    states = next(listed, "")
    if states and states not in template.fields:
        template = msgspec.structs.replace(template, fields={**template.fields, states: fields[states]})
    return DerivedEntity(
        noun=template.noun, key=key, fields=fields, template=template, state_field=states, holders=tuple(holders)
    )


def _add_filters(fields: dict[str, Schema], template: Template, users: Users, key_fields: set[str]) -> None:
    """Add the fields by which searches can filter, and the choices that they list."""
    written = {leaf.slot for tool, role in users if role.effect in _WRITING for leaf in tool.leaves}
    for tool, role in users:
        for leaf in tool.leaves:
            if leaf.slot in role.slots or "/" in leaf.slot:
                continue
            filter_of_leaf = filter_of_argument(leaf, tool, role.effect, fields, written)
            if (
                filter_of_leaf is not None
                and filter_of_leaf.field
                and filter_of_leaf.field not in fields
                and filter_of_leaf.field not in key_fields
            ):
                fields[filter_of_leaf.field] = filter_of_leaf.schema
            elif (
                filter_of_leaf is not None
                and not template.is_recorded
                and "enum" in fields.get(filter_of_leaf.field, {})
            ):
                schema = fields[filter_of_leaf.field]
                fields[filter_of_leaf.field] = {
                    **schema,
                    "enum": list(dict.fromkeys([*schema["enum"], *filter_of_leaf.values])),
                }


def _with_server_names(template: Template, users: Users) -> Template:
    """Return the thing with the names and choices that the server's arguments have for its fields."""
    names: dict[str, str] = {}
    fields: dict[str, Schema] = {}
    telling = [leaf for tool, role in users if role.effect in (*_WRITING, "find") for leaf in tool.leaves]
    for field, schema in template.fields.items():
        matching_leaves = [leaf for leaf in telling if "/" not in leaf.slot and means_field(leaf, field, schema)]
        slots = Counter(leaf.slot.removeprefix("new_") for leaf in matching_leaves if leaf.slot.isidentifier())
        name = slots.most_common(1)[0][0] if slots and field not in slots else field
        name = field if name in fields or (name != field and name in template.fields) else name
        listed = [value for leaf in matching_leaves for value in leaf.schema.get("enum", ()) if isinstance(value, str)]
        kept = [value for value in dict.fromkeys(listed) if value not in words("anything")]
        names[field] = name
        fields[name] = {"type": "string", "enum": kept} if kept and schema.get("type") == "string" else schema
    return msgspec.structs.replace(template, fields=fields, names=names)
