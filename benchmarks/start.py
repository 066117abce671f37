"""How long a short run takes, in CPU seconds of all its processes, and beside importing `faker` and `jsonschema` alone.

    python -m benchmarks.start [--recipe recipes/parallel.yaml] [--rounds 5] [--json FILE]

Rounds are interleaved; the least time of each command counts, as other work on the machine only ever adds to it. The
first run of each writes Python's caches and is not counted.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/parallel.yaml"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = [
            "-m",
            "generator",
            "run",
            str(options.recipe),
            "--workers",
            "1",
            "--quiet",
            "--overwrite",
            "--out",
            folder,
        ]
        commands = {
            "import faker, jsonschema": ["-c", "import faker, jsonschema"],
            "--help": ["-m", "generator", "--help"],
            "run --rows 10": [*run, "--rows", "10"],
            "run --rows 1000": [*run, "--rows", "1000"],
        }
        times = measure(commands, options.rounds)
    imports = times["import faker, jsonschema"]
    print(f"{'command':26}{'CPU seconds':>12}{'ratio to imports':>18}")
    for name, seconds in times.items():
        print(f"{name:26}{seconds:12.2f}{seconds / imports:18.1f}")
    if options.json:
        options.json.write_text(json.dumps(times, indent=2) + "\n", encoding="utf-8")


def measure(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """Return the least CPU seconds (user and system, with child processes) of each command."""
    times: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds + 1):
        for name, command in commands.items():
            seconds = _cpu_seconds(command)
            if turn:
                times[name].append(seconds)
    return {name: min(found) for name, found in times.items()}


def _cpu_seconds(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
