"""`validate`: all faults of all lines, a summary, and an exit code that tells what kind of bad it is."""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest
from command import Command
from llm_server import fake_server
from made_rows import conversation

from generator.core.conversation import Conversation
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS, Format

GOOD = FORMATS["deepfabric"].render(conversation())


def spoiled() -> dict:
    """A record with an id that is too short, in a call and its answer."""
    record = orjson.loads(orjson.dumps(GOOD))
    record["messages"][2]["tool_calls"][0]["id"] = "short"
    record["messages"][3]["tool_call_id"] = "short"
    return record


def write(path: Path, *records: object) -> Path:
    path.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    return path


def test_good_data(cli: Command, tmp_path: Path):
    ran = cli("validate", write(tmp_path / "f.jsonl", GOOD, GOOD))
    assert (ran.code, ran.out, ran.err) == (0, "2 lines in 1 file: no faults\n", "")


def test_bad_data_is_told_with_line_place_and_rule(cli: Command, tmp_path: Path):
    path = write(tmp_path / "f.jsonl", GOOD, spoiled(), 5)
    ran = cli("validate", path)
    assert ran.code == 1
    first, *_ = ran.out.splitlines()
    assert first.startswith(f"{path}:2: $.messages[2].tool_calls[0].id: DF")
    assert any(line.startswith(f"{path}:3: $: DF") for line in ran.out.splitlines())
    assert "faults by rule:" in ran.out
    assert ran.out.splitlines()[-1].endswith("in 2 lines")


def test_for_programs(cli: Command, tmp_path: Path):
    path = write(tmp_path / "f.jsonl", spoiled())
    ran = cli("validate", path, path, "--json")
    *faults, last = [json.loads(line) for line in ran.out.splitlines()]
    assert ran.code == 1
    assert all(sorted(fault) == ["file", "line", "message", "path", "rule"] for fault in faults)
    summary = last["summary"]
    assert (summary["files"], summary["lines"], summary["faulty_lines"]) == (2, 2, 2)
    assert sum(summary["faults"].values()) == len(faults)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_checks_its_own(cli: Command, tmp_path: Path, name: str):
    talk = conversation()
    if FORMATS[name].policy.requests == "one":
        talk = Conversation(tools=talk.tools, messages=(*talk.messages[1:5], talk.messages[-1]))
    if name == "alpaca":  # calls have no text there unless a template is chosen
        with pytest.raises(CannotCarryError, match="no template for their text is chosen"):
            FORMATS[name].render(talk)
        return
    record = FORMATS[name].render(talk)
    path = write(tmp_path / "f.jsonl", record)
    assert cli("validate", path, "--format", name).code == 0
    has = "messages" in record
    others = [
        other
        for other, fmt in FORMATS.items()
        if other != "alpaca" and has != ("messages" in shape_of(fmt)) and fmt.family != "trl"
    ]
    assert all(cli("validate", path, "--format", other).code == 1 for other in others)


def shape_of(fmt: Format) -> dict[str, Any]:
    talk = conversation()
    return fmt.render(Conversation(tools=talk.tools, messages=(*talk.messages[1:5], talk.messages[-1])))


def test_an_unknown_format(cli: Command, tmp_path: Path):
    ran = cli("validate", write(tmp_path / "f.jsonl", GOOD), "--format", "opnai")
    assert (ran.code, ran.out) == (2, "")
    assert 'did you mean "openai"?' in ran.err


def test_one_unreadable_file_does_not_hide_the_others(cli: Command, tmp_path: Path):
    ran = cli("validate", tmp_path / "nothing.jsonl", write(tmp_path / "f.jsonl", spoiled()), tmp_path)
    assert ran.code == 2
    assert "nothing.jsonl: there is no such file" in ran.err
    assert "this is a folder" in ran.err
    assert "f.jsonl:1: " in ran.out
    assert ran.out.splitlines()[-1] == "1 line in 3 files: 1 fault in 1 line; 2 files could not be read to their end"


def test_what_was_not_read_is_not_called_good(cli: Command, tmp_path: Path):
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(gzip.compress(orjson.dumps(GOOD) + b"\n")[:-9])
    for flags in ([], ["--json"]):
        ran = cli("validate", path, *flags)
        assert ran.code == 2
        assert "no faults" not in ran.out
    assert json.loads(ran.out)["summary"]["unreadable_files"] == 1
    last = "nothing wrong in what was read; 1 file could not be read to its end"
    assert cli("validate", path).out.splitlines()[-1].endswith(last)


def test_data_steers_no_terminal(cli: Command, tmp_path: Path):
    record = orjson.loads(orjson.dumps(GOOD))
    record["messages"][2]["tool_calls"][0]["function"]["name"] = "\x1b[2J\nforged:1: $: all good"
    ran = cli("validate", write(tmp_path / "f.jsonl", record))
    assert "\x1b" not in ran.out
    assert not any(line.startswith("forged") for line in ran.out.splitlines())


