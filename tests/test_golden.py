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
    "follow_up": ("follow_up", "deepfabric", 2),
    "same_again": ("follow_up", "deepfabric", 0),
    "clarify": ("clarify", "deepfabric", 0),
    "ambiguous": ("ambiguous", "deepfabric", 0),
    "error_stop": ("error_stop", "deepfabric", 2),
    "error_stop_found": ("error_stop", "deepfabric", 0),
    "error_recover": ("error_recover", "openai", 0),
    "error_recover_other": ("error_recover", "deepfabric", 37),
    "error_recover_refused": ("error_recover", "deepfabric", 2),
    "error_recover_unblocked": ("error_recover", "deepfabric", 1),
    "error_recover_allowed": ("error_recover", "deepfabric", 3),
    "error_recover_left": ("error_recover", "deepfabric", 0),
    "retry_later": ("retry_later", "deepfabric", 0),
    "partial_failure": ("partial_failure", "deepfabric", 0),
    "irrelevant": ("irrelevant", "deepfabric", 0),
    "near_miss": ("near_miss", "deepfabric", 0),
    "empty_result": ("empty_result", "deepfabric", 4),
    "empty_result_asked": ("empty_result", "deepfabric", 12),
    "empty_result_widened": ("empty_result", "deepfabric", 5),
    "empty_result_offered": ("empty_result", "deepfabric", 13),
    "empty_result_otherwise": ("empty_result", "deepfabric", 26),
    "multi_turn": ("multi_turn", "deepfabric", 0),
    "direct_answer": ("direct_answer", "deepfabric", 2),
    "confirm": ("confirm", "deepfabric", 0),
    "confirm_no": ("confirm", "deepfabric", 5),
    "confirm_but": ("confirm", "deepfabric", 2),
    "withheld_tool": ("withheld_tool", "openai", 0),
    "openai": ("parallel", "openai", 0),
    "openchatml": ("sequential", "openchatml", 0),
    "qwen": ("parallel", "qwen", 0),
    "harmony": ("sequential", "harmony", 0),
}


OTHER_TOOLS = {
    **dict.fromkeys(
        ("confirm", "confirm_no", "confirm_but"),
        "booking.yaml",
    ),
    **dict.fromkeys(
        [f"empty_result{how}" for how in ("", "_asked", "_widened", "_offered", "_otherwise")], "library.yaml"
    ),
    "error_stop_found": "library.yaml",
    **dict.fromkeys(
        [f"error_recover_{how}" for how in ("other", "refused", "unblocked", "allowed", "left")], "library.yaml"
    ),
}
"""Cases for which the usual tools do not do."""


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
        "name": "golden", "seed": 4, "rows": 2, "tools": [{"file": OTHER_TOOLS.get(case, "tools.yaml"), "describe": "bare"}], "scenarios": [scenario], "calls": 2, "steps": 2,
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
