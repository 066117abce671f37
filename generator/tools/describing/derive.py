"""Derives what can be known of the tools of one source from their names, descriptions and schemas, without a model.

What each tool does and returns is found first, then its values, its result and plain words are put together (`put_together`).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from generator.arguments.kinds.places import axis_of
from generator.core.overlays import Pieces, split_pieces
from generator.core.pointers import unescape, variants
from generator.core.toolbox import ToolOrigin, ToolSpec, name_as_words
from generator.tools.describing.declared_results import (
    Results,
    described_results,
    is_telling,
    reporting_result,
    results_of,
)
from generator.tools.describing.effects import borne_out
from generator.tools.describing.entities import Keeping, keep_entities
from generator.tools.describing.lexicon import (
    READING,
    Verb,
    is_plural,
    plural_of,
    singular_of,
    verbs,
    word_lists,
)
from generator.tools.describing.plain import plain_phrases
from generator.tools.describing.reading import (
    TEXTS,
    ArgumentLeaf,
    NameReading,
    Server,
    ToolSubject,
    describe_server,
    entity_of,
    fields_of_work,
    first_sentence,
    is_id,
    leaves_of,
    noun_in_name,
    split_sentence,
)
from generator.tools.describing.records import (
    KindOf,
    ResultRecord,
    identified,
    result_record,
    sensible_record,
    thing_of_record,
    with_common_choices,
)
from generator.tools.describing.things import (
    BARE,
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
    how_often_said,
    shown_shape,
    shown_values,
    titles_of,
    value_source,
)
from generator.tools.productions import coordinates_in, place_frames


def said_in_pairs(spec: ToolSpec, leaves: Sequence[ArgumentLeaf]) -> frozenset[str]:
    """Return the required arguments that say something together with another one: owner and repository, latitude and longitude."""
    known = {"_".join(leaf.name): leaf.slot for leaf in leaves if "/" not in leaf.slot and leaf.required}
    found = {slot for slot in place_frames(spec) if slot in known.values()}
    for pair in word_lists()["pairs"]:
        if all(name in known for name in pair) and not any(known[name] in found for name in pair):
            found |= {known[name] for name in pair}
    return frozenset(found)


def bounds_of(leaves: Sequence[ArgumentLeaf]) -> list[tuple[ArgumentLeaf, ArgumentLeaf]]:
    """Return the pairs of numbers that are the least and the most of one thing: `min_price` and `max_price`, `area_from` and `area_to`."""
    numbers = {leaf.name: leaf for leaf in leaves if "/" not in leaf.slot and leaf.type == "number"}
    found = []
    for name, low in numbers.items():
        for least, most in word_lists()["bounds"] if axis_of("_".join(name)) is None else ():
            others = [tuple(most if word == least else word for word in name)] if name.count(least) == 1 else []
            found += [(low, numbers[other]) for other in others if other in numbers and len(name) > 1]
    return found


class Elements(msgspec.Struct, frozen=True, kw_only=True):
    """How the things in one list are said."""

    leaves: tuple[ArgumentLeaf, ...]
    """What is said of each."""
    unsaid: tuple[str, ...]
    """What each may hold, and nobody says."""
    values: Mapping[str, ValueSource]
    """Where the values of what is said come from, by slot."""


def elements_of(
    leaf: ArgumentLeaf,
    about: ToolSubject,
    shapes: dict[str, ValueSource],
    vocabulary: KnownKinds,
) -> Elements | None:
    """Return how the things in a list are said; None for an argument that is no such list."""
    if leaf.type != "things":
        return None
    needed = [one for one in leaf.elements if one.required]
    values = {one.slot: value_source(one, about, shapes, vocabulary) for one in needed}
    return Elements(
        leaves=tuple(needed),
        unsaid=tuple(dict.fromkeys("/".join(one.slot.split("/")[:3]) for one in leaf.elements if not one.required)),
        values=values,
    )


_MOST_SOURCES = 6


def links_of(
    tool: str,
    told: DerivedTool,
    about: str,
    results: Mapping[str, Results],
    keys: Mapping[str, Key],
    shared: Sequence[str],
) -> dict[str, list[str]]:
    """Return the arguments of a tool that other tools' results hold: only where thing and identifier are the same.

    Where other arguments say where the thing is (`shared`), its source must have been told the same.
    """
    found: dict[str, list[str]] = {}
    for leaf in told.leaves:
        noun = named_by(leaf, keys)
        if not noun or (told.reading.effect == "create" and noun == about) or _holds_another(leaf, told, noun):
            continue
        around = {slot for slot in shared if slot != leaf.slot}
        places = [
            f"{other}#/{known.keys[noun]}"
            for other, known in results.items()
            if other != tool
            and noun in known.keys
            and around <= set(known.told)
            and not (known.is_new and _is_idle(tool, told))
        ]
        if places:
            found[leaf.slot] = places[:_MOST_SOURCES]
    return found


def _holds_another(leaf: ArgumentLeaf, told: DerivedTool, noun: str) -> bool:
    """Whether an argument only says where the thing is that another one names: nobody has a channel looked up for a thread of it."""
    others = [
        other
        for other in told.leaves
        if other.required and other.slot != leaf.slot and is_id(other) and "/" not in other.slot
    ]
    return noun in word_lists()["places"] and bool(others) and told.verb not in word_lists()["joining"]


def _is_idle(tool: str, told: DerivedTool) -> bool:
    """Whether nobody asks for this right after they had the thing made: to see it, to change it, to take it away."""
    verbs = {told.verb, *name_as_words(tool).split()[:2]}  # the name of a server may precede the verb
    return told.reading.effect in (*READING, "delete") or not verbs.isdisjoint(word_lists()["editing"])


class Derived(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived of one tool."""

    pieces: Pieces
    missing: tuple[str, ...] = ()
    """What an author must add, and why: "values of 'jql': nothing tells what they look like"."""
    unknown: dict[str, str] = {}
    """Argument whose values can only be made up, or `returns` of a look-up that can only report that it went well → why."""


