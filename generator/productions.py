"""Productions: each form in which something of a tool can be said, as data with a key that stays the same.

They are compiled from the phrases of the tools, or made of names where nobody wrote phrases. Whoever says something notes the
keys of the forms, and the checker looks them up here.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from generator.connectives import PREPOSITIONS
from generator.pointers import escape, schema_at, unescape
from generator.templates import Plural, Root, Segment, Slot, Template, in_second_person, parse_template
from generator.toolbox import LANGUAGE_OF_NAMES, ToolSpec, found_by, name_as_words, once_per_tool

STORY = "story"
"""The kind of the sentences of stories (`ToolSpec.told`)."""
HEADS = frozenset({"request", "question", "want", "again", "entry", "follow_up", "found", "bare", STORY})
"""Kinds of forms that ask for a call."""
YOUR = "your "
"""Begins the kinds of forms that the assistant says to the user: "find you a flight"."""


class Production(msgspec.Struct, frozen=True):
    """One form."""

    kind: str
    """One of `HEADS`; `add` (one more value), `clause`, `nothing` or `empty` (words for one value), `for` (a reference), `alone` (a
    value without words), `answer`, or `told` (a result by the names of its fields)."""
    segments: tuple[Segment, ...]
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
    known = _known(spec)
    if key not in known:
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known[key] = _compiled(spec, key)
    return known[key]


_MOST_KNOWN = 4096


@once_per_tool
def _known(spec: ToolSpec) -> dict[str, Production | None]:
    return {}


def _compiled(spec: ToolSpec, key: str) -> Production | None:
    kind, _, text = key.removeprefix(YOUR).partition(": ")
    if spec.language != LANGUAGE_OF_NAMES and kind in _OF_NAMES:
        return None
    around = _AROUND.get(kind)
    if around is not None:
        return _made(kind, (*around, Slot(text, "arguments")), is_sentence=False, fits_assistant=True)
    if kind == "told":
        return _made(kind, (), is_sentence=True, fits_assistant=True)
    of: Root = "result" if kind == "answer" else "arguments"
    template = parse_template(text, of) if text in _texts(spec, kind) else _made_of_names(spec, kind, text)
    if template is None:
        return None
    addressed = in_second_person(template)
    said = addressed if key.startswith(YOUR) else template
    return _made(kind, said.segments, is_sentence=template.is_sentence, fits_assistant=said is addressed)


def pointer_of(segment: Slot | Plural) -> str:
    """Return the pointer of a slot; `.` is the whole result, and of arguments a name like any other."""
    return "" if segment.slot == "." and segment.of == "result" else f"/{segment.slot}"


def _made(kind: str, segments: tuple[Segment, ...], *, is_sentence: bool, fits_assistant: bool) -> Production:
    pointers = tuple(["" if isinstance(one, str) else pointer_of(one) for one in segments])
    first = segments[0] if segments else None
    is_with = kind == "add" and isinstance(first, str) and first.startswith("with ") and first != "with "
    return Production(kind, segments, pointers, is_sentence, is_with, fits_assistant)


_AROUND: dict[str, tuple[str, ...]] = {
    "clause": (),
    "nothing": ("with ",),
    "empty": ("with ",),
    "for": ("for ",),
    "alone": (),
}


_OF_NAMES = frozenset({"nothing", "empty", "for", "told", "bare"})
"""Kinds of forms that are made of names, or beside these."""


def _texts(spec: ToolSpec, kind: str) -> Iterable[str]:
    phrases = spec.phrases
    if kind == "answer":
        return [answer.say for answer in phrases.answer]
    if kind == STORY:
        return spec.told
    if kind == "found":
        return (*phrases.found, *filter(None, [found_by(spec.name) if spec.language == LANGUAGE_OF_NAMES else ""]))
    if kind == "add":
        return [text for slot, frames in phrases.slots.items() if not slot.endswith("/*") for text in frames.frames]
    return getattr(phrases, kind) if kind in HEADS and kind != "bare" else ()


def _made_of_names(spec: ToolSpec, kind: str, text: str) -> Template | None:
    if spec.language != LANGUAGE_OF_NAMES:
        return None
    if kind == "bare":
        made = [bare_words(spec.name)]
    elif kind == "add":
        slot = text[text.find("{") + 1 : -1]  # a name that could be a place in a list has no schema
        made = [fallback_frame(slot, schema) for schema in (schema_at(spec.tool.parameters, slot) or {}, {})]
    else:
        return None
    return next((one for one in made if one.text == text), None)


@once_per_tool
def find_other_words(spec: ToolSpec) -> Callable[[str], object]:
    """Return a search for words with which the tool says one more value or a clause: "in Fahrenheit", "for 3 …".

    A text that holds some can be taken for more than itself, unless it stands in quotation marks.
    """
    found = set()
    for slot, own in spec.phrases.slots.items():
        for frame in () if slot.endswith("/*") else own.frames:
            first, *others = parse_template(frame).segments
            if isinstance(first, str):
                found.add(re.escape(first.rstrip()) + (r"\s+\S" if others else r"(?!\w)"))
        found |= {re.escape(text) + r"(?!\w)" for _, texts in own.clauses for text in texts}
    return re.compile(rf"(?<!\w)(?:{'|'.join(sorted(found))})").search if found else lambda text: None


# --- forms for which nobody wrote phrases ---


def fallback_frame(slot: str, schema: dict[str, Any]) -> Template:
    """Return a frame for a slot nobody wrote phrases for, made of its name."""
    spoken = spoken_name(slot) or "that value"
    tokens = set(spoken.split())
    before = f"with {spoken} set to " if schema.get("type") == "boolean" else f"with {spoken} "
    for names, preposition in PREPOSITIONS:
        if tokens & names and len(tokens) <= 2:
            before = f"{preposition} "
    here = frozenset({slot})
    return Template(before + "{" + slot + "}", (before, Slot(slot, "arguments")), here, here, frozenset())


def bare_words(name: str) -> Template:
    """Return what is said for a tool without phrases; it has no digits, which are for values only."""
    text = spoken_name(escape(name)) or "call the tool"
    return Template(text, (text,), frozenset(), frozenset(), frozenset())


def name_of(slot: str) -> str:
    """Return the name of the property that a slot is about."""
    return unescape(slot.removesuffix("/*").rpartition("/")[2])


def spoken_name(slot: str) -> str:
    """Return the property's name in words without digits, which are for values; empty if no words are left."""
    return " ".join(re.findall(r"[^\W\d_]+", name_as_words(name_of(slot))))
