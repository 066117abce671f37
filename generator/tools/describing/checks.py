"""Checks of what is said of a tool beside its function: can everything be said, is it said as people say it, and does it mean that?

Each check yields faults as plain data. The checks are the same for every level, whoever wrote a piece.
"""

import re
from collections.abc import Iterator

import msgspec

from generator.core.entities import references_of
from generator.core.pointers import schema_at, types_at
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import Toolbox, ToolSpec, fields_written, name_as_words
from generator.tools.describing.lexicon import words
from generator.tools.describing.reading import ArgumentLeaf, argument_leaves, is_id

FaultTexts = Iterator[tuple[str, str] | tuple[str, str, str]]
"""(piece, what is wrong), and the text that is at fault where it is one."""


def _check_never_said(spec: ToolSpec) -> FaultTexts:
    """Yield arguments that people are said never to say although they matter."""
    groups = (*spec.groups.together, *[group for choice in spec.groups.one_of for group in choice])
    needed = {*(spec.effect.by if spec.effect is not None else ()), *[slot for group in groups for slot in group]}
    for slot, often in spec.say.items():
        if often != "never" or "/" in slot or spec.origins.get(f"say.{slot}", "derived") == "derived":
            continue
        leaf = schema_at(spec.tool.parameters, slot) or {}
        is_technical = not {*words("technical")}.isdisjoint(name_as_words(slot).split())
        if slot in needed or not (
            is_technical
            or leaf.get("type") in ("object", "array")
            or "default" in leaf
            or _is_unused_by_effect(spec, slot)
        ):
            yield f"say.{slot}", NEVER


def _is_unused_by_effect(spec: ToolSpec, slot: str) -> bool:
    """Whether an effect does nothing with an argument."""
    effect, value = spec.effect, f"args.{slot}"
    effect_text = (
        "" if effect is None else f"{effect.where} {effect.set} {effect.needs} {[*fields_written(spec).values()]}"
    )
    return effect is not None and value not in effect_text


NEVER = (
    "`never` is for lists, objects, arguments with a default, technical ones and those that the effect does nothing with, if "
    "nothing is looked up by them and no group holds them, so `seldom` at least"
)


_THANKS = re.compile(r"\b(?:please|thanks|thank you|kindly)\b", re.IGNORECASE)
_COURTESY = re.compile(r"\b(?:please|thanks|thank you|kindly|could you|can you|would you)\b", re.IGNORECASE)


