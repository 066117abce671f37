"""Results of tools, from what their servers declare or from the things that they are known to be about, and the answers that report them."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.effects import Doing, Kept
from generator.tools.describing.lexicon import READING, is_plural, plural_of, singular, word_lists
from generator.tools.describing.phrases import participle
from generator.tools.describing.reading import ArgumentLeaf, NameReading, entity_of, is_id
from generator.tools.describing.results.records import KindOf, ResultRecord, reporting, showing
from generator.tools.describing.things import TITLES, DerivedTool, Key, Thing, order_of, thing_of

_SLOT = re.compile(r"\{(\w+)[^{}]*\}")
_MOST_SAID = 4
"""Slots in the words for one thing: what it is called, and three more."""


def one_by_one(texts: Sequence[str], key: Key, states: str, shown: Collection[str]) -> list[str]:
    """Return the ways to tell one entity of a list, with what people need to go on with it.

    An entity without a name ("one on {date}") is called by its identifier; one with a name that others may have, too, is
    told with it: "{title} ({job_id}, {status}, due {due_date})".

    Args:
        texts: The ways without identifier and state.
        key: How the server names such entities.
        states: The field that holds the state; empty if there is none.
        shown: The fields that the list shows.
    """
    named = f"{{{key.shown}}}" if key.shown in shown and is_speakable(key) else ""
    found = []
    for text in texts:
        if named and named not in text:
            text = named + text.removeprefix("one") if text.startswith("one ") else _within(text, named)
        if states in shown and f"{{{states}}}" not in text and len(_SLOT.findall(text)) < _MOST_SAID:
            text = _within(text, f"{{{states}}}", named)
        found.append(text)
    return list(dict.fromkeys(found))


def is_speakable(key: Key) -> bool:
    """Whether people say an identifier: a short code or a number, not a hash."""
    schema: dict[str, Any] = key.schema
    return (
        schema.get("type") == "string"
        and "pattern" in schema
        and not re.search(r"a-f|\{(?:1[2-9]|[2-9]\d)\}", schema["pattern"])
    )


def _within(text: str, more: str, after: str = "") -> str:
    """Return a text with one more thing in parentheses: the first in those that follow the name or `after`, or in new ones."""
    if after and f"({after}" in text:
        return text.replace(f"({after}", f"({after}, {more}", 1)
    named = _SLOT.search(text)
    end = named.end() if named is not None else len(text)
    if after:
        return f"{text[:-1]}, {more})" if text.endswith(")") else f"{text} ({more})"
    return (
        f"{text[:end]} ({more}, {text[end + 2 :]}"
        if text[end:].startswith(" (")
        else f"{text[:end]} ({more}){text[end:]}"
    )


def picks_of(noun: str, fields: Mapping[str, dict[str, Any]], order: str, is_sought: bool) -> list[dict[str, Any]]:
    """Return the ways to single out one thing of a list.

    Only those that name an order, or the only one that is found, fit things that are to be changed before the list was seen.

    Args:
        noun: What the things are.
        fields: What the list shows of each, without its identifier.
        order: The field that it is sorted by.
        is_sought: Whether it is asked for by words, so that one can be all that is found.
    """
    found: list[dict[str, Any]] = [{"say": f"the first {noun}", "by": "first", "looks_up": True}]
    found += [{"say": f"that {noun}", "by": "only"}] if is_sought else []
    for name, schema in fields.items():
        words = name_as_words(name).split()
        if schema.get("format") in ("date", "date-time"):
            found += _by_time(noun, name, words)
        elif name == order and "time" in (schema.get("x-kind"), schema.get("format"), words[-1]):
            found += [
                {"say": f"the earliest {noun}", "by": f"min {name}"},
                {"say": f"the latest {noun}", "by": f"max {name}"},
            ]
        elif schema.get("type") in ("integer", "number"):
            found += _by_size(noun, name, words)
    return found


def _by_time(noun: str, name: str, words: Sequence[str]) -> list[dict[str, Any]]:
    if words[0] in word_lists()["made"]:
        return [{"say": f"the oldest {noun}", "by": f"min {name}"}, {"say": f"the newest {noun}", "by": f"max {name}"}]
    if words in (["date"], ["day"], ["start"], ["starts", "at"], ["start", "time"]):
        return [
            {"say": f"the earliest {noun}", "by": f"min {name}"},
            {"say": f"the latest {noun}", "by": f"max {name}"},
        ]
    return (
        [
            {"say": f"the {noun} with the {how} {' '.join(words)}", "by": f"{by} {name}"}
            for how, by in (("earliest", "min"), ("latest", "max"))
        ]
        if words[-1] in ("date", "day", "deadline")
        else []
    )


def _by_size(noun: str, name: str, words: Sequence[str]) -> list[dict[str, Any]]:
    if words[-1] in ("price", "cost"):
        return [
            {"say": f"the cheapest {noun}", "by": f"min {name}"},
            {"say": f"the most expensive {noun}", "by": f"max {name}"},
        ]
    if words[-1] in ("amount", "total"):
        return [
            {"say": f"the smallest {noun}", "by": f"min {name}"},
            {"say": f"the largest {noun}", "by": f"max {name}"},
        ]
    return [{"say": f"the {noun} with the most {' '.join(words)}", "by": f"max {name}"}] if is_plural(words[-1]) else []


_FEWEST = 2


_MOST = 4


_MOST_FOUND = 6


SLOTS = re.compile(r"\{(\w+)[:}?]")


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool returns."""

    returns: dict[str, Any]
    answer: tuple[Any, ...]
    each: dict[str, list[str]] = {}
    keys: dict[str, str] = {}
    """Entity → where the result holds its identifier: `issues/*/issue_key`."""
    pick: dict[str, list[dict[str, Any]]] = {}
    told: tuple[str, ...] = ()
    """The arguments that every call has."""
    is_new: bool = False
    """Whether what it identifies was made by the call."""
    at: str = ""
    """Where the entity or the list of found ones stands; empty when it is the result itself."""


