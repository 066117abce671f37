"""JSON Schemas compiled into validators.

Formats are asserted and nothing is ever fetched: a schema that refers to another document is broken.
"""

from typing import Any

import jsonschema_rs
import msgspec

from generator.core.offline_schemas import validator
from generator.formats.rules.text import one_line


class UnusableSchema(msgspec.Struct, frozen=True):
    """A schema that cannot be used, and why."""

    reason: str
    place: tuple[str | int, ...] = ()
    """Keys and indexes that lead to the fault in it."""


def compiled(schema: dict[str, Any]) -> jsonschema_rs.Validator | UnusableSchema:
    """Return the validator of a schema, or why it cannot be used."""
    try:
        return validator(schema)
    except jsonschema_rs.ValidationError as fault:
        return UnusableSchema(one_line(fault.message), tuple(fault.instance_path))
    except ValueError as fault:
        return UnusableSchema(one_line(str(fault)))


def accepts(schema: dict[str, Any] | None, value: Any) -> bool:
    """Whether a schema accepts a value; everything is accepted where there is none, or none that can be used."""
    check = None if schema is None else compiled(schema)
    return check is None or isinstance(check, UnusableSchema) or check.is_valid(value)
