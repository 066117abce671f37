"""Look-ups that can be asked again with another value of one argument, said alone."""

from collections.abc import Iterable
from typing import Any

from generator.core.exact_json import is_among, same
from generator.core.pointers import schema_at
from generator.core.templates import parse_template
from generator.core.toolbox import ToolSpec
from generator.scenarios.affordances.links import is_single
from generator.tools.productions import place_frames


def beside(known: Iterable[dict[str, Any]], said: dict[str, Any], slot: str) -> list[Any]:
    """Return the different values of an argument in those known calls that are as `said` but for it."""
    found: list[Any] = []
    for one in known:
        if slot in one and slot in said and same({**said, slot: one[slot]}, one) and not is_among(one[slot], found):
            found.append(one[slot])
    return found


def can_be_said_alone(spec: ToolSpec, slot: str) -> bool:
    """Whether "And in Rome?" or "What about Rome?" can be said of an argument, which is no half of a place.

    A frame says the slot and nothing else; or it is a name, and the phrases do not keep it from being varied alone.
    """
    schema = schema_at(spec.tool.parameters, slot)
    if "/" in slot or not is_single(schema) or slot in place_frames(spec):
        return False
    phrases = spec.phrases
    frames = phrases.slots.get(slot)
    said = [parse_template(text) for text in frames.frames] if frames else []
    if any(one.says == one.needs == {slot} and not one.is_sentence and not one.text.startswith(",") for one in said):
        return frames is None or not frames.clauses
    is_name = schema is not None and schema["type"] == "string" and "enum" not in schema
    return slot in phrases.vary and is_name if _has_phrases(spec) else frames is None


def _has_phrases(spec: ToolSpec) -> bool:
    """Whether the tool's spec has phrases for requests."""
    return bool(spec.phrases.request or spec.phrases.question or spec.phrases.want)
