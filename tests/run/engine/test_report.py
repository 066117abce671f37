"""A finished run writes a report of a sample of its rows."""

import json
from pathlib import Path

import msgspec
import pytest
from made_rows import TOKEN, made_row, recipe, rows_are, write_rows

from generator.formats.files.validate import violations_in_file
from generator.formats.run_folder.files import Layout
from generator.recipe import Recipe
from generator.report import Report, files_to_measure, measure_files
from generator.report.measure import rows_of
from generator.report.of_run import AT_LEAST
from generator.report.page import Entry, noted
from generator.run.engine.run import RunOptions, run

NAMES = ("report.json", "index.html")


def reports(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in NAMES]


def split(rows: int, *formats: str) -> Recipe:
    return msgspec.structs.replace(recipe(rows, *formats), splits=(("train", 0.7), ("test", 0.3)))


def make(out: Path, rows: int = 12, *, report: bool = True, **how: object) -> None:
    """A run whose rows are made by hand."""
    with rows_are(made_row):
        run(recipe(rows), out, how=RunOptions(layout=Layout(report=report), **how))


def test_all_rows_of_a_small_run_with_their_proofs(tmp_path: Path):
    make(tmp_path)
    found = json.loads((tmp_path / "report.json").read_bytes())
    assert (found["name"], found["rows"], found["measured"], found["sampled"]) == ("r", 12, 12, False)
    assert found["metrics"]["sources"]["figures"]["proven"] == 100
    assert "rows looked at | 12 of 12 |" in (tmp_path / "README.md").read_text()
    assert {*NAMES} <= set(json.loads((tmp_path / "manifest.json").read_bytes())["files"])


def test_a_sample_of_a_larger_one(tmp_path: Path):
    make(tmp_path, 300)
    found = json.loads((tmp_path / "report.json").read_bytes())
    assert (found["rows"], found["sampled"]) == (300, True)
    assert abs(found["measured"] - AT_LEAST) <= 2


def test_the_page_does_not_grow_with_the_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("generator.report.of_run.SHOWN", 20)
    with rows_are(lambda index: made_row(index, rejected=1)):
        run(recipe(200), tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert 15 <= page.count('"kind":"row"') <= 25
    assert page.count('"kind":"rejected"') == 20
    assert "a sample of 200 rows" in page


def test_the_same_bytes_whatever_the_blocks_and_in_two_runs(tmp_path: Path):
    make(tmp_path / "one", block_rows=5)
    make(tmp_path / "two", block_rows=100)
    make(tmp_path / "three", 7)
    make(tmp_path / "three", 12)
    assert reports(tmp_path / "one") == reports(tmp_path / "two") == reports(tmp_path / "three")


@pytest.mark.parametrize("sink", ["jsonl", "parquet"])
@pytest.mark.parametrize("packing", [None, "gzip"])
@pytest.mark.parametrize("shard_rows", [None, 5])
def test_whatever_the_files_and_the_rows_that_a_format_cannot_carry(
    tmp_path: Path, sink: str, packing: str | None, shard_rows: int | None
):
    if sink == "parquet":
        pytest.importorskip("pyarrow")
    made = [made_row(index, TOKEN if index % 3 == 0 else "Ada") for index in range(20)]
    write_rows(split(20, "openchatml"), made, tmp_path, sinks=(sink,), packing=packing, shard_rows=shard_rows)
    found = json.loads((tmp_path / "report.json").read_bytes())
    assert (found["rows"], found["measured"]) == (13, 13)
    page = (tmp_path / "index.html").read_text()
    assert [page.count(f'"kind":"{kind}"') for kind in ("row", "left out", "unreadable")] == [13, 7, 0]
    assert found["metrics"]["sources"]["figures"]["proven"] == 100


def test_plain_text_alone_has_none(tmp_path: Path):
    write_rows(recipe(2, "openchatml"), [made_row(0), made_row(1)], tmp_path, sinks=("text",))
    assert not any((tmp_path / name).exists() for name in NAMES)


def test_none_when_none_is_wanted(tmp_path: Path):
    make(tmp_path, 3, report=False)
    assert not any((tmp_path / name).exists() for name in NAMES)
    assert "report" not in (tmp_path / "README.md").read_text()
    make(tmp_path, 3)  # finished already, and stays as it is
    assert not any((tmp_path / name).exists() for name in NAMES)
    make(tmp_path, 5)
    assert all((tmp_path / name).exists() for name in NAMES)
    make(tmp_path, 6, report=False)
    assert not any((tmp_path / name).exists() for name in NAMES)


@pytest.mark.parametrize("records", ["whole", "unrolled"])
def test_good_rows_break_no_rule_whatever_else_is_written(tmp_path: Path, records: str):
    """The format with the most records is not the one to measure, and a record that ends with a call is whole where rows are unrolled."""
    wanted = msgspec.structs.replace(recipe(6, "eval", "openai"), records=records)
    write_rows(wanted, [made_row(index) for index in range(6)], tmp_path)
    found = json.loads((tmp_path / "report.json").read_bytes())
    assert found["rows"] == (6 if records == "whole" else 18)
    assert found["metrics"]["violations"]["figures"] == {"rows": 0.0, "violations": 0}
    assert found["unreadable"] == 0


@pytest.mark.parametrize("records", ["whole", "unrolled"])
def test_the_same_rules_everywhere(tmp_path: Path, records: str):
    """`validate`, `report` and `browse` say of every file of a run that its rows are good, and of a bad one the same fault."""
    names = (
        "deepfabric",
        "openai",
        "qwen",
        "sharegpt",
        *(("eval", "trl-preference") if records == "whole" else ("mistral",)),
    )
    wanted = msgspec.structs.replace(recipe(4, *names), records=records)
    write_rows(wanted, [made_row(index) for index in range(4)], tmp_path)

    def told(file: Path, name: str) -> list[list[str]]:
        found = measure_files("it", files_to_measure(file))
        assert found.unreadable == 0
        return [
            sorted(one.violation.rule for one in violations_in_file(file, name)),
            sorted(counted(found)),
            sorted(one["rule"] for row in shown(file) for one in row["faults"]),
        ]

    for name in names:
        assert told(tmp_path / f"{name}.jsonl", name) == [[], [], []], name
    bad = tmp_path / "openai.jsonl"
    bad.write_bytes(bad.read_bytes().replace(b'"limit\\":3', b'"limit\\":\\"3\\"', 1))
    by_validate, by_report, by_browse = told(bad, "openai")
    assert by_validate == by_report == by_browse == ["DF202"]
    assert (tmp_path / "report.json").exists()


def shown(file: Path) -> list[Entry]:
    """What the page shows of a file."""
    entries: list[Entry] = []
    assert all(noted(rows_of(files_to_measure(file), lambda _: True), entries))
    return entries


def counted(report: Report) -> list[str]:
    """The rule of each violation that a report counts."""
    return [
        rule for chart in report.metrics["violations"].charts for rule, count in chart.counts for _ in range(int(count))
    ]
