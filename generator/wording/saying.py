"""Say the values of one call: slots, lists and frames become pieces."""

from typing import Any, Literal

import msgspec

from generator.pointers import escape, split
from generator.seeds import Draw
from generator.templates import Plural, Slot, Template
from generator.wording.coordination import separators
from generator.wording.phrasebook import SlotWording, words_of
from generator.wording.pieces import Piece, Pieces, Said
from generator.wording.verbalizers import FAMILIES, VERBALIZERS
from generator.wording.voice import Voice

Values = dict[str, tuple[str, Any]]
"""Slot → (JSON pointer, value) of what there is to say."""


class Reference(str):
    """Words that stand for a value which an earlier result holds: "the cheapest one"."""

    __slots__ = ()


class Several(msgspec.Struct, frozen=True):
    """One slot's values in several calls."""

    values: list[tuple[str, Any]]
    """(call id, value) pairs."""


class Speech(msgspec.Struct):
    """Who speaks about which calls."""

    draw: Draw
    voice: Voice
    calls: tuple[str, ...]
    """Ids of the calls whose values are said."""
    of: Literal["arguments", "result"] = "arguments"
    varied: bool = True
    """People use all forms of an enum value; the assistant uses the first."""


def present(wordings: dict[str, SlotWording], value: dict[str, Any]) -> Values:
    """The slots of an argument object that have values, in the order of the object."""
    found: Values = {}
    _collect(wordings, value, "", "", found)
    return found


def _collect(wordings: dict[str, SlotWording], value: dict[str, Any], prefix: str, pointer: str, found: Values) -> None:
    for key, part in value.items():
        slot, place = prefix + key, f"{pointer}/{escape(key)}"
        wording = wordings.get(slot)
        known = wording is not None and wording.shape == "object" and isinstance(part, dict) and part
        if known and all(f"{slot}/{inner}" in wordings for inner in part):
            _collect(wordings, part, slot + "/", place, found)
        else:
            found[slot] = (place, part)


def fill(template: Template, wordings: dict[str, SlotWording], values: Values, speech: Speech) -> Pieces:
    """The template with its slots said."""
    pieces: Pieces = []
    segments = template.segments
    for index, segment in enumerate(segments):
        if isinstance(segment, str):
            pieces.append(segment)
        elif isinstance(segment, Plural):
            pieces.append(segment.one if values[segment.slot][1] in (1, 1.0) else segment.many)
        else:
            before = segments[index - 1] if index else " "
            after = segments[index + 1] if index + 1 < len(segments) else " "
            alone = isinstance(before, str) and before.endswith(" ") and isinstance(after, str) and after[:1] in " ,.;:?!"
            pieces += say_slot(segment, wordings, values[segment.slot], speech, alone)
    return pieces


def say_slot(
    segment: Slot, wordings: dict[str, SlotWording], at: tuple[str, Any], speech: Speech, alone: bool
) -> Pieces:
    """The value of one slot; `alone`: words stand on both sides, so a number may be a word too."""
    pointer, value = at
    if isinstance(value, Reference):
        return [str(value)]
    wording = wordings.get(segment.slot)
    if isinstance(value, Several):
        return _say_several(segment, wordings, pointer, value, speech)
    if wording is None:
        return [_said(value, ("json",), pointer, speech)]
    if isinstance(value, list) and value and wording.shape in {"list", "objects"}:
        return _say_list(wording, wordings, pointer, value, speech)
    return [say_leaf(wording, value, pointer, speech, segment.verbalizer, alone)]


