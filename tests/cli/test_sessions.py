"""Sessions of coding agents: a conversation comes out as it went in, whatever notes, branches and summaries stand around it."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from command import Command
from hypothesis import given
from hypothesis import strategies as st
from strategies import JSON, conversations

from generator.core.conversation import AssistantMessage, Conversation
from generator.core.errors import CannotCarryError, OutputError
from generator.formats import FORMATS
from generator.formats.files.records import records_of
from generator.formats.files.validate import check_raw
from generator.report.files.format_of import format_of
from generator.report.files.repairs import understood

HEAD = {"timestamp": "t", "type": "session_meta", "payload": {"id": "1", "base_instructions": {"text": "Be brief."}}}


def written(path: Path, events: list[Any]) -> Path:
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def event(uuid: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
    """A line of Claude Code."""
    about = {"id": more.pop("of", f"msg_{uuid}"), "model": more.pop("model", "claude")} if role == "assistant" else {}
    message = {"role": role, "content": content, **about}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "message": message, **more}


def item(payload: dict[str, Any], kind: str = "response_item") -> dict[str, Any]:
    """A line of Codex."""
    return {"timestamp": "t", "type": kind, "payload": payload}


def text(*said: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": one} for one in said]


def use(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "Read", "input": {"path": name}}


def result(name: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": name, "content": f"of {name}"}


def read(path: Path) -> tuple[list[Conversation], dict[str, int]]:
    """The conversations of a file, and what was mended that its sessions are the reason of."""
    mended: Counter[str] = Counter()
    fmt = FORMATS[format_of(path)]
    talks = [understood(entry.record, fmt) for entry in records_of(path, mended=mended)]
    assert all(isinstance(talk, Conversation) for talk in talks)
    return [talk for talk in talks if isinstance(talk, Conversation)], +mended


def said(talk: Conversation) -> list[Any]:
    """Who says what: texts, and names of calls."""
    return [
        [call.id for call in message.tool_calls]
        if isinstance(message, AssistantMessage) and message.tool_calls
        else message.content
        for message in talk.messages
    ]


def as_claude_code(record: dict[str, Any]) -> list[dict[str, Any]]:
    """Lines with one block each, and notes of the program."""
    lines: list[dict[str, Any]] = [{"type": "summary", "summary": "x", "leafUuid": "y"}]
    before: str | None = None
    for at, message in enumerate(record["messages"]):
        blocks = message["content"] if isinstance(message["content"], list) else text(message["content"])
        for number, block in enumerate(blocks):
            lines.append(event(f"{at}.{number}", before, message["role"], [block], of=f"msg_{at}") if message["role"] == "assistant" else event(f"{at}.{number}", before, "user", [block]))  # fmt: skip
            before = f"{at}.{number}"
            lines.append({"type": "progress", "uuid": f"{before}p", "parentUuid": before, "sessionId": "s"})
    return lines


@given(talk=conversations())
def test_a_conversation_comes_out_as_it_went_in(talk: Conversation, tmp_path_factory: pytest.TempPathFactory):
    path = tmp_path_factory.getbasetemp() / "session.jsonl"
    for name in ("anthropic", "responses"):
        try:
            record = FORMATS[name].render(talk)
        except CannotCarryError:
            continue
        record = {key: value for key, value in record.items() if key in ("messages", "input")}
        if name == "anthropic":
            events = as_claude_code(record)
        else:
            events = [HEAD | {"payload": {"id": "1"}}, *map(item, record["input"])]
        mended: Counter[str] = Counter()
        entries = list(records_of(written(path, events), mended=mended))
        assert [FORMATS[name].parse(entry.record) for entry in entries] == [FORMATS[name].parse(record)]
        assert +mended == {"session": 1}


@given(events=st.lists(JSON | st.fixed_dictionaries({"type": st.sampled_from(["user", "assistant", "session_meta", "compacted", "response_item"]), "sessionId": JSON, "timestamp": JSON}, optional={"payload": JSON, "message": JSON, "uuid": JSON, "parentUuid": JSON}), min_size=1))  # fmt: skip
def test_no_event_is_the_end(events: list[Any], tmp_path_factory: pytest.TempPathFactory):
    path = written(tmp_path_factory.getbasetemp() / "any.jsonl", events)
    try:
        list(records_of(path))
    except OutputError:
        return


def test_calls_at_once_have_their_results_whatever_stands_between(tmp_path: Path):
    lines = [
        event("1", None, "user", "Read both."),
        event("2", "1", "assistant", [use("a")], of="m"),
        event("3", "2", "user", [result("a")]),
        event("4", "2", "assistant", [use("b")], of="m"),
        event("5", "4", "user", [result("b")]),
        event("6", "5", "user", text("Go on.")),
        event("7", "6", "assistant", text("Done.")),
    ]
    (talk,), _ = read(written(tmp_path / "s.jsonl", lines))
    assert said(talk) == ["Read both.", ["a", "b"], "of a", "of b", "Go on.", "Done."]
    (entry,) = records_of(tmp_path / "s.jsonl")
    assert check_raw(entry.record, FORMATS["anthropic"]) == []  # results, and what the user says behind them


def test_what_was_taken_back_or_not_said_by_the_model_is_left_out_and_counted(tmp_path: Path):
    lines = [
        event("1", None, "user", "Start"),
        event("2", "1", "assistant", text("Ready")),
        event("3", "2", "user", "First attempt"),
        event("4", "3", "assistant", text("First answer")),
        event("5", "2", "user", "Second attempt"),
        event("6", "5", "assistant", text("API Error"), model="<synthetic>"),
        event("7", "6", "assistant", text("Second answer")),
    ]
    (talk,), mended = read(written(tmp_path / "s.jsonl", lines))
    assert said(talk) == ["Start", "Ready", "Second attempt", "Second answer"]
    assert mended == {"session": 1, "not_said": 3}
    asked = [item({"type": "message", "role": role, "content": text(role)}) for role in ("user", "assistant")]
    back = item({"type": "thread_rolled_back", "num_turns": 1}, "event_msg")
    (talk,), mended = read(written(tmp_path / "r.jsonl", [HEAD, *asked, *asked, back]))
    assert said(talk) == ["Be brief.", "user", "assistant"]
    assert mended == {"session": 1, "not_said": 2}


def test_a_summary_and_a_subagent_begin_rows(tmp_path: Path):
    lines = [
        event("1", None, "user", "Start"),
        event("2", "1", "assistant", text("Ready")),
        event("3", None, "user", "Survey", isSidechain=True),
        event("4", "3", "assistant", text("Surveyed"), isSidechain=True),
        {"type": "system", "subtype": "compact_boundary", "uuid": "5", "parentUuid": None, "sessionId": "s"},
        event("6", "5", "user", text("Summary.")),
        event("7", "6", "user", text("Go on.")),
        event("8", "7", "assistant", text("Done.")),
    ]
    talks, _ = read(written(tmp_path / "s.jsonl", lines))
    assert [said(talk) for talk in talks] == [["Start", "Ready"], ["Survey", "Surveyed"], ["Summary.\nGo on.", "Done."]]
    asked = [item({"type": "message", "role": role, "content": text(role)}) for role in ("user", "assistant")]
    talks, _ = read(written(tmp_path / "r.jsonl", [HEAD, *asked, item({"message": "Summary."}, "compacted"), asked[1]]))
    assert [said(talk) for talk in talks] == [
        ["Be brief.", "user", "assistant"],
        ["Be brief.", "Summary.", "assistant"],
    ]


STREAM = [
    {"type": "system", "subtype": "init", "session_id": "s", "uuid": "0"},
    *({key: value for key, value in line.items() if key not in ("parentUuid", "sessionId")} | {"session_id": "s", "parent_tool_use_id": agent}
      for line, agent in ((event("1", None, "user", "Go"), None), (event("2", None, "user", "Look"), "t"), (event("3", None, "assistant", text("Done.")), None), (event("4", None, "assistant", text("Seen.")), "t"))),
    {"type": "result", "session_id": "s", "result": "Done."},
]  # fmt: skip
OLD = [
    {"id": "4", "timestamp": "t", "instructions": None},
    {"record_type": "state"},
    {"type": "message", "role": "user", "content": text("Go")},
    {"type": "message", "role": "assistant", "content": text("Done.")},
]


@pytest.mark.parametrize(("lines", "rows"), [(STREAM, [["Go", "Done."], ["Look", "Seen."]]), (OLD, [["Go", "Done."]])])
def test_lines_of_other_versions(cli: Command, tmp_path: Path, lines: list[Any], rows: list[Any]):
    path = written(tmp_path / "s.jsonl", lines)
    assert [said(talk) for talk in read(path)[0]] == rows
    assert cli("validate", path, "--format", format_of(path)).code == 0
    assert "Done." in cli("show", path).out
    made = cli("convert", path, tmp_path / "out.jsonl", "--to", "trl")
    assert (made.code, f"{len(rows)} of {len(rows)} row" in made.out) == (0, True)


def test_without_a_role_the_type_of_the_line_is_it(cli: Command, tmp_path: Path):
    lines: list[Any] = [
        {"type": "user", "sessionId": "s", "message": {"content": "Read it."}},
        {"type": "assistant", "message": {"content": [use("a")]}},
        {"type": "assistant", "message": {"content": [result("a")]}},
        {"type": "assistant", "message": {"content": ["Done."]}},
        {"type": "assistant", "message": {"role": "critic", "content": "Well"}},
        {"type": "user", "message": "Hm"},
    ]
    (talk,), mended = read(written(tmp_path / "s.jsonl", lines))
    assert said(talk) == ["Read it.", ["a"], "of a", "Done."]
    assert mended == {"session": 1, "no_role": 4, "no_message": 2}
    assert "no_message  2  " in cli("validate", tmp_path / "s.jsonl", "--format", "anthropic").out


@pytest.mark.parametrize(
    "lines",
    [
        [{"type": "summary", "summary": "x", "leafUuid": "y"}, {"type": "user", "sessionId": "s", "message": "Hm"}],
        [HEAD],
    ],
)
def test_a_session_without_a_message_is_a_fault(cli: Command, tmp_path: Path, lines: list[Any]):
    ran = cli("validate", written(tmp_path / "s.jsonl", lines))
    assert (ran.code, "1 fault in 1 line" in ran.out) == (1, True)
    assert "s.jsonl:1: $: DF100 begins a session without a message that can be read" in ran.out


@pytest.mark.parametrize("key", ["messages", "conversations", "text", "prompt", "instruction"])
def test_rows_that_name_a_session_are_rows(tmp_path: Path, key: str):
    rows = [{"type": "chat", "session_id": "s", "uuid": str(at), key: []} for at in range(2)]
    assert [entry.record for entry in records_of(written(tmp_path / "f.jsonl", rows))] == rows
