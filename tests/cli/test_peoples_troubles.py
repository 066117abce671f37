"""Public troubles of people who make and convert tool-calling data: one row for each kind, with what is right."""

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from command import Command
from converted import convert_record

from generator.core.conversation import AssistantMessage, Conversation, ToolMessage
from generator.core.errors import FormatError
from generator.episodes.rewards import call_reward
from generator.formats import FORMATS
from generator.report.files.convert import Conversion, ConversionOptions, convert_file
from generator.report.files.format_of import guessed_format
from generator.report.files.repairs import understood
from generator.report.files.sets import CALLS_AS_TEXT

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}
TOOL = {"type": "function", "function": {"name": "forecast", "description": "Weather.", "parameters": SCHEMA}}
ASKED = {"role": "user", "content": "Weather in Oslo?"}
ANSWERED = {"role": "tool", "tool_call_id": "c1", "content": "Rain"}
SAID = {"role": "assistant", "content": "Rain."}
RIGHT = {"content": None, "calls": [{"name": "forecast", "arguments": {"city": "Oslo"}}]}


def call(arguments: Any = '{"city":"Oslo"}', **other: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "forecast", "arguments": arguments}, **other}


def calling(*calls: Any, **beside: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls or (call(),)), **beside}


def row(*messages: Any, **beside: Any) -> dict[str, Any]:
    return {"messages": [ASKED, *messages], "tools": [TOOL], **beside}


def read(record: Any) -> tuple[Conversation, Counter[str]]:
    """What is understood of a record, whose format is told from it, and what was mended."""
    mended: Counter[str] = Counter()
    talk = understood(json.loads(json.dumps(record)), FORMATS[guessed_format(record)], mended)
    assert isinstance(talk, Conversation)
    return talk, +mended


def calls(talk: Conversation) -> list[Any]:
    return [(c.name, c.arguments) for m in talk.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]


def results(talk: Conversation) -> list[str]:
    return [message.content for message in talk.messages if isinstance(message, ToolMessage)]


def thoughts(talk: Conversation) -> list[Any]:
    return [m.thoughts.reason for m in talk.messages if isinstance(m, AssistantMessage) and m.thoughts]


