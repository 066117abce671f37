"""What tools say of themselves that a user may ask about: choices, limits, texts of results, arguments that are needed."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from generator.core.pointers import escape
from generator.core.toolbox import ToolSpec
from generator.dialogue.no_call.talk import reads_as_noun
from generator.dialogue.values.texts import enum_forms

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

_MOST_NEEDED = 4
"""The most arguments that a reply lists."""


_MOST_OPTIONS = 7


ToolSlot = tuple[str, str]
"""A tool, and one of its arguments or of the fields of its result."""


def find_slots_with_options(toolkit: "Toolkit") -> list[ToolSlot]:
    """Return arguments with a few values that all can be said."""
    return _arguments(toolkit, _has_options)


def _has_options(spec: ToolSpec, slot: str, schema: dict[str, Any]) -> bool:
    members = schema.get("enum", ())
    if not 2 <= len(members) <= _MOST_OPTIONS or not all(isinstance(member, str) for member in members):
        return False
    forms = enum_forms(members, spec.phrases.synonyms.get(slot, ()))
    said = [forms[member][0] for member in members if member in forms]
    return len(said) == len(members) and not any(re.search(r",|\bor\b|\d", form) for form in said)


def find_slots_with_limits(toolkit: "Toolkit") -> list[ToolSlot]:
    """Return numbers with a lowest and a highest value."""
    return _arguments(toolkit, lambda _, slot, schema: not slot.endswith("s") and _has_limits(schema))


def _has_limits(schema: dict[str, Any]) -> bool:
    low, high = schema.get("minimum"), schema.get("maximum")
    return schema.get("type") == "integer" and type(low) is int and type(high) is int and 0 <= low < high - 1 < 10**6


def find_literals(toolkit: "Toolkit") -> list[ToolSlot]:
    """Return texts that the user says as they are, only of tools that need no other one."""
    return _arguments(toolkit, lambda spec, _, schema: spec.name in toolkit.starters and _is_text(schema))


def _is_text(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "string" and not {"enum", "const", "format"} & schema.keys()


def find_result_texts(toolkit: "Toolkit") -> list[ToolSlot]:
    """Return texts in results of tools that need no other one."""
    found: list[ToolSlot] = []
    for name in toolkit.starters:
        returned = toolkit.toolbox[name].returns or {}
        required = returned.get("required", ())
        found += [
            (name, slot)
            for slot, schema in returned.get("properties", {}).items()
            if isinstance(schema, dict) and slot in required and reads_as_noun(slot) and _is_text(schema)
        ]
    return found


def find_tools_with_needs(toolkit: "Toolkit") -> list[str]:
    """Return tools that need some arguments, but not too many to list."""
    found: list[str] = []
    for name in toolkit.starters:
        required = toolkit.toolbox[name].required
        if 1 <= len(required) <= _MOST_NEEDED and all(map(reads_as_noun, required)):
            found.append(name)
    return found


def _arguments(toolkit: "Toolkit", fits: Callable[[ToolSpec, str, dict[str, Any]], bool]) -> list[ToolSlot]:
    """Return the arguments that fit."""
    return [
        (name, slot)
        for name, spec in toolkit.toolbox.items()
        for slot, schema in spec.properties.items()
        if isinstance(schema, dict) and escape(slot) == slot and reads_as_noun(slot) and fits(spec, slot, schema)
    ]
