"""Whether a schema is legal JSON Schema, and what to do with one that is not: reject, repair or keep it."""

from collections.abc import Callable, Iterable
from typing import Any, Literal
from urllib.parse import unquote

import jsonschema_rs
import orjson

from generator.arguments.kinds.records import split_values
from generator.core import offline_schemas
from generator.core.documents import shown
from generator.core.errors import SchemaError
from generator.core.offline_schemas import DIALECTS, is_known_dialect, unknown_dialects
from generator.core.pointers import escape, is_map_of_parameters, parts_of_object, resolve, wrapped_parameters
from generator.core.schema_walk import BOUNDS, rewrite, schemas_in, without_boolean_bounds
from generator.core.yaml_values import own_data

OnIllegal = Literal["reject", "repair", "keep"]

_ALIASES: dict[str, str] = own_data(__file__)
_TYPES = {alias: name for name, aliases in _ALIASES.items() for alias in split_values(aliases)}
"""Name that people write for a type → JSON Schema's."""
_NOT_SCHEMA = ("$schema", "$id", "$comment", "type", "required", "additionalProperties", "title", "description")
_TEXTS = ("title", "description", "format", "$comment", "$id", "$anchor")


def check_tool_schema(schema: Any) -> None:
    """Raise SchemaError (`pointer: reason`) for what is no JSON Schema, or refers to what it does not hold."""
    for path, dialect in unknown_dialects(schema):
        dialects = ", ".join(DIALECTS)
        raise SchemaError(f"{_pointer(path)}: the dialect {shown(dialect)} is not handled; known are {dialects}")
    try:
        offline_schemas.check_legal(schema)
    except jsonschema_rs.ValidationError as fault:
        raise SchemaError(f"{_pointer(fault.instance_path)}: not valid JSON Schema: {fault.message}") from None
    _check_references(schema)


def _pointer(place: Iterable[str | int]) -> str:
    return "".join(f"/{escape(str(step))}" for step in place) or "/"


class CheckedDefinitions:
    """Definitions that many tools share, and that are checked once."""

    def __init__(self) -> None:
        self._legal: dict[int, Any] = {}
        """By id; they are held, so that no other object gets it."""

    def unchecked(self, schema: dict[str, Any]) -> dict[str, Any]:
        """Return the schema with `true` in place of the definitions that are known to be legal."""
        definitions = schema.get("$defs", {})
        legal = dict.fromkeys([name for name, part in definitions.items() if id(part) in self._legal], True)
        return {**schema, "$defs": {**definitions, **legal}} if legal else schema

    def add(self, schema: dict[str, Any]) -> None:
        """Add the definitions of a schema that is legal."""
        self._legal |= {id(part): part for part in schema.get("$defs", {}).values()}


