"""Whole runs beside the script that a user would write instead (`benchmarks/script.py`).

    python -m benchmarks.against_script [--rows 4000] [--rounds 5] [--recipe recipes/parallel.yaml]

CPU seconds of child processes; each contender is run with few and with many rows, and the difference is what the rows cost,
start-up subtracted. Rounds are interleaved; the ratio of each round is printed, and the median. For recipes whose rows have
other numbers of calls the cost of a call is printed too.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_FEW = 1000


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--recipe", type=Path, action="append")
    options = parser.parse_args()
    recipes = options.recipe or [ROOT / "recipes" / "parallel.yaml"]
    contenders = ["script", "script --check", *[str(recipe) for recipe in recipes]]
    costs: dict[str, list[float]] = {name: [] for name in contenders}
    calls: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            for name in contenders:
                few = run(name, _FEW, Path(folder))
                many = run(name, _FEW + options.rows, Path(folder))
                costs[name].append((many - few) / options.rows * 1e6)
                calls.setdefault(name, calls_per_row(name, Path(folder)))
    for name in contenders:
        cost = statistics.median(costs[name])
        print(f"{name:28} {cost:8.0f} us a row  {calls[name]:5.2f} calls a row  {cost / calls[name]:8.0f} us a call")
    for recipe in contenders[2:]:
        for script in contenders[:2]:
            ratios = [one / other for one, other in zip(costs[script], costs[recipe], strict=True)]
            said = ", ".join(f"{ratio:.2f}" for ratio in ratios)
            print(f"{recipe}: {statistics.median(ratios):.2f} x the rows/s of {script}  ({said})")


def run(name: str, rows: int, folder: Path) -> float:
    """CPU seconds of a contender that makes so many rows."""
    if name.startswith("script"):
        flags = ["--check"] if name.endswith("--check") else []
        command = [sys.executable, str(ROOT / "benchmarks" / "script.py"), "--rows", str(rows)]
        command += ["--out", str(folder / "script.jsonl"), *flags]
    else:
        command = [sys.executable, "-m", "generator", "run", name, "--rows", str(rows), "--workers", "1", "--quiet"]
        command += ["--format", "deepfabric", "--overwrite", "--no-report", "--out", str(folder / "ours")]
    with subprocess.Popen(command, cwd=ROOT) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def calls_per_row(name: str, folder: Path) -> float:
    """Calls in the rows that a contender has just made."""
    file = folder / "script.jsonl" if name.startswith("script") else folder / "ours" / "deepfabric.jsonl"
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return sum(len(message.get("tool_calls") or ()) for row in rows for message in row["messages"]) / len(rows)


if __name__ == "__main__":
    main()
