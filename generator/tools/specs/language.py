"""The language of our own spec files, as docs/tool-specs.md describes it: one tool from what a file says of it."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from generator.arguments.checks import check_known, refuse_if
from generator.core.conversation import Tool
from generator.core.declared import read
from generator.core.documents import Document, Place, nearest
from generator.core.entities import Effect, EffectKind, Entity, Need, WorldDeclarations, references_of, referred_by
from generator.core.errors import SchemaError, SpecError
from generator.core.pointers import escape, schema_at, schemas_at, types_of, variants
from generator.core.text_grammars import expand_values
from generator.core.toolbox import Groups, Link, Phrases, Relation, ToolSpec
from generator.tools.specs.check import check_spec
from generator.tools.specs.legality import OnIllegal, make_legal
from generator.tools.specs.models import EFFECTS, FoundTool, WrittenEffect, WrittenTool

Raise = Callable[[Place, str], Exception]
"""Makes the error for a place below `effect`."""
Schema = dict[str, Any]


def read_effect(
    model: WrittenEffect, declared: WorldDeclarations, parameters: Schema, returns: Schema | None, fault: Raise
) -> Effect:
    """Return the effect with all defaults filled in; `fault` makes the error to raise for an unknown name."""
    kind: EffectKind = next(kind for kind in EFFECTS if getattr(model, kind) is not None)
    name = getattr(model, kind)
    arguments = [key for branch in variants(parameters, parameters) for key in branch.get("properties", {})]
    refers = _refers(model, declared, parameters, arguments, fault)
    if name is True:
        return Effect(kind=kind, refers=refers)
    check_known(name, declared.entities, fault, (kind,), "there is no entity")
    entity = declared.entities[name]
    _check_at(model, kind, returns, fault)
    effect = Effect(
        kind=kind,
        entity=name,
        by=_fields_by_argument(model, kind, entity, arguments, fault),
        names={
            name: tuple(fields[1:]) for name, fields in model.by.items() if isinstance(fields, list) and kind != "find"
        },
        words={name: fields[0] for name, fields in model.by.items() if isinstance(fields, list) and kind == "find"},
        where=model.where,
        at=model.at,
        sort=model.sort,
        limit=model.limit,
        set=_fields_set(model, kind, entity, fault),
        needs=tuple(_checked_need(need, index, kind, entity, fault) for index, need in enumerate(model.needs)),
        refers=refers,
    )
    _check_finding(effect, entity, arguments, fault)
    return effect


def _refers(
    model: WrittenEffect, declared: WorldDeclarations, parameters: dict[str, Any], arguments: list[str], fault: Raise
) -> dict[str, str]:
    """Return argument → entity, for those that are named, that have the name of a key or become a field that holds one, and can hold it."""
    for argument, name in model.refers.items():
        check_known(argument, arguments, fault, ("refers", argument), "there is no argument")
        check_known(name, declared.entities, fault, ("refers", argument), "there is no entity")
    entity_by_argument = {argument: referred_by(argument, {}, declared.entities) for argument in arguments}
    entity_by_argument |= _held_as_keys(model, declared, arguments)
    referring = [(argument, name) for argument, name in entity_by_argument.items() if name is not None]
    fitting = {slot: name for slot, name in referring if _can_hold(parameters, slot, declared.entities[name])}
    return fitting | model.refers


def _held_as_keys(model: WrittenEffect, declared: WorldDeclarations, arguments: list[str]) -> dict[str, str | None]:
    """Return argument → entity for those that are compared with, or become as they are, a field that holds the key of an entity."""
    entity = next((declared.entities.get(str(getattr(model, kind))) for kind in EFFECTS if getattr(model, kind)), None)
    if entity is None:
        return {}
    entity_by_field = references_of(entity, declared.entities)
    argument_by_field = {field: field for field in entity_by_field} if model.create or model.update else {}
    argument_by_field |= {
        field: str(value).removeprefix("args.") for field, value in model.set.items() if str(value)[:5] == "args."
    }
    keys = {**entity_by_field, entity.key: entity.name}  # the key of another entity may have the argument's name
    entities_by_argument = [
        (slot, keys[field]) for slot, field in model.by.items() if isinstance(field, str) and field in keys
    ]
    return dict(
        [
            *entities_by_argument,
            *[
                (slot, entity_by_field[field])
                for field, slot in argument_by_field.items()
                if field in entity_by_field and slot in arguments
            ],
        ]
    )


def _can_hold(parameters: dict[str, Any], argument: str, entity: Entity) -> bool:
    """Whether an argument, or the elements of a list, can be of the type that an entity's key has."""
    slot = escape(argument)
    schemas = [*schemas_at(parameters, slot), *schemas_at(parameters, f"{slot}/*")]
    types = {word for schema in schemas for word in types_of(schema)}
    key = types_of(entity.fields[entity.key])
    return not types or not key or bool(types & (key | {"number"} if "integer" in key else key))


