"""Look-ups whose results can be compared: several names, and a number in each result."""

from typing import TYPE_CHECKING, Any

from generator.core.connectives import measure_in_field
from generator.core.planning import Comparison
from generator.core.toolbox import ToolSpec
from generator.scenarios.affordances.links import is_single

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit


def find_comparable(toolkit: "Toolkit") -> tuple[tuple[str, Comparison], ...]:
    """Return look-ups, each with what can be compared in its results."""
    return tuple(
        [
            (name, Comparison(slot, field, extreme))
            for name in toolkit.starters
            if name in toolkit.look_ups
            for slot in _names(toolkit.toolbox[name])
            for field, extreme in _fields(toolkit.toolbox[name])
        ]
    )


def _names(spec: ToolSpec) -> list[str]:
    """Return the arguments that are names, which people say as a list; of a tool without phrases only required ones."""
    properties = spec.properties
    if not spec.phrases.request:
        return [slot for slot in spec.required if slot.isidentifier() and _is_name(properties.get(slot))]
    return [slot for slot in spec.phrases.vary if _is_name(properties.get(slot)) and _is_capital(properties[slot])]


def _is_name(schema: Any) -> bool:
    return is_single(schema) and schema["type"] == "string" and "format" not in schema


def _is_capital(schema: dict[str, Any]) -> bool:
    """Whether choices are names: "Oslo", not "last_week" or "USD"."""
    return all(
        isinstance(value, str) and value[:1].isupper() and not value.isupper() for value in schema.get("enum", ())
    )


def _fields(spec: ToolSpec) -> list[tuple[str, str]]:
    """Return numbers that every result has, with `min` or `max`: those that the tool has words for, or else all with plain names."""
    returns = spec.returns or {}
    known = [(best.by.partition(" ")[2], best.by.partition(" ")[0]) for best in spec.phrases.best]
    given = spec.properties
    return known or [
        (field, extreme)
        for field, schema in returns.get("properties", {}).items()
        if field in returns.get("required", ()) and field not in given and _is_measured(field, schema)
        for extreme in ("min", "max")
    ]


def _is_measured(field: str, schema: Any) -> bool:
    is_number = isinstance(schema, dict) and schema.get("type") in ("integer", "number") and "const" not in schema
    return is_number and all(
        word.isascii() and word.isalpha() and word.islower() for word in measure_in_field(field)[0].split(" ")
    )
