"""How fast cases of a corpus are made and written: `python -m benchmarks.corpus`.

Measures processor time of one core, start-up (reading tools, pools of values) apart, in a file system in memory where
there is one, beside a plain loop that writes the same files: what a file costs differs ten times between file systems.
Reach: 2,000 cases/s, made and written.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from generator.corpus import layout
from generator.corpus.making import case_makers, make_case
from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
from generator.corpus.rows import row_formats
from generator.recipe.corpus import change_corpus, load_corpus
from generator.wire.format import wire_formats

ROOT = Path(__file__).parents[1]
REACH = 2000
MEMORY = Path("/dev/shm")
"""Where Linux has files in memory."""


def measure(cases: int, beside: Path | None) -> dict[str, dict[str, float]]:
    """Cases a second by format: made, made and written, and only written by a plain loop."""
    known = (*wire_formats(), *row_formats())
    recipe = load_corpus(
        ROOT / "recipes/fuzz_parsers.yaml", wire=wire_formats(), rows=row_formats(), mutations=(*MUTATIONS, AMBIGUOUS)
    )
    recipe = change_corpus(recipe, cases=cases, seed=None, formats=tuple(wire_formats()), known=known)
    began = time.process_time()
    shops = case_makers(recipe)
    found: dict[str, dict[str, float]] = {"start-up": {"seconds": time.process_time() - began}}
    spent = {"made": 0.0, "written": 0.0, "loop": 0.0}
    for shop in shops:
        began = time.process_time()
        made = [make_case(shop, index) for index in range(cases)]
        between = time.process_time()
        with tempfile.TemporaryDirectory(dir=beside) as folder:
            out = Path(folder) / shop.fmt.name
            layout.write_format(out, shop.fmt.name, made, layout.text_pieces(shop.fmt), ".txt")
            ended = time.process_time()
            loop = _write_again(out, Path(folder) / "again")
        took = {"made": between - began, "written": ended - began, "loop": loop}
        for name, seconds in took.items():
            spent[name] += seconds
        found[shop.fmt.name] = {name: cases / seconds for name, seconds in took.items()}
    total = cases * len(shops)
    found["all"] = {name: total / seconds for name, seconds in spent.items()}
    return found


def _write_again(folder: Path, to: Path) -> float:
    """Processor time of a loop that writes all files of a folder that are in memory already."""
    files = [(path.relative_to(folder), path.read_bytes()) for path in folder.rglob("*") if path.is_file()]
    for path, _ in files:
        (to / path).parent.mkdir(parents=True, exist_ok=True)
    began = time.process_time()
    for path, data in files:
        (to / path).write_bytes(data)
    return time.process_time() - began


def main() -> None:
    """Print a table of cases a second."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200, help="cases of each format")
    parser.add_argument(
        "--folder", type=Path, default=MEMORY if MEMORY.is_dir() else None, help="where files are written"
    )
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    options = parser.parse_args()
    found = measure(options.cases, options.folder)
    print(
        "| format | made/s | made and written/s | the same files by a plain loop/s | times its time |\n|---|---|---|---|---|"
    )
    for name, numbers in found.items():
        if "made" in numbers:
            made, written, loop = numbers["made"], numbers["written"], numbers["loop"]
            print(f"| {name} | {made:,.0f} | {written:,.0f} | {loop:,.0f} | {loop / written:.1f} |")
    print(f"start-up: {found['start-up']['seconds']:.2f} s; reach {REACH:,} cases/s of one core")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
