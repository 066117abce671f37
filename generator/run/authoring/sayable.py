"""Arguments that nobody can say in words: objects and lists of objects for which there is no phrase."""

from collections.abc import Iterator

from generator.pointers import schema_at
from generator.templates import Slot, parse_template
from generator.toolbox import ToolSpec
from generator.wording.phrases.slots import argument_slots


def said_as_json(spec: ToolSpec) -> Iterator[tuple[str, str]]:
    """Yield (argument, how it could be said) for each one that would stand in a message as JSON."""
    said = {slot.slot: slot.verbalizer for slot in _slots(spec)}
    for slot, wording in argument_slots(spec).items():
        often = spec.say.get(slot.split("/")[0])
        if wording.shape != "json" or often == "never" or wording.constant or slot.endswith("/*"):
            continue
        if said.get(slot) != "pairs":
            yield slot, _hint(spec, slot)


def _slots(spec: ToolSpec) -> Iterator[Slot]:
    phrases = spec.phrases
    texts = [*phrases.request, *phrases.question, *phrases.want, *phrases.follow_up]
    texts += [text for frames in phrases.slots.values() for text in frames.frames]
    for text in texts:
        yield from (part for part in parse_template(text).segments if isinstance(part, Slot))


def _hint(spec: ToolSpec, slot: str) -> str:
    """Return what an author can do about it."""
    schema = schema_at(spec.tool.parameters, slot) or {}
    elements = schema_at(spec.tool.parameters, f"{slot}/*") or {}
    parts = list(elements.get("properties", {})) if isinstance(elements, dict) else []
    if parts:
        shown = " ".join(f"{{{slot}/*/{part}}}" for part in parts[:2])
        return f'it is said as JSON: say one element, as in "slots": {{"{slot}/*": ["{shown}"]}}'
    if schema.get("type") == "object":
        return f'it is said as JSON: "{{{slot}:pairs}}" says an object of plain values in words'
    return 'it is said as JSON, which nobody does: "never" under "say" leaves it out'
