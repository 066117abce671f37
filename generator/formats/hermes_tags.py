"""Calls and results in the tags of Hermes, as they stand in the texts of ShareGPT files.

The data sets of NousResearch write calls into the model's text: `<tool_call>` and a JSON object (or what Python prints for
it) `</tool_call>`; results into the tool's: `<tool_response>` … `</tool_response>`; and functions into the system message,
between `<tools>` and `</tools>`.
"""

import ast
import re
from typing import Any

from generator.formats.format import text_or_json
from generator.formats.openai_messages import parse_exact_json

_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_TOOLS = re.compile(r"<tools>\s*(\[.*?\]|\{.*?\})\s*</tools>", re.DOTALL)
_LONGEST = 1_000_000
"""Longer texts are not looked at as Python's."""


def tagged_calls(text: str) -> tuple[str | None, list[dict[str, Any]]]:
    """Return a text without its calls, and the calls (`{"name", "arguments"}`), if any."""
    if "<tool_call>" not in text:
        return text, []
    calls = [_value(match[1]) for match in _CALL.finditer(text)]
    if not calls or not all(_is_call(call) for call in calls):
        return text, []
    return _CALL.sub("", text).strip() or None, calls


def tagged_results(text: str) -> list[str]:
    """Return the results in a tool's text, `{"name", "content"}` opened; the text itself when it has no tags."""
    found = [match[1] for match in _RESPONSE.finditer(text)]
    return [_content(inner) for inner in found] or [text]


def tagged_tools(text: str) -> list[Any]:
    """Return the functions in a system message: a list, or one after another."""
    match = _TOOLS.search(text)
    if match is None:
        return []
    value = _value(match[1])
    if value is None:
        values = [_value(line) for line in match[1].splitlines() if line.strip()]
        return values if all(isinstance(value, dict) for value in values) else []
    return value if isinstance(value, list) else [value]


def _content(inner: str) -> str:
    value = _value(inner)
    if isinstance(value, dict) and value.keys() == {"name", "content"}:
        return text_or_json(value["content"])
    return inner


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str) and "arguments" in value


def _value(text: str) -> Any:
    """Return the value of a JSON text, or of a Python literal; None when it is neither."""
    try:
        return parse_exact_json(text)
    except ValueError:
        pass
    try:
        return ast.literal_eval(text) if len(text) < _LONGEST else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
