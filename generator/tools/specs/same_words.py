"""Two phrases of a tool with the same words for different arguments, which nobody could tell apart: "for {guest}", "for {host}"."""

from collections.abc import Iterator

from generator.core.documents import Place
from generator.core.pointers import schema_at
from generator.core.templates import Plural, Segment, parse_template
from generator.core.toolbox import ToolSpec

_HEADS = ("request", "question", "want", "again", "entry", "follow_up", "found")
Phrase = tuple[Place, str, tuple[Segment, ...]]


def check_same_words(spec: ToolSpec) -> Iterator[tuple[Place, str]]:
    """Yield the places of phrases that say other arguments in the words of an earlier one, and what is wrong with them."""
    for at, text, other in same_words(spec):
        yield at, f"{text!r}: {other!r} has the same words, and the values do not show which is meant"


def same_words(spec: ToolSpec) -> Iterator[tuple[Place, str, str]]:
    """Yield (place, phrase, earlier phrase) where the values do not show which of the two is meant."""
    seen: dict[tuple[str, ...], list[Phrase]] = {}
    for at, text in _texts(spec):
        try:
            segments = parse_template(text).segments
        except ValueError:  # told elsewhere
            continue
        words = (str(at[1] == "slots"), *[one.casefold() if isinstance(one, str) else "{}" for one in segments])
        same = seen.setdefault(words, [])
        for _, other, others in same:
            pairs = [(a, b) for a, b in zip(segments, others, strict=True) if not isinstance(a, str) and a != b]
            if pairs and all(_reads_alike(spec, a, b) for a, b in pairs):
                yield at, text, other
                break
        same.append((at, text, segments))


def _texts(spec: ToolSpec) -> Iterator[tuple[Place, str]]:
    """Yield the phrases that say arguments, with their places; those of requests first, then those of single arguments."""
    for kind in _HEADS:
        yield from ((("phrases", kind, at), text) for at, text in enumerate(getattr(spec.phrases, kind)))
    for slot, frames in spec.phrases.slots.items():
        yield from ((("phrases", "slots", slot), text) for text in frames.frames)


def _reads_alike(spec: ToolSpec, one: Segment, other: Segment) -> bool:
    """Whether the values of two slots are said and read in the same way."""
    if isinstance(one, str) or isinstance(other, str):
        return False
    if isinstance(one, Plural) or isinstance(other, Plural):
        return isinstance(one, Plural) and isinstance(other, Plural) and (one.one, one.many) == (other.one, other.many)
    return _kind_of(spec, one.slot, one.verbalizer) == _kind_of(spec, other.slot, other.verbalizer)


def _kind_of(spec: ToolSpec, slot: str, verbalizer: str | None) -> tuple[object, ...]:
    """Return what decides how a value is read."""
    schema = schema_at(spec.tool.parameters, slot) or {}
    types = schema.get("type")
    facts = [schema.get(key) for key in ("format", "pattern", "enum", "const")]
    return verbalizer, {*types} - {"null"} if isinstance(types, list) else {types}, facts, spec.kinds.get(slot)
