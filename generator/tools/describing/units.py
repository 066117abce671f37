"""Whether phrases say values with the unit of something else: a humidity in °C, minutes as hours."""

from functools import cache

from generator.core.pointers import schema_at
from generator.core.templates import Slot, Template, parse_template
from generator.core.toolbox import ToolSpec, name_as_words
from generator.tools.describing.lexicon import split_list
from generator.tools.describing.meaning_words import FaultTexts, any_of, known_words, words_of


def units(spec: ToolSpec) -> FaultTexts:
    """Yield phrases that say a value with the unit of something else: a humidity in °C, minutes as hours."""
    phrases = spec.phrases
    texts = [(f"phrases.{key}", text, "arguments", "") for key in _SAID for text in getattr(phrases, key)]
    texts += [
        (f"phrases.slots.{slot}", text, "arguments", "") for slot, one in phrases.slots.items() for text in one.frames
    ]
    texts += [("phrases.answer", one.say, "result", "") for one in phrases.answer]
    texts += [
        (f"phrases.each.{at}", text, "result", f"{at}/*/") for at, lines in phrases.each.items() for text in lines
    ]
    for piece, text, of, prefix in texts:
        template = parse_template(text, "result" if of == "result" else "arguments")
        for index, part in enumerate(template.segments):
            if isinstance(part, Slot) and not part.count and (wrong := _wrong_unit(spec, template, index, prefix)):
                yield piece, wrong, text


_SAID = ("request", "question", "want", "again", "entry", "follow_up")


def _wrong_unit(spec: ToolSpec, template: Template, index: int, prefix: str) -> str:
    part = template.segments[index]
    assert isinstance(part, Slot)
    said = _unit_said(template, index)
    if not said or part.verbalizer in ("minutes", "seconds", "hours"):
        return ""
    root = spec.tool.parameters if part.of == "arguments" else spec.returns
    place = part.slot if part.of == "arguments" else prefix + part.slot
    leaf = schema_at(root, place)
    name = part.slot.split("/")[-1]
    described = str(leaf.get("description", "")) if isinstance(leaf, dict) else ""
    own = {unit for unit in known_words()["units"] if any_of(_words_of(unit, "names")).search(name_as_words(name))}
    if not own:
        own = {unit for unit in known_words()["units"] if any_of(_words_of(unit, "say")).search(described)}
    times = set(words_of("times"))
    if not own or said in own or (said in times and not own & times and not own & set(_DEFINITE)):
        return ""
    return f"{name} is not said in {said}" if said not in times else f"{name} is not counted in {said}"


_DEFINITE = ("temperature", "share", "money", "speed", "memory")


@cache
def _words_of(unit: str, key: str) -> tuple[str, ...]:
    return split_list(known_words()["units"][unit][key])


def _unit_said(template: Template, index: int) -> str:
    """Return the unit that stands behind or before a slot."""
    before = template.segments[index - 1] if index else ""
    behind = template.segments[index + 1] if index + 1 < len(template.segments) else ""
    if isinstance(before, str) and before[-1:] in tuple("$€£"):
        return "money"
    if not isinstance(behind, str):
        return ""
    text = behind.lstrip(" -")
    found = [
        (len(word), str(unit))
        for unit in known_words()["units"]
        for word in _words_of(unit, "say")
        if word[0] not in "$€£" and text.startswith(word) and not text[len(word) : len(word) + 1].isalpha()
    ]
    return max(found, default=(0, ""))[1]