def object_of(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of an object that has all these properties."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def listed(
    thing: Thing,
    fields: dict[str, dict[str, Any]],
    key: Key | None,
    order: str = "",
    states: str = "",
    is_sought: bool = False,
) -> Results:
    """Return what a search finds, in an order: of entities all that match, of other things a few.

    Args:
        thing: What is found.
        fields: What the list shows of each.
        key: How the server names such entities; None for other things.
        order: The field that it is sorted by, after `-` for the greatest first.
        states: The field that holds the state of an entity.
        is_sought: Whether it is asked for by words, so that one can be all that is found.
    """
    each = [text for text in thing.each if set(SLOTS.findall(text)) <= fields.keys()]
    many = plural_of(thing.noun.split(" ")[-1])
    spoken = " ".join([*thing.noun.split(" ")[:-1], many])
    place = spoken.replace(" ", "_")
    items: dict[str, Any] = {
        "type": "array",
        **({"minItems": _FEWEST, "maxItems": _MOST} if key is None else {"maxItems": _MOST_FOUND}),
        "items": object_of(fields),
        **({"x-sort": order} if order and key is None else {}),
    }
    noun = f"{{{place}#?{thing.noun}|{spoken}}}"
    answers = (
        f"I found {{{place}#}} {noun}: {{{place}}}.",
        f"There {{{place}#?is|are}} {{{place}#}} {noun}: {{{place}}}.",
        f"I see {{{place}#}} {noun}: {{{place}}}.",
    )
    if not each:
        each = ["{" + next(name for name in (*thing.fields, *fields) if name in fields) + "}"]
    each = each if key is None else one_by_one(each, key, states, fields)
    return Results(
        returns=object_of({place: items}),
        answer=answers if key is None else (*answers, *none_found(place, spoken)),
        each={place: each},
        keys={thing.noun: f"{place}/*/{key.shown}"} if key is not None and key.shown in fields else {},
        pick={
            place: picks_of(
                thing.noun,
                {name: schema for name, schema in fields.items() if key is None or name != key.shown},
                order,
                is_sought,
            )
        },
        at=place,
    )


def none_found(place: str, spoken: str) -> tuple[dict[str, Any], ...]:
    """Answers for an empty list at `place`."""
    return tuple(
        {"when": {place: []}, "say": text}
        for text in (f"I found no {spoken}.", f"There are no such {spoken}.", f"No {spoken} were found.")
    )


