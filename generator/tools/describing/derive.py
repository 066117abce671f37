"""Derives what can be known of the tools of one source from their names, descriptions and schemas, without a model."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.core.toolbox import ToolSpec, name_as_words
from generator.tools.describing.beside_each_other import as_ranges, in_bounds, said_in_pairs, told_apart
from generator.tools.describing.changes import changes_of
from generator.tools.describing.elements import elements_of
from generator.tools.describing.entities import keep_entities
from generator.tools.describing.frames import said_of
from generator.tools.describing.lexicon import (
    READING,
    Verb,
    is_plural,
    plural_of,
    singular,
    singular_of,
    verbs,
    word_lists,
)
from generator.tools.describing.objects import plain_coordinates, targets_of
from generator.tools.describing.operations import name_of_operation, place_in_path
from generator.tools.describing.phrases import done_sentences, noun_in_name, objects_of_verb, phrases_of
from generator.tools.describing.put_together import Around, Derived, Parts, put_together
from generator.tools.describing.reading import (
    ArgumentLeaf,
    NameReading,
    Server,
    ToolSubject,
    describe_server,
    entity_of,
    fields_of_work,
    is_id,
    leaves_of,
)
from generator.tools.describing.results.declared import described_results, is_telling
from generator.tools.describing.results.known import results_of
from generator.tools.describing.results.records import (
    ResultRecord,
    identified,
    result_record,
    sensible_record,
    thing_of_record,
    with_common_choices,
)
from generator.tools.describing.results.sense import KindOf
from generator.tools.describing.sentences import first_sentence, split_sentence, without_other_time
from generator.tools.describing.things import (
    BARE,
    TITLES,
    DerivedTool,
    Key,
    Thing,
    derived_tool,
    keys_of,
    named_by,
    own_things,
    plans_of,
    thing_of,
    things,
    usual_things,
)
from generator.tools.describing.values import (
    KnownKinds,
    ValueSource,
    shown_shape,
    shown_values,
    titles_of,
    value_source,
)
from generator.tools.productions import place_frames


def read_tool(spec: ToolSpec, server: Server) -> NameReading:
    """Return a tool's verb, its effect and what it is about."""
    sentence = first_sentence(spec.tool.description or "")
    of_sentence, rest = split_sentence(sentence)
    rest = without_other_time(rest) if _takes_time(spec) else rest
    name = name_of_operation(spec.origin) or tuple(name_as_words(spec.name).split())
    while len(name) > 1 and name[0] in server.prefixes:
        name = name[1:]
    if len(name) > 1 and name[0] in ("batch", "bulk") and name[1] in verbs():
        name = (name[1], "several", *name[2:])
    of_name = verbs().get(name[0]) if name else None
    if (
        of_sentence is not None
        and len(name) > 1
        and of_sentence.word in (name[0], name[-1])
        and of_sentence.word not in verbs()
    ):
        name = name[1:] if name[0] == of_sentence.word else _noun_of_path(spec) or name[:-1]
        of_name = None
    name = name if of_name is None else _after_verb(name[1:])
    if of_name is not None and of_sentence is not None and not _agree(of_name, of_sentence):
        reads = spec.origin.annotations.get("readOnlyHint") is True
        if (reads and of_sentence.effect in READING) or of_name.word in ("post", "patch", "run"):
            of_name = None  # "log" of `git_log` is no verb, nor are the methods of HTTP requests
        elif name:
            of_sentence, rest = None, ""
    of_name, of_sentence, rest = _searching(name, of_name, of_sentence, rest)
    verb = of_name or of_sentence or verbs()["run"]
    return NameReading(
        verb=verb,
        effect=_effect(spec, verb.effect),
        sentence=rest if of_sentence is not None else "",
        says=of_sentence,
        is_named=of_name is not None,
        description=spec.tool.description or "",
        name=name,
    )


def _noun_of_path(spec: ToolSpec) -> tuple[str, ...]:
    """Return the noun of what the last parameter of an address identifies: `POST /kernels/{id}/interrupt` is about a kernel."""
    named = [place for slot in spec.properties if (place := place_in_path(spec.origin, slot))]
    return tuple(named[-1].split()) if named else ()


def _takes_time(spec: ToolSpec) -> bool:
    """Whether an argument says a day or a time."""
    said = {word for slot in spec.properties for word in name_as_words(slot).split()}
    return not said.isdisjoint(word_lists()["times"])


def _agree(left: Verb, right: Verb) -> bool:
    return left.effect == right.effect or (left.effect in READING and right.effect in READING)


def _effect(spec: ToolSpec, effect: str) -> str:
    """Return the effect that annotations and verb tell; annotations come first."""
    reads = spec.origin.annotations.get("readOnlyHint")
    if reads is True and effect not in READING:
        effect = "read"
    elif spec.origin.http.get("method", "").lower() == "get" and effect not in READING:
        effect = "get"
    return effect