def _fields_by_argument(
    model: WrittenEffect, kind: str, entity: Entity, arguments: list[str], fault: Raise
) -> dict[str, str]:
    """Return argument → field or expression; the key where nothing is said."""
    _check_by(model, entity, arguments, fault)
    if model.by or kind in ("find", "create"):
        return {name: _field_or_expression(field, name, kind) for name, field in model.by.items()}
    if entity.key in arguments:
        return {entity.key: entity.key}
    if kind in ("read", "act") or (entity.count == (1, 1) and kind == "get"):
        return {}
    raise fault((kind,), f"no argument tells which {entity.name}: add one named {entity.key!r}, or `by`")


def _field_or_expression(field: str | list[str], argument: str, kind: str) -> str:
    """Return what an argument is compared with; of several fields the first one, or of a search all texts that may hold it."""
    if isinstance(field, str) or kind != "find":
        return field if isinstance(field, str) else field[0]
    return " or ".join([f"contains(str({name}), args.{argument})" for name in field])


def _check_by(model: WrittenEffect, entity: Entity, arguments: list[str], fault: Raise) -> None:
    """The arguments and fields of `by` must exist."""
    for argument, field in model.by.items():
        check_known(argument, arguments, fault, ("by", argument), "there is no argument")
        refuse_if(not field, fault, ("by", argument), "a field is expected, several, or an expression")
        for name in field if isinstance(field, list) else [field]:
            if name not in entity.fields and (name.isidentifier() or isinstance(field, list)):
                raise fault(("by", argument), f"{entity.name} has no field {name!r}{nearest(name, entity.fields)}")


def _fields_set(model: WrittenEffect, kind: str, entity: Entity, fault: Raise) -> dict[str, Any]:
    """Return field → new value, with the state that `to` names."""
    changes = dict(model.set)
    refuse_if(changes and kind not in ("create", "update", "move", "act"), fault, ("set",), f"{kind!r} changes nothing")
    if model.to is not None:
        refuse_if(kind != "move", fault, ("to",), "only 'move' leads to a state")
        fields = [field for field, states in entity.states.items() if model.to in states]
        if len(fields) != 1:
            states = [state for states in entity.states.values() for state in states]
            raise fault(
                ("to",), f"{model.to!r} is not a state of one field of {entity.name}{nearest(model.to, states)}"
            )
        changes[fields[0]] = model.to
    is_stateless = kind == "move" and not entity.states.keys() & changes.keys()
    refuse_if(is_stateless, fault, ("move",), _NO_STATE)
    for field, value in changes.items():
        if field != entity.key or kind != "create":  # what is created may get its key from an argument of another name
            _check_value(field, value, entity, ("set", field), fault, is_set=True)
    return changes


_NO_STATE = "the state it leads to is missing: `to: STATE`, or `set` with a field that has states"


def _check_value(field: str, value: Any, entity: Entity, at: Place, fault: Raise, *, is_set: bool = False) -> None:
    """Refuse a field that does not exist, and a plain word that is none of its states or enumerated values."""
    check_known(field, entity.fields, fault, at, f"{entity.name} has no field")
    refuse_if(is_set and field == entity.key, fault, at, f"{field!r} is the key, which never changes")
    allowed = entity.fields[field].get("enum")
    if allowed is None or value in allowed:
        return
    if not is_set or (isinstance(value, str) and value.isidentifier() and value not in entity.fields):
        what = "state" if field in entity.states else "value"
        raise fault(
            at, f"{value!r} is not a {what} of {field}{nearest(str(value), [str(option) for option in allowed])}"
        )


def _checked_need(need: Need, index: int, kind: str, entity: Entity, fault: Raise) -> Need:
    """Return a need of an effect with lists of allowed values; there must be one condition, about fields that exist."""
    at = ("needs", index)
    values = {field: (*allowed,) if isinstance(allowed, list) else (allowed,) for field, allowed in need.values.items()}
    for field, value in [(field, value) for field, allowed in values.items() for value in allowed]:
        _check_value(field, value, entity, (*at, field), fault)
    for key, fields in (("unique", need.unique), ("per", need.per)):
        for field in fields:
            check_known(field, entity.fields, fault, (*at, key), f"{entity.name} has no field")
    conditions = sum(map(bool, (values, need.that, need.unique, need.most is not None)))
    refuse_if(
        conditions != 1, fault, at, "one condition is expected: fields with their values, `that`, `unique` or `most`"
    )
    is_early = values and kind in ("find", "create")
    refuse_if(is_early, fault, at, f"{kind!r} begins with no {entity.name} whose fields could be looked at")
    return msgspec.structs.replace(need, values=values)


