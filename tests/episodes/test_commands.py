"""The commands of `episodes`, as docs/episodes.md shows them."""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

import command
import pytest
from played import ROOT, rows_of, tasks_of

from benchmarks.slips import SLIPS
from generator.core.seeds import Draw
from generator.episodes.baselines import own_actions, play
from generator.episodes.replay import transcript_of
from generator.run.episodes import RecipeTasks

PAGE = (ROOT / "docs/episodes.md").read_text(encoding="utf-8")


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> command.Command:
    return command.command(monkeypatch, capsys)


@pytest.fixture
def transcripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three transcripts of good agents, and one of a bad one, where docs/episodes.md has them. The recipe is opened once for all tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["generator.cli.episodes"], "open_tasks", _opened)
    for name in ("recipes", "tool_specs"):
        (tmp_path / name).symlink_to(ROOT / name)
    episode, lines = tasks_of("phrases").episode(), []
    for task in rows_of("phrases", 4):
        actions = own_actions(task)
        if task.row.index == 3:
            actions = SLIPS["write_missing"](task, actions, Draw(0, date.min)) or actions
        episode.reset(task.row.index)
        play(episode, actions)
        lines.append(json.dumps(transcript_of(episode)))
    path = tmp_path / "transcripts.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def _opened(path: Path) -> RecipeTasks:
    return tasks_of("phrases" if path.stem == "conversations" else path.stem)


def _commands(kind: str) -> list[list[str]]:
    blocks = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("python -m generator episodes")]
    return [words[3:] for line in lines if (words := shlex.split(line))[4] == kind]


def test_score_as_the_page_shows_it(cli: command.Command, transcripts: Path) -> None:
    (words,) = _commands("score")
    ran = cli(*words)
    assert ran.code == 0, ran.err
    assert re.search(r"^all +4 +0.750", ran.out, re.MULTILINE), ran.out
    assert "transcripts.jsonl:4: row 3" in ran.out
    assert "is missing" in ran.out


def test_score_for_ci_and_for_programs(cli: command.Command, transcripts: Path) -> None:
    words = ["episodes", "score", "recipes/conversations.yaml", transcripts]
    assert cli(*words, "--fail-under", "pass=0.7").code == 0
    failed = cli(*words, "--fail-under", "pass=0.9")
    assert (failed.code, failed.err) == (1, "pass is 0.750, at least 0.9 is wanted\n")
    assert cli(*words, "--fail-under", "reward=1").code == 1
    assert cli(*words, "--fail-under", "luck=1").code == 2
    lines = [json.loads(line) for line in cli(*words, "--json").out.splitlines()]
    assert [line["score"]["reward"] == 1.0 for line in lines] == [True, True, True, False]


def test_an_altered_transcript_is_told_and_bad_files_are_refused(cli: command.Command, transcripts: Path) -> None:
    words = ["episodes", "score", "recipes/conversations.yaml", transcripts]
    lines = [json.loads(line) for line in transcripts.read_text().splitlines()]
    result = next(message for line in lines for message in line["messages"] if message["role"] == "tool")
    result["content"] += " "
    transcripts.write_text("".join(json.dumps(line) + "\n" for line in lines))
    altered = cli(*words, "--faults")
    assert altered.code == 1
    assert "it is not what comes back" in altered.out
    for bad in ("", "{}\n", "nothing\n", '{"index": 0}\n'):
        transcripts.write_text(bad)
        ran = cli(*words)
        assert ran.code == 2
        assert "transcripts.jsonl" in ran.err


def test_the_code_of_the_page_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    monkeypatch.chdir(ROOT)
    exec(code[1], {})
    assert "'finished'" in capsys.readouterr().out


def test_play_as_the_page_shows_it_and_its_transcripts_score_the_same(cli: command.Command, transcripts: Path) -> None:
    (words,) = [words for words in _commands("play") if "--baseline" in words]
    assert words[-1] == "played.jsonl"
    words[words.index("--rows") + 1] = "12"
    played = cli(*words)
    assert played.code == 0, played.err
    again = cli("episodes", "score", "recipes/conversations.yaml", "played.jsonl")
    assert again.out == played.out
    assert re.search(r"^all +12 +1.000", played.out, re.MULTILINE), played.out
    assert cli(*words).code == 2  # the file is there
    idle = cli(
        "episodes", "play", "recipes/conversations.yaml", "--baseline", "idle", "--rows", "6", "--fail-under", "pass=1"
    )
    assert idle.code == 1


