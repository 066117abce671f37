"""How fast rows are made, and how that compares with only writing the same rows.

    python benchmarks/rows.py [--recipe recipes/parallel.yaml] [--rows 3000] [--rounds 5] [--json FILE]

In every round rows are made (planned, filled, answered, worded, proven, validated, rendered, written), block by block, and the
rows of each block, already finished, are then only serialised and written; medians of rounds are reported. Times are CPU seconds of one
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
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.engine.blocks import BLOCK_ROWS
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS


def main() -> None:
    """Measure and print a table."""
    options = _options()
    recipe = load_recipe(options.recipe, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))
    started = time.process_time()
    prepared = prepare(recipe)
    measure(prepared, 200)  # fills the pools
    start_up = time.process_time() - started
    measure(prepared, BLOCK_ROWS)
    rounds = [measure(prepared, options.rows) for _ in range(options.rounds)]
    made = statistics.median([one.making for one in rounds])
    written = statistics.median([one.writing for one in rounds])
    report: dict[str, Any] = {
        "recipe": recipe.name,
        "rows": options.rows,
        "bytes_per_row": round(rounds[0].size / options.rows),
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


class Measured(NamedTuple):
    """One round."""

    making: float
    """CPU seconds to make and write the rows."""
    writing: float
    """CPU seconds to serialise and write the same rows once more."""
    size: int
    """Bytes written."""


def measure(prepared: PreparedRecipe, rows: int) -> Measured:
    """Make rows as a run does, block by block; then only write them."""
    making, writing = 0.0, 0.0
    with tempfile.TemporaryFile() as file, tempfile.TemporaryFile() as again:
        for start in range(0, rows, BLOCK_ROWS):
            records = []
            started = time.process_time()
            for index in range(start, min(rows, start + BLOCK_ROWS)):
                record = make_row(prepared, index).record
                file.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
                records.append(record)
            file.flush()
            made = time.process_time()
            for record in records:
                again.write(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
            again.flush()
            making += made - started
            writing += time.process_time() - made
        return Measured(making, writing, file.tell())


if __name__ == "__main__":
    main()
