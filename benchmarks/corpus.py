"""How fast cases of a corpus are made and written: `python -m benchmarks.corpus`.

`made`: cases. `written`: made, and written as a corpus is, a file of lines for each format. Beside them a plain script that
encodes the same lines with Python's `json`, from objects that are there already.

Processor time of one core; start-up (reading tools, pools of values) is told apart. Reach: 2,500 cases/s made and written.
"""

import argparse
import json
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

from generator.corpus import layout
from generator.corpus.case import Case
from generator.corpus.generation import CaseMaker, case_makers, make_case
from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
from generator.corpus.rows import row_formats
from generator.formats.wire.format import wire_formats
from generator.recipe.corpus import change_corpus, load_corpus

ROOT = Path(__file__).parents[1]
REACH = 2500
MEMORY = Path("/dev/shm")
"""Where Linux has files in memory."""


def measure(cases: int, beside: Path | None) -> dict[str, dict[str, float]]:
    """Cases a second by format: made, made and written, and encoded by a plain script."""
    known = (*wire_formats(), *row_formats())
    recipe = load_corpus(
        ROOT / "recipes/fuzz_parsers.yaml", wire=wire_formats(), rows=row_formats(), mutations=(*MUTATIONS, AMBIGUOUS)
    )
    recipe = change_corpus(recipe, cases=cases, seed=None, formats=tuple(wire_formats()), known=known)
    began = time.process_time()
    shops = case_makers(recipe)
    for shop in shops:
        make_case(shop, cases)  # a pool of values is made when it is first asked for
    found: dict[str, dict[str, float]] = {"start-up": {"seconds": time.process_time() - began}}
    spent = dict.fromkeys(("made", "written", "plain"), 0.0)
    for shop in shops:
        took = _of_format(shop, cases, beside)
        for name, seconds in took.items():
            spent[name] += seconds
        found[shop.fmt.name] = {name: cases / seconds for name, seconds in took.items()}
    total = cases * len(shops)
    found["all"] = {name: total / seconds for name, seconds in spent.items()}
    return found


def _of_format(shop: CaseMaker, cases: int, beside: Path | None) -> dict[str, float]:
    def made() -> Iterable[Case]:
        return (make_case(shop, index) for index in range(cases))

    with tempfile.TemporaryDirectory(dir=beside) as folder:
        written = _seconds(lambda: layout.write_format(Path(folder), shop.fmt.name, "wire", made()))
        lines = [json.loads(line) for line in (Path(folder) / f"{shop.fmt.name}.jsonl").read_bytes().splitlines()]
    return {
        "made": _seconds(lambda: deque(made(), maxlen=0)),
        "written": written,
        "plain": _seconds(lambda: [json.dumps(line, separators=(",", ":")).encode() for line in lines]),
    }


def _seconds(work: Callable[[], object]) -> float:
    """Processor time of a piece of work."""
    began = time.process_time()
    work()
    return time.process_time() - began


def main() -> None:
    """Print a table of cases a second."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200, help="cases of each format")
    parser.add_argument(
        "--folder", type=Path, default=MEMORY if MEMORY.is_dir() else None, help="where files are written"
    )
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    options = parser.parse_args()
    found = measure(options.cases, options.folder)
    print("| format | made/s | written/s | plain script/s | times its time |")
    print("|---|---|---|---|---|")
    for name, told in found.items():
        if "made" in told:
            speeds = " | ".join([f"{told[kind]:,.0f}" for kind in ("made", "written", "plain")])
            print(f"| {name} | {speeds} | {told['plain'] / told['written']:.1f} |")
    print(f"start-up: {found['start-up']['seconds']:.2f} s; reach {REACH:,} cases/s of one core, made and written")
    if options.json:
        options.json.write_text(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
