"""Each use of a model may have one of its own; answers that are no good stop a run; what was asked can be looked at."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Command, command
from llm_server import fake_server, obliging, purpose
from nightly import one_in
from tiny_run import TOOLS

from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.recipe.llm import Llm
from generator.scenarios import SCENARIOS

RECIPE = """
name: uses
seed: 3
rows: {rows}
tools: [tools.yaml]
scenarios: [single, parallel]
calls: 2
{uses}
llm: {{model: openai/usual, api_base: "{base}", concurrency: 4, pool: 4, {llm}}}
"""


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    return command(monkeypatch, capsys)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def made(base: str, uses: str, llm: str = "temperature: 0.5", rows: int = 4) -> Path:
        (tmp_path / "tools.yaml").write_text(TOOLS)
        (tmp_path / "r.yaml").write_text(RECIPE.format(base=base, uses=uses, llm=llm, rows=rows))
        return tmp_path / "r.yaml"

    return made


def loaded(path: Path) -> Recipe:
    return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)


class TestModels:
    ALL = "arguments: {source: llm}\nbackend: llm\njudge: {threshold: 1}"
    LLM = (
        "temperature: 0.5, max_tokens: 300, top_p: 0.9, extra_body: {repetition_penalty: 1.1},"
        " uses: {judge: {model: openai/judges, reasoning_effort: low, temperature: null}, results: {model: openai/results, top_p: 0.8, extra_body: {top_k: 1}},"
        " arguments: {temperature: 1.5, json_mode: json_object}}"
    )

    def test_each_use_has_its_model_and_its_request_fields(
        self, cli: Command, write: Callable[..., Path], tmp_path: Path
    ):
        with fake_server(reply=obliging) as server:
            ran = cli("run", write(server.base, self.ALL, self.LLM, rows=8), "--out", tmp_path / "out")
        assert ran.code == 0, ran.err
        names = ("model", "temperature", "top_p", "reasoning_effort", "top_k", "repetition_penalty", "max_tokens")
        found = {
            (purpose(asked), asked["response_format"]["type"], *[asked.get(name) for name in names])
            for asked in server.asked
        }
        assert found == {
            ("arguments", "json_object", "usual", 1.5, 0.9, None, None, 1.1, 300),
            ("result", "json_schema", "results", 0.5, 0.8, None, 1, None, 300),
            ("judge", "json_schema", "judges", None, 0.9, "low", None, 1.1, 300),
        }

    def test_other_fields_are_another_run(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        with fake_server(reply=obliging) as server:
            judge = "judge: {threshold: 1}"
            assert cli("run", write(server.base, judge), "--out", tmp_path / "out").code == 0
            asked = len(server.asked)
            for llm in ("uses: {judge: openai/other}", "uses: {judge: {top_p: 0.5}}", "extra_body: {top_k: 3}"):
                recipe = write(server.base, judge, f"temperature: 0.5, {llm}")
                assert cli("run", recipe, "--out", tmp_path / "out").code == 2
                assert cli("run", recipe, "--out", tmp_path / "out", "--overwrite").code == 0
                asked += 4
                assert len(server.asked) == asked  # no answer of the others is taken for its own

    def test_each_has_its_key_and_its_address(
        self, cli: Command, write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setenv("JUDGE_KEY", "sk-of-the-judge-123")
        with fake_server(reply=obliging) as server, fake_server(reply=obliging, key="sk-of-the-judge-123") as judging:
            other = f"uses: {{judge: {{model: openai/j, api_base: '{judging.base}', api_key_env: JUDGE_KEY}}}}"
            recipe = write(server.base, "arguments: {source: llm}\njudge: {threshold: 1}", other)
            ran = cli("run", recipe, "--out", tmp_path / "out")
            assert ran.code == 0, ran.err
            assert {purpose(asked) for asked in server.asked} == {"arguments"}
            assert {purpose(asked) for asked in judging.asked} == {"judge"}
            assert {headers["Authorization"] for headers in server.headers} == {"Bearer none"}
        monkeypatch.delenv("JUDGE_KEY")
        assert "JUDGE_KEY is not set" in cli("run", recipe, "--out", tmp_path / "again").err

    @pytest.mark.parametrize(
        ("judge", "base", "price", "effort"),
        [
            ("openai/other", "http://x/v1", False, None),
            ("{temperature: 0}", "http://x/v1", True, "high"),
            ("anthropic/claude", None, False, None),
            ("{model: anthropic/claude, api_base: 'http://y/v1', reasoning_effort: low}", "http://y/v1", False, "low"),
        ],
    )
    def test_what_is_left_out_is_as_usual_unless_it_is_of_another_model(
        self, write: Callable[..., Path], judge: str, base: str | None, price: bool, effort: str | None
    ):
        llm = f"price: {{input: 1, output: 1}}, reasoning_effort: high, max_tokens: 99, uses: {{judge: {judge}}}"
        recipe = loaded(write("http://x/v1", "judge: {}", llm))
        assert recipe.llm is not None
        found = recipe.llm.of("judge")
        assert (found.api_base, found.price is not None, found.reasoning_effort) == (base, price, effort)
        assert found.max_tokens == 99
        assert recipe.llm.of("arguments") is recipe.llm

    def test_a_dry_run_adds_up_what_each_costs(self, cli: Command, write: Callable[..., Path]):
        costs = []
        for price in (1, 3):
            llm = (
                "price: {input: 1, output: 1},"
                f" uses: {{judge: {{model: openai/judges, price: {{input: {price}, output: {price}}}}}}}"
            )
            out = cli("run", write("http://127.0.0.1:9", "judge: {}", llm, rows=1000), "--dry-run").out
            costs.append(float(out.partition("cost       about $")[2].partition(",")[0]))
            assert "judge      openai/judges (http://127.0.0.1:9)" in out
        assert costs[1] == pytest.approx(3 * costs[0], rel=0.01)
        out = cli("run", write("http://127.0.0.1:9", "judge: {}", "uses: {judge: openai/judges}"), "--dry-run").out
        assert "price unknown" in out


class TestNoGood:
    USES = "judge: {threshold: 1}\nbackend: llm"

    @staticmethod
    def useless(asked: dict[str, Any]) -> str:
        return "I would rather talk about ferns." if purpose(asked) == "judge" else obliging(asked)

    @pytest.mark.parametrize("concurrency", one_in(2, [4, 64]))
    def test_a_run_whose_answers_are_no_good_stops_with_an_example(
        self, cli: Command, write: Callable[..., Path], tmp_path: Path, concurrency: int
    ):
        with fake_server(reply=self.useless) as server:
            recipe = write(server.base, self.USES, "unusable_in_a_row: 10", rows=300)
            recipe.write_text(recipe.read_text().replace("concurrency: 4", f"concurrency: {concurrency}"))
            ran = cli("run", recipe, "--out", tmp_path / "out", "--quiet")
            asked = len(server.asked)
        assert ran.code == 3
        assert (
            "none of the last 10 answers of openai/usual for judge can be used. The last one (not JSON) says: I would"
            in ran.err
        )
        assert asked < 600  # two for each score alone, if it went on

    @pytest.mark.parametrize(
        ("behaviour", "key"),
        [
            ({"reply": lambda asked: {"content": None, "reasoning_content": "Hm."}, "cuts": lambda asked: True}, "llm.max_tokens"),
            ({"reply": lambda asked: {"content": ""}}, "llm.json_mode"),
        ],
    )  # fmt: skip
    def test_answers_that_say_nothing_end_it_soon_and_the_key_is_named(
        self, cli: Command, write: Callable[..., Path], tmp_path: Path, behaviour: dict[str, Any], key: str
    ):
        with fake_server(**behaviour) as server:
            recipe = write(server.base, "arguments: {source: llm}", "unusable_in_a_row: 30", rows=30)
            ran = cli("run", recipe, "--out", tmp_path / "out", "--quiet")
            asked = len(server.asked)
        assert ran.code == 3
        assert key in ran.err
        assert asked < 46

    def test_one_that_is_good_in_between_is_enough(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        seen: list[str] = []

        def reply(asked: dict[str, Any]) -> str:
            seen.append(purpose(asked))
            return obliging(asked) if seen.count("judge") % 5 == 0 else self.useless(asked)

        with fake_server(reply=reply) as server:
            recipe = write(server.base, "judge: {threshold: 1}", "unusable_in_a_row: 15", rows=30)
            assert cli("run", recipe, "--out", tmp_path / "out").code == 0
            never = write(server.base, "judge: {threshold: 1}", "unusable_in_a_row: null", rows=30)
            server.fake.reply = self.useless
            assert cli("run", never, "--out", tmp_path / "never").code == 1  # no score at all


class TestShow:
    def test_prompts_and_answers_are_kept_and_shown(self, cli: Command, write: Callable[..., Path], tmp_path: Path):
        def reply(asked: dict[str, Any]) -> str:
            if purpose(asked) == "arguments":
                return json.dumps({"values": [{"none": "of this\x1b"}]})
            return obliging(asked)

        out = tmp_path / "out"
        with fake_server(reply=reply) as server:
            uses = "arguments: {source: llm}\njudge: {threshold: 1}"
            recipe = write(server.base, uses, "uses: {judge: openai/judges}")
            assert cli("run", recipe, "--out", out).code == 0
        shown = cli("llm", "show", out, "--count", 99).out
        assert shown.count("\n== ") + 1 == len(server.asked)
        assert "== judge, openai/judges\n[system]\nYou judge conversations" in shown
        refused = cli("llm", "show", out / "llm-cache.sqlite", "--refused", "--count", 99).out
        assert refused.count("== ") == refused.count("== arguments, openai/usual") == refused.count("[refused: ") > 1
        assert "\x1b" not in refused
        assert cli("llm", "show", out, "--use", "judge").out.count("== judge") == 4
        assert cli("llm", "show", out, "--use", "results").out == "no such answers\n"

    def test_where_there_is_nothing(self, cli: Command, tmp_path: Path):
        ran = cli("llm", "show", tmp_path)
        assert (ran.code, ran.out) == (2, "")
        assert "there are no answers of a model" in ran.err


def test_a_use_without_a_model_of_its_own_has_the_usual_one():
    usual = Llm(model="a/b")
    other = Llm(model="c/d")
    both = Llm(model="a/b", uses={"judge": other})
    assert usual.of("judge") is usual
    assert both.of("judge") is other
    assert both.models == (both, other)
