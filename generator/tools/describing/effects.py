"""The effects of tools on entities, as spec files write them: by which arguments and filters, with which changes, under which conditions."""

from collections.abc import Collection, Iterable, Mapping
from itertools import product
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.entity_templates import DerivedTool, Key, Template, sort_field, template_for
from generator.tools.describing.lexicon import FIELD_KEYWORDS, singular, words
from generator.tools.describing.reading import ArgumentLeaf
from generator.tools.describing.records import ResultRecord

Schema = dict[str, Any]


class Filter(msgspec.Struct, frozen=True):
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


def means_field(leaf: ArgumentLeaf, field: str, schema: Schema) -> bool:
    """Whether an argument gives the value of a field: it has the field's name, or one that means the same."""
    types = {"text": ("string",), "boolean": ("boolean",), "number": ("number", "integer")}
    if schema.get("type") not in types.get(leaf.type, ()):
        return False
    name = leaf.name[1:] if len(leaf.name) > 1 and leaf.name[0] == "new" else leaf.name
    argument_name, field_name = " ".join(singular(name)), " ".join(singular(tuple(field_words(field))))
    return argument_name == field_name or any(
        argument_name in group and field_name in group for group in words("same_fields")
    )


def without_ambiguous(usual: Mapping[str, Template], tools: Mapping[str, DerivedTool]) -> dict[str, Template]:
    """Return the usual things without those of many meanings of which no argument of the server gives a field.

    A board, an event or a block is another thing in each domain, and nothing is made up of one that may not be meant.
    """
    nouns_meant = {
        template.noun
        for tool in tools.values()
        if (template := template_for(tool.reading, usual)[0]) is not None
        and any(means_field(leaf, name, schema) for leaf in tool.leaves for name, schema in template.fields.items())
    }
    return {
        noun: template
        for noun, template in usual.items()
        if noun not in words("many_meanings") or template.noun in nouns_meant
    }


def field_words(field: str) -> list[str]:
    """Return the words of a field's name."""
    return name_as_words(field).split()


def filter_of_argument(
    leaf: ArgumentLeaf, tool: DerivedTool, effect: str, fields: Mapping[str, Schema], written: Collection[str]
) -> Filter | None:
    """Return what an argument of a tool leaves out; None when that is not known.

    Args:
        leaf: The argument, which identifies nothing.
        tool: Its tool.
        effect: What that does; arguments of tools that change something are fields if they say where a thing is.
        fields: The fields of what is searched for, as far as they are known.
        written: Arguments that say what one is made of.
    """
    if effect != "find":
        return _location_filter(leaf, tool)
    if leaf.slot in tool.opaque:
        return None
    if " ".join(singular(leaf.name)) in words("limits"):
        return Filter(is_limit=leaf.slot.isidentifier())
    if leaf.type == "boolean":
        return Filter() if leaf.name[0] in words("options") else None
    if leaf.slot in tool.queries or (leaf.name[0], leaf.name[-1]) in _NAME_PATTERNS:
        return _text_filter(leaf, fields)
    for field, schema in fields.items():
        if schema and means_field(leaf, field, schema):
            return _equality_filter(leaf, field, schema)
    return (
        _range_filter(leaf, tool, fields) or _location_filter(leaf, tool) or _filter_by_own_field(leaf, tool, written)
    )


_NAME_PATTERNS = frozenset(product(("name", "title"), ("pattern", "filter", "contains", "query")))
"""First and last words of arguments that hold words of names: `name_contains`."""


def _text_filter(leaf: ArgumentLeaf, fields: Mapping[str, Schema]) -> Filter | None:
    """Return the filter of words that must occur in the text by which people know a thing."""
    texts = [
        name
        for name, schema in fields.items()
        if schema.get("type") == "string"
        and ("x-kind" in schema or len(schema.get("examples", ())) > 2)
        and name.isidentifier()
        and field_words(name)[-1] not in words("hard_ids")
    ]
    if not texts or not leaf.slot.isidentifier() or leaf.type != "text":
        return None
    field = next((name for name in texts if name in words("searched")), texts[0])
    return Filter(f"contains({field}, args.{leaf.slot})")


