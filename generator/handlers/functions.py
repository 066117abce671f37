"""Runs in the child process (see `program.py`): functions of a module as JSON Schemas, from type hints and docstrings.

pydantic makes the schemas, docstring_parser reads the docstrings (reST, Google, NumPy and Epydoc style).
"""

import ast
import inspect
import re
import types
import typing
from typing import Any

_PLAIN = (bool, int, float, str)


def describe_functions(module: types.ModuleType) -> dict[str, Any]:
    """Return `{"functions": [...]}`: each with its name and either a reason why it is `refused`, or what is known of it.

    That is `description`, `parameters`, `returns` and the names of its `untyped` arguments.
    """
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
    signature = inspect.signature(function)
    hints = _told_types(function, signature, said, text) | hints
    parts = [part for part in (said.short_description, said.long_description) if part]
    description = "\n\n".join(parts) or text
    return {
        "name": name,
        "description": description or None,
        "parameters": _parameters(signature, hints, told),
        "returns": _returns(hints),
        "untyped": [name for name, parameter in signature.parameters.items() if _is_untyped(parameter, hints)],
    }


def _is_untyped(parameter: inspect.Parameter, hints: dict[str, Any]) -> bool:
    """Whether nothing tells the type of an argument but perhaps its name."""
    return parameter.kind is not parameter.VAR_KEYWORD and parameter.name not in hints


def _told_types(function: Any, signature: inspect.Signature, said: Any, text: str) -> dict[str, Any]:
    """Return the types of arguments without hints, as far as defaults, the docstring and the examples in it tell them."""
    shown = _types_in_examples(function, signature, text)
    types_told = {part.arg_name: _type_called(part.type_name or "") for part in said.params}
    found = {}
    for name, parameter in signature.parameters.items():
        kind = next(
            (kind for kind in (_kind_of(parameter.default), types_told.get(name), shown.get(name)) if kind), None
        )
        if kind is not None and parameter.kind is not parameter.VAR_POSITIONAL:
            found[name] = kind
    return found


def _type_called(words: str) -> Any:
    """Return the type that a docstring names: `int, optional`, `list of str`, `{"a", "b"}`; None for others."""
    words = re.sub(r",? *(optional|default.*)$", "", words.strip())
    if words.startswith("{") and words.endswith("}"):
        values = [part.strip() for part in words[1:-1].split(",")]
        quoted = [part[1:-1] for part in values if len(part) > 2 and part[0] == part[-1] and part[0] in "'\""]
        return typing.Literal[tuple(quoted)] if len(quoted) == len(values) else None
    listed = re.fullmatch(r"(?:list|sequence|tuple|iterable|List|Sequence)(?: of |\[)([a-z]+?)s?\]?", words)
    if listed:
        inner = _CALLED.get(listed.group(1))
        return types.GenericAlias(list, (inner,)) if inner else None
    return _CALLED.get(words)


_CALLED = {"int": int, "integer": int, "str": str, "string": str, "float": float, "number": float, "bool": bool} | {
    "boolean": bool
}


def _types_in_examples(function: Any, signature: inspect.Signature, text: str) -> dict[str, Any]:
    """Return the types of the values that the docstring's examples (`>>> mean([1, 2.5])`) give the arguments."""
    import doctest

    values: dict[str, list[Any]] = {}
    known: dict[str, Any] = {}
    try:
        for example in doctest.DocTestParser().get_examples(text):
            for node in ast.walk(ast.parse(example.source)):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    known[node.targets[0].id] = _literal(node.value)
                if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == function.__name__:
                    given = {word.arg: word.value for word in node.keywords if word.arg}
                    for name, part in signature.bind_partial(*node.args, **given).arguments.items():
                        value = known.get(part.id) if isinstance(part, ast.Name) else _literal(part)
                        values.setdefault(name, []).append(value)
    except (SyntaxError, ValueError, TypeError):  # what stands in a docstring need not be Python
        return {}
    return {name: _type_of_values(found) for name, found in values.items()}


def _literal(node: Any) -> Any:
    """Return the value of an expression; None for one that must be computed."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _type_of_values(values: list[Any]) -> Any:
    """Return the type of the values that are known, that of the first where they differ; None where none is plain."""
    kinds = [list if type(value) is tuple else type(value) for value in values if value is not None]
    if not kinds or kinds[0] not in (list, *_PLAIN):
        return None
    if kinds[0] is list:
        inner = _type_of_values([part for value in values if isinstance(value, list | tuple) for part in value])
        return types.GenericAlias(list, (inner,)) if inner else None
    return float if set(kinds) == {int, float} else kinds[0]


def _parameters(signature: inspect.Signature, hints: dict[str, Any], told: dict[str, str]) -> dict[str, Any]:
    from pydantic import ConfigDict, Field, create_model

    fields: dict[str, Any] = {}
    extra: typing.Literal["allow", "forbid"] = "forbid"
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
            continue
        kind: Any = hints.get(name, Any)
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
    """Return the type of an argument without a hint: that of its default, if that is a plain value, else None."""
    return type(default) if type(default) in _PLAIN else None


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