OSLO = [("forecast", {"city": "Oslo"})]
GEMINI = {
    "contents": [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {
            "role": "model",
            "parts": [
                {"text": "Hm", "thought": True},
                {"functionCall": {"name": "forecast", "args": {"city": "Oslo"}}},
            ],
        },
    ]
}
SWIFT = [
    ASKED,
    {"role": "tool_call", "content": '{"name": "forecast", "arguments": {"city": "Oslo"}}'},
    {"role": "tool_response", "content": "Rain"},
    SAID,
]
ITEMS = [
    ASKED,
    {"type": "function_call", "call_id": "c1", "name": "forecast", "arguments": '{"city":"Oslo"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "Rain"},
]
BFCL = {
    "id": "simple_python_1",
    "question": [[ASKED]],
    "function": [{"name": "forecast", "description": "Weather.", "parameters": SCHEMA | {"type": "dict"}}],
    "ground_truth": [{"forecast": {"city": ["Oslo", "Oslo, Norway"]}}],
}
PARTS = [{"type": "text", "text": "12"}, {"type": "text", "text": "C"}]
UNDERSTOOD: list[tuple[str, Any, Callable[[Conversation], Any], Any, dict[str, int]]] = [
    ("3: a thought of Gemini's is a thought", GEMINI, thoughts, ["Hm"], {}),
    ("4: reasoning beside calls", row(calling(reasoning_content="Hm"), ANSWERED, SAID), thoughts, ["Hm"], {"tool_name": 1}),
    ("5: arguments encoded twice", row(calling(call(json.dumps('{"city":"Oslo"}'))), ANSWERED), calls, OSLO, {"encoded_twice": 1, "tool_name": 1}),
    ("10: nulls that a table filled in", row(calling(call({"city": "Oslo", "days": None}))), calls, OSLO, {"null_filled": 1}),
    (
        "13: calls without `function` around them",
        row({"role": "assistant", "tool_calls": [{"id": "c1", "name": "forecast", "arguments": {"city": "Oslo"}}]}),
        calls, OSLO, {"calls_flat": 1},
    ),
    ("14: calls as text", row({"role": "assistant", "tool_calls": json.dumps([call()])}), calls, OSLO, {"calls_encoded": 1}),
    ("16: `toolCalls`", row({"role": "assistant", "toolCalls": [call()]}), calls, OSLO, {"key_spelled": 1}),
    ("16: assistant messages in a row", row({"role": "assistant", "content": "One moment."}, calling()), calls, OSLO, {"assistant_joined": 1}),
    ("15: roles of ms-swift", {"messages": SWIFT, "tools": json.dumps([TOOL])}, calls, OSLO, {}),
    ("17: items of the Responses API", {"input": ITEMS}, calls, OSLO, {"tool_name": 1}),
    ("18: several right answers", BFCL, lambda talk: talk.messages[-1].tool_calls[0].accepts, {"/city": ["Oslo, Norway"]}, {}),
    ("null as arguments", row(calling(call("null"))), calls, [("forecast", {})], {"arguments_missing": 1}),
    ("a result that is an object", row(calling(), ANSWERED | {"content": {"sky": "Rain"}}), results, ['{"sky":"Rain"}'], {"result_value": 1, "tool_name": 1}),
    ("a result that is null", row(calling(), ANSWERED | {"content": None}), results, ["null"], {"result_value": 1, "tool_name": 1}),
    ("text parts are apart", row(calling(), ANSWERED | {"content": PARTS}), results, ["12\nC"], {"tool_name": 1}),
    ("a call that is a Python dict", row(calling(call("{'city': 'Oslo'}"))), calls, OSLO, {"python_literals": 1}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("record", "what", "right", "mended"), [one[1:] for one in UNDERSTOOD], ids=[one[0] for one in UNDERSTOOD]
)
def test_a_row_is_read_as_it_is_meant(
    record: Any, what: Callable[[Conversation], Any], right: Any, mended: dict[str, int]
):
    talk, found = read(record)
    assert (what(talk), found) == (right, mended)


DRAFT = (
    '<think>\nI could write <tool_call>{"name": "forecast", "arguments": {"city": "Rome"}}</tool_call>\n</think>\n\n'
)
CALLED = '<tool_call>\n{"name": "forecast", "arguments": {"city": "Oslo"}}\n</tool_call>'


@pytest.mark.parametrize(
    ("completion", "reward"),
    [
        (DRAFT + CALLED, 1.0),
        (DRAFT.removeprefix("<think>\n") + CALLED, 1.0),
        (f"<think>\n{CALLED}", 0.0),
        ({"content": None, "tool_calls": [call()]}, 1.0),
    ],
)
def test_1_a_draft_in_thoughts_is_not_said(completion: Any, reward: float):
    assert call_reward(completion, RIGHT) == reward


@pytest.mark.parametrize(
    "completion", [GEMINI["contents"][1], {"output": ITEMS[1:2]}, {"content": [{"type": "tool_use", "input": {}}]}]
)
def test_1_answers_of_other_apis_are_refused_not_scored(completion: Any):
    with pytest.raises(FormatError, match="no completion that can be read"):
        call_reward(completion, RIGHT)


def test_8_9_a_map_of_parameters_is_wrapped_and_counted_and_a_default_is_no_requirement():
    parameters = {"city": {"type": "str"}, "days": {"type": "int", "default": 3}}
    tool = {"name": "forecast", "description": "Weather.", "parameters": parameters}
    asked = {"query": "Weather in Oslo?", "answers": '[{"name":"forecast","arguments":{"city":"Oslo"}}]'}
    talk, _ = read(asked | {"tools": json.dumps([tool])})
    assert talk.tools[0].parameters["required"] == ["city"]
    loose = {"type": "function", "function": tool | {"parameters": {"city": {"type": "string"}}}}
    talk, mended = read({"messages": [ASKED, calling()], "tools": [loose]})
    assert (talk.tools[0].parameters["properties"], mended) == ({"city": {"type": "string"}}, {"parameters_map": 1})


@pytest.mark.parametrize(
    "write",
    [
        lambda rows: json.dumps(rows).encode(),
        lambda rows: json.dumps({"data": rows}, indent=1).encode(),
        lambda rows: b"\xef\xbb\xbf" + b"".join(orjson.dumps(one) + b"\n" for one in rows),
        lambda rows: b"".join(
            orjson.dumps({key: json.dumps(part) for key, part in one.items()}) + b"\n" for one in rows
        ),
    ],
)
def test_11_12_containers_are_opened(cli: Command, tmp_path: Path, write: Callable[[list[Any]], bytes]):
    (tmp_path / "in.json").write_bytes(write([row(calling(), ANSWERED, SAID)] * 2))
    assert cli("convert", tmp_path / "in.json", tmp_path / "out.jsonl", "--to", "openai").code == 0
    assert len((tmp_path / "out.jsonl").read_bytes().splitlines()) == 2


def test_14_what_loses_a_call_makes_1_and_says_so(cli: Command, tmp_path: Path):
    (tmp_path / "in.jsonl").write_bytes(
        orjson.dumps(row(SAID, {"role": "tool", "tool_call_id": "c9", "content": "Rain"}))
    )
    done = cli("convert", tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--to", "openai")
    assert done.code == 2
    assert "a result that answers no call" in done.err
    assert CALLS_AS_TEXT not in done.err


def test_a_result_of_a_call_in_a_text_names_the_option_that_reads_it(cli: Command, tmp_path: Path):
    said = {"role": "assistant", "content": CALLED}
    (tmp_path / "in.jsonl").write_bytes(orjson.dumps(row(said, {"role": "tool", "content": "Rain"}, SAID)))
    asked = ("convert", tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--to", "openai")
    done = cli(*asked)
    assert done.code == 2
    assert f"a result that answers no call; {CALLS_AS_TEXT}" in done.err
    assert cli(*asked, "--read-calls").code == 0


@pytest.mark.parametrize("to", ["openai", "trl", "responses", "deepfabric-string"])
def test_calls_that_nothing_answers_are_told_as_validate_tells_them(cli: Command, tmp_path: Path, to: str):
    (tmp_path / "in.jsonl").write_bytes(orjson.dumps(row(calling(), ASKED, SAID)))
    done = cli("convert", tmp_path / "in.jsonl", tmp_path / "out.jsonl", "--from", "openai", "--to", to)
    told = cli("validate", "--format", to, tmp_path / "out.jsonl")
    assert (done.code, told.code) == (0, 1)
    assert re.findall(r"(DF402  1  .*)", done.out) == re.findall(r"(DF402  1  .*)", told.out) != []


def test_15_17_what_nobody_reads_gets_one_line_and_what_it_resembles(cli: Command, tmp_path: Path):
    (tmp_path / "in.jsonl").write_bytes(orjson.dumps({"messages": SWIFT, "tools": "[]"}) + b"\n")
    assert "this looks like swift" in cli("validate", tmp_path / "in.jsonl").err


def test_19_calls_as_text_are_told_and_read_where_that_is_wanted():
    record, tally = row({"role": "assistant", "content": CALLED}), Conversion()
    convert_record(record, FORMATS["openai"], FORMATS["trl"], tally)
    assert tally.told[CALLS_AS_TEXT] == 1


class TestTrimming:
    def test_20_an_empty_answer_and_an_end_that_is_not_learnt_are_told(self, cli: Command, tmp_path: Path):
        rows = [row({"role": "assistant", "content": " "}), row(calling(), ANSWERED)]
        (tmp_path / "in.jsonl").write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in rows))
        said = cli("validate", "--format", "openai", tmp_path / "in.jsonl").out
        assert "an empty answer is learnt" in said
        assert "its end is not learnt" in said

    def test_trim_cuts_them_and_leaves_out_what_teaches_nothing(self, tmp_path: Path):
        rows = [row({"role": "assistant", "content": " "}), row(calling(), ANSWERED, SAID, ASKED), row(SAID)]
        tally, written = converted(tmp_path, rows, ConversionOptions(trim=True))
        assert (tally.read, tally.written) == (3, 2)
        assert [one["messages"][-1]["content"] for one in written] == ["Rain.", "Rain."]


def converted(folder: Path, rows: list[Any], how: ConversionOptions) -> tuple[Conversion, list[Any]]:
    (folder / "in.jsonl").write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in rows))
    tally = convert_file(
        folder / "in.jsonl", folder / "out.jsonl", FORMATS["openai"], FORMATS["trl"], lambda *_: None, how=how
    )
    return tally, [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]


