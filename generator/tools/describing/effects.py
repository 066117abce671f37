"""The effects of tools on entities, as spec files write them: by which arguments, with which changes, under which conditions."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.tools.describing.filters import Filter, filter_of, means
from generator.tools.describing.lexicon import word_lists
from generator.tools.describing.reading import ArgumentLeaf
from generator.tools.describing.results.records import ResultRecord
from generator.tools.describing.things import DerivedTool, Key, Thing, order_of

Schema = dict[str, Any]
_OFTEN = 6
"""How much more often things are in another state than called off when a conversation begins."""


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


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of entity that a server keeps."""

    noun: str
    key: Key
    fields: dict[str, Schema]
    """All fields, as a spec file writes them."""
    thing: Thing
    """The thing, with fields and sentences under the server's own names."""
    states: str = ""
    """The field that holds its state."""
    holders: tuple[str, ...] = ()
    """The nouns of the entities that it belongs to."""

    @property
    def name(self) -> str:
        """Return its name as spec files write it."""
        return self.noun.replace(" ", "_")

    def declared(self) -> dict[str, Any]:
        """Return the entity as a spec file declares it."""
        fields = dict(self.fields)
        if self.states:
            states = list(fields[self.states]["enum"])
            usual = [state for state in states if state.lower() not in word_lists()["called_off"]]
            weights = (
                {"examples": [*usual * _OFTEN, *[state for state in states if state not in usual]]}
                if 0 < len(usual) < len(states)
                else {}
            )
            fields[self.states] = {"states": states, **weights}
        title = next(iter(self.thing.fields))
        is_name = (
            title != self.key.field and "enum" not in self.fields[title] and self.fields[title].get("type") == "string"
        )
        return {"key": self.key.field, "fields": fields} | ({"called": [title]} if is_name else {})


