"""Arguments of searches that can keep everything out, and those of which people would take another value."""

from typing import TYPE_CHECKING, Any

from generator.core.connectives import argument_name
from generator.core.planning import Outcome
from generator.core.pointers import escape, resolve
from generator.core.toolbox import SlotFrames, ToolSpec, name_as_words
from generator.scenarios.affordances.names import words_that_tell

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

_CHANGEABLE = words_that_tell("changeable")
"""The last words of names of choices of which people would take another one."""


Filter = tuple[str, str]
"""A search, and an argument of it that narrows what it finds."""


def searches(toolkit: "Toolkit") -> tuple[str, ...]:
    """Return the searches with an argument that narrows what they find."""
    found = [(name, toolkit.toolbox[name].effect) for name in toolkit.starters]
    return tuple([name for name, effect in found if effect is not None and effect.kind == "find" and effect.by])


def finds(spec: ToolSpec, outcome: Outcome) -> bool:
    """Whether a call succeeds, and its result holds anything where it is a search."""
    effect = spec.effect
    return outcome.ok and (effect is None or effect.kind != "find" or bool(resolve(outcome.value, effect.at)))


def find_filters(toolkit: "Toolkit") -> tuple[Filter, ...]:
    """Return optional filters of searches that people have a name for."""
    return tuple([(tool, slot) for tool in searches(toolkit) for slot in _optional(toolkit, tool)])


def find_changeable(toolkit: "Toolkit") -> tuple[Filter, ...]:
    """Return filters of searches of which people would try another value: days, numbers, choices, places; no words to search for."""
    found = [
        (tool, slot)
        for tool in searches(toolkit)
        for slot in _narrowing(toolkit, tool)
        if _is_changed(toolkit, tool, slot)
    ]
    return tuple(found)


def _narrowing(toolkit: "Toolkit", tool: str) -> list[str]:
    """Return the arguments of a search that narrow what it finds and that the user says, in the order in which they are declared."""
    spec = toolkit.toolbox[tool]
    narrowing = spec.effect.by if spec.effect is not None else {}
    properties = spec.properties
    return [
        slot
        for slot in properties
        if slot in narrowing and slot not in spec.context and slot not in spec.say and escape(slot) == slot
    ]


def _is_changed(toolkit: "Toolkit", tool: str, slot: str) -> bool:
    return is_offered(toolkit, tool, slot) or toolkit.toolbox[tool].kinds.get(slot) == "city"


def is_offered(toolkit: "Toolkit", tool: str, slot: str) -> bool:
    """Whether an assistant could propose another value: a day, a choice, or a number that is said with its unit."""
    spec = toolkit.toolbox[tool]
    schema = spec.properties[slot]
    if schema.get("type") in ("integer", "number"):
        return any(
            text.startswith(("within ", "in the next ")) for text in spec.phrases.slots.get(slot, SlotFrames()).frames
        )
    return schema.get("type") == "string" and (
        ("enum" in schema and name_as_words(slot).rpartition(" ")[2] in _CHANGEABLE) or is_day(spec, slot)
    )


def is_day(spec: ToolSpec, slot: str) -> bool:
    """Whether an argument is a date."""
    return bool(spec.properties[slot].get("format") == "date")


def _optional(toolkit: "Toolkit", tool: str) -> list[str]:
    spec = toolkit.toolbox[tool]
    parameters: dict[str, Any] = spec.tool.parameters or {}
    narrowing = spec.effect.by if spec.effect is not None else {}
    given = {
        slot
        for slot in narrowing
        if slot not in parameters.get("required", ()) and slot not in spec.context and escape(slot) == slot
    }
    return [
        slot
        for slot, schema in parameters.get("properties", {}).items()
        if slot in given
        and schema.get("type") != "boolean"
        and argument_name(name_as_words(slot))
        and slot not in spec.say
    ]
