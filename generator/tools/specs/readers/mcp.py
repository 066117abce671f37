"""What an MCP server answers to `tools/list`, saved in a file."""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document
from generator.core.schema_walk import rewrite
from generator.core.toolbox import ToolOrigin
from generator.tools.specs.found import FoundTool
from generator.tools.specs.readers.listed import objects_in, text_or_none

KIND = "mcp"


def recognises(value: Any) -> bool:
    """Whether some tool has an `inputSchema`."""
    return any("inputSchema" in tool for _, tool in objects_in(value))


def read(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the tools of an answer, whole (`{"result": {"tools": [...]}}`) or in part; a JSONL file may be a log of messages."""
    server = server_of(document.value)
    for place, tool in objects_in(document.value):
        if place or "inputSchema" in tool:  # other messages of a log are not tools
            yield found_tool(tool, document.where(place), server, domain)


def server_of(value: Any) -> str:
    """Return the server's name, if the dump says it."""
    about = value.get("serverInfo", value.get("server", "")) if isinstance(value, dict) else ""
    name = about.get("name", "") if isinstance(about, dict) else about
    return name if isinstance(name, str) else ""


def found_tool(tool: dict[str, Any], where: str, server: str, domain: str) -> FoundTool:
    """Return one tool of an answer, with what MCP says beside the schema of its arguments."""
    schema, output = tool.get("inputSchema"), tool.get("outputSchema")
    annotations = tool.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    title = tool.get("title") or annotations.get("title") or ""
    return FoundTool(
        name=str(tool.get("name", "?")),
        where=where,
        origin=ToolOrigin(
            kind=KIND,
            server=server,
            title=title if isinstance(title, str) else "",
            annotations={key: value for key, value in annotations.items() if key != "title"},
        ),
        domain=server or domain,
        description=text_or_none(tool.get("description")),
        parameters=schema if isinstance(schema, dict) else None,
        returns=without_extensions(output) if isinstance(output, dict) else None,
        refused="" if isinstance(schema, dict) else "it has no inputSchema",
    )


def without_extensions(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema without `x-` keywords, which in our `returns` mean something else."""
    plain: dict[str, Any] = rewrite(
        schema, lambda part, _: {key: value for key, value in part.items() if not str(key).startswith("x-")}
    )
    return plain
