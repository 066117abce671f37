"""Schemas that hold themselves, that multiply, and that are not for objects: rows, or one refusal by name, and soon."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from command import Command, Ran, command
from hostile.schemas import ENDLESS, LARGE, NO_OBJECTS, OBJECTS_AT_LEAST, REFUSED
from nightly import night, one_in

LONGEST = 10
"""Seconds of CPU; a hang takes longer, and a slow machine does not matter."""
PLAIN = {"type": "object", "properties": {"a": {"type": "string"}}}


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


def run(cli: Command, folder: Path, part: str, schema: Any) -> Ran:
    function = {"name": "find", "description": "Find.", "parameters": schema if part == "parameters" else PLAIN}
    tool = {"type": "function", "function": function, "returns": schema if part == "returns" else PLAIN}
    (folder / "t.json").write_text(json.dumps([tool]))
    (folder / "r.yaml").write_text("name: r\nrows: 3\ntools: [t.json]\nscenarios: [single]\nformats: [openai]\n")
    begun = time.process_time()
    ran = cli("run", folder / "r.yaml", "--out", folder / "o", "--executor", "serial", "--quiet")
    assert time.process_time() - begun < LONGEST
    return ran


AT_NIGHT = ("12 levels of four that may be left out", "twelve that hold each other")
"""Results of these take seconds; those of smaller ones are made in each run, and arguments of all."""


@pytest.mark.parametrize(
    ("name", "part"),
    [
        pytest.param(name, part, marks=[night] * (part == "returns" and name in AT_NIGHT))
        for name in (*ENDLESS, *LARGE)
        for part in ("parameters", "returns")
    ],
)
def test_what_can_end_makes_rows(cli: Command, tmp_path: Path, name: str, part: str):
    ran = run(cli, tmp_path, part, (ENDLESS | LARGE)[name])
    assert (ran.code, ran.err) == (0, "")
    assert (tmp_path / "o" / "openai.jsonl").stat().st_size < 1_000_000


@pytest.mark.parametrize("part", ["parameters", "returns"])
@pytest.mark.parametrize("name", one_in(2, REFUSED))
def test_what_cannot_is_refused_by_name(cli: Command, tmp_path: Path, name: str, part: str):
    ran = run(cli, tmp_path, part, REFUSED[name])
    assert ran.code == 2
    assert "t.json:1: " in ran.err
    assert len(ran.err) < 2000


@pytest.mark.parametrize("name", NO_OBJECTS)
def test_parameters_that_are_for_no_object_are_refused(cli: Command, tmp_path: Path, name: str):
    ran = run(cli, tmp_path, "parameters", NO_OBJECTS[name])
    assert ran.code == 2
    assert "t.json:1: find: parameters: /type: the arguments of a call are an object" in ran.err


@pytest.mark.parametrize("name", OBJECTS_AT_LEAST)
def test_parameters_that_allow_an_object_are_for_objects(cli: Command, tmp_path: Path, name: str):
    assert run(cli, tmp_path, "parameters", OBJECTS_AT_LEAST[name]).code == 0
