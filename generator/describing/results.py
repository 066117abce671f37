"""Results of tools about things that are known, the answers that tell them, and which results serve which arguments.

A result holds nothing but fields of a known thing, what the call itself says, and whether it was done.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from generator.describing.lexicon import READING, is_plural, load, plural_of, singular_of, words
from generator.describing.phrases import Reading, noun_of
from generator.describing.reading import Leaf, entity_of, is_id
from generator.describing.sentences import participle
from generator.describing.values import Values
from generator.toolbox import words_of

_FEWEST, _MOST = 2, 4
_REPORTS = frozenset({"success", "message", "status", "ok", "error", "detail", "details"})
_WRAPS = frozenset({"result", "content", "text", "output", "message", "data", "response", "value"})


_SAYING = frozenset({"enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if"})
"""Keywords that say more of a result than its type."""


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of thing with the fields that results show of it."""

    noun: str
    fields: dict[str, dict[str, Any]]
    each: tuple[str, ...]
    tell: str


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """How a server names things of one kind."""

    field: str
    """The name of the argument, and so of the field."""
    schema: dict[str, Any]


class Results(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool returns."""

    returns: dict[str, Any]
    answer: tuple[Any, ...]
    each: dict[str, list[str]] = {}
    keys: dict[str, str] = {}
    """Entity whose identifier the result holds → where: `issues/*/issue_key`."""
    pick: dict[str, list[dict[str, str]]] = {}
    told: tuple[str, ...] = ()
    """The arguments that every call has."""


@cache
def things() -> dict[str, Thing]:
    """Return the things of entities.yaml by their noun."""
    raw = load("entities")
    found = {}
    for noun, entry in raw.items():
        real = raw[entry["like"]] if "like" in entry else entry
        fields = {
            name: schema if "type" in schema else {"type": "string", **schema} for name, schema in real["fields"].items()
        }
        for schema in fields.values():
            if "enum" in schema:
                schema["enum"] = list(dict.fromkeys(schema["enum"]))
        found[noun] = Thing(noun=noun, fields=fields, each=tuple(real["each"]), tell=real["tell"])
    return found


def own_things(readings: Mapping[str, Reading], leaves: Mapping[str, Sequence[Leaf]]) -> dict[str, Thing]:
    """Return what a server's own tools tell of things that nobody else knows: what one is made with."""
    found: dict[str, Thing] = {}
    for tool, reading in readings.items():
        noun = noun_of(reading)
        if reading.effect != "create" or not noun or noun in things() or noun in found:
            continue
        fields = {leaf.slot: schema for leaf in leaves[tool] if (schema := _field_of(leaf)) is not None}
        names = [name for name in fields if name in _TITLES]
        others = [name for name in fields if name not in _TITLES][:3]
        if not names:
            continue
        first, shown = names[0], [name for name in others if "enum" in fields[name] or fields[name].get("format") == "date"]
        told = [_told_of(name, fields[name]) for name in shown]
        each = [f"{{{first}}} ({told[0]})"] if told else [f"{{{first}}}"]
        tell = ", ".join([f"{{{first}}}", *told]) + "."
        kept = {name: schema for name, schema in fields.items() if name == first or name in shown}
        found[noun] = Thing(noun=noun, fields=kept, each=(*each, f"{{{first}}}"), tell=tell)
    return found


_TITLES = ("title", "name", "subject", "summary", "label")


def _told(name: str) -> str:
    return f"{' '.join(words_of(name).split())} {{{name}}}"


def _told_of(name: str, schema: dict[str, Any]) -> str:
    """A field as people add it: "low priority", "due {date}", "open"."""
    said = words_of(name).split()
    if "enum" in schema:
        return f"{{{name}}}" if said[-1] in ("status", "state") else f"{{{name}}} {' '.join(said)}"
    plain = [word for word in said if word not in ("date", "day", "on", "at")]
    return f"{' '.join(plain) or 'on'} {{{name}}}"


def _field_of(leaf: Leaf) -> dict[str, Any] | None:
    """The schema of a field that an argument of the same name gives a thing."""
    if leaf.slot in _TITLES:
        return {"type": "string", "x-kind": "person_name" if leaf.slot == "name" and "company" in leaf.description.lower() else "title"}
    if leaf.type == "text" and "enum" in leaf.schema:
        return {"type": "string", "enum": list(leaf.schema["enum"])}
    if leaf.type == "text" and leaf.schema.get("format") == "date":
        return {"type": "string", "format": "date"}
    return None


def keys_of(leaves: Mapping[str, Sequence[Leaf]], values: Mapping[str, Mapping[str, Values]]) -> dict[str, Key]:
    """Return how the tools of a server name things: by the identifier that most tools ask for."""
    votes: dict[str, dict[str, tuple[int, Key]]] = {}
    for tool, found in leaves.items():
        for leaf in found:
            if not is_id(leaf) or "/" in leaf.slot or leaf.type == "list" or is_plural(leaf.name[-1]) or leaf.name[-1] == "ids":
                continue
            noun = entity_of(leaf)
            schema = _schema_of(leaf, values[tool][leaf.slot])
            if noun and schema is not None and len(leaf.name) <= 1 + len(noun.split()):
                count, key = votes.setdefault(noun, {}).get(leaf.slot, (0, Key(field=leaf.slot, schema=schema)))
                votes[noun][leaf.slot] = (count + 1, key)
    return {noun: max(by_name.values(), key=lambda vote: vote[0])[1] for noun, by_name in votes.items()}


def _schema_of(leaf: Leaf, values: Values) -> dict[str, Any] | None:
    """The schema of an identifier in results: as the argument's values are made."""
    if values.kind:
        return {"type": "string", "x-kind": values.kind}
    if values.pattern:
        return {"type": "string", "pattern": f"^{values.pattern}$"}
    if values.examples and leaf.type == "number":
        return {"type": "integer", "minimum": 11, "maximum": 1999}
    if "pattern" in leaf.schema:
        return {"type": "string", "pattern": leaf.schema["pattern"]}
    return None


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
    return not isinstance(schema, dict) or not (schema.get("properties") or (schema.get("items") or {}).get("properties"))


def results_of(
    reading: Reading, leaves: Sequence[Leaf], keys: Mapping[str, Key], done: Sequence[str], own: Mapping[str, Thing]
) -> Results | None:
    """Return the results of a tool; None when nothing is known of what it returns.

    Args:
        reading: What the tool does.
        leaves: Its arguments.
        keys: How the server names things.
        done: Sentences that tell that it was done.
        own: Things that only this server knows.
    """
    found = _results_of(reading, leaves, keys, done, own)
    if found is None:
        return None
    return msgspec.structs.replace(found, told=tuple(leaf.slot for leaf in leaves if leaf.required))


def _results_of(
    reading: Reading, leaves: Sequence[Leaf], keys: Mapping[str, Key], done: Sequence[str], own: Mapping[str, Thing]
) -> Results | None:
    thing, many = _thing_of(reading, {**things(), **own})
    if reading.effect not in READING and reading.effect != "create":
        return outcome_of(reading, leaves, done)
    if thing is None:
        return outcome_of(reading, leaves, done) if reading.effect == "create" else None
    key = keys.get(thing.noun)
    fields = _with_arguments(thing, leaves, key)
    if reading.effect == "create" and any(entity_of(leaf) == thing.noun and is_id(leaf) for leaf in leaves if leaf.required):
        return outcome_of(reading, leaves, done)
    if reading.effect == "create":
        return _created(reading, thing, leaves, key, done)
    if any(leaf.required and leaf.type == "list" and entity_of(leaf) == thing.noun for leaf in leaves):
        return None  # what the given ones hold
    if many:
        return _listed(thing, fields, key, leaves)
    asked = [leaf for leaf in leaves if key is not None and leaf.required and leaf.slot == key.field]
    if asked and key is not None:
        return _one(thing, {**fields, key.field: {"type": _TYPES[asked[0].type], "x-from": key.field}}, key)
    optional = [leaf for leaf in leaves if key is not None and leaf.slot == key.field]
    return _one(thing, fields, None) if optional else None


def _thing_of(reading: Reading, known: Mapping[str, Thing]) -> tuple[Thing | None, bool]:
    """The thing that a result is about, and whether there are several."""
    for parts in (list(reading.name), re.findall(r"[a-z]+", reading.sentence.lower().split(" with ")[0])):
        head = _head_of(parts)
        thing = _known_at(head, known)
        if thing is not None:
            return thing, is_plural(head[-1])
        thing = _known_at(head[:-1], known) if head and head[-1] in _PARTS else None
        if thing is not None:
            is_talk = head[-1] == "history" and thing.noun == "channel"
            return (known["message"], True) if is_talk else (thing, False)
    return None, False


_PARTS = ("details", "info", "information", "history")
"""What stands for the thing itself, or for what was said in it."""


def _head_of(parts: Sequence[str]) -> list[str]:
    """The nouns before the first preposition."""
    head: list[str] = []
    for word in parts:
        if word in words()["prepositions"]:
            if head or word != "for":
                break
        else:
            head.append(word)
    return head


def _known_at(head: Sequence[str], known: Mapping[str, Thing]) -> Thing | None:
    """The thing that the last words name."""
    for size in (2, 1):
        noun = " ".join([*head[-size:-1], singular_of(head[-1])]) if len(head) >= size else ""
        if noun in known:
            return known[noun]
    return None


def _with_arguments(thing: Thing, leaves: Sequence[Leaf], key: Key | None) -> dict[str, dict[str, Any]]:
    """The fields of a thing; where an argument has a field's name, the values that it allows."""
    own = {leaf.slot: leaf for leaf in leaves}
    found: dict[str, dict[str, Any]] = {}
    if key is not None and key.field not in thing.fields:
        found[key.field] = key.schema
    for name, schema in thing.fields.items():
        leaf = own.get(name)
        allowed = [value for value in leaf.schema.get("enum", ()) if value not in ("all", "any")] if leaf else []
        found[name] = {"type": "string", "enum": allowed} if allowed and "enum" in schema else dict(schema)
    return found


def _listed(
    thing: Thing, fields: dict[str, dict[str, Any]], key: Key | None, leaves: Sequence[Leaf]
) -> Results:
    each = list(thing.each)
    many = plural_of(thing.noun.split(" ")[-1])
    spoken = " ".join([*thing.noun.split(" ")[:-1], many])
    place = spoken.replace(" ", "_")
    items: dict[str, Any] = {
        "type": "array",
        "minItems": _FEWEST,
        "maxItems": _MOST,
        "items": {"type": "object", "properties": fields, "required": list(fields)},
    }
    limit = next((leaf.slot for leaf in leaves if leaf.slot in ("limit", "per_page", "perPage", "max_results", "page_size", "count", "max_count")), None)
    if limit is not None:
        items["x-maximum"] = limit
    noun = f"{{{place}#?{thing.noun}|{spoken}}}"
    answers = (
        f"I found {{{place}#}} {noun}: {{{place}}}.",
        f"There {{{place}#?is|are}} {{{place}#}} {noun}: {{{place}}}.",
        f"Here's what I found: {{{place}}}.",
    )
    if key is not None and key.schema.get("pattern", "").startswith("^(") and all("{" + key.field not in text for text in each):
        each = [f"{{{key.field}}}: {each[0]}", *each]
    numbers = [name for name, schema in fields.items() if schema.get("type") in ("integer", "number") and name != (key.field if key else "")]
    picks = [{"say": "the first one", "by": "first"}]
    picks += [{"say": f"the one with the most {name.replace('_', ' ')}", "by": f"max {name}"} for name in numbers if is_plural(name.split("_")[-1])]
    return Results(
        returns={"type": "object", "properties": {place: items}, "required": [place]},
        answer=answers,
        each={place: each},
        keys={thing.noun: f"{place}/*/{key.field}"} if key is not None and key.field in fields else {},
        pick={place: picks},
    )


_TYPES = {"text": "string", "number": "number"}


def _one(thing: Thing, fields: dict[str, dict[str, Any]], key: Key | None) -> Results:
    if key is None:
        return Results(
            returns={"type": "object", "properties": fields, "required": list(fields)},
            answer=(f"Here's the {thing.noun}: {thing.tell}", f"I found it: {thing.tell}"),
        )
    name = f"{thing.noun[:1].upper()}{thing.noun[1:]} {{args.{key.field}}}"
    return Results(
        returns={"type": "object", "properties": fields, "required": list(fields)},
        answer=(f"{name}: {thing.tell}", f"Here's {thing.noun} {{args.{key.field}}}: {thing.tell}"),
        keys={},
    )


def _created(reading: Reading, thing: Thing, leaves: Sequence[Leaf], key: Key | None, done: Sequence[str]) -> Results:
    """What is made has an identifier of its own, and what the call says of it."""
    said = [leaf for leaf in leaves if leaf.slot in thing.fields and leaf.required and leaf.type == "text"]
    fields: dict[str, dict[str, Any]] = {}
    if key is not None and key.field not in [leaf.slot for leaf in leaves]:
        fields[key.field] = {**key.schema, "x-from": None}
    for leaf in said:
        fields[leaf.slot] = {"type": "string", "x-from": leaf.slot}
    if not fields:
        return outcome_of(reading, leaves, done)
    answers: list[str] = [text.rstrip(".") + "." for text in done]
    keys = {}
    if key is not None and key.field in fields:
        answers = [f"{text.rstrip('.')}. It is {thing.noun} {{{key.field}}}." for text in done[:2]]
        answers.append(f"Done, the new {thing.noun} is {{{key.field}}}.")
        keys = {thing.noun: key.field}
    return Results(
        returns={"type": "object", "properties": fields, "required": list(fields)}, answer=tuple(answers), keys=keys
    )


def outcome_of(reading: Reading, leaves: Sequence[Leaf], done: Sequence[str]) -> Results:
    """Return the result of a tool that only reports what it was called for, and that it was done."""
    fields: dict[str, dict[str, Any]] = {}
    for leaf in leaves:
        if leaf.required and is_id(leaf) and leaf.type in ("text", "number") and "/" not in leaf.slot:
            fields[leaf.slot] = {"type": "string" if leaf.type == "text" else "number", "x-from": leaf.slot}
    verb = reading.says if reading.says is not None and reading.sentence else reading.verb
    if reading.effect in READING:
        return _outcome_of({**fields, "status": {"const": "success"}}, done)
    state = participle(verb.word if verb.word in verb.say or len(verb.say[0].split()) > 2 else verb.say[0])
    return _outcome_of({**fields, "status": {"const": state}}, done)


def _outcome_of(fields: dict[str, Any], done: Sequence[str]) -> Results:
    return Results(
        returns={"type": "object", "properties": fields, "required": list(fields)},
        answer=tuple(done),
    )


def told_plainly(returns: dict[str, Any], leaves: Sequence[Leaf]) -> list[str]:
    """Return an answer for a result whose fields its server declares: a few of them by name."""
    own = {leaf.slot for leaf in leaves}
    properties = returns.get("properties", {})
    plain = [
        name
        for name, schema in properties.items()
        if isinstance(schema, dict) and schema.get("type") in ("string", "integer", "number") and name in returns.get("required", ()) and name.isidentifier()
    ]
    told = [name for name in plain if name not in own or name not in [leaf.slot for leaf in leaves if leaf.required]][:3]
    said = [leaf for leaf in leaves if leaf.required and leaf.type in ("text", "number")]
    if not told or any(letter.isdigit() for name in told for letter in name):
        return []
    lead = f"For {entity_of(said[0])} {{args.{said[0].slot}}}: " if said and is_id(said[0]) and entity_of(said[0]) else "Here's the result: "
    return [lead + ", ".join(_told(name) for name in told) + "."]


def links_of(
    tool: str,
    leaves: Sequence[Leaf],
    results: Mapping[str, Results],
    keys: Mapping[str, Key],
    shared: Sequence[str],
) -> dict[str, list[str]]:
    """Return the arguments of a tool that other tools' results hold: only where thing and identifier are the same.

    Where other arguments say where the thing is (`shared`), its source must have been told the same.
    """
    found: dict[str, list[str]] = {}
    for leaf in leaves:
        noun = entity_of(leaf)
        key = keys.get(noun)
        if not is_id(leaf) or "/" in leaf.slot or leaf.type == "list" or key is None or key.field != leaf.slot:
            continue
        around = {slot for slot in shared if slot != leaf.slot}
        places = [
            f"{other}#/{known.keys[noun]}"
            for other, known in results.items()
            if other != tool and noun in known.keys and around <= set(known.told)
        ]
        if places:
            found[leaf.slot] = places[:_MOST_SOURCES]
    return found


_MOST_SOURCES = 6