def _equality_filter(leaf: ArgumentLeaf, field: str, schema: Schema) -> Filter | None:
    """Return the filter of a field that equals the argument; a choice such as `all` leaves nothing out."""
    choices = [value for value in leaf.schema.get("enum", ()) if isinstance(value, str)]
    every = [value for value in choices if value in words("anything")]
    by = field
    if every and leaf.slot.isidentifier() and "enum" in schema:
        by = " or ".join([*[f"args.{leaf.slot} == {value!r}" for value in every], f"{field} == args.{leaf.slot}"])
    return Filter(by, field, values=tuple(value for value in choices if value not in every))


def _range_filter(leaf: ArgumentLeaf, tool: DerivedTool, fields: Mapping[str, Schema]) -> Filter | None:
    """Return the filter of an earliest or latest date, or a least or greatest number."""
    ends = {**dict.fromkeys(words("least"), ">="), **dict.fromkeys(words("most"), "<=")}
    sign = next((ends[word] for word in leaf.name if word in ends), "")
    if not sign or not leaf.slot.isidentifier():
        return None
    other_words = {word for word in leaf.name if word not in ends and word not in words("of_time")}
    if leaf.type == "number":
        number_fields = [
            name for name, schema in fields.items() if schema.get("type") in ("number", "integer") and other_words
        ]
        fitting = [name for name in number_fields if other_words <= {*field_words(name)}]
        return Filter(f"{fitting[0]} {sign} args.{leaf.slot}", fitting[0]) if fitting else None
    is_moment = leaf.schema.get("format") == "date-time" or tool.values[leaf.slot].kind == "date_time"
    if leaf.type != "text" or not (_is_day(leaf) or is_moment):
        return None
    formats = ("date", "date-time") if _is_day(leaf) else ("date-time",)
    days = [name for name, schema in fields.items() if schema.get("format") in formats]
    fitting = [name for name in days if not other_words or other_words & {*field_words(name)}]
    if fitting:
        return Filter(f"{fitting[0]} {sign} args.{leaf.slot}", fitting[0])
    if len(other_words) != 1 or other_words.isdisjoint(words("made")) or not _is_day(leaf):
        return None
    (creation_field,) = other_words
    return Filter(
        f"{creation_field} {sign} args.{leaf.slot}",
        creation_field,
        {"type": "string", "format": "date", "x-when": "past"},
    )


def _is_day(leaf: ArgumentLeaf) -> bool:
    """Whether an argument holds a day without a time, as its format or its description ("YYYY-MM-DD") says."""
    is_told = "YYYY-MM-DD" in leaf.description and "YYYY-MM-DDT" not in leaf.description
    return leaf.schema.get("format") == "date" or ("format" not in leaf.schema and is_told)


def _location_filter(leaf: ArgumentLeaf, tool: DerivedTool) -> Filter | None:
    """Return the filter of a required argument that says where something is: a field of whatever is there."""
    if not leaf.required or leaf.slot not in tool.pairs or not leaf.slot.isidentifier():
        return None
    return Filter(leaf.slot, leaf.slot, field_schema(leaf, tool))


def _filter_by_own_field(leaf: ArgumentLeaf, tool: DerivedTool, written: Collection[str]) -> Filter | None:
    """Return the filter by a field that is named after the argument.

    None where its values are not known, or where it is about how results are shown.
    """
    other_names = {*words("least"), *words("most"), *words("options")}
    schema = field_schema(leaf, tool)
    if {leaf.name[0], leaf.name[-1]} & other_names or not leaf.slot.isidentifier() or not schema:
        return None
    if leaf.type == "list":
        item_name = "_".join(singular(leaf.name))
        return Filter(item_name, item_name, schema) if leaf.slot not in written and item_name != leaf.slot else None
    return Filter(leaf.slot, leaf.slot, schema) if leaf.type == "text" else None


def field_schema(leaf: ArgumentLeaf, tool: DerivedTool) -> Schema:
    """Return the schema of a field with the values that an argument has; empty when they are not known."""
    values = tool.values[leaf.slot]
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
    schema = {key: inner[key] for key in FIELD_KEYWORDS if key in inner}
    if "enum" in schema:
        choices = [value for value in schema["enum"] if value not in words("anything")]
        return {"type": kind, "enum": choices} if choices else {}
    return {**schema, "type": kind}


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


