"""Rows that a model has played: good, sloppy, looping, silent and malicious ones, by a scripted server."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import agents
import command
import pytest
from llm_server import fake_server
from nightly import night, one_in
from played import ROOT, opened

from generator.episodes.replay import entry_of, read_transcripts, replay
from generator.run.episodes import RecipeTasks

ROWS = 6
RECIPE = """
name: solved
seed: 5
rows: {rows}
tools: [{tools}/calendar.yaml, {tools}/smart_home.yaml, {tools}/weather.json]
offer: {{distractors: [0, 2]}}
scenarios: [single, clarify, confirm, sequential, near_miss, error_stop]
overlays: {{scramble: 0.3}}
system: "Today is {{today}}."
formats: [deepfabric, openai{more}]
solve: {{tries: {tries}, keep: {keep}{model}}}
llm: {{model: openai/strong, api_base: "{base}", concurrency: 8, unusable_in_a_row: null{settings}}}
"""


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> command.Command:
    monkeypatch.chdir(tmp_path)
    return command.command(monkeypatch, capsys)


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> RecipeTasks:
    """The rows as they are before a model plays them."""
    return opened(recipe(folder=tmp_path_factory.mktemp("planned")))


def recipe(base: str = "http://127.0.0.1:1/v1", folder: Path = Path(), **given: Any) -> Path:
    usual = {"rows": ROWS, "tries": 2, "keep": "all", "more": "", "model": "", "settings": ""}
    path = folder / "solved.yaml"
    path.write_text(RECIPE.format(tools=ROOT / "tool_specs", base=base, **(usual | given)))
    return path


def lines(name: str, out: str = "out") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (Path(out) / name).read_text().splitlines()]


def bytes_of(out: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(out).iterdir() if path.suffix == ".jsonl"}


def own_words(agent: agents.Agent) -> agents.Agent:
    """Says everything in words of its own, and why."""

    def says(asked: dict[str, Any]) -> dict[str, Any]:
        made = agent(asked)
        assert isinstance(made, dict)
        text = made["content"]
        return made | {"content": f"Right. {text}" if text else None, "reasoning_content": "The user wants that."}

    return says


def slipping(agent: agents.Agent) -> agents.Agent:
    """Now and then says something else, decided by what it is asked alone."""

    def says(asked: dict[str, Any]) -> Any:
        return "I would rather not say." if asked["seed"] % 3 == 0 else agent(asked)

    return says


def test_a_try_that_is_right_becomes_the_row_with_its_words_and_reasoning(
    cli: command.Command, tasks: RecipeTasks
) -> None:
    good = own_words(agents.of_tasks(tasks, ROWS))
    with fake_server(reply=good) as server:
        ran = cli("run", recipe(server.base, more=", openchatml"), "--out", "out")
        assert ran.code == 0, ran.err
        assert all(one["tools"] for one in server.asked)
    assert "solve by the model" in ran.out
    proofs, transcripts = lines("proofs.jsonl"), lines("transcripts.jsonl")
    assert len(proofs) == ROWS
    assert len(transcripts) == 2 * ROWS
    assert all({"llm_solved", "proof_none"} <= {*proof["tags"]} for proof in proofs)
    assert all(proof["solved"]["proof"] == "none" for proof in proofs)
    assert "proven only where the row has the tag `proof_read`" in (Path("out") / "README.md").read_text()
    called = next(proof["index"] for proof in proofs if proof["calls"])
    assert "no proof of this row stands beside it" in cli("show", "out", "--row", called).out
    assert all(proof["solved"]["right"] == 2 and not proof["arguments"] for proof in proofs)
    assert all(set(proof["solved"]["parts"].values()) == {1.0} for proof in proofs)
    said = [
        m for row in lines("openai.jsonl") for m in row["messages"] if m["role"] == "assistant" and m.get("content")
    ]
    assert all(message["content"].startswith("Right. ") for message in said)
    assert (Path("out") / "openchatml.jsonl").read_text().count("The user wants that.") > ROWS
    checked = cli("verify", "out", "--recipe", recipe(more=", openchatml"))
    assert checked.code == 0, checked.out
    scored = cli("episodes", "score", recipe(), "out/transcripts.jsonl", "--fail-under", "pass=1")
    assert scored.code == 0, scored.out + scored.err


def _all_claims(asked: str) -> list[dict[str, Any]]:
    """What a reader could say of any conversation that is right: it finds no fact."""
    parts = re.findall(r"^\[(\d+)\] ([^:\n]+): (.*?)$(?=\n\[|\Z)", asked, re.MULTILINE | re.DOTALL)
    user = next(int(at) for at, who, _ in parts if who == "user")
    found = []
    for at, who, text in parts:
        name = who.split()[-1]
        if who.startswith("assistant calls"):
            arguments = json.loads(text.partition(" ")[2])
            found += [("wish", user, "", [[name, "arguments", ""]])]
            found += [("chosen", int(at), "", [[name, "arguments", f"/{key}"]]) for key in arguments]
        elif who == "assistant":
            results = [(one, told) for before, one, told in parts if one.startswith("result") and int(before) < int(at)]
            for one, told in [*results, ("", "")]:
                place = [[one.split()[-1], "result", ""]] if one else []
                op = "failed" if '"error"' in told else "opinion"
                found.append((op, int(at), text.replace("\n    ", "\n"), place))
    return [{"message": at, "quote": quote, "op": op, "at": place, "says": None} for op, at, quote, place in found]


def test_what_a_reader_finds_untrue_makes_no_row(cli: command.Command, tasks: RecipeTasks) -> None:
    agent = own_words(agents.of_tasks(tasks, ROWS))
    read_before: dict[str, int] = {}

    def says(asked: dict[str, Any]) -> Any:
        if asked["model"] != "reader":
            return agent(asked)
        told = asked["messages"][-1]["content"]
        beyond = {"message": 0, "quote": "", "op": "beyond", "at": [], "says": None}
        answers: list[Any] = ["nothing", [beyond], _all_claims(told)]
        return json.dumps({"claims": answers[read_before.setdefault(told, len(read_before)) % 3]})

    with fake_server(reply=says) as server:
        read = f", reader: {{model: openai/reader, api_base: '{server.base}'}}"
        assert cli("run", recipe(server.base, model=read, tries=1), "--out", "out").code == 0
        assert {one["temperature"] for one in server.asked if one["model"] == "reader"} == {0.0}
    proofs = lines("proofs.jsonl")
    assert {proof["solved"].get("proof", "") for proof in proofs} == {"", "none", "read"}
    for proof in proofs:
        assert ("by" in proof["solved"]) != (proof["solved"].get("failed") == {"claims": 1})
        assert f"proof_{proof['solved'].get('proof')}" in proof["tags"] or "by" not in proof["solved"]
    assert cli("verify", "out", "--recipe", recipe(model=read, tries=1)).code == 0


@night
def test_one_seed_and_a_warm_cache_give_the_same_bytes_on_any_number_of_workers(
    cli: command.Command, tasks: RecipeTasks
) -> None:
    agent = slipping(own_words(agents.of_tasks(tasks, ROWS)))
    with fake_server(reply=agent) as server:
        settings = ", cache: answers"
        assert cli("run", recipe(server.base, settings=settings), "--out", "out").code == 0
        asked = len(server.asked)
        path = recipe(server.base, settings=settings)
        path.write_text(path.read_text().replace("concurrency: 8", "concurrency: 64"))
        assert cli("run", path, "--out", "wide", "--workers", 2, "--llm-cache-only").code == 0
        assert len(server.asked) == asked
    assert bytes_of("out") == bytes_of("wide")
    by = {proof["solved"].get("by") for proof in lines("proofs.jsonl")}
    assert len(by) > 1  # not always the same try, or none


def test_what_stopped_goes_on_and_nothing_is_asked_twice(cli: command.Command, tasks: RecipeTasks) -> None:
    with fake_server(reply=own_words(agents.of_tasks(tasks, ROWS))) as server:
        stopped = cli("run", recipe(server.base, settings=", budget: {requests: 9}"), "--out", "out")
        assert (stopped.code, len(server.asked)) == (3, 9), stopped.err
        whole = cli("run", recipe(server.base), "--out", "out", "--resume")
        assert whole.code == 0, whole.err
        asked = len(server.asked)
        cli("run", recipe(server.base), "--out", "again")
        assert len(server.asked) == 2 * asked
    assert bytes_of("out") == bytes_of("again")


@night
def test_rows_that_no_try_solves_are_left_out_or_have_the_templates_words(
    cli: command.Command, tasks: RecipeTasks
) -> None:
    sloppy = agents.of_tasks(tasks, ROWS, "no_calls")
    plain = [[entry_of(m) for m in tasks.task(index).row.conversation.messages] for index in range(ROWS)]
    with fake_server(reply=sloppy) as server:
        assert cli("run", recipe(server.base), "--out", "all").code == 0
        assert cli("run", recipe(server.base, keep="right"), "--out", "right").code == 0
    proofs = {proof["index"]: proof for proof in lines("proofs.jsonl", "all")}
    unsolved = {index for index, proof in proofs.items() if "by" not in proof["solved"]}
    assert 0 < len(unsolved) < ROWS
    for place, row in enumerate(lines("openai.jsonl", "all")):
        is_plain = [m["content"] for m in row["messages"]] == [m["content"] for m in plain[place]]
        assert is_plain or place not in unsolved
    assert all(proofs[index]["arguments"] for index in unsolved if "near_miss" not in proofs[index]["scenario"])
    kept = {proof["index"] for proof in lines("proofs.jsonl", "right")}
    assert kept == set(range(ROWS)) - unsolved
    gone = [one for one in lines("rejected.jsonl", "right") if "removed" in one]
    assert {one["index"] for one in gone} == unsolved
    assert all(one["solved"]["tries"] == 2 for one in gone)
    manifest = json.loads(Path("right/manifest.json").read_text())
    assert manifest["tally"]["removed"] == {"solve": {"no try is right": len(unsolved)}}
    for out in ("all", "right"):
        assert cli("verify", out, "--recipe", recipe(keep=out)).code == 0


@night
def test_tries_that_are_not_right_are_what_is_rejected(cli: command.Command, tasks: RecipeTasks) -> None:
    agent = slipping(agents.of_tasks(tasks, ROWS))
    more = ", {name: openai, rows: preference}, {name: trl, rows: preference}"
    with fake_server(reply=agent) as server:
        assert cli("run", recipe(server.base, more=more, tries=4), "--out", "out").code == 0
    pairs = lines("trl-preference.jsonl")
    tried = [one for one in pairs if one["defect"] == "failed_try"]
    assert tried
    assert all(one["chosen"] != one["rejected"] for one in pairs)
    assert cli("validate", "--format", "trl-preference", "out/trl-preference.jsonl").code == 0
    assert cli("validate", "--format", "openai-preference", "out/openai-preference.jsonl").code == 0
    # what is rejected leads to no right end: the rest of the row after it has another score
    rows = {proof["index"]: proof for proof in lines("proofs.jsonl")}
    assert any(rows[index]["solved"]["right"] < 4 for index in rows)


@pytest.mark.parametrize(
    "agent",
    one_in(
        3,
        [
            agents.silent,
            agents.looping,
            agents.unknown_tools,
            agents.many_calls,
            agents.odd_calls,
            agents.huge_arguments,
        ],
    ),
)
def test_bad_models_are_bounded_and_nothing_is_lost(
    cli: command.Command, tasks: RecipeTasks, agent: agents.Agent
) -> None:
    with fake_server(reply=agent) as server:
        ran = cli("run", recipe(server.base, rows=2, tries=1), "--out", "out")
        assert ran.code == 0, ran.err
        assert len(server.asked) <= 2 * 101
    assert len(lines("openai.jsonl")) == 2
    episode = tasks.episode()
    for transcript in read_transcripts(Path("out/transcripts.jsonl")):
        assert not replay(episode, transcript).faults
    assert (Path("out") / "transcripts.jsonl").stat().st_size < 500_000


def test_words_that_no_row_may_hold_make_no_row(cli: command.Command, tasks: RecipeTasks) -> None:
    def hostile(asked: dict[str, Any], good: agents.Agent) -> dict[str, Any]:
        made = good(asked)
        assert isinstance(made, dict)
        return made | {"content": f"{made['content']}<|im_end|>" if made["content"] else None}

    good = agents.of_tasks(tasks, ROWS)
    with fake_server(reply=lambda asked: hostile(asked, good)) as server:
        assert cli("run", recipe(server.base), "--out", "out").code == 0
    assert "<|im_end|>" not in (Path("out") / "openai.jsonl").read_text()
    assert all("by" not in proof["solved"] for proof in lines("proofs.jsonl"))


def _altered(text: str, change: Callable[[dict[str, Any]], None]) -> str:
    first, *rest = text.splitlines()
    line = json.loads(first)
    change(line)
    return "\n".join([json.dumps(line), *rest]) + "\n"


def test_a_transcript_or_score_that_was_altered_is_found(cli: command.Command, tasks: RecipeTasks) -> None:
    with fake_server(reply=agents.of_tasks(tasks, ROWS)) as server:
        assert cli("run", recipe(server.base, rows=2), "--out", "out").code == 0
    path = Path("out/transcripts.jsonl")
    whole = path.read_text()

    def result(line: dict[str, Any]) -> None:
        next(message for message in line["messages"] if message["role"] == "user")["content"] = "Nothing."

    def score(line: dict[str, Any]) -> None:
        line["score"]["reward"] = 0.5

    for change in (result, score):
        path.write_text(_altered(whole, change))
        checked = cli("verify", "out", "--recipe", recipe(rows=2))
        assert checked.code == 1
        assert "row 0, try 0" in checked.out


def test_what_it_costs_is_said_before(cli: command.Command, tasks: RecipeTasks) -> None:
    with fake_server(reply=agents.of_tasks(tasks, ROWS)) as server:
        model = f', model: {{model: openai/better, api_base: "{server.base}", price: {{input: 1, output: 2}}}}'
        path = recipe(server.base, model=model)
        plan = cli("run", path, "--dry-run", "--out", "out")
        assert (plan.code, server.asked) == (0, [])
        assert cli("run", path, "--out", "out").code == 0
        assert f"about {len(server.asked):,} requests" in plan.out
        assert {one["model"] for one in server.asked} == {"better"}
        assert {one["max_tokens"] for one in server.asked} == {4096}
    assert "openai/better" in plan.out


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("backend: {http: 'http://127.0.0.1:1/'}", "solve: a server answers its tools"),
        ("backend: llm", "solve: a model answers the calls"),
        ("twins: true", "solve.keep: families stay whole"),
    ],
)
def test_what_cannot_be_played_is_refused(cli: command.Command, more: str, told: str) -> None:
    path = recipe(keep="right")
    path.write_text(path.read_text() + more + "\n")
    ran = cli("run", path, "--dry-run")
    assert ran.code == 2
    assert told in ran.err


def test_the_recipe_of_the_page_is_read_and_gives_the_player_its_model(cli: command.Command) -> None:
    (keys,) = re.findall(r"```yaml\n(solve:.*?)```", (ROOT / "docs/episodes.md").read_text(encoding="utf-8"), re.DOTALL)
    path = recipe()
    path.write_text(re.sub(r"^(solve|llm): .*\n", "", path.read_text(), flags=re.MULTILINE) + keys)
    plan = cli("run", path, "--dry-run", "--rows", 3)
    assert plan.code == 0, plan.err
    assert re.search(r"^solve +openai/o4-mini ", plan.out, re.MULTILINE)
