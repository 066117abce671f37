"""The states of a Python module with `TOOLS` and of a call of each of its tools, one a line."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import date
from typing import TYPE_CHECKING, Any

from generator.cli.screen.terminal import on_one_line
from generator.core.errors import GeneratorError

if TYPE_CHECKING:
    from generator.core.conversation import Tool
    from generator.world.backends.python.life import Reached

_DAY = date(2026, 1, 1)
_LONGEST = 120


def states_of_module(module: str) -> Iterator[str]:
    """Yield the lines of a module's life, then those of a call of each tool, and of one that is refused, if there is one.

    Raises:
        SpecError: for a module that cannot be imported.
    """
    from generator.world.backends.python.lifecycle import Handlers
    from generator.world.backends.python.process import Limits, ModuleProcess
    from generator.world.backends.python.states import check_report

    process = ModuleProcess(module, Limits())
    try:
        report = process.load()
    finally:
        process.stop()
    loaded = check_report(module, report)
    yield from _lines(module, loaded.reached)
    if not loaded.tools:
        return
    handlers = Handlers(module)
    try:
        for tool in loaded.tools:
            for arguments in _tried(tool):
                handlers.open(0, _DAY)
                yield from _lines(f"a call of {tool.name}", handlers.live(tool.name, arguments)[1])
    finally:
        handlers.stop()


def _tried(tool: "Tool") -> Iterator[dict[str, Any]]:
    """Yield arguments for a tool: some that its schema takes, and none at all where that is wrong."""
    from generator.arguments import arguments_schema, compile_value
    from generator.core.offline_schemas import validator
    from generator.core.seeds import Draw

    schema = arguments_schema(tool.parameters)
    with suppress(GeneratorError):  # a schema for which nothing can be made
        yield compile_value(schema, tool.name, 0)(Draw(0, _DAY))
    if not validator(schema).is_valid({}):
        yield {}


def _lines(title: str, reached: "Iterable[Reached]") -> Iterator[str]:
    yield on_one_line(title)
    for state, event, seen in reached:
        shown = seen if len(seen) <= _LONGEST else f"{seen[: _LONGEST - 1]}…"
        yield on_one_line(f"  {state.value:<21}  {event:<24}  {shown}".rstrip())
