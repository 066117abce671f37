"""Readers of documents that list tools, by kind; each takes the tools of one document, or of one line of a JSONL file.

A reader says whether a value is of its kind, and yields the tools of a document.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from generator.core.documents import Document, Place, nearest, shown
from generator.core.errors import SpecError
from generator.core.portable import check_prompt
from generator.core.toolbox import ToolOrigin
from generator.formats.rows.bfcl import read_schema
from generator.formats.rows.gemini import lower_types
from generator.tools.specs.entities import SECTIONS, read_declared
from generator.tools.specs.models import FoundTool, text_or_none, without_own_keywords
from generator.tools.specs.prompt_tools import tool_of_prompt
from generator.tools.specs.readers import openapi

_WRAPPERS = ("functionDeclarations", "function_declarations", "toolSpec", "functions")
_AROUND = ("toolConfig", "tools")
_NO_KIND = ToolOrigin(kind="list")


class DocumentReader(NamedTuple):
    """How documents of one kind are recognised and read."""

    recognises: Callable[[Any], bool]
    read: Callable[[Document, str], Iterator[FoundTool]]
    """(document, domain) → its tools."""


def _unwrapped(value: Any) -> tuple[Any, Place, Any]:
    """Return the tools of `{"tools": [...]}` or `{"result": {"tools": [...]}}` with their place and the object around them.

    Any other value is returned as it is.
    """
    place: Place = ()
    around = value
    if isinstance(value, dict) and isinstance(value.get("result"), dict) and "tools" in value["result"]:
        around, place = value["result"], ("result",)
    if isinstance(around, dict) and isinstance(around.get("tools"), list):
        return around["tools"], (*place, "tools"), around
    return around, place, around


def _objects_in(value: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield objects of a list, of `{"tools": [...]}` or of `{"result": {"tools": [...]}}`; or the one object itself."""
    listed, place, _ = _unwrapped(value)
    if isinstance(listed, list):
        yield from (((*place, index), tool) for index, tool in enumerate(listed) if isinstance(tool, dict))
    elif isinstance(listed, dict):
        yield place, listed


def left_out_of(document: Document) -> Iterator[FoundTool]:
    """Yield what a list holds that is no tool, and a list that is cut off, as tools that are refused."""
    listed, place, around = _unwrapped(document.value)
    for index, tool in enumerate(listed if isinstance(listed, list) else ()):
        if not isinstance(tool, dict):
            reason = f"{shown(tool)} stands in the place of a tool"
            yield FoundTool(name="?", where=document.where((*place, index)), origin=_NO_KIND, refused=reason)
    if isinstance(around, dict) and around.get("nextCursor"):
        where = document.where((*(place if listed is around else place[:-1]), "nextCursor"))
        yield FoundTool(name="nextCursor", where=where, origin=_NO_KIND, refused=_CUT_OFF)


_CUT_OFF = "the list is cut off: `nextCursor` says that there are more tools; list them all, and save them together"


def _found_tool(
    function: dict[str, Any], where: str, kind: str, domain: str, lacks: str = "", **more: Any
) -> FoundTool:
    """Return a tool with the fields that all kinds have in common; `lacks` is why it is refused if it has no parameters."""
    if lacks and more["parameters"] is None:
        more["refused"] = lacks
    more.setdefault("origin", ToolOrigin(kind=kind))
    description = text_or_none(function.get("description"))
    return FoundTool(name=str(function.get("name") or "?"), where=where, domain=domain, description=description, **more)


def _object_or_none(value: Any) -> dict[str, Any] | None:
    """Return a value if it is an object."""
    return value if isinstance(value, dict) else None


