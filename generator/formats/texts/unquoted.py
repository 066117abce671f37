"""Values that stand in a text without quotes, as `qwen3_coder` and `glm45` write them: strings as they are, others as JSON."""

import json
from typing import Any

from generator.formats.steps import parts_of_object
from generator.formats.texts.text import spaced_json


def text_of(value: Any) -> str:
    """A value as it stands in the text."""
    return value if isinstance(value, str) else spaced_json(value)


def value_of(text: str, *, string: bool) -> Any:
    """What a text is: itself where a string is declared, else JSON where it is that."""
    if string:
        return text
    try:
        return json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return text


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def is_string(schema: Any, name: str) -> bool:
    """Whether the parameters of a tool declare this argument to be a string."""
    declared = parts_of_object(schema)[0].get(name)
    return isinstance(declared, dict) and declared.get("type") == "string"
