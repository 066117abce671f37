"""From one format to another: nothing is lost or repaired in silence, nothing is half written."""

import gzip
import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import orjson
import pytest
from converted import convert_record
from examples import examples
from foreign_rows import ARGUMENTS, FOREIGN, TEXT, assistant, call, openai_row, result
from hypothesis import given, settings
from made_rows import conversation
from nightly import night
from strategies import conversations, requests

from generator.core.conversation import AssistantMessage, Conversation
from generator.core.errors import CannotCarryError, FormatError, OutputError
from generator.formats import FORMATS, Format
from generator.formats.sinks import reading
from generator.report.files.convert import Conversion, convert_file
from generator.report.files.repairs import REPAIRS, understood


def substance(talk: Conversation) -> list[Any]:
    """What is said, called and answered, without ids and names."""
    return [
        (
            type(message).__name__,
            message.content or "",
            [(c.name, c.arguments) for c in getattr(message, "tool_calls", ())],
        )
        for message in talk.messages
    ]


ROWS = [fmt for fmt in FORMATS.values() if fmt.policy.train != "spans"]
"""Formats of records, not of texts: what is converted to."""


@pytest.mark.parametrize("one_in", [4, pytest.param(1, marks=night)])
@pytest.mark.parametrize("to", ROWS, ids=lambda to: to.name)
@given(talk=requests() | conversations())
@settings(max_examples=examples(8))
def test_what_comes_through_is_what_both_formats_carry(to: Format, one_in: int, talk: Conversation):
    """From each format to a fourth of the others in each run, and from a fourth to each."""
    for fmt in list(FORMATS.values())[ROWS.index(to) % one_in :: one_in]:
        try:
            record = fmt.render(talk)
            expected = to.carries(fmt.carries(talk))
            to.render(fmt.carries(talk))
        except CannotCarryError:
            continue
        tally = Conversion()
        converted = to.parse(convert_record(record, fmt, to, tally))
        assert substance(converted) == substance(expected), fmt.name
        assert set(tally.repaired) <= {"tool_name"}, fmt.name


@pytest.mark.parametrize(("name", "record", "repairs"), FOREIGN)
def test_records_of_other_people_are_read_and_repairs_are_counted(name: str, record: Any, repairs: dict[str, int]):
    tally = Conversion()
    converted = convert_record(json.loads(json.dumps(record)), FORMATS[name], FORMATS["deepfabric"], tally)
    talk = FORMATS["deepfabric"].parse(converted)
    assert (
        next(c for m in talk.messages if isinstance(m, AssistantMessage) for c in m.tool_calls).arguments == ARGUMENTS
    )
    assert dict(tally.repaired) == repairs
    ids = [c.id for m in talk.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]
    assert len(set(ids)) == len(ids)
    assert all(len(call_id) == 9 for call_id in ids)
    assert set(tally.repaired) <= set(REPAIRS)


def test_calls_and_results_in_the_tags_of_hermes():
    record = next(record for name, record, _ in FOREIGN if "<tool_call>" in json.dumps(record))
    talk = understood(record, FORMATS["sharegpt"])
    assert isinstance(talk, Conversation)
    assert [tool.name for tool in talk.tools] == ["f"]
    assert [(message.content or "") for message in talk.messages[1:]] == ["Hi", "One moment.", '{"ok":true}', "Done."]


def written(path: Path, *lines: Any) -> Path:
    path.write_bytes(b"".join([line if isinstance(line, bytes) else orjson.dumps(line) + b"\n" for line in lines]))
    return path


def converted(source: Path, target: Path, name: str, to: str, **more: Any) -> tuple[Conversion, list[tuple[int, str]]]:
    told: list[tuple[int, str]] = []
    tally = convert_file(source, target, FORMATS[name], FORMATS[to], lambda _, *fault: told.append(fault), **more)
    return tally, told


