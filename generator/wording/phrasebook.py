"""Everything that can be said about one tool, compiled when the tools are loaded."""

import re
from typing import Any

import msgspec

from generator.errors import SpecError
from generator.pointers import schema_at, variants
from generator.templates import Slot, Template, parse_template
from generator.toolbox import ToolSpec
from generator.wording.verbalizers import FAMILIES, VERBALIZERS, choose, enum_forms

Forms = dict[Any, tuple[str, ...]]


class SlotWording(msgspec.Struct, frozen=True, kw_only=True):
    """How the values of one slot are said."""

    slot: str
    schema: dict[str, Any]
    verbalizers: tuple[str, ...]
    """Best first; the last can say anything."""
    forms: Forms
    """Spoken forms of enum values."""
    shape: str
    """`leaf`, `list` (of leaves), `objects` (a list of objects), `object`, or `json` (said whole)."""
    constant: bool = False
    """The schema leaves no choice, so nobody has to say it."""
    frames: tuple[Template, ...] = ()
    clauses: tuple[tuple[Any, tuple[str, ...]], ...] = ()
    """What to say for this or that value instead of a frame."""
    elements: tuple[Template, ...] = ()
    """How one element of the list is said, if it is not said by its verbalizer."""


class Book(msgspec.Struct, frozen=True, kw_only=True):
    """One tool's phrases."""

    spec: ToolSpec
    slots: dict[str, SlotWording]
    results: dict[str, SlotWording]
    constants: tuple[str, ...]
    """Slots whose schema leaves no choice."""
    heads: dict[str, tuple[Template, ...]]
    """`request`, `question` and `want` phrases."""
    bare: Template
    """A request without any slot, made of the tool's name."""
    again: tuple[Template, ...]
    entry: tuple[Template, ...]
    several: tuple[str, ...]
    follow_up: tuple[Template, ...]
    answers: tuple[tuple[Template, tuple[tuple[str, Any], ...]], ...]


def compile_book(spec: ToolSpec) -> Book:
    """Compile one tool's phrases; raises SpecError for a verbalizer that does not exist."""
    phrases = spec.phrases
    answers = [(parse_template(answer.say, "result"), answer.when) for answer in phrases.answer]
    slots = _slots(spec)
    book = Book(
        spec=spec,
        slots=slots,
        results=_results(spec),
        constants=tuple(slot for slot, wording in slots.items() if wording.constant and "*" not in slot),
        heads={
            "request": _templates(phrases.request) or (_bare(spec.name),),
            "question": _templates(phrases.question),
            "want": _templates(phrases.want),
        },
        bare=_bare(spec.name),
        again=_templates(phrases.again),
        entry=_templates(phrases.entry),
        several=phrases.several,
        follow_up=_templates(phrases.follow_up),
        answers=tuple(answers),
    )
    _check_verbalizers(book)
    return book


