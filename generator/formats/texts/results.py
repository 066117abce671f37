"""How the content of a tool's result stands in a text, as a dialect's `result_text` names it."""

import json
from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.conversation import ToolMessage
from generator.core.exact_json import loads
from generator.formats.format import compact_json, json_value, text_or_json
from generator.formats.text import spaced_json


class ResultText(msgspec.Struct, frozen=True):
    """One way to write the content of a result."""

    write: Callable[[ToolMessage], str]
    read: Callable[[str], dict[str, Any]]
    """Return the `content`, and the `name` or `call_id` where that stands beside it; raises ValueError."""
    carried: Callable[[str], str] = lambda content: content
    """The content as it is read again; raises ValueError where it cannot be written."""


def _read_string(text: str) -> dict[str, Any]:
    value = loads(text)
    return {"content": value if isinstance(value, str) else text}


def _read_output(text: str) -> dict[str, Any]:
    """Return what stands in `{"output": TEXT}`; any other JSON as it stands."""
    value = loads(text)
    plain = isinstance(value, dict) and value.keys() == {"output"} and isinstance(value["output"], str)
    return {"content": value["output"] if plain else text}


def _write_named(message: ToolMessage) -> str:
    content = compact_json(message.content) if json_value(message.content) is message.content else message.content
    return f'{{"name":{compact_json(message.name)},"content":{content}}}'


def _read_object(text: str, other_key: str) -> dict[str, Any]:
    """Return the content of a JSON object that holds it and one other key: `{"content": {}, "call_id": "a1"}` with `call_id`."""
    value = loads(text)
    if not isinstance(value, dict) or value.keys() != {"content", other_key}:
        raise ValueError(f"an object with `{other_key}` and `content` and nothing else is expected")
    return {"content": text_or_json(value["content"]), other_key: value[other_key]}


def _python_json(content: str) -> Any:
    """Return what a result is to Mistral's older tokenizers: JSON with NaN, or text that is none."""
    try:
        return loads(content, nan=True)
    except ValueError:
        return content


def _carried_json(content: str) -> str:
    """Return a result as it is when it has been read as JSON and written anew: `{"a": 1}` → `{"a":1}`."""
    value = _python_json(content)
    if isinstance(value, str):
        if value != content and _python_json(value) != value:
            raise ValueError("a JSON string that again holds JSON")
        return value
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise ValueError("NaN or Infinity, which is not JSON") from None
    return compact_json(value)


def _write_with_id(message: ToolMessage) -> str:
    return spaced_json({"content": _python_json(message.content), "call_id": message.tool_call_id})


RESULT_TEXTS = {
    "plain": ResultText(lambda message: message.content, lambda text: {"content": text}),
    "JSON string": ResultText(lambda message: spaced_json(message.content), _read_string),
    "output": ResultText(lambda message: spaced_json({"output": message.content}), _read_output),
    "name and content": ResultText(_write_named, lambda text: _read_object(text, "name")),
    "content and id": ResultText(_write_with_id, lambda text: _read_object(text, "call_id"), _carried_json),
}
