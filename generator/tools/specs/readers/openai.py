"""Tool specs of this program, which are OpenAI function definitions with more beside them (docs/tool-specs.md)."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document, Place, nearest
from generator.core.errors import SpecError
from generator.core.toolbox import ToolOrigin
from generator.tools.specs.entities import SECTIONS, read_declared
from generator.tools.specs.found import FoundTool

KIND = "openai"


def recognises(value: Any) -> bool:
    """Whether this is what the rest is not: a function, a list of such, or `{"tools": [...]}`."""
    return True


def read(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the functions of a file, or of one line of a JSONL file."""
    declared = read_declared(document, domain)
    for value, place in tools_of_document(document):
        function = value.get("function", value) if isinstance(value, dict) else {}
        function = function if isinstance(function, dict) else {}
        name = function.get("name")
        yield FoundTool(
            name=name if isinstance(name, str) else "?",
            where=document.where(place),
            origin=ToolOrigin(kind=KIND),
            domain=domain,
            parameters=_schema(function.get("parameters")),
            returns=_schema(value.get("returns")) if isinstance(value, dict) else None,
            written=(document, place),
            declared=declared,
        )


def tools_of_document(document: Document) -> Iterator[tuple[Any, Place]]:
    """Yield the tools of a document, each with its place."""
    value = document.value
    if isinstance(value, dict) and "tools" in value:
        unknown = [key for key in value if key not in {"tools", "$schema", *SECTIONS}]
        if unknown:
            near = nearest(str(unknown[0]), SECTIONS)
            raise SpecError(f"{document.where((unknown[0],))}: unknown key {unknown[0]!r} beside 'tools'{near}")
        if not isinstance(value["tools"], list):
            raise SpecError(f"{document.where(('tools',))}: tools: a list is expected")
        yield from ((tool, ("tools", index)) for index, tool in enumerate(value["tools"]))
    elif isinstance(value, list):
        yield from ((tool, (index,)) for index, tool in enumerate(value))
    else:
        yield value, ()


def _schema(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None