def words_of(name: str) -> str:
    """`max_price`, `maxPrice` and `max-price` as "max price"."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return re.sub(r"[\W_]+", " ", spaced).strip().lower()


def _templates(texts: tuple[str, ...]) -> tuple[Template, ...]:
    return tuple(parse_template(text) for text in texts)


def _bare(name: str) -> Template:
    """What to say for a tool without phrases; digits are for values only."""
    text = re.sub(r"\d+", "", words_of(name)).strip() or "call the tool"
    return Template(text, (text,), frozenset(), frozenset(), frozenset())


def _slots(spec: ToolSpec) -> dict[str, SlotWording]:
    """The wording of every slot of the parameters, in declared order."""
    found: dict[str, SlotWording] = {}

    def visit(schema: dict[str, Any], prefix: str) -> None:
        for variant in variants(spec.tool.parameters, schema):
            for name in variant.get("properties", {}):
                slot = prefix + name
                if slot not in found:
                    found[slot] = wording = _slot_wording(spec, slot)
                    if wording.shape == "object":
                        visit(wording.schema, slot + "/")
                    elif wording.shape == "objects":
                        visit(schema_at(spec.tool.parameters, slot + "/*") or {}, slot + "/*/")

    visit(spec.tool.parameters or {}, "")
    for slot in [slot for slot, wording in found.items() if wording.shape == "list"]:
        found[slot + "/*"] = _slot_wording(spec, slot + "/*")
    return found


def _slot_wording(spec: ToolSpec, slot: str) -> SlotWording:
    parameters = spec.tool.parameters
    schema = _merged(parameters, slot)
    own = spec.phrases.slots.get(slot)
    elements = spec.phrases.slots.get(slot + "/*")
    name = slot.removesuffix("/*").rpartition("/")[2]
    shape = _shape(parameters, schema, slot, bool(elements))
    return SlotWording(
        slot=slot,
        schema=schema,
        verbalizers=choose(schema, name),
        forms=_forms(schema, dict(spec.phrases.synonyms).get(slot, ())),
        shape=shape,
        constant="const" in schema or len(schema.get("enum", (1, 2))) == 1,
        frames=_templates(own.frames) if own and own.frames else (fallback_frame(slot, schema),),
        clauses=own.clauses if own else (),
        elements=_templates(elements.frames) if elements else (),
    )


def _results(spec: ToolSpec) -> dict[str, SlotWording]:
    """The wording of the result values that templates name."""
    found: dict[str, SlotWording] = {}
    returns = spec.returns or {}
    synonyms = dict(spec.phrases.synonyms)

    def add(slot: str) -> None:
        schema = _merged(returns, slot) if slot != "." else returns
        name = slot.rpartition("/")[2]
        each = spec.phrases.each.get(slot)
        elements = tuple(parse_template(text, "result") for text in each) if each else ()
        shape = "objects" if elements else _shape(returns, schema, slot, False)
        found[slot] = SlotWording(
            slot=slot,
            schema=schema,
            verbalizers=(*_by_name(schema, name), *choose(schema, name)),
            forms=_forms(schema, synonyms.get(slot, synonyms.get(name, ()))),
            shape=shape,
            elements=elements,
        )
        for template in elements:
            for inner in template.needs:
                add(f"{slot}/*" if inner == "." else f"{slot}/*/{inner}")
        if shape == "list":
            add(slot + "/*")

    for answer in spec.phrases.answer:
        for slot in parse_template(answer.say, "result").needs:
            add(slot)
    return found


def _by_name(schema: dict[str, Any], name: str) -> tuple[str, ...]:
    """A computed date or time often has no pattern in its schema; its name tells."""
    words = set(words_of(name).split())
    if schema.get("type") != "string" or not schema.keys().isdisjoint({"pattern", "format", "enum", "const"}):
        return ()
    return ("date", *FAMILIES["time"], *FAMILIES["datetime"]) if words & _MOMENTS else ()


_MOMENTS = {"time", "date", "day", "at", "until", "start", "end", "departure", "arrival", "due", "starts", "ends"}


def _merged(root: Any, slot: str) -> dict[str, Any]:
    """The slot's schema as one flat mapping: branches of anyOf (often only a null) are merged for their keywords."""
    schema = schema_at(root, slot) or {}
    merged: dict[str, Any] = {}
    branches = [branch for branch in variants(root, schema) if branch.get("type") != "null"]
    for branch in reversed(branches):
        merged.update({key: value for key, value in branch.items() if key not in {"anyOf", "oneOf", "allOf", "$ref"}})
    if sum("type" in branch for branch in branches) > 1 and len({str(b.get("type")) for b in branches if "type" in b}) > 1:
        merged.pop("type", None)
    return merged


def _shape(root: Any, schema: dict[str, Any], slot: str, has_elements: bool) -> str:
    kinds = schema.get("type")
    kinds = set(kinds) - {"null"} if isinstance(kinds, list) else {kinds}
    if kinds == {"object"}:
        return "object" if schema.get("properties") else "json"
    if kinds == {"array"}:
        if has_elements:
            return "objects"
        element = schema_at(root, slot + "/*") or {}
        return "list" if element.get("type") in {"string", "integer", "number"} else "json"
    return "leaf"


def _forms(schema: dict[str, Any], synonyms: Any) -> Forms:
    values = schema.get("enum", [schema["const"]] if "const" in schema else ())
    return enum_forms(tuple(value for value in values if isinstance(value, str)), tuple(synonyms))


_PREPOSITIONS = (
    ({"from", "origin", "source", "departure"}, "from"),
    ({"to", "destination", "recipient", "target"}, "to"),
    ({"date", "day"}, "on"),
    ({"time"}, "at"),
    ({"city", "country", "location", "place", "region", "town", "language", "currency", "unit", "units"}, "in"),
)


def fallback_frame(slot: str, schema: dict[str, Any]) -> Template:
    """A frame for a slot nobody wrote phrases for, by the words of its name."""
    words = words_of(slot.removesuffix("/*"))
    spoken = re.sub(r"\d+", "", words).strip() or "that value"
    tokens = set(words.split())
    before = f"with {spoken} set to " if schema.get("type") == "boolean" else f"with {spoken} "
    for names, preposition in _PREPOSITIONS:
        if tokens & names and len(tokens) <= 2:
            before = f"{preposition} "
    here = frozenset({slot})
    return Template(before + "{" + slot + "}", (before, Slot(slot, "arguments")), here, here, here)


def _check_verbalizers(book: Book) -> None:
    templates = [template for head in book.heads.values() for template in head]
    templates += [*book.again, *book.entry, *book.follow_up]
    templates += [template for template, _ in book.answers]
    for wording in (*book.slots.values(), *book.results.values()):
        templates += [*wording.frames, *wording.elements]
    for template in templates:
        for segment in template.segments:
            if isinstance(segment, Slot) and segment.verbalizer not in {None, *VERBALIZERS}:
                known = ", ".join(VERBALIZERS)
                raise SpecError(
                    f"{book.spec.where}: phrases: {template.text!r}: there is no verbalizer "
                    f"{segment.verbalizer!r} (known: {known})"
                )
