"""Which verbalizers fit a leaf, decided from its JSON schema when a tool is loaded."""

import re
from typing import Any

from generator.arguments.kinds.names import kind_of_name
from generator.arguments.kinds.other_words import is_code
from generator.arguments.kinds.records import RECORDS
from generator.core.pointers import variants
from generator.core.toolbox import name_as_words
from generator.dialogue.values.texts import enum_forms

FAMILIES: dict[str, tuple[str, ...]] = {
    "time": ("time", "time_seconds", "time_utc"),
    "datetime": ("datetime", "datetime_seconds", "datetime_utc", "datetime_offset", "datetime_space"),
    "literal": ("literal", "quoted"),
    "enum": ("enum", "literal", "quoted"),
    "quoted": ("quoted",),
}
"""Verbalizers by the name that a template uses, to be tried in this order: the first that can say the value is used."""

_FORMATS: dict[str, tuple[str, ...]] = {
    "date": ("date", "literal"),
    "time": ("time_utc", "literal"),
    "date-time": ("datetime_utc", "datetime_offset", "literal"),
}
_PROBES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("date", ("2026-03-14", "2025-11-30", "2030-01-01", "1990-05-21")),
    ("time", ("09:30", "15:45", "20:00", "12:15", "06:05")),
    ("time_seconds", ("09:30:00", "15:45:00", "20:00:00", "12:15:20")),
    ("time_utc", ("09:30:00Z", "15:45:00Z", "20:00:00Z")),
    ("datetime", ("2026-03-14T09:30", "2025-11-30T15:45", "2030-01-01T12:00")),
    ("datetime_seconds", ("2026-03-14T09:30:00", "2025-11-30T15:45:00", "2030-01-01T12:00:20")),
    ("datetime_utc", ("2026-03-14T09:30:00Z", "2025-11-30T15:45:00Z", "2030-01-01T12:00:00Z")),
    ("datetime_offset", ("2026-03-14T09:30:00+02:00", "2025-11-30T15:45:00-05:00", "2030-01-01T12:00:00+00:00")),
    ("datetime_space", ("2026-03-14 09:30", "2025-11-30 15:45", "2030-01-01 12:00")),
)
_OF_KINDS: dict[str, str] = {
    "date": "date",
    "time": "time",
    "time_seconds": "time_seconds",
    "local_date_time": "datetime",
    "local_date_time_seconds": "datetime_seconds",
    "date_time": "datetime_utc",
    "date_time_offset": "datetime_offset",
    "spaced_date_time": "datetime_space",
}
"""Kinds of days and times, which fix how the value is written, with their verbalizers."""
_NOT_CALENDAR = ("x", "word", "12", "4711", "a:b", "a-b-c", "A1-20")
"""A pattern that matches one of these is not the pattern of a date or time."""

_SENTENCE_LENGTH = 20
_LONG_LIMIT = 300
_LITERAL = ("literal", "quoted")
_PYTHON_TYPES: dict[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}


class _Said:
    """How people say the values of a kind, from its record: as texts and as numbers."""

    def __init__(self, name: str, kind: str | None) -> None:
        self.counts = not is_code(name)
        self.as_text = _verbalizer_of(kind or kind_of_name(name, (), False))
        self.as_number = _verbalizer_of(kind or kind_of_name(name, (), True))
        self.moment = () if kind is None or kind not in _OF_KINDS else (_OF_KINDS[kind],)


def _verbalizer_of(kind: str | None) -> str:
    return "" if kind is None or kind not in RECORDS else RECORDS[kind].verbalizer


def verbalizers_for(
    schema: dict[str, Any], name: str, asked: str | None = None, kind: str | None = None
) -> tuple[str, ...]:
    """Return the names of verbalizers for the values of a leaf, best first; the last is "json", which can say anything.

    Args:
        schema: The leaf's JSON schema.
        name: The property's name.
        asked: The verbalizer that a template names (`{body:quoted}`).
        kind: The kind of its values; None: what the name asks for.
    """
    if asked is not None:
        names = list(FAMILIES.get(asked, (asked,)))
    else:
        said = _Said(name, kind)
        whole, *branches = variants(schema, schema) or [schema]  # a branch is more specific than the keywords beside it
        names = [found for branch in (*branches, whole) for found in _fitting(branch, said)]
        names = names or ["literal", "quoted", "number", "yes_no"]
    return tuple(dict.fromkeys([found for found in names if found != "json"] + ["json"]))


