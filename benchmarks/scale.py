"""What many rows and many machines cost: `python -m benchmarks.scale`.

    python -m benchmarks.scale [--recipe FILE] [--rows 2000] [--small 10000] [--large 100000] [--blocks 200] [--json FILE]

- Two workers against one: CPU time of all processes and wall time, whole runs of `--rows` rows, start and end included.
- Ray against the same blocks made here: CPU time of all processes (on Linux) for each of `--blocks` blocks of one row, once all
  workers have loaded, and what starting it takes. Left out where Ray is not installed.
- Peak memory of the parent of two workers after `--small` and after `--large` rows of `light.yaml`, and every 50,000 rows on the way
  (to standard error, in KiB); `--large 0` leaves it out. A million rows take 15 minutes of one core.
- Passes over the data set: CPU time for each row of the hashes, of finding equal ones, of near requests (where rensa is
  installed, with its memory), of shares.

From these follow core-hours, storage and objects of large runs, which are printed with what they assume.
"""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import msgspec

from generator.formats import FORMATS
from generator.formats.run_folder.files import Layout
from generator.formats.run_folder.manifest import read_manifest
from generator.recipe import Recipe, load_recipe
from generator.report.files.contamination import digest_of
from generator.run.engine.blocks import Block, open_recipe
from generator.run.engine.executors import Serial
from generator.run.engine.on_ray import Ray
from generator.run.engine.passes.decide import Shares
from generator.run.engine.passes.facts import Hashes, said_in
from generator.run.engine.run import job_of, size_of
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

Measures = dict[str, float]
LIGHT = Path(__file__).parent / "light.yaml"
LARGE = (10**6, 10**8, 10**9)
ROWS_OF_A_FILE = 100_000


