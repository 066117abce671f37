"""How the values of each slot of a tool can be said, worked out from its schemas and phrases when it is loaded."""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.arguments.kinds.other_words import meanings_of, other_words, prefix_of
from generator.core.pointers import escape, schema_at, variants
from generator.core.templates import Template, parse_template
from generator.core.toolbox import ToolSpec, name_as_words
from generator.dialogue.values.choose import verbalizers_for, verbalizers_for_result
from generator.dialogue.values.texts import enum_forms
from generator.tools.productions import fallback_frame, find_other_words, is_said_by_name, merged, name_of, place_frames

Forms = dict[Any, tuple[str, ...]]


class SlotWording(msgspec.Struct, frozen=True, kw_only=True):
    """How the values of one slot are said."""

    slot: str
    schema: dict[str, Any]
    verbalizers: tuple[str, ...]
    """Best first; the last can say any value."""
    forms: Forms
    """Spoken forms of enum values."""
    other_forms: Forms = {}
    """Those of them that are not the value's own words, which users choose from where they say it in other words."""
    otherwise: tuple[str, ...] = ()
    """Verbalizers that say some of the values in other words, best first; users alone use them."""
    meanings: Forms = {}
    """What members of an enum are called by their meaning, for `meaning`."""
    prefix: str | None = None
    """With which letters its identifiers begin, for `code`."""
    shape: str
    """`leaf`, `list` (of leaves), `objects` (a list of objects), `object`, or `json` (said as one JSON text)."""
    constant: bool = False
    """Whether the schema fixes the value, so that nobody has to say it."""
    varies: bool = False
    """Whether calls of one step may differ in it alone; then their values are said together."""
    quote_numbers: bool = False
    """Whether text such as "12" is put in quotation marks, because only the slot's name tells that it is text."""
    find_other_words: Callable[[str], object] | None = None
    """Search for words of the tool that say something else; text that holds some is put in quotation marks."""
    frames: tuple[Template, ...] = ()
    clauses: tuple[tuple[Any, tuple[str, ...]], ...] = ()
    """(value, texts) pairs: what is said for this value in place of a frame."""
    elements: tuple[Template, ...] = ()
    """Phrases for one element of the list, if it is not said by its verbalizer."""
    preferred: tuple[Template, ...] = ()
    """Those of them that are always used where they fit."""


Wordings = dict[str, SlotWording]


def argument_slots(spec: ToolSpec) -> Wordings:
    """Return the wording of every slot of the parameters, in declared order.

    Of a recursive schema, and of one with very many slots, the deeper parts are said as JSON.
    """
    found: Wordings = {}

    _visit(spec, spec.tool.parameters or {}, "", found)
    for slot in [slot for slot, wording in found.items() if wording.shape == "list"]:
        found[slot + "/*"] = _argument_slot(spec, slot + "/*")
    return found


def _visit(spec: ToolSpec, schema: dict[str, Any], prefix: str, found: Wordings) -> None:
    """Add the wordings of all arguments in a schema of an object, by slot (`guest/name`)."""
    for variant in variants(spec.tool.parameters, schema):
        for name in variant.get("properties", {}):
            if prefix + escape(name) not in found and name not in {
                "",
                "*",
            }:  # an empty name or "*" could not be told from a place in a list
                _add_argument(spec, prefix + escape(name), found)


def _add_argument(spec: ToolSpec, slot: str, found: Wordings) -> None:
    """Add the wording of an argument by its slot, and those of the properties in it; what lies too deep is said as JSON."""
    found[slot] = wording = _argument_slot(spec, slot)
    if wording.shape in ("object", "objects") and (slot.count("/") > _DEEPEST or len(found) > _MOST_SLOTS):
        found[slot] = msgspec.structs.replace(wording, shape="json")
    elif wording.shape == "object":
        _visit(spec, wording.schema, slot + "/", found)
    elif wording.shape == "objects":
        _visit(spec, schema_at(spec.tool.parameters, slot + "/*") or {}, slot + "/*/", found)


def result_slots(spec: ToolSpec) -> Wordings:
    """Return the wording of the result values that templates name."""
    found: Wordings = {}
    for answer in spec.phrases.answer:
        for slot in sorted(parse_template(answer.say, "result").needs):
            if slot not in found:
                _add_result(spec, slot, found)
    return found