def _read_anthropic(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield tools as Anthropic's API takes them. Tools that the provider runs have no schema."""
    for place, tool in _objects_in(document.value):
        kind = tool.get("type", "custom")
        yield _found_tool(
            tool, document.where(place), "anthropic", domain,
            f"it has no input_schema{'' if kind == 'custom' else f': {kind} is run by the provider'}",
            parameters=_object_or_none(tool.get("input_schema")),
            strict=tool["strict"] if isinstance(tool.get("strict"), bool) else None,
        )  # fmt: skip


def _is_bfcl(value: Any) -> bool:
    """Whether this is a row of the Berkeley Function-Calling Leaderboard, or a function whose parameters are a `dict`."""
    schemas = (function.get("parameters") for _, function in _bfcl_functions(value))
    return any(isinstance(schema, dict) and schema.get("type") == "dict" for schema in schemas)


def _read_bfcl(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the functions of one row, or one function document: JSON Schema but for the names of types."""
    for place, function in _bfcl_functions(document.value):
        parameters, response = function.get("parameters"), function.get("response")
        yield _found_tool(
            function, document.where(place), "bfcl", domain, "it has no parameters",
            parameters=read_schema(parameters) if isinstance(parameters, dict) else None,
            returns=read_schema(response) if isinstance(response, dict) else None,
        )  # fmt: skip


def _bfcl_functions(value: Any) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield function documents of a row (`{"function": [...]}`), of a list of them, or one alone."""
    for place, part in _objects_in(value):
        functions = part.get("function")
        if isinstance(functions, list):
            for index, function in enumerate(functions):
                if isinstance(function, dict):
                    yield (*place, "function", index), function
        elif isinstance(functions, dict) and "type" not in part:
            yield (*place, "function"), functions
        elif "name" in part and "parameters" in part:
            yield place, part


def _read_declared(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield functions as providers wrap them: Gemini's `functionDeclarations`, Bedrock's `toolSpec`, OpenAI's former `functions`."""
    for place, function in _declared_functions(document.value, ()):
        response = function.get("response")
        yield _found_tool(
            function, document.where(place), "declared", domain,
            parameters=_declared_schema(function),
            returns=lower_types(response) if isinstance(response, dict) else None,
            refused="" if isinstance(function.get("name"), str) else "it has no name",
        )  # fmt: skip


def _declared_functions(value: Any, place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    """Yield the functions at any depth of wrappers: `{"tools": [{"functionDeclarations": […]}]}`."""
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _declared_functions(part, (*place, index))
    elif isinstance(value, dict):
        inside = [key for key in (*_WRAPPERS, *_AROUND) if isinstance(value.get(key), list | dict)]
        for key in inside:
            yield from _declared_functions(value[key], (*place, key))
        if place and not inside:
            yield place, value


def _declared_schema(function: dict[str, Any]) -> dict[str, Any] | None:
    """Return a function's schema: JSON Schema, Bedrock's under `json`, or OpenAPI's with types in capitals."""
    for key in ("parametersJsonSchema", "parameters_json_schema"):
        if isinstance(function.get(key), dict):
            return dict(function[key])
    schema = function.get("inputSchema", function.get("parameters"))
    schema = schema["json"] if isinstance(schema, dict) and isinstance(schema.get("json"), dict) else schema
    return lower_types(schema) if isinstance(schema, dict) else None


def _read_mcp(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the tools of an MCP server's answer to `tools/list`, whole or in part; a JSONL file may be a log of messages."""
    value = document.value
    about = value.get("serverInfo", value.get("server", "")) if isinstance(value, dict) else ""
    server = about.get("name", "") if isinstance(about, dict) else about
    server = server if isinstance(server, str) else ""
    for place, tool in _objects_in(value):
        if place or "inputSchema" in tool:  # other messages of a log are not tools
            yield found_mcp_tool(tool, document.where(place), server, domain)


def found_mcp_tool(tool: dict[str, Any], where: str, server: str, domain: str) -> FoundTool:
    """Return one tool of an answer, with what MCP says beside the schema of its arguments."""
    output, annotations = tool.get("outputSchema"), _object_or_none(tool.get("annotations")) or {}
    title = tool.get("title") or annotations.get("title") or ""
    origin = ToolOrigin(
        kind="mcp",
        server=server,
        title=title if isinstance(title, str) else "",
        annotations={key: value for key, value in annotations.items() if key != "title"},
    )
    return _found_tool(
        tool, where, "mcp", server or domain, "it has no inputSchema",
        origin=origin,
        parameters=_object_or_none(tool.get("inputSchema")),
        returns=without_own_keywords(output) if isinstance(output, dict) else None,
    )  # fmt: skip


def _read_portable(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the one tool of a portable JSON prompt."""
    yield tool_of_prompt(check_prompt(document, SpecError), document, domain)


def _read_openai(document: Document, domain: str) -> Iterator[FoundTool]:
    """Yield the functions of a spec of this program: OpenAI function definitions with more beside them (docs/tool-specs.md)."""
    declared = read_declared(document, domain)
    for value, place in _openai_functions(document):
        whole = _object_or_none(value) or {}
        function = _object_or_none(whole.get("function", whole)) or {}
        name = function.get("name")
        yield FoundTool(
            name=name if isinstance(name, str) else "?",
            where=document.where(place),
            origin=ToolOrigin(kind="openai"),
            domain=domain,
            parameters=_object_or_none(function.get("parameters")),
            returns=_object_or_none(whole.get("returns")),
            written=(document, place),
            declared=declared,
        )


def _openai_functions(document: Document) -> Iterator[tuple[Any, Place]]:
    """Yield the functions of a spec file with their places: under `tools`, in a list, or one alone."""
    value = document.value
    if isinstance(value, dict) and "tools" in value:
        unknown = [key for key in value if key not in {"tools", "$schema", *SECTIONS}]
        if unknown:
            suggestion = nearest(str(unknown[0]), SECTIONS)
            raise SpecError(f"{document.where((unknown[0],))}: unknown key {unknown[0]!r} beside 'tools'{suggestion}")
        if not isinstance(value["tools"], list):
            raise SpecError(f"{document.where(('tools',))}: tools: a list is expected")
        yield from ((tool, ("tools", index)) for index, tool in enumerate(value["tools"]))
    elif isinstance(value, list):
        yield from ((tool, (index,)) for index, tool in enumerate(value))
    else:
        yield value, ()


READERS: dict[str, DocumentReader] = {
    "openapi": DocumentReader(openapi.recognises, openapi.read),
    "portable": DocumentReader(lambda value: isinstance(value, dict) and "model_prompt" in value, _read_portable),
    "mcp": DocumentReader(lambda value: any("inputSchema" in tool for _, tool in _objects_in(value)), _read_mcp),
    "anthropic": DocumentReader(
        lambda value: any("input_schema" in tool for _, tool in _objects_in(value)), _read_anthropic
    ),
    "bfcl": DocumentReader(_is_bfcl, _read_bfcl),
    "declared": DocumentReader(
        lambda value: any(not {*_WRAPPERS}.isdisjoint(place) for place, _ in _declared_functions(value, ())),
        _read_declared,
    ),
    "openai": DocumentReader(lambda value: True, _read_openai),
}
"""Kinds of documents, tried in this order; the last takes what no other does."""