class Around(msgspec.Struct, frozen=True, kw_only=True):
    """What is common to all tools of a server."""

    keys: dict[str, Key]
    known: dict[str, Thing]
    results: dict[str, Results]
    kept: Keeping


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived from one tool alone."""

    told: DerivedTool
    say: dict[str, str]
    """Argument → how often it is said, where that is not as often as any."""
    elements: dict[str, Elements]


def put_together(spec: ToolSpec, parts: Parts, around: Around) -> Derived:
    """Return all that was derived of a tool, alone and beside its siblings."""
    told, result, doing = parts.told, around.results.get(spec.name), around.kept.doings.get(spec.name)
    leaves = list(told.leaves)
    say = {slot: often for slot, often in parts.say.items() if "/" not in slot} | _unsayable_objects(spec)
    if doing is not None:
        say |= {slot: "never" for slot in doing.unsaid if slot not in spec.required}
    say |= _said_as_a_rule(told, say) | _too_many(told, say)
    written: dict[str, Any] = _of_values(leaves, told.values, parts.say)
    _add_elements(written, say, parts.elements)
    written |= _not_empty(relations=_relations(leaves, say), say=say, together=_optional_places(spec, say))
    if doing is not None:
        _take_choices(written, doing.choices)
    is_known = result is not None
    taken = doing.kept.fields.keys() - doing.effect.get("by", {}).keys() if doing is not None else ()
    result = result or reporting_result(told.reading, leaves, frozenset(taken))
    if result.returns != spec.returns:
        written["returns"] = result.returns
    if doing is not None:
        written["effect"] = {**doing.effect, **_not_empty(at=result.at)}
    thing, _ = thing_of(told.reading, around.known)
    shared = _shared(leaves, told.pairs)
    links = links_of(spec.name, told, thing.noun if thing is not None else "", around.results, around.keys, shared)
    written |= _not_empty(links=links, context=dict.fromkeys(shared, "same"))
    unsaid = {slot for slot, often in say.items() if often == "never"}
    _drop_unsaid(written, unsaid)
    written["phrases"] = plain_phrases(spec, leaves, unsaid, result.returns)
    missing = _missing(leaves, told.values)
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
    for key in ("kinds", "patterns", "examples"):
        kept = {
            slot: part
            for slot, part in written.pop(key, {}).items()
            if "/" not in slot or slot.split("/")[0] not in unsaid
        }
        written |= _not_empty(**{key: kept})


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


def _optional_places(spec: ToolSpec, say: dict[str, str]) -> list[list[str]]:
    """Return the optional latitudes and longitudes of which a call has both or none."""
    pairs = [[unescape(slot) for slot in slots] for *slots, _ in coordinates_in(spec.tool.parameters)]
    free = {*spec.properties} - {*spec.required} - {slot for slot, how in say.items() if how == "never"}
    return [pair for pair in pairs if free.issuperset(pair)]


def _shared(leaves: list[ArgumentLeaf], pairs: Collection[str]) -> list[str]:
    """Return required arguments that say where something is, which stay the same along a chain of calls."""
    own = [leaf.slot for leaf in leaves if leaf.required and leaf.slot in pairs]
    others = [leaf for leaf in leaves if leaf.required and is_id(leaf) and leaf.type != "list" and "/" not in leaf.slot]
    return own if own else [leaf.slot for leaf in others[:1] if len(others) > 1 and leaf.slot != others[-1].slot]


def _of_values(
    leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource], say: Mapping[str, str]
) -> dict[str, Any]:
    kinds, patterns, examples = {}, {}, {}
    for leaf in leaves:
        known = values[leaf.slot]
        slot = f"{leaf.slot}/*" if leaf.type == "list" else leaf.slot
        if say.get(leaf.slot) == "never":
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


def _missing(leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource]) -> list[str]:
    found = []
    for leaf in leaves:
        if leaf.required and leaf.type == "object" and not values[leaf.slot].examples:
            found.append(f"{leaf.slot}: nobody says an object or a list of them as it is")
        elif leaf.required and values[leaf.slot].opaque:
            found.append(f"{leaf.slot}: its text is written for machines")
        elif leaf.required and not values[leaf.slot].known:
            found.append(f"{leaf.slot}: {_NO_VALUES}")
    return found


_VERBS = {"get": "get", "post": "create", "put": "update", "patch": "update", "delete": "delete"}
_PARAMETER = re.compile(r"\{[^{}]*\}")
_PLACELESS = re.compile(r"api|rest|v\d+(?:\.\d+)?")


def name_of_operation(origin: ToolOrigin) -> tuple[str, ...]:
    """Return the words of a name for an operation that has none but its address; empty for all others.

    `GET /api/sessions` is "list sessions", `DELETE /api/sessions/{session}` "delete session", `POST /api/kernels/{id}/restart`
    "restart kernel".
    """
    method, path = str(origin.http.get("method", "")).lower(), str(origin.http.get("path", ""))
    if not path or name_as_words(origin.name) != name_as_words(f"{method} {path}"):
        return ()
    steps = [step for step in path.split("/") if step and not _PLACELESS.fullmatch(step)]
    plain = [step for step in steps if not _PARAMETER.search(step)]
    if not plain:
        return ()
    noun, is_one = name_as_words(plain[-1]).split(), bool(_PARAMETER.search(steps[-1]))
    if not is_one and len(noun) == 1 and noun[0] in verbs() and len(steps) > 1:
        about = name_as_words(plain[-2]).split() if len(plain) > 1 else []
        return (noun[0], *about[:-1], singular_of(about[-1])) if about else (noun[0],)
    if is_one or method != "get":
        noun = [*noun[:-1], singular_of(noun[-1])]
    verb = "list" if method == "get" and not is_one else _VERBS.get(method, "run")
    return (verb, *noun)


def place_in_path(origin: ToolOrigin, slot: str) -> str:
    """Return the noun of what a parameter of an address identifies: `/sessions/{session}` names a session."""
    place = origin.http.get("arguments", {}).get(slot, {})
    if place.get("in") != "path":
        return ""
    steps = [step for step in str(origin.http.get("path", "")).split("/") if step]
    for before, step in pairwise(steps):
        if step == "{" + str(place.get("name")) + "}" and not _PARAMETER.search(before):
            noun = name_as_words(before).split()
            return " ".join([*noun[:-1], singular_of(noun[-1])]) if noun else ""
    return ""


def read_tool(spec: ToolSpec, server: Server) -> NameReading:
    """Return a tool's verb, its effect and what it is about."""
    sentence = first_sentence(spec.tool.description or "")
    of_sentence, rest = split_sentence(sentence)
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
    if (
        of_name is not None
        and of_sentence is not None
        and not (of_name.effect == of_sentence.effect or (of_name.effect in READING and of_sentence.effect in READING))
    ):
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
        description=spec.tool.description or "",
        name=name,
    )


