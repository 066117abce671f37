"""The error texts of refused calls, worded as APIs word them."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from generator.core.entities import Need
from generator.core.profiles import ERROR

_SLOT = re.compile(r"\{(args\.)?(\w+)\}")


class Refused(NamedTuple):
    """Why a call failed."""

    error: str
    """Its name: `not_found`, `already_shipped`."""
    content: str
    """What the tool message says."""


def refusal(
    error: str,
    noun: str,
    text: str,
    need: Need | None = None,
    fields: Mapping[str, Any] | None = None,
    arguments: Mapping[str, Any] | None = None,
    key: str = "",
) -> Refused:
    """Return an error with its text: what the need says, or else what follows from its condition."""
    if need is not None:
        text = _filled(need.say, fields or {}, arguments or {}) if need.say else _usual(need, noun, fields or {}, key)
    title = error.replace("_", " ").capitalize()
    return Refused(error, f"{ERROR}{title} - {text}" if text else f"{ERROR}{title}")


def _usual(need: Need, noun: str, fields: Mapping[str, Any], key: str) -> str:
    if need.values:
        field = next(field for field, allowed in need.values.items() if fields.get(field) not in allowed)
        return f"{noun} {fields.get(key)}: {field.replace('_', ' ')} is {_said(fields.get(field))}"
    if need.unique:
        told = " and ".join(f"{field.replace('_', ' ')} {_said(fields.get(field))}" for field in need.unique)
        return f"there already is a {noun} with {told}"
    if need.most is not None:
        return f"{need.most} is the most"
    return ""


def _filled(text: str, fields: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
    def value(slot: re.Match[str]) -> str:
        return _said((arguments if slot[1] else fields).get(slot[2]))

    return _SLOT.sub(value, text)


def _said(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value).replace("_", " ") if isinstance(value, str) else str(value)