def _check_at(model: WrittenEffect, kind: str, returns: Schema | None, fault: Raise) -> None:
    """The place in the result must be there; what a search finds is a list, which can be empty."""
    if model.at and schema_at(returns, model.at) is None:
        raise fault(("at",), f"the result has no {model.at!r}{nearest(model.at, _property_names(returns))}")
    if kind != "find":
        return
    listed = schema_at(returns, model.at) if returns is not None else None
    if listed is None or not isinstance(listed.get("items"), dict):
        lists = [name for name in _property_names(returns) if "items" in (schema_at(returns, name) or {})]
        raise fault(("at",), f"{model.at!r} is not a list{nearest(model.at, lists)}")
    message = f"{model.at}: a search can find nothing, so `minItems` is out of place"
    refuse_if(listed.get("minItems", 0), fault, ("at",), message)


def _check_finding(effect: Effect, entity: Entity, arguments: list[str], fault: Raise) -> None:
    """Order and number of what is found."""
    if effect.kind != "find":
        refuse_if(
            effect.where,
            fault,
            ("where",),
            "only 'find' leaves out what is not meant; a condition of one is in `needs`",
        )
        for key in ("sort", "limit"):
            refuse_if(getattr(effect, key) is not None, fault, (key,), "only 'find' has an order and a limit")
    if isinstance(effect.limit, str) and effect.limit not in arguments:
        raise fault(("limit",), f"there is no argument {effect.limit!r}{nearest(effect.limit, arguments)}")
    for field in _sort_fields(effect.sort, arguments, fault):
        if field.removeprefix("-") not in entity.fields:
            raise fault(("sort",), f"{entity.name} has no field {field!r}{nearest(field, entity.fields)}")


def _sort_fields(order: Any, arguments: list[str], fault: Raise) -> list[str]:
    """Return the fields that an order names, each with its sign."""
    if not isinstance(order, dict):
        return [] if order is None else [order]
    refuse_if(len(order) != 1, fault, ("sort",), "a field, -field, or {argument: {its value: field}} is expected")
    ((argument, by_value),) = order.items()
    check_known(argument, arguments, fault, ("sort",), "there is no argument")
    return list(by_value.values())


def _property_names(schema: Schema | None) -> list[str]:
    return [name for branch in variants(schema, schema) for name in branch.get("properties", {})]


_WHOLE = re.compile(r"-?\d{1,15}")
_RELATION = re.compile(r"(\S+) (<|!=) (\S+)")


def read_written(found: FoundTool, on_illegal: OnIllegal, *, is_checked: bool = True) -> ToolSpec:
    """Return the tool of a file of our own language, with all that it says; with `is_checked` what stands beside the function is held against it.

    Raises:
        SpecError: with `file:line: path: what, expected what` for everything that is wrong with it.
    """
    assert found.written is not None
    document, path = found.written
    value = _tool_at(document, path)

    def fault(at: Place, message: str) -> SpecError:
        return SpecError(f"{document.at((*path, *at))}: {message}")

    model = read(WrittenTool, document, value, path, SpecError)
    function, where = model.function, f"{document.where(path)}: {model.function.name}"
    parameters, of_parameters = _legal("parameters", function.parameters, on_illegal, where)
    returns, of_returns = _legal("returns", model.returns, on_illegal, where)
    origin = found.origin if model.origin is None else model.origin
    earlier = () if model.origin is None else model.origin.repairs
    spec = ToolSpec(
        tool=Tool(name=function.name, description=function.description, parameters=parameters, strict=function.strict),
        domain=found.domain,
        where=found.where,
        returns=returns,
        links=tuple(_links(model, fault)),
        phrases=_with_values(model.phrases, parameters or {}, returns or {}, fault),
        examples=_examples(model, fault),
        kinds=model.kinds,
        patterns=model.patterns,
        worked=model.worked,
        example_calls=model.example_calls,
        relations=tuple(_relations(model, fault)),
        groups=Groups(together=model.together, one_of=model.one_of),
        effect=None
        if model.effect is None
        else read_effect(
            model.effect, found.declared, parameters or {}, returns, lambda at, text: fault(("effect", *at), text)
        ),
        declared=found.declared,
        context=model.context,
        say=model.say,
        origin=msgspec.structs.replace(origin, repairs=(*earlier, *of_parameters, *of_returns)),
        written={key: part for key, part in value.items() if key not in ("type", "function", "returns", "origin")},
    )
    for at, message in check_spec(spec) if is_checked else ():
        raise fault(at, message)
    return spec


def has_only_function(written: tuple[Document, Place]) -> bool:
    """Whether a file says nothing of a tool but the function, as others' files do."""
    value = _tool_at(*written)
    return isinstance(value, dict) and value.keys() <= {"type", "function"}


