"""The DeepFabric data format, section by section, with its examples."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from command import Command

from generator.formats import FORMATS

REQUEST: dict[str, Any] = {
    "role": "assistant",
    "tool_calls": [
        {
            "id": "call8B2x9",
            "type": "function",
            "function": {"name": "search_database", "arguments": {"query": "Q3 Revenue", "year": 2024}},
        }
    ],
}
RESPONSE: dict[str, Any] = {
    "role": "tool",
    "tool_call_id": "call8B2x9",
    "name": "search_database",
    "content": '{"results": [{"id": 1, "value": "1.2M"}], "status": "success"}',
}


def entry(request: dict[str, Any] = REQUEST, response: dict[str, Any] = RESPONSE) -> dict[str, Any]:
    question, answer = {"role": "user", "content": "How much?"}, {"role": "assistant", "content": "1.2M."}
    return {"messages": [question, request, response, answer]}


FULL: dict[str, Any] = {
    "messages": [
        {"role": "user", "content": "Check the server and mail the logs to admin."},
        {
            "role": "assistant",
            "tool_calls": [
                {
                    "id": "callA1b2C",
                    "type": "function",
                    "function": {"name": "check_status", "arguments": {"target": "server_01"}},
                },
                {
                    "id": "callX9y8Z",
                    "type": "function",
                    "function": {"name": "send_email", "arguments": {"recipient": "admin@deepfabric.io"}},
                },
            ],
        },
        {
            "role": "tool",
            "tool_call_id": "callA1b2C",
            "name": "check_status",
            "content": '{"status": "online", "uptime": "99.9%"}',
        },
        {
            "role": "tool",
            "tool_call_id": "callX9y8Z",
            "name": "send_email",
            "content": '{"sent": true, "timestamp": "12:00:01"}',
        },
        {"role": "assistant", "content": "It is online (99.9 %), and the logs are on their way."},
    ]
}


def write(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def faults(cli: Command, folder: Path, record: dict[str, Any]) -> set[str]:
    """The rules that a record breaks."""
    done = cli("validate", write(folder, record), "--json")
    found = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == (len(found) > 1)
    return {fault["rule"] for fault in found if "rule" in fault}


def changed(record: dict[str, Any], place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    """A record with another value at a place; None takes it away."""
    found = copy.deepcopy(record)
    part: Any = found
    for step in place[:-1]:
        part = part[step]
    if value is None:
        del part[place[-1]]
    else:
        part[place[-1]] = value
    return found


CALL = ("messages", 1, "tool_calls", 0)


class TestIntroduction:
    @pytest.mark.parametrize("name", ["openai", "trl", "mistral", "axolotl", "qwen", "llama3_json", "anthropic"])
    def test_an_entry_goes_to_other_platforms_with_all_its_calls_and_results(
        self, cli: Command, tmp_path: Path, name: str
    ):
        target = tmp_path / f"{name}.jsonl"
        done = cli("convert", write(tmp_path, FULL), target, "--from", "deepfabric", "--to", name)
        assert done.code == 0, done.err
        parsed = FORMATS[name].parse(json.loads(target.read_text()))
        calls = [
            (call.name, call.arguments) for message in parsed.messages for call in getattr(message, "tool_calls", ())
        ]
        assert calls == [
            ("check_status", {"target": "server_01"}),
            ("send_email", {"recipient": "admin@deepfabric.io"}),
        ]


class TestRules:
    def test_arguments_are_objects(self, cli: Command, tmp_path: Path):
        right = changed(entry(), (*CALL, "function", "arguments"), {"city": "Tokyo", "limit": 5})
        wrong = changed(entry(), (*CALL, "function", "arguments"), '{"city": "Tokyo", "limit": 5}')
        assert faults(cli, tmp_path, right) == set()
        assert faults(cli, tmp_path, wrong) == {"DF201"}

    @pytest.mark.parametrize(
        "id_", ["call8B2x", "call8B2x9a", "call_B2x9", "call8B2xé", "call8B2x9\n", "", "call 2x9a"]
    )
    def test_ids_are_nine_letters_or_digits(self, cli: Command, tmp_path: Path, id_: str):
        record = changed(changed(entry(), (*CALL, "id"), id_), ("messages", 2, "tool_call_id"), id_)
        assert "DF301" in faults(cli, tmp_path, record)

    def test_ids_are_unique(self, cli: Command, tmp_path: Path):
        assert "DF302" in faults(cli, tmp_path, changed(FULL, ("messages", 1, "tool_calls", 1, "id"), "callA1b2C"))

    @pytest.mark.parametrize("id_", ["call8B2x0", "call8b2x9", None])
    def test_every_response_names_its_call(self, cli: Command, tmp_path: Path, id_: str | None):
        assert "DF401" in faults(cli, tmp_path, changed(entry(), ("messages", 2, "tool_call_id"), id_))

    def test_responses_may_come_in_any_order(self, cli: Command, tmp_path: Path):
        user, request, first, second, answer = FULL["messages"]
        assert faults(cli, tmp_path, {"messages": [user, request, second, first, answer]}) == set()


class TestAssistantMessage:
    def test_the_example(self, cli: Command, tmp_path: Path):
        assert faults(cli, tmp_path, entry()) == set()

    @pytest.mark.parametrize(
        ("place", "value", "rule"),
        [
            (("messages", 1, "role"), "model", "DF102"),
            (("messages", 1, "tool_calls"), [], "DF107"),
            (("messages", 1, "tool_calls"), REQUEST["tool_calls"][0], "DF107"),
            ((*CALL, "type"), "tool", "DF109"),
            ((*CALL, "type"), None, "DF109"),
            ((*CALL, "function"), None, "DF108"),
            ((*CALL, "function", "name"), None, "DF110"),
            ((*CALL, "function", "arguments"), None, "DF201"),
        ],
    )
    def test_fields(self, cli: Command, tmp_path: Path, place: tuple[str | int, ...], value: Any, rule: str):
        assert rule in faults(cli, tmp_path, changed(entry(), place, value))


class TestToolMessage:
    @pytest.mark.parametrize("content", [{"status": "success"}, ["a"], 3, None])
    def test_content_is_a_string(self, cli: Command, tmp_path: Path, content: Any):
        assert "DF403" in faults(cli, tmp_path, changed(entry(), ("messages", 2, "content"), content))

    def test_made_rows_hold_serialized_json(self, cli: Command, tmp_path: Path):
        tool = {"type": "function", "function": {"name": "get_load", "description": "Get the load of a server."}}
        (tmp_path / "tools.json").write_text(json.dumps({"tools": [tool]}))
        (tmp_path / "r.yaml").write_text("name: r\nrows: 3\ntools: [tools.json]\nscenarios: [single]\n")
        assert cli("run", tmp_path / "r.yaml", "--out", tmp_path / "out").code == 0
        for line in (tmp_path / "out" / "deepfabric.jsonl").read_text().splitlines():
            for message in json.loads(line)["messages"]:
                if message["role"] == "tool":
                    assert isinstance(json.loads(message["content"]), dict)

    def test_the_name_is_that_of_the_called_tool(self, cli: Command, tmp_path: Path):
        assert "DF404" in faults(cli, tmp_path, changed(entry(), ("messages", 2, "name"), "other"))
        assert faults(cli, tmp_path, changed(entry(), ("messages", 2, "name"), None)) == set()


class TestFullExample:
    def test_it_is_valid_and_written_as_it_is_read(self, cli: Command, tmp_path: Path):
        assert faults(cli, tmp_path, FULL) == set()
        fmt = FORMATS["deepfabric"]
        assert fmt.render(fmt.parse(FULL)) == FULL

    def test_made_rows_have_its_shape(self, cli: Command, tmp_path: Path):
        tools = [
            {"name": name, "description": about, "parameters": {"type": "object", "properties": {argument: {"type": "string", "enum": values}}, "required": [argument]}}
            for name, about, argument, values in (
                ("check_status", "Check the status of a server.", "target", ["server_01", "server_02"]),
                ("send_email", "Send an email.", "recipient", ["admin@deepfabric.io", "ops@deepfabric.io"]),
            )
        ]  # fmt: skip
        (tmp_path / "tools.json").write_text(
            json.dumps({"tools": [{"type": "function", "function": tool} for tool in tools]})
        )
        (tmp_path / "r.yaml").write_text(
            "name: r\nrows: 4\ncalls: 2\ntools: [{file: tools.json, undescribed: keep}]\nscenarios: [parallel_multiple]\n"
        )
        assert cli("run", tmp_path / "r.yaml", "--out", tmp_path / "out").code == 0
        for line in (tmp_path / "out" / "deepfabric.jsonl").read_text().splitlines():
            messages = json.loads(line)["messages"]
            assert [message["role"] for message in messages] == [message["role"] for message in FULL["messages"]]
            assert messages[1].keys() == FULL["messages"][1].keys()
            assert messages[2].keys() == FULL["messages"][2].keys()
            names = {call["function"]["name"] for call in messages[1]["tool_calls"]}
            assert names == {"check_status", "send_email"}