def say_leaf(
    wording: SlotWording, value: Any, pointer: str, speech: Speech, verbalizer: str | None = None, alone: bool = False
) -> Said:
    """A value said as its slot wants it."""
    if value is None and speech.of == "arguments":
        return Said("no " + words_of(split(wording.slot)[-1]), "nothing", speech.calls, pointer, speech.of)
    if wording.forms and isinstance(value, str) and verbalizer in {None, "enum"} and value in wording.forms:
        forms = wording.forms[value]
        text = forms[0] if not speech.varied or len(forms) == 1 or speech.draw.chance(0.6) else speech.draw.choice(forms)
        return Said(text, "enum", speech.calls, pointer, speech.of)
    names = wording.verbalizers if not wording.forms else tuple(n for n in wording.verbalizers if n != "enum")
    if verbalizer is not None:
        names = (*FAMILIES.get(verbalizer, (verbalizer,)), *names)
    if alone and verbalizer is None and "words" in names and type(value) is int and speech.voice.small_numbers_as_words and value in _SMALL:
        names = ("words", *names)
    return _said(value, names, pointer, speech)


def _say_several(
    segment: Slot, wordings: dict[str, SlotWording], pointer: str, several: Several, speech: Speech
) -> Pieces:
    parts = []
    for call_id, value in several.values:
        one = Speech(speech.draw, speech.voice, (call_id,), speech.of)
        parts.append(say_slot(segment, wordings, (pointer, value), one, False))
    return joined(parts)


_SMALL = frozenset(range(2, 13))


def _said(value: Any, names: tuple[str, ...], pointer: str, speech: Speech) -> Said:
    for name in names:
        text = VERBALIZERS[name].say(value, speech.voice)
        if text is not None:
            return Said(text, name, speech.calls, pointer, speech.of)
    raise AssertionError(f"no verbalizer says {value!r}")  # the last one, json, says anything


def _say_list(
    wording: SlotWording, wordings: dict[str, SlotWording], pointer: str, value: list[Any], speech: Speech
) -> Pieces:
    parts = [
        _say_element(wording, wordings, f"{pointer}/{index}", element, speech) for index, element in enumerate(value)
    ]
    if any(part is None for part in parts):
        return [_said(value, ("json",), pointer, speech)]
    return joined([part for part in parts if part is not None])


def _say_element(
    wording: SlotWording, wordings: dict[str, SlotWording], pointer: str, element: Any, speech: Speech
) -> Pieces | None:
    """One element of a list, or None when no phrase covers what it holds."""
    leaf = wordings.get(wording.slot + "/*")
    if not wording.elements:
        return [say_leaf(leaf or wording, element, pointer, speech)]
    values: Values = {".": (pointer, element)}
    if isinstance(element, dict):
        prefix = "" if speech.of == "result" else wording.slot + "/*/"
        for slot, at in present_in_element(element, pointer).items():
            values[prefix + slot] = at
    own = {key for key in values if key != "."}
    templates = [template for template in wording.elements if template.needs <= values.keys()]
    if speech.of == "arguments":
        templates = [t for t in templates if own <= t.says or not own]
    if not templates:
        return None
    scope = wordings if speech.of == "arguments" else _scoped(wordings, wording.slot)
    return fill(speech.draw.choice(templates), scope, values, speech)


def present_in_element(element: dict[str, Any], pointer: str, prefix: str = "") -> Values:
    """All fields of a list's element, nested ones too."""
    found: Values = {}
    for key, part in element.items():
        place = f"{pointer}/{escape(key)}"
        found[prefix + key] = (place, part)
        if isinstance(part, dict):
            found.update(present_in_element(part, place, f"{prefix}{key}/"))
    return found


def _scoped(wordings: dict[str, SlotWording], slot: str) -> dict[str, SlotWording]:
    """The wordings of a list's elements under the names that `each` templates use."""
    prefix = slot + "/*/"
    scope = {name.removeprefix(prefix): wording for name, wording in wordings.items() if name.startswith(prefix)}
    if slot + "/*" in wordings:
        scope["."] = wordings[slot + "/*"]
    return scope


def joined(parts: list[Pieces], last: str = "and") -> Pieces:
    """`a, b and c`."""
    between = separators(len(parts), last=last)
    pieces: list[Piece] = []
    for index, part in enumerate(parts):
        pieces += part
        if index < len(between):
            pieces.append(between[index])
    return pieces
