"""Larger results hold all that lean ones do, in the same places, and say the same of one thing wherever it is shown."""

from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.tools.invariants import SeenCall, contradictions, shipped_invariants
from generator.tools.specs import load_toolbox
from generator.world import compile_backend
from generator.world.backend import Backend
from generator.world.world import SIZES, size_at

CALLS = (
    ("list_folder", {"folder": "Finance", "limit": 2}),
    ("search_files", {"keyword": "budget"}),
    ("create_folder", {"name": "Taxes", "parent": "Finance"}),
)


@cache
def backend(size: str) -> Backend:
    toolbox = load_toolbox([Path(__file__).parents[2] / "tool_specs" / "files.yaml"])
    return compile_backend(toolbox, compile_value, 5, sizes=((size, 1.0),))


def holds(larger: Any, lean: Any) -> bool:
    """Whether everything of one value stands in the other, at the same place."""
    if isinstance(lean, dict):
        return isinstance(larger, dict) and all(name in larger and holds(larger[name], lean[name]) for name in lean)
    if isinstance(lean, list):
        return len(larger) == len(lean) and all(map(holds, larger, lean))
    return bool(larger == lean)


def outcomes(size: str, salt: int) -> list[Any]:
    """Return the results of the calls, and of what then is done with a file that is there."""
    with backend(size).open(date(2026, 3, 2), salt) as world:
        file = next(iter(world.state.every("files.file")))
        calls = [*CALLS, ("list_folder", {"folder": file["folder"]}), ("get_file_info", {"file": file["file_id"]})]
        found = [(call, world.step([ToolCall("c", *call)])[0]) for call in calls]
    return [(call, outcome.value) for call, outcome in found if outcome.ok]


@given(salt=st.integers(0, 2**64 - 1))
@settings(max_examples=40, deadline=None)
def test_larger_results_hold_the_lean_ones(salt: int) -> None:
    """Nothing is moved or taken away, pages count what is there, a replay is the same, and nothing contradicts."""
    lean = outcomes("lean", salt)
    for size in SIZES[1:]:
        made = outcomes(size, salt)
        assert made == outcomes(size, salt)
        assert all(holds(one, other) and one != other for (_, one), (_, other) in zip(made, lean, strict=True))
        seen = [SeenCall(*call, value, at) for at, (call, value) in enumerate(made)]
        assert contradictions(shipped_invariants(), seen) == []
        for (_, arguments), value in made:
            page = value.get("page")
            if page is not None:
                assert page["size"] == len(value["files"]) <= page["total"]
                assert page["has_more"] == (page["total"] > page["size"]) == (page["next_cursor"] is not None)
                assert page["size"] == arguments.get("limit", 2) or not page["has_more"] or page["size"] > 2


@pytest.mark.parametrize("weights", [(), (("lean", 1.0),), (("lean", 1.0), ("full", 3.0))])
def test_sizes_come_as_often_as_their_weights_say(weights: tuple[tuple[str, float], ...]) -> None:
    """Without weights results are lean."""
    found = [size_at(weights, number << 54) for number in range(1024)]
    assert found.count("full") == (768 if len(weights) == 2 else 0)
    assert {*found} <= {"lean", "full"}
