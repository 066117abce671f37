"""Rows that wait for answers: what serves one conversation after the other is never open for two."""

import multiprocessing
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tiny_run import TOOLS

from generator.core.conversation import ToolCall
from generator.core.planning import Outcome
from generator.formats import FORMATS
from generator.formats.run_folder.files import Layout
from generator.llm.asking import ModelAnswer
from generator.recipe import load_recipe
from generator.recipe.tools import ArgumentSource
from generator.run.engine import row_makers
from generator.run.engine.blocks import Block
from generator.run.engine.row_makers import Asked, RefusedAnswers, RowReport, WaitingRows
from generator.run.engine.run import job_of
from generator.run.row import prepare
from generator.scenarios import SCENARIOS

RECIPE = """
name: r
seed: 3
rows: 12
replay: 1
tools: [tools.yaml]
scenarios: [single, parallel_multiple]
arguments: {source: llm}
judge: {threshold: 2}
llm: {model: x, pool: 8, unusable_in_a_row: null}
"""


class OneAtATime:
    """A backend that refuses a second conversation before the first one is over."""

    def __init__(self) -> None:
        self.is_open = False
        self.opened = 0

    def open(self, today: date, salt: int = 0) -> "OneAtATime":
        assert not self.is_open
        self.is_open, self.opened = True, self.opened + 1
        return self

    def __enter__(self) -> "OneAtATime":
        return self

    def __exit__(self, *_: object) -> None:
        self.is_open = False

    def step(self, calls: tuple[ToolCall, ...]) -> tuple[Outcome, ...]:
        return tuple(
            [
                Outcome(True, '{"level":7}' if "plant" in call.arguments else '{"loudness":9}', {"level": 7})
                for call in calls
            ]
        )


@pytest.mark.parametrize("newest_first", [False, True])
def test_a_conversation_is_over_before_the_next_one_begins(tmp_path: Path, newest_first: bool):
    (tmp_path / "tools.yaml").write_text(TOOLS)
    (tmp_path / "r.yaml").write_text(RECIPE)
    recipe = load_recipe(tmp_path / "r.yaml", scenarios=SCENARIOS, formats=FORMATS)
    prepared, backend = prepare(recipe), OneAtATime()
    job = job_of(recipe, tmp_path / "out", Layout())
    job = msgspec.structs.replace(
        job, recipe=msgspec.structs.replace(recipe, backends=(("*", ArgumentSource(python=Path("m.py"))),))
    )
    prepared.backend = backend  # type: ignore[assignment]
    told: list[Any] = []
    rows = WaitingRows(job, prepared, 8, told.append)
    (tmp_path / "out" / ".parts").mkdir(parents=True)
    rows.open(Block(0, 12))
    asked: list[Asked] = []
    done: list[RowReport] = []
    while len(done) < 12:
        while rows.can_work:
            rows.work()
        asked += [one for one in told if isinstance(one, Asked)]
        done += [one for one in told if not isinstance(one, Asked | RefusedAnswers)]
        told.clear()
        if asked:
            one = asked.pop(-1 if newest_first else 0)
            rows.answer(one.row, tuple([ModelAnswer(fault="no") for _ in one.requests]))
    assert backend.opened >= 24  # each row is made and replayed


def test_a_worker_whose_parent_is_gone_ends_in_silence(monkeypatch: pytest.MonkeyPatch):
    """Nobody reads what went wrong, so there is nothing to tell and no traceback."""
    ours, theirs = multiprocessing.Pipe()
    ours.close()
    monkeypatch.setattr(row_makers, "begin_worker", lambda: None)
    job: Any = None
    with theirs:
        row_makers._serve(theirs, job, 1, None, None)
