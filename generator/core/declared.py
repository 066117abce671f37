"""Structs that declare what a file may hold: read strictly, and described to editors as JSON Schema.

A field is annotated with `msgspec.Meta` (limits, a pattern) and, where it is written otherwise than it is held, with what
`generator.core.forms` has. `read` checks a value and makes the struct of it; `schema_of` writes the same as JSON Schema, in which the
text below a field describes it. A field of type `Path` is a file relative to the one that names it.
"""

import ast
import inspect
import json
import math
import operator
import os
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import msgspec
from msgspec import UnsetType

from generator.core.documents import Document, Place, nearest, shown
from generator.core.errors import GeneratorError
from generator.core.forms import ABOVE, REQUIRED, REST, UNWRITTEN, Field, Kind, fields_of, is_struct, kind_of
from generator.core.yaml_values import own_data

T = TypeVar("T")

_MOST_FAULTS = 20
"""The most faults of one file that are reported; there can be one for every line."""
_WORDS = {str: "text", Path: "text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}
_BAD: Any = object()
"""What a value with a fault is read as."""


def read(kind: type[T], document: Document, value: Any, place: Place, error: type[GeneratorError]) -> T:
    """Return the value at `place` of a document as a declared struct; raises `error` naming every fault."""
    reading = _Reading(document)
    found = _reader(kind_of(kind))(reading, value, place)
    if reading.faults:
        faults = list(dict.fromkeys(reading.faults))  # several fields may be made of one key
        more = (
            [f"{document.path}: and {len(faults) - _MOST_FAULTS:,} more faults"] if len(faults) > _MOST_FAULTS else []
        )
        raise error("\n".join([*faults[:_MOST_FAULTS], *more]))
    checked: T = found
    return checked


def beside(naming: Path, file: str) -> Path:
    """Return a file relative to the folder of the one that names it, without `..` where that leads to the same folder."""
    full = naming.parent / file
    short = Path(os.path.normpath(full))
    try:
        return short if short.parent.samefile(full.parent) else full
    except OSError:
        return full


class _Reading:
    """A document being read, with the faults so far."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.faults: list[str] = []

    def fault(self, place: Place, text: str) -> Any:
        """Note what is wrong at a place."""
        at = self._as_written(place)
        self.faults.append(f"{self.document.at(at)}: {text}")
        return _BAD

    def changed(self, change: Callable[[Any], Any], value: Any, place: Place) -> Any:
        """Return what a function makes of a value; its ValueError is a fault."""
        try:
            return change(value)
        except ValueError as fault:
            return self.fault(place, str(fault))

    def _as_written(self, place: Place) -> Place:
        """Return the steps of a place that stand in the document; one name may stand for a mapping of names."""
        value = self.document.value
        found: list[str | int] = []
        for at, step in enumerate(place):
            if isinstance(value, dict) and step in value:
                found.append(step if isinstance(step, str) else json.dumps(step))
                value = value[step]
            elif isinstance(step, int) or (at == len(place) - 1 and isinstance(value, dict)):
                found.append(step)
                value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
        return tuple(found)


Reader = Callable[[_Reading, Any, Place], Any]
"""Makes of a value what is held of it; what is wrong is noted."""


def _reader(kind: Kind) -> Reader:
    """Return the reader of what an annotation says."""
    form = kind.form
    read_plain = _reader_of_type(kind) if form.type is None else _reader(kind_of(form.type))
    given, made = form.given, form.made
    if given is None and made is None:
        return read_plain

    def read_form(reading: _Reading, value: Any, place: Place) -> Any:
        if given is not None:
            value = reading.changed(given, value, place)
        if value is not _BAD:
            value = read_plain(reading, value, place)
        return value if made is None or value is _BAD else reading.changed(made, value, place)

    return read_form


def _reader_of_type(kind: Kind) -> Reader:
    origin = get_origin(kind.base)
    if kind.base is Any:
        return lambda reading, value, place: value
    if is_struct(kind.base):
        return lambda reading, value, place: _read_struct(kind.base, reading, value, place)
    if origin in (Union, UnionType):
        return _one_of(get_args(kind.base))
    if origin in (list, tuple):
        return _limited(kind, _items(origin, kind_of(get_args(kind.base)[0])))
    if origin is dict:
        return _limited(kind, _mapping(*map(kind_of, get_args(kind.base))))
    return _limited(kind, _PLAIN.get(kind.base))


def _limited(kind: Kind, then: Reader | None) -> Reader:
    """Return a reader that refuses values of other types and beyond limits, before it reads on."""
    takes, limits, word = _json_type_test(kind.base), kind.limits, _expected_type(kind.base)

    def read_limited(reading: _Reading, value: Any, place: Place) -> Any:
        wrong = (limits and _expected_bounds(limits, value)) if takes(value) else word
        if wrong:
            return reading.fault(place, f"{wrong} is expected, not {shown(value)}")
        return value if then is None else then(reading, value, place)

    return read_limited


def _read_number(reading: _Reading, value: float, place: Place) -> Any:
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    return number if math.isfinite(number) else reading.fault(place, f"a finite number is expected, not {shown(value)}")


def _read_path(reading: _Reading, value: str, place: Place) -> Any:
    return beside(Path(reading.document.path), value) if value else reading.fault(place, 'text is expected, not ""')


_PLAIN: dict[Any, Reader] = {float: _read_number, Path: _read_path}


def _one_of(options: tuple[Any, ...]) -> Reader:
    """Return the reader of a value that may have one of several types: that which its JSON type fits."""
    readers = [(_json_type_test(option), _reader(kind_of(option))) for option in options if option is not UnsetType]
    told = [_expected_type(option) for option in options if option not in (UnsetType, NoneType)]
    words = " or ".join(dict.fromkeys(told))

    def read_option(reading: _Reading, value: Any, place: Place) -> Any:
        for takes, read_it in readers:
            if takes(value):
                return read_it(reading, value, place)
        return reading.fault(place, f"{words} is expected, not {shown(value)}")

    return read_option


def _items(origin: Any, item: Kind) -> Reader:
    read_item = _reader(item)
    is_plain = item == Kind(str)

    def read_items(reading: _Reading, value: list[Any], place: Place) -> Any:
        if is_plain and all(type(part) is str for part in value):
            return origin(value)
        made = [read_item(reading, part, (*place, index)) for index, part in enumerate(value)]
        return _BAD if any(part is _BAD for part in made) else origin(made)

    return read_items


def _mapping(key: Kind, part: Kind) -> Reader:
    read_key, read_part = _reader(key), _reader(part)

    def read_mapping(reading: _Reading, value: dict[Any, Any], place: Place) -> Any:
        made = {}
        for name, one in value.items():
            at = (*place, name)
            is_gone = key.base is not str and ".".join(map(str, at)) in gone_keys()
            known = reading.fault(at, _unknown(at, [])) if is_gone else read_key(reading, name, at)
            made[known] = read_part(reading, one, at)
        return _BAD if _BAD in made or any(one is _BAD for one in made.values()) else made

    return read_mapping


@lru_cache(maxsize=256)
def _readers_of(struct: type[msgspec.Struct]) -> tuple[list[tuple[Field, Reader]], list[str]]:
    """Return the fields of a struct with their readers, and the keys that may stand in its mapping."""
    fields = [field for field in fields_of(struct) if field.kind.place is not UNWRITTEN]
    known = [field.key for field in fields if field.kind.place in (None, REQUIRED)]
    known += [below.key for field in fields for below in _fields_beside_mapping(field.kind)]
    return [(field, _reader(field.kind)) for field in fields], list(dict.fromkeys(known))


def _fields_beside_mapping(kind: Kind) -> list[Field]:
    """Return those fields of a struct that stand beside its mapping."""
    return [field for field in fields_of(kind.base) if field.kind.place is ABOVE] if is_struct(kind.base) else []


def _read_struct(struct: type[msgspec.Struct], reading: _Reading, value: Any, place: Place) -> Any:
    if not isinstance(value, dict):
        return reading.fault(place, f"a mapping is expected, not {shown(value)}")
    readers, known = _readers_of(struct)
    others = value.keys() - {*known}
    held: dict[str, Any] = {}
    for field, read_field in readers:
        if field.kind.place is REST:
            rest = {key: part for key, part in value.items() if key in others}
            held[field.name], others = read_field(reading, rest, place), set()
        elif field.kind.place is not ABOVE:
            _read_field(field, read_field, reading, value, place, held)
    for key in [key for key in value if key in others]:
        held[""] = reading.fault(
            (*place, key), _unknown((*place, key), known if len(reading.faults) < _MOST_FAULTS else [])
        )
    if any(part is _BAD for part in held.values()):
        return _BAD
    return reading.changed(lambda held: struct(**held), held, place)


@cache
def gone_keys() -> dict[str, str]:
    """Return the keys of recipes that earlier versions had, as paths with dots, each with its message."""
    return dict(own_data(__file__))


def _unknown(place: Place, known: list[str]) -> str:
    key, path = place[-1], ".".join(map(str, place))
    if not isinstance(key, str):
        return f"a key of plain text is expected, not {shown(key)}"
    return f"this key is gone: {gone_keys()[path]}" if path in gone_keys() else f"unknown key{nearest(key, known)}"


def _read_field(
    field: Field, read_field: Reader, reading: _Reading, value: dict[str, Any], place: Place, held: dict[str, Any]
) -> None:
    """Read a field of a mapping, and what of it stands beside it."""
    if field.key in value:
        held[field.name] = read_field(reading, value[field.key], (*place, field.key))
    elif field.is_required:
        held[field.name] = reading.fault((*place, field.key), "this key is missing")
    for below in _fields_beside_mapping(field.kind):
        if below.key in value:
            found = _reader(below.kind)(reading, value[below.key], (*place, below.key))
            settings = held.get(field.name, field.default)
            is_bad = found is _BAD or settings is _BAD
            held[field.name] = _BAD if is_bad else msgspec.structs.replace(settings, **{below.name: found})


def _json_type_test(option: Any) -> Callable[[Any], bool]:
    """Return whether a type is written as a value of some JSON type; of words and numbers to choose from, whether it is one."""
    kind = kind_of(option)
    base = kind.base if kind.form.type is None else kind.form.type
    origin = get_origin(base) or base
    if kind.form.given is not None or origin is Any:
        return lambda value: True
    if origin is Literal:
        words = [(type(word), word) for word in get_args(base)]
        return lambda value: (type(value), value) in words
    if is_struct(origin):
        key = getattr(origin, "told_by", None)  # by which key one of several structs is known
        return lambda value: isinstance(value, dict) and (key is None or key in value)
    types = _JSON_TYPES.get(origin, (origin,))
    return lambda value: type(value) in types


_JSON_TYPES: dict[Any, tuple[type, ...]] = {tuple: (list,), Path: (str,), float: (int, float), None: (NoneType,)}
"""The types of what is written, where they are others than those of what is held."""


def _expected_type(option: Any) -> str:
    """Return what is expected of a type."""
    base = kind_of(option).base
    origin = get_origin(base)
    if origin is Literal:
        *others, last = [repr(word) for word in get_args(base)]
        return f"{', '.join(others)} or {last}" if others else last
    if origin is dict or is_struct(base):
        return "a mapping"
    return _WORDS.get(base, "a list")


def _expected_bounds(limits: dict[str, Any], value: Any) -> str:
    """Return what is expected of a value that lies beyond a limit."""
    size = len(value) if isinstance(value, str | list | dict) else 0
    if "min_length" in limits and size < limits["min_length"]:
        return "text" if isinstance(value, str) else f"at least {limits['min_length']} entry"
    if "max_length" in limits and size > limits["max_length"]:
        return f"at most {limits['max_length']:,} {'characters' if isinstance(value, str) else 'entries'}"
    if "pattern" in limits and not re.fullmatch(limits["pattern"], value):
        return f"text that matches {limits['pattern']}"
    for limit, words, holds in _BOUNDS:
        if limit in limits and not holds(value, limits[limit]):
            return f"{words} {limits[limit]}"
    return ""


_BOUNDS: tuple[tuple[str, str, Callable[[Any, Any], bool]], ...] = (
    ("ge", "at least", operator.ge),
    ("gt", "more than", operator.gt),
    ("le", "at most", operator.le),
    ("lt", "less than", operator.lt),
)


_TYPES = {str: "string", Path: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}
_NUMBERS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
_SIZES = {"string": "Length", "array": "Items", "object": "Properties"}


def schema_of(struct: type[msgspec.Struct]) -> dict[str, Any]:
    """Return JSON Schema of what a file may hold that is read as the struct; other structs stand in `$defs`."""
    known: dict[str, Any] = {}
    return {**_schema_of_struct(struct, known), "$defs": dict(sorted(known.items()))}


def _schema_of(kind: Kind, known: dict[str, Any]) -> dict[str, Any]:
    if kind.form.schema is not None:
        return {**kind.form.schema, **kind.schema}
    if kind.form.short is not None:
        usual = Kind(kind.base, msgspec.structs.replace(kind.form, short=None), kind.limits)
        return {"anyOf": [_schema_of(kind_of(kind.form.short), known), _schema_of(usual, known)], **kind.schema}
    if kind.form.type is not None:
        return {**_schema_of(kind_of(kind.form.type), known), **kind.schema}
    schema = _schema_of_type(kind.base, known)
    size = _SIZES.get(str(schema.get("type")))
    limits = {_NUMBERS[name]: value for name, value in kind.limits.items() if name in _NUMBERS}
    limits |= {
        f"{name[:3]}{size}": value for name, value in kind.limits.items() if name in ("min_length", "max_length")
    }
    limits |= {"pattern": kind.limits["pattern"]} if "pattern" in kind.limits else {}
    return {**schema, **limits, **kind.schema}


def _schema_of_type(base: Any, known: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a Python type; structs go to `known` and are referred to."""
    origin = get_origin(base)
    if base is Any:
        return {}
    if is_struct(base):
        if base.__name__ not in known:
            known[base.__name__] = {}  # it may hold itself
            known[base.__name__] = _schema_of_struct(base, known)
        return {"$ref": f"#/$defs/{base.__name__}"}
    if origin in (Union, UnionType):
        options = [option for option in get_args(base) if option is not msgspec.UnsetType]
        return (
            _schema_of(kind_of(options[0]), known)
            if len(options) == 1
            else {"anyOf": [_schema_of(kind_of(option), known) for option in options]}
        )
    if origin is Literal:
        words = list(get_args(base))
        return {"const": words[0]} if len(words) == 1 else {"enum": words}
    if origin in (list, tuple):
        return {"type": "array", "items": _schema_of(kind_of(get_args(base)[0]), known)}
    if origin is dict:
        name, part = (_schema_of(kind_of(one), known) for one in get_args(base))
        name = {key: limit for key, limit in name.items() if key != "type"}
        return {"type": "object", "additionalProperties": part} | ({"propertyNames": name} if name else {})
    return {"type": _TYPES[base]} | ({"minLength": 1} if base is Path else {})


def _schema_of_struct(struct: type[msgspec.Struct], known: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of the mappings that a struct is read from."""
    fields = fields_of(struct)
    properties = dict(_properties(struct, known, is_above=False))
    for field in fields:
        if is_struct(field.kind.base):
            properties |= _properties(field.kind.base, known, is_above=True)
    rest = next((field for field in fields if field.kind.place is REST), None)
    others = {"additionalProperties": False}
    if rest is not None:
        others = {
            key: part for key, part in _schema_of(rest.kind, known).items() if key.endswith(("Properties", "Names"))
        }
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
    bases = reversed(struct.__mro__[: -len(msgspec.Struct.__mro__)])
    own = [_texts_below(sys.modules[base.__module__]).get(base.__name__, {}) for base in bases]
    texts = {name: text for below in own for name, text in below.items()}
    seen: set[str] = set()
    for field in fields_of(struct):
        place = field.kind.place
        if place in (UNWRITTEN, REST) or (place is ABOVE) != is_above or field.key in seen:
            continue
        seen.add(field.key)
        text = {"description": texts[field.name]} if field.name in texts else {}
        usual = {} if field.is_required or _is_empty(field.default) else {"default": _as_json(field.default)}
        yield field.key, {**_schema_of(field.kind, known), **text, **usual}


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