class TestCutting:
    LONG = row(calling(), ANSWERED, SAID, *[ASKED, calling(call(id="c2")), ANSWERED | {"tool_call_id": "c2"}, SAID] * 1)
    LONG["messages"].insert(0, {"role": "system", "content": "Be brief."})

    def test_whole_early_turns_go_with_their_calls_and_results(self, tmp_path: Path):
        whole = len(orjson.dumps(FORMATS["trl"].render(read(self.LONG)[0]))) // 4
        tally, (short,) = converted(tmp_path, [self.LONG], ConversionOptions(max_tokens=whole - 10))
        assert [message["role"] for message in short["messages"]] == [
            "system",
            "user",
            "assistant",
            "tool",
            "assistant",
        ]
        assert short["messages"][2]["tool_calls"][0]["id"] == short["messages"][3]["tool_call_id"] == "c2"
        assert sum(tally.told.values()) == 1

    def test_what_fits_stays_and_what_never_fits_is_left_out_by_name(self, cli: Command, tmp_path: Path):
        assert len(converted(tmp_path, [self.LONG], ConversionOptions(max_tokens=10_000))[1][0]["messages"]) == 9
        done = cli("convert", tmp_path / "in.jsonl", tmp_path / "o.jsonl", "--to", "trl", "--max-tokens", "20")
        assert "longer than 20 tokens with its last turn alone" in done.err


def test_30_images_are_named_and_dropped_where_that_is_wanted(tmp_path: Path):
    picture = {
        "role": "user",
        "content": [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}],
    }
    with pytest.raises(FormatError, match="--drop-images"):
        read({"messages": [picture, SAID]})
    tally, (one,) = converted(tmp_path, [{"messages": [picture, SAID]}], ConversionOptions(drop_images=True))
    assert (one["messages"][0]["content"], tally.repaired["images_left_out"]) == ("Look", 1)