def _argument_slot(spec: ToolSpec, slot: str) -> SlotWording:
    """Return how an argument may be said: with which verbalizers, in which forms, and in which phrases of the tool."""
    parameters = spec.tool.parameters
    schema = merged(parameters, schema_at(parameters, slot) or {})
    own = spec.phrases.slots.get(slot)
    elements = spec.phrases.slots.get(slot + "/*")
    frames = tuple(parse_template(text) for text in own.frames) if own else ()
    place = None if own is not None and is_said_by_name(spec) else place_frames(spec).get(slot)
    if place is not None and not any(frame.pairs for frame in frames):
        frames = (*frames, place)
    synonyms = spec.phrases.synonyms.get(slot, ())
    forms = _forms(schema, synonyms)
    return SlotWording(
        slot=slot,
        schema=schema,
        verbalizers=verbalizers_for(schema, name_of(slot), kind=spec.kinds.get(slot)),
        forms=forms,
        other_forms=_other_forms(forms),
        otherwise=other_words(schema, name_of(slot), spec.kinds.get(slot)),
        meanings=_meanings(schema, synonyms),
        prefix=prefix_of(schema),
        shape=_shape(parameters, schema, slot, bool(elements)),
        constant="const" in schema or len(schema.get("enum", (1, 2))) == 1,
        varies=slot in spec.phrases.vary,
        quote_numbers=is_said_by_name(spec) and not _NUMBERED.intersection(name_as_words(name_of(slot)).split()),
        find_other_words=find_other_words(spec),
        frames=frames or (fallback_frame(slot, schema),),
        clauses=own.clauses if own else (),
        elements=tuple(parse_template(text) for text in elements.frames) if elements else (),
    )


_DEEPEST = 8
"""Most steps of a slot whose object is said part by part; deeper ones are said as JSON."""
_MOST_SLOTS = 1_000
_NUMBERED = frozenset(
    ("id", "ids", "number", "no", "code", "zip", "postcode", "postal", "phone", "telephone", "mobile", "fax", "account")
) | {"iban", "isbn", "ssn", "sku", "version", "year"}
"""Words in names of texts that everybody knows to be digits."""


def _add_result(spec: ToolSpec, slot: str, found: Wordings) -> None:
    """Add the wording of a result slot and of the elements of its list."""
    returns = spec.returns or {}
    synonyms = spec.phrases.synonyms
    schema = merged(returns, schema_at(returns, slot) or {}) if slot != "." else returns
    name = name_of(slot)
    elements = tuple(parse_template(text, "result") for text in spec.phrases.each.get(slot, ()))
    shape = "objects" if elements else _shape(returns, schema, slot, False)
    found[slot] = SlotWording(
        slot=slot,
        schema=schema,
        verbalizers=verbalizers_for_result(schema, name),
        forms=_forms(schema, synonyms.get(slot, synonyms.get(name, ()))),
        shape=shape,
        elements=elements,
    )
    for template in elements:
        for inner in sorted(template.needs):
            _add_result(spec, f"{slot}/*" if inner == "." else f"{slot}/*/{inner}", found)
    if shape == "list":
        _add_result(spec, slot + "/*", found)


def _shape(root: Any, schema: dict[str, Any], slot: str, has_elements: bool) -> str:
    """Return what the values of a slot are to those who say them, as `SlotWording.shape` has it."""
    kinds = schema.get("type")
    kinds = set(kinds) - {"null"} if isinstance(kinds, list) else {kinds}
    if kinds == {"object"}:
        return "object" if schema.get("properties") else "json"
    if kinds == {"array"}:
        if has_elements:
            return "objects"
        kind = (schema_at(root, slot + "/*") or {}).get("type")
        return "list" if isinstance(kind, str) and kind in {"string", "integer", "number"} else "json"
    return "leaf"


def _other_forms(forms: Forms) -> Forms:
    """Return the forms in which members are said in other words than their own, of those that have some."""
    own = {value: enum_forms([value]).get(value, ()) for value in forms if type(value) is str}
    others = {value: tuple(form for form in said if form not in own.get(value, ())) for value, said in forms.items()}
    return {value: said for value, said in others.items() if said}


def _meanings(schema: dict[str, Any], synonyms: Any) -> Forms:
    """Return what the members without synonyms of an enum are called by their meaning, in words that no synonym has."""
    told, taken = {value for value, _ in synonyms}, {form.casefold() for _, forms in synonyms for form in forms}
    return {
        member: kept
        for member, forms in meanings_of(schema.get("enum", ())).items()
        if member not in told and (kept := tuple(form for form in forms if form.casefold() not in taken))
    }


def _forms(schema: dict[str, Any], synonyms: Any) -> Forms:
    """Return the spoken forms of enum values; a value with synonyms is said by these alone."""
    values = schema.get("enum", [schema["const"]] if "const" in schema else ())
    forms = enum_forms(tuple(value for value in values if isinstance(value, str)), tuple(synonyms))
    wanted = dict(synonyms)
    return {
        value: tuple(form for form in spoken if form in wanted.get(value, spoken)) or spoken
        for value, spoken in forms.items()
    }
