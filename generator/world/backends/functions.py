"""Runs in the child process (see `program.py`): functions of a module as JSON Schemas, from type hints and docstrings, and calls of them.

pydantic makes the schemas and reads the arguments, docstring_parser reads the docstrings (reST, Google, NumPy and Epydoc style).
"""

import ast
import inspect
import re
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from typing import Any

_PLAIN = (bool, int, float, str)


def describe_functions(module: types.ModuleType) -> dict[str, Any]:
    """Return `{"functions": [...]}`: each with its name and either a reason why it is `refused`, or what is known of it.

    That is `description`, `parameters`, `returns`, the names of its `untyped` arguments, what of its hints is `dropped`,
    and whether it is `without_body`.
    """
    descriptions = []
    for name, value in _public_functions(module):
        try:
            descriptions.append(_describe(name, value))
        except Exception as fault:  # the hints are foreign code: one function is refused, the others are read
            reason = " ".join(str(fault).split())[:300] or type(fault).__name__
            descriptions.append({"name": name, "refused": f"no schema can be made of it: {reason}"})
    return {"functions": descriptions}


def callable_functions(module: types.ModuleType) -> Callable[[str, dict[str, Any]], str]:
    """Return what calls a function of a module, by name, with arguments as JSON has them, and returns its result as text."""
    functions = dict(_public_functions(module))
    read = cache(lambda name: _ReadFunction(functions[name]))

    def call(name: str, arguments: dict[str, Any]) -> str:
        function: _ReadFunction = read(name)
        result = functions[name](*(bound := function.bind(arguments)).args, **bound.kwargs)
        if inspect.isawaitable(result):
            import asyncio

            result = asyncio.run(_awaited(result))
        return _as_text(result, function.hints)

    return call


async def _awaited(result: Any) -> Any:
    return await result


def _as_text(result: Any, hints: dict[str, Any]) -> str:
    """Return a text as it is, anything else as JSON; raises where a result is promised and there is none."""
    import json

    from pydantic import TypeAdapter, ValidationError
    from pydantic_core import to_jsonable_python

    if result is None and "return" in hints:
        try:
            TypeAdapter(hints["return"]).validate_python(None)
        except ValidationError:
            raise TypeError("it returns nothing, but its type hint promises something") from None
    return (
        result
        if isinstance(result, str)
        else json.dumps(to_jsonable_python(result), ensure_ascii=False, allow_nan=False)
    )


