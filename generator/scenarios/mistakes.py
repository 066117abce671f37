"""Mistakes that models make in arguments: a date in the wrong format, a number as text, an enum value in words, a missing value."""

from collections.abc import Iterator
from datetime import date
from typing import Any

from generator.core.pointers import escape
from generator.core.seeds import Draw
from generator.core.toolbox import ToolSpec
from generator.world.failing import why_invalid

Mistake = tuple[str, Any]
"""An argument and its wrong value; `MISSING` for none."""
MISSING = object()
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def mistaken(spec: ToolSpec, said: dict[str, Any], draw: Draw) -> dict[str, Any] | None:
    """Return the arguments with one mistake that the schema refuses; None when it refuses none of these mistakes."""
    parameters = spec.tool.parameters or {}
    mistakes = list(_mistakes(spec, parameters, said))
    names = draw.shuffled(list(dict.fromkeys([name for name, _ in mistakes])))
    for name in names:
        for value in draw.shuffled([wrong for other, wrong in mistakes if other == name]):
            wrong = {
                key: value if key == name else part for key, part in said.items() if key != name or value is not MISSING
            }
            if why_invalid(parameters, wrong) is not None:
                return wrong
    return None


def is_missed(spec: ToolSpec) -> bool:
    """Whether a call without any arguments is refused."""
    return why_invalid(spec.tool.parameters, {}) is not None


def _mistakes(spec: ToolSpec, parameters: dict[str, Any], said: dict[str, Any]) -> Iterator[Mistake]:
    properties, required = parameters.get("properties", {}), parameters.get("required", ())
    for name, value in said.items():
        schema = properties.get(name)
        if not isinstance(schema, dict):
            continue
        yield from [(name, wrong) for wrong in _wrong_values(schema, value)]
        for meant, forms in spec.phrases.synonyms.get(escape(name), ()):
            if meant == value and type(meant) is type(value):
                yield from [(name, form) for form in forms]
        if name in required and len(said) > 1:
            yield name, MISSING


def _wrong_values(schema: dict[str, Any], value: Any) -> Iterator[Any]:
    """Yield wrong values that a careless caller writes in place of a right one."""
    if isinstance(value, bool):
        yield "yes" if value else "no"
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, str):
        if "enum" in schema:
            yield from (value.replace("_", " ").capitalize(), value.replace("_", " "), value.replace("_", "-"))
        yield from _other_dates(value)
        yield from _other_times(value)
    elif isinstance(value, list) and value:
        yield value[0] if len(value) == 1 else ", ".join(map(str, value))


def _other_dates(text: str) -> Iterator[str]:
    """Yield a date as people write it, where the schema wants YYYY-MM-DD."""
    try:
        day = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return
    if day is not None:
        month = _MONTHS[day.month - 1]
        yield from (f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}", f"{month} {day.day}")
        yield f"{day.month:02}/{day.day:02}/{day.year}"


def _other_times(text: str) -> Iterator[str]:
    """Yield a time on the 12-hour clock, where the schema wants HH:MM."""
    hour, colon, minute = text.partition(":")
    if not colon or not (hour.isdecimal() and minute.isdecimal() and len(hour) == len(minute) == 2 and int(hour) < 24):
        return
    twelve = int(hour) % 12 or 12
    half = "AM" if int(hour) < 12 else "PM"
    yield from (
        f"{twelve}:{minute} {half}",
        f"{twelve} {half.lower()}" if minute == "00" else f"{twelve}:{minute}{half.lower()}",
    )
