"""Derives what can be known of the tools of one source from their names, descriptions and schemas, without a model."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from generator.describing.beside_each_other import as_ranges, bounds_of, in_bounds, said_in_pairs, told_apart
from generator.describing.changes import TEXTS, changes_of
from generator.describing.elements import Elements, elements_of
from generator.describing.entities import Keeping, keep_entities
from generator.describing.frames import ArgumentFrames, said_of
from generator.describing.lexicon import READING, is_plural, plural_of, singular, singular_of, word_lists
from generator.describing.links import links_of
from generator.describing.objects import plain_coordinates, targets_of
from generator.describing.operations import place_in_path
from generator.describing.phrases import done_sentences, noun_in_name, objects_of_verb, phrases_of
from generator.describing.reading import (
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
from generator.describing.records import (
    KindOf,
    ResultRecord,
    identified,
    result_record,
    sensible_record,
    thing_of_record,
    with_common_choices,
)
from generator.describing.results import Results, described_results, is_telling, reporting_result, results_of
from generator.describing.sentences import first_sentence
from generator.describing.things import (
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
from generator.describing.values import KnownKinds, ValueSource, shown_shape, shown_values, titles_of, value_source
from generator.describing.verb_and_object import read_tool
from generator.overlays import Pieces, split_pieces
from generator.pointers import variants
from generator.productions import place_frames
from generator.toolbox import ToolSpec, name_as_words

__all__ = ["Derivation", "Derived", "KnownKinds", "derive"]


class Derived(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived of one tool."""

    pieces: Pieces
    missing: tuple[str, ...] = ()
    """What an author must add, and why: "values of 'jql': nothing tells what they look like"."""
    unknown: dict[str, str] = {}
    """Argument whose values can only be made up, or `returns` of a look-up that can only report that it went well → why."""


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
    shapes = _shapes(specs, leaves, server)
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
    around = _Around(keys=keys, known=known, results=results, kept=kept)
    return Derivation(
        tools={spec.name: _put_together(spec, parts[spec.name], around) for spec in specs},
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


class _Around(msgspec.Struct, frozen=True, kw_only=True):
    """What is common to all tools of a server."""

    keys: dict[str, Key]
    known: dict[str, Thing]
    results: dict[str, Results]
    kept: Keeping


class _Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived from one tool alone, and its words."""

    told: DerivedTool
    said: dict[str, ArgumentFrames]
    elements: dict[str, Elements]
    phrases: dict[str, Any]
    done: list[str]


def _shapes(specs: Sequence[ToolSpec], leaves: dict[str, list[ArgumentLeaf]], server: Server) -> dict[str, ValueSource]:
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
) -> _Parts:
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
    return _Parts(
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


def _put_together(spec: ToolSpec, parts: _Parts, around: _Around) -> Derived:
    told, result, doing = parts.told, around.results.get(spec.name), around.kept.doings.get(spec.name)
    leaves = list(told.leaves)
    written: dict[str, Any] = _of_values(leaves, told.values, parts.said)
    say = {slot: how.say for slot, how in parts.said.items() if how.say and "/" not in slot} | _unsayable_objects(spec)
    if doing is not None:
        say |= {slot: "never" for slot in doing.unsaid if slot not in spec.required}
    say |= _said_as_a_rule(told, say) | _too_many(told, say)
    _add_elements(written, say, parts.elements)
    written |= _not_empty(relations=_relations(leaves, say), say=say)
    if doing is not None:
        _take_choices(written, doing.choices)
    is_known = result is not None
    phrases = dict(parts.phrases)
    frames = {
        slot: list(parts.said[slot].frames)
        for slot in (doing.choices if doing is not None else ())
        if parts.said[slot].frames
    }
    frames |= {f"{slot}/*": [elements.phrase] for slot, elements in parts.elements.items()}
    phrases |= _not_empty(slots={**phrases.get("slots", {}), **frames})
    taken = doing.kept.fields.keys() - doing.effect.get("by", {}).keys() if doing is not None else ()
    result = result or reporting_result(told.reading, leaves, parts.done, frozenset(taken))
    if result.returns != spec.returns:
        written["returns"] = result.returns
    phrases |= {"answer": list(result.answer)} | _not_empty(each=result.each, pick=result.pick)
    if doing is not None:
        written["effect"] = {**doing.effect, **_not_empty(at=result.at)}
    thing, _ = thing_of(told.reading, around.known)
    shared = _shared(spec, leaves, around.keys)
    links = links_of(spec.name, told, thing.noun if thing is not None else "", around.results, around.keys, shared)
    written |= _not_empty(links=links, context=dict.fromkeys(shared, "same"))
    written["phrases"] = phrases
    _drop_unsaid(written, {slot for slot, often in say.items() if often == "never"})
    missing = _missing(leaves, told.values, parts.said)
    if not is_known:
        missing.append(_NO_RESULT)
    if spec.name in around.kept.missing:
        missing.append(around.kept.missing[spec.name])
    unknown = {} if is_known or told.reading.effect not in READING else {_RETURNS: _NO_RESULT}
    unknown |= {leaf.slot: f"{leaf.slot}: {_NO_VALUES}" for leaf in leaves if _is_made_up(leaf, told.values[leaf.slot])}
    missing += doing.missing if doing is not None else ()
    return Derived(pieces=split_pieces(written), missing=tuple(missing), unknown=unknown)


_RETURNS = "returns"
_NO_RESULT = "returns: nothing is known of what it returns"
_NO_VALUES = "nothing tells what its values look like"


def _is_made_up(leaf: ArgumentLeaf, source: ValueSource) -> bool:
    """Whether a required text can only be filled with any words."""
    return leaf.required and leaf.type == "text" and not source.known and not source.opaque


def _drop_unsaid(written: dict[str, Any], unsaid: Collection[str]) -> None:
    """Take away what is known of the parts of objects that are never said."""
    for around, key in (
        (written, "kinds"),
        (written, "patterns"),
        (written, "examples"),
        (written["phrases"], "slots"),
        (written["phrases"], "synonyms"),
    ):
        kept = {
            slot: part
            for slot, part in around.pop(key, {}).items()
            if "/" not in slot or slot.split("/")[0] not in unsaid
        }
        around |= _not_empty(**{key: kept})


def _add_elements(written: dict[str, Any], say: dict[str, str], lists: Mapping[str, Elements]) -> None:
    """Add where values within lists of objects come from, and what nobody says of these."""
    for elements in lists.values():
        for key, found in _of_values(elements.leaves, elements.values, {}).items():
            written[key] = {**written.get(key, {}), **found}
        say |= dict.fromkeys(elements.unsaid, "never")


def _said_as_a_rule(told: DerivedTool, say: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments of which a change says at least one."""
    if told.reading.effect != "update" or any(leaf.required and not is_id(leaf) for leaf in told.leaves):
        return {}
    found = {
        leaf.slot: "usually"
        for leaf in told.leaves
        if not leaf.required and "/" not in leaf.slot and leaf.slot not in say
    }
    ids = {leaf.slot for leaf in told.leaves if is_id(leaf)}
    often = [slot for slot in found if slot.removeprefix("new_") not in TEXTS and slot not in ids] or list(found)[:2]
    return found | {slot: "seldom" for slot in found if slot not in often[:_OFTEN_CHANGED]}


def _too_many(told: DerivedTool, say: Mapping[str, str]) -> dict[str, str]:
    """Return the optional arguments after the first few as seldom said: nobody narrows a search by ten things."""
    optional = [
        leaf.slot for leaf in told.leaves if not leaf.required and "/" not in leaf.slot and leaf.slot not in say
    ]
    return {} if told.reading.effect == "update" else dict.fromkeys(optional[_OFTEN_CHANGED:], "seldom")


_OFTEN_CHANGED = 4
"""So many optional arguments are said as often as any, in the order of their declaration."""


def _take_choices(written: dict[str, Any], choices: dict[str, list[Any]]) -> None:
    """Give arguments the values that the fields they stand for can have."""
    for slot, values in choices.items():
        for key in ("kinds", "patterns"):
            written.get(key, {}).pop(slot, None)
        written.setdefault("examples", {})[slot] = values
        written.get("say", {}).pop(slot, None)


def _not_empty(**parts: Any) -> dict[str, Any]:
    return {key: part for key, part in parts.items() if part}


def _relations(leaves: list[ArgumentLeaf], say: Mapping[str, str]) -> list[str]:
    """Return pairs of arguments that must differ or be in order."""
    slots = {
        " ".join(leaf.name): leaf.slot
        for leaf in leaves
        if "/" not in leaf.slot and leaf.type in ("text", "number") and say.get(leaf.slot) != "never"
    }
    found = [
        f"{slots[left]} {sign} {slots[right]}"
        for left, sign, right in word_lists()["relations"]
        if left in slots and right in slots
    ]
    bounds = [
        f"{low.slot} < {high.slot}"
        for low, high in bounds_of(leaves)
        if "never" not in (say.get(low.slot), say.get(high.slot))
    ]
    return list(dict.fromkeys([*found, *bounds]))


def _shared(spec: ToolSpec, leaves: list[ArgumentLeaf], keys: dict[str, Key]) -> list[str]:
    """Return required arguments that say where something is, which stay the same along a chain of calls."""
    pairs = said_in_pairs(spec, leaves)
    own = [leaf.slot for leaf in leaves if leaf.required and leaf.slot in pairs]
    others = [leaf for leaf in leaves if leaf.required and is_id(leaf) and leaf.type != "list" and "/" not in leaf.slot]
    return own if own else [leaf.slot for leaf in others[:1] if len(others) > 1 and leaf.slot != others[-1].slot]


def _of_values(
    leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource], said: dict[str, ArgumentFrames]
) -> dict[str, Any]:
    kinds, patterns, examples = {}, {}, {}
    for leaf in leaves:
        known = values[leaf.slot]
        slot = f"{leaf.slot}/*" if leaf.type == "list" else leaf.slot
        if leaf.slot in said and said[leaf.slot].say == "never":
            continue
        if known.kind:
            kinds[slot] = known.kind
        if known.pattern:
            patterns[slot] = known.pattern
        if known.examples:
            examples[slot] = list(known.examples)
    return {key: part for key, part in (("kinds", kinds), ("patterns", patterns), ("examples", examples)) if part}


def _unsayable_objects(spec: ToolSpec) -> dict[str, str]:
    """Return the optional objects, which are left out as a whole."""
    parameters = spec.tool.parameters or {}
    required = parameters.get("required", ())
    properties = parameters.get("properties", {})
    return {
        name: "never"
        for name, schema in (properties.items() if isinstance(properties, dict) else ())
        if name not in required and _holds_an_object(parameters, schema) and "/" not in name
    }


def _holds_an_object(root: Any, schema: Any) -> bool:
    kinds: list[Any] = [branch.get("type") for branch in variants(root, schema)] if isinstance(schema, dict) else []
    return any(kind == "object" or (isinstance(kind, list) and "object" in kind) for kind in kinds)


def _missing(
    leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource], said: dict[str, ArgumentFrames]
) -> list[str]:
    found = []
    for leaf in leaves:
        if leaf.required and leaf.type == "object" and not values[leaf.slot].examples:
            found.append(f"{leaf.slot}: nobody says an object or a list of them as it is")
        elif leaf.required and values[leaf.slot].opaque:
            found.append(f"{leaf.slot}: its text is written for machines")
        elif leaf.required and not values[leaf.slot].known:
            found.append(f"{leaf.slot}: {_NO_VALUES}")
    return found
