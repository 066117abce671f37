"""Rows of scripts a second and core, made and proven, beside rows of `parallel` that are put together of phrases.

    python -m benchmarks.scripts [--rows 600] [--rounds 3]

CPU seconds in one process, without start-up and without the first rows of each script, in which its expressions are compiled; rounds are
interleaved. Long conversations cost more, so each figure has its calls a row, and a row is counted by its scenario.
"""

import argparse
import statistics
import time
from collections import defaultdict
from pathlib import Path

import msgspec

from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.recipe.settings import Scripts
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

ROOT = Path(__file__).parents[1]
_WARM = 400


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    plain = msgspec.structs.replace(_recipe("parallel"), scripts=None)
    scripted = _recipe("conversations")
    scripted = msgspec.structs.replace(
        scripted, scripts=Scripts(share=1.0), scenarios=(("script", 1.0),), required_scenarios=(), replay=0.05
    )
    phrases, scripts = prepare(plain), prepare(scripted)
    for ready in (phrases, scripts):
        _cost(ready, range(_WARM), {})
    ratios: list[float] = []
    by_scenario: dict[str, list[tuple[float, int]]] = {}
    for number in range(options.rounds):
        rows = range(_WARM + number * options.rows, _WARM + (number + 1) * options.rows)
        ratios.append(_cost(phrases, rows, {}) / _cost(scripts, rows, by_scenario))
    every = [one for found in by_scenario.values() for one in found]
    for name, found in sorted([*by_scenario.items(), ("all rows", every)], key=lambda one: len(one[1])):
        seconds, calls = sum(cost for cost, _ in found), sum(calls for _, calls in found)
        each = (
            f"{len(found):6,} rows  {len(found) / seconds:7,.0f} rows a second  {calls / len(found):5.2f} calls a row"
        )
        print(f"{name:18} {each}  {calls / seconds:7,.0f} calls a second")
    said = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    print(f"{statistics.median(ratios):.2f} x the rows a second of parallel without scripts ({said})")


def _recipe(name: str) -> Recipe:
    return load_recipe(
        ROOT / "recipes" / f"{name}.yaml", scenarios={**SCENARIOS, **DOCUMENT_SCENARIOS}, formats=FORMATS
    )


def _cost(prepared: PreparedRecipe, rows: range, by_scenario: dict[str, list[tuple[float, int]]]) -> float:
    """Return CPU seconds of making rows; notes those of each row, with its number of calls, by scenario."""
    costs = defaultdict(list, by_scenario)
    begun = time.process_time()
    for index in rows:
        before = time.process_time()
        row = make_row(prepared, index).row
        calls = sum(len(getattr(message, "tool_calls", ())) for message in row.conversation.messages)
        costs[row.scenario].append((time.process_time() - before, calls))
    by_scenario.update(costs)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
