"""`--against`: what rows share with other files."""

import json
from pathlib import Path

import pytest
from command import command
from nightly import night

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.core.errors import OutputError
from generator.formats import FORMATS
from generator.report.files.contamination import Against

REQUEST = "Please find me all the open orders of Ada Lovelace since May."


def row(request: str = "Short.", tool: str = "other", **arguments: object) -> Conversation:
    said = AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", tool, arguments),))
    tools = (
        Tool(name=tool, description="", parameters={"type": "object", "properties": {name: {} for name in arguments}}),
    )
    return Conversation((UserMessage(content=request), said), tools)


@pytest.mark.parametrize("name", ["openai", "qwen", "bfcl", "sharegpt", "eval"])
def test_what_is_shared_is_found_in_any_format(tmp_path: Path, name):
    file = tmp_path / "bench.jsonl"
    file.write_text(json.dumps(FORMATS[name].render(row(REQUEST, "find_orders", customer="Ada", since="May"))) + "\n")
    against = Against([file])
    against.compare(row(f"Well: {REQUEST.upper()}"))
    against.compare(row(tool="find_orders"))
    against.compare(row(since="May", customer="Ada"))
    against.compare(row("Now find me all the open orders of Bob.", customer="Ada"))  # seven words, one argument
    shared = against.shared
    assert (shared.records, shared.rows, shared.requests, shared.tools, shared.arguments) == (1, 4, 1, 1, 1)
    assert shared.names == ["find_orders"]


def test_questions_of_several_turns_count_too(tmp_path: Path):
    file = tmp_path / "BFCL_v4_multi_turn.json"
    file.write_text(
        json.dumps(
            {"id": "m_0", "question": [[{"role": "user", "content": "Hi."}], [{"role": "user", "content": REQUEST}]]}
        )
        + "\n"
    )
    against = Against([file])
    against.compare(row(REQUEST))
    assert against.shared.requests == 1


def test_a_file_of_something_else_is_told(tmp_path: Path):
    (tmp_path / "x.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(OutputError, match=r"--against .*x\.jsonl: holds no conversation"):
        Against([tmp_path / "x.jsonl"])


@night
def test_a_run_tells_it_in_summary_manifest_and_card(tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cli = command(monkeypatch, capsys)
    root = Path(__file__).parents[3]
    rows = ("run", root / "recipes/parallel.yaml", "--rows", 6, "--format", "openai", "--executor", "serial")
    cli(*rows, "--out", "a", "--quiet")
    ran = cli(
        *rows,
        "--out",
        "b",
        "--against",
        "a/openai.train.jsonl" if Path("a/openai.train.jsonl").exists() else "a/openai.jsonl",
    )
    assert ran.code == 0, ran.err
    shared = json.loads(Path("b/manifest.json").read_text())["shared"]
    assert shared["rows"] == 6
    assert shared["tools"] >= shared["records"]
    assert "in common with openai" in ran.out
    assert "| eight words of a request in a row |" in Path("b/README.md").read_text()
