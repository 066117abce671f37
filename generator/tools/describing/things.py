"""Things that tools are about: their fields, and how a server's tools name them."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import is_plural, load, plural_of, singular_of, word_lists
from generator.tools.describing.reading import QUERIES, ArgumentLeaf, NameReading, entity_of, is_id, noun_in_name
from generator.tools.describing.values import ValueSource


class Thing(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of thing with the fields that results show of it."""

    noun: str
    fields: dict[str, dict[str, Any]]
    start: dict[str, Any] = {}
    """Field → its value in a new thing: a plain value, or an expression."""
    names: dict[str, str] = {}
    """Field of the data file → the name that the server has for it."""
    is_recorded: bool = False
    """Whether the server's output schemas describe it, so that its fields are fixed."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """How a server names things of one kind."""

    field: str
    """The name that most tools have for its argument, and thus of the field."""
    schema: dict[str, Any]
    shown: str
    """Its name in results: the same, or `id` where arguments are called that."""


class DerivedTool(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived from one tool alone."""

    reading: NameReading
    leaves: Sequence[ArgumentLeaf]
    values: Mapping[str, ValueSource]
    pairs: frozenset[str]
    """Required arguments that together say where something is: owner and repository."""

    verb: str
    """The verb of the tool's name, or of its description."""
    opaque: frozenset[str]
    """Arguments in a language of their own, which is not interpreted here."""
    queries: frozenset[str]
    """Arguments that hold words to look for."""


def derived_tool(
    reading: NameReading, leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource], pairs: Collection[str]
) -> DerivedTool:
    """Return what was made out of one tool alone."""
    opaque = frozenset(
        leaf.slot
        for leaf in leaves
        if values[leaf.slot].opaque
        or leaf.name[-1] in word_lists()["languages"]
        or values[leaf.slot].kind in ("jql_query", "sql_query")
    )
    sought = word_lists()["sought"] if reading.effect == "find" else ()
    queries = frozenset(
        leaf.slot
        for leaf in leaves
        if (" ".join(leaf.name) in QUERIES or leaf.name[-1] in sought)
        and leaf.type == "text"
        and leaf.slot not in opaque
    )
    return DerivedTool(
        reading=reading,
        leaves=leaves,
        values=values,
        pairs=frozenset(pairs),
        verb=reading.verb.word,
        opaque=opaque,
        queries=queries,
    )


_ADDRESS = (
    "plain(name, '.') + ('@brightlane.example' if len(name) % 4 == 0 else '@larkspur.example' if len(name) % 4 == 1"
    " else '@cedarpoint.example' if len(name) % 4 == 2 else '@example.net')"
)
"""The email address of somebody, made from their name."""


@cache
def things() -> dict[str, Thing]:
    """Return the things of entities.yaml by their noun."""
    raw = load("entities")
    found = {}
    for noun, entry in raw.items():
        real = raw[entry["like"]] if "like" in entry else entry
        fields = {
            name: schema if "type" in schema else {"type": "string", **schema}
            for name, schema in real["fields"].items()
        }
        for schema in fields.values():
            if "enum" in schema:
                schema["enum"] = list(dict.fromkeys(schema["enum"]))
        if {"name", "email"} <= fields.keys() and fields["name"].get("x-kind") == "person_name":
            fields["email"] = {"type": "string", "x-compute": _ADDRESS}
        found[noun] = Thing(
            noun=noun,
            fields=fields,
            start=real.get("start", {}),
        )
    return found


def usual_things(fields: Collection[str]) -> dict[str, Thing]:
    """Return the things of entities.yaml as they are in some fields of work: a file in software is a source file."""
    found = things()
    plain = {noun: thing for noun, thing in found.items() if "@" not in noun}
    narrowed = {noun: thing for noun, thing in found.items() if noun.partition("@")[2] in fields}
    return plain | {
        noun.partition("@")[0]: msgspec.structs.replace(thing, noun=noun.partition("@")[0])
        for noun, thing in narrowed.items()
    }


def own_things(tools: Mapping[str, DerivedTool]) -> dict[str, Thing]:
    """Return what a server's own tools tell of things that nobody else knows: what one is made with."""
    found: dict[str, Thing] = {}
    for told in tools.values():
        reading = told.reading
        noun = noun_in_name(reading)
        if reading.effect != "create" or not noun or noun in things() or noun in found:
            continue
        fields = {
            leaf.slot: schema
            for leaf in told.leaves
            if (schema := _field_of(leaf, told.values[leaf.slot].kind)) is not None
        }
        names = [name for name in fields if name in TITLES]
        if not names:
            continue
        others = [name for name in fields if name not in TITLES][:3]
        shown = [name for name in others if "enum" in fields[name] or fields[name].get("format") == "date"]
        kept = {name: schema for name, schema in fields.items() if name == names[0] or name in shown}
        found[noun] = Thing(noun=noun, fields=kept)
    return found


TITLES = ("title", "name", "subject", "summary", "label")


def _field_of(leaf: ArgumentLeaf, kind: str) -> dict[str, Any] | None:
    """Return the schema of the field of a thing that an argument of the same name gives; `kind` is that of its values."""
    if leaf.slot in TITLES:
        return {
            "type": "string",
            "x-kind": "person_name"
            if leaf.slot == "name" and "company" in leaf.description.lower()
            else kind or "title",
        }
    if leaf.type == "text" and "enum" in leaf.schema:
        return {"type": "string", "enum": list(leaf.schema["enum"])}
    if leaf.type == "text" and leaf.schema.get("format") == "date":
        return {"type": "string", "format": "date"}
    return None


