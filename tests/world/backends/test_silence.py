"""A backend that never answers ends the run, whatever kind it is."""

import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.conversation import ToolCall
from generator.core.errors import BackendError
from generator.world import Worlds
from generator.world.backends.external import (
    MOST_AT_FIRST,
    MOST_LATER,
    Http,
    HttpLimits,
    McpTools,
    PythonTools,
    Silence,
)
from generator.world.backends.mcp_session import McpLimits
from generator.world.backends.process import Limits

MODULE = """
import os, time
TOOLS = [
    {"type": "function", "function": {"name": name, "description": "A tool.", "parameters": {"type": "object", "properties": {}}}}
    for name in ("hang", "die", "fine")
]
def handle_tool_call(name, arguments):
    if name == "hang":
        time.sleep(600)
    if name == "die":
        os._exit(3)
    return "fine"
"""
SERVER = """
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    method = asked.get("method")
    result = {"tools": []}
    if method == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/call":
        if asked["params"]["name"] == "hang": time.sleep(600)
        if asked["params"]["name"] == "die": sys.exit(3)
        result = {"content": [{"type": "text", "text": "fine"}]}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


@pytest.fixture(params=["python", "mcp", "http"])
def backend(request, tmp_path: Path):
    if request.param == "http":
        yield Http("http://127.0.0.1:9/call", HttpLimits(attempts=1))
        return
    file = tmp_path / "foreign.py"
    file.write_text(MODULE if request.param == "python" else SERVER)
    if request.param == "mcp":
        yield McpTools((sys.executable, "-S", str(file)), McpLimits(seconds=0.5))
        return
    module = PythonTools(str(file), Limits(seconds=0.1))
    yield module
    module.stop()


def ask(backend: Worlds, tool: str) -> bool:
    with backend.open(date(2026, 3, 14)) as world:
        return world.step([ToolCall("id", tool, {})])[0].ok


@pytest.mark.parametrize("tool", ["hang", "die"])
def test_a_tool_that_never_answers_ends_the_run_soon(backend, tool):
    for _ in range(MOST_AT_FIRST - 1):
        assert not ask(backend, tool)
    with pytest.raises(BackendError, match=rf"the backend of '{tool}' never answers: Tool .* \(5 times in a row\)"):
        ask(backend, tool)


def test_others_that_answer_do_not_save_it_and_it_does_not_harm_them(backend):
    if isinstance(backend, Http):
        pytest.skip("nobody answers there")
    for _ in range(MOST_AT_FIRST - 1):
        assert not ask(backend, "die")
        assert ask(backend, "fine")
    with pytest.raises(BackendError, match="'die'"):
        ask(backend, "die")


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "late", "gone"])), max_size=60))
def test_what_answers_often_enough_is_left_alone(calls):
    silence, row, answered = Silence(), {"a": 0, "b": 0, "": 0}, set[str]()
    last = dict.fromkeys(row, "")
    for tool, failure in calls:
        for one in (tool, ""):
            row[one] = 0 if not failure else row[one] + 1 if last[one] in ("", failure) else 1
            last[one] = failure
        if not failure:
            answered |= {tool, ""}
            silence.answer(tool)
            continue
        if any(row[one] >= (MOST_LATER if one in answered else MOST_AT_FIRST) for one in (tool, "")):
            with pytest.raises(BackendError):
                silence.failure(tool, failure)
            return
        silence.failure(tool, failure)
