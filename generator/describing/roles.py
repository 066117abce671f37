"""What each tool of a server does, and to which kind of entity."""

from collections.abc import Mapping

import msgspec

from generator.describing.lexicon import READING, word_lists
from generator.describing.reading import entity_of, is_id
from generator.describing.records import ResultRecord
from generator.describing.things import DerivedTool, Key, Thing, named_by, thing_of


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool does, and to which kind of entity."""

    effect: str
    """`find`, `get`, `create`, `update`, `delete`, `read` or `act`."""
    noun: str
    slots: dict[str, str]
    """Argument → the noun of the entity that it identifies."""

    def own(self) -> list[str]:
        """Return the arguments that identify an entity of the role's own kind."""
        return [slot for slot, noun in self.slots.items() if noun == self.noun]


def role_of(told: DerivedTool, known: Mapping[str, Thing], keys: Mapping[str, Key], nouns: frozenset[str]) -> Role | None:
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
    return Role(effect="update" if effect == "update" else "act", noun=noun, slots=slots)


def role_as_shown(role: Role, record: ResultRecord | None, thing: Thing) -> Role:
    """Return the role of a tool whose output schema is known: only what is shown there can be an entity."""
    alike = record is not None and 2 * len(record.fields.keys() & thing.fields.keys()) >= len(thing.fields)
    fits = record is not None and alike and _agree(record, thing) and record.shown and record.is_list == (role.effect == "find")
    if fits or role.effect not in ("find", "get", "create", "update"):
        is_other = record is not None and not record.at and not record.is_list and not fits and not _agree(record, thing)
        return msgspec.structs.replace(role, effect="") if is_other else role
    return msgspec.structs.replace(role, effect={"find": "", "create": "", "get": "read", "update": "act"}[role.effect])


def _agree(record: ResultRecord, thing: Thing) -> bool:
    """Whether the record can show the thing."""
    for name, schema in thing.fields.items():
        shown = record.fields.get(name, schema)
        if shown.get("type") != schema.get("type") and not (schema.get("type") == "integer" and shown.get("type") == "number"):
            return False
        if any(shown.get(part, schema.get(part)) != schema.get(part) for part in ("format", "pattern", "minimum", "maximum", "multipleOf")):
            return False
        if "enum" in shown and not set(schema.get("enum", (None,))) <= set(shown["enum"]):
            return False
    return True


def _names_some(told: DerivedTool, noun: str) -> bool:
    """Whether a call names existing things of a kind, such as issues that are added to a sprint."""
    return any(leaf.required and entity_of(leaf) == noun and (leaf.type == "list" or is_id(leaf)) for leaf in told.leaves)


def _is_whole(told: DerivedTool) -> bool:
    """Whether a tool is about a whole thing and not about a part of it ("section of a page")."""
    name = [word for word in told.reading.name if word not in word_lists()["determiners"]]
    return len(name) <= 2 or not set(name) & set(word_lists()["prepositions"])


def depth_of(noun: str, roles: Mapping[str, Role], tools: Mapping[str, DerivedTool]) -> tuple[int, str]:
    """Return a sort key: how many other kinds the tools that list or make it ask for, so that holders come first."""
    asked = {other for name, role in roles.items() if role.noun == noun and role.effect in ("find", "create") for slot, other in role.slots.items() if other != noun and is_required(tools[name], slot)}
    return len(asked), noun


def is_required(told: DerivedTool, slot: str) -> bool:
    """Whether every call of the tool holds the argument."""
    return any(leaf.slot == slot and leaf.required for leaf in told.leaves)