def verbalizers_for_result(schema: dict[str, Any], name: str, asked: str | None = None) -> tuple[str, ...]:
    """Return the names of verbalizers for a field of a result, best first: days and times are known by its name where nothing else tells."""
    usual = verbalizers_for(schema, name, asked)
    is_told = schema.get("type") != "string" or not schema.keys().isdisjoint({"pattern", "format", "enum", "const"})
    if asked is not None or is_told or _MOMENTS.isdisjoint(name_as_words(name).split()):
        return usual
    return tuple(dict.fromkeys(("date", *FAMILIES["time"], *FAMILIES["datetime"], *usual)))


_MOMENTS = {"time", "date", "day", "at", "until", "start", "end", "departure", "arrival", "due", "starts", "ends"}


def _fitting(schema: dict[str, Any], said: "_Said") -> list[str]:
    """Return the verbalizers for one branch of a schema; none when the branch does not tell."""
    members = [schema["const"]] if "const" in schema else schema.get("enum")
    if members is not None:
        kinds = [kind for kind, python_type in _PYTHON_TYPES.items() if any(type(m) is python_type for m in members)]
        texts = ("enum", *_LITERAL) if _each_has_a_form(members) else _LITERAL
        return [name for kind in kinds for name in (texts if kind == "string" else _of_type(kind, {}, said))]
    types = schema.get("type", _implied_type(schema))
    return [name for kind in ([types] if isinstance(types, str) else types) for name in _of_type(kind, schema, said)]


def _each_has_a_form(members: list[Any]) -> bool:
    forms = enum_forms(members)
    return all(member in forms for member in members if type(member) is str)


def _of_type(kind: str, schema: dict[str, Any], said: "_Said") -> tuple[str, ...]:
    if kind == "string":
        return _for_string(schema, said)
    if kind in ("integer", "number") and not said.counts:
        return ("digits", "number")
    if kind == "integer":
        return ("number",) if said.as_number == "number" else ("number", "words")
    if kind == "number":
        return (
            ("amount", "number")
            if said.as_number == "amount" and (schema.get("multipleOf", 0.01) in (0.01, 0.05, 0.1, 0.25, 0.5))
            else ("number",)
        )
    return {"boolean": ("yes_no",)}.get(kind, ("json",))


def _for_string(schema: dict[str, Any], said: "_Said") -> tuple[str, ...]:
    if schema.get("format") in _FORMATS:
        return (*_FORMATS[schema["format"]], "quoted")
    if "pattern" in schema:
        return (*_matching(schema["pattern"]), *_LITERAL)
    if said.moment and "format" not in schema:
        return (*said.moment, *_LITERAL)
    if "format" not in schema and (
        said.as_text == "quoted"
        or bool(schema.get("minLength", 0) >= _SENTENCE_LENGTH or schema.get("maxLength", 0) >= _LONG_LIMIT)
    ):
        return ("quoted",)
    return _LITERAL


def _matching(pattern: Any) -> list[str]:
    """Return the verbalizers of the dates and times that a pattern allows."""
    try:
        find = re.compile(pattern).search
    except (re.error, TypeError):  # a pattern that Python cannot read
        return []
    if any(find(text) for text in _NOT_CALENDAR):
        return []
    return [name for name, texts in _PROBES if any(find(text) for text in texts)]


def _implied_type(schema: dict[str, Any]) -> list[str]:
    return next(([kind] for kind, words in _IMPLIED.items() if not schema.keys().isdisjoint(words)), [])


_IMPLIED = {
    "string": {"format", "pattern", "minLength", "maxLength"},
    "number": {"minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"},
    "json": {"properties", "items"},
}
"""Types by the keywords that are about their values."""
