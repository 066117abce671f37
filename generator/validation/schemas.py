"""JSON Schemas made into validators, once each.

Formats are asserted and nothing is ever fetched: a schema that refers to another document is broken.
"""

from functools import lru_cache
from typing import Any

import jsonschema_rs
import msgspec
import orjson

from generator.offline_schemas import validator
from generator.validation.text import one_line

_LARGEST_KEPT = 64 * 1024
"""Bytes of JSON: larger schemas are compiled each time, so that the cache cannot grow without bound."""


class Broken(msgspec.Struct, frozen=True):
    """A schema that cannot be used, and why."""

    reason: str
    place: tuple[str | int, ...] = ()
    """Keys and indexes that lead to what is wrong in it."""


def compiled(schema: dict[str, Any]) -> jsonschema_rs.Validator | Broken:
    """The validator of a schema. Equal schemas share one, so that a file's thousandth row costs little."""
    try:
        text = orjson.dumps(schema)
    except TypeError:  # numbers beyond 64 bits, broken text, deep nesting: rare, so not worth a cache
        return _compile(schema)
    return _compile_text(text) if len(text) <= _LARGEST_KEPT else _compile(schema)


@lru_cache(maxsize=2048)
def _compile_text(text: bytes) -> jsonschema_rs.Validator | Broken:
    return _compile(orjson.loads(text))


def _compile(schema: dict[str, Any]) -> jsonschema_rs.Validator | Broken:
    try:
        return validator(schema)
    except jsonschema_rs.ValidationError as fault:
        return Broken(one_line(fault.message), tuple(fault.instance_path))
    except ValueError as fault:
        return Broken(one_line(str(fault)))
