"""Answers in somebody's own words, right and with one figure changed: how many of each are judged so.

A line of `answers/*.jsonl` holds what was said and found before an answer. `first.jsonl` was written before the readers were mended by it,
`second.jsonl` after that, from other rows; when it was first read, 3 of 55 right answers counted as wrong, and 1 of 49 wrong ones as right.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from played import tasks_of

from generator.conversation import ToolCall
from generator.episodes.grounding import Told
from generator.scenarios import SCENARIOS

FOLDER = Path(__file__).with_name("answers")
SETS = ("first", "second")


def answers(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def is_grounded(one: dict[str, Any], kind: str) -> bool:
    """Whether an answer states what was told."""
    known = tasks_of("conversations").prepared.toolbox
    told = Told([known[name].tool for name in one["tools"] if name in known], one["computed"], one["meant"])
    for text in one["said"]:
        told.hear(text)
    for name, arguments, content, ok in one["found"]:
        told.find(ToolCall("", name, arguments), content, ok=ok)
    return not told.faults(one[kind])


@pytest.mark.parametrize("name", SETS)
def test_right_answers_pass_in_any_words(name: str) -> None:
    failed = [one["right"] for one in answers(name) if not is_grounded(one, "right")]
    assert len(failed) <= 0.005 * len(answers(name)), failed


@pytest.mark.parametrize("name", SETS)
def test_a_changed_figure_is_found(name: str) -> None:
    changed = [one for one in answers(name) if "wrong" in one]
    passed = [one["wrong"] for one in changed if is_grounded(one, "wrong")]
    assert len(passed) <= 0.05 * len(changed), passed


def test_answers_are_of_all_scenarios() -> None:
    seen = {one["scenario"] for name in SETS for one in answers(name)}
    assert len(set(SCENARIOS) - seen) <= 1, set(SCENARIOS) - seen
    assert sum(len(answers(name)) for name in SETS) >= 120
