"""Scripts that a model writes in a run: as many as the rows need, of given topics, by several models, once and for all."""

import json
import re
from pathlib import Path
from typing import Any

import authored
import pytest
import yaml
from command import Command, command
from llm_server import fake_server

_WANTED = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_ASKS = (
    "I need it today",
    "My wife asks",
    "The shop wants to know",
    "Before we leave",
    "It is for the club",
    "No hurry",
    "As ever",
    "For the list",
)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


def reply(asked: dict[str, Any]) -> str:
    """Answer each of the scripts that are asked for with one of its own words; one in four does not hold."""
    messages = [(message["role"], message["content"]) for message in asked["messages"]]
    text = messages[-1][1]
    if "Describe its world." in text or "What is wrong with it:" in text:
        return authored.reply(messages, faulty=False)
    if text.startswith("These do not hold yet."):
        return "[]"
    wanted = _WANTED.findall(text.rpartition("\n\n")[2]) or _WANTED.findall(text)
    found = []
    for number, line in wanted:
        name = f"s{number}_{sum(map(ord, line))}"
        words = _ASKS[int(number) % len(_ASKS)]
        about = line.rpartition("occasion: ")[2].strip(".")
        own = "".join([chr(ord("a") + int(digit)) for digit in str(asked.get("seed", 0) + int(number))])
        script = authored.GOOD.replace("which_bikes", name).replace(
            "Which bikes", f"{words}, about {about} of {own.title()}: which bikes"
        )
        found.append(script if int(number) % 4 else authored.HOPELESS)
    return "\n".join(["```yaml", *found, "```"])


def recipe(folder: Path, base: str, scripts: str, rows: int = 6, more: str = "") -> Path:
    authored.source(folder)
    path = folder / "mine.yaml"
    path.write_text(
        f"name: mine\nrows: {rows}\ntools: [spokes.json]\nscenarios: {{script: 1}}\nformats: [openai]\n"
        f"llm: {{model: openai/x, api_base: '{base}'{more}}}\nscripts: {scripts}\n"
    )
    return path


def rows_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "openai.jsonl").read_text().splitlines()]


def test_each_row_is_a_conversation_that_a_model_wrote_and_the_same_run_asks_nobody(cli: Command, tmp_path: Path):
    out, again = tmp_path / "out", tmp_path / "again"
    with fake_server(reply=reply) as server:
        path = recipe(
            tmp_path, server.base, "{model: openai/x, per_script: 1, topics: [a lost key, a race in the rain]}"
        )
        plan = cli("run", path, "--out", out, "--dry-run")
        assert (plan.code, server.asked) == (0, [])
        assert re.search(r"scripts +about \d+ requests", plan.out)
        done = cli("run", path, "--out", out)
        assert done.code == 0, done.err
        number = len(server.asked)
        assert number
    made = (out / "proofs.jsonl").read_text().splitlines()
    scripts = [tag for line in made for tag in json.loads(line)["tags"] if tag.startswith("script:")]
    assert len(scripts) == len(set(scripts)) == 6
    assert len(rows_of(out)) == 6
    written = " ".join((out / "scripts.yaml").read_text().split())
    assert "a lost key" in written
    assert "a race in the rain" in written
    (again / "out").mkdir(parents=True)
    (again / "out" / "llm-cache.sqlite").write_bytes((out / "llm-cache.sqlite").read_bytes())
    path = recipe(
        again, "http://127.0.0.1:9", "{model: openai/x, per_script: 1, topics: [a lost key, a race in the rain]}"
    )
    done = cli("run", path, "--out", again / "out", "--llm-cache-only")
    assert done.code == 0, done.err
    assert (again / "out" / "openai.jsonl").read_bytes() == (out / "openai.jsonl").read_bytes()
    assert cli("verify", out, "--recipe", tmp_path / "mine.yaml").code == 0


