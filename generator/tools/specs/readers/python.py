"""Python modules: with `TOOLS` (the data model of `generator.world.backends.python.states`), or with plain functions.

Reading one means importing it, which happens in a child process with limits.
"""

from collections.abc import Iterator
from typing import Any

from generator.core.documents import Document
from generator.core.errors import SpecError
from generator.core.toolbox import ToolOrigin
from generator.tools.specs.found import FoundTool
from generator.tools.specs.readers.listed import text_or_none
from generator.tools.specs.readers.types_by_name import with_types
from generator.world.backends.python.life import State
from generator.world.backends.python.process import Limits, ModuleProcess, ModuleReport
from generator.world.backends.python.states import check_report

TOOLS = "python"
FUNCTIONS = "functions"


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
            yield from _tools(module, report, domain)
        else:
            yield from _functions(module, process.functions(), domain)
    finally:
        process.stop()


def _tools(module: str, report: ModuleReport, domain: str) -> Iterator[FoundTool]:
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


def _functions(module: str, functions: list[dict[str, Any]], domain: str) -> Iterator[FoundTool]:
    for index, function in enumerate(functions, start=1):
        parameters, why = function.get("parameters"), ""
        if parameters is not None:
            parameters, why = with_types(parameters, function["untyped"])
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
    if function.get("without_body"):
        yield "it has no body, so it is not called: results are made from its return type"
    for part in function.get("dropped", ()):
        yield f"left out of its type hints: {part}"
