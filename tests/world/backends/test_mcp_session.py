"""MCP servers that do not behave: what they may take, what is told of them, and that nothing of them is left."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from nightly import some_of

from generator.core.errors import SpecError
from generator.world.backends.mcp_session import LostServerError, McpLimits, McpSession, RefusedError

SERVER = """
import json, os, subprocess, sys, time
NOTES = {notes!r}
def send(message):
    print(json.dumps({{"jsonrpc": "2.0", **message}}), flush=True)
def greet(asked, **more):
    about = {{"protocolVersion": "2025-06-18", "capabilities": {{}}, "serverInfo": {{"name": "odd", "version": "1"}}}}
    send({{"id": asked["id"], "result": {{**about, **more}}}})
def page(asked, **more):
    send({{"id": asked["id"], "result": {{"tools": [{{"name": "one", "inputSchema": {{"type": "object"}}}}], **more}}}})
def say(asked, text, **more):
    send({{"id": asked["id"], "result": {{"content": [{{"type": "text", "text": text}}], **more}}}})
for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    if "id" not in asked:
        continue
{body}
"""
USUAL = """
    if method == "initialize": greet(asked)
    elif method == "tools/list": page(asked)
    elif method == "tools/call": say(asked, "fine")
"""


@pytest.fixture
def serve(tmp_path: Path):
    sessions: list[McpSession] = []

    def start(body: str, seconds: float = 20.0, call_seconds: float = 20.0) -> McpSession:
        script = tmp_path / "server.py"
        script.write_text(SERVER.format(notes=str(tmp_path), body=f"{body}{USUAL.replace('if', 'elif', 1)}"))
        limits = McpLimits(start_seconds=seconds, seconds=call_seconds)
        sessions.append(McpSession((sys.executable, "-S", str(script)), limits))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_a_hung_call_ends_the_server_with_all_that_it_started(serve, tmp_path):
    session = serve(
        """
    if method == "tools/call":
        child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=True)
        open(NOTES + "/pids", "w").write(f"{os.getpid()} {child.pid}")
        time.sleep(600)
""",
        call_seconds=2.0,
    )
    with pytest.raises(LostServerError) as caught:
        session.call("one", {})
    assert caught.value.late
    assert session.is_lost
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 2
    assert not any(map(is_running, pids))
    with pytest.raises(LostServerError):
        session.call("one", {})


@some_of(2,
    ("body", "words"),
    [
        ('    if method == "initialize": greet(asked, protocolVersion="1999-01-01")', "'1999-01-01'"),
        ('    if method == "initialize": greet(asked, serverInfo=5)', "not as the protocol has it"),
        ('    if method == "initialize": send({"id": asked["id"], "result": [1]})', "not as the protocol has it"),
        ('    if method == "initialize": send({"id": asked["id"]})', "not as the protocol has it"),
        ('    if method == "initialize": send({"id": True, "result": {}})', "no answer within 1 seconds"),
        ('    if method == "initialize": send({"id": asked["id"], "error": {"code": 1, "message": "A token is required"}})', "A token is required"),
        ('    if method == "initialize": print("A token is required", file=sys.stderr, flush=True); sys.exit(4)', "exit code 4; it said: A token is required"),
        ('    if method == "initialize": sys.stdout.close(); os.close(1); time.sleep(600)', "its process ended"),
    ],
)  # fmt: skip
def test_a_server_that_does_not_greet_is_told(serve, body, words):
    with pytest.raises(SpecError, match="cannot be started") as caught:
        serve(body, seconds=1.0 if "1 seconds" in words else 20.0)
    assert words in str(caught.value)


@some_of(2,
    ("body", "words"),
    [
        ('send({"id": asked["id"], "result": {"tools": [{"name": str(n)} for n in range(200_000)]}})', "more than 20,000 tools"),
        ('page(asked, nextCursor="2")', "more than 1,000 pages"),
        ('page(asked, nextCursor=5)', "not as the protocol has it"),
        ('page(asked, tools={"a": 1})', "not as the protocol has it"),
        ('page(asked, tools=["a"])', "not as the protocol has it"),
        ('[os.write(1, b"x" * 65536) for _ in range(1000)]', "writes more than is allowed"),
        ('[os.write(1, b"x" * 63 + b"\\\\n" * 65) for _ in range(1_000_000)]', "writes more than is allowed"),
        ('send({"id": asked["id"], "error": {"code": 1, "message": "x" * 100_000}})', "(100,000 characters)"),
        ('time.sleep(600)', "no answer within 3 seconds"),
        ('sys.exit("enough")', "exit code 1; it said: enough"),
        ('os.write(1, b"[" * 100_000 + b"\\\\n"); os._exit(2)', "exit code 2"),
    ],
)  # fmt: skip
def test_a_server_that_gives_no_list_is_told_in_short(serve, body, words):
    session = serve(f'    if method == "tools/list": {body}', seconds=3.0 if "3 seconds" in words else 60.0)
    with pytest.raises(SpecError, match="gave no list of tools") as caught:
        session.list_tools()
    assert words in str(caught.value)
    assert len(str(caught.value)) < 2000


def test_start_and_list_have_one_deadline(serve):
    began = time.monotonic()
    session = serve('    if method == "tools/list": time.sleep(0.7); page(asked, nextCursor="more")', seconds=3.0)
    with pytest.raises(SpecError, match="no answer within 3 seconds"):
        session.list_tools()
    assert time.monotonic() - began < 60  # each page comes in time


def test_what_a_server_asks_is_answered_while_it_is_asked(serve):
    session = serve("""
    if method is None: open(NOTES + "/told", "a").write(json.dumps(asked) + "\\n")
    elif method == "tools/call":
        send({"id": "a", "method": "ping"})
        send({"id": 1, "method": "roots/list"})
        send({"method": "notifications/message", "params": {}})
        send({"id": 99, "result": {"content": []}})
        print("noise", flush=True)
        told = [json.loads(sys.stdin.readline()) for _ in range(2)]
        say(asked, json.dumps([told[0]["result"], told[0]["id"], told[1]["error"]["code"]]))
""")
    answer = session.call("one", {})
    assert json.loads(answer.content[0].text) == [{}, "a", -32601]


@some_of(
    2,
    "body",
    [
        'send({"id": asked["id"], "result": {"content": "text"}})',
        'send({"id": asked["id"], "result": {"content": [{"type": "text", "text": 5}]}})',
        'say(asked, "x", structuredContent=[1])',
        'say(asked, "x", isError="no")',
        'send({"id": asked["id"], "error": "text"})',
    ],
)
def test_an_answer_of_another_shape_is_refused_and_the_server_lives_on(serve, body):
    session = serve(f'    if method == "tools/call" and asked["params"]["name"] == "odd": {body}')
    with pytest.raises(RefusedError, match="not as the protocol has it"):
        session.call("odd", {})
    assert session.call("one", {}).content[0].text == "fine"


def test_long_arguments_and_long_noise_pass_each_other(serve):
    session = serve("""
    if method == "tools/call":
        say(asked, str(len(asked["params"]["arguments"]["text"])))
        os.write(1, b"noise " * 100_000 + b"\\n")
""")
    for _ in range(3):
        assert session.call("one", {"text": "x" * 1_000_000}).content[0].text == "1000000"


def test_a_server_that_reads_nothing_is_given_up(serve):
    session = serve('    if method == "tools/list": page(asked, tools=[{"pid": os.getpid()}])', call_seconds=1.0)
    pid = session.list_tools()[0]["pid"]
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(LostServerError) as caught:
        session.call("one", {"text": "x" * 1_000_000})
    assert caught.value.late
    assert not is_running(pid)
