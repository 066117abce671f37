"""What another model reads in new words must be the calls of the plan and what the results say, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Command, command
from llm_server import calls_said, fake_server, obliging, purpose, question, values_told
from tiny_run import TOOLS

from generator.core.conversation import UserMessage
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.run.stages.points import points_of
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
RECIPE = """
name: read
seed: 3
rows: 12
tools: [tools.yaml]
scenarios: [single, parallel, parallel_multiple]
calls: 2
wording: {{llm: openai/some, reader: openai/other{more}}}
llm: {{model: openai/some, api_base: "{base}", concurrency: 4, unusable_in_a_row: null}}
"""


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def made(base: str, more: str = "") -> Path:
        (tmp_path / "tools.yaml").write_text(TOOLS)
        (tmp_path / "r.yaml").write_text(RECIPE.format(base=base, more=more))
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


def reading_answers(change: Callable[[list[dict[str, Any]]], Any]) -> Callable[[dict[str, Any]], str]:
    """The same for the values of answers."""
    return lambda asked: json.dumps(change(values_told(asked))) if purpose(asked) == "read_answer" else obliging(asked)


def another_value(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    key = "times" if "times" in calls[-1]["arguments"] else "litres"
    calls[-1]["arguments"][key] += 1
    return calls


def only(calls: Any, later: Any = (), beyond: Any = ()) -> dict[str, Any]:
    return {"calls": calls, "later": list(later), "beyond": list(beyond)}


SOMETHING_ELSE: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "another value": lambda calls: only(another_value(calls)),
    "another tool": lambda calls: only([{**calls[0], "name": "feed_cat"}, *calls[1:]]),
    "one call less": lambda calls: only(calls[1:]),
    "one call more": lambda calls: only([*calls, {"name": "ring_bell", "arguments": {"times": 7}}]),
    "one more argument": lambda calls: only(
        [{**calls[0], "arguments": {**calls[0]["arguments"], "slowly": True}}, *calls[1:]]
    ),
    "a call afterwards": lambda calls: only(calls, ["ring_bell"]),
    "something beyond": lambda calls: only(calls, (), ["before noon"]),
    "nothing at all": lambda calls: only([]),
}
UNREADABLE: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "a list": lambda calls: ["calls"],
    "an empty object": lambda calls: {},
    "no word of what is beyond": lambda calls: {"calls": calls, "later": []},
    "null": lambda calls: None,
    "words": lambda calls: "The calls are right. Accept this.",
}
OTHER_ANSWERS: dict[str, Callable[[list[dict[str, Any]]], Any]] = {
    "another field": lambda values: {"values": [{**one, "place": "result/nothing"} for one in values], "beyond": []},
    "the whole result": lambda values: {"values": [{**one, "place": "result"} for one in values], "beyond": []},
    "a call that is not there": lambda values: {"values": [{**one, "call": 99} for one in values], "beyond": []},
    "call number 0": lambda values: {"values": [{**one, "call": 0} for one in values], "beyond": []},
    "the last value is left out": lambda values: {"values": values[:-1], "beyond": []},
    "a value is two things": lambda values: {
        "values": [*values, *[{**one, "place": "arguments/nothing"} for one in values[:1]]],
        "beyond": [],
    },
    "more is told": lambda values: {"values": values, "beyond": ["that it will rain"]},
}


class TestRequests:
    def test_what_reads_as_the_plan_stays(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        with fake_server(reply=obliging) as server:
            ran = cli("run", write(server.base), "--out", tmp_path / "out")
            read = [asked for asked in server.asked if purpose(asked) == "read"]
            answers = [asked for asked in server.asked if purpose(asked) == "read_answer"]
        assert ran.code == 0, ran.err
        assert all(text.startswith("Hi there! ") for text in requests_of(tmp_path / "out"))
        assert len(read) == 12
        assert 0 < len(answers) <= 12
        assert {asked["model"] for asked in [*read, *answers]} == {"other"}  # never the one that rewords
        assert {asked["model"] for asked in server.asked} == {"some", "other"}
        assert all("Assistant calls" not in asked["messages"][-1]["content"] for asked in read)  # not the plan
        manifest = manifest_of(tmp_path / "out")
        assert manifest["llm"]["requests"] == len(server.asked)
        assert manifest["tally"]["llm"]["wording"] == {"accepted": 24}
        assert cli("verify", tmp_path / "out").code == 0

    @pytest.mark.parametrize("wrong", [*SOMETHING_ELSE, *UNREADABLE])
    def test_what_reads_as_anything_else_goes_back(
        self, cli: Command, write: Callable[..., Path], tmp_path: Path, wrong: str
    ):
        with fake_server(reply=reading((SOMETHING_ELSE | UNREADABLE)[wrong])) as server:
            ran = cli("run", write(server.base), "--out", tmp_path / "out")
        assert ran.code == 0, ran.err
        assert not any(text.startswith("Hi there! ") for text in requests_of(tmp_path / "out"))
        fault = "not read back" if wrong in UNREADABLE else "reads as something else"
        assert manifest_of(tmp_path / "out")["tally"]["llm"]["wording"] == {"accepted": 12, f"replaced: {fault}": 12}

    def test_the_order_of_calls_does_not_matter(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        with fake_server(reply=reading(lambda calls: only(calls[::-1]))) as server:
            cli("run", write(server.base), "--out", tmp_path / "out")
        assert manifest_of(tmp_path / "out")["tally"]["llm"]["wording"] == {"accepted": 24}

    def test_a_dry_run_counts_it(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        with fake_server(reply=obliging) as server:
            recipe = write(server.base)
            out = cli("run", recipe, "--dry-run").out
            assert server.asked == []
            cli("run", recipe, "--out", tmp_path / "out", "--quiet")
            assert f"about {len(server.asked)} requests" in out
        assert "reader     openai/other (http://127.0.0.1" in out


class TestAnswers:
    @pytest.mark.parametrize("wrong", [*OTHER_ANSWERS, *UNREADABLE])
    def test_what_reads_as_anything_else_goes_back(
        self, cli: Command, write: Callable[..., Path], tmp_path: Path, wrong: str
    ):
        with fake_server(reply=reading_answers((OTHER_ANSWERS | UNREADABLE)[wrong])) as server:
            ran = cli("run", write(server.base), "--out", tmp_path / "out")
            read = [question(asked) for asked in server.asked if purpose(asked) == "read_answer"]
        assert ran.code == 0, ran.err
        fault = "not read back" if wrong in UNREADABLE else "reads as something else"
        is_about_values = wrong in OTHER_ANSWERS and wrong != "more is told"
        bad = sum("\n1. " in asked or not is_about_values for asked in read)
        found = manifest_of(tmp_path / "out")["tally"]["llm"]["wording"]
        assert bad > 5
        assert found == {"accepted": 12 + len(read) - bad, f"replaced: {fault}": bad}
        assert all(text.startswith("Hi there! ") for text in requests_of(tmp_path / "out"))


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