def test_bad_rows_are_told_with_their_line_and_the_others_keep_their_order(tmp_path: Path):
    good = [FORMATS["openai"].render(conversation(f"Ada{index}")) for index in range(3)]
    orphan = openai_row(result())
    lines = (good[0], b"\n", good[1], b"{oh\n", orphan, {"messages": [{"role": "robot"}]}, good[2])
    tally, told = converted(written(tmp_path / "in.jsonl", *lines), tmp_path / "out.jsonl", "openai", "deepfabric")
    assert [line for line, _ in told] == [2, 4, 5, 6]
    assert [reason.partition(": ")[0] for _, reason in told] == ["$", "$", "$.messages[1]", "$.messages[0].role"]
    assert (tally.read, tally.written) == (7, 3)
    field = [reason for reason in tally.left_out if reason.startswith("`")]
    assert (len(field), field[0].split()[0]) == (1, "`.role`")
    records = [orjson.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()]
    assert [record["messages"][2]["tool_calls"][0]["function"]["arguments"]["customer"] for record in records] == [
        "Ada0", "Ada1", "Ada2",
    ]  # fmt: skip


def test_what_the_target_does_not_hold_is_counted(tmp_path: Path):
    record = FORMATS["anthropic"].render(conversation()) | {"metadata": {"a": 1}}
    record["messages"][2]["content"][0]["is_error"] = True
    tally, _ = converted(written(tmp_path / "in.jsonl", record), tmp_path / "out.jsonl", "anthropic", "sharegpt")
    assert dict(tally.lost) == {
        "`metadata`": 1,
        "marks of failed calls": 1,
        "ids of calls (calls are numbered)": 1,
    }
    with pytest.raises(FormatError, match=r"none of its 1 rows could be written, so .*x\.jsonl is not written"):
        converted(tmp_path / "in.jsonl", tmp_path / "x.jsonl", "anthropic", "xlam")


@pytest.mark.parametrize("name", [name for name, fmt in FORMATS.items() if fmt.policy.learns == "calls"])
def test_what_preferences_reject_is_counted_when_it_is_left_out(name: str):
    tally = Conversion()
    made = convert_record(FORMATS[name].render(conversation()), FORMATS[name], FORMATS["trl"], tally)
    assert [c["function"]["name"] for c in made["messages"][-1]["tool_calls"]] == ["cancel_order"]
    assert (dict(tally.repaired), dict(tally.lost)) == ({}, {"what is rejected": 1, "marks of what is not learnt": 1})


def test_names_that_a_format_never_has_are_not_spoken_of():
    for to in ("anthropic", "trl"):
        tally = Conversion()
        convert_record(FORMATS["openai"].render(conversation()), FORMATS["openai"], FORMATS[to], tally)
        assert (dict(tally.repaired), dict(tally.lost)) == ({}, {})
    convert_record(FORMATS["deepfabric"].render(conversation()), FORMATS["deepfabric"], FORMATS["openai"], tally)
    assert dict(tally.lost) == {"names on results": 1}


@pytest.mark.parametrize("name", ["sharegpt", "swift", "gemini", "qwen"])
def test_names_that_only_their_calls_tell_are_not_lost(name: str):
    tally = Conversion()
    convert_record(FORMATS[name].render(conversation()), FORMATS[name], FORMATS["openai"], tally)
    assert "names on results" not in tally.lost


@pytest.mark.parametrize("indent", [None, 1])
def test_a_json_list_is_read_as_rows(tmp_path: Path, indent: int | None):
    records = [FORMATS["sharegpt"].render(conversation(f"Zoë{index}")) for index in range(700)]
    source = tmp_path / "in.json"
    source.write_text(json.dumps(records, ensure_ascii=False, indent=indent), encoding="utf-8")
    tally, told = converted(source, tmp_path / "out.jsonl", "sharegpt", "sharegpt")
    assert (tally.written, told) == (700, [])
    assert [orjson.loads(line) for line in (tmp_path / "out.jsonl").read_bytes().splitlines()] == records
    source.write_text(json.dumps(records[:3], indent=indent)[:-20])
    with pytest.raises(OutputError, match="is not JSON, or is cut off"):
        converted(source, tmp_path / "cut.jsonl", "sharegpt", "sharegpt")
    assert not list(tmp_path.glob("*cut*"))