class Doing(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of one tool, and what follows from it for the arguments."""

    kept: Kept
    role: Role
    effect: dict[str, Any]
    """The effect as a spec file writes it, without `at`."""
    unsaid: tuple[str, ...] = ()
    """Optional arguments whose filter is not known; they are left out of calls."""
    missing: tuple[str, ...] = ()
    """What an author must add."""
    choices: dict[str, list[Any]] = {}
    """Argument → the values of the field that it stands for, where its own schema does not list them."""
    record: ResultRecord | None = None
    """Where the entity stands in the result, if the server's output schema says so."""
    is_vague: bool = False
    """Whether the filters of a search are not understood, so that its results show only what cannot contradict them."""


def is_required(told: DerivedTool, slot: str) -> bool:
    """Whether every call holds an argument."""
    return any(leaf.slot == slot and leaf.required for leaf in told.leaves)


def doing_of(told: DerivedTool, role: Role, kept: Mapping[str, Kept]) -> Doing | str:
    """Return the effect of a tool, or why none can be derived."""
    entity = kept[role.noun]
    slots = {slot: noun for slot, noun in role.slots.items() if noun in kept}
    refers = {slot: kept[noun].name for slot, noun in slots.items() if slot != kept[noun].key.field}
    own = [slot for slot in role.own() if is_required(told, slot)]
    by: dict[str, Any] = {own[-1]: entity.key.field} if own and role.effect not in ("find", "create") else {}
    if role.effect in ("get", "update", "delete"):
        by |= {
            leaf.slot: leaf.slot
            for leaf in told.leaves
            if leaf.required and leaf.slot in entity.fields and leaf.slot in told.pairs
        }
    if by and role.effect in ("get", "delete", "read", "act"):
        holding = {
            slot: kept[noun].key.field for slot, noun in slots.items() if slot not in by and is_required(told, slot)
        }
        by |= {slot: field for slot, field in holding.items() if field in entity.fields and field not in by.values()}
    if role.effect == "find":
        return _search(told, role, entity, slots, kept, refers)
    effect: dict[str, Any] = {role.effect: entity.name, "by": by}
    unsaid: tuple[str, ...] = ()
    state = _leads_to(told, entity) if role.effect == "delete" else ""
    if state:  # what is called off stays, in that state
        effect = {"move": entity.name, "by": by, "to": state, "needs": _needs_of_move(entity, state)}
    elif role.effect == "create":
        del effect["by"]
        effect["set"] = {field: value for field, value in _start(entity).items() if field not in _given(told)}
        effect["set"] |= _changes(told, role, entity)
        effect["needs"] = _needs_of_holders(told, entity, slots, kept)
        unsaid = tuple(leaf.slot for leaf in told.leaves if leaf.slot in role.own() and not leaf.required)
    elif role.effect == "update":
        effect = _update(told, role, entity, by)
    if role.effect in ("update", "act") and "move" not in effect and by:
        effect["needs"] = _needs(told, entity)
    return Doing(kept=entity, role=role, effect=_plain({**effect, "refers": refers}), unsaid=unsaid)


def choices_of(told: DerivedTool, entity: Kept) -> dict[str, list[Any]]:
    """Return the choices of fields for arguments that stand for them and are plain texts."""
    found: dict[str, list[Any]] = {}
    for leaf in told.leaves:
        if leaf.type == "text" and not leaf.schema.keys() & {"enum", "const", "pattern", "format"}:
            fitting = (
                schema["enum"]
                for field, schema in entity.fields.items()
                if "enum" in schema and means(leaf, field, schema)
            )
            choices = next(fitting, None)
            if choices is not None:
                found[leaf.slot] = list(choices)
    return found


def _update(told: DerivedTool, role: Role, entity: Kept, by: dict[str, Any]) -> dict[str, Any]:
    """Return the effect of a tool that changes a thing: a move to the state that the verb means, an update of fields, or an act."""
    state = _leads_to(told, entity)
    if state:
        return {"move": entity.name, "by": by, "to": state, "needs": _needs_of_move(entity, state)}
    changes = _changes(told, role, entity)
    given = {leaf.slot for leaf in told.leaves} & entity.fields.keys() - by.keys() - {entity.key.field}
    return {"update" if changes or given else "act": entity.name, "by": by, "set": changes}


def _needs(told: DerivedTool, entity: Kept) -> list[dict[str, Any]]:
    """What must be so before a thing is changed: that it was not called off (nor done, to be assigned), unless the call may say otherwise."""
    over = (*word_lists()["called_off"], *(word_lists()["finished"] if told.verb in word_lists()["planning"] else ()))
    if entity.states in _given(told) or told.verb in word_lists()["leads_to"]:
        return []
    return _in_none_of(entity, over)


def _needs_of_move(entity: Kept, to: str) -> list[dict[str, Any]]:
    """What must be so before a thing is called off: that it was not yet, and is not done."""
    over = (*word_lists()["called_off"], *word_lists()["finished"])
    return _in_none_of(entity, over) if to.lower() in word_lists()["called_off"] else []


def _in_none_of(entity: Kept, over: Sequence[str]) -> list[dict[str, Any]]:
    """Return the need that a thing is in none of these states; none where all or none of its states are among them."""
    states = entity.fields[entity.states]["enum"] if entity.states else ()
    usual = [state for state in states if state.lower() not in over]
    if not usual or len(usual) == len(states):
        return []
    return [
        {
            entity.states: usual,
            "error": "wrong_state",
            "say": f"{entity.noun} {{{entity.key.field}}} is {{{entity.states}}}",
        }
    ]


def _needs_of_holders(
    told: DerivedTool, entity: Kept, slots: Mapping[str, str], kept: Mapping[str, Kept]
) -> list[dict[str, Any]]:
    """Return what must be so before a thing is made for others: that these were not called off."""
    over = word_lists()["called_off"]
    found = []
    for slot, noun in slots.items():
        holder = kept[noun]
        states = holder.fields[holder.states]["enum"] if holder.states else ()
        gone = [state for state in states if state.lower() in over]
        if noun != entity.noun and is_required(told, slot) and slot.isidentifier() and gone and len(gone) < len(states):
            state = f"find({holder.name}, {holder.states}, {holder.key.field}, args.{slot})"
            that = " and ".join(f"{state} != {one!r}" for one in gone)
            found.append({"that": that, "error": "wrong_state", "say": f"{noun} {{args.{slot}}} is over"})
    return found


def _leads_to(told: DerivedTool, entity: Kept) -> str:
    """Return the state that a verb such as "archive" leads to; empty if there is none."""
    states = entity.fields[entity.states]["enum"] if entity.states else ()
    verb = told.verb
    return next(
        (
            state
            for wanted in word_lists()["leads_to"].get(verb, ())
            for state in states
            if state.lower().replace("_", " ") == wanted
        ),
        "",
    )


def _changes(told: DerivedTool, role: Role, entity: Kept) -> dict[str, Any]:
    """Return field → the argument of another name that gives its new value."""
    found = {}
    for leaf in told.leaves:
        if leaf.slot in role.slots or leaf.slot in entity.fields or not leaf.slot.isidentifier():
            continue
        for field, schema in entity.fields.items():
            if (
                field not in found
                and field not in _given(told)
                and field != entity.key.field
                and means(leaf, field, schema)
            ):
                found[field] = f"args.{leaf.slot}"
                break
    return found


def _given(told: DerivedTool) -> set[str]:
    return {leaf.slot for leaf in told.leaves}


def _start(entity: Kept) -> dict[str, Any]:
    """Return field → its value in a new entity, whatever the call says."""
    found: dict[str, Any] = {}
    for field, value in entity.thing.start.items():
        name = entity.thing.names.get(field, field)
        if name in entity.fields:
            found[name] = value
    found |= {field: "today" for field in entity.fields if field in word_lists()["made"]}
    found |= {field: False for field, schema in entity.fields.items() if schema.get("type") == "boolean"}
    if entity.states:
        states = entity.fields[entity.states]["enum"]
        first = next(
            (
                state
                for wanted in word_lists()["first_states"]
                for state in states
                if state.lower().replace("_", " ") == wanted
            ),
            states[0],
        )
        found[entity.states] = first
    return found


def _search(
    told: DerivedTool,
    role: Role,
    entity: Kept,
    slots: Mapping[str, str],
    kept: Mapping[str, Kept],
    refers: dict[str, str],
) -> Doing | str:
    """Return the effect of a search that honours every argument; arguments that it cannot honour are never said."""
    by: dict[str, Any] = {}
    unsaid, missing = [], []
    limit = None
    for leaf in told.leaves:
        known = _narrowed(leaf, told, entity, slots, kept)
        if known is not None and known.by:
            by[leaf.slot] = known.by
        elif known is not None:
            limit = leaf.slot if known.is_limit else limit
        elif not leaf.required:
            unsaid.append(leaf.slot.split("/")[0])
        elif leaf.slot in told.opaque:
            missing.append(f"effect: what {leaf.slot} asks for is not followed")
        else:
            return f"effect: it is not known what {leaf.slot} leaves out"
    effect = _plain(
        {
            "find": entity.name,
            "by": by,
            "sort": order_of(told.reading.description, entity.fields) or _usual_order(told, entity, by),
            "limit": limit,
            "refers": refers,
        }
    )
    return Doing(
        kept=entity, role=role, effect=effect, unsaid=tuple(unsaid), missing=tuple(missing), is_vague=bool(missing)
    )


def _usual_order(told: DerivedTool, entity: Kept, by: Mapping[str, Any]) -> str:
    """Return by which field lists of a thing are sorted where nothing says so: by its day, those of the past backwards; those of one day by their time.

    Args:
        told: The search.
        entity: The kind of thing.
        by: Argument → the field that it filters by, or an expression.
    """
    days = [name for name in entity.thing.fields if entity.fields[name].get("format") in ("date", "date-time")]
    times = [
        name
        for name in entity.thing.fields
        if "time" in (entity.fields[name].get("x-kind"), entity.fields[name].get("format"))
    ]
    is_one_day = bool(days) and any(field == days[0] and is_required(told, slot) for slot, field in by.items())
    if times and (is_one_day or not days):
        return times[0]
    if not days:
        return ""
    return f"-{days[0]}" if entity.fields[days[0]].get("x-when") == "past" else days[0]


def _narrowed(
    leaf: ArgumentLeaf, told: DerivedTool, entity: Kept, slots: Mapping[str, str], kept: Mapping[str, Kept]
) -> Filter | None:
    """Return the filter that an argument of a search applies; None when it is not known, or about no field of the entity."""
    if leaf.slot in slots:
        field = kept[slots[leaf.slot]].key.field
        return Filter(by=field) if field in entity.fields else None
    known = filter_of(leaf, told, "find", entity.fields, frozenset()) if "/" not in leaf.slot else None
    return None if known is not None and known.field and known.field not in entity.fields else known


def _plain(effect: dict[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in effect.items() if part not in (None, {}, [], "")}
