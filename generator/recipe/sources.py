"""Where tools are from and what answers their calls, from the recipe language to plain data."""

from collections.abc import Callable, Iterator
from pathlib import Path

from generator.recipe.backend_language import MixedModel, RealModel
from generator.recipe.recipe import ArgumentSource, Select, ToolFile
from generator.recipe.tool_language import ToolFileModel

Beside = Callable[[str], Path]
"""From a path as the recipe writes it to one that can be opened."""


def tool_file(model: ToolFileModel, beside: Beside) -> ToolFile:
    """Return a source of tools with its path resolved."""
    wanted = model.select
    path = model.file or model.openapi or model.python
    kind: str | None = model.from_
    kind = "openapi" if model.openapi else "python" if model.python else "functions" if model.functions else kind
    if model.functions.endswith(".py"):
        path = model.functions
    return ToolFile(
        file=beside(path) if path else None,
        module="" if path else model.functions,
        command=tuple(model.mcp.command) if model.mcp else (),
        kind=kind,
        only=tuple(model.only),
        without=tuple(model.without),
        select=Select(
            names=(*wanted.names, *wanted.operations),
            tags=tuple(wanted.tags),
            paths=tuple(wanted.paths),
            methods=tuple(wanted.methods),
            count=wanted.count,
        ),
        on_illegal=model.on_illegal,
        overlays=tuple(beside(file) for file in model.overlay),
        describe=model.describe,
        undescribed=model.undescribed,
    )


def backends(model: str | RealModel | MixedModel, beside: Beside) -> tuple[tuple[str, ArgumentSource], ...]:
    """Return tools and what answers them; `*` is any other tool."""
    if isinstance(model, str):
        return ()
    if isinstance(model, RealModel):
        return (("*", _source(model, beside)),)
    usual = [("*", model.usual)] if model.usual != "schema" else []
    return tuple((tool, _source(source, beside)) for tool, source in [*usual, *model.tools.items()])


def _source(model: str | RealModel, beside: Beside) -> ArgumentSource:
    if isinstance(model, str):
        return ArgumentSource(schema=True)
    return ArgumentSource(
        python=beside(model.python) if model.python else None,
        recorded=beside(model.recorded) if model.recorded else None,
        http=model.http,
        command=tuple(model.mcp.command) if model.mcp else (),
        session=model.session or "conversation",
        seconds=model.seconds,
        memory=model.memory,
        attempts=model.attempts,
    )


def files_of_backends(found: tuple[tuple[str, ArgumentSource], ...]) -> Iterator[tuple[tuple[str, ...], Path]]:
    """Yield the files that backends need, each with its place in the recipe."""
    for tool, source in found:
        for word, file in (("python", source.python), ("recorded", source.recorded)):
            if file is not None:
                yield ("backend", word) if tool == "*" else ("backend", "tools", tool, word), file
