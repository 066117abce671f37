"""A run that asks for coverage: rows reach what they can, the table tells how much, and blocks need not know of each other."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Command
from nightly import night

from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.run.engine.checked_row import rows_until_covered
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
RECIPE = f"""
name: c
seed: 3
rows: coverage
tools:
  - {{file: {ROOT}/tool_specs/restaurants.yaml, only: [find_restaurants, find_reservations, cancel_reservation, book_table]}}
  - {ROOT}/tool_specs/weather.json
scenarios: {{single: 2, sequential: 1}}
steps: 2
today: 2026-03-14
coverage: pairwise
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Callable[[str], Recipe]:
    def read(text: str) -> Recipe:
        path = tmp_path / "c.yaml"
        path.write_text(text)
        return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)

    return read


@night
def test_rows_reach_everything_and_end_there(recipe: Callable[[str], Recipe], cli: Command, tmp_path: Path):
    workshop = prepare(recipe(RECIPE))
    rows = rows_until_covered(workshop)
    ran = cli("run", tmp_path / "c.yaml", "--out", tmp_path / "out", "--quiet")
    assert ran.code == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["rows"] == rows
    tally = manifest["tally"]
    assert {name: len(goals) for name, goals in tally["reached"].items()} == tally["possible"]
    assert sum(tally["possible"].values()) > 80
    # one row less reaches less
    short = cli("run", tmp_path / "c.yaml", "--rows", rows - 1, "--out", tmp_path / "short")
    total = sum(tally["possible"].values())
    assert short.code == 0
    assert "coverage (pairwise)" in short.out
    assert any(f"{total - lacking} of {total}" in short.out for lacking in range(1, 9))


@night
def test_plain_rows_need_many_more(recipe: Callable[[str], Recipe]):
    aimed = prepare(recipe(RECIPE))
    rows = rows_until_covered(aimed)
    plain = prepare(recipe(RECIPE.replace("rows: coverage", "rows: 9").replace("coverage: pairwise", "")))
    assert plain.aims is None
    counts = []
    for workshop in (aimed, plain):
        goals = set()
        for index in range(rows):
            shown = aimed.aims.reached(make_row(workshop, index).row.conversation)
            goals |= {(tool, goal) for tool, found in shown.items() for goal in found}
        counts.append(len(goals))
    assert counts[0] > counts[1] + 5


def test_a_row_does_not_depend_on_the_rows_before(recipe: Callable[[str], Recipe]):
    one, other = (prepare(recipe(RECIPE)) for _ in range(2))
    wanted = [0, 5, 700, 30, 31]
    assert [make_row(one, index) for index in wanted] == [make_row(other, index) for index in reversed(wanted)][::-1]