def _examples(model: WrittenTool, fault: Raise) -> dict[str, tuple[Any, ...]]:
    """Return values worth using: those that are written out, and those that grammars of texts stand for."""
    examples = dict(model.examples)
    for slot, lines in model.texts.items():
        try:
            values = expand_values(lines)
        except ValueError as wrong:
            raise fault(("texts", slot), str(wrong)) from None
        examples[slot] = tuple({repr(value): value for value in (*examples.get(slot, ()), *values)}.values())
    return examples


def _tool_at(document: Document, place: Place) -> Any:
    """Return what a document says of the tool at a place: `{"function": …}` also where a bare function stands there."""
    value = document.value
    for step in place:
        value = value[step]
    if not isinstance(value, dict) or "function" in value or "name" not in value:
        return value
    function_keys = {"name", "description", "parameters", "strict"}
    extras = {key: part for key, part in value.items() if key not in function_keys}
    return extras | {"function": {key: part for key, part in value.items() if key in function_keys}}


def _legal(
    part: str, schema: dict[str, Any] | None, on_illegal: OnIllegal, where: str
) -> tuple[dict[str, Any] | None, list[str]]:
    """Return a schema as it is used, and its repairs."""
    if schema is None:
        return None, []
    try:
        legal, repairs = make_legal(schema, on_illegal)
    except SchemaError as fault:
        raise SchemaError(f"{where}: {part}: {fault}") from None
    return legal, [f"{part}: {repair}" for repair in repairs]


def _links(model: WrittenTool, fault: Raise) -> Iterator[Link]:
    """Yield the links of a tool: `{order_id: find_orders#/orders/*/id}`."""
    for argument, source in [(argument, source) for argument, sources in model.links.items() for source in sources]:
        tool, hash_sign, result = source.partition("#/")
        if not hash_sign or not tool or result.count("*") > 1:
            message = f"{source!r} is not of the form tool#/path/*/field (at most one *)"
            raise fault(("links", argument), message)
        yield Link(argument, tool, result)


def _relations(model: WrittenTool, fault: Raise) -> Iterator[Relation]:
    """Yield pairs of arguments of which the file says `start < end` or `from != to`."""
    for index, text in enumerate(model.relations):
        match = _RELATION.fullmatch(text)
        if match is None:
            raise fault(("relations", index), f"{text!r} is not 'left < right' or 'left != right'")
        yield Relation(match[1], match[2], match[3])


def _with_values(phrases: Phrases, parameters: Schema, returns: Schema, fault: Raise) -> Phrases:
    """Return phrases whose words for values belong to values of the schemas."""
    slots = {}
    for slot, frames in phrases.slots.items():
        clauses = _by_value(frames.clauses, parameters, slot, ("phrases", "slots", slot), fault)
        slots[slot] = msgspec.structs.replace(frames, clauses=clauses)
    synonyms = {}
    for slot, forms in phrases.synonyms.items():
        schema = parameters if schema_at(parameters, slot) else returns
        synonyms[slot] = _by_value(forms, schema, slot, ("phrases", "synonyms", slot), fault)
    return msgspec.structs.replace(phrases, slots=slots, synonyms=synonyms)


def _by_value(
    forms: tuple[tuple[Any, tuple[str, ...]], ...], schema: Schema, slot: str, at: Place, fault: Raise
) -> tuple[tuple[Any, tuple[str, ...]], ...]:
    """Return (value, texts) pairs; keys of JSON files are text, so they are matched with the values of the schema."""
    values: list[Any] = []
    is_open = is_number = False
    for branch in variants(schema, schema_at(schema, slot) or {}):
        kinds = types_of(branch)
        listed = [*branch.get("enum", ()), *([branch["const"]] if "const" in branch else [])]
        is_open |= not listed and not kinds <= {"boolean", "null"}
        values += listed
        values += [True, False] if "boolean" in kinds else []
        values += [None] if "null" in kinds else []
        is_number |= bool({"integer", "number"} & kinds) and not listed
    by_text = {_as_text(value): value for value in values}
    pairs = []
    for key, texts in forms:
        if values and not is_open and _as_text(key) not in by_text:
            raise fault(at, f"{key!r} is not a value of {slot}{nearest(_as_text(key), by_text)}")
        number = int(key) if is_number and _WHOLE.fullmatch(str(key)) else key
        pairs.append((by_text.get(_as_text(key), number), texts))
    folded_texts = [text for _, texts in pairs for text in {text.casefold() for text in texts}]
    twice = sorted(text for text, times in Counter(folded_texts).items() if times > 1)
    if twice:
        raise fault(at, f"{twice[0]!r} stands for two values")
    return tuple(pairs)


def _as_text(value: Any) -> str:
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
