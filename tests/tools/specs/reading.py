"""Short ways to read tools in tests."""

import json
from pathlib import Path

from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.recipe.tools import Select
from generator.tools.specs.models import ToolVerdict
from generator.tools.specs.read import read_tools


def verdicts(folder: Path, value: object, name: str = "tools.json", **source: object) -> list[ToolVerdict]:
    """What becomes of the tools of a file with that value (a text is written as it is)."""
    path = folder / name
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    profile = source.pop("profile", None)
    return read_tools(ToolFile(file=path, **source), profile)


def tools(folder: Path, value: object, name: str = "tools.json", **source: object) -> dict[str, ToolSpec]:
    """The tools of such a file, none of which is refused."""
    found = verdicts(folder, value, name, **source)
    assert [verdict.reasons for verdict in found if verdict.spec is None] == []
    return {verdict.name: verdict.spec for verdict in found if verdict.spec is not None}


__all__ = ["Select", "ToolFile", "ToolVerdict", "tools", "verdicts"]
