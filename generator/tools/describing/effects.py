"""The effects of tools on entities, as spec files write them: by which arguments and filters, with which changes, under which conditions."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import singular, word_lists
from generator.tools.describing.reading import ArgumentLeaf
from generator.tools.describing.records import ResultRecord
from generator.tools.describing.things import DerivedTool, Key, Thing, order_of, thing_of

Schema = dict[str, Any]
_KEPT = ("type", "enum", "format", "pattern", "minimum", "maximum", "multipleOf", "description")


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What one argument of a search filters by."""

    by: str = ""
    """The field that must equal the argument, or an expression; empty when it filters nothing."""
    field: str = ""
    """The field that must exist."""
    schema: Schema = {}
    """The schema of that field, where no thing has it by itself."""
    values: tuple[Any, ...] = ()
    """The values that the argument lists."""
    is_limit: bool = False


def means(leaf: ArgumentLeaf, field: str, schema: Schema) -> bool:
    """Whether an argument gives the value of a field: it has the field's name, or one that means the same."""
    types = {"text": "string", "boolean": "boolean"}
    number = leaf.type == "number" and schema.get("type") in ("number", "integer")
    if not number and (leaf.type not in types or schema.get("type") != types[leaf.type]):
        return False
    name = leaf.name[1:] if len(leaf.name) > 1 and leaf.name[0] == "new" else leaf.name
    said, own = " ".join(singular(name)), " ".join(singular(tuple(field_words(field))))
    return said == own or any(said in group and own in group for group in word_lists()["same_fields"])


def borne_out(usual: Mapping[str, Thing], tools: Mapping[str, DerivedTool]) -> dict[str, Thing]:
    """Return the usual things without those of many meanings of which no argument of the server gives a field.

    A board, an event or a block is another thing in each domain, and nothing is made up of one that may not be meant.
    """
    meant = {
        thing.noun
        for told in tools.values()
        if (thing := thing_of(told.reading, usual)[0]) is not None
        and any(means(leaf, name, schema) for leaf in told.leaves for name, schema in thing.fields.items())
    }
    return {
        noun: thing for noun, thing in usual.items() if noun not in word_lists()["many_meanings"] or thing.noun in meant
    }


def field_words(field: str) -> list[str]:
    """Return the words of a field's name."""
    return name_as_words(field).split()


def filter_of(
    leaf: ArgumentLeaf,
    told: DerivedTool,
    effect: str,
    fields: Mapping[str, Schema],
    written: Collection[str],
) -> Filter | None:
    """Return what an argument of a tool leaves out; None when that is not known.

    Args:
        leaf: The argument, which identifies nothing.
        told: Its tool.
        effect: What that does; arguments of tools that change something are fields if they say where a thing is.
        fields: The fields of what is searched for, as far as they are known.
        written: Arguments that say what one is made of.
    """
    name = " ".join(singular(leaf.name))
    if effect != "find":
        return _where(leaf, told)
    if leaf.slot in told.opaque:
        return None
    if name in word_lists()["limits"]:
        return Filter(is_limit=leaf.slot.isidentifier())
    if leaf.type == "boolean":
        return _flag(leaf)
    if leaf.slot in told.queries or (
        leaf.name[0] in ("name", "title") and leaf.name[-1] in ("pattern", "filter", "contains", "query")
    ):
        return _text(leaf, fields)
    for field, schema in fields.items():
        if schema and means(leaf, field, schema):
            return _equal(leaf, field, schema)
    return _range(leaf, told, fields) or _where(leaf, told) or _own_field(leaf, told, written)


def _flag(leaf: ArgumentLeaf) -> Filter | None:
    """Return the filter of a boolean that selects by a property; None for booleans about how results are shown."""
    name = [word for word in leaf.name if word not in ("is", "only")]
    if len(name) == 1 and name[0] in word_lists()["flags"] and leaf.slot.isidentifier():
        field = name[0]
        return Filter(by=f"{field} == args.{leaf.slot}", field=field, schema={"type": "boolean"})
    return Filter() if leaf.name[0] in word_lists()["options"] else None


def _text(leaf: ArgumentLeaf, fields: Mapping[str, Schema]) -> Filter | None:
    """Return the filter of words that must occur in the text by which people know a thing."""
    texts = [
        name
        for name, schema in fields.items()
        if schema.get("type") == "string"
        and ("x-kind" in schema or len(schema.get("examples", ())) > 2)
        and name.isidentifier()
    ]
    texts = [name for name in texts if field_words(name)[-1] not in word_lists()["hard_ids"]]
    if not texts or not leaf.slot.isidentifier() or leaf.type != "text":
        return None
    (name, *_) = [name for name in texts if name in word_lists()["searched"]] or texts
    return Filter(by=f"contains({name}, args.{leaf.slot})")


def _equal(leaf: ArgumentLeaf, field: str, schema: Schema) -> Filter | None:
    choices = [value for value in leaf.schema.get("enum", ()) if isinstance(value, str)]
    special = [value for value in choices if value in word_lists()["anything"]]
    kept = tuple(value for value in choices if value not in special)
    if special and leaf.slot.isidentifier() and "enum" in schema:
        told = " or ".join(f"args.{leaf.slot} == {value!r}" for value in special)
        return Filter(by=f"{told} or {field} == args.{leaf.slot}", field=field, values=kept)
    return Filter(by=field, field=field, values=kept)


