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
_FAULTY: Any = object()
"""What a value with a fault is read as."""


def read(kind: type[T], document: Document, value: Any, place: Place, error: type[GeneratorError]) -> T:
    """Return the value at `place` of a document as a declared struct; raises `error` naming every fault."""
    reading = _Reading(document)
    struct_read = _reader(kind_of(kind))(reading, value, place)
    if reading.faults:
        faults = list(dict.fromkeys(reading.faults))  # several fields may be made of one key
        rest = (
            [f"{document.path}: and {len(faults) - _MOST_FAULTS:,} more faults"] if len(faults) > _MOST_FAULTS else []
        )
        raise error("\n".join([*faults[:_MOST_FAULTS], *rest]))
    checked: T = struct_read
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
        at = self._written_place(place)
        self.faults.append(f"{self.document.at(at)}: {text}")
        return _FAULTY

    def applied(self, change: Callable[[Any], Any], value: Any, place: Place) -> Any:
        """Return what a function makes of a value; its ValueError is a fault."""
        try:
            return change(value)
        except ValueError as fault:
            return self.fault(place, str(fault))

    def _written_place(self, place: Place) -> Place:
        """Return the steps of a place that stand in the document; one name may stand for a mapping of names."""
        value = self.document.value
        steps: list[str | int] = []
        for depth, step in enumerate(place):
            if isinstance(value, dict) and step in value:
                steps.append(step if isinstance(step, str) else json.dumps(step))
                value = value[step]
            elif isinstance(step, int) or (depth == len(place) - 1 and isinstance(value, dict)):
                steps.append(step)
                value = value[step] if isinstance(value, list) and isinstance(step, int) and step < len(value) else None
        return tuple(steps)


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
        """Read the value in its usual form, and make of it what is held."""
        if given is not None:
            value = reading.applied(given, value, place)
        if value is not _FAULTY:
            value = read_plain(reading, value, place)
        return value if made is None or value is _FAULTY else reading.applied(made, value, place)

    return read_form


def _reader_of_type(kind: Kind) -> Reader:
    """Return the reader for the Python type of a field: a struct, a union, a list, a mapping or a plain value."""
    origin = get_origin(kind.base)
    if kind.base is Any:
        return lambda reading, value, place: value
    if is_struct(kind.base):
        return lambda reading, value, place: _read_struct(kind.base, reading, value, place)
    if origin in (Union, UnionType):
        return _reader_of_union(get_args(kind.base))
    if origin in (list, tuple):
        return _reader_with_limits(kind, _reader_of_items(origin, kind_of(get_args(kind.base)[0])))
    if origin is dict:
        return _reader_with_limits(kind, _reader_of_mapping(*map(kind_of, get_args(kind.base))))
    return _reader_with_limits(kind, _PLAIN.get(kind.base))


def _reader_with_limits(kind: Kind, read_on: Reader | None) -> Reader:
    """Return a reader that refuses values of other types and beyond limits, before it reads on."""
    is_of_type, limits, expected = _json_type_test(kind.base), kind.limits, _expected_type(kind.base)

    def read_limited(reading: _Reading, value: Any, place: Place) -> Any:
        """Note a fault for a value of another type or beyond a limit; read on otherwise."""
        fault = (limits and _expected_bounds(limits, value)) if is_of_type(value) else expected
        if fault:
            return reading.fault(place, f"{fault} is expected, not {shown(value)}")
        return value if read_on is None else read_on(reading, value, place)

    return read_limited


