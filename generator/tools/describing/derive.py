"""Derives what can be known of the tools of one source from their names, descriptions and schemas, without a model.

What each tool does and returns is found first (`derive`), then its values, its result and plain words are put together.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from generator.arguments.kinds.names import kind_of_name
from generator.arguments.kinds.places import axis_of
from generator.core.overlays import Pieces, split_pieces
from generator.core.pointers import types_at, unescape
from generator.core.toolbox import ToolOrigin, ToolSpec, name_as_words
from generator.tools.describing.declared_results import (
    Results,
    derive_results,
    results_from_schema,
    says_more_than_text,
    status_result,
)
from generator.tools.describing.effects import without_ambiguous
from generator.tools.describing.entities import ServerEntities, entities_and_effects
from generator.tools.describing.entity_templates import (
    DerivedTool,
    Key,
    Template,
    derived_tool,
    entity_keys,
    identified_noun,
    known_templates,
    schedule_templates,
    template_for,
    templates_for_work,
    templates_of_created,
)
from generator.tools.describing.lexicon import READING, is_plural, plural_of, singular, singular_of, verbs, words
from generator.tools.describing.plain import plain_phrases
from generator.tools.describing.reading import (
    ArgumentLeaf,
    NameReading,
    Server,
    ToolSubject,
    argument_leaves,
    describe_server,
    entity_noun,
    fields_of_work_in,
    first_sentence,
    is_id,
    noun_in_name,
    split_sentence,
)
from generator.tools.describing.records import (
    ResultRecord,
    plausible_record,
    result_record,
    template_of_record,
    with_common_choices,
    with_identifier,
)
from generator.tools.describing.values import (
    ValueSource,
    example_values,
    how_often_said,
    shape_of_examples,
    title_values,
    value_source,
)
from generator.tools.productions import coordinates_in, place_frames


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


class ServerFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the tools of a server tell together."""

    keys: dict[str, Key]
    known: dict[str, Template]
    results: dict[str, Results]
    entities: ServerEntities


def derive(specs: Sequence[ToolSpec]) -> Derivation:
    """Return what can be derived of the tools of one source."""
    server = describe_server(specs)
    readings = {spec.name: read_name(spec, server) for spec in specs}
    leaves = {spec.name: _with_nouns(argument_leaves(spec), readings[spec.name], spec) for spec in specs}
    shapes = _shapes_of_identifiers([leaf for spec in specs for leaf in leaves[spec.name]])
    usual_templates = templates_for_work(server.fields)
    tools = {
        spec.name: _derive_alone(spec, readings[spec.name], leaves[spec.name], server, usual_templates, shapes)
        for spec in specs
    }
    keys = entity_keys(tools)
    records = {
        spec.name: _identified_record(result_record(spec.returns, tools[spec.name]), tools[spec.name], keys)
        for spec in specs
        if spec.returns is not None and says_more_than_text(spec.returns)
    }
    templates = {
        **without_ambiguous(usual_templates, tools),
        **templates_of_created(tools),
        **_templates_of_results(records, tools, keys),
    }
    templates |= schedule_templates(templates, keys)
    entities = entities_and_effects(tools, templates, keys, records)
    results: dict[str, Results] = {}
    for spec in specs:
        tool, effect = tools[spec.name], entities.effects.get(spec.name)
        if spec.name in records:
            results[spec.name] = results_from_schema(spec.returns or {}, tool, effect)
        elif spec.name not in entities.missing or tool.reading.effect in READING:
            results_of_tool = derive_results(tool, templates, effect)
            results |= {} if results_of_tool is None else {spec.name: results_of_tool}
    facts = ServerFacts(keys=keys, known=templates, results=results, entities=entities)
    return Derivation(
        tools={spec.name: _put_together(spec, tools[spec.name], facts) for spec in specs},
        entities={entity.name: entity.declared() for entity in entities.kinds.values()},
    )


