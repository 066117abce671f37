"""Tools as Anthropic's API takes them: `name`, `description`, `input_schema`."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document
from generator.core.toolbox import ToolOrigin
from generator.tools.specs.found import FoundTool
from generator.tools.specs.readers.listed import objects_in, text_or_none

KIND = "anthropic"


def recognises(value: Any) -> bool:
    """Whether some tool has an `input_schema`."""
    return any("input_schema" in tool for _, tool in objects_in(value))


def read(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the tools of a list, of `{"tools": [...]}`, or one alone. Tools that the provider runs have no schema."""
    for place, tool in objects_in(document.value):
        schema = tool.get("input_schema")
        kind = tool.get("type", "custom")
        yield FoundTool(
            name=str(tool.get("name", "?")),
            where=document.where(place),
            origin=ToolOrigin(kind=KIND),
            domain=domain,
            description=text_or_none(tool.get("description")),
            parameters=schema if isinstance(schema, dict) else None,
            strict=tool["strict"] if isinstance(tool.get("strict"), bool) else None,
            refused=""
            if isinstance(schema, dict)
            else f"it has no input_schema{'' if kind == 'custom' else f': {kind} is run by the provider'}",
        )