def _read_number(reading: _Reading, value: float, place: Place) -> Any:
    """Return a number as a float; NaN, infinity and what is too large for a float are faults."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    return number if math.isfinite(number) else reading.fault(place, f"a finite number is expected, not {shown(value)}")


def _read_path(reading: _Reading, value: str, place: Place) -> Any:
    """Return a path relative to the file that names it; an empty text is a fault."""
    return beside(Path(reading.document.path), value) if value else reading.fault(place, 'text is expected, not ""')


_PLAIN: dict[Any, Reader] = {float: _read_number, Path: _read_path}


def _reader_of_union(options: tuple[Any, ...]) -> Reader:
    """Return the reader of a value that may have one of several types: that which its JSON type fits."""
    readers = [(_json_type_test(option), _reader(kind_of(option))) for option in options if option is not UnsetType]
    expected = [_expected_type(option) for option in options if option not in (UnsetType, NoneType)]
    expected_text = " or ".join(dict.fromkeys(expected))

    def read_option(reading: _Reading, value: Any, place: Place) -> Any:
        """Read the value with the reader of the first type that it fits."""
        for is_of_type, read_value in readers:
            if is_of_type(value):
                return read_value(reading, value, place)
        return reading.fault(place, f"{expected_text} is expected, not {shown(value)}")

    return read_option


def _reader_of_items(origin: Any, item: Kind) -> Reader:
    """Return the reader of a list, whose items are read with the reader of their type."""
    read_item = _reader(item)
    is_plain = item == Kind(str)

    def read_items(reading: _Reading, value: list[Any], place: Place) -> Any:
        """Read each item with the reader of the list's items."""
        if is_plain and all(type(part) is str for part in value):
            return origin(value)
        items_read = [read_item(reading, part, (*place, index)) for index, part in enumerate(value)]
        return _FAULTY if any(part is _FAULTY for part in items_read) else origin(items_read)

    return read_items


def _reader_of_mapping(key: Kind, part: Kind) -> Reader:
    """Return the reader of a mapping with readers for its keys and values. Keys that earlier versions of recipes had are faults."""
    read_key, read_part = _reader(key), _reader(part)

    def read_mapping(reading: _Reading, value: dict[Any, Any], place: Place) -> Any:
        """Read each key and each value with their readers."""
        made = {}
        for name, value_read in value.items():
            at = (*place, name)
            is_gone = key.base is not str and ".".join(map(str, at)) in gone_keys()
            new_key = reading.fault(at, _unknown_key_message(at, [])) if is_gone else read_key(reading, name, at)
            made[new_key] = read_part(reading, value_read, at)
        return _FAULTY if _FAULTY in made or any(value_read is _FAULTY for value_read in made.values()) else made

    return read_mapping


@lru_cache(maxsize=256)
def _readers_of(struct: type[msgspec.Struct]) -> tuple[list[tuple[Field, Reader]], list[str]]:
    """Return the fields of a struct with their readers, and the keys that may stand in its mapping."""
    fields = [field for field in fields_of(struct) if field.kind.place is not UNWRITTEN]
    keys = [field.key for field in fields if field.kind.place in (None, REQUIRED)]
    keys += [below.key for field in fields for below in _fields_above(field.kind)]
    return [(field, _reader(field.kind)) for field in fields], list(dict.fromkeys(keys))


def _fields_above(kind: Kind) -> list[Field]:
    """Return those fields of a struct that stand beside its mapping."""
    return [field for field in fields_of(kind.base) if field.kind.place is ABOVE] if is_struct(kind.base) else []


def _read_struct(struct: type[msgspec.Struct], reading: _Reading, value: Any, place: Place) -> Any:
    """Return the struct of a mapping: each field by its reader, keys that no field has as faults."""
    if not isinstance(value, dict):
        return reading.fault(place, f"a mapping is expected, not {shown(value)}")
    readers, known_keys = _readers_of(struct)
    unknown_keys = value.keys() - {*known_keys}
    fields_read: dict[str, Any] = {}
    for field, read_field in readers:
        if field.kind.place is REST:
            rest = {key: part for key, part in value.items() if key in unknown_keys}
            fields_read[field.name], unknown_keys = read_field(reading, rest, place), set()
        elif field.kind.place is not ABOVE:
            _read_field(field, read_field, reading, value, place, fields_read)
    for key in [key for key in value if key in unknown_keys]:
        fields_read[""] = reading.fault(
            (*place, key), _unknown_key_message((*place, key), known_keys if len(reading.faults) < _MOST_FAULTS else [])
        )
    if any(part is _FAULTY for part in fields_read.values()):
        return _FAULTY
    return reading.applied(lambda fields_read: struct(**fields_read), fields_read, place)


