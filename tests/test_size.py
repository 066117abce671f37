"""The ruler: no room of the package, no sum, no row grows; what is recorded may only fall."""

import json
import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from nightly import night

from benchmarks.size import ALLOWED, RECORDED, ROOT, above, calls, growth, statements

HISTORY = json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def today():
    return {"statements": statements(ROOT / "generator"), "calls": {}}


def test_no_room_is_above_its_mark(today):
    assert list(above(HISTORY[-1], today)) == []


def test_marks_only_fall():
    assert [fault for before, entry in pairwise(HISTORY) for fault in growth(before, entry)] == []


def test_growth_is_refused_where_it_is_planted(tmp_path: Path):
    for part in ("generator/recipe", "benchmarks"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    recorded = tmp_path / "benchmarks/size.json"
    entry = {**HISTORY[-1], "statements": statements(tmp_path / "generator")}
    recorded.write_text(json.dumps([entry]), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.size", "--check", "--statements"]

    def run() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)

    assert run().returncode == 0
    with (tmp_path / "generator/recipe/settings.py").open("a", encoding="utf-8") as file:
        file.write('\n\ndef planted() -> int:\n    """Return one."""\n    return 1\n')
    refused = run()
    assert refused.returncode == 1
    assert (
        f"generator/recipe has {entry['statements']['recipe'] + 2} statements, {entry['statements']['recipe']} at most"
        in refused.stdout
    )


def test_a_formatter_and_docstrings_change_nothing(tmp_path: Path):
    room = tmp_path / "core"
    room.mkdir()
    (room / "one.py").write_text("def one(a, b):\n    return [a, b]\n", encoding="utf-8")
    (tmp_path / "top.py").write_text("A = 1\n", encoding="utf-8")
    assert statements(tmp_path) == {"core": 2, "": 1}
    (room / "one.py").write_text(
        '"""Text."""\n\ndef one(\n    a,\n    b,\n):\n    """Text."""\n    return [\n        a,\n        b,\n    ]\n',
        encoding="utf-8",
    )
    assert statements(tmp_path)["core"] == 2


@pytest.mark.parametrize("what", ["whole", "warm", "files"])
def test_a_dearer_row_is_refused(what):
    mark = {"python": "3.11", "statements": {}, "calls": {"parallel": {"whole": 1000, "warm": 500, "files": 20}}}
    dearer = {"parallel": {**mark["calls"]["parallel"], what: round(mark["calls"]["parallel"][what] * ALLOWED) + 1}}
    grown = {"what": "more", "python": "3.11", "statements": {}, "calls": dearer}
    assert len(list(above(mark, grown))) == len(list(growth(mark, grown))) == 1
    assert list(growth(mark, {**grown, "python": "3.12"})) == []


def test_rooms_trade_but_the_sum_falls():
    before = {"python": "3.11", "statements": {"run": 10, "core": 10}, "calls": {}}
    assert list(growth(before, {**before, "what": "moved", "statements": {"run": 12, "core": 8}})) == []
    assert len(list(growth(before, {**before, "what": "added", "statements": {"run": 12, "core": 9}}))) == 1


@night
def test_calls_of_rows_are_counted():
    counted = calls("parallel", rows=12, warm=4)
    assert counted["whole"] > counted["warm"] > 100 > counted["files"] > 5
