"""How much each format costs, compared with `deepfabric`.

    python -m benchmarks.formats [--recipe recipes/mixed.yaml] [--rows 1000] [--rounds 15] [--json FILE]

Finished conversations are rendered and encoded as lines in every format that carries them; rounds of all formats are
interleaved and the least CPU time of each is taken. `deepfabric` is timed on the same rows as the format it is compared
with. System messages are taken off for formats that refuse them.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

from generator.core.conversation import Conversation, SystemMessage
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS, Format
from generator.formats.sinks import encode_line
from generator.recipe import load_recipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS


def main() -> None:
    """Measure and print a table."""
    options = _options()
    recipe = load_recipe(options.recipe, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))
    prepared = prepare(recipe)
    made = [make_row(prepared, index).row.conversation for index in range(options.rows)]
    report: dict[str, Any] = {}
    carried = {name: _carried(fmt, made) for name, fmt in FORMATS.items()}
    least: dict[tuple[str, str], float] = {}
    for _ in range(options.rounds):
        for name, rows in carried.items():
            for timed in ("deepfabric", name):
                seconds = _seconds(FORMATS[timed], rows)
                least[name, timed] = min(seconds, least.get((name, timed), seconds))
    for name, rows in carried.items():
        cost, usual = least[name, name], least[name, "deepfabric"]
        report[name] = {
            "rows": len(rows),
            "microseconds_per_row": round(cost / len(rows) * 1e6, 1) if rows else None,
            "times_deepfabric": round(cost / usual, 2) if rows else None,
        }
    _print(report)
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recipe", type=Path, default=Path("recipes/mixed.yaml"))
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def _carried(fmt: Format, made: list[Conversation]) -> list[Conversation]:
    """The conversations that the format can hold."""
    rows = []
    for conversation in made:
        if fmt.policy.system == "reject" and isinstance(conversation.messages[0], SystemMessage):
            conversation = Conversation(messages=conversation.messages[1:], tools=conversation.tools)
        try:
            fmt.render(conversation)
        except CannotCarryError:
            continue
        rows.append(conversation)
    return rows


def _seconds(fmt: Format, rows: list[Conversation]) -> float:
    """CPU seconds to write the rows."""
    render = fmt.render
    started = time.process_time()
    for conversation in rows:
        encode_line(render(conversation))
    return time.process_time() - started


def _print(report: dict[str, Any]) -> None:
    width = max(map(len, report))
    print(f"{'format':{width}}    rows  µs a row  × deepfabric")
    for name, line in report.items():
        print(
            f"{name:{width}}  {line['rows']:6}  {line['microseconds_per_row'] or 0:8}  {line['times_deepfabric'] or 0:12}"
        )


if __name__ == "__main__":
    main()
