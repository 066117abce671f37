"""Validators and canonical forms of JSON Schemas, without access to the network or to files.

Everything in this project that asks `jsonschema` or `jsonschema_rs` about a schema asks here: both fetch what a `$ref`, an
`$id` or a `$schema` names (`http:`, `file:`) unless they are told not to. Formats are always asserted.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import jsonschema_rs
from jsonschema_rs.canonical import UnsatisfiableReason, find_unsatisfiable

if TYPE_CHECKING:
    from jsonschema.protocols import Validator as ReferenceValidator

DIALECTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)
"""What `$schema` may name, newest first."""

LONGEST_PATTERN = 2_048
"""Characters of a regular expression."""
_NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"})
"""Keywords whose keys are names, not keywords."""
_DATA = frozenset({"const", "enum", "default", "example", "examples"})
"""Keywords that hold values, not schemas."""


def is_known_dialect(dialect: Any) -> bool:
    """Whether a value of `$schema` names a dialect that is handled."""
    return isinstance(dialect, str) and dialect.rstrip("#") in DIALECTS


def unknown_dialects(schema: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield each `$schema` in a schema, at its top or within, that names no known dialect: its place and its value."""
    for part, place in _parts(schema):
        if "$schema" in part and not is_known_dialect(part["$schema"]):
            yield (*place, "$schema"), part["$schema"]


def _parts(schema: Any) -> Iterator[tuple[dict[str, Any], tuple[str | int, ...]]]:
    """Yield the schema and those within, each with the keys and indexes that lead to it."""
    waiting: list[tuple[Any, tuple[str | int, ...], bool]] = [(schema, (), False)]
    while waiting:
        part, place, is_map_of_names = waiting.pop()
        if isinstance(part, list):
            waiting += [(item, (*place, index), False) for index, item in enumerate(part)]
        elif isinstance(part, dict):
            if not is_map_of_names:
                yield part, place
            waiting += [
                (value, (*place, key), key in _NAMED and not is_map_of_names)
                for key, value in part.items()
                if is_map_of_names or key not in _DATA
            ]


def _check_patterns(schema: Any) -> None:
    """Raise ValueError for a pattern so long that compiling it and looking for values would take seconds."""
    for part, _ in _parts(schema):
        pattern_properties = part.get("patternProperties")
        for pattern in (part.get("pattern"), *(pattern_properties if isinstance(pattern_properties, dict) else ())):
            if isinstance(pattern, str) and len(pattern) > LONGEST_PATTERN:
                description = f"the pattern {pattern[:20]}… has {len(pattern):,} characters"
                raise ValueError(f"{description}; {LONGEST_PATTERN:,} are the most that are handled")


def validator(schema: Any) -> jsonschema_rs.Validator:
    """Return the validator of a schema.

    Raises:
        ValueError: when it is no schema, holds a pattern that is too long, or refers to another document; a
            `jsonschema_rs.ValidationError` when the place is known.
    """
    _check_patterns(schema)
    try:
        return jsonschema_rs.validator_for(schema, validate_formats=True, offline=True)
    except jsonschema_rs.ReferencingError as fault:
        raise ValueError(str(fault)) from None


def canonical_schema(schema: dict[str, Any]) -> jsonschema_rs.CanonicalSchema:
    """Return the canonical form of a schema.

    Raises:
        ValueError: when it has none, or holds a pattern that is too long.
    """
    _check_patterns(schema)
    try:
        return jsonschema_rs.canonicalize(schema, validate_formats=True, offline=True)
    except jsonschema_rs.ReferencingError as fault:
        raise ValueError(str(fault)) from None


def unsatisfiable(schema: dict[str, Any]) -> dict[str, UnsatisfiableReason]:
    """Return the parts that no value satisfies, by pointer, with the reason."""
    return find_unsatisfiable(schema, validate_formats=True, offline=True)


def check_legal(schema: Any) -> None:
    """Check a schema against the metaschema of its dialect.

    Raises:
        jsonschema_rs.ValidationError: for the first fault in it.
        ValueError: for a dialect that is not known.
    """
    if isinstance(schema, dict) and "$schema" in schema and not is_known_dialect(schema["$schema"]):
        raise ValueError(f"the dialect {schema['$schema']!r} is not known")  # it would be fetched
    jsonschema_rs.meta.validate(schema)


def reference_validator(schema: Any) -> "ReferenceValidator":
    """Return the validator of the reference implementation, which is slow to load and to run; it explains, and is a second opinion."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from jsonschema_specifications import REGISTRY

    validator_class = validator_for(schema, default=Draft202012Validator)
    return validator_class(schema, format_checker=validator_class.FORMAT_CHECKER, registry=REGISTRY)
