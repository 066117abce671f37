"""Ways to write the same calls: spaces and line breaks in JSON, escapes, the order of keys."""

import json
from typing import Any, Literal

import msgspec

JsonStyle = Literal["spaced", "minimal", "pretty", "pretty_crlf", "ascii", "slashes"]


class Style(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a completion is written; every style means the same."""

    json: JsonStyle = "spaced"
    """`", "` and `": "`, no spaces, indented (with LF or CRLF), all that is not ASCII escaped, or slashes escaped."""
    arguments_first: bool = False
    """In a JSON object, the arguments stand before the name."""
    thoughts: str | None = None
    """What the model thinks before it speaks or calls."""
    prompted: bool = True
    """Whether the prompt ends in the beginning of such thoughts, where the model's does."""


def styled_json(value: Any, style: Style) -> str:
    """Return a value as JSON in that style."""
    text = _ENCODE.get(style.json, _SPACED)(value)
    if style.json == "pretty_crlf":
        return text.replace("\n", "\r\n")
    return text.replace("/", "\\/") if style.json == "slashes" else text


_SPACED = json.JSONEncoder(ensure_ascii=False).encode
_PRETTY = json.JSONEncoder(ensure_ascii=False, indent=2).encode
_ENCODE = {
    "minimal": json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode,
    "pretty": _PRETTY,
    "pretty_crlf": _PRETTY,
    "ascii": json.JSONEncoder().encode,
}
