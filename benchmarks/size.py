"""The ruler: how much code each room of `generator/` holds and how many Python calls a row takes; neither may grow.

    python -m benchmarks.size [--check | --record WHAT] [--statements]

`benchmarks/size.json` is a list of entries, the oldest first: AST statements by room, which no formatter changes, and for some
shipped recipes the Python calls of one row (functions and generators; the same on every machine, idle or not): those of loading
the recipe and making its first 1,000 rows, by row, which users wait for (`whole`; what is kept between starts is there, as it is
from the second start on), and the median of the last 200 rows, when all that is done once a tool is done (`warm`); with the modules
that saying and checking one of these enter, which is what somebody reads who follows a sentence (`files`, the median; those of the
rooms `scenarios` and `dialogue`). The last entry is the mark. `--check` ends with exit code 1 when a room or a figure of a row is above its mark. `--record WHAT`
appends today's figures with a sentence on what changed them, and refuses to when their sum, or a figure of a row, has
grown: a room may rise only where others fall by as much. `--statements` leaves the rows out. Calls hold for
one minor version of Python; under another one they are shown and not checked.
"""

import argparse
import ast
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
RECORDED = Path(__file__).with_suffix(".json")
RECIPES = ("parallel", "conversations")
ROWS, WARM = 1000, 200
WORDS = tuple(f"{ROOT}/generator/{room}/" for room in ("scenarios", "dialogue"))
ALLOWED = 1.01
"""Calls of a row follow the values of libraries whose patch releases are not pinned."""


def main() -> int:
    """Count, print a table, and compare or record."""
    options = _options()
    history = json.loads(RECORDED.read_text(encoding="utf-8"))
    mark = history[-1]
    today: dict[str, Any] = {"statements": statements(ROOT / "generator"), "calls": {}}
    if not options.statements:
        today["calls"] = {name: calls(name) for name in RECIPES if _started(name)}
    print(_table(mark, today))
    if options.record:
        entry = {"date": date.today().isoformat(), "what": options.record, "python": _python(), **today}
        faults = list(growth(mark, entry))
        if not faults:
            lines = ",\n".join(json.dumps(one) for one in [*history, entry])
            RECORDED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    else:
        faults = list(above(mark, today)) if options.check else []
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--record", metavar="WHAT")
    parser.add_argument("--statements", action="store_true")
    options = parser.parse_args()
    if options.record and options.statements:
        parser.error("--record needs all figures: leave --statements out")
    return options


def _python() -> str:
    return ".".join(platform.python_version_tuple()[:2])


def statements(package: Path) -> dict[str, int]:
    """Return the AST statements of each room, docstrings aside; modules that stand in no room count as room ``""``."""
    counted: dict[str, int] = {}
    for path in sorted(package.rglob("*.py")):
        room, *inner = path.relative_to(package).parts
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = sum(isinstance(node, ast.stmt) and not _is_text(node) for node in ast.walk(tree))
        counted[room if inner else ""] = counted.get(room if inner else "", 0) + found
    return counted


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def above(mark: dict[str, Any], today: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each figure of today that is above its mark."""
    for room, count in today["statements"].items():
        if count > mark["statements"].get(room, 0):
            yield (
                f"generator/{room} has {count} statements, {mark['statements'].get(room, 0)} at most: take out as much as you "
                "put in; or, where another room fell by as much, python -m benchmarks.size --record WHAT"
            )
    yield from _dearer(mark, today)


def growth(before: dict[str, Any], entry: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence for each figure by which an entry of the history may not stand behind the one before it."""
    sums = [sum(one["statements"].values()) for one in (before, entry)]
    if sums[1] > sums[0]:
        yield f"{entry['what']}: {sums[1]} statements in all, {sums[0]} before: the sum only falls"
    yield from _dearer(before, entry)


def _dearer(mark: dict[str, Any], today: dict[str, Any]) -> Iterator[str]:
    if mark["python"] != today.get("python", _python()):
        return
    for name, figures in today["calls"].items():
        for what, count in figures.items():
            most = mark["calls"].get(name, {}).get(what)
            if most is not None and count > most * ALLOWED:
                yield f"{name}: {count} {'modules' if what == 'files' else 'calls'} a row ({what}), {most} at most"


def _table(mark: dict[str, Any], today: dict[str, Any]) -> str:
    lines = ["| room | statements | mark |", "|---|---|---|"]
    lines += [
        f"| {room} | {count} | {mark['statements'].get(room, 0)} |" for room, count in today["statements"].items()
    ]
    lines += [f"| in all | {sum(today['statements'].values())} | {sum(mark['statements'].values())} |"]
    if today["calls"]:
        lines += ["", "| recipe | calls a row, first 1,000 | mark | warm | mark | modules | mark |", "|---" * 7 + "|"]
    for name, figures in today["calls"].items():
        most = mark["calls"].get(name, dict.fromkeys(figures, "-"))
        lines.append(
            f"| {name} | " + " | ".join(f"{count} | {most.get(what, '-')}" for what, count in figures.items()) + " |"
        )
    return "\n".join(lines)


def calls(name: str, rows: int = ROWS, warm: int = WARM) -> dict[str, int]:
    """Return the Python calls of a row of recipes/<name>.yaml: the mean of the first rows, the median of the last of them."""
    from generator.formats import FORMATS
    from generator.recipe import load_recipe
    from generator.run.row import make_row, prepare
    from generator.scenarios import SCENARIOS

    path = ROOT / "recipes" / f"{name}.yaml"
    recipe = load_recipe(path, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))
    prepared, start = _counted(lambda: prepare(recipe))
    counted = [_counted(partial(make_row, prepared, index))[1] for index in range(rows)]
    last = counted[-warm:]
    return {
        "whole": round((start.calls + sum(one.calls for one in counted)) / rows),
        "warm": round(statistics.median(one.calls for one in last)),
        "files": round(statistics.median(one.modules for one in last)),
    }


def _started(name: str) -> bool:
    """Run a recipe, so that what is kept between starts is there; return whether it could be."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "generator", "run", str(ROOT / "recipes" / f"{name}.yaml")]
        options = ["--rows", str(ROWS), "--workers", "1", "--quiet", "--overwrite", "--out", folder]
        return subprocess.run([*command, *options], check=True).returncode == 0


def _counted(make: Callable[[], Any]) -> tuple[Any, "_Counter"]:
    """Return what a function makes, and what that takes."""
    counter = _Counter()
    sys.setprofile(counter.happened)
    try:
        made = make()
    finally:
        sys.setprofile(None)
    return made, counter


class _Counter:
    """Counts calls of Python functions, and generators that go on, and remembers the files that they are in."""

    def __init__(self) -> None:
        self.calls = 0
        self.files: set[str] = set()

    @property
    def modules(self) -> int:
        """Modules of the rooms that say and check words."""
        return sum(file.startswith(WORDS) for file in self.files)

    def happened(self, frame: FrameType, event: str, arg: Any) -> None:
        """Count what the interpreter tells."""
        if event == "call":
            self.calls += 1
            self.files.add(frame.f_code.co_filename)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # the order of sets decides which branch is taken first
        command = [sys.executable, "-m", "benchmarks.size", *sys.argv[1:]]
        with tempfile.TemporaryDirectory() as kept:
            environment = {**os.environ, "PYTHONHASHSEED": "0", "XDG_CACHE_HOME": kept}
            raise SystemExit(subprocess.run(command, env=environment, check=False).returncode)
    raise SystemExit(main())