@cache
def gone_keys() -> dict[str, str]:
    """Return the keys of recipes that earlier versions had, as paths with dots, each with its message."""
    return dict(own_data(__file__))


def _unknown_key_message(place: Place, known_keys: list[str]) -> str:
    """Return the message for a key that nothing has: that it is gone, or the nearest key."""
    key, path = place[-1], ".".join(map(str, place))
    if not isinstance(key, str):
        return f"a key of plain text is expected, not {shown(key)}"
    return f"this key is gone: {gone_keys()[path]}" if path in gone_keys() else f"unknown key{nearest(key, known_keys)}"


def _read_field(
    field: Field, read_field: Reader, reading: _Reading, value: dict[str, Any], place: Place, fields: dict[str, Any]
) -> None:
    """Read a field of a mapping, and the keys beside it that belong to the field, into `fields` (name → value)."""
    if field.key in value:
        fields[field.name] = read_field(reading, value[field.key], (*place, field.key))
    elif field.is_required:
        fields[field.name] = reading.fault((*place, field.key), "this key is missing")
    for below in _fields_above(field.kind):
        if below.key in value:
            part = _reader(below.kind)(reading, value[below.key], (*place, below.key))
            settings = fields.get(field.name, field.default)
            is_bad = part is _FAULTY or settings is _FAULTY
            fields[field.name] = _FAULTY if is_bad else msgspec.structs.replace(settings, **{below.name: part})


def _json_type_test(option: Any) -> Callable[[Any], bool]:
    """Return a test of whether a value of JSON is written as one of this type; of a `Literal`, whether it is one of its values."""
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
    """Return what is expected of a type, in words: "a whole number", "'a' or 'b'", "a mapping"."""
    base = kind_of(option).base
    origin = get_origin(base)
    if origin is Literal:
        *others, last = [repr(word) for word in get_args(base)]
        return f"{', '.join(others)} or {last}" if others else last
    if origin is dict or is_struct(base):
        return "a mapping"
    return _WORDS.get(base, "a list")


def _expected_bounds(limits: dict[str, Any], value: Any) -> str:
    """Return which limit a value breaks, in words: "at most 20"; an empty text where it breaks none."""
    size = len(value) if isinstance(value, str | list | dict) else 0
    if "min_length" in limits and size < limits["min_length"]:
        return "text" if isinstance(value, str) else f"at least {limits['min_length']} entry"
    if "max_length" in limits and size > limits["max_length"]:
        return f"at most {limits['max_length']:,} {'characters' if isinstance(value, str) else 'entries'}"
    if "pattern" in limits and not re.fullmatch(limits["pattern"], value):
        return f"text that matches {limits['pattern']}"
    for limit, bound_in_words, holds in _BOUNDS:
        if limit in limits and not holds(value, limits[limit]):
            return f"{bound_in_words} {limits[limit]}"
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
    structs: dict[str, Any] = {}
    return {**_schema_of_struct(struct, structs), "$defs": dict(sorted(structs.items()))}


