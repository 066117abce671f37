"""Files that values come from are part of what a run is made of."""

import json
import shutil
from pathlib import Path

import pytest
from command import Command

ROOT = Path(__file__).parents[2]
RECIPE = """
name: f
rows: 3
tools: [{file: shop.yaml, only: [search_products]}]
scenarios: single
arguments: {overrides: {"search_products#/query": {file: words.txt}}}
strategies: {"search_products#/max_price": mine.py:prices}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "f.yaml").write_text(RECIPE)
    shutil.copy(ROOT / "tool_specs" / "shop.yaml", tmp_path)
    for beside in ("tables", "texts"):
        shutil.copytree(ROOT / "tool_specs" / beside, tmp_path / beside)
    (tmp_path / "words.txt").write_text("shoes\nboots\n")
    (tmp_path / "mine.py").write_text("from hypothesis import strategies as st\nprices = st.sampled_from([50, 60])\n")
    return tmp_path


def test_rows_hold_their_values_and_proofs(cli: Command, folder: Path):
    assert cli("run", folder / "f.yaml", "--rows", 40, "--out", folder / "out", "--quiet").code == 0
    calls = [
        call["function"]["arguments"]
        for line in (folder / "out" / "deepfabric.jsonl").read_text().splitlines()
        for message in json.loads(line)["messages"]
        for call in message.get("tool_calls", ())
    ]
    assert {call["query"] for call in calls} == {"shoes", "boots"}
    assert {call["max_price"] for call in calls if "max_price" in call} == {50, 60}


@pytest.mark.parametrize(
    ("name", "change"),
    [("words.txt", "shoes\n"), ("mine.py", "from hypothesis import strategies as st\nprices = st.just(50)\n")],
)
def test_a_run_is_not_extended_when_a_file_changed(cli: Command, folder: Path, name: str, change: str):
    command = ("run", folder / "f.yaml", "--out", folder / "out", "--quiet")
    assert cli(*command).code == 0
    assert cli(*command, "--rows", 5).code == 0
    (folder / name).write_text(change)
    ran = cli(*command, "--rows", 7)
    assert ran.code == 2
    assert f"files.{name}: its content" in ran.err


def test_a_moved_recipe_goes_on(cli: Command, folder: Path, tmp_path_factory: pytest.TempPathFactory):
    assert cli("run", folder / "f.yaml", "--out", folder / "out", "--quiet").code == 0
    other = tmp_path_factory.mktemp("moved") / "deep"
    folder.rename(other)
    ran = cli("run", other / "f.yaml", "--rows", 4, "--out", other / "out", "--quiet")
    assert (ran.code, ran.err) == (0, "")


def test_faults_are_told_with_file_and_line(cli: Command, folder: Path):
    (folder / "words.txt").write_text("shoes\nx\n")
    ran = cli("run", folder / "f.yaml", "--out", folder / "out")
    assert ran.code == 2
    assert f'{folder / "words.txt"}:2: "x" is not valid for search_products at /query' in ran.err
    assert not (folder / "out").exists() or not list((folder / "out").iterdir())
    (folder / "words.txt").write_text("shoes\n")
    (folder / "mine.py").write_text("prices = 3\n")
    ran = cli("run", folder / "f.yaml", "--out", folder / "out")
    assert (
        f"{folder / 'f.yaml'}:7: strategies.search_products#/max_price: mine.py:prices: a Hypothesis strategy"
        in ran.err
    )