def test_several_models_write_by_their_weights_and_topics_stand_in_a_file(cli: Command, tmp_path: Path):
    (tmp_path / "topics.txt").write_text("# what it is about\nthe spring check\n\na stolen wheel\n")
    writers = "[{model: openai/a, weight: 3}, {model: openai/b}]"
    with fake_server(reply=reply) as server:
        path = recipe(
            tmp_path, server.base, f"{{writers: {writers}, per_script: 1, topics: topics.txt, people: [a nurse]}}", 24
        )
        done = cli("run", path, "--out", tmp_path / "out")
        assert done.code == 0, done.err
        asked = server.asked
    models = [one["model"] for one in asked]
    assert models.count("a") > models.count("b") > 0
    wanted = [line for one in asked for _, line in _WANTED.findall(str(one["messages"][-1]["content"]))]
    about = [line for line in wanted if "The person" in line]
    assert about
    assert all("a nurse" in line and ("the spring check" in line or "a stolen wheel" in line) for line in about)


def test_a_budget_stops_it_and_the_same_command_goes_on(cli: Command, tmp_path: Path):
    with fake_server(reply=reply) as server:
        path = recipe(tmp_path, server.base, "{model: openai/x, per_script: 2}", more=", budget: {requests: 1}")
        stopped = cli("run", path, "--out", tmp_path / "out")
        assert (stopped.code, len(server.asked)) == (3, 1)
        assert "All answers so far are kept" in stopped.err
        path = recipe(tmp_path, server.base, "{model: openai/x, per_script: 2}")
        done = cli("run", path, "--out", tmp_path / "out")
        assert done.code == 0, done.err
        assert len({json.dumps(one["messages"]) for one in server.asked}) == len(server.asked)


_TRIPS = ", ".join([f"a trip to {chr(ord('A') + n)}olden" for n in range(23)])
_MANY = f"{{model: openai/x, per_script: 1, people: [a nurse], topics: [{_TRIPS}]}}"


