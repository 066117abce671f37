"""Runs in the child process (see `program.py`): functions of a module as JSON Schemas, from type hints and docstrings.

pydantic makes the schemas, docstring_parser reads the docstrings (reST, Google, NumPy and Epydoc style).
"""

import inspect
import types
import typing
from typing import Any

_PLAIN = (bool, int, float, str)


def describe_functions(module: types.ModuleType) -> dict[str, Any]:
    """Return `{"functions": [...]}`: name, description, parameters and returns of each, or `refused` with the reason."""
    public = getattr(module, "__all__", None)
    found = []
    for name, value in vars(module).items():
        wanted = name in public if public is not None else not name.startswith("_")
        if (
            wanted
            and inspect.isroutine(value)
            and (public is not None or getattr(value, "__module__", "") == module.__name__)
        ):
            try:
                found.append(_describe(name, value))
            except Exception as fault:  # the hints are foreign code: one function is refused, the others are read
                reason = " ".join(str(fault).split())[:300] or type(fault).__name__
                found.append({"name": name, "refused": f"no schema can be made of it: {reason}"})
    return {"functions": found}


def _describe(name: str, function: Any) -> dict[str, Any]:
    from docstring_parser import parse

    text = inspect.getdoc(function) or ""
    said = parse(text)
    told = {part.arg_name: " ".join((part.description or "").split()) for part in said.params}
    hints = typing.get_type_hints(function, include_extras=True) if hasattr(function, "__annotations__") else {}
    parts = [part for part in (said.short_description, said.long_description) if part]
    description = "\n\n".join(parts) or text
    return {
        "name": name,
        "description": description or None,
        "parameters": _parameters(inspect.signature(function), hints, told),
        "returns": _returns(hints),
    }


def _parameters(signature: inspect.Signature, hints: dict[str, Any], told: dict[str, str]) -> dict[str, Any]:
    from pydantic import ConfigDict, Field, create_model

    fields: dict[str, Any] = {}
    extra: typing.Literal["allow", "forbid"] = "forbid"
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
            continue
        kind: Any = hints.get(name, _kind_of(parameter.default))
        default: Any = ... if parameter.default is parameter.empty else parameter.default
        if parameter.kind is parameter.VAR_POSITIONAL:
            kind, default = types.GenericAlias(list, (kind,)), ()
        known = default is ... or _is_json(default)
        fields[f"p{index}"] = (
            kind,
            Field(default if known else None, alias=name, description=told.get(name) or None),
        )
    model = create_model("Arguments", __config__=ConfigDict(extra=extra), **fields)
    schema: dict[str, Any] = _tidy(model.model_json_schema(by_alias=True))
    for name, parameter in signature.parameters.items():
        default = parameter.default
        if name in schema.get("properties", {}) and (default is None or not _is_json(default)):
            schema["properties"][name].pop("default", None)
    return schema


def _kind_of(default: Any) -> Any:
    """Return the type of an argument without a hint: that of its default, if that is a plain value."""
    return type(default) if type(default) in _PLAIN else Any


def _returns(hints: dict[str, Any]) -> dict[str, Any] | None:
    from pydantic import TypeAdapter

    if hints.get("return", type(None)) in (type(None), Any):
        return None
    try:
        schema: dict[str, Any] = _tidy(TypeAdapter(hints["return"]).json_schema(mode="serialization"))
    except Exception:  # the hints are foreign code, and what is given back need not be known
        return None
    return schema


def _is_json(value: Any) -> bool:
    import json

    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _tidy(schema: Any) -> Any:
    """Return a schema without titles that only repeat a name."""
    if isinstance(schema, list):
        return [_tidy(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _tidy(part) for key, part in schema.items() if not (key == "title" and isinstance(part, str))}
