"""Productions: each form in which something of a tool can be said, as data with a key that stays the same.

They are compiled from the phrases of the tools, or made of names where nobody wrote phrases. Whoever says something notes the
keys of the forms, and the checker looks them up here.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from generator.arguments.kinds.places import coordinates_among, is_in_degrees
from generator.core.connectives import PREPOSITIONS
from generator.core.pointers import escape, schema_at, unescape, variants
from generator.core.templates import Plural, Root, Slot, Template, in_second_person, parse_template
from generator.core.toolbox import ToolSpec, found_by, name_as_words, once_per_tool

HEADS = frozenset({"request", "question", "want", "again", "entry", "follow_up", "found", "bare"})
"""Kinds of forms that ask for a call."""
YOUR = "your "
"""Begins the kinds of forms that the assistant says to the user: "find you a flight"."""


class Production(msgspec.Struct, frozen=True, eq=False):
    """One form."""

    key: str
    kind: str
    """One of `HEADS`; `add` (one more value), `clause`, `nothing` or `empty` (words for one value), `for` (a reference), `alone` (a
    value without words), `answer`, or `told` (a result by the names of its fields)."""
    template: Template
    pointers: tuple[str, ...]
    """For each segment, where its value is; empty for texts."""
    is_sentence: bool
    """Whether it stands alone."""
    is_with: bool
    """Whether "and" may stand in place of its first word after another such form: "with the name Ann and the number …"."""
    fits_assistant: bool
    """Whether the assistant may say it to the user."""


def key_of(kind: str, text: str) -> str:
    """Return the key of a form by its kind and its text, or its slot where it has no text of its own."""
    return f"{kind}: {text}"


def production_of(spec: ToolSpec, key: str) -> Production | None:
    """Return the form of a tool that has a key; None when there is none."""
    productions = _known(spec)
    if key not in productions:
        if len(productions) >= _MOST_KNOWN:
            productions.clear()
        productions[key] = _compiled(spec, key)
    return productions[key]


_MOST_KNOWN = 4096


@once_per_tool
def _known(spec: ToolSpec) -> dict[str, Production | None]:
    return {}


def _compiled(spec: ToolSpec, key: str) -> Production | None:
    """Return the form of a tool that a key stands for: `answer: {total} in all`; None when the tool has no such text."""
    kind, _, text = key.removeprefix(YOUR).partition(": ")
    around = _AROUND.get(kind)
    if around is not None:
        return production(key, words_around_slot(around, text))
    if kind == "told":
        return production(key, NO_WORDS)
    of: Root = "result" if kind == "answer" else "arguments"
    template = parse_template(text, of) if text in _texts(spec, kind) else _made_of_names(spec, kind, text)
    return None if template is None else production(key, template)


def production(key: str, template: Template) -> Production:
    """Return the form of a key and a template, which the assistant says to the user where the key begins with `YOUR`."""
    kind = key.removeprefix(YOUR).partition(": ")[0]
    addressed = in_second_person(template)
    spoken = addressed if key.startswith(YOUR) else template
    pointers = tuple(["" if isinstance(part, str) else pointer_of(part) for part in spoken.segments])
    is_with = kind == "add" and spoken.text.startswith("with ") and not spoken.text.startswith("with {")
    is_sentence = template.is_sentence or kind == "told"
    return Production(key, kind, spoken, pointers, is_sentence, is_with, fits_assistant=spoken is addressed)


def pointer_of(segment: Slot | Plural) -> str:
    """Return the pointer of a slot; `.` is the whole result, and of arguments a name like any other."""
    return "" if segment.slot == "." and segment.of == "result" else f"/{segment.slot}"


def words_around_slot(before: str, slot: str) -> Template:
    """Return the template of a slot with words before it, which may hold what else would be no text."""
    here = frozenset({slot})
    segments = (before, Slot(slot, "arguments")) if before else (Slot(slot, "arguments"),)
    return Template(f"{before}{{{slot}}}", segments, here, here, frozenset())


NO_WORDS = Template("", (), frozenset(), frozenset(), frozenset())
_AROUND = {"clause": "", "nothing": "with ", "empty": "with ", "for": "for ", "alone": ""}
"""The kinds of forms that are words for the value of one slot, and what stands before it."""


def _texts(spec: ToolSpec, kind: str) -> Iterable[str]:
    """Return the texts of the tool's own phrases of a kind, such as its `request` phrases."""
    phrases = spec.phrases
    if kind == "answer":
        return [answer.say for answer in phrases.answer]
    if kind == "found":
        return (*phrases.found, *filter(None, [found_by(spec.name)]))
    if kind == "add":
        return [text for slot, frames in phrases.slots.items() if not slot.endswith("/*") for text in frames.frames]
    return getattr(phrases, kind) if kind in HEADS and kind != "bare" else ()


def _made_of_names(spec: ToolSpec, kind: str, text: str) -> Template | None:
    """Return the template with a text that is made of the names of the tool and its arguments: "with guest note {guest_note}"."""
    templates = [bare_words(spec.name)] if kind == "bare" else []
    if kind == "add":
        slot = text[text.find("{") + 1 : -1]  # a name that could be a place in a list has no schema
        templates = [fallback_frame(slot, schema) for schema in (schema_at(spec.tool.parameters, slot) or {}, {})]
        templates += place_frames(spec).values()
    return next((template for template in templates if template.text == text), None)


