"""What a tool returns and how it is told; lists of things that were found, and plain reports of what was done."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.tools.describing.lexicon import READING, plural_of, word_lists
from generator.tools.describing.reading import ArgumentLeaf, NameReading, is_id
from generator.tools.describing.results.listing import one_by_one, picks_of
from generator.tools.describing.sentences import participle
from generator.tools.describing.things import Key, Thing

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