def keys_of(tools: Mapping[str, DerivedTool]) -> dict[str, Key]:
    """Return how the tools of a server name things, by noun: by the identifier, of the type, that most tools ask for."""
    votes: dict[str, Counter[str]] = {}
    schemas: dict[str, dict[str, list[dict[str, Any]]]] = {}
    """Of each noun by type, those that say more first."""
    for told in tools.values():
        for leaf in told.leaves:
            noun = _noun_of(leaf)
            schema = _schema_of(leaf, told.values[leaf.slot]) if noun else None
            if schema is not None:
                votes.setdefault(noun, Counter())[leaf.slot] += 1
                alike = schemas.setdefault(noun, {}).setdefault(schema["type"], [])
                is_strict = not leaf.schema.keys().isdisjoint(("format", "pattern"))
                alike.insert(0 if is_strict else len(alike), schema)
    found: dict[str, Key] = {}
    for noun, slots in votes.items():
        shown = slots.most_common(1)[0][0]
        field = f"{noun.replace(' ', '_')}_id" if shown in BARE else shown
        if field not in {key.field for key in found.values()}:
            usual = max(schemas[noun].values(), key=len)
            found[noun] = Key(field=field, schema=usual[0], shown=shown)
    return found


BARE = ("id", "gid", "uuid", "key", "identifier", "iid")
"""Names of arguments that identify what the tool is about, whatever that is."""


def _noun_of(leaf: ArgumentLeaf) -> str:
    """Return the noun of the one thing that an argument identifies; empty if there is none."""
    if not is_id(leaf) or "/" in leaf.slot or leaf.type == "list" or is_plural(leaf.name[-1]) or leaf.name[-1] == "ids":
        return ""
    noun = entity_of(leaf)
    return noun if len(leaf.name) <= 1 + len(noun.split()) else ""


def named_by(leaf: ArgumentLeaf, keys: Mapping[str, Key]) -> str:
    """Return the noun of the entity that an argument identifies, or nothing; `keys` tells how the server names things."""
    noun = _noun_of(leaf)
    kinds = {"text": ("string",), "number": ("integer", "number")}
    return noun if noun in keys and keys[noun].schema.get("type") in kinds.get(leaf.type, ()) else ""


def _schema_of(leaf: ArgumentLeaf, values: ValueSource) -> dict[str, Any] | None:
    """Return the schema of an identifier in results, whose values are made like the argument's."""
    if values.kind:
        return {"type": "string", "x-kind": values.kind}
    if values.pattern:
        return {"type": "string", "pattern": f"^{values.pattern}$"}
    if values.examples and leaf.type == "number":
        return {"type": "integer", "minimum": 11, "maximum": 1999}
    if leaf.type == "number" and values.known:
        return {
            "type": "integer",
            "minimum": max(leaf.schema.get("minimum", 11), 11),
            "maximum": min(leaf.schema.get("maximum", 1999), 1_999_999),
        }
    if leaf.type == "text" and ("pattern" in leaf.schema or "format" in leaf.schema):
        return {"type": "string", **{key: leaf.schema[key] for key in ("pattern", "format") if key in leaf.schema}}
    return None


def thing_of(reading: NameReading, known: Mapping[str, Thing]) -> tuple[Thing | None, bool]:
    """Return the thing that a result is about, and whether there are several."""
    heads = [
        _head_of(parts)
        for parts in (list(reading.name), re.findall(r"[a-z]+", reading.sentence.lower().split(" with ")[0]))
    ]
    for head in heads:
        thing = _known_at(head, known)
        if thing is not None:
            is_listed = reading.verb.word in word_lists()["listing"] and (
                plural_of(head[-1]) in re.findall("[a-z]+", reading.sentence.lower())
            )
            return thing, is_listed or is_plural(head[-1]) or (head[-1] in _PLANS and thing.noun != head[-1])
        thing = _known_at(head[:-1], known) if head and head[-1] in _PARTS else None
        if thing is not None:
            return thing, False
    return None, False


_PLANS = ("schedule", "agenda")
"""What stands for the planned things in it."""
_PLANNED = ("visit", "appointment", "booking", "reservation", "event", "meeting")


def plans_of(known: Mapping[str, Thing], keys: Mapping[str, Key]) -> dict[str, Thing]:
    """Return what a schedule is made of, by the words for one, where a server names such things and no schedules."""
    planned = next((known[noun] for noun in _PLANNED if noun in known and noun in keys), None)
    return {} if planned is None else {word: planned for word in _PLANS if word not in known and word not in keys}


def order_of(description: str, fields: Mapping[str, dict[str, Any]]) -> str:
    """Return by which field a list is sorted whose description says that the newest (`-field`) or the oldest come first."""
    said = _FIRST.search(description)
    made = next(
        (
            name
            for name, schema in fields.items()
            if schema.get("format") in ("date", "date-time")
            and (schema.get("x-when") == "past" or name_as_words(name).split()[0] in word_lists()["made"])
        ),
        "",
    )
    return "" if said is None or not made else made if said[0].lower().startswith("oldest") else f"-{made}"


_FIRST = re.compile(r"\b(?:newest|latest|most recent|oldest) (?:ones )?first\b", re.IGNORECASE)

_PARTS = ("details", "info", "information", "history")
"""Words that stand for the thing itself, or for what was said in it."""


def _head_of(parts: Sequence[str]) -> list[str]:
    """Return the nouns before the first preposition."""
    head: list[str] = []
    for word in parts:
        if word in word_lists()["prepositions"]:
            if head or word != "for":
                break
        else:
            head.append(word)
    return head


def _known_at(head: Sequence[str], known: Mapping[str, Thing]) -> Thing | None:
    """Return the thing that the last words name."""
    for size in (3, 2, 1):
        noun = " ".join([*head[-size:-1], singular_of(head[-1])]) if len(head) >= size else ""
        if noun in known:
            return known[noun]
    return None
