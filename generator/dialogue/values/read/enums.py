"""Readers of enum members in words, and of the synonyms in the tool spec."""

import re
from functools import lru_cache
from typing import Any

from generator.dialogue.values.read.reading import SpanContext

_SEPARATORS = re.compile(r"[_\-\s]+")
_SPELLED = {"1st": "first", "2nd": "second", "3rd": "third", "4th": "fourth"}
_ORDINAL = re.compile(r"\b(?:1st|2nd|3rd|4th)\b")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def read_enum(text: str, reading: SpanContext) -> Any:
    """Return the one value that the text names."""
    wanted = _plain(text)
    if not wanted:
        raise ValueError(f"{text!r} is no word")
    found = [member for member in _members(reading.schema) if type(member) is str and wanted in _names(member)]
    for value, forms in reading.synonyms:
        if wanted in [_plain(form) for form in forms]:
            found.append(value)
    if not found:
        raise ValueError(f"{text!r} is none of the values")
    first = found[0]
    if len(found) > 1 and any(other != first or type(other) is not type(first) for other in found):
        raise ValueError(f"{text!r} may stand for {first!r} or another value")
    return first


def _members(schema: dict[str, Any]) -> list[Any]:
    """Return the values of an enum or const, also of one in a branch beside a null."""
    if "const" in schema:
        return [schema["const"]]
    if "enum" in schema:
        members: list[Any] = schema["enum"]
        return members
    branches = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())]
    return [member for branch in branches if isinstance(branch, dict) for member in _members(branch)]


@lru_cache(maxsize=8192)
def _plain(text: str) -> str:
    words = _SEPARATORS.sub(" ", text).strip().casefold()
    return _ORDINAL.sub(lambda match: _SPELLED[match[0]], words)


@lru_cache(maxsize=8192)
def _names(member: str) -> tuple[str, str]:
    """Return a member as it is, and with the words of camelCase separated."""
    return _plain(member), _plain(_HUMP.sub(" ", member))
