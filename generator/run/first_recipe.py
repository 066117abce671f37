"""A first recipe for somebody's tools: the scenarios that these can serve, each tried with rows."""

import json
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from generator.core.errors import PlanError, RowError
from generator.core.files import read_regular
from generator.core.toolbox import LeftOut
from generator.recipe import Recipe
from generator.run.prepared import PreparedRecipe
from generator.run.row import make_row
from generator.run.usable import prepare_usable
from generator.scenarios import SCENARIOS
from generator.scenarios.scripts import SCRIPTED

TRIALS = 3
"""Rows of each scenario that are made before a recipe names it."""
_TEMPLATE = Path(__file__).with_suffix(".txt")
_SCRIPTS = (
    "# Whole conversations with references instead of values, of which all rows are made: docs/scripts.md, and for more of them "
    "`tools author`.\nscripts: {{share: 1, files: [{}]}}\n\n"
)
_ROWS, _ROWS_A_SCRIPT = 1000, 40


def served_scenarios(recipe: Recipe) -> tuple[dict[str, str], tuple[LeftOut, ...]]:
    """Return why the tools of a recipe cannot serve each scenario, nothing where they can; and the tools that runs leave out.

    Raises:
        GeneratorError: for tools that cannot be used.
    """
    prepared = prepare_usable(msgspec.structs.replace(recipe, scenarios=()))
    served = {name: _why_not_served(prepared, name) for name in SCENARIOS if name not in SCRIPTED}
    return served, tuple([one for one in prepared.left_out if one.what == "tool"])


def _why_not_served(prepared: PreparedRecipe, name: str) -> str:
    """Return why a scenario cannot be made with the tools; empty when a few rows of it can."""
    scenario = SCENARIOS[name]
    alone = msgspec.structs.replace(prepared, scenarios=(scenario,), scenario_bounds=(1.0,))
    try:
        scenario.tools(prepared.toolkit)
        for index in range(TRIALS):
            make_row(alone, index)
    except (PlanError, RowError) as fault:
        return " ".join(str(fault).split()).removeprefix(f"scenario {name!r} ")
    return ""


def written_beside(file: Path | None) -> dict[str, Path]:
    """Return what `tools author` wrote beside a file of tools, as far as it is there: `world` and `scripts`."""
    paths = {} if file is None else {name: file.parent / f"{file.stem}.{name}.yaml" for name in ("world", "scripts")}
    return {name: path for name, path in paths.items() if path.is_file()}


def recipe_text(
    name: str,
    tools: str | dict[str, Any],
    source: str,
    schema: str,
    served: dict[str, str],
    scripts: str = "",
    number: int = 0,
) -> str:
    """Return the text of a recipe; files are named as seen from it.

    `source` is where the tools are from, for people; `served` maps scenarios to why the tools cannot serve them, or nothing.
    """
    good = [
        f"  {scenario}: {3 if scenario == 'single' else 1}".ljust(24) + f"# {SCENARIOS[scenario].about}"
        for scenario, why in served.items()
        if not why
    ]
    bad = [f"#   {scenario}: {why}" for scenario, why in served.items() if why]
    return Template(read_regular(_TEMPLATE).decode()).substitute(
        name=name,
        tools=json.dumps(tools, ensure_ascii=False),
        source=" ".join(source.split()),
        schema=schema,
        scripts=_SCRIPTS.format(json.dumps(scripts, ensure_ascii=False)) if scripts else "",
        rows=min(_ROWS, _ROWS_A_SCRIPT * number or _ROWS),
        scenarios="\n".join(["  script: 1".ljust(24) + "# whatever the scripts are about"] if scripts else good),
        missing="".join(f"{line}\n" for line in ["# What these tools cannot serve:", *bad])
        if bad and not scripts
        else "",
    )
