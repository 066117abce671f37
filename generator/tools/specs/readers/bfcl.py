"""Function documents of the Berkeley Function-Calling Leaderboard: JSON Schema but for the names of types."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document, Place
from generator.core.toolbox import ToolOrigin
from generator.formats.rows.bfcl import read_schema
from generator.tools.specs.found import FoundTool
from generator.tools.specs.readers.listed import objects_in, text_or_none

KIND = "bfcl"


def recognises(value: Any) -> bool:
    """Whether this is a row with functions, or a function whose parameters are a `dict`."""
    for _, document in _functions(value):
        parameters = document.get("parameters")
        if isinstance(parameters, dict) and parameters.get("type") == "dict":
            return True
    return False


def read(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the functions of one row, or one function document."""
    for place, function in _functions(document.value):
        parameters, response = function.get("parameters"), function.get("response")
        yield FoundTool(
            name=str(function.get("name", "?")),
            where=document.where(place),
            origin=ToolOrigin(kind=KIND),
            domain=domain,
            description=text_or_none(function.get("description")),
            parameters=read_schema(parameters) if isinstance(parameters, dict) else None,
            returns=read_schema(response) if isinstance(response, dict) else None,
            refused="" if isinstance(parameters, dict) else "it has no parameters",
        )


def _functions(value: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield function documents of a row (`{"function": [...]}`), of a list of them, or one alone."""
    for place, part in objects_in(value):
        functions = part.get("function")
        if isinstance(functions, list):
            for index, function in enumerate(functions):
                if isinstance(function, dict):
                    yield (*place, "function", index), function
        elif isinstance(functions, dict) and "type" not in part:
            yield (*place, "function"), functions
        elif "name" in part and "parameters" in part:
            yield place, part