def main() -> None:
    """Measure, print tables, write JSON."""
    options = _options()
    recipe = msgspec.structs.replace(
        load_recipe(options.recipe, scenarios=SCENARIOS, formats=FORMATS), rows=options.rows
    )
    measured = _workers(options.recipe, options.rows)
    measured |= _memory(LIGHT, options.small, options.large) if options.large else {}
    measured |= _passes(recipe, options.rows)
    if find_spec("ray") is not None:
        measured |= _ray(recipe, options.blocks)
    print(
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; {recipe.name}, {options.rows:,} rows\n"
    )
    print("| what | measured |\n|---|---|")
    for name, value in measured.items():
        print(f"| {name.replace('_', ' ')} | {value:,} |")
    print("\n| rows | core-hours | storage, GB | objects while it is made | objects then |\n|---|---|---|---|---|")
    for rows in LARGE:
        print(_large(rows, measured))
    if options.json:
        options.json.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/parallel.yaml"))
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--small", type=int, default=10_000)
    parser.add_argument("--large", type=int, default=100_000)
    parser.add_argument("--blocks", type=int, default=200)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _large(rows: int, measured: Measures) -> str:
    """A line of the table: one format and proofs, in blocks of two objects each, then in files of 100,000 rows."""
    hours = rows * measured["microseconds_per_row"] / 3.6e9
    blocks = 2 * -(-rows // size_of(measured["microseconds_per_row"] / 1e6, rows))
    files = 2 * -(-rows // ROWS_OF_A_FILE)
    return f"| {rows:,} | {hours:,.1f} | {rows * measured['bytes_per_row'] / 1e9:,.0f} | {blocks:,} | {files:,} |"


def _workers(recipe: Path, rows: int) -> Measures:
    seconds: dict[tuple[int, int], tuple[float, float]] = {}
    sizes = 0
    with tempfile.TemporaryDirectory() as folder:
        for workers, made in ((1, rows // 4), (1, rows), (2, rows)):
            out = Path(folder) / f"{workers}-{made}"
            executor = "serial" if workers == 1 else "processes"
            words = [
                "-m",
                "generator",
                "run",
                recipe,
                "--rows",
                made,
                "--format",
                "openai",
                "--out",
                out,
                "--quiet",
                "--no-report",
            ]
            seconds[workers, made] = _timed(
                [sys.executable, *map(str, words), "--workers", str(workers), "--executor", executor]
            )
            manifest = read_manifest(out)
            assert manifest is not None
            sizes = sum(entry.bytes for name, entry in manifest.files.items() if name.endswith(".jsonl"))
    (start, _), (cpu, wall), (cpu_two, wall_two) = seconds.values()
    return {
        "microseconds_per_row": round((cpu - start) / (rows - rows // 4) * 1e6),
        "bytes_per_row": round(sizes / rows),
        "two_workers_cpu_to_one": round(cpu_two / cpu, 2),
        "two_workers_speed_up": round(wall / wall_two, 2),
    }


def _timed(command: list[str]) -> tuple[float, float]:
    """CPU seconds of a process and those that it waited for, and wall seconds."""
    before, begun = _children(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return _children() - before, time.perf_counter() - begun


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


_PARENT = """
import sys, tempfile
from pathlib import Path
import msgspec
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.engine.progress import RowsMade
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS

def tell(event):
    made = event.made if isinstance(event, RowsMade) else 0
    if made and made % 50_000 == 0:
        print(made, peak(), file=sys.stderr, flush=True)

def peak():
    return next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))

if __name__ == "__main__":
    recipe = load_recipe(Path(sys.argv[1]), scenarios=SCENARIOS, formats=FORMATS)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        run(msgspec.structs.replace(recipe, rows=int(sys.argv[2])), out, tell, RunOptions(executor="processes", workers=2))
    print(peak())
"""


def _memory(recipe: Path, small: int, large: int) -> Measures:
    """Peak memory of the parent of two workers; what it is on Linux."""
    found = []
    for rows in (small, large):
        command = [sys.executable, "-c", _PARENT, str(recipe), str(rows)]
        found.append(int(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout) * 1024 / 1e6)
    return {"parent_memory_mb": round(found[1], 1), "parent_memory_large_to_small": round(found[1] / found[0], 2)}


def _passes(recipe: Recipe, count: int) -> Measures:
    prepared = prepare(recipe)
    rows = [make_row(prepared, index).row for index in range(count)]
    hashes = b"".join([digest_of(row, "rows") for row in rows])
    names: list[tuple[str, ...]] = [(f"scenario: {row.scenario}",) for row in rows]
    texts = [said_in(row) for row in rows]
    measured = {
        "hashes_microseconds_per_row": _each(
            lambda: [(digest_of(row, "rows"), digest_of(row, "requests")) for row in rows], count
        ),
        "equal_microseconds_per_row": _each(lambda: _repeated(hashes), count),
        "shares_microseconds_per_row": _each(lambda: _shares(names), count),
    }
    return measured | (_near(texts) if find_spec("rensa") is not None else {})


def _each(work: Callable[[], object], rows: int) -> float:
    begun = time.process_time()
    work()
    return round((time.process_time() - begun) / rows * 1e6, 2)


def _repeated(hashes: bytes) -> set[bytes]:
    found = Hashes()
    found.add(hashes)
    return found.repeated()


def _shares(names: list[tuple[str, ...]]) -> None:
    shares = Shares([("scenario", 0.9)])
    for name in names:
        shares.find(name)


def _near(texts: list[str]) -> Measures:
    from generator.run.engine.passes.decide import NearRows

    near, before, begun = NearRows(0.7), _resident(), time.process_time()
    kept = 0
    for row, text in enumerate(texts):
        if near.find(text) is None:
            near.keep(row, text)
            kept += 1
    seconds = time.process_time() - begun
    return {
        "near_microseconds_per_row": round(seconds / len(texts) * 1e6, 1),
        "near_bytes_of_memory_per_row_that_stays": round((_resident() - before) / max(1, kept)),
    }


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _ray(recipe: Recipe, count: int) -> Measures:
    ray = Ray(None, os.cpu_count() or 1)
    try:
        before = _tree()
        there = _blocks(recipe, ray, count)
        all_of_it = _tree() - before
    finally:
        ray.close()
    prepared = prepare(recipe)
    here = _blocks(recipe, Serial(prepared), count)
    return {
        "ray_cpu_milliseconds_per_block_of_one_row": round(there * 1e3, 2),
        "serial_cpu_milliseconds_per_block_of_one_row": round(here * 1e3, 2),
        "ray_cpu_seconds_to_start_and_load": round(all_of_it - 2 * count * there, 1),
    }


def _tree() -> float:
    """CPU seconds of this process and all below it that are alive."""
    found: dict[int, tuple[int, float]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            found[int(stat.parent.name)] = (
                int(fields[1]),
                (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"),
            )
    ours = {os.getpid()}
    for _ in range(len(found)):
        more = {pid for pid, (parent, _) in found.items() if parent in ours} - ours
        if not more:
            break
        ours |= more
    return sum(found[pid][1] for pid in ours)


def _blocks(recipe: Recipe, executor: Serial | Ray, count: int) -> float:
    """CPU seconds of a block of one row, over the second half of the blocks, when processes have started and loaded."""
    with tempfile.TemporaryDirectory() as folder:
        job = job_of(recipe, Path(folder), Layout())
        open_recipe(job)
        (Path(folder) / ".parts").mkdir()

        def blocks() -> Iterator[Block]:
            for index in range(2 * count):
                yield Block(index % recipe.rows, index % recipe.rows + 1)

        begun = 0.0
        for made, _ in enumerate(executor.run(job, blocks()), start=1):
            if made == count:
                begun = _tree()
        return (_tree() - begun) / count


if __name__ == "__main__":
    main()
