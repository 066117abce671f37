"""One opener: whatever the records of a file stand in, all commands see the same rows; what cannot be read is named."""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
import zstandard
from command import Command
from hypothesis import given
from hypothesis import strategies as st
from made_rows import conversation
from strategies import JSON

from generator.core.errors import OutputError
from generator.formats import FORMATS
from generator.formats.files.records import UNFOLDED, records_of, unfolded

ROWS = [FORMATS["openai"].render(conversation(name)) for name in ("Ada", "Zoë", "Grace")]
LINES = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()


def table(path: Path, rows: list[dict[str, Any]]) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)


def texts_in_columns(row: dict[str, Any]) -> dict[str, Any]:
    return {key: json.dumps(value) if key == "messages" else value for key, value in row.items()}


def columns(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value if isinstance(value, bool) else json.dumps(value) for key, value in row.items()}


def with_lines_of_messages(row: dict[str, Any]) -> str:
    """A row that opens in a line, with a line for each of its messages."""
    messages = ",\n".join(json.dumps(message, ensure_ascii=False) for message in row["messages"])
    return f'{{"tools": {json.dumps(row["tools"])}, "messages":[\n{messages}\n]}}'


CONTAINERS: dict[str, tuple[str, Callable[[Path], object], dict[str, int]]] = {
    "lines": ("f.jsonl", lambda path: path.write_bytes(LINES), {}),
    "a list": ("f.json", lambda path: path.write_text(json.dumps(ROWS)), {}),
    "a list over several lines": ("f.json", lambda path: path.write_text(json.dumps(ROWS, indent=2)), {}),
    "values over several lines": ("f.jsonl", lambda path: path.write_text("\n".join(json.dumps(row, indent=1) for row in ROWS)), {"over_lines": 1}),
    "a value that opens in its first line": ("f.json", lambda path: path.write_text("\n".join(with_lines_of_messages(row) for row in ROWS)), {"over_lines": 1}),
    "an object with a list": ("f.json", lambda path: path.write_text(json.dumps({"version": 2, "data": ROWS})), {"wrapped": 1}),
    "an object over several lines": ("f.json", lambda path: path.write_text(json.dumps({"rows": ROWS}, indent=1)), {"wrapped": 1}),
    "rows in objects": ("f.jsonl", lambda path: path.write_text("\n".join(json.dumps({"row_idx": 1, "row": row}) for row in ROWS)), {"wrapped": 3}),
    "rows as text": ("f.jsonl", lambda path: path.write_text("\n".join(json.dumps({"text": json.dumps(row)}) for row in ROWS)), {"wrapped": 3}),
    "columns of text": ("f.jsonl", lambda path: path.write_text("\n".join(json.dumps(texts_in_columns(row)) for row in ROWS)), {"json_columns": 3}),
    "Parquet": ("f.parquet", lambda path: table(path, [columns(row) for row in ROWS]), {"json_columns": 3}),
    "Parquet of another name": ("f.jsonl", lambda path: table(path, [columns(row) for row in ROWS]), {"json_columns": 3}),
    "gzip": ("f.jsonl.gz", lambda path: path.write_bytes(gzip.compress(LINES)), {}),
    "gzip of another name": ("f.jsonl", lambda path: path.write_bytes(gzip.compress(LINES)), {}),
    "zstd of another name": ("f.json", lambda path: path.write_bytes(zstandard.compress(LINES)), {}),
    "a byte order mark": ("f.jsonl", lambda path: path.write_bytes(b"\xef\xbb\xbf" + LINES), {"byte_order_mark": 1}),
}  # fmt: skip
"""What rows stand in -> the name of the file, how it is written, and what is counted."""
ELSEWHERE = {"session", "not_said", "no_role", "no_message", "bare_list"}
"""Of sessions (see tests/cli/test_sessions.py), and of files with one row."""


