"""What a model is asked to say a text in other words, and the reading of its reply.

Whether the new text is accepted is not decided here: its values are found again (validation/said_again.py), the proof is
checked anew, and another model reads it back.
"""

from collections.abc import Sequence

import msgspec

from generator.core.seeds import Draw
from generator.core.toolbox import ToolSpec
from generator.llm.asking import ModelAnswer, Request
from generator.llm.prompts import Prompts
from generator.llm.reading import json_of_answer
from generator.recipe.llm import LlmWording

USE = "wording"
_SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string", "minLength": 1}},
    "required": ["text"],
    "additionalProperties": False,
}
_MOST_LINES = 3
"""Line breaks that a new text may have more than the old one."""


class Manner(msgspec.Struct, frozen=True):
    """How one row is worded."""

    language: str
    style: str
    persona: str
    is_english: bool
    """Whether the rules about English words apply."""


def draw_manner(settings: LlmWording, draw: Draw) -> Manner:
    """Return one of the recipe's styles and personas."""
    style = draw.choice(settings.styles) if settings.styles else ""
    persona = draw.choice(settings.personas) if settings.personas else ""
    return Manner(
        language=settings.language,
        style=f"Style: {style}." if style else "",
        persona=f"The person who writes: {persona}." if persona else "",
        is_english=settings.is_english,
    )


def ask_for_other_words(
    prompts: Prompts, text: str, values: Sequence[str], manner: Manner, tools: Sequence[ToolSpec], *, is_request: bool
) -> Request:
    """Return the request for other words for a user's message or for an answer."""
    told = {
        "text": text,
        "values": "\n".join(f"- {value}" for value in values) or "(nothing)",
        "language": manner.language,
        "style": manner.style,
        "tools": "\n".join(f"- {tool.name}: {tool.tool.description or ''}" for tool in tools),
    }
    if is_request:
        return prompts.request.ask(_SCHEMA, USE, **told, persona=manner.persona)
    return prompts.answer.ask(_SCHEMA, USE, **told)


def read_other_words(answer: ModelAnswer, old: str) -> tuple[str, str]:
    """Return the new text and no fault, or no text and why there is none."""
    value, fault = json_of_answer(answer, _SCHEMA)
    if fault:
        return "", fault
    lines = [line.rstrip() for line in value["text"].strip().split("\n")]
    text = "\n".join(lines)
    if text == old:
        return "", "the same words"
    if "\t" in text or text.count("\n") > old.count("\n") + _MOST_LINES:
        return "", "more lines"
    return text, ""
