"""How much Python a row is: calls and opcodes, which are the same on every machine, idle or not.

    python -m benchmarks.calls [--check | --record] [--rows 40] [RECIPE ...]

A row of a warm process is made under a tracer that counts Python calls (of functions and generators) and opcodes. The table
has the medians of some rows of each recipe beside the figures recorded in `benchmarks/calls.json`; a median, because now and then a
row is the first that speaks of a tool, or is made again. `--check` ends with exit
code 1 when a figure has grown by more than 5 %; `--record` writes today's figures, which a change that
makes rows dearer has to do, so that everybody sees it. Figures hold for one minor version of Python; another one is told and not checked.
"""

import argparse
import json
import os
import platform
import statistics
import sys
from pathlib import Path
from types import FrameType
from typing import Any

RECORDED = Path(__file__).with_suffix(".json")
RECIPES = ("parallel", "sequential", "mixed", "conversations")
WARM = 200
"""Rows that are made first, so that what is done once a tool is not counted."""
ALLOWED = 1.05


def main() -> int:
    """Count, print a table, and compare or record."""
    options = _options()
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    counted = {name: count(name, options.rows) for name in options.recipes}
    comparable = recorded.get("python") == _python()
    before = recorded.get("a_row", {}) if comparable else {}
    print("| recipe | calls a row | opcodes a row | recorded |\n|---|---|---|---|")
    for name, figures in counted.items():
        told = before.get(name)
        beside = "-" if told is None else f"{told['calls']} / {told['opcodes']}"
        print(f"| {name} | {figures['calls']} | {figures['opcodes']} | {beside} |")
    if options.record:
        kept = {**before, **counted}
        RECORDED.write_text(json.dumps({"python": _python(), "a_row": kept}, indent=2) + "\n", encoding="utf-8")
    if not options.check:
        return 0
    if not comparable:
        print(f"not compared: the figures were recorded with Python {recorded.get('python')}, this is {_python()}")
        return 0
    grown = [
        f"{name}: {figures[what]} {what} a row, {before[name][what]} recorded"
        for name, figures in counted.items()
        for what in ("calls", "opcodes")
        if name in before and figures[what] > before[name][what] * ALLOWED
    ]
    for line in grown:
        print(f"grown by more than {round(ALLOWED * 100 - 100)} %: {line} (python -m benchmarks.calls --record)")
    return 1 if grown else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("recipes", nargs="*", default=RECIPES, metavar="RECIPE", help="names of recipes/")
    return parser.parse_args()


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])


def count(name: str, rows: int) -> dict[str, int]:
    """Return the median Python calls and opcodes of `rows` warm rows of recipes/<name>.yaml."""
    from generator.formats import FORMATS
    from generator.recipe import load_recipe
    from generator.run.row import make_row, prepare
    from generator.scenarios import SCENARIOS

    path = Path(__file__).parents[1] / "recipes" / f"{name}.yaml"
    prepared = prepare(load_recipe(path, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS)))
    for index in range(WARM):
        make_row(prepared, index)
    tracers = []
    for index in range(WARM, WARM + rows):
        tracer = _Tracer()
        tracers.append(tracer)
        sys.settrace(tracer.called)
        try:
            make_row(prepared, index)
        finally:
            sys.settrace(None)
    return {what: round(statistics.median(getattr(one, what) for one in tracers)) for what in ("calls", "opcodes")}


class _Tracer:
    """Counts what is traced."""

    def __init__(self) -> None:
        self.calls = 0
        self.opcodes = 0

    def called(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Count a call, and ask for its opcodes."""
        self.calls += 1
        frame.f_trace_lines = False
        frame.f_trace_opcodes = True
        return self.executed

    def executed(self, frame: FrameType, event: str, arg: Any) -> Any:
        """Count an opcode."""
        if event == "opcode":
            self.opcodes += 1
        return self.executed


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets decides which branch is taken first
        command = [sys.executable, "-m", "benchmarks.calls", *sys.argv[1:]]
        os.execve(sys.executable, command, {**os.environ, "PYTHONHASHSEED": "0"})
    raise SystemExit(main())
