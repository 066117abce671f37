"""Rows as other people write them: read as they are meant, each mending and each loss counted by name."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command import Command
from converted import convert_record
from foreign_rows import ASKED, CALL, FOREIGN, FUNCTION, MENDED, RESULT, THOUGHT, TOOL, WANTED, calling, row
from hypothesis import given, settings
from strategies import conversations

from generator.core.conversation import AssistantMessage, Conversation
from generator.core.errors import FormatError
from generator.formats import FORMATS
from generator.formats.files.records import UNFOLDED
from generator.report.files.convert import Conversion, ConversionOptions, convert_file
from generator.report.files.format_of import guessed_format
from generator.report.files.losses import unread_keys
from generator.report.files.repairs import REPAIRS, understood
from generator.report.files.sets import CALLS_AS_TEXT, calls_in


def copied(record: Any) -> Any:
    return json.loads(json.dumps(record))


def called(talk: Any) -> list[Any]:
    return [(c.name, c.arguments) for m in talk.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]


@pytest.mark.parametrize(("name", "record", "repairs", "calls", "texts"), MENDED)
def test_what_is_meant_is_read_and_what_was_mended_is_counted(
    name: str, record: Any, repairs: dict[str, int], calls: list[Any], texts: list[str]
):
    counted: Counter[str] = Counter()
    talk = understood(copied(record), FORMATS[name], counted)
    assert isinstance(talk, Conversation)
    assert called(talk) == calls
    assert [message.content or "" for message in talk.messages] == texts
    tally = Conversion()
    FORMATS["trl"].parse(convert_record(copied(record), FORMATS[name], FORMATS["trl"], tally))
    assert {key: count for key, count in tally.repaired.items() if key != "tool_name"} == repairs
    assert [tool.parameters["type"] for tool in talk.tools if tool.parameters] == ["object"] * len(talk.tools)


def test_every_repair_is_shown():
    shown = {repair for _, _, repairs in FOREIGN for repair in repairs}
    shown |= {repair for _, _, repairs, _, _ in MENDED for repair in repairs}
    assert shown == REPAIRS.keys() - UNFOLDED.keys() - {"think_tags", "images_left_out", "calls_read"}


@pytest.mark.parametrize(("name", "record", "repairs", "calls", "texts"), MENDED)
def test_rows_of_others_are_told_apart(name: str, record: Any, repairs: Any, calls: Any, texts: Any):
    talk = understood(copied(record), FORMATS[guessed_format(record)])
    assert isinstance(talk, Conversation)
    assert called(talk) == calls


@pytest.mark.parametrize("to", [fmt for fmt in FORMATS.values() if fmt.policy.thoughts], ids=lambda fmt: fmt.name)
@pytest.mark.parametrize(("name", "record"), THOUGHT)
def test_thoughts_come_through(name: str, record: Any, to: Any):
    tally = Conversion()
    talk = to.parse(convert_record(copied(record), FORMATS[name], to, tally))
    thoughts = [m.thoughts and m.thoughts.reason for m in talk.messages if isinstance(m, AssistantMessage)]
    assert thoughts == ["I must look.", None]
    assert called(talk) == WANTED
    assert "thoughts" not in tally.lost
    tagged = "</think>" in json.dumps(record) and name != "sharegpt"
    assert tally.repaired["think_tags"] == tagged


def test_a_target_without_thoughts_keeps_those_in_texts_and_counts_the_others():
    for name, record in THOUGHT:
        tally = Conversion()
        made = convert_record(copied(record), FORMATS[name], FORMATS["openai"], tally)
        kept = "I must look." in json.dumps(made)
        assert tally.lost["thoughts"] == (not kept)


@pytest.mark.parametrize(("how", "kept"), [("keep", [True, True]), ("last", [False, True]), ("drop", [False, False])])
def test_thoughts_of_the_history_are_a_choice(tmp_path: Path, how: Any, kept: list[bool]):
    said = [ASKED, {"role": "assistant", "content": "2 m.", "reasoning_content": "One."}]
    later = [ASKED, {"role": "assistant", "content": "2 m.", "reasoning_content": "Two."}]
    (tmp_path / "in.jsonl").write_text(json.dumps({"messages": [*said, *later]}) + "\n")
    out = tmp_path / "out.jsonl"
    convert_file(
        tmp_path / "in.jsonl", out, FORMATS["trl"], FORMATS["trl"], lambda *_: None, how=ConversionOptions(thoughts=how)
    )
    made = json.loads(out.read_text())
    assert ["reasoning_content" in m for m in made["messages"] if m["role"] == "assistant"] == kept


@pytest.mark.parametrize(
    ("name", "record", "paths"),
    [
        ("openai", row(calling(({"id": "c1", "extra_content": {"google": 1}, "type": "function", "function": {"name": "get_tide", "arguments": "{}"}},)), RESULT, store=True), ["`messages[].tool_calls[].extra_content`", "`store`"]),
        ("openai", row({"role": "assistant", "content": "x", "tool_uses": [CALL]}), ["calls in `messages[].tool_uses`"]),
        ("openai", row(calling(), RESULT | {"content": {"m": 2}}), []),
        (*THOUGHT[7], ["`contents[].parts[].thoughtSignature`"]),
        (*THOUGHT[8], ["`messages[].content[].cache_control`", "`messages[].content[].data`", "`messages[].content[].signature`"]),
    ],
)  # fmt: skip
def test_keys_that_no_reader_knows_are_counted_wherever_they_stand(name: str, record: Any, paths: list[str]):
    assert sorted(unread_keys(record, FORMATS[name])) == paths


@given(talk=conversations())
@settings(max_examples=30, deadline=None)
def test_of_our_own_records_every_key_is_known(talk: Conversation):
    for fmt in FORMATS.values():
        try:
            record = fmt.render(talk)
        except Exception:  # what it cannot hold
            continue
        assert list(unread_keys(copied(record), fmt)) == [], fmt.name


IMAGE = [
    {"type": "text", "text": "Where is this?"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBOR"}},
]
PICTURE = {
    "role": "user",
    "content": [
        {
            "type": "tool_result",
            "tool_use_id": "c1",
            "content": [{"type": "text", "text": "2 m"}, {"type": "image", "source": {}}],
        }
    ],
}
WITH_IMAGES = [
    ("openai", {"messages": [{"role": "user", "content": IMAGE}, {"role": "assistant", "content": "Bergen."}]}),
    ("anthropic", {"messages": [ASKED, {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "get_tide", "input": {}}]}, PICTURE, {"role": "assistant", "content": "2 m."}]}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "record"), WITH_IMAGES)
def test_images_are_named_and_left_out_if_that_is_wanted(cli: Command, tmp_path: Path, name: str, record: Any):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(record) + "\n")
    ran = cli("convert", source, target, "--from", name, "--to", "trl")
    assert ran.code == 2
    assert "'image" in ran.err
    assert "--drop-images" in ran.err
    assert "tool_use_id" not in ran.err
    ran = cli("convert", source, target, "--from", name, "--to", "trl", "--drop-images")
    assert ran.code == 0
    assert "images_left_out" in ran.out


def test_a_lost_call_result_or_tool_makes_1(cli: Command, tmp_path: Path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(row({"role": "assistant", "content": "x", "tool_uses": [CALL]})) + "\n")
    ran = cli("convert", source, target, "--from", "openai", "--to", "trl")
    assert (ran.code, "calls in `messages[].tool_uses`" in ran.out) == (1, True)
    source.write_text(json.dumps(row(calling(), RESULT)) + "\n")
    assert cli("convert", source, target, "--from", "openai", "--to", "trl", "--overwrite").code == 0
    ran = cli("convert", source, target, "--from", "openai", "--to", "sharegpt", "--overwrite")
    assert ran.code == 0
    ran = cli("convert", source, target, "--to", "xlam", "--overwrite")
    assert (ran.code, "results of calls" in ran.out) == (1, True)


TAGGED = row(
    {"role": "assistant", "content": f"One moment.\n<tool_call>\n{json.dumps(CALL)}\n</tool_call>"},
    {"role": "user", "content": "<tool_response>\n2 m\n</tool_response>"},
)


def test_calls_as_text_are_told_and_read_if_that_is_wanted(cli: Command, tmp_path: Path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(json.dumps(TAGGED) + "\n")
    ran = cli("convert", source, target, "--from", "openai", "--to", "trl")
    assert (ran.code, CALLS_AS_TEXT in ran.out) == (0, True)
    ran = cli("convert", source, target, "--from", "openai", "--to", "trl", "--read-calls", "--overwrite")
    assert (ran.code, CALLS_AS_TEXT in ran.out, "calls_read" in ran.out) == (0, False, True)
    talk = FORMATS["trl"].parse(json.loads(target.read_text()))
    assert called(talk) == WANTED
    assert [message.content or "" for message in talk.messages] == ["Tide at Bergen?", "One moment.", "2 m", "2 m."]


@pytest.mark.parametrize(
    ("text", "said", "calls"),
    [
        ('[f(a="x, (y)"), g h(b=[1, 2], c={"d": True}, e=null)]', "", [("f", {"a": "x, (y)"}), ("g h", {"b": [1, 2], "c": {"d": True}, "e": None})]),
        ("[f()]", "", [("f", {})]),
        ("<TOOLCALL>[{'name': 'f', 'arguments': {'a': True}}]</TOOLCALL>", "", [("f", {"a": True})]),
        ('Well.\n[TOOL_CALLS][{"name": "f", "arguments": {}}]', "Well.", [("f", {})]),
        ('<functioncall> {"name": "f", "arguments": \'{"a": "b"}\'}', "", [("f", {"a": "b"})]),
        ("<tool_call>{oh}</tool_call>", "<tool_call>{oh}</tool_call>", []),
        ("[see (a)]", "[see (a)]", []),
        ("The list [1, 2] (of two)]", "The list [1, 2] (of two)]", []),
    ],
)  # fmt: skip
def test_calls_in_texts(text: str, said: str, calls: list[Any]):
    rest, found = calls_in(text)
    assert rest == said
    assert [(call["name"], call["arguments"]) for call in found] == calls


def test_what_a_consumer_learns_wrongly_is_a_fault_and_what_it_takes_is_none():
    sharegpt = FORMATS["sharegpt"]
    assert sharegpt.read(THOUGHT[9][1])[1] == []
    faults = {
        name: [fault.rule for fault in FORMATS[name].read(record)[1]]
        for name, record, *_ in MENDED
        if name == "sharegpt"
    }
    assert faults
    by_rule = [fault.rule for name, record, *_ in MENDED if name == "sharegpt" for fault in sharegpt.read(record)[1]]
    assert {"SG104", "SG105"} <= set(by_rule)


def test_calls_of_the_user_are_refused():
    with pytest.raises(FormatError, match=r"\$\.messages\[0\]: calls of the user"):
        understood(
            {"messages": [ASKED | {"tool_calls": [CALL]}], "tools": [TOOL | {"function": FUNCTION}]}, FORMATS["openai"]
        )


@pytest.mark.parametrize(("of", "faults"), [("simple_python_1", ["BF103"]), ("live_irrelevance_1-0", [])])
def test_questions_whose_answers_stand_in_another_file_are_no_rows_without_calls(of: str, faults: list[str]):
    record = {"id": of, "question": [[ASKED]], "function": [FUNCTION | {"parameters": {"type": "dict"}}]}
    assert [fault.rule for fault in FORMATS["bfcl"].read(record)[1]] == faults
