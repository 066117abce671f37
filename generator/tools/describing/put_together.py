"""What was derived of a tool as the pieces of an overlay: values, phrases, result, effect and links, and what an author must add."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from generator.core.overlays import Pieces, split_pieces
from generator.core.pointers import unescape, variants
from generator.core.toolbox import ToolSpec, name_as_words
from generator.tools.describing.beside_each_other import bounds_of, said_in_pairs
from generator.tools.describing.changes import TEXTS
from generator.tools.describing.elements import Elements
from generator.tools.describing.entities import Keeping
from generator.tools.describing.frames import ArgumentFrames
from generator.tools.describing.lexicon import READING, word_lists
from generator.tools.describing.reading import (
    ArgumentLeaf,
    is_id,
)
from generator.tools.describing.results.result import Results, reporting_result
from generator.tools.describing.things import (
    DerivedTool,
    Key,
    Thing,
    named_by,
    thing_of,
)
from generator.tools.describing.values import ValueSource
from generator.tools.productions import coordinates_in

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
    frames = word_lists()["id_frames"]
    others = [
        other
        for other in told.leaves
        if other.required and other.slot != leaf.slot and is_id(other) and "/" not in other.slot
    ]
    return noun in (*frames["in"], *frames["on"]) and bool(others) and told.verb not in word_lists()["joining"]


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
    """What was derived from one tool alone, and its words."""

    told: DerivedTool
    said: dict[str, ArgumentFrames]
    elements: dict[str, Elements]
    phrases: dict[str, Any]
    done: list[str]


def put_together(spec: ToolSpec, parts: Parts, around: Around) -> Derived:
    """Return all that was derived of a tool, alone and beside its siblings."""
    told, result, doing = parts.told, around.results.get(spec.name), around.kept.doings.get(spec.name)
    leaves = list(told.leaves)
    written: dict[str, Any] = _of_values(leaves, told.values, parts.said)
    say = {slot: how.say for slot, how in parts.said.items() if how.say and "/" not in slot} | _unsayable_objects(spec)
    if doing is not None:
        say |= {slot: "never" for slot in doing.unsaid if slot not in spec.required}
    say |= _said_as_a_rule(told, say) | _too_many(told, say)
    _add_elements(written, say, parts.elements)
    written |= _not_empty(relations=_relations(leaves, say), say=say, together=_optional_places(spec, say))
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
    shared = _shared(spec, leaves)
    links = links_of(spec.name, told, thing.noun if thing is not None else "", around.results, around.keys, shared)
    written |= _not_empty(links=links, context=dict.fromkeys(shared, "same"))
    written["phrases"] = phrases
    _drop_unsaid(written, {slot for slot, often in say.items() if often == "never"})
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


def _optional_places(spec: ToolSpec, say: dict[str, str]) -> list[list[str]]:
    """Return the optional latitudes and longitudes of which a call has both or none."""
    pairs = [[unescape(slot) for slot in slots] for *slots, _ in coordinates_in(spec.tool.parameters)]
    free = {*spec.properties} - {*spec.required} - {slot for slot, how in say.items() if how == "never"}
    return [pair for pair in pairs if free.issuperset(pair)]


def _shared(spec: ToolSpec, leaves: list[ArgumentLeaf]) -> list[str]:
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
