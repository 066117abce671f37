"""`convert --mix`: rows of several files, each its share."""

import json
from pathlib import Path

import pytest
from command import command
from hypothesis import given
from hypothesis import strategies as st
from made_rows import conversation

from generator.formats import FORMATS
from generator.report.files.convert import shares_of


@given(st.lists(st.floats(0.01, 100), min_size=1, max_size=6), st.integers(1, 10_000))
def test_shares_add_up_and_are_right_to_one(weights, rows):
    counts = shares_of(weights, rows)
    assert sum(counts) == rows
    assert all(
        abs(count - weight / sum(weights) * rows) < 1 + 1e-6 for count, weight in zip(counts, weights, strict=True)
    )


@pytest.fixture
def cli(tmp_path: Path, monkeypatch, capsys):
    """In a folder with two files of different formats."""
    monkeypatch.chdir(tmp_path)
    for name, rows in (("openai", 10), ("sharegpt", 6)):
        records = [FORMATS[name].render(conversation(f"{name}{index}", index)) for index in range(rows)]
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return command(monkeypatch, capsys)


def customers(path: str) -> list[str]:
    lines = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return [line["messages"][2]["tool_calls"][0]["function"]["arguments"]["customer"] for line in lines]


def test_each_file_gives_its_share_evenly_and_in_order(cli):
    ran = cli("convert", "--mix", "openai.jsonl:0.7", "sharegpt.jsonl:0.3", "out.jsonl", "--rows", 10, "--to", "trl")
    assert (ran.code, ran.err) == (0, "")
    found = customers("out.jsonl")
    assert [name for name in found if "openai" in name] == [f"openai{index}" for index in range(7)]
    assert [name for name in found if "sharegpt" in name] == [f"sharegpt{index}" for index in range(3)]
    assert "sharegpt" in "".join(found[:4])
    assert "sharegpt" in "".join(found[-4:])
    again = cli(
        "convert", "--mix", "openai.jsonl:7", "sharegpt.jsonl:3", "b.jsonl", "--rows", 10, "--to", "trl", "--quiet"
    )
    assert again.out == ""
    assert Path("b.jsonl").read_bytes() == Path("out.jsonl").read_bytes()


def test_a_row_that_is_left_out_is_told_and_another_taken(cli):
    text = Path("openai.jsonl").read_text()
    Path("openai.jsonl").write_text('{"messages": 3}\n' + text)
    ran = cli("convert", "--mix", "openai.jsonl:1", "sharegpt.jsonl:1", "out.jsonl", "--rows", 4, "--to", "trl")
    assert ran.err.startswith("openai.jsonl:1: ")
    assert sorted(customers("out.jsonl")) == ["openai0", "openai1", "sharegpt0", "sharegpt1"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["openai.jsonl:1", "sharegpt.jsonl:1", "out.jsonl", "--rows", 20],
            "sharegpt.jsonl: only 6 rows can be taken, and 10 are wanted",
        ),
        (["openai.jsonl", "sharegpt.jsonl:1", "out.jsonl", "--rows", 2], "a file and its share are expected"),
        (["openai.jsonl:1", "out.jsonl", "--rows", 2], "FILE:SHARE FILE:SHARE ... OUT is expected"),
        (["openai.jsonl:1", "sharegpt.jsonl:1", "out.jsonl"], "--mix and --rows go together"),
        (["openai.jsonl:1", "sharegpt.jsonl:1", "openai.jsonl", "--rows", 2, "--overwrite"], "is the same file"),
    ],
)
def test_what_cannot_be_leaves_nothing_behind(cli, arguments, words):
    ran = cli("convert", "--mix", *arguments, "--to", "trl")
    assert (ran.code, Path("out.jsonl").exists()) == (2, False)
    assert words in ran.err