def _searching(
    name: tuple[str, ...], of_name: Verb | None, of_sentence: Verb | None, rest: str
) -> tuple[Verb | None, Verb | None, str]:
    """Return the verbs, and what the sentence says after its own, of a tool that "performs a web search" as of one that searches."""
    if of_name is None and name[-1:] == ("search",) and (of_sentence is None or of_sentence.effect not in READING):
        return verbs()["search"], None, ""
    return of_name, of_sentence, rest


def _after_verb(name: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name after its verb without a second verb, an article, or a "list" of what stands in the plural."""
    if len(name) > 1 and name[0] in ("or", "and"):
        name = name[2:]
    name = name[1:] if len(name) > 1 and name[0] in ("a", "an", "the") else name
    return name[:-1] if len(name) > 1 and name[-1] == "list" and is_plural(name[-2]) else name


__all__ = ["Derivation", "Derived", "KnownKinds", "derive"]


class Derivation(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived of the tools of one source."""

    tools: dict[str, Derived]
    entities: dict[str, Any] = {}
    """The entities that they act on, as the `entities` of a spec file."""
    failed: dict[str, str] = {}
    """Tools that could not be described, by name, and why."""


def derive(specs: Sequence[ToolSpec], vocabulary: KnownKinds) -> Derivation:
    """Return what can be derived of the tools of one source."""
    if not specs:
        return Derivation(tools={})
    server = describe_server(specs)
    leaves = {spec.name: _with_nouns(leaves_of(spec), read_tool(spec, server), spec) for spec in specs}
    shapes = _shapes(specs, leaves)
    usual = usual_things(server.fields)
    parts = {spec.name: _parts_of(spec, leaves[spec.name], server, usual, shapes, vocabulary) for spec in specs}
    told = {name: part.told for name, part in parts.items()}
    keys = keys_of(told)
    known = {**usual, **own_things(told)}
    records: dict[str, ResultRecord | None] = {}

    def kind_of(name: str, is_number: bool) -> str | None:
        return vocabulary.kind_of(name, (), is_number)

    for spec in specs:
        if spec.returns is not None and is_telling(spec.returns):
            records[spec.name] = _identified(result_record(spec.returns, told[spec.name]), told[spec.name], keys)
    known |= _recorded(records, told, keys, kind_of)
    known |= plans_of(known, keys)
    kept = keep_entities(told, known, keys, records)
    results = {}
    for spec in specs:
        one, done, doing = told[spec.name], parts[spec.name].done, kept.doings.get(spec.name)
        if spec.name in records:
            results[spec.name] = described_results(spec.returns or {}, one, done, doing, kind_of)
        elif (spec.name not in kept.missing or one.reading.effect in READING) and (
            found := results_of(one, keys, done, known, doing)
        ) is not None:
            results[spec.name] = found
    around = Around(keys=keys, known=known, results=results, kept=kept)
    return Derivation(
        tools={spec.name: put_together(spec, parts[spec.name], around) for spec in specs},
        entities={entity.name: entity.declared() for entity in kept.kinds.values()},
    )


def _identified(record: ResultRecord | None, told: DerivedTool, keys: dict[str, Key]) -> ResultRecord | None:
    """Return the record with the field that identifies it, if it is a thing that the server's tools name; None otherwise."""
    noun = _noun_of(told, keys)
    if record is None or not noun:
        return record
    slots = tuple(leaf.slot for leaf in told.leaves if named_by(leaf, keys) == noun)
    return identified(record, keys[noun], slots) or record


def _noun_of(told: DerivedTool, keys: dict[str, Key]) -> str:
    """Return the last words of what a tool is about that name a thing with identifiers."""
    parts = noun_in_name(told.reading).split()
    return next((noun for start in range(len(parts)) if (noun := " ".join(parts[start:])) in keys), "")


def _recorded(
    records: dict[str, ResultRecord | None], told: dict[str, DerivedTool], keys: dict[str, Key], kind_of: KindOf
) -> dict[str, Thing]:
    """Return the things that output schemas describe, each preferably as the tool describes it that gets one."""
    found: dict[str, ResultRecord] = {}
    for effect in ("get", "find", "create", "update"):
        for name, record in records.items():
            noun = _noun_of(told[name], keys)
            if noun and record is not None and record.shown and told[name].reading.effect == effect:
                found[noun] = (
                    with_common_choices(found[noun], record) if noun in found else sensible_record(record, kind_of)
                )
    made = {noun: thing_of_record(noun, record, things().get(noun)) for noun, record in found.items()}
    return {noun: thing for noun, thing in made.items() if thing.fields}


def _shapes(specs: Sequence[ToolSpec], leaves: dict[str, list[ArgumentLeaf]]) -> dict[str, ValueSource]:
    """Return, by entity, the shape of its identifiers: the first that any description of the server shows."""
    found: dict[str, ValueSource] = {}
    for spec in specs:
        for leaf in leaves[spec.name]:
            if leaf.type == "text" and is_id(leaf) and entity_of(leaf) and entity_of(leaf) not in found:
                shape = (
                    ValueSource(kind="uuid")
                    if leaf.schema.get("format") == "uuid"
                    else shown_shape(shown_values(leaf.description))
                )
                if shape is not None:
                    found[entity_of(leaf)] = shape
    return found


def _with_nouns(leaves: list[ArgumentLeaf], reading: NameReading, spec: ToolSpec) -> list[ArgumentLeaf]:
    """Return the leaves with a noun added to the names of arguments that are only called `id` or that stand in an address."""
    noun = noun_in_name(reading)
    takes = bool(noun) and not is_plural(reading.name[-1]) and all(entity_of(leaf) != noun for leaf in leaves)
    found = []
    for leaf in leaves:
        place = place_in_path(spec.origin, leaf.slot)
        if leaf.type == "things" and noun and singular_of(leaf.name[-1]) in word_lists()["any_things"]:
            leaf = msgspec.structs.replace(leaf, name=(*noun.split()[:-1], plural_of(noun.split()[-1])))
        if place and (leaf.slot in BARE or " ".join(leaf.name) == place):
            leaf = msgspec.structs.replace(leaf, name=(*place.split(), "id"))
        elif takes and leaf.slot in BARE:
            leaf = msgspec.structs.replace(leaf, name=(*noun.split(), "id"))
        found.append(leaf)
    return found


def _parts_of(
    spec: ToolSpec,
    leaves: list[ArgumentLeaf],
    server: Server,
    usual: Mapping[str, Thing],
    shapes: dict[str, ValueSource],
    vocabulary: KnownKinds,
) -> Parts:
    reading = read_tool(spec, server)
    sentence = first_sentence(spec.tool.description or "").lower()
    text = f"{name_as_words(spec.name)} {sentence}"
    about = ToolSubject(
        fields=fields_of_work(text),
        server_fields=server.fields,
        effect=reading.effect,
        text=text,
        noun=noun_in_name(reading),
    )
    values = {leaf.slot: value_source(leaf, about, shapes, vocabulary) for leaf in leaves}
    values |= _named_like_things(leaves, values, usual)
    values |= _streets(leaves, values, vocabulary)
    thing, _ = thing_of(reading, usual)
    if thing is not None and reading.effect in ("create", "update"):
        values |= titles_of(leaves, about, thing.noun, thing.fields)
    pairs = said_in_pairs(spec, leaves)
    together = {**pairs, **{slot: frame.text for slot, frame in place_frames(spec).items()}}
    said = {leaf.slot: said_of(leaf, about, values[leaf.slot], together.get(leaf.slot, "")) for leaf in leaves}
    said = as_ranges(in_bounds(leaves, told_apart(leaves, said)))
    elements = {
        leaf.slot: found
        for leaf in leaves
        if (found := elements_of(leaf, about, shapes, vocabulary, usual)) is not None
    }
    content = frozenset(slot for slot, how in said.items() if any(":quoted" in frame for frame in how.frames))
    targets = targets_of(leaves, content, () if reading.effect == "delete" else plain_coordinates(spec))
    objects = objects_of_verb(reading, targets, server)
    changes = changes_of(reading, objects, leaves, said)
    return Parts(
        told=derived_tool(reading, leaves, values, pairs),
        said=said,
        elements=elements,
        phrases=phrases_of(reading, leaves, objects, said, changes),
        done=[*done_sentences(reading, objects, said, leaves), *(changes.answers if changes is not None else ())],
    )


def _named_like_things(
    leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource], usual: Mapping[str, Thing]
) -> dict[str, ValueSource]:
    """Return the names of known things for arguments of which nothing is known but that they name one: `collection`."""
    found: dict[str, ValueSource] = {}
    for leaf in leaves:
        thing = usual.get(" ".join(singular(leaf.name)))
        title = (
            next((schema for name, schema in thing.fields.items() if name in TITLES), None)
            if thing is not None
            else None
        )
        is_plain = leaf.type == "text" and not leaf.schema.keys() & {"enum", "const", "format", "pattern", "examples"}
        if is_plain and title is not None and (not values[leaf.slot].known or values[leaf.slot] == ValueSource()):
            found[leaf.slot] = ValueSource(
                kind=title.get("x-kind", ""), examples=tuple(title.get("examples") or title.get("enum") or ())
            )
    return found


def _streets(
    leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource], vocabulary: KnownKinds
) -> dict[str, ValueSource]:
    """Return values for addresses beside which the city is an argument of its own: the street alone."""
    towns = {leaf.slot.rpartition("/")[0] for leaf in leaves if leaf.name[-1] in ("city", "town")}
    return {
        leaf.slot: ValueSource(kind="street_address")
        for leaf in leaves
        if leaf.type == "text"
        and leaf.slot.rpartition("/")[0] in towns
        and values[leaf.slot].known
        and not leaf.schema.keys() & {"enum", "const", "pattern", "format", "examples", "maxLength"}
        and vocabulary.kind_of("_".join(leaf.name), (), False) == "address"
    }