def _public_functions(module: types.ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the functions of `__all__`, else those that the module defines, or, where it has none, those that it imports."""
    public = getattr(module, "__all__", None)
    functions = {name: value for name, value in vars(module).items() if inspect.isroutine(value)}
    if public is not None:
        yield from ((name, value) for name, value in functions.items() if name in public)
        return
    homes = {
        name: str(getattr(value, "__module__", "")) for name, value in functions.items() if not name.startswith("_")
    }
    defined_here = [name for name, home in homes.items() if home == module.__name__]
    imported = [name for name, home in homes.items() if home.partition(".")[0] not in sys.stdlib_module_names]
    yield from ((name, functions[name]) for name in defined_here or imported)


class _ReadFunction:
    """A function's docstring, signature, type hints and the pydantic model of its arguments."""

    def __init__(self, function: Any) -> None:
        from docstring_parser import parse

        self.text = inspect.getdoc(function) or ""
        self.docstring = parse(self.text)
        descriptions = {part.arg_name: " ".join((part.description or "").split()) for part in self.docstring.params}
        hints = dict(_hints_of(function))
        self.signature = inspect.signature(function)
        self.hints = _types_by_docstring(function, self.signature, self.docstring, self.text) | hints
        self.model: Any = _model(self.signature, self.hints, descriptions)

    def bind(self, arguments: dict[str, Any]) -> inspect.BoundArguments:
        """Return the arguments of a call, as the hints have them; raises pydantic's ValidationError."""
        from pydantic.fields import FieldInfo

        values = self.model.model_validate(arguments)
        bound = inspect.BoundArguments(self.signature, {})
        for index, (name, parameter) in enumerate(self.signature.parameters.items()):
            if parameter.kind is parameter.VAR_KEYWORD:
                bound.arguments[name] = values.model_extra or {}
            elif f"p{index}" in values.model_fields_set or isinstance(parameter.default, FieldInfo):
                bound.arguments[name] = getattr(values, f"p{index}")
        return bound


def _hints_of(function: Any) -> Iterator[tuple[str, Any]]:
    """Yield (name, type) for the type hints of a function that can be resolved, also with names imported for type checkers only."""
    names = getattr(function, "__globals__", {})
    for name, hint in getattr(function, "__annotations__", {}).items():
        holder = types.SimpleNamespace(__annotations__={name: hint})
        for namespace in (names, {**_imported_for_types(function.__module__), **names}):
            with suppress(NameError, AttributeError):
                yield from typing.get_type_hints(holder, globalns=namespace, include_extras=True).items()
                break


@cache
def _imported_for_types(module: str) -> dict[str, Any]:
    """Return what a module imports under `if TYPE_CHECKING:`, by name, as far as it can be imported."""
    imported: dict[str, Any] = {}
    with suppress(OSError, TypeError, KeyError, SyntaxError):
        blocks = [
            node for node in ast.walk(ast.parse(inspect.getsource(sys.modules[module]))) if isinstance(node, ast.If)
        ]
        guarded = [node for block in blocks if ast.unparse(block.test).endswith("TYPE_CHECKING") for node in block.body]
        for node in guarded:
            with suppress(Exception):  # of what is not installed, nothing is known
                exec(compile(ast.Module([node], []), module, "exec"), imported)
    return imported


def _describe(name: str, function: Any) -> dict[str, Any]:
    """Return a function as a tool: name, description, schemas of arguments and result, and what could not be read."""
    read = _ReadFunction(function)
    signature, hints, docstring, text = read.signature, read.hints, read.docstring, read.text
    parts = [part for part in (docstring.short_description, docstring.long_description) if part]
    description = "\n\n".join(parts) or text
    return {
        "name": name,
        "description": description or None,
        "parameters": _parameters(read.model),
        "returns": _result_schema(hints),
        "without_body": not _has_body(function),
        "dropped": [f"{name}: {part!r:.80}" for name, kind in hints.items() for part in _split_hint(kind)[2]],
        # nothing tells the type of these but perhaps their names
        "untyped": [
            name
            for name, part in signature.parameters.items()
            if part.kind is not part.VAR_KEYWORD and name not in hints
        ],
    }


def _types_by_docstring(function: Any, signature: inspect.Signature, docstring: Any, text: str) -> dict[str, Any]:
    """Return the types of arguments without hints, as far as defaults, the docstring and the examples in it tell them."""
    in_examples = _types_in_examples(function, signature, text)
    in_docstring = {part.arg_name: _type_called(part.type_name or "") for part in docstring.params}
    found = {}
    for name, parameter in signature.parameters.items():
        kind = next(
            (
                kind
                for kind in (_type_of_default(parameter.default), in_docstring.get(name), in_examples.get(name))
                if kind
            ),
            None,
        )
        if kind is not None and parameter.kind is not parameter.VAR_POSITIONAL:
            found[name] = kind
    return found


def _type_called(type_text: str) -> Any:
    """Return the type that a docstring names: `int, optional`, `list of str`, `{"a", "b"}`; None for others."""
    type_text = re.sub(r",? *(optional|default.*)$", "", type_text.strip())
    if type_text.startswith("{") and type_text.endswith("}"):
        values = [part.strip() for part in type_text[1:-1].split(",")]
        quoted = [part[1:-1] for part in values if len(part) > 2 and part[0] == part[-1] and part[0] in "'\""]
        return typing.Literal[tuple(quoted)] if len(quoted) == len(values) else None
    listed = re.fullmatch(r"(?:list|sequence|tuple|iterable|List|Sequence)(?: of |\[)([a-z]+?)s?\]?", type_text)
    if listed:
        inner = _NAMED.get(listed.group(1))
        return types.GenericAlias(list, (inner,)) if inner else None
    return _NAMED.get(type_text)


_NAMED = {"int": int, "integer": int, "str": str, "string": str, "float": float, "number": float, "bool": bool} | {
    "boolean": bool
}


def _types_in_examples(function: Any, signature: inspect.Signature, text: str) -> dict[str, Any]:
    """Return the types of the values that the docstring's examples (`>>> mean([1, 2.5])`) give the arguments."""
    import doctest

    values: dict[str, list[Any]] = {}
    variables: dict[str, Any] = {}
    try:
        for example in doctest.DocTestParser().get_examples(text):
            for node in ast.walk(ast.parse(example.source)):
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    variables[node.targets[0].id] = _literal(node.value)
                if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == function.__name__:
                    keywords = {word.arg: word.value for word in node.keywords if word.arg}
                    for name, value_node in signature.bind_partial(*node.args, **keywords).arguments.items():
                        value = (
                            variables.get(value_node.id) if isinstance(value_node, ast.Name) else _literal(value_node)
                        )
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


def _has_body(function: Any) -> bool:
    """Whether a function does anything; one that only declares a tool has a docstring, `pass`, `...` or `NotImplementedError`."""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function)))).body[0]
    except (OSError, TypeError, SyntaxError):
        return True
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return True
    return not all(
        isinstance(one, ast.Pass)
        or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant))
        or (isinstance(one, ast.Raise) and "NotImplementedError" in ast.unparse(one))
        for one in node.body
    )


