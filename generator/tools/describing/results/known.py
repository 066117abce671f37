"""Results of tools about known things, and the answers that report them.

A result holds nothing but fields of a known thing, what the call itself says, and whether it was done.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.tools.describing.effects import Doing, Kept
from generator.tools.describing.lexicon import READING, word_lists
from generator.tools.describing.reading import ArgumentLeaf, entity_of
from generator.tools.describing.results.result import Results, listed, object_of, reporting_result
from generator.tools.describing.sentences import participle
from generator.tools.describing.things import TITLES, DerivedTool, Key, Thing, order_of, thing_of


def results_of(
    told: DerivedTool, keys: Mapping[str, Key], done: Sequence[str], known: Mapping[str, Thing], doing: Doing | None
) -> Results | None:
    """Return the results of a tool; None when nothing is known of what it returns.

    Args:
        told: What was made out of the tool.
        keys: How the server names things.
        done: Sentences that tell that it was done.
        known: The things whose fields are known.
        doing: What it does to entities.
    """
    found = _of_entity(told, done, known, doing) if doing is not None else _of_thing(told, keys, done, known)
    if found is None:
        return None
    return msgspec.structs.replace(found, told=tuple(leaf.slot for leaf in told.leaves if leaf.required))


def _of_entity(told: DerivedTool, done: Sequence[str], known: Mapping[str, Thing], doing: Doing) -> Results | None:
    """Return the results of a tool that acts on an entity: what they show of it."""
    kept, effect = doing.kept, doing.role.effect
    changes = {"move", "update"} & doing.effect.keys()
    if effect == "find":
        return listed(
            kept.thing,
            _shown(kept, doing),
            kept.key,
            doing.effect.get("sort", ""),
            kept.states,
            any(leaf.required and leaf.slot in told.queries for leaf in told.leaves),
        )
    if effect == "create":
        return _created(told, kept, done)
    fields = _shown(kept, doing)
    slot = next(iter(doing.effect.get("by", {})), "")
    if effect == "get":
        name = f"{kept.noun[:1].upper()}{kept.noun[1:]} {{args.{slot}}}"
        answers = (f"{name}: {kept.thing.tell}", f"I've looked up {kept.noun} {{args.{slot}}}: {kept.thing.tell}")
        return Results(returns=object_of(fields), answer=answers)
    if changes:
        return Results(returns=object_of(fields), answer=tuple(done))
    if effect == "delete":
        own = {kept.key.shown: fields[kept.key.shown]}
        if told.verb in _ENDING:
            return Results(returns=object_of({**own, "deleted": {"const": True}}), answer=tuple(done))
        outcome = "status" if "status" not in kept.fields else "outcome"
        return Results(returns=object_of({**own, outcome: {"const": participle(told.verb)}}), answer=tuple(done))
    return (
        _read_of(told, kept, known)
        if effect == "read"
        else reporting_result(told.reading, told.leaves, done, frozenset(kept.fields))
    )


def _read_of(told: DerivedTool, kept: Kept, known: Mapping[str, Thing]) -> Results | None:
    """Return the results of a tool that looks at something of an entity: its comments, the text of a file."""
    thing, many = thing_of(told.reading, known)
    if thing is not None and thing.is_alone:
        return _content(thing, told.leaves)
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


def _of_thing(
    told: DerivedTool, keys: Mapping[str, Key], done: Sequence[str], known: Mapping[str, Thing]
) -> Results | None:
    """Return the results of a tool that acts on no entity."""
    reading, leaves = told.reading, told.leaves
    thing, many = thing_of(reading, known)
    if reading.effect not in READING:
        return reporting_result(reading, leaves, done)
    if thing is None:
        return None
    key = keys.get(thing.noun)
    if any(leaf.required and leaf.type in ("list", "things") and entity_of(leaf) == thing.noun for leaf in leaves):
        return None  # what the given ones hold
    if any(leaf.required and told.values[leaf.slot].kind == "glob_pattern" for leaf in leaves):
        return None  # not any names will do
    fields = _with_arguments(thing, leaves)
    if many:
        return _several(thing, fields, told)
    if thing.is_alone:
        return _content(thing, leaves)
    optional = [leaf for leaf in leaves if key is not None and leaf.slot == key.field]
    return _one(thing, fields) if optional else None


def _with_arguments(thing: Thing, leaves: Sequence[ArgumentLeaf]) -> dict[str, dict[str, Any]]:
    """Return the fields of a thing; where an argument has a field's name, with the values that the argument allows."""
    own = {leaf.slot: leaf for leaf in leaves}
    found: dict[str, dict[str, Any]] = {}
    for name, schema in thing.fields.items():
        leaf = own.get(name)
        allowed = (
            [value for value in leaf.schema.get("enum", ()) if value not in word_lists()["anything"]] if leaf else []
        )
        found[name] = {"type": "string", "enum": allowed} if allowed and "enum" in schema else dict(schema)
    return found