def test_packed_files_and_files_that_are_there(tmp_path: Path):
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(gzip.compress(orjson.dumps(FORMATS["openai"].render(conversation())) + b"\n"))
    target = tmp_path / "out.jsonl.zst"
    converted(source, target, "openai", "trl")
    with reading(target) as file:
        assert orjson.loads(file.read())["messages"][0]["role"] == "system"
    before = target.read_bytes()
    with pytest.raises(OutputError, match="is there already; --overwrite replaces it"):
        converted(source, target, "openai", "trl")
    with pytest.raises(OutputError, match="there is no such file"):
        converted(tmp_path / "none.jsonl", target, "openai", "trl", overwrite=True)
    assert target.read_bytes() == before
    converted(source, target, "openai", "axolotl", overwrite=True)
    assert target.read_bytes() != before


@pytest.mark.parametrize("overwrite", [False, True])
def test_only_a_regular_file_is_replaced_and_never_the_one_that_is_read(tmp_path: Path, overwrite: bool):
    source = written(tmp_path / "in.jsonl", FORMATS["openai"].render(conversation()))
    before = source.read_bytes()
    (tmp_path / "other").write_text("mine")
    (tmp_path / "link").symlink_to("other")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "to_in").symlink_to("in.jsonl")
    (tmp_path / "hard").hardlink_to(source)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    refusals = {
        "link": "link: is a symbolic link, and is not replaced",
        "dangling": "dangling: is a symbolic link, and is not replaced",
        "fifo": "fifo: is not a regular file, and is not replaced",
        "folder": "folder: is a folder",
        "in.jsonl": "is the same file as",
        "to_in": "is the same file as",
        "hard": "is the same file as",
    }
    there = {path.name: path.lstat().st_ino for path in tmp_path.iterdir()}
    for name, words in refusals.items():
        with pytest.raises(OutputError, match=words):
            converted(source, tmp_path / name, "openai", "trl", overwrite=overwrite)
    assert {path.name: path.lstat().st_ino for path in tmp_path.iterdir()} == there
    assert (source.read_bytes(), (tmp_path / "other").read_text()) == (before, "mine")


@pytest.mark.parametrize("name", ["out.parquet", "out.PARQUET", "out.parquet.gz"])
def test_a_parquet_file_is_not_promised(tmp_path: Path, name: str):
    source = written(tmp_path / "in.jsonl", FORMATS["openai"].render(conversation()))
    with pytest.raises(OutputError, match=f"{name}: convert writes JSON lines, not Parquet; name a .jsonl file"):
        converted(source, tmp_path / name, "openai", "trl")
    assert list(tmp_path.iterdir()) == [source]


def test_memory_does_not_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("generator.report.files.convert._CHUNK", 1 << 14)
    talk = Conversation(messages=conversation().messages)
    line = orjson.dumps(FORMATS["openai"].render(talk)) + b"\n"
    peaks = []
    for copies in (200, 1200):
        (tmp_path / "in.jsonl").write_bytes(line * copies)
        tracemalloc.start()
        converted(tmp_path / "in.jsonl", tmp_path / "out.jsonl", "openai", "deepfabric", overwrite=True)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.2


def test_calls_without_arguments_get_none():
    tally = Conversion()
    row = openai_row(assistant(call(""), call(None, "call_2")), result(), result("call_2"))
    record = convert_record(row, FORMATS["openai"], FORMATS["trl"], tally)
    assert [made["function"]["arguments"] for made in record["messages"][1]["tool_calls"]] == [{}, {}]
    assert dict(tally.repaired) == {"arguments_missing": 2}


def test_reasons_are_counted_by_their_field(tmp_path: Path):
    rows = [
        openai_row({"role": "assistant", "content": "x" * n, "tool_calls": [call(TEXT, 5)]} | {"tool_calls": 7})
        for n in (1, 2)
    ]
    rows.append(FORMATS["openai"].render(conversation()))
    tally, told = converted(written(tmp_path / "in.jsonl", *rows), tmp_path / "out.jsonl", "openai", "trl")
    assert len(told) == 2
    ((reason, number),) = tally.left_out.items()
    assert (reason.split()[0], number) == ("`.tool_calls`", 2)


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("name", ["bfcl", "llama_pythonic"])
def test_what_is_nested_too_deep_is_told_and_the_others_are_written(tmp_path: Path, name: str):
    tool = {
        "type": "function",
        "function": {"name": "f", "description": "", "parameters": {"type": "object", "properties": {"x": {}}}},
    }
    texts = [json.dumps({"x": nested(depth)}) for depth in (2, 500, 3)]
    rows = [openai_row(assistant(call(text)), result(), tools=[tool]) for text in texts]
    target = tmp_path / "out.jsonl"
    tally, told = converted(written(tmp_path / "in.jsonl", *rows), target, "openai", name)
    assert told == [(2, "$: is nested too deep")]
    assert tally.left_out == {"is nested too deep": 1}
    assert (tally.read, tally.written, len(target.read_text().splitlines())) == (3, 2, 2)