def _split_hint(kind: Any) -> tuple[Any, str, list[Any]]:
    """Return (hint that pydantic can read, description, what is dropped) of a hint: `Annotated[int, "Age", other]` → `(int, "Age", [other])`."""
    from pydantic.fields import FieldInfo

    if typing.get_origin(kind) is not typing.Annotated:
        return kind, "", []
    kept, text, dropped = [], "", []
    for part in kind.__metadata__:
        description = part if isinstance(part, str) else getattr(part, "documentation", None)
        if isinstance(description, str):
            text = text or " ".join(description.split())
        elif isinstance(part, FieldInfo) or _is_for_pydantic(part):
            kept.append(part)
        else:
            dropped.append(part)
    plain = kind.__origin__
    return (typing.Annotated[(plain, *kept)] if kept else plain), text, dropped


def _is_for_pydantic(part: Any) -> bool:
    """Whether a part of an `Annotated` type means something to pydantic."""
    home = type(part).__module__.partition(".")[0]
    return home in ("pydantic", "pydantic_core", "annotated_types") or any(
        hasattr(part, name) for name in ("__get_pydantic_core_schema__", "__get_pydantic_json_schema__")
    )


def _model(signature: inspect.Signature, hints: dict[str, Any], descriptions: dict[str, str]) -> Any:
    """Return the model of a function's arguments; what its own `Field` says goes before the docstring."""
    from pydantic import ConfigDict, Field, create_model
    from pydantic.fields import FieldInfo

    fields: dict[str, Any] = {}
    extra: typing.Literal["allow", "forbid"] = "forbid"
    for index, (name, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = "allow"
            continue
        kind, text, _ = _split_hint(hints.get(name, Any))
        default: Any = ... if parameter.default is parameter.empty else parameter.default
        if parameter.kind is parameter.VAR_POSITIONAL:
            kind, default = types.GenericAlias(list, (kind,)), ()
        is_usable = default is ... or isinstance(default, FieldInfo) or _is_json(default)
        field = Field(alias=name, description=text or descriptions.get(name) or None)
        if typing.get_origin(kind) is typing.Annotated:
            kind = typing.Annotated[(kind.__origin__, field, *kind.__metadata__)]
        else:
            kind = typing.Annotated[kind, field]
        fields[f"p{index}"] = (kind, default if is_usable else None)
    return create_model("Arguments", __config__=ConfigDict(extra=extra), **fields)


def _parameters(model: Any) -> dict[str, Any]:
    """Return the schema of a model of arguments, without defaults that say nothing."""
    schema: dict[str, Any] = _tidy(model.model_json_schema(by_alias=True))
    for part in schema.get("properties", {}).values():
        if part.get("default", ...) is None:
            del part["default"]
    return schema


def _type_of_default(default: Any) -> Any:
    """Return the type of an argument without a hint: that of its default, if that is a plain value, else None."""
    return type(default) if type(default) in _PLAIN else None


def _result_schema(hints: dict[str, Any]) -> dict[str, Any] | None:
    """Return the JSON Schema of the function's result by its annotation; None where it has none, or one that pydantic cannot read."""
    from pydantic import TypeAdapter

    if hints.get("return", type(None)) in (type(None), Any):
        return None
    try:
        schema: dict[str, Any] = _tidy(TypeAdapter(hints["return"]).json_schema(mode="serialization"))
    except Exception:  # the hints are foreign code, and what is given back need not be known
        return None
    return schema


def _is_json(value: Any) -> bool:
    """Whether a value can be written as JSON."""
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