def _several(thing: Thing, fields: dict[str, dict[str, Any]], told: DerivedTool) -> Results:
    """Return what a search finds of things that are no entities of which the world knows."""
    query = next(
        (leaf.slot for leaf in told.leaves if leaf.required and leaf.slot in told.queries and leaf.slot.isidentifier()),
        "",
    )
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
    return (
        _sought(thing, fields, query)
        if query
        else listed(thing, fields, None, order_of(told.reading.description, fields))
    )


_BOUNDS = frozenset({*word_lists()["least"], *word_lists()["most"]})


def _sought(thing: Thing, fields: dict[str, dict[str, Any]], query: str) -> Results:
    """Return what a search for word_lists finds of things that have no identifier: their names hold the word_lists."""
    title = next((name for name in (*TITLES, *fields) if name in fields), "")
    plain = {
        "type": "string",
        "examples": ["", " overview", " plan", " notes", " (draft)", ", part two"],
        "x-compute": "capital(args.QUERY) + value",
    }
    found = {
        name: {
            part: value.replace("QUERY", query) if isinstance(value, str) else value for part, value in schema.items()
        }
        for name, schema in (thing.found or {title: plain}).items()
    }
    is_one = any(schema.get("x-from") for schema in found.values())
    results = listed(thing, {**fields, **found}, None)
    place = results.at
    found_list = results.returns["properties"][place]
    return msgspec.structs.replace(
        results, returns=object_of({place: {**found_list, "minItems": 1, "maxItems": 1} if is_one else found_list})
    )


def _one(thing: Thing, fields: dict[str, dict[str, Any]]) -> Results:
    return Results(
        returns=object_of(fields), answer=(f"Here's the {thing.noun}: {thing.tell}", f"I found it: {thing.tell}")
    )


def _content(thing: Thing, leaves: Sequence[ArgumentLeaf]) -> Results:
    """Return what is shown whole; of a file, what follows from the argument that names it (FILE)."""
    named = (
        leaf.slot
        for leaf in leaves
        if leaf.required and leaf.type == "text" and entity_of(leaf) == "file" and leaf.slot.isidentifier()
    )
    file = next(named, "")
    fields = _with_arguments(thing, leaves)
    for name, schema in fields.items():
        if "FILE" in schema.get("x-compute", ""):
            plain = {part: value for part, value in schema.items() if part != "x-compute"}
            fields[name] = {**plain, "x-compute": schema["x-compute"].replace("FILE", file)} if file else plain
    tell = (
        thing.tell.replace("FILE", file)
        if file
        else thing.tell.replace(" of {args.FILE}", "").replace("{args.FILE}", "It")
    )
    return Results(returns=object_of(fields), answer=(tell,))


def _created(told: DerivedTool, kept: Kept, done: Sequence[str]) -> Results:
    """Return the results of a tool that creates: an identifier of its own, and what the call says of the new entity."""
    key = kept.key
    given = {leaf.slot for leaf in told.leaves if leaf.required}
    fields = {
        name: schema
        for name, schema in _shown(kept, None).items()
        if name == key.shown or name in given or name == kept.states
    }
    answers = [f"{text.rstrip('.')}. It is {kept.noun} {{{key.shown}}}." for text in done[:2]]
    answers.append(f"Done, the new {kept.noun} is {{{key.shown}}}.")
    return Results(returns=object_of(fields), answer=tuple(answers), keys={kept.noun: key.shown}, is_new=True)