def _range(leaf: ArgumentLeaf, told: DerivedTool, fields: Mapping[str, Schema]) -> Filter | None:
    """Return the filter of an earliest or latest date, or a least or greatest number."""
    ends = {**dict.fromkeys(word_lists()["least"], ">="), **dict.fromkeys(word_lists()["most"], "<=")}
    sign = next((ends[word] for word in leaf.name if word in ends), "")
    if not sign or not leaf.slot.isidentifier():
        return None
    rest = [word for word in leaf.name if word not in ends and word not in word_lists()["of_time"]]
    if leaf.type == "number":
        found = [
            field
            for field, schema in fields.items()
            if schema.get("type") in ("number", "integer") and rest and set(rest) <= set(field_words(field))
        ]
        return Filter(by=f"{found[0]} {sign} args.{leaf.slot}", field=found[0]) if found else None
    if leaf.type != "text" or not (
        _is_day(leaf) or (leaf.schema.get("format") == "date-time" or told.values[leaf.slot].kind == "date_time")
    ):
        return None
    days = [
        field
        for field, schema in fields.items()
        if schema.get("format") in ("date", "date-time") and (_is_day(leaf) or schema["format"] == "date-time")
    ]
    fitting = [field for field in days if set(rest) & set(field_words(field))] if rest else days
    if fitting:
        return Filter(by=f"{fitting[0]} {sign} args.{leaf.slot}", field=fitting[0])
    if len(rest) != 1 or rest[0] not in word_lists()["made"] or not _is_day(leaf):
        return None
    return Filter(
        by=f"{rest[0]} {sign} args.{leaf.slot}",
        field=rest[0],
        schema={"type": "string", "format": "date", "x-when": "past"},
    )


def _is_day(leaf: ArgumentLeaf) -> bool:
    return leaf.schema.get("format") == "date" or (
        "format" not in leaf.schema
        and ("YYYY-MM-DD" in leaf.description and "T" not in leaf.description.partition("YYYY-MM-DD")[2][:1])
    )


def _where(leaf: ArgumentLeaf, told: DerivedTool) -> Filter | None:
    """Return the filter of a required argument that says where something is: a field of whatever is there."""
    if not leaf.required or leaf.slot not in told.pairs or not leaf.slot.isidentifier():
        return None
    return Filter(by=leaf.slot, field=leaf.slot, schema=field_schema(leaf, told))


def _own_field(leaf: ArgumentLeaf, told: DerivedTool, written: Collection[str]) -> Filter | None:
    """Return the filter of an argument whose values are known and that is not about how results are shown."""
    bounds = {*word_lists()["least"], *word_lists()["most"]}
    if {leaf.name[0], leaf.name[-1]} & {*word_lists()["options"], *bounds} or not leaf.slot.isidentifier():
        return None
    schema = field_schema(leaf, told)
    if leaf.type == "list":
        one = "_".join(singular(leaf.name))
        return (
            Filter(by=one, field=one, schema=schema)
            if schema and leaf.slot not in written and one != leaf.slot
            else None
        )
    return Filter(by=leaf.slot, field=leaf.slot, schema=schema) if schema and leaf.type == "text" else None


def field_schema(leaf: ArgumentLeaf, told: DerivedTool) -> Schema:
    """Return the schema of a field with the values that an argument has; empty when they are not known."""
    values = told.values[leaf.slot]
    inner = leaf.schema.get("items", {}) if leaf.type == "list" else leaf.schema
    kind = {"number": "number", "boolean": "boolean"}.get(leaf.type, "string")
    if not values.known or values.opaque:
        return {}
    if values.kind:
        return {"type": kind, "x-kind": values.kind}
    if values.pattern:
        return {"type": kind, "pattern": f"^(?:{values.pattern})$"}
    if values.examples:
        return {"type": kind, "examples": list(values.examples)}
    told_plainly = {key: inner[key] for key in _KEPT if key in inner}
    if "enum" in told_plainly:
        told_plainly["enum"] = [value for value in told_plainly["enum"] if value not in word_lists()["anything"]]
        return {"type": kind, "enum": told_plainly["enum"]} if told_plainly["enum"] else {}
    return {**told_plainly, "type": kind}


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
    """The thing, with its fields under the server's own names."""
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
    return [] if entity.states in _given(told) or told.verb in word_lists()["leads_to"] else _in_none_of(entity, over)


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
    """Return by which field lists of a thing are sorted where nothing says so: by its day, those of the past backwards; those of one day by their time."""
    days = [name for name in entity.thing.fields if entity.fields[name].get("format") in ("date", "date-time")]
    times = [
        name
        for name in entity.thing.fields
        if "time" in (entity.fields[name].get("x-kind"), entity.fields[name].get("format"))
    ]
    is_one_day = bool(days) and any(field == days[0] and is_required(told, slot) for slot, field in by.items())
    if times and (is_one_day or not days):
        return times[0]
    return "" if not days else f"-{days[0]}" if entity.fields[days[0]].get("x-when") == "past" else days[0]


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