def make_legal(
    schema: dict[str, Any], on_illegal: OnIllegal, checked: CheckedDefinitions | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Return the schema as it is used, and the names of the repairs (`type_alias at /properties/x`).

    A schema that is legal stays as it is. `keep` leaves an illegal one too, and says so. `checked` are definitions of
    other tools, which refer to each other only.

    Raises:
        SchemaError: for an illegal schema under `reject`, and one that no repair helps under `repair`; for one with values
            that JSON readers disagree about in any case.
    """
    schema_to_check = schema if checked is None else checked.unchecked(schema)
    try:
        _check_values(schema_to_check)
        if is_map_of_parameters(schema_to_check):
            raise SchemaError(
                f"/: a map of parameters? `type: object` and `properties` around {shown(next(iter(schema_to_check)))} are missing"
            )
        check_tool_schema(schema_to_check)
    except SchemaError as fault:
        if on_illegal == "reject":
            raise
        if on_illegal == "keep":
            _check_values(schema_to_check)
            return schema, [f"kept although {fault}"]
    else:
        if checked is not None:
            checked.add(schema)
        return schema, []
    repairs: list[str] = []
    if is_map_of_parameters(schema):
        schema = wrapped_parameters(schema)
        repairs.append("parameters_map at /")
    mended = rewrite(_without_recursion(schema, repairs), lambda part, pointer: _mended(part, pointer, repairs))
    _check_values(mended)
    check_tool_schema(mended)
    return mended, repairs


def _check_values(value: Any, pointer: str = "") -> None:
    """Raise SchemaError, with the place, for whole numbers beyond 64 bits, half surrogate pairs and nesting without end."""
    try:
        orjson.dumps(value)
    except TypeError as fault:
        below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, part in below:
            _check_values(part, f"{pointer}/{escape(str(key))}")
        raise SchemaError(f"{pointer or '/'}: JSON readers disagree about it: {fault}") from None


def _check_references(schema: Any) -> None:
    """Refuse a `$ref` that leads to no place in the schema: nothing is ever fetched from a file or the network."""
    whole = list(schemas_in(schema))
    ids = {part["$id"] for part, _ in whole if isinstance(part.get("$id"), str)}
    for part, pointer in whole:
        for word in ("$ref", "$dynamicRef"):
            reference = part.get(word)
            if not isinstance(reference, str):
                continue
            if not reference.startswith("#"):
                base = reference.partition("#")[0]
                if not any(schema_id == base or schema_id.rpartition("/")[2] == base for schema_id in ids):
                    raise SchemaError(
                        f"{pointer}/{word}: {reference!r} is outside of the schema; nothing is fetched from there"
                    )
            elif word == "$ref" and not ids and (reference == "#" or reference.startswith("#/")):
                _check_target(schema, unquote(reference[1:]), f"{pointer}/{word}")


def _check_target(schema: Any, target: str, pointer: str) -> None:
    """Raise SchemaError where a `$ref` within the schema leads nowhere."""
    try:
        resolve(schema, target)
    except LookupError:
        raise SchemaError(f"{pointer}: there is no {('#' + target)!r} in the schema") from None


def _without_recursion(schema: dict[str, Any], repairs: list[str]) -> dict[str, Any]:
    """Return the schema with `$recursiveRef` (2019-09) as a `$ref`.

    It leads to the schema around it that `$recursiveAnchor` marks, else to the whole.
    """
    anchors = [pointer for part, pointer in schemas_in(schema) if part.get("$recursiveAnchor") is True]

    def change(part: dict[str, Any], pointer: str) -> dict[str, Any]:
        """Return one schema with `$ref` in place of `$recursiveRef`; the repair is noted."""
        if "$recursiveRef" not in part and not isinstance(part.get("$recursiveAnchor"), bool):
            return part
        repairs.append(f"recursive_reference at {pointer or '/'}")
        rest = {key: value for key, value in part.items() if key not in ("$recursiveRef", "$recursiveAnchor")}
        around = [anchor for anchor in anchors if pointer == anchor or pointer.startswith(f"{anchor}/")]
        return {**rest, "$ref": f"#{max(around, key=len, default='')}"} if "$recursiveRef" in part else rest

    changed: dict[str, Any] = rewrite(schema, change)
    return changed


def _mended(part: dict[str, Any], pointer: str, repairs: list[str]) -> dict[str, Any]:
    """Return one schema, whose parts are mended already, with its own faults mended; each is named in `made`."""
    for name, repair in REPAIRS.items():
        mended = repair(part)
        if mended is not None:
            repairs.append(f"{name} at {pointer or '/'}")
            part = mended
    return part


def _unknown_dialect(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema without a `$schema` that names no known dialect; None when there is nothing to repair."""
    if "$schema" not in part or is_known_dialect(part["$schema"]):
        return None
    return {key: value for key, value in part.items() if key != "$schema"}


def _type_alias(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema with `type: str` as `type: string`; None when there is nothing to repair."""
    declared = part.get("type")
    kinds = declared if isinstance(declared, list) else [declared]
    if not any(isinstance(kind, str) and kind in _TYPES for kind in kinds):
        return None
    types = list(dict.fromkeys(_TYPES.get(kind, kind) if isinstance(kind, str) else kind for kind in kinds))
    return {**part, "type": types if len(types) > 1 else types[0]}


def _unknown_type(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema without a type such as `any`, which restricts nothing; None when there is nothing to repair."""
    if "type" not in part:
        return None
    declared = part["type"]
    kinds = declared if isinstance(declared, list) else [declared]
    known_types = [kind for kind in kinds if kind in _ALIASES]
    if known_types and len(known_types) == len(kinds):
        return None
    rest = {key: value for key, value in part.items() if key != "type"}
    return rest if len(known_types) < len(kinds) or not known_types else {**rest, "type": known_types}


def _items_as_list(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema with a list under `items` as `prefixItems`, its name since 2020-12; None when there is nothing to repair."""
    if not isinstance(part.get("items"), list) or "prefixItems" in part:
        return None
    rest = {key: value for key, value in part.items() if key not in ("items", "additionalItems")}
    more = {"items": part["additionalItems"]} if "additionalItems" in part else {}
    return {**rest, **({"prefixItems": part["items"]} if part["items"] else {}), **more}


_LOWEST = ("minimum", "exclusiveMinimum")
_HIGHEST = ("maximum", "exclusiveMaximum")


def _far_bound(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema without bounds that no number of 64 bits reaches (`maximum: 18446744073709552000`); None when there is nothing to repair."""
    far = [word for word in _LOWEST if isinstance(low := part.get(word), int) and low < -(2**63)]
    far += [word for word in _HIGHEST if isinstance(high := part.get(word), int) and high >= 2**64]
    return {key: value for key, value in part.items() if key not in far} if far else None


def _boolean_required(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema with `required: true` of a property (draft-03) in the object's list; None when there is nothing to repair."""
    properties, _ = parts_of_object(part)
    flags = {name: child.get("required") for name, child in properties.items() if isinstance(child, dict)}
    flags = {name: flag for name, flag in flags.items() if isinstance(flag, bool)}
    if isinstance(part.get("required"), bool) and "properties" in part:
        part = {key: value for key, value in part.items() if key != "required"}
    elif not flags:
        return None
    changed = {name: _without_boolean_required(child) for name, child in properties.items()}
    changed = {**part, **({"properties": changed} if changed else {})}
    required_names = [name for name, is_required in flags.items() if is_required]
    return changed | (
        {"required": list(dict.fromkeys([*(part.get("required") or []), *required_names]))} if required_names else {}
    )


def _without_boolean_required(child: Any) -> Any:
    """Return the schema of a property without `required: true` or `required: false`."""
    if isinstance(child, dict) and isinstance(child.get("required"), bool):
        return {key: value for key, value in child.items() if key != "required"}
    return child


def _not_a_schema(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema without a keyword such as `$schema` among its properties; None when there is nothing to repair."""
    properties, _ = parts_of_object(part)
    kept = {name: child for name, child in properties.items() if isinstance(child, dict | bool)}
    wrong = properties.keys() - kept.keys()
    return {**part, "properties": kept} if wrong and wrong <= set(_NOT_SCHEMA) else None


def _repeated_required(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema with each name once in `required`; None when there is nothing to repair."""
    names = part.get("required")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or len(set(names)) == len(names):
        return None
    return {**part, "required": list(dict.fromkeys(names))}


def _text_is_no_text(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema without a description, title or format that is no text; None when there is nothing to repair."""
    wrong = [word for word in _TEXTS if word in part and not isinstance(part[word], str)]
    return {key: value for key, value in part.items() if key not in wrong} if wrong else None


def _boolean_bound(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema with `exclusiveMinimum: true` as a number; None when there is nothing to repair."""
    return without_boolean_bounds(part) if any(isinstance(part.get(word), bool) for word in BOUNDS) else None


def _enum_of_one(part: dict[str, Any]) -> dict[str, Any] | None:
    """Return the schema with a list of one choice in place of the choice; None when there is nothing to repair."""
    return None if isinstance(part.get("enum", []), list) else {**part, "enum": [part["enum"]]}


REPAIRS: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
    "unknown_dialect": _unknown_dialect,
    "type_alias": _type_alias,
    "unknown_type": _unknown_type,
    "list_of_items": _items_as_list,
    "boolean_bound": _boolean_bound,
    "far_bound": _far_bound,
    "boolean_required": _boolean_required,
    "not_a_schema": _not_a_schema,
    "repeated_required": _repeated_required,
    "text_is_no_text": _text_is_no_text,
    "enum_of_one": _enum_of_one,
}
"""Name -> what it does to one schema; None where there is nothing to mend."""