@pytest.mark.parametrize("number", [309, 400, 4000])
def test_whole_numbers_above_the_greatest_float_come_through_or_are_refused_by_name(number: int):
    parameters = {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}
    tool = {"type": "function", "function": {"name": "f", "description": "", "parameters": parameters}}
    record = openai_row(assistant(call(json.dumps({"x": 10**number}), "call00001")), result("call00001"), tools=[tool])
    for name in ("sharegpt", "qwen", "anthropic"):
        converted = FORMATS[name].parse(convert_record(record, FORMATS["openai"], FORMATS[name], Conversion()))
        assert [c.arguments for m in converted.messages if isinstance(m, AssistantMessage) for c in m.tool_calls] == [
            {"x": 10**number}
        ]
    with pytest.raises(CannotCarryError, match="no float is equal to"):
        convert_record(record, FORMATS["openai"], FORMATS["bfcl"], Conversion())


GOOD_LIST = json.dumps([FORMATS["openai"].render(conversation())] * 2).encode()
ELEMENT = GOOD_LIST[1:-1].partition(b', {"messages"')[0]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (GOOD_LIST + b'\n{"messages": []}', "something stands behind the end of the list"),
        (GOOD_LIST + b"]", "something stands behind the end of the list"),
        (b"[" + ELEMENT + b" " + ELEMENT + b"]", "a comma or the end of the list is expected"),
        (b"[" + ELEMENT + b",," + ELEMENT + b"]", "is not JSON, or is cut off"),
        (b"[" + ELEMENT + b",]", "is not JSON, or is cut off"),
        (b"[\n," + ELEMENT + b"]", "is not JSON, or is cut off"),
        (b"[" + ELEMENT + b",", "is not JSON, or is cut off"),
        (b"[" + ELEMENT, "is not JSON, or is cut off"),
        (b"[" + ELEMENT.replace(b"Ada", b"Ad\xe9") + b"]", "is not UTF-8"),
        (b"[" + ELEMENT + b"]\n\xe9", "is not UTF-8"),
        (b"[" + ELEMENT + b"] \xe2\x82", "is not UTF-8"),
        (b"[" + ELEMENT + b"," + b" " * 9 + b"\n\xff]", "is not UTF-8"),
    ],
)
@pytest.mark.parametrize("chunk", [1 << 20, 7])
def test_a_list_that_is_not_json_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: bytes, fault: str, chunk: int
):
    monkeypatch.setattr("generator.report.files.convert._CHUNK", chunk)
    source = written(tmp_path / "in.json", text)
    with pytest.raises(OutputError, match=rf"in\.json:\d+: .*{fault}"):
        converted(source, tmp_path / "out.jsonl", "openai", "trl")
    assert list(tmp_path.iterdir()) == [source]


@pytest.mark.parametrize("chunk", [1 << 20, 7])
def test_elements_of_a_list_are_read_as_exactly_as_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int):
    monkeypatch.setattr("generator.report.files.convert._CHUNK", chunk)
    row = ELEMENT.decode()
    bad = [row[:-1] + end for end in (', "a": 1, "a": 2}', ', "a": NaN}', ', "a": -Infinity}', ', "a": "\\ud800"}')]
    source = written(tmp_path / "in.json", ("[" + ",\n".join([row, *bad, row]) + " ]\n \n").encode())
    tally, told = converted(source, tmp_path / "out.jsonl", "openai", "trl")
    assert (tally.read, tally.written, [line for line, _ in told]) == (6, 2, [2, 3, 4, 5])
    lines = written(tmp_path / "in.jsonl", ("\n".join([row, *bad, row]) + "\n").encode())
    assert converted(lines, tmp_path / "lines.jsonl", "openai", "trl") == (tally, told)
    assert (tmp_path / "lines.jsonl").read_bytes() == (tmp_path / "out.jsonl").read_bytes()
