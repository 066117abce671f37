"""`tools author`: what it costs, what it writes, and that it goes on where it stopped."""

import json
from pathlib import Path
from typing import Any

from command import Command
from llm_server import fake_server

SERVER = Path(__file__).parents[2] / "tool_specs" / "mcp" / "fieldworks.json"
GOOD = {
    "fieldworks_get_job": {"phrases": {"question": ["what's the state of job {job_id}"]}},
    "fieldworks_search_parts": {
        "phrases": {"request": ["look for {query} in the parts catalog", "find parts such as {query}"]}
    },
}


def reply(asked: dict[str, Any]) -> str:
    text = next(message["content"] for message in asked["messages"] if message["role"] == "user")
    return json.dumps(GOOD[json.loads(text.partition("The function:\n")[2].partition("\n")[0])["name"]])


def test_a_budget_stops_and_the_cache_goes_on(cli: Command, tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    with fake_server(reply=reply) as server:
        command = (
            "tools",
            "author",
            str(SERVER),
            "--model",
            "openai/x",
            "--api-base",
            server.base,
            "--write",
            str(overlay),
        )
        names = [argument for name in GOOD for argument in ("--only", name)]
        stopped = cli(*command, *names, "--requests", "1")
        assert stopped.code in (0, 3)
        done = cli(*command, *names)
        assert done.code == 0
        assert len(server.asked) == 2
    assert "2 of 2 tools: " in done.out
    assert "(100%)" in done.out
    assert cli("tools", "check", str(SERVER), "--overlay", str(overlay), "--rows", "2").code == 0


def test_the_cost_is_told_before_anybody_is_asked(cli: Command):
    done = cli("tools", "author", str(SERVER), "--model", "openai/gpt-4o-mini", "--dry-run")
    assert done.code == 0
    assert done.out.startswith("25 requests, about ")
    assert "$" in done.out
