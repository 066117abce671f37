"""How fast and how small runs are, as ratios that are measured in one go: `python -m benchmarks.run`.

    python -m benchmarks.run [--recipe FILE] [--rows 10000] [--rounds 3] [--small 10000] [--large 100000] [--json FILE]

Everything is measured in rounds, in which what is compared takes turns, and medians are reported. Rows per second
and core, and the ratio of making rows to only writing them, are CPU time of one process. Speeds of runs are wall time, so
other work on the machine disturbs them. Two workers are compared with one twice: over the second half of a run, where all
of them have started, and over all of it, loading and the start of the second one included.
"""

import argparse
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks.rows import measure
from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.run.engine.blocks import BLOCK_ROWS
from generator.run.engine.progress import Event, RowsMade, RunStarted
from generator.run.engine.run import RunOptions, run
from generator.run.row import prepare
from generator.scenarios import SCENARIOS

Measures = dict[str, float]
BLOCKS = 20
"""Blocks of a measured run that is short; others have the usual size."""
_FOUR = ("deepfabric", "openai", "trl", "sharegpt")
SLOW = ("litellm", "hypothesis", "faker", "jsonschema")
REACH = {
    "rows_per_second_and_core": "≥ 20,000",
    "making_to_writing": "≤ 10",
    "two_workers_to_one_once_started": "≥ 1.8",
    "two_workers_to_one_whole_run": "",
    "four_formats_to_one": "≤ 2",
    "memory_large_to_small": "≤ 1.1",
    "memory_mb": "< 400",
    "help_cpu_seconds": "≤ 0.25",
    "help_slow_imports": "0",
}


def main() -> None:
    """Measure, print a table, write JSON."""
    options = _options()
    recipe = load_recipe(options.recipe, scenarios=SCENARIOS, formats=FORMATS)
    report: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "recipe": recipe.name,
        "rows": options.rows,
        "rounds": options.rounds,
        "memory_rows": [options.small, options.large],
        "measured": {
            **_rows(recipe, options.rows, options.rounds),
            **_runs(recipe, options.rows, options.rounds),
            **_memory(options.recipe, options.small, options.large),
            **_help(options.rounds),
        },
    }
    print(f"{report['machine']}; {recipe.name}, {options.rows:,} rows, {options.rounds} rounds\n")
    print("| what | measured | reach |\n|---|---|---|")
    for name, value in report["measured"].items():
        print(f"| {name.replace('_', ' ')} | {value:,} | {REACH.get(name, '')} |")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/parallel.yaml"))
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _rows(recipe: Recipe, count: int, rounds: int) -> Measures:
    """Making rows against only serialising and writing them."""
    prepared = prepare(recipe)
    measure(prepared, min(count, BLOCK_ROWS))  # fills the pools
    measured = [measure(prepared, count) for _ in range(rounds)]
    making = [one.making for one in measured]
    return {
        "rows_per_second_and_core": round(count / statistics.median(making)),
        "microseconds_per_row": round(statistics.median(making) / count * 1e6, 1),
        "bytes_per_row": round(measured[0].size / count),
        "making_to_writing": _ratio(making, [one.writing for one in measured]),
    }


def _runs(recipe: Recipe, count: int, rounds: int) -> Measures:
    """Whole runs: two workers against one, four formats against one."""
    one_format = msgspec.structs.replace(recipe, rows=count, formats=("deepfabric",))
    four_formats = msgspec.structs.replace(one_format, formats=_FOUR)
    size = max(1, min(BLOCK_ROWS, count // BLOCKS))
    kinds: dict[str, Callable[[], Speed]] = {
        "one": lambda: _speed(one_format, RunOptions(executor="serial", block_rows=size)),
        "two": lambda: _speed(one_format, RunOptions(executor="processes", workers=2, block_rows=size)),
        "formats": lambda: _speed(four_formats, RunOptions(executor="serial", block_rows=size)),
    }
    _speed(
        msgspec.structs.replace(four_formats, rows=min(count, BLOCKS)), RunOptions()
    )  # imports what is imported late
    speeds: dict[str, list[Speed]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, speed_of in kinds.items():
            speeds[name].append(speed_of())
    one, two, formats = speeds["one"], speeds["two"], speeds["formats"]
    return {
        "run_rows_per_second_one_worker": round(statistics.median(speed.started for speed in one)),
        "run_rows_per_second_two_workers": round(statistics.median(speed.started for speed in two)),
        "two_workers_to_one_once_started": _ratio([s.started for s in two], [s.started for s in one]),
        "two_workers_to_one_whole_run": _ratio([s.whole for s in two], [s.whole for s in one]),
        "four_formats_to_one": _ratio([s.cpu for s in formats], [s.cpu for s in one]),
    }


class Speed(NamedTuple):
    """Of one run."""

    started: float
    """Rows per second over the second half of the rows, when all workers are at work."""
    whole: float
    """Rows per second over all of it."""
    cpu: float
    """Seconds of this process from the first row on."""


def _speed(recipe: Recipe, how: RunOptions) -> Speed:
    made: list[tuple[float, int]] = []
    ready = 0.0

    def listener(event: Event) -> None:
        nonlocal ready
        if isinstance(event, RunStarted):
            ready = time.process_time()
        if isinstance(event, RowsMade):
            made.append((time.perf_counter(), event.made))

    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        run(recipe, Path(folder) / "out", listener, how)
        whole = time.perf_counter() - begun
    cpu = time.process_time() - ready
    (since, before), (until, after) = made[(len(made) - 1) // 2], made[-1]
    return Speed((after - before) / (until - since) if until > since else 0.0, recipe.rows / whole, cpu)


_RUN = """
import resource, sys, tempfile
from pathlib import Path
import msgspec
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS
recipe = load_recipe(Path(sys.argv[1]), scenarios=SCENARIOS, formats=FORMATS)
with tempfile.TemporaryDirectory() as folder:
    run(msgspec.structs.replace(recipe, rows=int(sys.argv[2])), Path(folder) / "out", how=RunOptions())
try:  # what getrusage says on Linux begins with the size of the process that started this one
    with open("/proc/self/status") as status:
        print(next(line.split()[1] for line in status if line.startswith("VmHWM")))
except OSError:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
_MODULES = """
import sys
sys.argv[1:] = ["--help"]
from generator.cli import main
try:
    main()
finally:
    sys.stderr.write(" ".join(sys.modules))
"""


def _memory(recipe: Path, small: int, large: int) -> Measures:
    """Peak memory of a long run against that of a short one."""
    peaks = [int(_python("-c", _RUN, str(recipe), str(rows)).stdout) * 1024 / 1e6 for rows in (small, large)]
    return {"memory_large_to_small": round(peaks[1] / peaks[0], 2), "memory_mb": round(peaks[1])}


def _help(rounds: int) -> Measures:
    seconds = []
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        _python("-m", "generator", "--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    modules = set(_python("-c", _MODULES).stderr.split())
    return {
        "help_cpu_seconds": round(statistics.median(seconds), 3),
        "help_slow_imports": len(modules.intersection(SLOW)),
    }


def _python(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)


def _ratio(left: list[float], right: list[float]) -> float:
    """The median of the rounds' ratios."""
    return round(statistics.median(a / b if b else 0.0 for a, b in zip(left, right, strict=True)), 2)


if __name__ == "__main__":
    main()
