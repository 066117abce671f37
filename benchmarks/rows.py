"""How fast rows are made, and how that compares with only writing the same rows.

    python benchmarks/rows.py [--recipe recipes/parallel.yaml] [--rows 3000] [--rounds 5] [--json FILE]

In every round the same rows are made (planned, filled, answered, worded, proven, validated, rendered, written) and then,
already finished, only serialised and written; rounds are interleaved and medians reported. Times are CPU seconds of one
process, so other work on the machine disturbs them little. Start-up (loading and compiling tools, pools of values) is
measured apart.
"""

import argparse
import json
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.alike import alike
from generator.run.blocks import BLOCK_ROWS
from generator.run.row import Begun, Workshop, make_row, prepare
from generator.scenarios import SCENARIOS


def main() -> None:
    """Measure and print a table."""
    options = _options()
    recipe = load_recipe(options.recipe, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))
    started = time.process_time()
    workshop = prepare(recipe)
    finished = [make_row(workshop, index).record for index in range(200)]  # fills the pools
    start_up = time.process_time() - started
    making, writing = [], []
    for _ in range(options.rounds):
        seconds, finished = _make(workshop, options.rows)
        making.append(seconds)
        writing.append(_write(finished))
    made, written = statistics.median(making), statistics.median(writing)
    size = sum(len(orjson.dumps(record)) for record in finished) / len(finished)
    report: dict[str, Any] = {
        "recipe": recipe.name,
        "rows": options.rows,
        "bytes_per_row": round(size),
        "start_up_seconds": round(start_up, 2),
        "rows_per_second": round(options.rows / made),
        "microseconds_per_row": round(made / options.rows * 1e6, 1),
        "ratio_to_writing": round(made / written, 1),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
    }
    width = max(map(len, report))
    for name, value in report.items():
        print(f"{name.replace('_', ' '):{width}}  {value}")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/parallel.yaml"))
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _make(workshop: Workshop, rows: int) -> tuple[float, list[dict[str, object]]]:
    """CPU seconds to make and write the rows, and their records."""
    finished = []
    with tempfile.TemporaryFile() as file:
        started = time.process_time()
        for begun in _begun(workshop, rows):
            record = make_row(workshop, begun.index, begun).record
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            finished.append(record)
        file.flush()
        return time.process_time() - started, finished


def _begun(workshop: Workshop, rows: int) -> Iterator[Begun]:
    """The rows, begun as a run makes them: block by block, those of the same tools side by side."""
    for start in range(0, rows, BLOCK_ROWS):
        yield from alike(workshop, range(start, min(rows, start + BLOCK_ROWS)))


def _write(records: list[dict[str, object]]) -> float:
    """CPU seconds to serialise and write finished rows."""
    with tempfile.TemporaryFile() as file:
        started = time.process_time()
        for record in records:
            file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
        file.flush()
        return time.process_time() - started


if __name__ == "__main__":
    main()