@once_per_tool
def find_other_words(spec: ToolSpec) -> Callable[[str], object]:
    """Return a search for words with which the tool says one more value or a clause: "in Fahrenheit", "for 3 …".

    A text that holds some can be taken for more than itself, unless it stands in quotation marks.
    """
    patterns = set()
    for slot, slot_phrases in spec.phrases.slots.items():
        for frame in () if slot.endswith("/*") else slot_phrases.frames:
            first, *others = parse_template(frame).segments
            if isinstance(first, str):
                patterns.add(re.escape(first.rstrip()) + (r"\s+\S" if others else r"(?!\w)"))
        patterns |= {re.escape(text) + r"(?!\w)" for _, texts in slot_phrases.clauses for text in texts}
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(patterns))})").search if patterns else lambda text: None


# --- forms for which nobody wrote phrases ---


@once_per_tool
def place_frames(spec: ToolSpec) -> dict[str, Template]:
    """Return by slot the frames that say a latitude and a longitude as one place: "in Lisbon", "to Lisbon" for `to_lat` and `to_lon`."""
    frames: dict[str, Template] = {}
    for latitude, longitude, about in coordinates_in(spec.tool.parameters):
        before = next((word for names, word in _ENDS_OF_WAYS if names.issuperset(about)), "") if about else ""
        where = "place" if before else "where"
        before = before or (f"with the {' '.join(about)}" if about and "".join(about).isalpha() else "")
        if before or not about:
            text = f"{before} {{{latitude}, {longitude}:{where}}}".strip()
            frames |= dict.fromkeys((latitude, longitude), parse_template(text))
    return frames


_ENDS_OF_WAYS = (
    (frozenset(("from", "origin", "start", "starting", "source", "pickup", "departure")), "from"),
    (frozenset(("to", "destination", "dest", "end", "dropoff", "arrival")), "to"),
)


_DEEPEST_PLACE = 4
"""Most steps of a slot in which coordinates are looked for."""


def coordinates_in(
    parameters: Any, within: Any = None, prefix: str = "", depth: int = _DEEPEST_PLACE
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield the slots of the latitude and the longitude of each place that arguments name so, and the other words of their names.

    Args:
        parameters: The schema of the arguments.
        within: The schema of the object to look in, where it is not that of all arguments; its slot is the `prefix`.
        prefix: What the slots begin with.
        depth: How many objects within it are looked into.
    """
    root, schema = parameters, parameters if within is None else within
    properties: dict[str, Any] = {}
    for variant in reversed(variants(root, schema)):
        variant_properties = variant.get("properties", {})
        properties |= variant_properties if isinstance(variant_properties, dict) else {}
    parts = {name: merged(root, part) for name, part in properties.items()}
    for about, (latitude, longitude) in coordinates_among(parts).items():
        if is_in_degrees(parts[latitude], "latitude") and is_in_degrees(parts[longitude], "longitude"):
            yield prefix + escape(latitude), prefix + escape(longitude), about
    for name, part in parts.items() if depth else ():
        if part.get("type") == "object":
            yield from coordinates_in(root, part, f"{prefix}{escape(name)}/", depth - 1)


def merged(root: Any, schema: Any) -> dict[str, Any]:
    """Return a schema as one flat mapping, with the keywords of all branches of anyOf (often only a null)."""
    keywords: dict[str, Any] = {}
    branches = [branch for branch in variants(root, schema) if branch.get("type") != "null"]
    for branch in reversed(branches):
        keywords.update({key: value for key, value in branch.items() if key not in {"anyOf", "oneOf", "allOf", "$ref"}})
    if len({str(branch["type"]) for branch in branches if "type" in branch}) > 1:
        keywords.pop("type", None)
    return keywords


def is_bare(spec: ToolSpec) -> bool:
    """Whether nobody, and no code, has said how people ask for a tool."""
    return not (spec.phrases.request or spec.phrases.question or spec.phrases.want)


def is_said_by_name(spec: ToolSpec) -> bool:
    """Whether nobody has written how people ask for a tool, so that it and its arguments are called by their names (level 0)."""
    return is_bare(spec) or spec.origins.get("phrases.request") == "derived"


def fallback_frame(slot: str, schema: dict[str, Any]) -> Template:
    """Return a frame for a slot nobody wrote phrases for, made of its name."""
    spoken = spoken_name(slot) or "that value"
    tokens = set(spoken.split())
    before = f"with {spoken} set to " if schema.get("type") == "boolean" else f"with {spoken} "
    for names, preposition in PREPOSITIONS:
        if tokens & names and len(tokens) <= 2:
            before = f"{preposition} "
    return words_around_slot(before, slot)


def bare_words(name: str) -> Template:
    """Return what is said for a tool without phrases."""
    return parse_template(f"call {plain_name(name)}")


def plain_name(name: str) -> str:
    """Return a name as it is, with its digits as words, since digits are for values only; in words where it holds what could not be read."""
    spelled = re.sub(r"(?<=[a-zA-Z])(?=\d)|[0-9]", lambda match: _DIGITS[int(match[0])] if match[0] else "_", name)
    return spelled if re.fullmatch(r"[^\W\d]+(?:[-.][^\W\d]+)*", spelled) else spoken_name(escape(name)) or "the tool"


_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def told_by_name(name: str) -> str:
    """Return what begins the report of a result that nobody wrote phrases for, before its fields."""
    return f"The result of {plain_name(name)}: "


def name_of(slot: str) -> str:
    """Return the name of the property that a slot is about."""
    return unescape(slot.removesuffix("/*").rpartition("/")[2])


def spoken_name(slot: str) -> str:
    """Return the property's name in words without digits, which are for values; empty if no words are left."""
    return " ".join(re.findall(r"[^\W\d_]+", name_as_words(name_of(slot))))