@pytest.mark.parametrize("name", CONTAINERS)
def test_rows_are_the_same_wherever_they_stand(tmp_path: Path, name: str):
    file, write, counts = CONTAINERS[name]
    write(tmp_path / file)
    mended: Counter[str] = Counter()
    entries = list(records_of(tmp_path / file, mended=mended))
    assert [FORMATS["openai"].parse(entry.record) for entry in entries] == [
        FORMATS["openai"].parse(row) for row in ROWS
    ]
    assert [entry.number for entry in entries] == [0, 1, 2]
    assert +mended == counts
    second = list(records_of(tmp_path / file, wanted=lambda number: number == 1))
    assert [entry.number for entry in second] == [0, 1, 2]
    assert second[1].record == entries[1].record


def test_every_thing_that_is_undone_is_shown_here():
    assert {name for *_, counts in CONTAINERS.values() for name in counts} == UNFOLDED.keys() - ELSEWHERE


@pytest.mark.parametrize("name", CONTAINERS)
def test_every_command_opens_it(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.chdir(tmp_path)
    file, write, counts = CONTAINERS[name]
    write(tmp_path / file)
    checked = cli("validate", file, "--format", "openai")
    faults = int("over_lines" in counts)
    assert (checked.code, checked.err) == (faults, "")
    assert f"3 lines in 1 file: {'1 fault in 1 line' if faults else 'no faults'}" in checked.out
    assert (
        json.loads(cli("validate", file, "--format", "openai", "--json").out.splitlines()[-1])["summary"]["undone"]
        == counts
    )
    made = cli("convert", file, "out.jsonl", "--from", "openai", "--to", "openai")
    assert (made.code, Path("out.jsonl").read_bytes().count(b"\n")) == (0, 3)
    assert [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()] == ROWS
    assert "Zoë" in cli("show", file, "--index", "1").out
    assert json.loads(cli("report", file, "--json").out)["reports"][0]["measured"] == 3
    assert cli("browse", file, "--out", "rows.html").out.startswith("rows.html: 3 records")


@pytest.mark.parametrize("sink", ["parquet", "parquet_json"])
@pytest.mark.parametrize("name", ["trl", "openai", "sharegpt", "anthropic", "gemini", "eval", "qwen"])
def test_our_own_parquet_is_read_as_our_own_lines(cli: Command, tmp_path: Path, recipe: Path, name: str, sink: str):
    recipe.write_text(recipe.read_text().replace("[deepfabric, openai]", f"[{name}]"))
    for kind in ("jsonl", sink):
        assert cli("run", recipe, "--quiet", "--sink", kind, "--out", tmp_path / kind).code == 0
    (lines,) = (tmp_path / "jsonl").glob(f"{name}.jsonl")
    (columns,) = (tmp_path / sink).glob(f"{name}.parquet")
    read = [[FORMATS[name].read(entry.record) for entry in records_of(path)] for path in (lines, columns)]
    assert read[0] == read[1]
    assert cli("validate", columns, "--format", name).code == 0
    shown = [cli("show", path, "--row", "1").out.partition("\n")[2] for path in (lines, columns)]
    assert shown[0] == shown[1]
    figures = [
        json.loads(cli("report", path, "--json").out)["reports"][0]["metrics"]
        for path in (tmp_path / "jsonl", tmp_path / sink)
    ]
    assert figures[0] == figures[1]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (LINES.decode().encode("utf-16"), "looks like UTF-16: `iconv"),
        (LINES.decode().encode("utf-16-le"), "looks like UTF-16: `iconv"),
        (b"PK\3\4 and so on", "looks like a ZIP archive"),
        (b"ARROW1\0\0", "looks like an Arrow file: `datasets"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\n", "a pointer of Git LFS in place of the file: `git lfs pull`"),
        (b"<!DOCTYPE html>\n<html></html>\n", "perhaps of a download that failed"),
        (b"role,content\nuser,Hi\n", "looks like CSV ('role,content')"),
        (b"messages:\n- role\n", "looks like plain text ('messages:')"),
        (b"PAR1 and nothing more", "not a Parquet file"),
        (b'{\n "messages": [\n', "this value is not JSON, or is cut off (it begins in line 1)"),
        (b'{\n "a": 1,\n "b": "x"y",\n "c": 2\n}\n', "f.jsonl:3: this value is not JSON"),
        (b'[{"a":\n"x"y"}]\n', "f.jsonl:2: this element of the list is not JSON, or is cut off (it begins in line 1)"),
        (b'{"ts": 1, "type": "say", "say": "text", "text": "Hi"}\n', "looks like what Cline shows: its `api_conversation_history.json`"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_gets_one_line(cli: Command, tmp_path: Path, content: bytes, words: str):
    path = tmp_path / "f.jsonl"
    path.write_bytes(content)
    with pytest.raises(OutputError, match=r"f\.jsonl") as refusal:
        list(records_of(path))
    assert words in str(refusal.value)
    for command in (["validate", path], ["show", path], ["report", path], ["score", path, path]):
        ran = cli(*command)
        assert (ran.code, ran.err) == (2, f"{refusal.value}\n")


@pytest.mark.parametrize("first", ['{"messages": [1,', '{"a": "[', '{"a": "b', '{"a"'])
def test_a_first_line_that_is_cut_off_is_a_line(tmp_path: Path, first: str):
    (tmp_path / "f.jsonl").write_text(f'{first}\n{{"messages": []}}\n{{"messages": []}}\n')
    entries = list(records_of(tmp_path / "f.jsonl"))
    assert [(entry.line, bool(entry.fault)) for entry in entries] == [(1, True), (2, False), (3, False)]


@pytest.mark.parametrize("text", ['{"messages":[\n{"role": "user"}\n]}', '{"messages":[{"role": "user"}\n]}\n', '{"messages":\n\n[{"role": "user"}]}'])  # fmt: skip
def test_a_value_over_few_lines_is_one(tmp_path: Path, text: str):
    (tmp_path / "f.json").write_text(text)
    assert [entry.record for entry in records_of(tmp_path / "f.json")] == [{"messages": [{"role": "user"}]}]


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(("name", "key"), [("openai", "messages"), ("anthropic", "messages"), ("gemini", "contents"), ("sharegpt", "conversations")])  # fmt: skip
def test_a_list_of_messages_is_one_conversation(cli: Command, tmp_path: Path, name: str, key: str, indent: int | None):
    messages = FORMATS[name].render(conversation())[key]
    (tmp_path / "f.json").write_text(json.dumps(messages, indent=indent))
    mended: Counter[str] = Counter()
    assert [entry.record for entry in records_of(tmp_path / "f.json", mended=mended)] == [{key: messages}]
    assert +mended == {"bare_list": 1}
    assert cli("convert", tmp_path / "f.json", tmp_path / "out.jsonl", "--to", "trl").code == 0
    (tmp_path / "f.json").write_text(json.dumps([messages, messages], indent=indent))
    assert [entry.record for entry in records_of(tmp_path / "f.json")] == (
        [messages, messages] if indent else [[messages, messages]]
    )


@pytest.mark.parametrize("row", [{"conversation_id": 1, "role": "user"}, {"role": "assistant"}])
def test_a_table_of_messages_or_answers_stays_one(tmp_path: Path, row: dict[str, Any]):
    rows = [row | {"content": "Hi"}] * 2
    (tmp_path / "f.json").write_text(json.dumps(rows))
    assert [entry.record for entry in records_of(tmp_path / "f.json")] == rows


def test_a_fault_of_a_message_is_one_of_the_conversation(tmp_path: Path):
    (tmp_path / "f.json").write_text('[{"role": "user", "content": "Hi"},\n{"role": "user", "content": NaN}]')
    (entry,) = records_of(tmp_path / "f.json")
    assert (entry.line, entry.record, "NaN" in entry.fault or "JSON" in entry.fault) == (2, None, True)


@given(record=JSON)
def test_a_record_of_anything_is_unfolded_once_and_for_all(record: Any):
    rows = unfolded(record, Counter())
    assert [row for one in rows for row in unfolded(one, Counter())] == rows


@given(requests=st.lists(st.text(), min_size=1, max_size=3))
def test_texts_that_are_json_stay_texts_where_texts_are_meant(requests: list[str]):
    for text in ('{"a": 1}', '["x"]', '[{"b": 2}]', *requests):
        for record in (
            {"instruction": text, "input": text, "output": text},
            {"query": text, "answers": "[]", "tools": "[]"},
            {"question": [[{"role": "user", "content": text}]], "answer": text},
            {"text": text, "spans": []},
        ):
            assert unfolded(record, Counter()) == [record]
