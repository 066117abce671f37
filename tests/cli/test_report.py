"""`report`: tables, JSON, and limits for CI."""

import json
from pathlib import Path

import pytest
from command import Command
from measured import weather, write


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write(
        tmp_path / "rows.jsonl", [weather(f"What's the weather in {city}?", city) for city in ("Oslo", "Rome")]
    )


def test_tables_for_people(cli: Command, rows: Path):
    ran = cli("report", "rows.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "rows.jsonl: 2 rows."
    assert "sources.as_is" in ran.out
    assert "100.0 %" in ran.out


def test_one_json_object(cli: Command, rows: Path):
    ran = cli("report", "rows.jsonl", "rows.jsonl", "--json")
    first, second = json.loads(ran.out)["reports"]
    assert first == second
    assert first["metrics"]["tools"]["figures"]["called"] == 1


@pytest.mark.parametrize(
    ("limits", "fault"),
    [
        (["--fail-under", "sources.as_is=100", "--fail-over", "sources.as_is=100"], ""),
        (["--fail-under", "kinds.turns=1.5"], "rows.jsonl: kinds.turns is 1.00 turns, at least 1.5 is wanted"),
        (["--fail-over", "sources.as_is=99.9"], "rows.jsonl: sources.as_is is 100.0 %, at most 99.9 is wanted"),
        (["--fail-over", "tools.related=5"], "rows.jsonl: tools.related is nothing to measure, at most 5 is wanted"),
    ],
)
def test_limits(cli: Command, rows: Path, limits: list[str], fault: str):
    ran = cli("report", "rows.jsonl", *limits)
    assert (ran.code, ran.err.strip()) == (int(bool(fault)), fault)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["rows.jsonl", "--fail-under", "kinds.turn=1"], "unknown figure 'kinds.turn'"),
        (["rows.jsonl", "--fail-under", "kinds.turns"], "a figure and a number are expected"),
        (["rows.jsonl", "--fail-over", "kinds.turns=nan"], "a figure and a number are expected"),
        (["rows.jsonl", "--format", "opnai"], "unknown format"),
        (["nowhere.jsonl"], "nowhere.jsonl: there is no such file"),
    ],
)
def test_bad_input_is_told_before_anything_is_written(cli: Command, rows: Path, arguments: list[str], fault: str):
    ran = cli("report", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert fault in ran.err
    assert [path.name for path in Path().iterdir()] == ["rows.jsonl"]


def test_a_file_without_rows_that_can_be_read_is_1(cli: Command, rows: Path):
    rows.write_text("{}\n")
    ran = cli("report", "rows.jsonl")
    assert ran.code == 1
    assert "no row that can be read (row 0: " in ran.err


def test_hostile_names_do_not_steer_the_terminal(cli: Command, rows: Path):
    write(rows, [weather("\x1b[2J what is it?", "\x1b]0;x\x07", answer="\x9b31m it is")])
    ran = cli("report", "rows.jsonl")
    assert ran.code == 0
    assert not any(letter in ran.out for letter in "\x1b\x07\x9b")
