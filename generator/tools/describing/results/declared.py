"""Results of tools whose servers say what they return, and the answers that report them."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.effects import Doing
from generator.tools.describing.lexicon import READING, is_plural, plural_of, singular, word_lists
from generator.tools.describing.reading import ArgumentLeaf, entity_of, is_id
from generator.tools.describing.results.listing import one_by_one
from generator.tools.describing.results.records import ResultRecord, showing
from generator.tools.describing.results.result import SLOTS, Results, listed, none_found
from generator.tools.describing.results.sense import KindOf, reporting
from generator.tools.describing.things import TITLES, DerivedTool

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
