"""A pydantic model for each tool, made from its parameters ("Tool Validator" of the data model's document)."""

import re
from collections.abc import Callable
from functools import reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from generator.core.conversation import Tool
from generator.core.offline_schemas import validator

_PLAIN: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
_LIMITS = {
    "string": {"minLength": "min_length", "maxLength": "max_length"},
    "number": {"minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt"},
    "array": {"minItems": "min_length", "maxItems": "max_length"},
}
_LIMITS["integer"] = _LIMITS["number"]


class InvalidParametersError(Exception):
    """Arguments that do not fit; the message says where and why."""


Check = Callable[[dict[str, Any]], dict[str, Any]]
"""From arguments to those that the handler gets, with defaults filled in."""


def parameter_model(tool: Tool) -> type[BaseModel]:
    """Return the model of a tool's arguments; what it cannot express (`$ref`, `not`, …) allows any value."""
    name = re.sub(r"[^A-Za-z0-9]", "", tool.name.title().replace("_", ""))
    return _object(tool.parameters or {}, f"{name}Params")


def compile_check(tool: Tool) -> Check:
    """Return a function that validates arguments with the tool's model, then with its whole schema.

    Raises (the function): InvalidParametersError.
    """
    model = parameter_model(tool)
    whole = validator(tool.parameters) if tool.parameters else None

    def check(arguments: dict[str, Any]) -> dict[str, Any]:
        try:
            model.model_validate(arguments)
        except ValidationError as faults:
            raise InvalidParametersError(_said(faults, arguments)) from None
        for fault in whole.iter_errors(arguments) if whole is not None else ():
            path = ".".join(str(step) for step in fault.instance_path)
            raise InvalidParametersError(f"{path}: {fault.message}" if path else fault.message)
        return with_defaults(tool.parameters or {}, arguments)

    return check


def with_defaults(schema: dict[str, Any], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with the defaults that the schema declares for those that are missing."""
    properties = schema.get("properties")
    found = dict(arguments)
    for name, part in properties.items() if isinstance(properties, dict) else ():
        if isinstance(part, dict) and "default" in part and name not in found:
            found[name] = part["default"]
    return found


def _said(faults: ValidationError, arguments: dict[str, Any]) -> str:
    """Return the first fault as text; pydantic's names of union members are left out of its path."""
    fault = faults.errors(include_url=False)[0]
    path, value = [], arguments
    for step in fault["loc"]:
        if isinstance(value, dict) and (step in value or fault["type"] == "missing"):
            value = value.get(str(step), {})
        elif isinstance(value, list) and isinstance(step, int):
            value = value[step]
        else:
            continue
        path.append(str(step))
    return f"{'.'.join(path)}: {fault['msg']}" if path else str(fault["msg"])


def _object(schema: dict[str, Any], name: str) -> type[BaseModel]:
    properties = schema.get("properties")
    required = schema.get("required")
    fields: dict[str, Any] = {}
    for index, (key, part) in enumerate(properties.items() if isinstance(properties, dict) else ()):
        default = ... if isinstance(required, list) and key in required else None
        fields[f"p{index}"] = (_type_of(part, f"{name}_{index}"), Field(default, alias=key))
    for key in required if isinstance(required, list) else ():
        if key not in (properties or {}):
            fields[f"p{len(fields)}"] = (Any, Field(..., alias=key))
    extra: Literal["allow", "forbid"] = "forbid" if schema.get("additionalProperties") is False else "allow"
    made: type[BaseModel] = create_model(name, __config__=ConfigDict(extra=extra, strict=True), **fields)
    return made


def _type_of(schema: Any, name: str) -> Any:
    """Return the Python type of a schema's values."""
    if not isinstance(schema, dict):
        return Any
    values = schema["enum"] if isinstance(schema.get("enum"), list) else [schema["const"]] if "const" in schema else []
    if values:
        plain = all(isinstance(value, str | int | bool | None) for value in values)
        return Literal[tuple(values)] if plain else Any
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list) and schema[word]:
            return _either([_type_of(part, f"{name}_{index}") for index, part in enumerate(schema[word])])
    kind = schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    return _either([_of_kind(str(word), schema, name) for word in kinds])


def _either(types: list[Any]) -> Any:
    if any(kind is Any for kind in types):
        return Any
    return reduce(or_, [type(None) if kind is None else kind for kind in types])


def _of_kind(kind: str, schema: dict[str, Any], name: str) -> Any:
    if kind == "object":
        return _object(schema, name)
    if kind == "array":
        made: Any = GenericAlias(list, (_type_of(schema.get("items", True), f"{name}_items"),))
    elif kind in _PLAIN:
        made = _PLAIN[kind]
    else:
        return Any
    words = _LIMITS.get(kind, {})
    limits = {ours: schema[theirs] for theirs, ours in words.items() if isinstance(schema.get(theirs), int | float)}
    return Annotated[made, Field(**limits)] if limits else made