def test_rows_are_made_while_scripts_are_asked_for_and_do_not_depend_on_when_answers_come(
    cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("generator.run.engine.run.ASKED_BLOCK_ROWS", 4)
    made: dict[str, bytes] = {}
    for name, latency, more in (("plain", (0.0, 0.0), ""), ("uneven", (0.0, 0.4), ", concurrency: 64")):
        with fake_server(reply=reply, latency=latency, seed=3) as server:
            (tmp_path / name).mkdir()
            path = recipe(tmp_path / name, server.base, _MANY, 20, more)
            done = cli("run", path, "--out", tmp_path / name / "out", "--workers", "2")
            assert done.code == 0, done.err
        made[name] = (tmp_path / name / "out" / "openai.jsonl").read_bytes()
    with fake_server(reply=reply) as server:
        (tmp_path / "cut").mkdir()
        out = tmp_path / "cut" / "out"
        path = recipe(tmp_path / "cut", server.base, _MANY, 20, ", concurrency: 1, budget: {requests: 7}")
        stopped = cli("run", path, "--out", out)
        assert stopped.code == 3
        kept = re.search(r"([0-9]+) of 20 rows and all answers of the model are kept", stopped.err)
        assert kept is not None
        assert 0 < int(kept[1]) < 20
        assert [*(out / ".parts").glob("*.part")]
        path = recipe(tmp_path / "cut", server.base, _MANY, 20)
        done = cli("run", path, "--out", out)
        assert done.code == 0, done.err
        assert len({json.dumps(one["messages"]) for one in server.asked}) == len(server.asked)
        longer = cli("run", recipe(tmp_path / "cut", server.base, _MANY, 28), "--out", out)
        assert longer.code == 0, longer.err
    made["cut"] = (out / "openai.jsonl").read_bytes()
    assert made["plain"] == made["uneven"]
    assert made["cut"].startswith(made["plain"])
    assert made["cut"].count(b"\n") == 28
    assert cli("verify", out, "--recipe", tmp_path / "cut" / "mine.yaml").code == 0


def test_scripts_come_in_batches_of_requests(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("generator.llm.batches.QUIET", 0.1)
    monkeypatch.setattr("generator.llm.batches.FIRST_PAUSE", 0.02)
    with fake_server(reply=reply) as server:
        done = cli(
            "run", recipe(tmp_path, server.base, _MANY, 20, ", concurrency: 1, batch: true"), "--out", tmp_path / "out"
        )
        assert done.code == 0, done.err
        assert sum(map(len, server.batches.values())) == len(server.asked)
        assert max(map(len, server.batches.values())) > 1
    assert len(rows_of(tmp_path / "out")) == 20


def test_scripts_that_do_not_hold_are_told(cli: Command, tmp_path: Path):
    with fake_server(
        reply=lambda asked: authored.reply([(one["role"], one["content"]) for one in asked["messages"]])
    ) as server:
        path = recipe(tmp_path, server.base, "{model: openai/x, per_script: 1}", 10)
        done = cli("run", path, "--out", tmp_path / "out")
    assert done.code == 2
    assert "8 scripts are needed beside the 2 that hold" in done.err
    assert "which_bikes: it is the same as another one" in done.err
    assert "there is no tool 'engrave_bike'" in done.err


def test_scripts_of_named_files_count(cli: Command, tmp_path: Path):
    with fake_server(reply=reply) as server:
        path = recipe(tmp_path, server.base, "{model: openai/x, per_script: 1}", 3)
        assert cli("run", path, "--out", tmp_path / "out").code == 0
        asked = len(server.asked)
        world = yaml.safe_load((tmp_path / "out" / "world.0.yaml").read_text())
        assert "bike" in world["entities"]
        path.write_text(
            path.read_text()
            .replace("[spokes.json]", "[{file: spokes.json, overlay: [out/world.0.yaml]}]")
            .replace("scripts: {model", "scripts: {files: [out/scripts.yaml], model")
        )
        done = cli("run", path, "--out", tmp_path / "more")
        assert done.code == 0, done.err
        assert len(server.asked) == asked


@pytest.mark.parametrize(
    ("scripts", "told"),
    [
        ("{per_script: 0, model: a/b}", "at least 1 is expected"),
        ("{writers: [{weight: 1}]}", "model"),
        ("{writers: [{model: a/b, weight: 0}]}", "more than 0 is expected"),
        ("{model: a/b, topics: none.txt}", "none.txt"),
        ("{max_rows_a_script: 3}", "it is called per_script now"),
    ],
)
def test_mistakes_are_told_with_their_place(cli: Command, tmp_path: Path, scripts: str, told: str):
    done = cli("run", recipe(tmp_path, "http://127.0.0.1:9", scripts), "--out", tmp_path / "out")
    assert done.code == 2
    assert told in done.err
    assert "mine.yaml:7" in done.err or "none.txt" in done.err


def test_the_shipped_recipe_is_estimated_and_stops_at_a_wrong_key(cli: Command, monkeypatch: pytest.MonkeyPatch):
    plan = cli("run", "llm_scripts", "--dry-run")
    assert plan.code == 0, plan.err
    assert re.search(r"scripts +about \d+ requests, .* about \$", plan.out)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = cli("run", "llm_scripts", "--out", "/dev/null/out")
    assert done.code != 0


def test_without_a_run_there_are_none(cli: Command, tmp_path: Path):
    path = recipe(tmp_path, "http://127.0.0.1:9", "{model: openai/x, share: 0.5}")
    done = cli("episodes", "play", path, "--model", "openai/y", "--dry-run")
    assert done.code == 2, done.err
    assert "a model has a part in the rows of this recipe" in done.err
    done = cli("run", path, "--out", tmp_path / "out", "--shard", "1/2")
    assert done.code == 2
    assert "--shard: this recipe asks a model" in done.err


@pytest.mark.parametrize("key", ["unique: requests", "dedup: {rows: true, requests: true}", "max_share: {scenario: 1}"])
def test_rows_are_looked_at_across_blocks(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str):
    monkeypatch.setattr("generator.run.engine.run.ASKED_BLOCK_ROWS", 4)
    with fake_server(reply=reply) as server:
        path = recipe(tmp_path, server.base, "{model: openai/x, per_script: 8}", 24)
        path.write_text(f"{path.read_text()}{key}\n")
        done = cli("run", path, "--out", tmp_path / "out")
        assert done.code == 0, done.err
    rows = rows_of(tmp_path / "out")
    requests = [next(one["content"] for one in row["messages"] if one["role"] == "user") for row in rows]
    removed = [line for line in (tmp_path / "out" / "rejected.jsonl").read_text().splitlines() if "removed" in line]
    assert len(rows) == 24 - len(removed)
    assert key.startswith("max_share") or len(set(requests)) == len(requests)
    assert key.startswith("unique") or cli("verify", tmp_path / "out", "--recipe", path).code == 0
