"""A few rows to read: one of each scenario, and the same rows in the other formats.

They change with the wording and with the order of random draws; read the difference before renewing them with
`python tests/test_golden.py`.
"""

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"
CASES = {
    "single": ("single", "deepfabric", 0),
    "multiple": ("multiple", "deepfabric", 0),
    "parallel": ("parallel", "deepfabric", 0),
    "parallel_multiple": ("parallel_multiple", "deepfabric", 0),
    "sequential": ("sequential", "deepfabric", 0),
    "fan_out": ("fan_out", "deepfabric", 0),
    "mixed": ("mixed", "deepfabric", 0),
    "irrelevant": ("irrelevant", "deepfabric", 0),
    "near_miss": ("near_miss", "deepfabric", 0),
    "withheld_tool": ("withheld_tool", "openai", 0),
    "openai": ("parallel", "openai", 0),
    "openchatml": ("sequential", "openchatml", 0),
    "qwen": ("parallel", "qwen", 0),
    "harmony": ("sequential", "harmony", 0),
}


def fresh(case: str) -> str:
    """The case as it comes out now, in a form for reading."""
    sys.path.insert(0, str(ROOT))
    from generator.formats import FORMATS
    from generator.recipe import load_recipe
    from generator.run.row import make_row, prepare
    from generator.scenarios import SCENARIOS

    scenario, name, index = CASES[case]
    path = GOLDEN / f".{case}.recipe.json"
    recipe = {
        "name": "golden", "seed": 4, "rows": 2, "tools": [{"file": "tools.yaml", "describe": "bare"}], "scenarios": [scenario], "calls": 2, "steps": 2,
        "system": "Today is {today}.", "today": "2026-03-14",
    }  # fmt: skip
    path.write_text(json.dumps(recipe), encoding="utf-8")
    try:
        row = make_row(prepare(load_recipe(path, scenarios=tuple(SCENARIOS), formats=tuple(FORMATS))), index).row
    finally:
        path.unlink()
    record = FORMATS[name].render(row.conversation)
    if "text" in record:
        return str(record["text"]) + "\n"
    messages = ",\n  ".join(json.dumps(message, ensure_ascii=False) for message in record.pop("messages"))
    record["tools"] = [tool["function"]["name"] for tool in record["tools"]]
    return f'{{"messages": [\n  {messages}],\n {json.dumps(record)[1:]}\n'


@pytest.mark.parametrize("case", CASES)
def test_the_row_is_as_it_was(case: str) -> None:
    assert (GOLDEN / f"{case}.txt").read_text(encoding="utf-8") == fresh(case)


if __name__ == "__main__":
    for name in CASES:
        (GOLDEN / f"{name}.txt").write_text(fresh(name), encoding="utf-8")