def _shapes_of_identifiers(leaves: Sequence[ArgumentLeaf]) -> dict[str, ValueSource]:
    """Return, by entity, the shape of its identifiers: the first that any description of the server shows."""
    shapes: dict[str, ValueSource] = {}
    for leaf in leaves:
        entity = entity_noun(leaf) if leaf.type == "text" and is_id(leaf) else ""
        if entity and entity not in shapes:
            is_uuid = leaf.schema.get("format") == "uuid"
            shape = ValueSource(kind="uuid") if is_uuid else shape_of_examples(example_values(leaf.description))
            shapes |= {} if shape is None else {entity: shape}
    return shapes


def _with_nouns(leaves: list[ArgumentLeaf], reading: NameReading, spec: ToolSpec) -> list[ArgumentLeaf]:
    """Return the leaves with a noun added to the names of arguments that are only called `id` or that stand in an address."""
    noun = noun_in_name(reading)
    takes_noun = bool(noun) and not is_plural(reading.name[-1]) and all(entity_noun(leaf) != noun for leaf in leaves)
    renamed_leaves = []
    for leaf in leaves:
        noun_of_path, name = noun_in_path(spec.origin, leaf.slot), leaf.name
        if leaf.type == "things" and noun and singular_of(name[-1]) in words("any_things"):
            name = (*noun.split()[:-1], plural_of(noun.split()[-1]))
        if noun_of_path and (leaf.slot in words("bare_ids") or " ".join(name) == noun_of_path):
            name = (*noun_of_path.split(), "id")
        elif takes_noun and leaf.slot in words("bare_ids"):
            name = (*noun.split(), "id")
        renamed_leaves.append(msgspec.structs.replace(leaf, name=name))
    return renamed_leaves


def _derive_alone(
    spec: ToolSpec,
    reading: NameReading,
    leaves: list[ArgumentLeaf],
    server: Server,
    usual: Mapping[str, Template],
    shapes: dict[str, ValueSource],
) -> DerivedTool:
    """Return what one tool tells by itself: where the values of its arguments come from, and how often they are said."""
    text = f"{name_as_words(spec.name)} {first_sentence(spec.tool.description or '').lower()}"
    about = ToolSubject(fields=fields_of_work_in(text), server_fields=server.fields, effect=reading.effect, text=text)
    values = {leaf.slot: value_source(leaf, about, shapes) for leaf in leaves}
    values |= _streets(leaves, values)
    template, _ = template_for(reading, usual)
    if template is not None and reading.effect in ("create", "update"):
        values |= title_values(leaves, about, template.noun, template.fields)
    say = {leaf.slot: often for leaf in leaves if (often := how_often_said(leaf, about, values[leaf.slot]))}
    values |= {part.slot: value_source(part, about, shapes) for part in _elements(leaves) if part.required}
    return derived_tool(reading, leaves, values, say, arguments_in_pairs(spec, leaves))


def _elements(leaves: Sequence[ArgumentLeaf]) -> list[ArgumentLeaf]:
    """Return the leaves of the objects in lists that are said field by field."""
    return [part for leaf in leaves for part in leaf.elements]


def _streets(leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource]) -> dict[str, ValueSource]:
    """Return values for addresses beside which the city is an argument of its own: the street alone."""
    towns = {leaf.slot.rpartition("/")[0] for leaf in leaves if leaf.name[-1] in ("city", "town")}
    return {
        leaf.slot: ValueSource(kind="street_address")
        for leaf in leaves
        if leaf.type == "text"
        and leaf.slot.rpartition("/")[0] in towns
        and values[leaf.slot].known
        and not leaf.schema.keys() & {"enum", "const", "pattern", "format", "examples", "maxLength"}
        and kind_of_name("_".join(leaf.name), (), False) == "address"
    }


def _identified_record(record: ResultRecord | None, tool: DerivedTool, keys: dict[str, Key]) -> ResultRecord | None:
    """Return what a result shows with the field that identifies it, if the server's tools have a key for it."""
    noun = _noun_with_key(tool, keys)
    if record is None or not noun:
        return record
    slots = tuple(leaf.slot for leaf in tool.leaves if identified_noun(leaf, keys) == noun)
    return with_identifier(record, keys[noun], slots) or record