class DerivedEntity(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of entity that a server keeps."""

    noun: str
    key: Key
    fields: dict[str, Schema]
    """All fields, as a spec file writes them."""
    template: Template
    """The thing, with its fields under the server's own names."""
    state_field: str = ""
    """The field that holds its state."""
    holders: tuple[str, ...] = ()
    """The nouns of the entities that it belongs to."""

    @property
    def name(self) -> str:
        """Return its name as spec files write it."""
        return self.noun.replace(" ", "_")

    @property
    def states(self) -> list[str]:
        """The states that it can be in; none where no field holds one."""
        return [*self.fields[self.state_field]["enum"]] if self.state_field else []

    def first_state(self, wanted: Iterable[str]) -> str:
        """Return its state that is called like the first of some words for which there is one (`in progress`); empty for none."""
        by_words = {state.lower().replace("_", " "): state for state in reversed(self.states)}
        return next((by_words[word] for word in wanted if word in by_words), "")

    def states_without(self, over: Collection[str]) -> list[str]:
        """Return its states but those in `over`; none where that would be all of them, so that nothing has to be said of states."""
        usual = [state for state in self.states if state.lower() not in over]
        return usual if len(usual) < len(self.states) else []

    def declared(self) -> dict[str, Any]:
        """Return the entity as a spec file declares it."""
        fields = dict(self.fields)
        if self.state_field:
            usual = self.states_without(words("called_off"))
            weights = [*usual * _OFTEN, *[state for state in self.states if state not in usual]]
            fields[self.state_field] = {"states": self.states, **({"examples": weights} if usual else {})}
        title = next(iter(self.template.fields))
        of_title = self.fields[title]
        is_name = title != self.key.field and "enum" not in of_title and of_title.get("type") == "string"
        return {"key": self.key.field, "fields": fields} | ({"called": [title]} if is_name else {})


class ToolEffect(msgspec.Struct, frozen=True, kw_only=True):
    """The effect of one tool, and what follows from it for the arguments."""

    entity: DerivedEntity
    role: Role
    written: dict[str, Any]
    """The effect as a spec file writes it, without `at`."""
    unsaid: tuple[str, ...] = ()
    """Optional arguments whose filter is not known; they are left out of calls."""
    missing: tuple[str, ...] = ()
    """What an author must add; of a search, that its filters are not followed, so that results show only what cannot contradict them."""
    choices: dict[str, list[Any]] = {}
    """Argument → the values of the field that it stands for, where its own schema does not list them."""
    record: ResultRecord | None = None
    """Where the entity stands in the result, if the server's output schema says so."""


def derive_effect(tool: DerivedTool, role: Role, entities: Mapping[str, DerivedEntity]) -> ToolEffect | str:
    """Return the effect of a tool, or why none can be derived; `entities` are those of its server, by noun."""
    entity = entities[role.noun]
    holders = {slot: entities[noun] for slot, noun in role.slots.items() if noun in entities}
    refers = {slot: holder.name for slot, holder in holders.items() if slot != holder.key.field}
    if role.effect == "find":
        return _search_effect(tool, role, entity, holders, refers)
    written: dict[str, Any] = {role.effect: entity.name}
    unsaid: tuple[str, ...] = ()
    if role.effect == "create":
        start = {field: value for field, value in _initial_values(entity).items() if field not in tool.slots}
        written |= {
            "set": start | _values_by_field(tool, role, entity),
            "needs": _needs_of_holders(tool, entity, holders),
        }
        unsaid = tuple(slot for slot in role.own() if slot not in tool.required)
    else:
        written = _change_effect(tool, role, entity, _identifying_arguments(tool, role, entity, holders))
    return ToolEffect(entity=entity, role=role, written=_without_empty({**written, "refers": refers}), unsaid=unsaid)


def _identifying_arguments(
    tool: DerivedTool, role: Role, entity: DerivedEntity, holders: Mapping[str, DerivedEntity]
) -> dict[str, str]:
    """Return argument → field for those that say which thing is meant: its own key, where it is, and what it belongs to."""
    own_slots = [slot for slot in role.own() if slot in tool.required]
    by = {own_slots[-1]: entity.key.field} if own_slots else {}
    if role.effect in ("get", "update", "delete"):
        by |= {slot: slot for slot in tool.required if slot in entity.fields and slot in tool.pairs}
    if by and role.effect != "update":
        holding = {
            slot: holder.key.field for slot, holder in holders.items() if slot not in by and slot in tool.required
        }
        by |= {slot: field for slot, field in holding.items() if field in entity.fields and field not in by.values()}
    return by


def _change_effect(tool: DerivedTool, role: Role, entity: DerivedEntity, by: dict[str, str]) -> dict[str, Any]:
    """Return the effect of a tool that changes a thing or looks at it: a move to the state that the verb means, an update of fields, or an act."""
    called_off = words("called_off")
    state = entity.first_state(words("leads_to").get(tool.verb, ())) if role.effect in ("update", "delete") else ""
    if state:  # what is called off stays, in that state, if it was neither called off nor done
        excluded_states = (*called_off, *words("finished")) if state.lower() in called_off else ()
        return {"move": entity.name, "by": by, "to": state, "needs": _need_of_other_states(entity, excluded_states)}
    kind, changes = role.effect, {}
    if kind == "update":
        changes = _values_by_field(tool, role, entity)
        updated_slots = tool.slots.keys() & entity.fields.keys() - by.keys() - {entity.key.field}
        kind = "update" if changes or updated_slots else "act"
    needs: list[dict[str, Any]] = []
    if by and role.effect in ("update", "act") and entity.state_field not in tool.slots:
        excluded_states = (*called_off, *(words("finished") if tool.verb in words("planning") else ()))
        needs = _need_of_other_states(entity, () if tool.verb in words("leads_to") else excluded_states)
    return {kind: entity.name, "by": by, "set": changes, "needs": needs}


def choices_for_arguments(tool: DerivedTool, entity: DerivedEntity) -> dict[str, list[Any]]:
    """Return the choices of fields for arguments that stand for them and are plain texts."""
    listed = {field: schema for field, schema in entity.fields.items() if "enum" in schema}
    plain = [leaf for leaf in tool.leaves if not leaf.schema.keys() & {"enum", "const", "pattern", "format"}]
    choices_by_slot: dict[str, list[Any]] = {}
    for leaf in [leaf for leaf in plain if leaf.type == "text"]:
        for choices in [schema["enum"] for field, schema in listed.items() if means_field(leaf, field, schema)][:1]:
            choices_by_slot[leaf.slot] = [*choices]
    return choices_by_slot


def _need_of_other_states(entity: DerivedEntity, over: Collection[str]) -> list[dict[str, Any]]:
    """Return the need that a thing is in none of these states; none where all or none of its states are among them."""
    usual = entity.states_without(over)
    say = f"{entity.noun} {{{entity.key.field}}} is {{{entity.state_field}}}"
    return [{entity.state_field: usual, "error": "wrong_state", "say": say}] if usual else []


def _needs_of_holders(
    tool: DerivedTool, entity: DerivedEntity, holders: Mapping[str, DerivedEntity]
) -> list[dict[str, Any]]:
    """Return what must be so before a thing is made for others: that these were not called off."""
    needs = []
    for slot, holder in holders.items():
        over_states = [state for state in holder.states if state.lower() in words("called_off")]
        is_asked = holder.noun != entity.noun and slot in tool.required and slot.isidentifier()
        if is_asked and over_states and len(over_states) < len(holder.states):
            state = f"find({holder.name}, {holder.state_field}, {holder.key.field}, args.{slot})"
            that = " and ".join(f"{state} != {over_state!r}" for over_state in over_states)
            needs.append({"that": that, "error": "wrong_state", "say": f"{holder.noun} {{args.{slot}}} is over"})
    return needs


def _values_by_field(tool: DerivedTool, role: Role, entity: DerivedEntity) -> dict[str, Any]:
    """Return field → the argument that gives its new value, for arguments of another name: `{"due_date": "args.deadline"}`."""
    value_by_field: dict[str, Any] = {}
    candidate_fields = {
        field: schema for field, schema in entity.fields.items() if field not in {*tool.slots, entity.key.field}
    }
    for leaf in tool.leaves:
        if leaf.slot not in role.slots and leaf.slot not in entity.fields and leaf.slot.isidentifier():
            matching_fields = [
                field
                for field, schema in candidate_fields.items()
                if field not in value_by_field and means_field(leaf, field, schema)
            ]
            value_by_field |= dict.fromkeys(matching_fields[:1], f"args.{leaf.slot}")
    return value_by_field


def _initial_values(entity: DerivedEntity) -> dict[str, Any]:
    """Return field → its value in a new entity, whatever the call says."""
    start_by_field = {entity.template.names.get(field, field): value for field, value in entity.template.start.items()}
    initial_values = {name: value for name, value in start_by_field.items() if name in entity.fields}
    initial_values |= {field: "today" for field in entity.fields if field in words("made")}
    initial_values |= {field: False for field, schema in entity.fields.items() if schema.get("type") == "boolean"}
    states = entity.states
    return initial_values | (
        {entity.state_field: entity.first_state(words("first_states")) or states[0]} if states else {}
    )


def _search_effect(
    tool: DerivedTool, role: Role, entity: DerivedEntity, holders: Mapping[str, DerivedEntity], refers: dict[str, str]
) -> ToolEffect | str:
    """Return the effect of a search that applies every argument as a filter or limit.

    Optional arguments of which that is not known are never said; a required one makes it the reason why there is no
    effect.
    """
    by: dict[str, Any] = {}
    unsaid, missing = [], []
    limit = None
    for leaf in tool.leaves:
        filter_of_leaf = _filter_in_search(leaf, tool, entity, holders)
        if filter_of_leaf is not None and filter_of_leaf.by:
            by[leaf.slot] = filter_of_leaf.by
        elif filter_of_leaf is not None:
            limit = leaf.slot if filter_of_leaf.is_limit else limit
        elif not leaf.required:
            unsaid.append(leaf.slot.split("/")[0])
        elif leaf.slot in tool.opaque:
            missing.append(f"effect: what {leaf.slot} asks for is not followed")
        else:
            return f"effect: it is not known what {leaf.slot} leaves out"
    sort = sort_field(tool.reading.description, entity.fields) or _usual_order(tool, entity, by)
    written = _without_empty({"find": entity.name, "by": by, "sort": sort, "limit": limit, "refers": refers})
    return ToolEffect(entity=entity, role=role, written=written, unsaid=tuple(unsaid), missing=tuple(missing))


def _usual_order(tool: DerivedTool, entity: DerivedEntity, by: Mapping[str, Any]) -> str:
    """Return by which field lists of a thing are sorted where nothing says so: by its day, those of the past backwards; those of one day by their time."""
    shown = {name: entity.fields[name] for name in entity.template.fields}
    days = [name for name, schema in shown.items() if schema.get("format") in ("date", "date-time")]
    times = [name for name, schema in shown.items() if "time" in (schema.get("x-kind"), schema.get("format"))]
    is_one_day = any(field in days[:1] and slot in tool.required for slot, field in by.items())
    if times and (is_one_day or not days):
        return times[0]
    return "" if not days else f"-{days[0]}" if shown[days[0]].get("x-when") == "past" else days[0]


def _filter_in_search(
    leaf: ArgumentLeaf, tool: DerivedTool, entity: DerivedEntity, holders: Mapping[str, DerivedEntity]
) -> Filter | None:
    """Return the filter that an argument of a search applies; None when it is not known, or about no field of the entity."""
    if leaf.slot in holders:
        field = holders[leaf.slot].key.field
        return Filter(field) if field in entity.fields else None
    filter_of_leaf = (
        filter_of_argument(leaf, tool, "find", entity.fields, frozenset()) if "/" not in leaf.slot else None
    )
    return (
        None
        if filter_of_leaf is not None and filter_of_leaf.field and filter_of_leaf.field not in entity.fields
        else filter_of_leaf
    )


def _without_empty(written: dict[str, Any]) -> dict[str, Any]:
    """Return an effect without the keys that say nothing."""
    return {key: part for key, part in written.items() if part not in (None, {}, [], "")}
