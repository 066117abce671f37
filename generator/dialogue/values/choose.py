"""Which verbalizers fit a leaf, decided from its JSON schema when a tool is loaded."""

import re
from typing import Any

from generator.arguments.kinds.names import kind_of_name
from generator.arguments.kinds.other_words import is_code
from generator.arguments.kinds.records import RECORDS
from generator.core.pointers import variants
from generator.core.toolbox import name_as_words
from generator.core.yaml_values import own_data
from generator.dialogue.values.texts import enum_forms

_TABLES: dict[str, Any] = own_data(__file__)
FAMILIES: dict[str, tuple[str, ...]] = {name: tuple(ways) for name, ways in _TABLES["families"].items()}
"""Verbalizers by the name that a template uses, to be tried in this order: the first that can say the value is used."""
_SENTENCE_LENGTH, _LONG_LIMIT = 20, 300
_LITERAL = ("literal", "quoted")
_PYTHON_TYPES: dict[str, type] = {"string": str, "integer": int, "number": float, "boolean": bool}


class _WaysOfKind:
    """How people say the values of a kind, from its record: as texts and as numbers."""

    def __init__(self, name: str, kind: str | None) -> None:
        self.counts = not is_code(name)
        self.as_text = _verbalizer_of(kind or kind_of_name(name, (), False))
        self.as_number = _verbalizer_of(kind or kind_of_name(name, (), True))
        self.moment: tuple[str, ...] = tuple(_TABLES["kinds"].get(kind, ()))


def _verbalizer_of(kind: str | None) -> str:
    """Return the verbalizer that the record of a kind names; an empty text where it names none."""
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
        said = _WaysOfKind(name, kind)
        whole, *branches = variants(schema, schema) or [schema]  # a branch is more specific than the keywords beside it
        names = [found for branch in (*branches, whole) for found in _for_branch(branch, said)]
        names = names or ["literal", "quoted", "number", "yes_no"]
    return tuple(dict.fromkeys([found for found in names if found != "json"] + ["json"]))


def verbalizers_for_result(schema: dict[str, Any], name: str, asked: str | None = None) -> tuple[str, ...]:
    """Return the names of verbalizers for a field of a result, best first: days and times are known by its name where nothing else tells."""
    usual = verbalizers_for(schema, name, asked)
    is_told = schema.get("type") != "string" or not schema.keys().isdisjoint({"pattern", "format", "enum", "const"})
    if asked is not None or is_told or set(_TABLES["moments"]).isdisjoint(name_as_words(name).split()):
        return usual
    return tuple(dict.fromkeys(("date", *FAMILIES["time"], *FAMILIES["datetime"], *usual)))


def _for_branch(schema: dict[str, Any], said: _WaysOfKind) -> list[str]:
    """Return the verbalizers for one branch of a schema; none when the branch does not tell."""
    members = [schema["const"]] if "const" in schema else schema.get("enum")
    if members is not None:
        kinds = [kind for kind, python_type in _PYTHON_TYPES.items() if any(type(m) is python_type for m in members)]
        texts = ("enum", *_LITERAL) if _each_has_a_form(members) else _LITERAL
        return [name for kind in kinds for name in (texts if kind == "string" else _for_type(kind, {}, said))]
    types = schema.get("type", _implied_type(schema))
    return [name for kind in ([types] if isinstance(types, str) else types) for name in _for_type(kind, schema, said)]


def _each_has_a_form(members: list[Any]) -> bool:
    """Whether every text of an enum can be said in words that mean it alone."""
    forms = enum_forms(members)
    return all(member in forms for member in members if type(member) is str)


def _for_type(kind: str, schema: dict[str, Any], said: _WaysOfKind) -> tuple[str, ...]:
    """Return the verbalizers for values of a JSON type."""
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


def _for_string(schema: dict[str, Any], said: _WaysOfKind) -> tuple[str, ...]:
    """Return the verbalizers for texts, as format, pattern, kind and length tell."""
    if schema.get("format") in _TABLES["formats"]:
        return (*_TABLES["formats"][schema["format"]], "quoted")
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
    if any(find(text) for text in _TABLES["no_moments"]):
        return []
    return [name for name, texts in _TABLES["probes"].items() if any(find(text) for text in texts)]


def _implied_type(schema: dict[str, Any]) -> list[str]:
    """Return the type that the keywords of a schema without a `type` are about."""
    return next(([kind] for kind, keys in _TABLES["implied"].items() if not schema.keys().isdisjoint(keys)), [])