def reporting_result(
    reading: NameReading, leaves: Sequence[ArgumentLeaf], done: Sequence[str], taken: frozenset[str] = frozenset()
) -> Results:
    """Return the result of a tool that only reports what it was called for, and that it was done.

    Args:
        reading: What the tool does.
        leaves: Its arguments.
        done: Sentences that tell that it was done.
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
        return _outcome_of({**fields, status: {"const": "success"}}, done)
    state = participle(verb.word if verb.word in verb.say or len(verb.say[0].split()) > 2 else verb.say[0])
    return _outcome_of({**fields, status: {"const": state.removesuffix(" to")}}, done)


def _outcome_of(fields: dict[str, Any], done: Sequence[str]) -> Results:
    return Results(
        returns={"type": "object", "properties": fields, "required": list(fields)},
        answer=tuple(done),
    )


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


def described_results(
    returns: dict[str, Any], told: DerivedTool, done: Sequence[str], doing: Doing | None, kind_of: KindOf
) -> Results:
    """Return the results of a tool whose server says what it returns."""
    record = doing.record if doing is not None else None
    if (
        doing is not None
        and record is not None
        and record.shown
        and doing.role.effect in ("find", "get", "create", "update")
    ):
        return _of_record(returns, record, doing, done, kind_of)
    shown = reporting(returns, told, kind_of)
    if told.reading.effect not in READING:
        shown = _as_begun(shown) if told.reading.effect == "create" else shown
        is_new = told.reading.effect == "create"
        return Results(returns=shown, answer=_with_content(done, shown, told.leaves, with_ids=is_new))
    place, each = _told_list(shown)
    if place:
        shown = _holding_query(shown, place, each, told)
        many = name_as_words(place.rpartition("/")[2])
        one = " ".join(singular(tuple(many.split())))
        named = [text for text in done if "{args." in text]  # they tell which call it is about
        answers = (
            *(
                [f"{text.rstrip('.')}: {{{place}}}." for text in named]
                or [f"I {verb} {{{place}#}} {{{place}#?{one}|{many}}}: {{{place}}}." for verb in ("found", "see")]
            ),
            *none_found(place, many),
        )
        return Results(
            returns=shown, answer=answers, each={place: [_with_the_rest(each, shown["properties"][place]["items"])]}
        )
    return Results(returns=shown, answer=tuple(told_plainly(returns, told.leaves) or done))


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


def _told_list(returns: dict[str, Any]) -> tuple[str, str]:
    """Return the list of named things in a result, and how one is told; empty texts where there is none."""
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
            title = title or next((one for one in _told_plain(items) if fields[one]["type"] == "string"), "")
            if title:
                return name, title
    return "", ""


def _told_plain(schema: dict[str, Any], *, with_ids: bool = False) -> list[str]:
    """Return the properties that an object always has and that say something by themselves."""
    properties = schema.get("properties") or {}
    plain = [
        name
        for name, part in properties.items()
        if isinstance(part, dict)
        and part.get("type") in ("string", "integer", "number")
        and name in schema.get("required", ())
    ]
    hidden = (*([] if with_ids else word_lists()["hard_ids"]), "object", "type", "url")
    return [name for name in plain if name.isidentifier() and name_as_words(name).split()[-1] not in hidden]


def _with_the_rest(title: str, items: dict[str, Any]) -> str:
    """Return how one of a list is told: what it is called, and in brackets one thing more."""
    rest = [name for name in _told_plain(items) if name != title and not any(map(str.isdigit, name))]
    return f"{{{title}}}" + (f" ({_amount(rest[0], items['properties'][rest[0]])})" if rest else "")


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


def _with_content(
    done: Sequence[str], returns: dict[str, Any], leaves: Sequence[ArgumentLeaf], *, with_ids: bool
) -> tuple[str, ...]:
    """Return the sentences that tell that something was done, with what its result holds beside what was asked for."""
    own = {leaf.slot for leaf in leaves}
    told = [
        name for name in _told_plain(returns, with_ids=with_ids) if name not in own and not any(map(str.isdigit, name))
    ][:_MOST_TOLD]
    parts = [_said_of(name, returns["properties"][name]) for name in told]
    if not parts:
        return tuple(done)
    rest = f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]
    return tuple([f"{text.rstrip('.')}. {rest[:1].upper()}{rest[1:]}." for text in done])


_MOST_TOLD = 2


def _said_of(name: str, schema: dict[str, Any]) -> str:
    said = name_as_words(name)
    return f"the {said} {'are' if is_plural(said.split()[-1]) else 'is'} {{{name}}}"


def _of_record(
    returns: dict[str, Any], record: ResultRecord, doing: Doing, done: Sequence[str], kind_of: KindOf
) -> Results:
    """Return the results of a tool with an output schema: the answers that report the entity in it."""
    kept, effect = doing.kept, doing.role.effect
    shown = showing(returns, record, kept.fields, kept.key, kind_of)
    way = f"{record.at}/" if record.at else ""
    if effect == "find":
        shown_fields = {name: kept.fields.get(name, {}) for name in (record.shown, *record.fields)}
        (each,) = listed(kept.thing, shown_fields, None).each.values()
        each = one_by_one(each, msgspec.structs.replace(kept.key, shown=record.shown), kept.states, shown_fields)
        many = f"{{{record.at}#}}" if record.at else ""
        noun = kept.noun.split(" ")
        spoken = " ".join([*noun[:-1], plural_of(noun[-1])])
        answers: tuple[Any, ...] = (
            (
                f"I found {many} {{{record.at}#?{kept.noun}|{spoken}}}: {{{record.at}}}.",
                f"I see {many} {{{record.at}#?{kept.noun}|{spoken}}}: {{{record.at}}}.",
                *none_found(record.at, spoken),
            )
            if record.at
            else ()
        )
        return Results(
            returns=shown,
            answer=answers,
            each={record.at: each} if record.at else {},
            keys={kept.noun: f"{way}*/{record.shown}"},
            at=record.at,
        )
    is_shown = set(SLOTS.findall(kept.thing.tell)) <= record.fields.keys()
    tell = _below(kept.thing.tell, way) if is_shown else ""
    slot = next(iter(doing.effect.get("by", {})), "")
    if effect == "create":
        answers = (
            *(f"{text.rstrip('.')}. It is {kept.noun} {{{way}{record.shown}}}." for text in done[:2]),
            f"Done, the new {kept.noun} is {{{way}{record.shown}}}.",
        )
        return Results(
            returns=shown, answer=answers, keys={kept.noun: f"{way}{record.shown}"}, is_new=True, at=record.at
        )
    if effect == "get" and tell:
        name = f"{kept.noun[:1].upper()}{kept.noun[1:]} {{args.{slot}}}"
        return Results(
            returns=shown,
            answer=(f"{name}: {tell}", f"I've looked up {kept.noun} {{args.{slot}}}: {tell}"),
            at=record.at,
        )
    told = tuple(done) if effect != "get" else tuple(told_plainly(returns, ()))
    return Results(returns=shown, answer=told, at=record.at)


def _below(text: str, way: str) -> str:
    return re.sub(r"\{(\w+)(?=[:},])", lambda slot: "{" + way + slot[1], text)


def told_plainly(returns: dict[str, Any], leaves: Sequence[ArgumentLeaf]) -> list[str]:
    """Return an answer for a result whose fields its server declares: a few of them by name."""
    own = {leaf.slot for leaf in leaves}
    properties = returns.get("properties", {})
    plain = [
        name
        for name, schema in properties.items()
        if isinstance(schema, dict)
        and schema.get("type") in ("string", "integer", "number")
        and name in returns.get("required", ())
        and name.isidentifier()
    ]
    plain = [
        name
        for name in plain
        if name_as_words(name).split()[-1] not in (*word_lists()["hard_ids"], "object", "type", "url")
    ]
    told = [name for name in plain if name not in own or name not in [leaf.slot for leaf in leaves if leaf.required]][
        :3
    ]
    said = [leaf for leaf in leaves if leaf.required and leaf.type in ("text", "number")]
    if not told or any(letter.isdigit() for name in told for letter in name):
        return []
    lead = (
        f"For {entity_of(said[0])} {{args.{said[0].slot}}}: "
        if said and is_id(said[0]) and entity_of(said[0])
        else "Here's the result: "
    )
    return [lead + ", ".join(_amount(name, properties[name]) for name in told) + "."]


def _amount(name: str, schema: dict[str, Any]) -> str:
    """Return a field and its value: "12 in stock", "warehouse Harbor"."""
    said = name_as_words(name)
    counts = schema.get("type") in ("integer", "number") and said.split()[0] in word_lists()["prepositions"]
    return f"{{{name}}} {said}" if counts else f"{said} {{{name}}}"
