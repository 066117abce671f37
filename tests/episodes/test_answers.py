"""Answers in somebody's own words, right and with one figure or name changed: how many of each are judged so.

A line of `answers/*.jsonl` holds what was said and found before an answer. `first.jsonl` was written before the readers were mended by it,
`second.jsonl` after that, from other rows; when it was first read, 3 of 55 right answers counted as wrong, and 1 of 49 wrong ones as right.
`third.jsonl` is by another writer, who knew nothing of the readers: first read, 19 of 104 right answers counted as wrong, and 7 of 46 changed figures
and 47 of 56 changed names, states and the like as right. The bounds below hold after the readers were mended by these sets: they guard, and measure nothing.
`fourth.jsonl` is by one more writer, read after that; no reader was mended by it, so its bounds are what answers that nobody knows would show.
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
SETS = ("first", "second", "third", "fourth")
FALSE_ALARMS = {"first": 0.005, "second": 0.005, "third": 0.005, "fourth": 0.04}
MISSED = {"first": 0.05, "second": 0.05, "third": 0.14, "fourth": 0.11}
NAMES_FOUND = {"third": 16, "fourth": 11}


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
    assert len(failed) <= FALSE_ALARMS[name] * len(answers(name)), failed


@pytest.mark.parametrize("name", SETS)
def test_a_changed_figure_is_found(name: str) -> None:
    changed = [one for one in answers(name) if "wrong" in one and one.get("changed", "figure") == "figure"]
    passed = [one["wrong"] for one in changed if is_grounded(one, "wrong")]
    assert len(passed) <= MISSED[name] * len(changed), passed


@pytest.mark.parametrize("name", NAMES_FOUND)
def test_a_changed_name_is_found_where_it_is_sure(name: str) -> None:
    changed = [one for one in answers(name) if one.get("changed") == "name"]
    assert sum(not is_grounded(one, "wrong") for one in changed) >= NAMES_FOUND[name]


def test_answers_are_of_all_scenarios() -> None:
    seen = {one["scenario"] for name in SETS for one in answers(name)}
    assert len(set(SCENARIOS) - seen) <= 3, set(SCENARIOS) - seen  # they are older than stories and policies
    assert sum(len(answers(name)) for name in SETS) >= 120
