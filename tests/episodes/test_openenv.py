"""The OpenEnv server of docs/episodes.md, played by OpenEnv's own clients over loopback."""

import asyncio
import contextlib
import itertools
import json
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import command
import pytest
from played import ROOT, begun, rows_of, tasks_of

from generator.core.conversation import ToolMessage
from generator.core.errors import GeneratorError, PlanError
from generator.core.sandbox.supervisor import children
from generator.episodes import Task
from generator.episodes.episode import Episode
from generator.episodes.mcp import talk_tool
from generator.episodes.player import reference_actions

PAGE = (ROOT / "docs/episodes.md").read_text(encoding="utf-8")
WORDS = shlex.split(
    next(line for line in PAGE.splitlines() if line.startswith("python -m generator") and "--openenv" in line)
)[3:]
NEEDED = "needs openenv 0.10: pip install -e '.[openenv]'"


@contextlib.contextmanager
def served(words: list[str]) -> Iterator[tuple[str, int]]:
    """URL and process of a server at a free port."""
    pytest.importorskip("openenv.core", reason=NEEDED)
    server = subprocess.Popen(
        [sys.executable, "-m", "generator", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    line = server.stdout.readline()
    found = re.fullmatch(r"serving [\d,]+ rows at (http://127.0.0.1:\d+)\n", line)
    if found is None:
        server.kill()
        pytest.fail(f"{line}{server.communicate()[1]}")
    try:
        yield found[1], server.pid
    finally:
        server.terminate()
        _, told = server.communicate(timeout=120)
    assert told == ""  # no fault of any test below has come to the server's screen


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The server that the page starts."""
    with served([*WORDS[: WORDS.index("--port")], "--port", "0"]) as (address, _):
        yield address


def chosen() -> list[Task]:
    """The first row of each of several scenarios."""
    first: dict[str, Task] = {}
    for task in rows_of("conversations", 40):
        first.setdefault(task.row.scenario, task)
    assert len(first) >= 8
    return list(first.values())


def asked(task: Task, respond: str) -> list[dict[str, Any]]:
    """What the row does, as actions of OpenEnv."""
    made = []
    for action in reference_actions(task):
        made += [{"tool_name": call.name, "arguments": call.arguments} for call in action.tool_calls]
        if not action.tool_calls:
            made.append({"tool_name": respond, "arguments": {"text": action.content}})
    return [{"type": "call_tool", **one} for one in made]


async def played(client: Any, task: Task) -> tuple[float, bool, list[str]]:
    """Play a row's own actions; return the sum of rewards, whether it ended, and the results of the tools."""
    began = await client.reset(split="train", index=task.row.index)
    respond = began.observation["respond"]
    total, done, results = 0.0, False, []
    for action in asked(task, respond):
        step = await client.step(action)
        total, done = total + step.reward, step.done
        if action["tool_name"] != respond:
            results.append(step.observation["result"])
    return total, done, results


def test_own_actions_get_the_reward_in_sessions_at_once(url: str) -> None:
    """Rows of several scenarios are played at once, each in a session, and again one after the other in one session."""
    from openenv.core.generic_client import GenericEnvClient

    async def alone(task: Task) -> tuple[float, bool, list[str]]:
        async with GenericEnvClient(base_url=url) as client:
            return await played(client, task)

    async def run() -> None:
        tasks = chosen()
        at_once = await asyncio.gather(*map(alone, tasks))
        async with GenericEnvClient(base_url=url) as client:
            again = [await played(client, task) for task in tasks]
        assert again == at_once
        for task, (total, done, results) in zip(tasks, at_once, strict=True):
            assert (total, done) == (1.0, True), task.row.scenario
            told = [one.content for one in task.row.conversation.messages if isinstance(one, ToolMessage)]
            assert results == told

    asyncio.run(run())


def test_what_an_agent_sees_and_what_is_refused(url: str) -> None:
    from openenv.core.generic_client import GenericEnvClient

    task = tasks_of("conversations").task(0)

    async def run() -> None:
        async with GenericEnvClient(base_url=url) as client:
            with pytest.raises(RuntimeError, match="begins with reset"):
                await client.step({"type": "call_tool", "tool_name": "x"})
            began = await client.reset(index=0)
            *tools, talk = began.observation["functions"]
            shown = {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}
            assert shown == {tool.name: tool.parameters for tool in task.row.conversation.tools}
            assert talk["function"]["name"] == began.observation["respond"] == "respond"
            first = [(str(one["role"]), one["content"]) for one in began.observation["messages"]]
            system, request = task.row.conversation.messages[:2]
            assert first == [("system", system.content), ("user", request.content)]

            huge = {
                "type": "call_tool",
                "tool_name": tools[0]["function"]["name"],
                "arguments": {"text": "x" * 100_000},
            }
            assert "longer than" in (await client.step(huge)).observation["result"]
            step = await client.step({"type": "call_tool", "tool_name": "rm_rf", "arguments": {}})
            assert step.observation["result"] == "Error: There is no tool 'rm_rf'."
            assert step.observation["error"]["error_type"] == "tool_not_found"
            assert (step.done, step.reward) == (False, 0.0)
            with pytest.raises(RuntimeError, match="Invalid message"):
                await client.step({"type": "shout", "loud": True})
            for wrong in ({"index": -1}, {"index": 10**9}, {"index": "0"}, {"seed": "0"}, {"split": "no"}, {"indx": 3}):
                with pytest.raises(RuntimeError, match=r"whole number|none of this name|not indx"):
                    await client.reset(**wrong)

            state = await client.state()
            assert (state["row"], state["split"], state["step_count"], state["ended"]) == (0, "train", 2, "")
            answer = {"type": "call_tool", "tool_name": "respond", "arguments": {"text": "OK."}}
            step = await client.step(answer)
            assert (step.done, step.reward) == (True, 0.0)
            assert step.metadata["score"]["parts"]
            assert (await client.step(answer)).done
            assert (await client.state())["ended"]

            seeded = [(await client.reset(seed=7)).observation for _ in range(2)]
            assert seeded[0] == seeded[1] != (await client.reset(seed=8)).observation
            rows = set()
            for _ in range(3):
                await client.reset()
                rows.add((await client.state())["row"])
            assert len(rows) == 3

    asyncio.run(run())


def test_the_tool_client_lists_and_calls(url: str) -> None:
    """OpenEnv's client for tools sees the schemas as they are, and plays to the end by `step` and by `call_tool`."""
    from openenv.core.env_server.mcp_types import CallToolAction
    from openenv.core.mcp_client import MCPToolClient

    async def run() -> None:
        async with MCPToolClient(base_url=url) as client:
            assert [tool.name for tool in await client.list_tools()] == ["respond"]  # no row has been begun
            for task in chosen()[:3]:
                await client.reset(index=task.row.index)
                *tools, talk = await client.list_tools(use_cache=False)
                assert [(tool.name, tool.input_schema) for tool in tools] == [
                    (tool.name, tool.parameters) for tool in task.row.conversation.tools
                ]
                for action in asked(task, talk.name):
                    step = await client.step(CallToolAction(**action))
                assert (step.done, step.reward) == (True, 1.0)
            await client.reset(index=0)
            unknown = await client.call_tool("rm_rf")
            assert unknown["result"] == "Error: There is no tool 'rm_rf'."
            assert (await client.call_tool("respond", text="OK."))["done"]

    asyncio.run(run())


def test_tasks_by_http(url: str) -> None:
    import requests

    (name,) = requests.get(f"{url}/list_environments", timeout=120).json()
    assert [one["name"] for one in requests.get(f"{url}/{name}/splits", timeout=120).json()] == ["train"]

    def post(path: str, **body: Any) -> Any:
        return requests.post(f"{url}/{name}/{path}", json=body, timeout=120)

    count = post("num_tasks", split="train").json()["num_tasks"]
    assert count == tasks_of("conversations").rows
    last = {"id": f"train-{count - 1}", "split": "train", "index": count - 1, "row": count - 1}
    assert post("task", split="train", index=count - 1).json()["task"] == last
    assert post("task_range", split="train", start=count - 1).json()["tasks"] == [last]
    assert post("task", split="train", index=count).status_code == 400
    unknown = post("tasks", split="no")
    assert (unknown.status_code, "there are train" in unknown.text) == (400, True)
    assert requests.post(f"{url}/step", json={"action": {"tool_name": "x"}}, timeout=120).status_code == 400


@pytest.mark.parametrize(
    ("origin", "is_answered"),
    [
        (None, True),
        ("http://localhost:3000", True),
        ("http://127.0.0.1", True),
        ("http://[::1]:8000", True),
        ("https://example.org", False),
        ("http://localhost.example.org", False),
        ("http://127.0.0.1.example.org:8000", False),
        ("null", False),
        ("http://[", False),
    ],
)
def test_pages_of_other_machines_are_refused(url: str, origin: str | None, is_answered: bool) -> None:
    """A page that somebody has open in a browser reaches the ports of its machine, and cannot hide where it is from."""
    import requests
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    headers = {} if origin is None else {"Origin": origin}
    answer = requests.get(f"{url}/list_environments", headers=headers, timeout=120)
    assert (answer.status_code == 200) is is_answered
    for path in ("ws", "mcp"):
        refused = contextlib.nullcontext() if is_answered else pytest.raises(InvalidStatus, match="403")
        with refused, connect(f"ws{url.removeprefix('http')}/{path}", additional_headers=headers):
            pass


def below(pid: int) -> list[int]:
    """All processes that a process has started, and those that they have."""
    return [one for child in children(pid) for one in (child, *below(child))]


def test_sessions_of_python_handlers_are_few_and_leave_no_processes() -> None:
    pytest.importorskip("openenv.core", reason=NEEDED)
    from websockets.sync.client import connect

    from generator.episodes.openenv import MOST_WITH_PROCESSES

    words = ["episodes", "serve", "recipes/python_tools.yaml", "--openenv", "--port", "0"]
    with served(words) as (url, server), contextlib.ExitStack() as stack:
        address = f"ws{url.removeprefix('http')}/ws"
        before = len(below(server))
        clients = [stack.enter_context(connect(address)) for _ in range(MOST_WITH_PROCESSES)]
        for client in clients[:6]:
            client.send('{"type": "reset", "data": {"index": 0}}')
        for client in clients[:6]:
            assert json.loads(client.recv(timeout=120))["type"] == "observation"
        with connect(address) as one_more:
            assert json.loads(one_more.recv(timeout=120))["type"] == "error"
        assert len(below(server)) >= before + 6 * 3
        for client in clients:
            client.socket.shutdown(socket.SHUT_RDWR)  # cut off, without a word
        ends = time.monotonic() + 30
        while len(below(server)) > 2 * before and time.monotonic() < ends:
            time.sleep(0.1)
        assert (
            len(below(server)) <= 2 * before
        )  # those that made the row, and those of one session, which the next one gets


def test_a_score_that_takes_long_holds_up_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openenv.core", reason=NEEDED)
    from starlette.testclient import TestClient

    from generator.episodes.openenv import app_of

    tasks = tasks_of("conversations")
    going_on = threading.Event()
    score = Episode.score

    def slow(self: Episode) -> Any:
        assert going_on.wait(60)
        return score(self)

    monkeypatch.setattr(Episode, "score", slow)
    app = app_of("x", tasks.episode, {"train": range(3)})
    with TestClient(app) as client, client.websocket_connect("/ws") as busy, client.websocket_connect("/ws") as other:
        busy.send_json({"type": "reset", "data": {"index": 0}})
        assert busy.receive_json()["type"] == "observation"
        action = {"type": "call_tool", "tool_name": "respond", "arguments": {"text": "OK."}}
        busy.send_json({"type": "step", "data": action})
        other.send_json({"type": "reset", "data": {"index": 1}})
        assert other.receive_json()["type"] == "observation"  # while the other one is scored
        going_on.set()
        assert busy.receive_json()["data"]["done"] is True


def test_the_client_of_the_page_runs(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = next(code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if "GenericEnvClient" in code)
    exec(code.replace("http://127.0.0.1:8000", url), {})
    told = capsys.readouterr().out
    assert "True" in told, told
    assert "There is no tool" not in told


def test_documents_are_passed_over_unless_they_are_asked_for() -> None:
    pytest.importorskip("openenv.core", reason=NEEDED)
    from generator.episodes.openenv import EpisodeEnvironment, Rows

    tasks = tasks_of("openchatml")
    playable = set()
    for index in range(20):
        with contextlib.suppress(PlanError):
            playable.add(tasks.task(index).row.index)
    document = min(set(range(20)) - playable)
    environment = EpisodeEnvironment(
        Rows(name="x", splits={"train": range(20)}, episode=tasks.episode, next=itertools.count(document))
    )
    for begin in ({"seed": document}, {}):
        environment.reset(**begin)
        assert environment.state.row == min(index for index in playable if index > document)
    with pytest.raises(PlanError, match="is a document"):
        environment.reset(index=document)


def test_a_port_that_is_taken() -> None:
    pytest.importorskip("openenv.core", reason=NEEDED)
    from generator.episodes.openenv import serve_openenv

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(GeneratorError, match=f"^127.0.0.1:{port}: no server can listen there"):
            serve_openenv(None, "127.0.0.1", port, print)


def test_a_row_may_have_a_tool_of_the_same_name() -> None:
    episode = begun("conversations", 0)
    name = episode.tools[0].name
    assert talk_tool(episode, name).name == f"{name}_"
    assert talk_tool(episode, "respond").name == "respond"


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> command.Command:
    return command.command(monkeypatch, capsys)


def test_without_the_package_it_says_what_to_install(cli: command.Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [*sys.modules, "openenv"]:
        if name.partition(".")[0] == "openenv":
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "generator.episodes.openenv", raising=False)
    ran = cli("episodes", "serve", "conversations", "--openenv")
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(
        r".*an OpenEnv server needs the package openenv: (pip install|install the extra) .*openenv.*\n", ran.err
    )


@pytest.mark.parametrize(
    "words",
    [[], ["--openenv", "--mcp"], ["--openenv", "--index", "1"], ["--mcp"], ["--mcp", "--index", "1", "--port", "1"], ["--openenv", "--port", "70000"]],
)  # fmt: skip
def test_options_that_do_not_go_together(cli: command.Command, words: list[str]) -> None:
    assert cli("episodes", "serve", "conversations", *words).code == 2


def test_rows_by_split() -> None:
    """Each row is in one split, the one that its record goes to."""
    from generator.report.files.contamination import split_of

    tasks = tasks_of("tuning")
    splits = tasks.splits()
    assert len(splits) > 1
    assert sorted(index for rows in splits.values() for index in rows) == list(range(tasks.rows))
    split = split_of(tasks.prepared.recipe)
    assert all(split(rows[place]) == name for name, rows in splits.items() for place in (0, -1))
