"""MCP servers that run."""

import sys
from pathlib import Path

import pytest
from nightly import some_of

from generator.core.errors import SpecError
from generator.recipe import ToolFile
from generator.tools.specs.read import read_tools
from generator.tools.specs.readers.live import list_server_tools

pytest.importorskip("mcp", reason="the package mcp is not installed")

SERVERS = {
    "time": (2, ["-m", "mcp_server_time"]),
    "git": (12, ["-m", "mcp_server_git"]),
    "fetch": (1, ["-m", "mcp_server_fetch"]),
    "sqlite": (6, ["-c", "from mcp_server_sqlite import main; main()", "--db-path", ":memory:"]),
}


@some_of(2, "name", SERVERS)
def test_the_tools_of_real_servers(name: str):
    count, arguments = SERVERS[name]
    found = read_tools(ToolFile(command=(sys.executable, *arguments)))
    assert len(found) == count
    assert {verdict.verdict for verdict in found} == {"loaded"}
    assert all(verdict.spec.origin.server and verdict.spec.tool.description for verdict in found)
    if name == "time":
        assert found[0].spec.origin.annotations["readOnlyHint"] is True


NOISY = """
import json, sys
print("Welcome!", flush=True); print("{half", flush=True); print("to the log", file=sys.stderr)
for line in sys.stdin:
    asked = json.loads(line)
    if asked.get("method") == "initialize":
        answer = {"protocolVersion": "2024-11-05", "capabilities": {"tools": {}}, "serverInfo": {"name": "noisy", "version": "1"}}
    elif asked.get("method") == "tools/list":
        second = (asked.get("params") or {}).get("cursor") == "2"
        answer = {"tools": [{"name": "two" if second else "one", "inputSchema": {"type": "object"}}]}
        answer |= {} if second else {"nextCursor": "2"}
    else:
        continue
    print("between", flush=True)
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""


def test_pages_without_end_are_told(tmp_path: Path):
    script = tmp_path / "endless.py"
    script.write_text(NOISY.replace("answer |= {} if second else", "answer |="))
    with pytest.raises(SpecError, match="more than 1,000 pages"):
        list_server_tools((sys.executable, str(script)))


def test_what_a_server_says_before_it_ends_is_told_in_short():
    program = "import sys; print('A token is required ' * 200, file=sys.stderr); sys.exit(1)"
    with pytest.raises(SpecError, match=r"it said: .*A token is required") as caught:
        list_server_tools((sys.executable, "-c", program))
    assert len(str(caught.value)) < 1200


def test_a_servers_noise_is_ignored_and_all_pages_are_read(tmp_path: Path, capfd):
    script = tmp_path / "noisy.py"
    script.write_text(NOISY)
    assert [tool.name for tool in list_server_tools((sys.executable, str(script)))] == ["one", "two"]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import time; time.sleep(60)", "no answer within 1 seconds"),
        ("raise SystemExit(3)", r"cannot be started \(its process ended: exit code 3\)"),
    ],
)
def test_a_server_that_gives_no_answer_is_ended_and_told(program: str, words: str):
    with pytest.raises(SpecError, match=words):
        list_server_tools((sys.executable, "-c", program), 1.0)


def test_a_program_that_is_not_there_is_told():
    with pytest.raises(SpecError, match="no-such-server"):
        list_server_tools(("no-such-server",))


def test_a_server_does_not_see_our_secrets(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    script = tmp_path / "noisy.py"
    script.write_text(NOISY.replace('"two" if second', 'str(__import__("os").environ.get("OPENAI_API_KEY")) if second'))
    assert [tool.name for tool in list_server_tools((sys.executable, str(script)))] == ["one", "None"]
