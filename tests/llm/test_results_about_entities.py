"""Whole runs with `backend: llm` and tools that act on entities: a model fills in what is open, and changes nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command import Command, command
from llm_server import fake_server, question
from nightly import night

SPECS = Path(__file__).parents[2] / "tool_specs"
RECIPE = f"""
name: open
seed: 3
rows: 24
tools: [{SPECS}/maps.yaml, {SPECS}/travel.yaml, {SPECS}/files.yaml]
scenarios: [single, parallel, sequential]
calls: 2
formats: [deepfabric]
"""
ASKED = "backend: llm\nllm: {{model: openai/some, api_base: '{base}', concurrency: 4}}\n"


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


def reversing(asked: dict[str, Any]) -> str:
    """The example with every text of several words in it reversed, whether it is open or not."""
    found = re.search(r"as they\nare here:\n(.*?)\n\nMake better", question(asked), re.DOTALL)
    assert found is not None
    return json.dumps(reversed_texts(json.loads(found[1])))


def reversed_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: reversed_texts(part) for key, part in value.items()}
    if isinstance(value, list):
        return [reversed_texts(part) for part in value]
    return value[::-1] if isinstance(value, str) and " " in value else value


def results(out: Path) -> Iterator[str]:
    for line in (out / "deepfabric.jsonl").read_text().splitlines():
        yield from (message["content"] for message in json.loads(line)["messages"] if message["role"] == "tool")


def states(out: Path) -> list[str]:
    return [json.loads(line).get("state", "") for line in (out / "proofs.jsonl").read_text().splitlines()]


@night
def test_a_model_fills_in_what_is_open_and_nothing_else(cli: Command, tmp_path: Path):
    recipe, out = tmp_path / "r.yaml", tmp_path / "asked"
    recipe.write_text(RECIPE)
    assert cli("run", recipe, "--out", tmp_path / "plain").code == 0
    with fake_server(reply=reversing) as server:
        recipe.write_text(RECIPE + ASKED.format(base=server.base))
        dry = cli("run", recipe, "--dry-run").out
        ran = cli("run", recipe, "--out", out)
        assert ran.code == 0, ran.err
        asked = len(server.asked)
    counted = json.loads((out / "manifest.json").read_text())["tally"]["llm"]["results"]
    assert sum(counted.values()) == len(list(results(out))) > counted["not asked: nothing is left open"] > 0
    kept = counted["accepted"] + counted["accepted in part"]
    assert kept > 2
    assert "of the calls leave the model nothing to make" in dry
    assert asked >= kept
    assert (
        sum(a != b for a, b in zip(results(out), results(tmp_path / "plain"), strict=True)) >= kept
    )  # later results repeat what the model said
    assert states(out) == states(tmp_path / "plain")
    before = (out / "deepfabric.jsonl").read_bytes()
    assert cli("run", recipe, "--out", out, "--overwrite", "--llm-cache-only").code == 0
    assert (out / "deepfabric.jsonl").read_bytes() == before
