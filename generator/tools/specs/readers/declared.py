"""Lists of functions as providers wrap them: Gemini's `functionDeclarations`, Bedrock's `toolSpec`, OpenAI's former `functions`."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document, Place
from generator.core.toolbox import ToolOrigin
from generator.formats.rows.gemini import lower_types
from generator.tools.specs.found import FoundTool
from generator.tools.specs.readers.listed import text_or_none

KIND = "declared"
_WRAPPERS = ("functionDeclarations", "function_declarations", "toolSpec", "functions")
_AROUND = ("toolConfig", "tools")


def recognises(value: Any) -> bool:
    """Whether a function stands in something that only these lists have."""
    return any(not set(_WRAPPERS).isdisjoint(place) for place, _ in _functions(value, ()))


def read(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the functions of a list, or of what is sent with a request."""
    for place, function in _functions(document.value, ()):
        name, schema, response = function.get("name"), _schema_of(function), function.get("response")
        yield FoundTool(
            name=str(name or "?"),
            where=document.where(place),
            origin=ToolOrigin(kind=KIND),
            domain=domain,
            description=text_or_none(function.get("description")),
            parameters=schema,
            returns=lower_types(response) if isinstance(response, dict) else None,
            refused="" if isinstance(name, str) else "it has no name",
        )


def _functions(value: Any, place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _functions(part, (*place, index))
    elif isinstance(value, dict):
        inside = [key for key in (*_WRAPPERS, *_AROUND) if isinstance(value.get(key), list | dict)]
        for key in inside:
            yield from _functions(value[key], (*place, key))
        if place and not inside:
            yield place, value


def _schema_of(function: dict[str, Any]) -> dict[str, Any] | None:
    """Return a function's schema: JSON Schema, Bedrock's under `json`, or OpenAPI's with types in capitals."""
    for key in ("parametersJsonSchema", "parameters_json_schema"):
        if isinstance(function.get(key), dict):
            return dict(function[key])
    schema = function.get("inputSchema", function.get("parameters"))
    schema = schema["json"] if isinstance(schema, dict) and isinstance(schema.get("json"), dict) else schema
    return lower_types(schema) if isinstance(schema, dict) else None
