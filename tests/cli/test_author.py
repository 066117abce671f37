"""`tools author`: what it costs, what it writes, that it goes on where it stopped, and that files may take a model's place."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import authored
import pytest
import yaml
from command import Command
from llm_server import fake_server

SERVER = Path(__file__).parents[2] / "tool_specs" / "mcp" / "fieldworks.json"


def reply(asked: dict[str, Any]) -> str:
    return authored.reply([(message["role"], message["content"]) for message in asked["messages"]])


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    return authored.source(tmp_path)


def test_a_world_and_scripts_are_written_and_their_recipe_makes_rows(cli: Command, spec: Path, tmp_path: Path):
    with fake_server(reply=reply) as server:
        command = ("tools", "author", spec, "--model", "openai/x", "--api-base", server.base, "--scripts", 3)
        command += ("--judge", "openai/y", "--price", 2, 8)
        stopped = cli(*command, "--requests", 1)
        assert (stopped.code, len(server.asked)) == (3, 1)
        assert "the same command goes on" in stopped.err
        half = cli(*command, "--requests", 5)
        assert half.code == 3
        assert "out_of_it" in (tmp_path / "spokes.scripts.yaml").read_text()  # what there is is written
        done = cli(*command)
        assert done.code == 0, done.err
        asked = len(server.asked)
        once_more = cli(*command)
        assert (once_more.code, len(server.asked)) == (0, asked)  # all from the cache
    assert len({json.dumps([one["model"], one["messages"]]) for one in server.asked}) == asked  # nothing twice
    assert re.match(r"about \d+ requests, .* about \$", done.out)
    assert "world: what 3 of 4 tools return is known\n  draw_view: refused: it draws pictures" in done.out
    assert "the judge: out_of_it: dear tyres" in done.out
    world = (tmp_path / "spokes.world.yaml").read_text()
    assert "19.5" in world  # mended for the judge, too
    assert "32.9" not in world
    assert "engraved:\n" not in done.out
    assert "there is no tool 'engrave_bike'" in done.out
    assert "no script calls reserve_part: none was written" in done.out
    assert f"next: python -m generator run {tmp_path / 'spokes.recipe.yaml'} --rows 20" in done.out
    scripts = yaml.safe_load((tmp_path / "spokes.scripts.yaml").read_text())
    names = [one["script"] for one in scripts["scripts"]]
    assert names[:2] == ["which_bikes", "out_of_it"]
    assert len(set(names)) == len(names)
    assert "Here you are" in scripts["scripts"][0]["turns"][2]["say"][1]  # mended for the judge
    checked = cli("tools", "check", tmp_path / "spokes.scripts.yaml")
    assert checked.code == 0, checked.out
    begun = cli("init", tmp_path / "begun", "--tools", spec)
    assert begun.code == 0, begun.err
    assert "with spokes.world.yaml and spokes.scripts.yaml" in begun.out
    first = cli("run", tmp_path / "begun" / "recipe.yaml", "--rows", 6, "--out", tmp_path / "first")
    assert first.code == 0, first.err
    made = cli("run", tmp_path / "spokes.recipe.yaml", "--rows", 12, "--out", tmp_path / "rows")
    assert made.code == 0, made.err
    files = (tmp_path / "rows").glob("openai.*.jsonl")
    rows = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert len(rows) == 12
    assert any("search_parts" in json.dumps(row["messages"]) for row in rows)


def answered(cli: Command, command: Iterable[object], folder: Path) -> tuple[int, str]:
    """Run a command, and answer its prompts by hand, until it is done."""
    for _ in range(20):
        done = cli(*command)
        if done.code != 3:
            return done.code, done.out
        waiting = [
            Path(line.partition(": ")[2]) for line in done.out.splitlines() if line.startswith("no answer yet: ")
        ]
        assert waiting
        for answer in waiting:
            prompt = answer.with_name(answer.name.replace(".answer.yaml", ".prompt.md")).read_text()
            parts = re.split(r"^\[(system|user|assistant)\]\n", prompt, flags=re.MULTILINE)[1:]
            messages = [(role, text.strip()) for role, text in zip(parts[::2], parts[1::2], strict=True)]
            answer.write_text(authored.reply(messages, faulty=False))
    raise AssertionError("it is never done")


def test_answers_may_come_from_files(cli: Command, spec: Path, tmp_path: Path):
    folder = tmp_path / "asked"
    command = ("tools", "author", spec, "--folder", folder, "--judge", "folder", "--scripts", 3)
    command += ("--out", tmp_path / "new" / "place")  # made where it is not there
    code, out = answered(cli, command, folder)
    assert code == 0
    assert "3 scripts kept" in out
    assert "; 0 dropped" in out
    assert "no script calls" not in out
    assert "origin: model" in (tmp_path / "new" / "place" / "spokes.world.yaml").read_text()
    assert {path.name.partition("-")[0] for path in folder.iterdir()} == {"1", "2", "3", "4"}


def test_prompts_do_not_depend_on_how_a_process_orders_sets(spec: Path, tmp_path: Path):
    (tmp_path / "asked").mkdir()
    (tmp_path / "asked" / "1-world.answer.yaml").write_text(authored.FAULTY_WORLD)
    names = set()
    for seed in ("1", "2"):
        command = [sys.executable, "-m", "generator", "tools", "author", str(spec), "--folder", str(tmp_path / "asked")]
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=False)
        names = {path.name for path in (tmp_path / "asked").glob("1-world-shown-1-*.prompt.md")}
    assert len(names) == 1


def test_tools_that_somebody_has_described_need_no_world(cli: Command, tmp_path: Path):
    known = Path(__file__).parents[2] / "tool_specs" / "smart_home.yaml"
    done = cli("tools", "author", known, "--folder", tmp_path / "asked", "--out", tmp_path, "--scripts", 9)
    assert done.code == 3
    assert {path.name for path in (tmp_path / "asked").iterdir()} == {
        "2-scripts-01.prompt.md",
        "2-scripts-02.prompt.md",
    }
    prompt = (tmp_path / "asked" / "2-scripts-01.prompt.md").read_text()
    assert 'device: {"key":"device_id"' in prompt
    assert "find_devices(" in prompt


def test_the_cost_is_told_before_anybody_is_asked(cli: Command):
    dry = cli("tools", "author", SERVER, "--model", "openai/gpt-4o-mini", "--dry-run")
    assert dry.code == 0
    more = cli("tools", "author", SERVER, "--model", "openai/gpt-4o-mini", "--dry-run", "--scripts", 400)
    few, many = (float(re.search(r"about \$([\d.]+)", done.out)[1]) for done in (dry, more))  # type: ignore[index]
    assert 0 < few < many


def test_batches_have_the_same_written(cli: Command, spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("generator.llm.batches.QUIET", 0.1)
    monkeypatch.setattr("generator.llm.batches.FIRST_PAUSE", 0.02)
    written = []
    with fake_server(reply=reply) as server:
        command = ("tools", "author", spec, "--model", "openai/x", "--api-base", server.base, "--scripts", 9)
        for name, more in (("plain", ()), ("batches", ("--batch",))):
            done = cli(*command, *more, "--out", tmp_path / name)
            assert done.code == 0, done.err
            written.append((tmp_path / name / "spokes.scripts.yaml").read_text().partition("\nscripts:")[2])
        assert max(map(len, server.batches.values())) > 1
    assert written[0] == written[1]


def test_nothing_of_use_is_an_exit_code_of_one(cli: Command, spec: Path, tmp_path: Path):
    with fake_server(reply=lambda asked: "Sorry, I can't do that.") as server:
        done = cli("tools", "author", spec, "--model", "openai/x", "--api-base", server.base, "--scripts", 2)
    assert done.code == 1, done.out
    assert not (tmp_path / "spokes.recipe.yaml").exists()
    assert "a mapping with entities and tools is expected" in done.out


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "--folder"),
        (("--model", "m", "--folder", "f"), "--folder"),
        (("--model", "m", "--judge", "folder"), "--folder"),
    ],
)
def test_who_writes_must_be_said(cli: Command, options: tuple[str, ...], told: str):
    done = cli("tools", "author", SERVER, *options)
    assert (done.code, told in done.err) == (2, True)