class ToolFault(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong, or that an author should look at."""

    tool: str
    check: str
    """Which check found it: `coverage`, `wording`, `links`, `yield`, `worked`, `result`, `loading`."""
    piece: str
    """`phrases.request`."""
    message: str
    text: str = ""
    """The phrase that is at fault; empty where the piece as a whole is."""
    is_told: bool = False
    """Whether it is only reported and not counted as a fault."""


def check_words(spec: ToolSpec, toolbox: Toolbox) -> list[ToolFault]:
    """Return the faults of one tool that can be seen without making rows."""
    checks = (
        ("coverage", _check_coverage(spec)),
        ("wording", _check_wording(spec)),
        ("coverage", _check_never_said(spec)),
    )
    faults_found = [
        _tool_fault(spec, check, *fault)
        for check, faults in (*checks, ("links", _check_links(spec, toolbox)))
        for fault in faults
    ]
    if "derived" not in spec.origins.values():
        return faults_found
    unsaid = {leaf.slot for leaf in argument_leaves(spec) if leaf.type == "object" or "/" in leaf.slot}
    return [msgspec.structs.replace(fault, is_told=_needs_an_author(fault, spec, unsaid)) for fault in faults_found]


def _needs_an_author(fault: ToolFault, spec: ToolSpec, unsaid: set[str]) -> bool:
    """Whether the fault is one of derived words, which cannot do better without an author; it is only reported."""
    if fault.check == "coverage" and fault.piece.rpartition(".")[2] in unsaid:
        return True
    is_derived = spec.origins.get(fault.piece, "derived") == "derived"
    return is_derived and fault.piece.startswith(("examples.", "phrases.answer"))


def _tool_fault(spec: ToolSpec, check: str, piece: str, message: str, text: str = "") -> ToolFault:
    """Return a fault with its message, which begins with the phrase that is at fault."""
    full_message = f"{text!r}: {message}" if text else message
    return ToolFault(tool=spec.name, check=check, piece=piece, message=full_message, text=text)


def _check_coverage(spec: ToolSpec) -> FaultTexts:
    """Check that each argument can be said, that one request needs required arguments only, and that clauses cover every value."""
    phrases = spec.phrases
    heads = [parse_template(text) for text in (*phrases.request, *phrases.question, *phrases.want)]
    if not heads:
        yield "phrases.request", "there is no way to ask for the tool"
        return
    leaves = argument_leaves(spec)
    required = {slot for leaf in leaves if leaf.required for slot in (leaf.slot, leaf.slot.split("/")[0])}
    if not any(parse_template(text).needs <= required for text in phrases.request):
        yield "phrases.request", "none of them can be said with the required arguments alone"
    said_slots = {slot for template in heads for slot in template.says} | set(phrases.slots)
    for leaf in leaves:
        yield from _check_argument_said(leaf, spec, said_slots)
    for slot in [slot for slot in spec.required if spec.say.get(slot) == "never"]:
        yield f"say.{slot}", "it is required, so it cannot be left out"


def _check_argument_said(leaf: ArgumentLeaf, spec: ToolSpec, said_slots: set[str]) -> FaultTexts:
    """Check that an argument is in a request or a frame, and that each of the two values of a flag has a clause."""
    top = leaf.slot.split("/")[0]
    fixed = "const" in leaf.schema or len(leaf.schema.get("enum", (1, 2))) == 1
    left_out = "never" in (spec.say.get(leaf.slot), spec.say.get(top))
    if not {leaf.slot, top} & said_slots and not fixed and not left_out:
        yield f"phrases.slots.{leaf.slot}", "no request holds it, and no frame says it: it is said by its name"
    frames = spec.phrases.slots.get(leaf.slot)
    if frames is not None and leaf.type == "boolean" and not frames.frames and len(frames.clauses) < 2:
        yield f"phrases.slots.{leaf.slot}", "one of true and false has no clause"


def _check_wording(spec: ToolSpec) -> FaultTexts:
    """Check that phrases are parts of sentences without courtesy, that a result is told, and that verbalizers fit the types of values."""
    phrases = spec.phrases
    for key in (*_HEADS, "several"):
        for text in getattr(phrases, key):
            yield from ((f"phrases.{key}", what, text) for what in _faults_of_phrase(key, text))
    if spec.returns is not None and not phrases.answer:
        yield "phrases.answer", "no sentence tells the result"
    yield from _check_verbalizers(spec)


_HEADS = ("request", "question", "want", "again", "entry", "follow_up", "found")


def _faults_of_phrase(key: str, text: str) -> Iterator[str]:
    """Yield what is wrong with the words of one phrase; `key` is `request`, `question` or another key of `phrases`."""
    if text.endswith((".", "!", "?")):
        yield "it ends like a sentence"
    first = text.split(" ")[0]
    if first[:1].isupper() and first[1:] == first[1:].lower() and len(first) > 1 and "{" not in first:
        yield "it begins with a capital"
    if (_THANKS if key == "question" else _COURTESY).search(text):
        yield "courtesy stands outside the phrase"


def _check_verbalizers(spec: ToolSpec) -> FaultTexts:
    """Check that `{slot:verbalizer}` stands for a value of a type that the verbalizer can say."""
    phrases = spec.phrases
    texts = [(f"phrases.{key}", text) for key in _HEADS for text in getattr(phrases, key)]
    texts += [(f"phrases.slots.{slot}", text) for slot, frames in phrases.slots.items() for text in frames.frames]
    for piece, text in texts:
        for part in parse_template(text).segments:
            if isinstance(part, Slot) and part.verbalizer and part.of == "arguments":
                types = types_at(spec.tool.parameters, part.slot) - {"null"}
                sayable_types = {
                    kind for kind, verbalizers in words("ways_to_say").items() if part.verbalizer in verbalizers
                }
                sayable_types |= {"integer"} if "number" in sayable_types else set()
                if sayable_types and types and "array" not in types and types.isdisjoint(sayable_types):
                    yield piece, f"{part.verbalizer} cannot say a value of type {' or '.join(sorted(types))}", text


def _check_links(spec: ToolSpec, toolbox: Toolbox) -> FaultTexts:
    """Check that both ends of a link mean the same kind of thing."""
    leaves = {leaf.slot: leaf for leaf in argument_leaves(spec)}
    for link in spec.links:
        source, leaf = toolbox.get(link.tool), leaves.get(link.argument)
        if source is None or leaf is None or not is_id(leaf):
            continue
        argument_entity, source_entity = _entity_of_argument(spec, link.argument), _entity_of_field(source, link.result)
        if argument_entity and source_entity and argument_entity != source_entity:
            yield (
                f"links.{link.argument}",
                f"{link.tool}#/{link.result} names one {source_entity}, the argument one {argument_entity}",
            )


def _entity_of_argument(spec: ToolSpec, argument: str) -> str:
    """Return the entity whose key an argument holds, as its effect says: "the children of the page with this block_id"."""
    effect = spec.effect
    if effect is None:
        return ""
    entities = spec.declared.entities
    field = effect.by.get(argument, "")
    entity = entities.get(effect.entity)
    if entity is None or argument in effect.refers or not field:
        return effect.refers.get(argument, "")
    return entity.name if field == entity.key else references_of(entity, entities).get(field, "")


def _entity_of_field(source: ToolSpec, pointer: str) -> str:
    """Return the entity whose key a field of a result holds."""
    effect, field = source.effect, pointer.rpartition("/")[2]
    leaf = schema_at(source.returns, pointer) or {}
    field = str(leaf.get("x-field", field)) if isinstance(leaf, dict) else field
    entities = source.declared.entities
    entity = entities.get(effect.entity) if effect is not None else None
    entity_by_field = references_of(entity, entities) | {entity.key: entity.name} if entity is not None else {}
    return entity_by_field.get(field, "")
