"""How fast `convert` is: megabytes of the file that is read, a second of CPU time.

    python -m benchmarks.convert [--recipe recipes/mixed.yaml] [--rows 2000] [--rounds 5] [--pair openai:trl] [--json FILE]

Finished rows are written in the first format of each pair and converted to the second, in one process; rounds of all
pairs are interleaved and the least CPU time of each is taken. Rows that the second format refuses are counted beside.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from generator.formats import FORMATS
from generator.formats.sinks import encode_line
from generator.recipe import load_recipe
from generator.report.files.convert import convert_file
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

_PAIRS = ("openai:trl", "deepfabric:openai", "openai:deepfabric", "openai:anthropic", "trl:axolotl")


def main() -> None:
    """Measure and print a table."""
    options = _options()
    recipe = load_recipe(options.recipe, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))
    prepared = prepare(recipe)
    made = [make_row(prepared, index).row.conversation for index in range(options.rows)]
    report: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        sources = {name: Path(folder) / f"{name}.jsonl" for name in {pair.partition(":")[0] for pair in options.pair}}
        for name, path in sources.items():
            path.write_bytes(b"".join(encode_line(FORMATS[name].render(conversation)) for conversation in made))
        for _ in range(options.rounds):
            for pair in options.pair:
                name, _, to = pair.partition(":")
                seconds, left_out = _seconds(sources[name], name, to)
                known = report.setdefault(pair, {"rows": options.rows, "left_out": left_out, "seconds": seconds})
                known["seconds"] = min(seconds, known["seconds"])
        for pair, known in report.items():
            megabytes = sources[pair.partition(":")[0]].stat().st_size / 1e6
            known["megabytes_per_second"] = round(megabytes / known.pop("seconds"), 1)
    _print(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/mixed.yaml"))
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pair", action="append", help="FROM:TO, again for several")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    options.pair = options.pair or list(_PAIRS)
    return options


def _seconds(source: Path, name: str, to: str) -> tuple[float, int]:
    """CPU time of one conversion, and how many rows were left out."""
    target = source.with_name(f"{name}-{to}.jsonl")
    start = time.process_time()
    tally = convert_file(source, target, FORMATS[name], FORMATS[to], lambda *_: None, overwrite=True)
    return time.process_time() - start, tally.read - tally.written


def _print(report: dict[str, Any]) -> None:
    print("| from:to | rows | left out | MB/s |\n|---|---|---|---|")
    for pair, known in report.items():
        print(f"| {pair} | {known['rows']} | {known['left_out']} | {known['megabytes_per_second']} |")


if __name__ == "__main__":
    main()
