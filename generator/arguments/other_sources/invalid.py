"""Valid arguments made invalid in exactly one named way, with the rule that they then break.

Each way is a function that proposes changes; a proposal counts only when two validators agree on what it breaks, and
that is what the way is named for. The ways are the mistakes that models make in tool calls.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any

import msgspec
import orjson

from generator.offline_schemas import reference_validator, validator
from generator.pointers import escape, schema_at, set_at, split, variants
from generator.seeds import Draw

_BRANCHES = frozenset({"anyOf", "oneOf"})
_KEYS = ("notes", "id", "comment", "options", "metadata", "timestamp", "user", "extra")
_MOST_PROPOSALS = 60


class Constraint(msgspec.Struct, frozen=True):
    """A rule of a schema that a value breaks."""

    keyword: str
    pointer: str
    """Of the keyword in the schema (RFC 6901), e.g. `/properties/city/type`."""
    at: str
    """Of the faulty part in the arguments; `""` for the whole."""


class InvalidArguments(msgspec.Struct, frozen=True):
    """Arguments that are wrong in one way."""

    way: str
    arguments: Any
    """An object, or text where the whole object was turned into text."""
    at: str
    """Pointer to what was changed."""
    rules: tuple[Constraint, ...]
    """What is broken there; several when one change breaks a type and an enum."""


class _Part(msgspec.Struct, frozen=True):
    """A value inside the arguments and the schemas it may follow."""

    pointer: str
    value: Any
    schemas: tuple[dict[str, Any], ...]


Proposal = tuple[str, Any]
"""Pointer to what is changed, and all arguments after the change."""
Propose = Callable[[Any, list[_Part], Draw], Iterator[Proposal]]


def break_arguments(way: str, schema: dict[str, Any], arguments: dict[str, Any], draw: Draw) -> InvalidArguments | None:
    """Return the arguments made wrong in one way; None when the way does not apply to them.

    Args:
        way: One of WAYS.
        schema: The tool's parameters.
        arguments: Valid arguments; they stay as they are.
        draw: Decides which of several changes is made.
    """
    parts = draw.shuffled(list(_parts(schema, arguments, "")))
    propose, keywords = WAYS[way]
    before = _rules(schema, arguments)
    for _, (at, changed) in zip(range(_MOST_PROPOSALS), propose(arguments, parts, draw), strict=False):
        rules = _rules(schema, changed)
        if rules is None or before is None:
            continue
        broken = [rule for rule in rules if rule not in before]
        if broken and all(rule.keyword in keywords and _is_at(rule.at, at) for rule in broken):
            return InvalidArguments(way, changed, at, tuple(broken))
    return None


def _is_at(found: str, changed: str) -> bool:
    """Whether a fault is at the changed place, inside it, or at a parent of it (as with `anyOf`)."""
    return found == changed or changed.startswith(f"{found}/") or found.startswith(f"{changed}/")


def _rules(schema: dict[str, Any], value: Any) -> list[Constraint] | None:
    """Return the rules that both validators say are broken; None when they do not agree."""
    ours = _told_by_rust(schema, value)
    theirs = _told_by_reference(schema, value)
    return sorted(ours, key=lambda rule: (rule.keyword != "type", rule.pointer, rule.at)) if ours == theirs else None


def _told_by_rust(schema: dict[str, Any], value: Any) -> set[Constraint]:
    errors = validator(schema).iter_errors(value)
    return {_rule(list(error.schema_path), list(error.instance_path)) for error in errors}


def _told_by_reference(schema: dict[str, Any], value: Any) -> set[Constraint]:
    errors = _reference(orjson.dumps(schema)).iter_errors(value)
    return {
        _rule(list(error.absolute_schema_path), list(error.absolute_path))
        for error in errors
        if not _is_rounding(error)
    }


@lru_cache(maxsize=256)
def _reference(schema: bytes) -> Any:
    return reference_validator(orjson.loads(schema))


def _is_rounding(error: Any) -> bool:
    """Whether the fault is a rounding error: the reference divides floats, so 0.07 is not a multiple of 0.01 for it."""
    if error.validator != "multipleOf":
        return False
    return Decimal(repr(error.instance)) % Decimal(repr(error.validator_value)) == 0


def _rule(schema_path: list[Any], instance_path: list[Any]) -> Constraint:
    return Constraint(str(schema_path[-1]) if schema_path else "false", _pointer(schema_path), _pointer(instance_path))


def _pointer(path: list[Any]) -> str:
    return "".join(f"/{escape(str(step))}" for step in path)


def _parts(root: dict[str, Any], value: Any, pointer: str) -> Iterator[_Part]:
    """Yield the arguments and every value in them that the schema describes."""
    place = "/".join("*" if step.isdecimal() else escape(step) for step in split(pointer))
    schema = schema_at(root, place)
    if schema is not None:
        yield _Part(pointer, value, tuple(variants(root, schema)))
    if isinstance(value, dict):
        for key, child in value.items():
            yield from _parts(root, child, f"{pointer}/{escape(key)}")
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _parts(root, child, f"{pointer}/{index}")


def _changed(arguments: Any, pointer: str, value: Any) -> Any:
    """Return a copy with another value there."""
    if not pointer:
        return value
    copy = orjson.loads(orjson.dumps(arguments))
    set_at(copy, pointer, value)
    return copy


def _missing_required(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        names = [name for schema in part.schemas for name in schema.get("required", ())]
        for name in draw.shuffled([name for name in names if isinstance(part.value, dict) and name in part.value]):
            rest = {key: value for key, value in part.value.items() if key != name}
            yield part.pointer, _changed(arguments, part.pointer, rest)


def _wrong_type(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        for other in draw.shuffled(_of_other_types(part.value)) if part.pointer else []:
            yield part.pointer, _changed(arguments, part.pointer, other)


def _of_other_types(value: Any) -> list[Any]:
    """Yield the value as another type, the way models get it wrong."""
    if isinstance(value, bool):
        return [str(value).lower(), "yes" if value else "no", int(value)]
    if isinstance(value, int | float):
        return [str(value), f"{value} units", [value]]
    if isinstance(value, str):
        return [len(value), True, [value]]
    if isinstance(value, list):
        return [", ".join(map(str, value)), value[0] if value else None]
    return [list(value.values()), None] if isinstance(value, dict) else ["null", 0, False]


def _out_of_range(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        outside = [value for schema in part.schemas for value in _outside(part.value, schema)]
        for value in draw.shuffled(outside):
            yield part.pointer, _changed(arguments, part.pointer, value)


def _outside(value: Any, schema: dict[str, Any]) -> Iterator[Any]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from _numbers_outside(schema)
    elif isinstance(value, str):
        if schema.get("minLength", 0) > 0:
            yield value[: schema["minLength"] - 1]
        if "maxLength" in schema:
            yield (value or "x") * (schema["maxLength"] // max(len(value), 1) + 2)
    elif isinstance(value, list):
        if schema.get("minItems", 0) > 0:
            yield value[: schema["minItems"] - 1]
        if "maxItems" in schema and value and not schema.get("uniqueItems"):
            yield (value * (schema["maxItems"] // len(value) + 2))[: schema["maxItems"] + 1]


def _numbers_outside(schema: dict[str, Any]) -> Iterator[int | float]:
    """Yield numbers a step and ten steps beyond each bound."""
    step = Decimal(repr(schema.get("multipleOf", 1)))
    for keyword, sign in (("minimum", -1), ("exclusiveMinimum", -1), ("maximum", 1), ("exclusiveMaximum", 1)):
        bound = schema.get(keyword)
        if isinstance(bound, int | float) and not isinstance(bound, bool):
            yield from (_number(Decimal(repr(bound)) + sign * step * count) for count in (1, 10))


def _number(value: Decimal) -> int | float:
    return int(value) if value == int(value) else float(value)


def _unknown_key(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        if isinstance(part.value, dict):
            names = {name for schema in part.schemas for name in schema.get("properties", {})}
            for key in draw.shuffled([key for key in (*_misspelled(part.value), *_KEYS) if key not in names]):
                yield part.pointer, _changed(arguments, part.pointer, {**part.value, key: _beside(part.value, key)})


def _misspelled(value: dict[str, Any]) -> list[str]:
    """Return keys that look like those there are: in the other case, or in the plural."""
    camel = ["".join(word.capitalize() if at else word for at, word in enumerate(key.split("_"))) for key in value]
    return [key for key in (*camel, *[f"{key}s" for key in value]) if key not in value]


def _beside(value: dict[str, Any], key: str) -> Any:
    like = next((other for name, other in value.items() if name.replace("_", "").lower() in key.lower()), None)
    return "none" if like is None else like


def _bad_enum(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        for schema in part.schemas:
            known = schema.get("enum")
            if isinstance(known, list) and part.value in known:
                for value in draw.shuffled(_near_misses(part.value, known)):
                    yield part.pointer, _changed(arguments, part.pointer, value)


def _near_misses(value: Any, known: list[Any]) -> list[Any]:
    """Return values of the same type that are not listed."""
    found: list[Any] = []
    if isinstance(value, str):
        found = [value.upper(), value.capitalize(), value.replace("_", " "), f"{value}s", "other", "any", "default"]
    elif isinstance(value, int | float) and not isinstance(value, bool):
        numbers = [one for one in known if isinstance(one, int | float) and not isinstance(one, bool)]
        found = [max(numbers) + 1, min(numbers) - 1, max(numbers) * 10 + 1]
    return [one for one in found if one not in known]


def _broken_format(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        is_formed = any("format" in schema or "pattern" in schema for schema in part.schemas)
        if isinstance(part.value, str) and is_formed:
            for value in draw.shuffled(_deformed(part.value)):
                yield part.pointer, _changed(arguments, part.pointer, value)


def _deformed(text: str) -> list[str]:
    """Yield variants of a text that break its format."""
    found = [
        text.replace("@", " at "), text.replace("-", "/"), text.replace(":", "."), text.replace("-", ""), f"{text} ",
        text[:-1], text.lower(), text.upper(), text.replace("T", " "), text.split("T")[0], f"#{text}", "tomorrow",
        "n/a", text.replace("://", ":/ "), "-".join(reversed(text.split("-"))),
    ]  # fmt: skip
    return [one for one in dict.fromkeys(found) if one != text]


def _extra_nesting(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        if part.pointer:
            name = split(part.pointer)[-1]
            around = [{"value": part.value}] + ([] if name.isdecimal() else [{name: part.value}])
            for value in draw.shuffled(around):
                yield part.pointer, _changed(arguments, part.pointer, value)
    yield "", {"arguments": arguments}


def _stringified_object(arguments: Any, parts: list[_Part], draw: Draw) -> Iterator[Proposal]:
    for part in parts:
        if part.pointer and isinstance(part.value, dict | list) and part.value:
            yield part.pointer, _changed(arguments, part.pointer, json.dumps(part.value, ensure_ascii=False))
    yield "", json.dumps(arguments, ensure_ascii=False)


_OF_TYPE = frozenset({"type", "enum", "const"}) | _BRANCHES
_OF_RANGE = frozenset({
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "minItems", "maxItems",
}) | _BRANCHES  # fmt: skip

WAYS: dict[str, tuple[Propose, frozenset[str]]] = {
    "missing_required": (_missing_required, frozenset({"required"}) | _BRANCHES),
    "wrong_type": (_wrong_type, _OF_TYPE),
    "out_of_range": (_out_of_range, _OF_RANGE),
    "unknown_key": (_unknown_key, frozenset({"additionalProperties", "unevaluatedProperties"}) | _BRANCHES),
    "bad_enum": (_bad_enum, frozenset({"enum", "const"}) | _BRANCHES),
    "broken_format": (_broken_format, frozenset({"format", "pattern"}) | _BRANCHES),
    "extra_nesting": (_extra_nesting, _OF_TYPE),
    "stringified_object": (_stringified_object, _OF_TYPE),
}
"""Ways to make arguments invalid: a function that proposes changes, and the keywords that they may break."""