def _noun_with_key(tool: DerivedTool, keys: dict[str, Key]) -> str:
    """Return the last words of what a tool is about that have a key: "order" for `get_open_order` beside an `order_id`; or nothing."""
    parts = noun_in_name(tool.reading).split()
    return next((noun for start in range(len(parts)) if (noun := " ".join(parts[start:])) in keys), "")


def _templates_of_results(
    records: dict[str, ResultRecord | None], tools: dict[str, DerivedTool], keys: dict[str, Key]
) -> dict[str, Template]:
    """Return the things that output schemas describe, each preferably as the tool describes it that gets one."""
    records_by_noun: dict[str, ResultRecord] = {}
    for effect in ("get", "find", "create", "update"):
        for name, record in records.items():
            noun = _noun_with_key(tools[name], keys)
            if noun and record is not None and record.shown and tools[name].reading.effect == effect:
                is_known = noun in records_by_noun
                records_by_noun[noun] = (
                    with_common_choices(records_by_noun[noun], record) if is_known else plausible_record(record)
                )
    templates = {
        noun: template_of_record(noun, record, known_templates().get(noun)) for noun, record in records_by_noun.items()
    }
    return {noun: template for noun, template in templates.items() if template.fields}


def _put_together(spec: ToolSpec, tool: DerivedTool, facts: ServerFacts) -> Derived:
    """Return all that was derived of a tool, alone and beside its siblings."""
    known_results, effect = facts.results.get(spec.name), facts.entities.effects.get(spec.name)
    leaves, elements = list(tool.leaves), _elements(tool.leaves)
    say = {slot: often for slot, often in tool.say.items() if "/" not in slot} | _unsayable_objects(spec)
    if effect is not None:
        say |= {slot: "never" for slot in effect.unsaid if slot not in spec.required}
    say |= _usual_frequencies(tool, say)
    sayable = [leaf for leaf in leaves if tool.say.get(leaf.slot) != "never"]
    written = _values_as_written([*sayable, *[part for part in elements if part.required]], tool.values)
    say |= dict.fromkeys(["/".join(part.slot.split("/")[:3]) for part in elements if not part.required], "never")
    written |= {"relations": _argument_relations(leaves, say), "say": say, "together": _coordinate_pairs(spec, say)}
    entity_fields: Collection[str] = ()
    if effect is not None:
        _take_choices(written, effect.choices)
        entity_fields = effect.entity.fields.keys() - effect.written.get("by", {}).keys()
    result = known_results or status_result(tool.reading, leaves, frozenset(entity_fields))
    if result.returns != spec.returns:
        written["returns"] = result.returns
    if effect is not None:
        written["effect"] = effect.written | ({"at": result.at} if result.at else {})
    shared = _shared_arguments(leaves, tool.pairs)
    written |= {"links": derive_links(spec.name, tool, facts, shared), "context": dict.fromkeys(shared, "same")}
    unsaid = {slot for slot, often in say.items() if often == "never"}
    for key in ("kinds", "patterns", "examples"):  # nor anything of the parts of objects that are never said
        of_slots = written.pop(key, {})
        written[key] = {
            slot: part for slot, part in of_slots.items() if "/" not in slot or slot.split("/")[0] not in unsaid
        }
    written = {key: part for key, part in written.items() if part or key in ("returns", "effect")}
    written["phrases"] = plain_phrases(spec, leaves, unsaid, result.returns)
    missing = [*_missing_values(leaves, tool.values), *([_NO_RESULT] if known_results is None else [])]
    missing += [facts.entities.missing[spec.name]] if spec.name in facts.entities.missing else []
    missing += effect.missing if effect is not None else ()
    unknown = {"returns": _NO_RESULT} if known_results is None and tool.reading.effect in READING else {}
    unknown |= {leaf.slot: f"{leaf.slot}: {_NO_VALUES}" for leaf in leaves if _is_made_up(leaf, tool.values[leaf.slot])}
    return Derived(pieces=split_pieces(written), missing=tuple(missing), unknown=unknown)


_NO_RESULT = "returns: nothing is known of what it returns"
_NO_VALUES = "nothing tells what its values look like"


