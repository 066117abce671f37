"""`episodes play --model`: good agents and bad ones, played by a scripted server."""

import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import agents
import command
import pytest
from browser import Look, dom_of, needs_browser, told_by
from llm_server import fake_server
from nightly import night
from played import ROOT, tasks_of

from generator.episodes.replay import read_transcripts, replay
from generator.run.episodes import RecipeTasks

ROWS = 12
RECIPE = "recipes/conversations.yaml"
PAGE = (ROOT / "docs/episodes.md").read_text(encoding="utf-8")


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> command.Command:
    """The command line, in a folder of its own where the recipe is opened once for all tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys.modules["generator.cli.episodes"], "open_tasks", _opened)
    for name in ("recipes", "tool_specs"):
        (tmp_path / name).symlink_to(ROOT / name)
    return command.command(monkeypatch, capsys)


def _opened(path: Path) -> RecipeTasks:
    return tasks_of(path.stem)


def _played(cli: command.Command, agent: agents.Agent, rows: int, *more: object) -> tuple[command.Ran, list[Any]]:
    """Play with an agent, then again from the cache alone: the same bytes. Returns what was said, and the requests."""
    words = ["episodes", "play", RECIPE, "--model", "openai/scripted", "--rows", rows, *more]
    with fake_server(reply=agent) as server:
        base = ("--api-base", server.base, "--price", 1, 2)
        ran = cli(*words, *base, "--out", "played.jsonl", "--json", "played.json")
        asked = list(server.asked)
    assert ran.code in {0, 1}, ran.err
    again = cli(*words, *base, "--out", "again.jsonl", "--json", "again.json", "--llm-cache-only")
    assert (again.code, again.out) == (ran.code, ran.out)
    for kind in ("jsonl", "json"):
        is_same = Path(f"again.{kind}").read_bytes() == Path(f"played.{kind}").read_bytes()
        assert is_same, kind
    return ran, asked


def _summary() -> dict[str, Any]:
    return json.loads(Path("played.json").read_text())


def _check_transcripts(count: int) -> list[dict[str, Any]]:
    """Every transcript, played again, has the score that it had."""
    lines = [json.loads(line) for line in Path("played.jsonl").read_text().splitlines()]
    assert len(lines) == count
    episode = tasks_of("conversations").episode()
    for line, transcript in zip(lines, read_transcripts(Path("played.jsonl")), strict=True):
        found = replay(episode, transcript)
        assert not found.faults, [fault[:300] for fault in found.faults]
        assert found.score.reward == line["score"]["reward"]
    return lines


def test_an_agent_that_does_what_the_rows_do_passes(cli: command.Command) -> None:
    ran, asked = _played(cli, agents.by_actions("conversations", ROWS), ROWS, "--tries", 2, "--fail-under", "pass=1")
    assert ran.code == 0, ran.out
    assert re.search(rf"^all +{2 * ROWS} +1.000 +1.000 +1.000 ", ran.out, re.MULTILINE), ran.out
    summary = _summary()
    assert summary["all"]["pass^k"] == {"1": 1.0, "2": 1.0}
    assert summary["all"]["requests"] == len(asked)
    assert summary["all"]["usd"] > 0
    lines = _check_transcripts(2 * ROWS)
    assert [(line["index"], line["attempt"]) for line in lines] == [(row, one) for row in range(ROWS) for one in (0, 1)]
    offered = [{tool["function"]["name"]: tool["function"].get("parameters") for tool in one["tools"]} for one in asked]
    for index in range(ROWS):
        tools = tasks_of("conversations").task(index).row.conversation.tools
        assert {tool.name: tool.parameters for tool in tools} in offered
    calls = [len(message.get("tool_calls") or ()) for line in lines for message in line["messages"]]
    assert max(calls) > 1  # parallel ones, too


def test_play_as_the_page_shows_it(cli: command.Command) -> None:
    found = re.findall(r"^python -m generator (episodes play .*--model.*)$", PAGE, re.MULTILINE)
    (words,) = [shlex.split(line) for line in found]
    words[words.index("--rows") + 1] = "3"
    with fake_server(reply=agents.by_actions("conversations", 3)) as server:
        ran = cli(*words, "--api-base", server.base, "--price", 0.15, 0.6)
    assert ran.code == 0, ran.err
    assert "pass^4" in ran.out
    assert _summary()["all"]["episodes"] == 12


def test_a_sloppy_agent_fails_and_says_so_to_ci(cli: command.Command) -> None:
    sloppy = agents.by_actions("conversations", ROWS, "wrong_value_in_write")
    ran, _ = _played(cli, sloppy, ROWS, "--fail-under", "pass=0.9")
    assert ran.code == 1
    assert re.search(r"^pass is 0\.\d+, at least 0.9 is wanted$", ran.err, re.MULTILINE)
    assert _summary()["all"]["failed"]["writes"] > 0
    _check_transcripts(ROWS)


@pytest.mark.parametrize(
    ("agent", "ended", "requests"),
    [
        (agents.silent, "", 40),
        (agents.huge_arguments, "the model's answer is too long", 1),
        (agents.many_calls, "more than 100 calls", 1),
        pytest.param(agents.looping, "more than 100 calls", 101, marks=night),
        pytest.param(agents.unknown_tools, "more than 100 calls", 34, marks=night),
        pytest.param(agents.large_arguments, "", 43, marks=night),
        pytest.param(agents.broken_arguments, "more than 100 calls", 6, marks=night),
        pytest.param(agents.odd_calls, "more than 100 calls", 10, marks=night),
    ],
)
def test_bad_agents_are_bounded_and_told(cli: command.Command, agent: agents.Agent, ended: str, requests: int) -> None:
    ran, asked = _played(cli, agent, 3)
    assert 3 <= len(asked) <= 3 * requests
    if ended:
        assert f"{ended}: 3" in ran.out
    overall = _summary()["all"]
    assert overall["ended"] == ({ended: 3} if ended else {})
    assert overall["reward"] < 1
    lines = _check_transcripts(3)
    assert Path("played.jsonl").stat().st_size < 1_000_000
    for line in lines:
        results = [message for message in line["messages"] if message["role"] == "tool"]
        made = [call for message in line["messages"] for call in message.get("tool_calls") or ()]
        assert [one["tool_call_id"] for one in results] == [call["id"] for call in made]
        assert len({call["id"] for call in made}) == len(made)


def test_what_stopped_goes_on_and_nothing_is_asked_twice(cli: command.Command) -> None:
    good = agents.by_actions("conversations", ROWS)
    words = ["episodes", "play", RECIPE, "--model", "openai/scripted", "--rows", ROWS, "--json", "played.json"]
    with fake_server(reply=good) as server:
        words += ["--api-base", server.base]
        stopped = cli(*words, "--requests", 9)
        assert (stopped.code, len(server.asked)) == (3, 9)
        assert "llm.budget.requests: the budget of 9 is reached" in stopped.err
        assert "the same command goes on" in stopped.err
        assert not Path("played.json").exists()
        assert cli(*words, "--llm-cache-only").code == 3
        assert len(server.asked) == 9
        whole = cli(*words)
        assert whole.code == 0, whole.err
        assert len(server.asked) == _summary()["all"]["requests"]
        assert cli(*words, "--cache", "another").out == whole.out
        shown = cli("llm", "show", "conversations.play.llm-cache", "--use", "play", "--count", 200)
        assert shown.out.count("[answer]") == _summary()["all"]["requests"]
        assert "[tool]" in shown.out


@needs_browser
def test_the_page_shows_transcripts_beside_the_rows_and_runs_nothing(cli: command.Command, tmp_path: Path) -> None:
    evil = "</script><script>document.body.dataset.evil=1</script>"

    def hostile(asked: dict[str, Any]) -> str:
        return evil

    with fake_server(reply=hostile) as server:
        words = ("episodes", "play", RECIPE, "--model", "openai/m", "--rows", 3, "--api-base", server.base)
        assert cli(*words, "--html", "played.html", "--fail-under", "pass=0.9").code == 1
    page = Path("played.html").read_text(encoding="utf-8")
    assert page.count("<script") == 3  # what it is made of
    assert "data-evil" not in dom_of(Path("played.html").absolute().as_uri(), tmp_path)
    script = """
    const told = shown.map((row, place) => { select(place); return [row.kind, ...[...document.querySelectorAll("article")].map((one) => one.textContent)]; });
    location.hash = "#figures";
    return [told, document.getElementById("behind").textContent];
    """
    ((told, figures),) = told_by(tmp_path, [Look(page)], script)
    assert [kind for kind, *_ in told] == ["played"] * 3 + ["row"] * 3
    for index, (_, played, own) in enumerate(told[:3]):
        messages = tasks_of("conversations").task(index).row.conversation.messages
        assert evil in played
        assert f"Row {index}, try 0" in played
        assert str(messages[-1].content) in own
        assert "← the user says" in own
    assert "parts that failed" in figures


@night
@needs_browser
def test_the_page_shows_what_cannot_be_read_of_a_transcript(cli: command.Command, tmp_path: Path) -> None:
    with fake_server(reply=lambda _: agents.calling(("no_such_tool", '{"cut": '))) as server:
        words = ("episodes", "play", RECIPE, "--model", "openai/m", "--rows", 1, "--api-base", server.base)
        assert cli(*words, "--html", "played.html").code == 0
    page = Path("played.html").read_text(encoding="utf-8")
    (told,) = told_by(tmp_path, [Look(page)], 'return document.querySelector("article").textContent;')
    assert "no_such_tool" in told
    assert '{"cut": ' in told.replace('\\"', '"')


def test_a_server_that_fails_now_and_then_changes_nothing(cli: command.Command) -> None:
    good = agents.by_actions("conversations", 4)
    words = ["episodes", "play", RECIPE, "--model", "openai/scripted", "--rows", 4]
    outs = []
    for place, behaviour in enumerate(({}, {"rate_limited": 0.3, "retry_after": "0"})):
        with fake_server(reply=good, **behaviour) as server:
            ran = cli(*words, "--api-base", server.base, "--cache", f"cache{place}")
        assert ran.code == 0, ran.err
        outs.append(ran.out)
    assert outs[0] == outs[1]


def test_a_model_that_cannot_be_asked_is_told_in_one_line(cli: command.Command) -> None:
    with fake_server(key="another") as server:
        ran = cli("episodes", "play", RECIPE, "--model", "openai/m", "--rows", 4, "--api-base", server.base)
    assert (ran.code, ran.out) == (2, "")
    assert "refuses the key" in ran.err
    assert "Traceback" not in ran.err


def test_what_it_costs_is_said_before_and_nobody_is_asked(cli: command.Command) -> None:
    words = ["episodes", "play", RECIPE, "--model", "openai/scripted", "--rows", 6]
    with fake_server(reply=agents.by_actions("conversations", 6)) as server:
        words += ["--api-base", server.base, "--price", 1, 2]
        estimated = cli(*words, "--dry-run")
        assert (estimated.code, server.asked) == (0, [])
        ran = cli(*words, "--json", "played.json")
        assert estimated.out.strip() in ran.err
        assert estimated.out.startswith(f"about {len(server.asked)} requests, ")
    assert cli(*words, "--budget", 1, "--dry-run").code == 0
    assert "nobody knows what" in cli(*words[:7], "--api-base", "http://127.0.0.1:1/v1", "--budget", 1).err


def test_options_that_do_not_go_together_are_refused(cli: command.Command) -> None:
    for words in (
        (),
        ("--model", "m", "--baseline", "own"),
        ("--baseline", "own", "--tries", 2),
        ("--baseline", "own", "--budget", 1),
        ("--baseline", "own", "--dry-run"),
        ("--model", "m", "--fail-under", "luck=1"),
    ):
        assert cli("episodes", "play", RECIPE, *words).code == 2
