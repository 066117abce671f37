"""The one place that talks to the checkers of whole schemas: the metaschema, and whether any value satisfies it.

The canonical form of jsonschema-rs is young and changes between minor versions, so nothing else uses it.
"""

from typing import Any

import jsonschema
import jsonschema_rs
from jsonschema_rs.canonical import UnsatisfiableReason, find_unsatisfiable

from generator.errors import SchemaError
from generator.pointers import escape

_DIALECTS = {
    "https://json-schema.org/draft/2020-12/schema": jsonschema.Draft202012Validator,
    "https://json-schema.org/draft/2019-09/schema": jsonschema.Draft201909Validator,
    "http://json-schema.org/draft-07/schema": jsonschema.Draft7Validator,
    "http://json-schema.org/draft-06/schema": jsonschema.Draft6Validator,
}
_OLD = {"http://json-schema.org/draft-07/schema", "http://json-schema.org/draft-06/schema"}
_BRANCHES = ("/anyOf/", "/oneOf/", "/allOf/", "/not", "/if", "/then", "/else")


def has_old_references(schema: Any) -> bool:
    """Whether the schema's dialect ignores what stands beside a `$ref`."""
    return isinstance(schema, dict) and str(schema.get("$schema", "")).rstrip("#") in _OLD


def check_metaschema(schema: Any) -> None:
    """Raise SchemaError, with the pointer of the fault, unless `schema` is a legal JSON Schema."""
    dialect = schema.get("$schema", next(iter(_DIALECTS))) if isinstance(schema, dict) else next(iter(_DIALECTS))
    validator = _DIALECTS.get(dialect.rstrip("#")) if isinstance(dialect, str) else None
    if validator is None:
        raise SchemaError(f"/$schema: the dialect {dialect!r} is not handled; known are {', '.join(_DIALECTS)}")
    if _is_legal(schema):
        return
    try:
        validator.check_schema(schema, format_checker=jsonschema.FormatChecker(formats=()))
    except jsonschema.SchemaError as fault:
        pointer = "".join(f"/{escape(str(step))}" for step in fault.absolute_path)
        raise SchemaError(f"{pointer}: not valid JSON Schema: {fault.message}") from None


def _is_legal(schema: Any) -> bool:
    """The fast answer; the reference implementation, two hundred times slower, is asked to explain a no."""
    try:
        return jsonschema_rs.meta.is_valid(schema)
    except (ValueError, jsonschema_rs.ReferencingError):
        return False


def check_satisfiable(schema: dict[str, Any]) -> None:
    """Raise SchemaError, with pointer and reason, when no value satisfies the schema or a part that must be."""
    try:
        hopeless = jsonschema_rs.canonicalize(schema, validate_formats=True).satisfiability()
        reasons = find_unsatisfiable(schema, validate_formats=True)
    except (ValueError, jsonschema_rs.ReferencingError) as fault:
        raise SchemaError(f"/: {str(fault).splitlines()[0]}") from None
    faults = {pointer: why for pointer, why in reasons.items() if not isinstance(why, UnsatisfiableReason.Literal)}
    if hopeless is jsonschema_rs.canonical.Satisfiability.NO:
        pointer = max(faults, key=lambda place: place.count("/"), default="")
        raise SchemaError(_message(pointer, faults.get(pointer)))
    for pointer, why in faults.items():
        if not any(branch in pointer for branch in _BRANCHES):
            raise SchemaError(_message(pointer, why))


def _message(pointer: str, why: UnsatisfiableReason | None) -> str:
    causes = list(why.causes) if isinstance(why, UnsatisfiableReason.Conflict) else []
    if isinstance(why, UnsatisfiableReason.Empty):
        causes = [why.cause]
    keywords = list(dict.fromkeys(keyword for cause in causes for keyword in cause.keywords))
    told = [keyword for keyword in keywords if keyword != "type"] or keywords
    if not told:
        return f"{pointer or '/'}: no value satisfies this schema"
    named = " and ".join([", ".join(map(repr, told[:-1])), repr(told[-1])] if told[1:] else [repr(told[0])])
    return f"{pointer or '/'}: no value satisfies {named}{' together' if told[1:] else ''}"