def test_a_file_in_another_format_is_told_briefly_and_hinted_at(cli: Command, tmp_path: Path):
    path = write(tmp_path / "f.jsonl", *[FORMATS["openai"].render(conversation())] * 30)
    ran = cli("validate", path)
    assert (ran.code, ran.err) == (1, f"{path}: this looks like openai: validate --format openai\n")
    faults, rules = json_faults(cli("validate", path, "--json").out)
    assert len(faults) == sum(rules.values()) > 20 * len(rules)
    told = [line for line in ran.out.splitlines() if line.startswith(f"{path}:") and " … and " not in line]
    assert len(told) == sum(min(20, number) for number in rules.values())
    assert f"{path}: … and {rules['DF201'] - 20:,} more of DF201" in ran.out.splitlines()
    assert cli("validate", path, "--format", "openai").code == 0


def test_the_hint_at_another_format_comes_before_the_faults(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = write(tmp_path / "f.jsonl", *[FORMATS["openai"].render(conversation())] * 3)
    monkeypatch.setattr(sys, "stderr", sys.stdout)
    hint, first, *_ = cli("validate", path).out.splitlines()
    assert hint == f"{path}: this looks like openai: validate --format openai"
    assert first.startswith(f"{path}:1: ")


def json_faults(out: str) -> tuple[list[dict], dict[str, int]]:
    *faults, last = [json.loads(line) for line in out.splitlines()]
    return faults, last["summary"]["faults"]


@pytest.mark.parametrize("name", ["sharegpt", "anthropic", "gemini", "hermes", "axolotl"])
def test_other_formats_are_hinted_at_too(cli: Command, tmp_path: Path, name: str):
    path = write(tmp_path / "f.jsonl", FORMATS[name].render(conversation()))
    assert cli("validate", path).err.endswith(f"validate --format {name}\n")
    assert cli("validate", path, "--format", name).err == ""


@pytest.mark.parametrize("text", ["", "[]", "[\n]\n"])
def test_a_file_without_rows_is_not_said_to_have_no_faults(cli: Command, tmp_path: Path, text: str):
    (tmp_path / "f.json").write_text(text)
    assert cli("validate", tmp_path / "f.json").out == "0 lines in 1 file: no rows\n"


def test_a_fault_is_no_other_format(cli: Command, tmp_path: Path):
    path = write(tmp_path / "f.jsonl", GOOD, spoiled(), FORMATS["openai"].render(conversation()), GOOD)
    assert cli("validate", path).err == ""
    assert cli("validate", write(path, spoiled(), 5)).err == ""


def priced(told: str) -> dict[str, Any]:
    """A record in which a user asks for a price and is told it."""
    call = {"id": "call_1aaa", "type": "function", "function": {"name": "price_of", "arguments": '{"room": "Elm"}'}}
    messages = [
        {"role": "user", "content": "What does the Elm cost?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1aaa", "content": '{"price": 178}'},
        {"role": "assistant", "content": told},
    ]
    schema = {"type": "object", "properties": {"room": {"type": "string"}}, "required": ["room"]}
    tool = {"name": "price_of", "description": "The price of a room", "parameters": schema}
    return {"messages": messages, "tools": [{"type": "function", "function": tool}]}


def reader(asked: dict[str, Any]) -> str:
    """A model that finds a price in the last text."""
    text = asked["messages"][-1]["content"]
    if "sorry" in text:
        return "I would rather not."
    claims = [
        {"message": 0, "quote": "What does", "op": "wish", "at": [["c1", "arguments", ""]], "says": None},
        {"message": 3, "quote": text.split()[-1][:-1], "op": "is", "at": [["c1", "result", "/price"]]},
    ]
    said = [{"says": int(one["quote"]), **one} if one["op"] == "is" else one for one in claims]
    return json.dumps({"claims": said})


def test_a_reader_finds_what_is_not_so(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path / "f.jsonl", priced("The Elm is 178."), priced("It is 132."), priced("I am sorry, 178."))
    words = ["validate", path, "--format", "openai", "--reader", "openai/reader"]
    assert cli("validate", path, "--format", "openai").code == 0
    with fake_server(reply=reader) as server:
        dry = cli(*words, "--api-base", server.base, "--dry-run")
        assert (dry.code, server.asked) == (0, [])
        assert "about 3 requests" in dry.out
        stopped = cli(*words, "--api-base", server.base, "--requests", 1)
        assert (stopped.code, len(server.asked)) == (3, 1)
        ran = cli(*words, "--api-base", server.base)
        assert len(server.asked) == 4  # nothing twice, and what cannot be used once more
    assert ran.code == 1
    wrong, unusable, *_ = ran.out.splitlines()
    told = f'{path}:2: $.messages[3]: CL101 "132" (is c1:result:/price) says 132: the results and calls hold 178'
    assert wrong == told
    assert unusable == f"{path}:3: $: CL100 the reader's answer cannot be used: not JSON"
    again = cli(*words, "--llm-cache-only")
    assert (again.code, again.out) == (1, ran.out)
    assert cli("validate", path, "--llm-cache-only").code == 2
