"""Tools of what is run to be read: Python modules, MCP servers.

Python modules: with `TOOLS` (the data model of `generator.world.backends.states`), or with plain functions. Reading one means importing it, which happens in a child process with limits.
"""

import shlex
from collections.abc import Iterator
from functools import cache
from typing import Any

from generator.arguments.kinds.names import kind_of_name, words_in_name
from generator.arguments.kinds.records import RECORDS, split_values
from generator.core.documents import Document
from generator.core.errors import SpecError
from generator.core.toolbox import ToolOrigin
from generator.core.yaml_values import own_data
from generator.tools.specs.models import FoundTool, text_or_none
from generator.tools.specs.readers.documents import found_mcp_tool
from generator.world.backends.mcp_session import McpLimits, McpSession
from generator.world.backends.process import Limits, ModuleProcess, ModuleReport
from generator.world.backends.states import State, check_report

TOOLS = "python"
FUNCTIONS = "functions"
SECONDS = 60.0
"""How long a server may take to start and list its tools."""


def read_module(module: str, kind: str | None, domain: str) -> Iterator[FoundTool]:
    """Yield the tools of a module.

    Args:
        module: Path of a Python file, or a module's name.
        kind: `python` (its `TOOLS`) or `functions`; None: `TOOLS` if the module has any, else its functions.
        domain: Tools of one domain look alike.

    Raises:
        SpecError: for a module that cannot be imported, and under `python` with its load state when that is no good.
    """
    process = ModuleProcess(module, Limits())
    try:
        report = process.load()
        if kind is None:
            kind = TOOLS if report.has_tools or report.handler else FUNCTIONS
        if kind == TOOLS:
            yield from _tools_of_variable(module, report, domain)
        else:
            yield from _tools_of_functions(module, process.functions(), domain)
    finally:
        process.stop()


def _tools_of_variable(module: str, report: ModuleReport, domain: str) -> Iterator[FoundTool]:
    """Yield the tools of a module's `TOOLS`."""
    loaded = check_report(module, report)
    if loaded.state is State.FAILED_VALIDATION:
        raise SpecError("\n".join(f"{module}: {loaded.state.value}: {fault}" for fault in loaded.faults))
    for index, tool in enumerate(loaded.tools):
        document = Document(f"{module}:TOOLS[{index}]", "", report.tools[index])
        yield FoundTool(
            name=tool.name,
            where=f"{module}:{index + 1}",
            origin=ToolOrigin(kind=TOOLS, server=domain),
            domain=domain,
            parameters=tool.parameters,
            written=(document, ()),
        )


def _tools_of_functions(module: str, functions: list[dict[str, Any]], domain: str) -> Iterator[FoundTool]:
    """Yield a tool for each function of a module, as the child process describes it."""
    for index, function in enumerate(functions, start=1):
        parameters, why = function.get("parameters"), ""
        if parameters is not None:
            parameters, why = _with_types(parameters, function["untyped"])
        yield FoundTool(
            name=function["name"],
            where=f"{module}:{index}",
            origin=ToolOrigin(kind=FUNCTIONS, server=domain, without_body=function.get("without_body", False)),
            domain=domain,
            description=text_or_none(function.get("description")),
            parameters=parameters,
            returns=function.get("returns"),
            refused=function.get("refused", why),
            remarks=tuple(_remarks(function)),
        )


def _remarks(function: dict[str, Any]) -> Iterator[str]:
    """Yield what is not used of a function."""
    if function.get("without_body"):
        yield "it has no body, so it is not called: results are made from its return type"
    yield from (f"left out of its type hints: {part}" for part in function.get("dropped", ()))


_WORDS: dict[str, frozenset[str]] = {
    kind: frozenset(words.split(", ")) for kind, words in own_data(__file__, "types_by_name.yaml").items()
}
"""JSON Schema type -> words of names that are no kind of value."""


def _with_types(parameters: dict[str, Any], untyped: list[str]) -> tuple[dict[str, Any], str]:
    """Return the parameters with the types that names tell, and why the function cannot be used ("" if it can).

    An argument of which nothing is known is left out where that is possible.
    """
    properties = dict(parameters.get("properties", {}))
    required = parameters.get("required", ())
    unknown = []
    for name in untyped:
        kind = _type_of_name(name) if properties[name].get("type") != "array" else None
        if kind is not None:
            properties[name] = {"type": kind, **properties[name]}
        elif name in required:
            unknown.append(name)
        else:
            del properties[name]
    unknown_names = ", ".join(repr(name) for name in unknown)
    why = (
        f"the type of {unknown_names} is not known: no type hint, default, docstring or usual name tells it"
        if unknown_names
        else ""
    )
    return {**parameters, "properties": properties}, why


def _type_of_name(name: str) -> str | None:
    """Return the JSON Schema type of an argument without a type hint, as its name tells: `count` is an integer; None where nothing tells it."""
    last = " ".join(words_in_name(name)[-1:])
    listed = next((kind for kind, words in _WORDS.items() if last in words), None)
    if listed is not None:
        return listed
    number_kind = kind_of_name(name, (), True)
    kind = number_kind or kind_of_name(name, (), False)
    if kind is None or not last:
        return None
    if last.endswith("s") and not any(
        name_of_kind.split()[-1] == last for name_of_kind in split_values(RECORDS[kind].names)
    ):
        return None  # several: a list perhaps
    if number_kind is None:
        return "string"
    number = RECORDS[number_kind].number
    is_whole = number is None or not (number.step or any(isinstance(value, float) for value in number.usual))
    return "integer" if is_whole else "number"


@cache
def list_server_tools(command: tuple[str, ...], seconds: float = SECONDS) -> tuple[FoundTool, ...]:
    """Start the server, list its tools, end it. What it prints that is no message is ignored.

    The server gets PATH, HOME and the like, but none of the other variables, which may hold secrets.

    Raises:
        SpecError: when the server cannot be started, or gives no list of tools in time.
    """
    name = shlex.join(command)
    session = McpSession(command, McpLimits(start_seconds=seconds))
    tools = session.list_tools()
    session.close()
    return tuple(
        found_mcp_tool(tool, f"{name}:{index}", session.name, session.name) for index, tool in enumerate(tools, start=1)
    )