def arguments_in_pairs(spec: ToolSpec, leaves: Sequence[ArgumentLeaf]) -> frozenset[str]:
    """Return the required arguments that say something together with another one: owner and repository, latitude and longitude."""
    slots_by_name = {"_".join(leaf.name): leaf.slot for leaf in leaves if "/" not in leaf.slot and leaf.required}
    paired_slots = {slot for slot in place_frames(spec) if slot in slots_by_name.values()}
    for pair in words("pairs"):
        if all(name in slots_by_name for name in pair) and not any(
            slots_by_name[name] in paired_slots for name in pair
        ):
            paired_slots |= {slots_by_name[name] for name in pair}
    return frozenset(paired_slots)


def least_and_most(leaves: Sequence[ArgumentLeaf]) -> list[tuple[ArgumentLeaf, ArgumentLeaf]]:
    """Return the pairs (least, most) of numbers that bound one thing: `min_price` and `max_price`, `area_from` and `area_to`."""
    numbers = {leaf.name: leaf for leaf in leaves if leaf.type == "number" and len(leaf.name) > 1}
    pairs = []
    for name, low in numbers.items():
        for least, most in words("bounds") if axis_of("_".join(name)) is None else ():
            other = tuple(most if word == least else word for word in name)
            pairs += [(low, numbers[other])] if name.count(least) == 1 and other in numbers else []
    return pairs


_MOST_SOURCES = 6


def derive_links(name: str, tool: DerivedTool, facts: ServerFacts, shared: Sequence[str]) -> dict[str, list[str]]:
    """Return the arguments of a tool that other tools' results hold: only where thing and identifier are the same.

    Where other arguments say where the thing is (`shared`), its source must have been told the same.
    """
    template, _ = template_for(tool.reading, facts.known)
    links: dict[str, list[str]] = {}
    for leaf in tool.leaves:
        noun = identified_noun(leaf, facts.keys)
        is_made = tool.reading.effect == "create" and template is not None and noun == template.noun
        if not noun or is_made or _only_locates(leaf, tool, noun):
            continue
        location_slots = {slot for slot in shared if slot != leaf.slot}
        sources = [
            f"{other}#/{results.keys[noun]}"
            for other, results in facts.results.items()
            if other != name and noun in results.keys and location_slots <= set(results.required)
            if not (results.is_new and _is_idle_after_create(name, tool))
        ]
        if sources:
            links[leaf.slot] = sources[:_MOST_SOURCES]
    return links


def _only_locates(leaf: ArgumentLeaf, tool: DerivedTool, noun: str) -> bool:
    """Whether an argument only says where the thing is that another one names: nobody has a channel looked up for a thread of it."""
    others = [
        other
        for other in tool.leaves
        if other.required and other.slot != leaf.slot and is_id(other) and "/" not in other.slot
    ]
    return noun in words("places") and bool(others) and tool.verb not in words("joining")


def _is_idle_after_create(name: str, tool: DerivedTool) -> bool:
    """Whether nobody asks for this right after they had the thing made: to see it, to change it, to take it away."""
    of_name = {tool.verb, *name_as_words(name).split()[:2]}  # the name of a server may precede the verb
    return tool.reading.effect in (*READING, "delete") or not of_name.isdisjoint(words("editing"))


def _is_made_up(leaf: ArgumentLeaf, source: ValueSource) -> bool:
    """Whether a required text can only be filled with any words."""
    return leaf.required and leaf.type == "text" and not source.known and not source.opaque


def _usual_frequencies(tool: DerivedTool, say: Mapping[str, str]) -> dict[str, str]:
    """Return how often optional arguments are said of which nothing else is known.

    A change says at least one of a few; the others are seldom said, as nobody narrows a search by ten things.
    """
    optional = [leaf for leaf in tool.leaves if not leaf.required and "/" not in leaf.slot and leaf.slot not in say]
    slots = [leaf.slot for leaf in optional]
    if tool.reading.effect != "update":
        return dict.fromkeys(slots[_OFTEN_CHANGED:], "seldom")
    if any(leaf.required and not is_id(leaf) for leaf in tool.leaves):
        return {}
    often = [leaf.slot for leaf in optional if leaf.slot.removeprefix("new_") not in words("texts") and not is_id(leaf)]
    often = often[:_OFTEN_CHANGED] or slots[:2]
    return {slot: "usually" if slot in often else "seldom" for slot in slots}