@pytest.mark.parametrize("option", ["--out", "--json", "--html"])
@pytest.mark.parametrize("file", ["", "/", "no/such/folder/file", "recipes", "transcripts.jsonl/x"])
def test_a_file_that_cannot_be_written_is_told_before_anything_is_played(
    cli: command.Command, transcripts: Path, monkeypatch: pytest.MonkeyPatch, option: str, file: str
) -> None:
    monkeypatch.setattr(sys.modules["generator.cli.episodes"], "open_tasks", pytest.fail)
    ran = cli("episodes", "play", "recipes/conversations.yaml", "--baseline", "own", "--rows", "2", option, file)
    assert (ran.code, ran.out) == (2, "")
    assert "cannot be" in ran.err
    assert [path.name for path in transcripts.parent.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"tool_calls": 5}, "tool_calls: a list is expected, not 5"),
        ({"tool_calls": {"function": {}}}, "tool_calls: a list"),
        ({"tool_calls": [{"function": ["x"]}]}, "tool_calls[0].function: an object"),
        ({"tool_calls": ["find"]}, "tool_calls[0].function: an object"),
        ({"content": 5}, "content: a text is expected, not 5"),
        ({"content": [{"type": "image"}]}, "content: a text"),
    ],
)
def test_typos_in_a_transcript_are_told_with_their_place(
    cli: command.Command, transcripts: Path, said: dict[str, Any], told: str
) -> None:
    lines = [json.loads(line) for line in transcripts.read_text().splitlines()]
    at = next(at for at, message in enumerate(lines[1]["messages"]) if message["role"] == "assistant")
    lines[1]["messages"][at] = {"role": "assistant", **said}
    transcripts.write_text("".join(json.dumps(line) + "\n" for line in lines))
    ran = cli("episodes", "score", "recipes/conversations.yaml", transcripts)
    assert ran.code == 2
    assert f"transcripts.jsonl:2: $.messages[{at}].{told}" in ran.err


@pytest.mark.parametrize("hangs_up", [False, True])
def test_a_session_over_mcp_ends_without_a_word(tmp_path: Path, hangs_up: bool) -> None:
    """A plain client closes its side when it has done, or stops reading in the middle."""
    recipe = {"name": "r", "rows": 4, "tools": [str(ROOT / "tool_specs/weather.json")], "scenarios": ["single"]}
    (tmp_path / "r.yaml").write_text(json.dumps(recipe))
    words = ["episodes", "serve", "r.yaml", "--mcp", "--index", "3", "--transcript", "served.jsonl"]
    params = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    with subprocess.Popen(
        [sys.executable, "-m", "generator", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        for message in ({"id": 1, "method": "initialize", "params": params}, {"method": "notifications/initialized"}):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "episode"
        if hangs_up:
            server.stdout.close()
        for number in range(2, 5):
            server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/list"}) + "\n")
        server.stdin.close()
        told = server.stderr.read()
    assert (server.returncode, told) == (0, "")
    assert json.loads((tmp_path / "served.jsonl").read_text())["index"] == 3


def test_a_transcript_that_cannot_be_written_is_told_at_the_start(
    cli: command.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipes").mkdir()
    monkeypatch.setattr(sys.modules["generator.cli.episodes"], "open_tasks", pytest.fail)
    for file in ("", "recipes", "no/such/folder/t.jsonl"):
        ran = cli("episodes", "serve", "recipes/conversations.yaml", "--mcp", "--index", "3", "--transcript", file)
        assert ran.code == 2
        assert "cannot be" in ran.err


def test_serve_over_mcp_with_the_real_client(transcripts: Path, tmp_path: Path) -> None:
    """The client of the package `mcp` is offered the row's tools as they are, and its episode gets 1.0."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    (words,) = (words for words in _commands("serve") if "--mcp" in words)
    index = int(words[words.index("--index") + 1])
    task = tasks_of("conversations").task(index)
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "generator", *words],
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        cwd=tmp_path,
    )

    async def run() -> None:
        async with stdio_client(parameters) as streams, ClientSession(*streams) as session:
            await session.initialize()
            *tools, talk = (await session.list_tools()).tools
            assert {tool.name: tool.inputSchema for tool in tools} == {
                tool.name: tool.parameters for tool in task.row.conversation.tools
            }
            prompt = (await session.get_prompt("task")).messages[0].content
            assert task.row.conversation.messages[1].content in prompt.text
            assert (await session.call_tool("rm_rf", {})).isError
            for action in own_actions(task):
                for call in action.tool_calls:
                    assert not (await session.call_tool(call.name, call.arguments)).isError
                if not action.tool_calls:
                    await session.call_tool(talk.name, {"text": action.content})

    asyncio.run(run())
    (line,) = (tmp_path / words[-1]).read_text().splitlines()
    assert json.loads(line)["score"]["reward"] == 1.0
