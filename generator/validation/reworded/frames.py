"""What a tool's own phrases say right beside each of its values: all of it may be said beside that value in other words, too."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

import msgspec

from generator.templates import Plural, Root, Slot, Template, parse_template
from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.phrases import leaf_of
from generator.validation.reworded.own_words import ToolKey, asking_texts


class Frame(msgspec.Struct, frozen=True):
    """One phrase, cut at one of its slots."""

    before: str
    """The text from the slot before, or the beginning of the phrase."""
    after: str


def slot_of(spec: ToolSpec, of: str, pointer: str) -> str:
    """Return the slot of a value's pointer in a tool's arguments or result."""
    return leaf_of(of, pointer, spec.tool.parameters if of == "arguments" else spec.returns)[1]


def frames_of(spec: ToolSpec, of: str, slot: str) -> tuple[Frame, ...]:
    """Return what the tool's phrases say before and after a value."""
    return _frames(ToolKey(spec)).get((of, slot), ())


@lru_cache(maxsize=1024)
def _frames(held: ToolKey) -> dict[tuple[str, str], tuple[Frame, ...]]:
    found: dict[tuple[str, str], dict[Frame, None]] = {}
    for template, inside in _templates(held.spec):
        texts = _texts_between(template)
        slots = [segment for segment in template.segments if isinstance(segment, Slot)]
        for slot, before, after in zip(slots, texts, texts[1:], strict=False):
            name = f"{inside}/{slot.slot}" if inside and slot.of == "result" else slot.slot
            for place in (name, f"{name}/*"):  # a list is said as its elements
                found.setdefault((slot.of, place), {})[Frame(before, after)] = None
    return {leaf: tuple(frames) for leaf, frames in found.items()}


def _templates(spec: ToolSpec) -> Iterator[tuple[Template, str]]:
    """Yield all phrases of a tool, each with the list whose elements it tells of."""
    phrases = spec.phrases
    asked = (*asking_texts(spec), *phrases.entry, *phrases.found, *phrases.follow_up)
    slots: Sequence[str] = [text for frames in phrases.slots.values() for text in frames.frames]
    for text in (*asked, *slots):
        yield parse_template(text), ""
    result: Root = "result"
    for answer in phrases.answer:
        yield parse_template(answer.say, result), ""
    for place, texts in phrases.each.items():
        for text in texts:
            yield parse_template(text, result), "*" if place == "." else f"{place}/*"


def _texts_between(template: Template) -> list[str]:
    """Return the texts before, between and after the slots of a phrase."""
    texts = [""]
    for segment in template.segments:
        if isinstance(segment, Slot):
            texts.append("")
        else:
            texts[-1] += segment.many if isinstance(segment, Plural) else segment
    return texts