def _noun_of_path(spec: ToolSpec) -> tuple[str, ...]:
    """Return the noun of what the last parameter of an address identifies: `POST /kernels/{id}/interrupt` is about a kernel."""
    named = [place for slot in spec.properties if (place := place_in_path(spec.origin, slot))]
    return tuple(named[-1].split()) if named else ()


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
    known = {**borne_out(usual, told), **own_things(told)}
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
        one, doing = told[spec.name], kept.doings.get(spec.name)
        if spec.name in records:
            results[spec.name] = described_results(spec.returns or {}, one, doing, kind_of)
        elif (spec.name not in kept.missing or one.reading.effect in READING) and (
            found := results_of(one, known, doing)
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
    )
    values = {leaf.slot: value_source(leaf, about, shapes, vocabulary) for leaf in leaves}
    values |= _streets(leaves, values, vocabulary)
    thing, _ = thing_of(reading, usual)
    if thing is not None and reading.effect in ("create", "update"):
        values |= titles_of(leaves, about, thing.noun, thing.fields)
    elements = {
        leaf.slot: found for leaf in leaves if (found := elements_of(leaf, about, shapes, vocabulary)) is not None
    }
    return Parts(
        told=derived_tool(reading, leaves, values, said_in_pairs(spec, leaves)),
        say={leaf.slot: often for leaf in leaves if (often := how_often_said(leaf, about, values[leaf.slot]))},
        elements=elements,
    )


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
