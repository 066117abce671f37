"""Declared structs as JSON Schema, for editors; the text below a field describes it."""

import ast
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

import msgspec

from generator.core.forms import ABOVE, REST, UNWRITTEN, Kind, fields_of, is_struct, kind_of

_TYPES = {str: "string", Path: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_NUMBERS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}


def schema_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return JSON Schema of what a file may hold that is read as the struct; other structs stand in `$defs`."""
    known: dict[str, Any] = {}
    schema = _of_struct(struct, known)
    return {**schema, "$defs": dict(sorted(known.items()))}


def _of(kind: Kind, known: dict[str, Any]) -> dict[str, Any]:
    if kind.form.schema is not None:
        return {**kind.form.schema, **kind.schema}
    if kind.form.short is not None:
        usual = Kind(kind.base, msgspec.structs.replace(kind.form, short=None), kind.limits)
        return {"anyOf": [_of(kind_of(kind.form.short), known), _of(usual, known)], **kind.schema}
    if kind.form.type is not None:
        return {**_of(kind_of(kind.form.type), known), **kind.schema}
    schema = _of_type(kind.base, known)
    size = _SIZES.get(str(schema.get("type")))
    limits = {_NUMBERS[name]: value for name, value in kind.limits.items() if name in _NUMBERS}
    limits |= {
        f"{name[:3]}{size}": value for name, value in kind.limits.items() if name in ("min_length", "max_length")
    }
    limits |= {"pattern": kind.limits["pattern"]} if "pattern" in kind.limits else {}
    return {**schema, **limits, **kind.schema}


def _of_type(base: Any, known: dict[str, Any]) -> dict[str, Any]:
    origin = get_origin(base)
    if base is Any:
        return {}
    if is_struct(base):
        if base.__name__ not in known:
            known[base.__name__] = {}  # it may hold itself
            known[base.__name__] = _of_struct(base, known)
        return {"$ref": f"#/$defs/{base.__name__}"}
    if origin in (Union, UnionType):
        options = [option for option in get_args(base) if option is not msgspec.UnsetType]
        return (
            _of(kind_of(options[0]), known)
            if len(options) == 1
            else {"anyOf": [_of(kind_of(option), known) for option in options]}
        )
    if origin is Literal:
        words = list(get_args(base))
        return {"const": words[0]} if len(words) == 1 else {"enum": words}
    if origin in (list, tuple):
        return {"type": "array", "items": _of(kind_of(get_args(base)[0]), known)}
    if origin is dict:
        name, part = (_of(kind_of(one), known) for one in get_args(base))
        name = {key: limit for key, limit in name.items() if key != "type"}
        return {"type": "object", "additionalProperties": part} | ({"propertyNames": name} if name else {})
    return {"type": _TYPES[base]} | ({"minLength": 1} if base is Path else {})


def _of_struct(struct: type[msgspec.Struct], known: dict[str, Any]) -> dict[str, Any]:
    fields = fields_of(struct)
    properties = dict(_properties(struct, known, is_above=False))
    for field in fields:
        if is_struct(field.kind.base):
            properties |= _properties(field.kind.base, known, is_above=True)
    rest = next((field for field in fields if field.kind.place is REST), None)
    others = {"additionalProperties": False}
    if rest is not None:
        others = {key: part for key, part in _of(rest.kind, known).items() if key.endswith(("Properties", "Names"))}
    required = list(dict.fromkeys(field.key for field in fields if field.is_required))
    return {
        "type": "object",
        "description": (struct.__doc__ or "").partition("\n\n")[0],
        "properties": properties,
        **({"required": required} if required else {}),
        **others,
        **getattr(struct, "more_schema", {}),
    }


def _properties(
    struct: type[msgspec.Struct], known: dict[str, Any], *, is_above: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the keys of a struct with their schemas: those in its mapping, or those that stand above it."""
    texts = _texts_below(sys.modules[struct.__module__])[struct.__name__]
    seen: set[str] = set()
    for field in fields_of(struct):
        place = field.kind.place
        if place in (UNWRITTEN, REST) or (place is ABOVE) != is_above or field.key in seen:
            continue
        seen.add(field.key)
        text = {"description": texts[field.name]} if field.name in texts else {}
        usual = {} if field.is_required or _is_empty(field.default) else {"default": _as_json(field.default)}
        yield field.key, {**_of(field.kind, known), **text, **usual}


def _is_empty(default: Any) -> bool:
    """Whether a usual value says nothing to editors, or nothing that can be written."""
    if isinstance(default, tuple):
        return not default or not all(isinstance(part, str | int | float) for part in default)
    return not isinstance(default, str | int | float) or default is False or default == ""


def _as_json(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


@cache
def _texts_below(module: Any) -> dict[str, dict[str, str]]:
    """Return, by class, the texts that stand below the fields of a module's classes."""
    found: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef):
            pairs = zip(node.body, node.body[1:], strict=False)
            found[node.name] = {
                field.target.id: " ".join(text.value.value.split())
                for field, text in pairs
                if isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            }
    return found