def _schema_of(kind: Kind, structs: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of what may be written for an annotation; structs go to `structs` and are referred to."""
    if kind.form.schema is not None:
        return {**kind.form.schema, **kind.schema}
    if kind.form.short is not None:
        usual = Kind(kind.base, msgspec.structs.replace(kind.form, short=None), kind.limits)
        return {"anyOf": [_schema_of(kind_of(kind.form.short), structs), _schema_of(usual, structs)], **kind.schema}
    if kind.form.type is not None:
        return {**_schema_of(kind_of(kind.form.type), structs), **kind.schema}
    schema = _schema_of_type(kind.base, structs)
    size = _SIZES.get(str(schema.get("type")))
    limits = {_NUMBERS[name]: value for name, value in kind.limits.items() if name in _NUMBERS}
    limits |= {
        f"{name[:3]}{size}": value for name, value in kind.limits.items() if name in ("min_length", "max_length")
    }
    limits |= {"pattern": kind.limits["pattern"]} if "pattern" in kind.limits else {}
    return {**schema, **limits, **kind.schema}


def _schema_of_type(base: Any, structs: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of a Python type; structs go to `structs` and are referred to."""
    origin = get_origin(base)
    if base is Any:
        return {}
    if is_struct(base):
        if base.__name__ not in structs:
            structs[base.__name__] = {}  # it may hold itself
            structs[base.__name__] = _schema_of_struct(base, structs)
        return {"$ref": f"#/$defs/{base.__name__}"}
    if origin in (Union, UnionType):
        options = [option for option in get_args(base) if option is not msgspec.UnsetType]
        return (
            _schema_of(kind_of(options[0]), structs)
            if len(options) == 1
            else {"anyOf": [_schema_of(kind_of(option), structs) for option in options]}
        )
    if origin is Literal:
        words = list(get_args(base))
        return {"const": words[0]} if len(words) == 1 else {"enum": words}
    if origin in (list, tuple):
        return {"type": "array", "items": _schema_of(kind_of(get_args(base)[0]), structs)}
    if origin is dict:
        name, part = (_schema_of(kind_of(one), structs) for one in get_args(base))
        name = {key: limit for key, limit in name.items() if key != "type"}
        return {"type": "object", "additionalProperties": part} | ({"propertyNames": name} if name else {})
    return {"type": _TYPES[base]} | ({"minLength": 1} if base is Path else {})


def _schema_of_struct(struct: type[msgspec.Struct], structs: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON Schema of the mappings that a struct is read from."""
    fields = fields_of(struct)
    properties = dict(_properties(struct, structs, is_above=False))
    for field in fields:
        if is_struct(field.kind.base):
            properties |= _properties(field.kind.base, structs, is_above=True)
    rest = next((field for field in fields if field.kind.place is REST), None)
    further_keys = {"additionalProperties": False}
    if rest is not None:
        further_keys = {
            key: part for key, part in _schema_of(rest.kind, structs).items() if key.endswith(("Properties", "Names"))
        }
    required = list(dict.fromkeys(field.key for field in fields if field.is_required))
    return {
        "type": "object",
        "description": (struct.__doc__ or "").partition("\n\n")[0],
        "properties": properties,
        **({"required": required} if required else {}),
        **further_keys,
        **getattr(struct, "more_schema", {}),
    }


def _properties(
    struct: type[msgspec.Struct], structs: dict[str, Any], *, is_above: bool
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the keys of a struct with their schemas: those in its mapping, or those that stand above it."""
    bases = reversed(struct.__mro__[: -len(msgspec.Struct.__mro__)])
    texts_of_bases = [_descriptions_of_fields(sys.modules[base.__module__]).get(base.__name__, {}) for base in bases]
    texts = {name: text for below in texts_of_bases for name, text in below.items()}
    seen: set[str] = set()
    for field in fields_of(struct):
        place = field.kind.place
        if place in (UNWRITTEN, REST) or (place is ABOVE) != is_above or field.key in seen:
            continue
        seen.add(field.key)
        text = {"description": texts[field.name]} if field.name in texts else {}
        default = {} if field.is_required or _is_empty(field.default) else {"default": _as_json(field.default)}
        yield field.key, {**_schema_of(field.kind, structs), **text, **default}


def _is_empty(default: Any) -> bool:
    """Whether a default is of no use to editors, or cannot be written."""
    if isinstance(default, tuple):
        return not default or not all(isinstance(part, str | int | float) for part in default)
    return not isinstance(default, str | int | float) or default is False or default == ""


def _as_json(default: Any) -> Any:
    return list(default) if isinstance(default, tuple) else default


@cache
def _descriptions_of_fields(module: Any) -> dict[str, dict[str, str]]:
    """Return, by class, the texts that stand below the fields of a module's classes."""
    texts_by_class: dict[str, dict[str, str]] = {}
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.ClassDef):
            pairs = zip(node.body, node.body[1:], strict=False)
            texts_by_class[node.name] = {
                field.target.id: " ".join(text.value.value.split())
                for field, text in pairs
                if isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
                and isinstance(text.value.value, str)
            }
    return texts_by_class
