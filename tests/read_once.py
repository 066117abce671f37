"""What is read many times in one process of the tests, and is the same each time: the shipped tools, and schemas.

Both are half of what opening a recipe takes, and tests open shipped recipes hundreds of times. The first reading is that
of the program; what it gives is frozen.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from generator.profiles import Profile
from generator.recipe import ToolFile

SHIPPED = Path(__file__).parents[1] / "tool_specs"


def tools_once(read: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
    """`read_tools`, which reads each shipped file once."""
    found: dict[tuple[str, ...], list[Any]] = {}

    def read_once(source: ToolFile, profile: Profile | None = None, seed: int = 0, **more: Any) -> list[Any]:
        file = source.file
        if file is None or file.suffix == ".py" or not file.resolve().is_relative_to(SHIPPED):
            return read(source, profile, seed, **more)
        key = (str(Path.cwd()), *map(repr, (source, profile, source.select.count and seed, more)))
        if key not in found:
            found[key] = read(source, profile, seed, **more)
        return list(found[key])

    return read_once


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
