"""What is read many times in one process of the tests, and is the same each time: the shipped tools, and schemas.

They are most of what opening a recipe takes, and tests open shipped recipes hundreds of times. The first reading is that
of the program; what it gives is frozen.
"""

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import orjson

from generator.core.profiles import Profile
from generator.core.toolbox import Toolbox, ToolSpec
from generator.recipe import ToolFile
from generator.tools.specs import overlay_files

SHIPPED = Path(__file__).parents[1] / "tool_specs"
MOST = 12
"""Backends, of which one of all shipped tools takes some megabytes."""


def tools_once(read: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """`read_tools`, which reads each shipped file once."""
    found: dict[tuple[str, ...], list[Any]] = {}

    def read_once(source: ToolFile, profile: Profile | None = None, seed: int = 0, **more: Any) -> list[Any]:
        file = source.file
        if file is None or file.suffix == ".py" or not file.resolve().is_relative_to(SHIPPED):
            return read(source, profile, seed, **more)
        parts = (source, profile, source.select.count and seed, more, overlay_files.bank_of)
        key = (str(Path.cwd()), *map(repr, parts))
        if key not in found:
            found[key] = read(source, profile, seed, **more)
        return list(found[key])

    return read_once


def described_once(
    describe: Callable[..., tuple[list[ToolSpec], list[Any]]], kept: dict[int, ToolSpec]
) -> Callable[..., tuple[list[ToolSpec], list[Any]]]:
    """`with_descriptions_derived`, which describes the tools of each shipped file once; what it has described is in `kept`."""
    found: dict[tuple[str, ...], tuple[Any, list[ToolSpec], list[Any]]] = {}

    def describe_once(
        specs: Sequence[ToolSpec], source: ToolFile, derive: Any, domains: Collection[str] = ()
    ) -> tuple[list[ToolSpec], list[Any]]:
        file = source.file
        known = getattr(derive, "keywords", {})
        if derive and not known:  # a test's own
            return describe(specs, source, derive, domains)
        if file is None or source.overlays or file.suffix == ".py" or not file.resolve().is_relative_to(SHIPPED):
            return describe(specs, source, derive, domains)
        answered = known["is_answered"].args[0] if known else None
        told = answered and (answered.backend, answered.backends)
        key = (str(Path.cwd()), *map(repr, (source, sorted(domains), told)), *[str(id(spec)) for spec in specs])
        if key not in found:
            found[key] = (list(specs), *describe(specs, source, derive, domains))  # held, so that their ids stay theirs
            kept.update((id(spec), spec) for spec in found[key][1])
        return list(found[key][1]), list(found[key][2])

    return describe_once


def compiled_once(compile_: Callable[..., Any], kept: dict[int, ToolSpec]) -> Callable[..., Any]:
    """`compile_backend`, which compiles the same tools for the same recipe once; the last few are kept."""
    found: dict[tuple[Any, ...], Any] = {}

    def compile_once(toolbox: Toolbox, compile_value: Any, seed: int, **more: Any) -> Any:
        if any(id(spec) not in kept for spec in toolbox.values()):
            return compile_(toolbox, compile_value, seed, **more)
        key = (*[(name, id(spec)) for name, spec in toolbox.items()], repr(compile_value.keywords), seed, repr(more))
        if key not in found:
            if len(found) >= MOST:
                found.pop(next(iter(found)))
            found[key] = compile_(toolbox, compile_value, seed, **more)
        return found[key]

    return compile_once


def schemas_once(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """`read_schema`, which reads each schema once."""
    found: dict[bytes, Any] = {}

    def read_once(schema: Any) -> Any:
        try:
            key = orjson.dumps(schema)
        except (TypeError, RecursionError):  # what JSON cannot hold
            return read(schema)
        if key not in found:
            found[key] = read(schema)
        return found[key]

    return read_once
