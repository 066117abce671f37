"""`wording: {check: model}`: what a model reads in new words must be the calls of the plan."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Command, command
from llm_server import calls_said, fake_server, obliging, purpose
from tiny_run import TOOLS

from generator.conversation import UserMessage
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.run.stages.read_back import points_of
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
RECIPE = """
name: read
seed: 3
rows: 12
tools: [tools.yaml]
scenarios: [single, parallel, parallel_multiple]
calls: 2
wording: {{source: llm, check: {check}}}
llm: {{model: openai/some, api_base: "{base}", concurrency: 4, price: {{input: 1, output: 1}}}}
"""


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def made(base: str, check: str = "model") -> Path:
        (tmp_path / "tools.yaml").write_text(TOOLS)
        (tmp_path / "r.yaml").write_text(RECIPE.format(base=base, check=check))
        return tmp_path / "r.yaml"

    return made


def requests_of(out: Path) -> list[str]:
    rows = map(json.loads, (out / "deepfabric.jsonl").read_text().splitlines())
    return [message["content"] for row in rows for message in row["messages"] if message["role"] == "user"]


def manifest_of(out: Path) -> Any:
    return json.loads((out / "manifest.json").read_text())


def reading(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[dict[str, Any]], str]:
    """A model that says texts well, and reads other calls in them than are there."""
    return lambda asked: json.dumps(change(calls_said(asked))) if purpose(asked) == "read" else obliging(asked)


def another_value(calls: list[dict[str, Any]]) -> Any:
    key = "times" if "times" in calls[-1]["arguments"] else "litres"
    calls[-1]["arguments"][key] += 1
    return {"calls": calls, "later": []}


WRONG = {
    "another value": another_value,
    "another tool": lambda calls: {"calls": [{**calls[0], "name": "feed_cat"}, *calls[1:]], "later": []},
    "one call less": lambda calls: {"calls": calls[1:], "later": []},
    "one call more": lambda calls: {"calls": [*calls, {"name": "ring_bell", "arguments": {"times": 7}}], "later": []},
    "one more argument": lambda calls: {
        "calls": [{**calls[0], "arguments": {**calls[0]["arguments"], "slowly": True}}, *calls[1:]],
        "later": [],
    },
    "a call afterwards": lambda calls: {"calls": calls, "later": ["ring_bell"]},
    "nothing readable": lambda calls: ["calls"],
}


class TestOneTextOfAPlan:
    def test_what_reads_as_the_plan_stays(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        with fake_server(reply=obliging) as server:
            ran = cli("run", write(server.base), "--out", tmp_path / "out")
            read = [asked for asked in server.asked if purpose(asked) == "read"]
        assert ran.code == 0, ran.err
        assert all(text.startswith("Hi there! ") for text in requests_of(tmp_path / "out"))
        assert len(read) == 12
        assert all("Assistant calls" not in asked["messages"][-1]["content"] for asked in read)  # not the plan
        manifest = manifest_of(tmp_path / "out")
        assert manifest["llm"]["requests"] == len(server.asked) == 33
        assert manifest["tally"]["llm"]["wording"] == {"accepted": 24}

    @pytest.mark.parametrize("wrong", WRONG)
    def test_what_reads_as_anything_else_goes_back(
        self, cli: Command, write: Callable[..., Path], tmp_path: Path, wrong: str
    ):
        with fake_server(reply=reading(WRONG[wrong])) as server:
            ran = cli("run", write(server.base), "--out", tmp_path / "out")
        assert ran.code == 0, ran.err
        assert not any(text.startswith("Hi there! ") for text in requests_of(tmp_path / "out"))
        found = manifest_of(tmp_path / "out")["tally"]["llm"]["wording"]
        assert found == {
            "accepted": 12,
            f"replaced: {'not read back' if 'read' in wrong else 'reads as something else'}": 12,
        }
        assert cli("verify", tmp_path / "out").code == 0

    def test_the_order_of_calls_does_not_matter(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        with fake_server(reply=reading(lambda calls: {"calls": calls[::-1], "later": []})) as server:
            cli("run", write(server.base), "--out", tmp_path / "out")
        assert manifest_of(tmp_path / "out")["tally"]["llm"]["wording"] == {"accepted": 24}

    def test_it_is_off_unless_asked_for(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        with fake_server(reply=obliging) as server:
            cli("run", write(server.base, "words"), "--out", tmp_path / "out")
            assert not [asked for asked in server.asked if purpose(asked) == "read"]

    def test_a_dry_run_counts_it(self, cli: Command, write: Callable[..., Path]):
        out = cli("run", write("http://127.0.0.1:9"), "--dry-run").out
        assert "about 33 requests" in out
        assert "at most    54 requests" in out  # each of the 21 texts that differ is asked for once more
        assert "about 21 requests" in cli("run", write("http://127.0.0.1:9", "words"), "--dry-run").out


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> PreparedRecipe:
    """Some tools of the library, in every scenario that has more than one step or none."""
    files = "".join(
        f"  - {ROOT}/tool_specs/{name}\n" for name in ("travel.yaml", "weather.json", "mail.yaml", "files.yaml")
    )
    names = "sequential, clarify, conditional, confirm, correct, error_recover, irrelevant, multi_turn, retry_later, switch, withheld_tool"
    path = tmp_path_factory.mktemp("recipe") / "r.yaml"
    path.write_text(f"name: r\nseed: 2\nrows: 60\ntools:\n{files}scenarios: [{names}]\n")
    return prepare(load_recipe(path, scenarios=SCENARIOS, formats=FORMATS))


class TestPoints:
    def test_every_text_that_asks_for_something_is_read_and_no_plan_is_shown(self, shipped: PreparedRecipe):
        for index in range(60):
            row = make_row(shipped, index).row
            messages, proof = row.conversation.messages, row.proof
            points = list(points_of(row.conversation, proof))
            read = {index for point in points for index in point.texts}
            fixed = {claim.message for claims in (proof.tells, proof.retracted) for claim in claims}
            users = {at for at, message in enumerate(messages) if isinstance(message, UserMessage)}
            assert users - fixed <= read, (index, row.scenario)
            by_call = {call.id for point in points for call in point.calls}
            asked = {
                wish.call_id
                for wish in proof.wishes
                if wish.mends is wish.unblocks is None and wish.message not in fixed
            }
            wrong = {wish.mends for wish in proof.wishes if wish.mends}
            unmade = {wish.call_id for wish in proof.wishes if wish.unmade is not None}
            assert asked - wrong - unmade <= by_call, (index, row.scenario)
            for point in points:
                shown = {call.id for message in messages[: point.at] for call in getattr(message, "tool_calls", ())}
                assert shown.isdisjoint(call.id for call in point.calls), (index, row.scenario)


def test_other_languages_without_it_are_told_of(cli: Command, write: Callable[..., Path], tmp_path: Path):
    with fake_server(reply=obliging) as server:
        recipe = write(server.base, "words, language: German")
        dry, ran = cli("run", recipe, "--dry-run"), cli("run", recipe, "--out", tmp_path / "out")
        read = cli("run", write(server.base, "model, language: German"), "--out", tmp_path / "read")
    assert "wording.language: German" in dry.out
    assert "note: wording.language: German" in ran.err
    assert "note:" not in read.err
