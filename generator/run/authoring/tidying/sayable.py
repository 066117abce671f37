"""Arguments that nobody can say in words: objects and lists of objects for which there is no phrase."""

from collections.abc import Iterator

from generator.core.pointers import schema_at
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import ToolSpec
from generator.dialogue.wording.phrases.slots import argument_slots, result_slots
from generator.tools.specs.check import may_be_left_out


def said_as_json(spec: ToolSpec) -> Iterator[tuple[str, str]]:
    """Yield (argument, how it could be said) for each one that would stand in a message as JSON."""
    said = {slot.slot: slot.verbalizer for slot in _slots(spec)}
    for slot, wording in argument_slots(spec).items():
        is_left_out = any(spec.say.get(around) == "never" for around in _around(slot))
        if wording.shape != "json" or is_left_out or wording.constant or slot.endswith("/*"):
            continue
        if said.get(slot) != "pairs":
            yield slot, _hint(spec, slot)


def told_as_json(spec: ToolSpec) -> Iterator[tuple[str, str]]:
    """Yield (text, what to do) for each answer, or line of a list, that would tell a value of the result as JSON."""
    wordings = result_slots(spec)
    texts = [("", answer.say) for answer in spec.phrases.answer]
    texts += [(f"{around}/*/", text) for around, some in spec.phrases.each.items() for text in some]
    for around, text in texts:
        for slot in parse_template(text, "result").segments:
            if not isinstance(slot, Slot) or slot.of != "result" or slot.count:
                continue
            wording = wordings.get(f"{around}{slot.slot}")
            is_json = wording is not None and wording.shape in ("json", "object") and not slot.verbalizer
            if is_json or (slot.verbalizer == "pairs" and not _is_flat(spec, f"{around}{slot.slot}")):
                yield text, f"{slot.slot} would be told as JSON: tell a part of it, or say it in `each`"
                break


def _is_flat(spec: ToolSpec, place: str) -> bool:
    """Whether all that an object of the result holds are plain values, as far as its schema and examples tell."""
    schema = schema_at(spec.returns, place) or {}
    effect, field = spec.effect, place.rpartition("/")[2]
    entity = spec.declared.entities.get(effect.entity) if effect is not None else None
    shown = [one[field] for one in entity.examples if field in one] if entity is not None else []
    shown += schema.get("examples", ())
    held = [value for one in shown if isinstance(one, dict) for value in one.values()]
    types = {part.get("type") for part in schema.get("properties", {}).values() if isinstance(part, dict)}
    return types.isdisjoint({"array", "object"}) and not any(isinstance(value, list | dict) for value in held)


def never_asked(spec: ToolSpec) -> Iterator[str]:
    """Yield the required arguments that the assistant could ask for, but that every way to ask for the tool says."""
    phrases = spec.phrases
    heads = [parse_template(text).needs for texts in (phrases.request, phrases.question) for text in texts]
    required = {*spec.required}
    for slot in phrases.ask:
        if slot in required and slot not in spec.context and not any(needs <= required - {slot} for needs in heads):
            yield slot


NEVER_ASKED = (
    'phrases.request: each says {slot}, so its "ask" is never heard: one leaves it out, and a frame in "slots" adds it'
)


def unsaid_by_all(spec: ToolSpec) -> Iterator[str]:
    """Yield the optional arguments for which nobody has words, so that they would be said by their names."""
    said = {slot.slot.split("/")[0] for slot in _slots(spec, is_derived=False)}
    grouped = {
        slot for group in (*spec.groups.together, *[one for c in spec.groups.one_of for one in c]) for slot in group
    }
    for slot in spec.properties:
        if slot not in {*spec.required, *said, *grouped} and spec.say.get(slot) != "never":
            clauses = spec.phrases.slots.get(slot)
            if clauses is None or spec.origins.get(f"phrases.slots.{slot}") == "derived":
                yield slot


def _around(slot: str) -> list[str]:
    """Return the slot and what it stands in: `update/tags`, `update`."""
    steps = slot.split("/")
    return ["/".join(steps[: at + 1]) for at in range(len(steps))]


def to_leave_out(spec: ToolSpec, slot: str) -> str:
    """Return the part of an argument that a call can do without, so that a slot in it need not be said; empty if there is none."""
    return next((one for one in reversed(_around(slot)) if "*" not in one and may_be_left_out(spec, one)), "")


def _slots(spec: ToolSpec, *, is_derived: bool = True) -> Iterator[Slot]:
    """Yield the slots of what is said of a call, what is derived included unless it is not wanted."""
    phrases = spec.phrases
    without = {piece for piece, origin in spec.origins.items() if origin == "derived" and not is_derived}
    heads = ("request", "question", "want", "found", "follow_up")
    texts = [text for key in heads if f"phrases.{key}" not in without for text in getattr(phrases, key)]
    texts += [
        text
        for slot, frames in phrases.slots.items()
        if f"phrases.slots.{slot}" not in without
        for text in frames.frames
    ]
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
    if to_leave_out(spec, slot):
        return f'it is said as JSON, which nobody does: "say": {{"{to_leave_out(spec, slot)}": "never"}} leaves it out'
    return "it is said as JSON, which nobody does: a request or a frame has to say it in words"