_OFTEN_CHANGED = 4
"""So many optional arguments are said as often as any, in the order of their declaration."""


def _take_choices(written: dict[str, Any], choices: dict[str, list[Any]]) -> None:
    """Give arguments the values that the fields they stand for can have."""
    for slot, values in choices.items():
        for key in ("kinds", "patterns"):
            written.get(key, {}).pop(slot, None)
        written.setdefault("examples", {})[slot] = values
        written.get("say", {}).pop(slot, None)


def _argument_relations(leaves: list[ArgumentLeaf], say: Mapping[str, str]) -> list[str]:
    """Return pairs of arguments that must differ or be in order: `start < end`."""
    sayable = [leaf for leaf in leaves if "/" not in leaf.slot and say.get(leaf.slot) != "never"]
    slots = {" ".join(leaf.name): leaf.slot for leaf in sayable if leaf.type in ("text", "number")}
    known_relations = [pair for pair in words("relations") if pair[0] in slots and pair[2] in slots]
    relations = [f"{slots[left]} {sign} {slots[right]}" for left, sign, right in known_relations]
    return list(dict.fromkeys([*relations, *[f"{low.slot} < {high.slot}" for low, high in least_and_most(sayable)]]))


def _coordinate_pairs(spec: ToolSpec, say: dict[str, str]) -> list[list[str]]:
    """Return the optional latitudes and longitudes of which a call has both or none."""
    pairs = [[unescape(slot) for slot in slots] for *slots, _ in coordinates_in(spec.tool.parameters)]
    free = {*spec.properties} - {*spec.required} - {slot for slot, how in say.items() if how == "never"}
    return [pair for pair in pairs if free.issuperset(pair)]


def _shared_arguments(leaves: list[ArgumentLeaf], pairs: Collection[str]) -> list[str]:
    """Return required arguments that say where something is, which stay the same along a chain of calls."""
    location_slots = [leaf.slot for leaf in leaves if leaf.required and leaf.slot in pairs]
    identifiers = [
        leaf for leaf in leaves if leaf.required and is_id(leaf) and leaf.type != "list" and "/" not in leaf.slot
    ]
    return (
        location_slots
        if location_slots
        else [leaf.slot for leaf in identifiers[:1] if len(identifiers) > 1 and leaf.slot != identifiers[-1].slot]
    )


def _values_as_written(leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource]) -> dict[str, Any]:
    """Return what spec files say of the values of arguments: `{"kinds": {slot: kind}, "patterns": …, "examples": …}`."""
    written: dict[str, dict[str, Any]] = {"kinds": {}, "patterns": {}, "examples": {}}
    for leaf in leaves:
        source, slot = values[leaf.slot], f"{leaf.slot}/*" if leaf.type == "list" else leaf.slot
        source_parts = {"kinds": source.kind, "patterns": source.pattern, "examples": [*source.examples]}
        for key, part in source_parts.items():
            written[key] |= {slot: part} if part else {}
    return written


def _unsayable_objects(spec: ToolSpec) -> dict[str, str]:
    """Return the optional objects, which are left out as a whole."""
    optional = [name for name in spec.properties if name not in spec.required and "/" not in name]
    return {name: "never" for name in optional if "object" in types_at(spec.tool.parameters, name)}


def _missing_values(leaves: Sequence[ArgumentLeaf], values: Mapping[str, ValueSource]) -> list[str]:
    """Return for which required arguments an author must give values, and why: "payload: nobody says an object …"."""
    reasons = []
    for leaf in leaves:
        if leaf.required and leaf.type == "object" and not values[leaf.slot].examples:
            reasons.append(f"{leaf.slot}: nobody says an object or a list of them as it is")
        elif leaf.required and values[leaf.slot].opaque:
            reasons.append(f"{leaf.slot}: its text is written for machines")
        elif leaf.required and not values[leaf.slot].known:
            reasons.append(f"{leaf.slot}: {_NO_VALUES}")
    return reasons


