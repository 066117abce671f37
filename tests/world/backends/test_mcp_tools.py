"""Calls answered by a real MCP server process: state, faults, time, and the end of the process."""

import os
import shlex
import sys
from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the package mcp is not installed")

from generator.core.conversation import ToolCall
from generator.core.errors import SpecError
from generator.core.planning import Outcome
from generator.world.backends.external import McpTools
from generator.world.backends.mcp_session import McpLimits

TODAY = date(2026, 3, 14)
SERVER = """
import json, os, sys
from mcp.server.fastmcp import FastMCP, Image
from mcp.types import CallToolResult, TextContent

server = FastMCP("shelf")
books = []

@server.tool()
def put(title: str) -> str:
    print("noise", file=sys.stderr)
    books.append(title)
    return f"{len(books)} books"

@server.tool()
def odd() -> int:
    return CallToolResult(content=[TextContent(type="text", text="many")], structuredContent={"result": "many"})

@server.tool()
def fail(why: str) -> str:
    raise ValueError(why)

@server.tool()
def picture() -> Image:
    return Image(data=b"x", format="png")

@server.tool()
def long() -> str:
    return "x" * 5000

@server.tool()
def told(how: str) -> str:
    return f"{how} Light with ID 653 not found."

@server.tool()
def shaped(how: str) -> dict:
    return json.loads(how)

@server.tool()
def secret() -> str:
    return os.environ.get("MY_TOKEN", "none")

server.run()
"""
PLAIN = """
import json, os, sys, time
books = []
def put(title):
    print("noise", file=sys.stderr)
    books.append(title)
    return f"{len(books)} books"
def listed(): return books
def noisy(): print("this is no message", flush=True); return "done"
def wait(seconds): time.sleep(seconds); return "done"
def leave(): os._exit(3)
def odd(): return "many"
TOOLS = {tool.__name__: tool for tool in (put, listed, noisy, wait, leave, odd)}
PROMISED = {"odd": {"outputSchema": {"type": "object", "properties": {"result": {"type": "integer"}}}}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    given = asked.get("params") or {}
    if asked["method"] == "initialize":
        server = {"name": "shelf", "version": "1"}
        answer = {"protocolVersion": given["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    elif asked["method"] == "tools/list":
        answer = {"tools": [{"name": name, "inputSchema": {"type": "object"}, **PROMISED.get(name, {})} for name in TOOLS]}
    else:
        said = {"result": TOOLS[given["name"]](**given.get("arguments") or {})}
        answer = {"content": [{"type": "text", "text": json.dumps(said)}], "structuredContent": said}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""
"""The same shelf without the package, which takes a second to import: for tests of the process, not of what it says."""


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall("id", name, arguments)


@pytest.fixture
def command(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "shelf.py").write_text(PLAIN)
    return ("python", str(tmp_path / "shelf.py"))


@pytest.fixture
def real(tmp_path: Path) -> tuple[str, ...]:
    """The server of the package `mcp`."""
    (tmp_path / "real.py").write_text(SERVER)
    return ("python", str(tmp_path / "real.py"))


def test_each_conversation_begins_in_the_same_state(command):
    backend = McpTools(command)
    for _ in range(2):
        with backend.open(TODAY, 1) as world:
            first, second = world.step([call("put", title="Emma"), call("put", title="Ulysses")])
            assert (first.content, second.content) == ('{"result": "1 books"}', '{"result": "2 books"}')
            (listed,) = world.step([call("listed")])
            assert listed == Outcome(True, '{"result": ["Emma", "Ulysses"]}', {"result": ["Emma", "Ulysses"]})


def test_a_server_that_is_kept_keeps_its_state_and_is_started_again_when_it_has_ended(command):
    backend = McpTools(command, sessions="run")
    try:
        for expected in ("1 books", "2 books"):
            with backend.open(TODAY) as world:
                assert world.step([call("put", title="Emma")])[0].value == {"result": expected}
        with backend.open(TODAY) as world:
            gone = Outcome(False, "Error: Tool server has ended")
            assert world.step([call("leave"), call("listed")]) == (gone, gone)
        with backend.open(TODAY) as world:
            assert world.step([call("listed")])[0].value == {"result": []}
    finally:
        backend.stop()


def test_what_says_that_it_failed_has_failed_though_the_server_does_not_mark_it(real):
    beginnings = [
        "Error:",
        "❌",
        "Failed to switch it on:",
        "could not switch it on.",
        "ValueError:",
        "Error fetching it:",
    ]
    shapes = [
        '{"error": "no light"}',
        '{"success": false, "message": "no light"}',
        '{"ok": false, "reason": "no light"}',
    ]
    harmless = ['{"error": null, "on": true}', '{"success": true, "message": "on"}', '{"errors": 0}', '{"ok": false}']
    with McpTools(real).open(TODAY) as world:
        failed = [*world.step([call("told", how=how) for how in beginnings])]
        failed += world.step([call("shaped", how=how) for how in shapes])
        well = [*world.step([call("told", how=how) for how in ("Errors: 0.", "Terror:", "Cannes: 2 lights.", "653:")])]
        well += world.step([call("shaped", how=how) for how in harmless])
    assert [outcome.ok for outcome in failed] == [False] * len(failed)
    assert [outcome.ok for outcome in well] == [True] * len(well)


def test_what_fails_is_an_outcome(real, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "s3cret")
    with McpTools(real, McpLimits(longest=4000)).open(TODAY) as world:
        told = {name: world.step([call(name, **arguments)])[0] for name, arguments in {
            "fail": {"why": "no such shelf"}, "put": {}, "picture": {}, "long": {}, "nothing": {}, "secret": {},
        }.items()}  # fmt: skip
    assert all(not outcome.ok for name, outcome in told.items() if name != "secret")
    assert told["fail"].content == "Error: Error executing tool fail: no such shelf"
    assert "title" in told["put"].content
    assert told["picture"].content == "Error: Tool must return string"
    assert told["long"].content == "Error: Tool result is too long (more than 4,000 characters)"
    assert "nothing" in told["nothing"].content
    assert told["secret"].value == {"result": "none"}


def test_what_is_printed_among_the_messages_is_ignored(command, capfd):
    with McpTools(command).open(TODAY) as world:
        assert [outcome.value for outcome in world.step([call("noisy"), call("put", title="Emma")])] == [
            {"result": "done"},
            {"result": "1 books"},
        ]
    assert capfd.readouterr() == ("", "")


def test_an_answer_that_is_not_as_the_tool_says_is_an_error_and_the_server_lives_on(command, real):
    for server in (command, real):  # the package looks at what it sends, others do not
        with McpTools(server).open(TODAY) as world:
            odd, behind = world.step([call("odd"), call("put", title="Emma")])
        assert not odd.ok
        assert odd.content.startswith("Error: ")
        assert behind.ok


def test_a_call_that_takes_too_long_is_an_error_and_so_are_those_behind_it(command):
    with McpTools(command, McpLimits(seconds=2.0)).open(TODAY) as world:
        assert world.step([call("wait", seconds=0)])[0].ok
        late, behind = world.step([call("wait", seconds=30), call("listed")])
    assert late == Outcome(False, "Error: Tool execution timed out")
    assert behind == Outcome(False, "Error: Tool server has ended")


def test_a_tool_that_has_another_name_here_is_called_by_its_own(command):
    with McpTools(command, names={"put_book": "put"}).open(TODAY) as world:
        assert world.step([call("put_book", title="Emma")])[0].ok


@pytest.mark.parametrize(
    "program",
    [
        ("no-such-program-here",),
        ("python", "-c", "import sys; sys.exit(2)"),
        ("python", "-c", "import time; time.sleep(60)"),
    ],
)
def test_a_server_that_does_not_start_is_told(program):
    with pytest.raises(SpecError, match="cannot be started") as caught:
        McpTools(program, McpLimits(start_seconds=1.5)).open(TODAY)
    assert shlex.join(program) in str(caught.value)


def test_a_copy_of_our_process_has_a_server_of_its_own(command):
    backend = McpTools(command, sessions="run")
    with backend.open(TODAY) as world:
        world.step([call("put", title="Emma")])
        reads, writes = os.pipe()
        pid = os.fork()
        if pid == 0:
            with backend.open(TODAY) as other:
                os.write(writes, other.step([call("listed")])[0].content.encode())
            backend.stop()
            os._exit(0)
        os.waitpid(pid, 0)
        assert os.read(reads, 100) == b'{"result": []}'
        assert world.step([call("listed")])[0].value == {"result": ["Emma"]}
    backend.stop()


def test_the_server_ends_with_its_conversation(command, tmp_path):
    (tmp_path / "shelf.py").write_text(
        PLAIN.replace("books = []", f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\nbooks = []")
    )
    with McpTools(command).open(TODAY) as world:
        world.step([call("listed")])
        pid = int((tmp_path / "pid").read_text())
        os.kill(pid, 0)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert sys.modules["mcp"]
