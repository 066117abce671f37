"""What tools that nobody described cost: deriving, checking, and rows at levels 1 and 2 beside rows at level 3.

    python benchmarks/own_tools.py [--rows 1500] [--rounds 5] [--checks 40] [--json FILE] [SPEC ...]

The tools are our own, which somebody described (level 3): shop, tickets, calendar, hr and travel. For level 1 only their functions
are kept, and everything is derived; for level 2 the derivation is an overlay of a model's. Every round makes rows of
each level in turn, of the same scenarios; the table has CPU microseconds a call and, as medians of rounds, the ratio to
level 3. SPECs (MCP dumps, OpenAPI documents, anything that `tools read` reads) are derived and checked too.
"""

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from generator.core.overlays import join_pieces
from generator.core.yaml_values import read_yaml
from generator.formats import FORMATS
from generator.recipe import ToolFile, load_recipe
from generator.run.described import derived_entities, describe_source, faults_of_tools
from generator.run.prepared import derive_all
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS
from generator.tools.specs.load import bare_tools

LIBRARY = Path(__file__).parents[1] / "tool_specs"
_SERVERS = ("shop", "tickets", "calendar", "hr", "travel")
_MIX = {"single": 3, "parallel": 2, "sequential": 2}
_LEVELS = ("level 3", "level 2", "level 1")


def main() -> None:
    """Measure and print tables."""
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        levels = {level: _prepared(Path(folder), level, options.servers) for level in _LEVELS}
        for prepared in levels.values():
            measure(prepared, min(200, options.rows))  # fills the pools
        rounds = [
            {level: measure(prepared, options.rows) for level, prepared in levels.items()}
            for _ in range(options.rounds)
        ]
        report: dict[str, Any] = {"rows": {level: _of_level(level, rounds) for level in _LEVELS}}
        specs = options.specs or [Path(folder) / f"{name}.json" for name in options.servers]
        report["specs"] = {path.name: _of_spec(path, options.checks) for path in specs}
    print("| | µs a call | ratio to level 3 |\n|---|---|---|")
    for level, row in report["rows"].items():
        print(f"| {level} | {row['microseconds']} | {row['ratio']} |")
    print("\n| spec | tools | deriving, ms a tool | checks, s for 100 tools | faults |\n|---|---|---|---|---|")
    for name, row in report["specs"].items():
        print(f"| {name} | {row['tools']} | {row['derive']} | {row['checks']} | {row['faults']} |")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--checks", type=int, default=40, help="trial rows a tool")
    parser.add_argument(
        "--servers",
        type=lambda text: text.split(","),
        default=list(_SERVERS),
        help="of tool_specs, with commas between them",
    )
    parser.add_argument("--json", type=Path)
    parser.add_argument("specs", nargs="*", type=Path, metavar="SPEC")
    return parser.parse_args()


def _prepared(folder: Path, level: str, servers: list[str]) -> PreparedRecipe:
    """A recipe with the same functions and scenarios, described as the level says."""
    sources: list[Any] = []
    for name in servers:
        written, bare = LIBRARY / f"{name}.yaml", folder / f"{name}.json"
        functions = [tool["function"] for tool in read_yaml(written.read_text("utf-8"))[0]["tools"]]
        bare.write_text(
            json.dumps([{"type": "function", "function": function} for function in functions]), encoding="utf-8"
        )
        if level == "level 3":
            sources.append(str(written))
        elif level == "level 1":
            sources.append({"file": str(bare), "undescribed": "keep"})  # the same tools at each level
        else:
            sources.append({"file": str(bare), "describe": "bare", "overlay": [str(_overlay(bare))]})
    path = folder / f"{level.replace(' ', '_')}.yaml"
    recipe = {
        "name": "own_tools",
        "seed": 11,
        "rows": 10,
        "tools": sources,
        "scenarios": _MIX,
        "calls": 2,
        "steps": 2,
        "formats": ["openai"],
    }
    path.write_text(yaml.safe_dump(recipe), encoding="utf-8")
    return prepare(load_recipe(path, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS)))


def _overlay(bare: Path) -> Path:
    """What is derived of some tools, as an overlay that a model might have written."""
    tools = describe_source(ToolFile(file=bare))
    said = {tool.spec.name: join_pieces(tool.derived) for tool in tools}
    path = bare.with_suffix(".model.yaml")
    entities = derived_entities(ToolFile(file=bare))
    path.write_text(yaml.safe_dump({"origin": "model", "entities": entities, "tools": said}), encoding="utf-8")
    return path


def measure(prepared: PreparedRecipe, rows: int) -> float:
    """Return the CPU microseconds that each call of some rows takes."""
    started, calls = time.process_time(), 0
    for index in range(rows):
        calls += sum(
            len(getattr(message, "tool_calls", ())) for message in make_row(prepared, index).row.conversation.messages
        )
    return (time.process_time() - started) / calls * 1e6


def _of_level(level: str, rounds: list[dict[str, float]]) -> dict[str, float]:
    ratio = statistics.median([one[level] / one["level 3"] for one in rounds])
    return {"microseconds": round(statistics.median([one[level] for one in rounds])), "ratio": round(ratio, 2)}


def _of_spec(path: Path, rows: int) -> dict[str, float]:
    """How long deriving and checking takes, without reading the file."""
    specs = [spec for spec, _ in bare_tools(ToolFile(file=path, on_illegal="repair")).tools]
    derive_all(specs)
    started = time.process_time()
    derive_all(specs)
    derived = time.process_time() - started
    tools = describe_source(ToolFile(file=path, on_illegal="repair"))
    started = time.process_time()
    faults = [fault for fault in faults_of_tools(tools, rows) if not fault.is_told]
    checked = time.process_time() - started
    count = len(tools)
    return {
        "tools": count,
        "derive": round(derived / count * 1000, 1),
        "checks": round(checked / count * 100, 1),
        "faults": len(faults),
    }


if __name__ == "__main__":
    main()