_VERBS = {"get": "get", "post": "create", "put": "update", "patch": "update", "delete": "delete"}
_PARAMETER = re.compile(r"\{[^{}]*\}")
_PLACELESS = re.compile(r"api|rest|v\d+(?:\.\d+)?")


def words_of_operation(origin: ToolOrigin) -> tuple[str, ...]:
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
    noun, is_one = tuple(name_as_words(plain[-1]).split()), bool(_PARAMETER.search(steps[-1]))
    if not is_one and len(noun) == 1 and noun[0] in verbs() and len(steps) > 1:
        return (*noun, *singular(tuple(name_as_words(" ".join(plain[-2:-1])).split())))
    verb = "list" if method == "get" and not is_one else _VERBS.get(method, "run")
    return (verb, *(noun if verb == "list" else singular(noun)))


def noun_in_path(origin: ToolOrigin, slot: str) -> str:
    """Return the noun of what a parameter of an address identifies: `/sessions/{session}` names a session."""
    http_place = origin.http.get("arguments", {}).get(slot, {})
    parameter = f"{{{http_place.get('name')}}}" if http_place.get("in") == "path" else ""
    steps = [step for step in str(origin.http.get("path", "")).split("/") if step]
    before = next((first for first, step in pairwise(steps) if step == parameter and not _PARAMETER.search(first)), "")
    return " ".join(singular(tuple(name_as_words(before).split())))


def read_name(spec: ToolSpec, server: Server) -> NameReading:
    """Return a tool's verb, its effect and what it is about."""
    sentence = first_sentence(spec.tool.description or "")
    of_sentence, rest = split_sentence(sentence)
    name = words_of_operation(spec.origin) or tuple(name_as_words(spec.name).split())
    while len(name) > 1 and name[0] in server.prefixes:
        name = name[1:]
    of_name = verbs().get(name[0]) if name else None
    if len(name) > 1 and of_sentence is not None and of_sentence.word in {name[0], name[-1]} - verbs().keys():
        name = name[1:] if name[0] == of_sentence.word else _last_noun_in_path(spec) or name[:-1]
        of_name = None
    name = name if of_name is None else _noun_words(name[1:])
    effects = {verb.effect for verb in (of_name, of_sentence) if verb is not None}
    if of_name is not None and of_sentence is not None and len(effects) > 1 and not effects <= READING:
        reads = spec.origin.annotations.get("readOnlyHint") is True
        if (reads and of_sentence.effect in READING) or of_name.word in ("post", "patch", "run"):
            of_name = None  # "log" of `git_log` is no verb, nor are the methods of HTTP requests
        elif name:
            of_sentence, rest = None, ""
    if of_name is None and name[-1:] == ("search",) and (of_sentence is None or of_sentence.effect not in READING):
        of_name, of_sentence, rest = verbs()["search"], None, ""  # it "performs a web search"
    verb = of_name or of_sentence or verbs()["run"]
    return NameReading(
        verb=verb,
        effect=_effect_kind(spec, verb.effect),
        sentence=rest if of_sentence is not None else "",
        says=of_sentence,
        description=spec.tool.description or "",
        name=name,
    )


def _last_noun_in_path(spec: ToolSpec) -> tuple[str, ...]:
    """Return the noun of what the last parameter of an address identifies: `POST /kernels/{id}/interrupt` is about a kernel."""
    nouns = [noun for slot in spec.properties if (noun := noun_in_path(spec.origin, slot))]
    return tuple(nouns[-1].split()) if nouns else ()


def _effect_kind(spec: ToolSpec, effect: str) -> str:
    """Return the effect that annotations and verb tell; annotations come first."""
    if effect not in READING and spec.origin.annotations.get("readOnlyHint") is True:
        return "read"
    return "get" if effect not in READING and spec.origin.http.get("method", "").lower() == "get" else effect


def _noun_words(name: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name after its verb without a second verb, an article, or a "list" of what stands in the plural."""
    if len(name) > 1 and name[0] in ("or", "and"):
        name = name[2:]
    name = name[1:] if len(name) > 1 and name[0] in ("a", "an", "the") else name
    return name[:-1] if len(name) > 1 and name[-1] == "list" and is_plural(name[-2]) else name
