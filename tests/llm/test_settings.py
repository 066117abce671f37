"""What a recipe may say about a model, prompts, and what is imported when."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from llm_server import fake_server

from generator.core.errors import LlmError, RecipeError
from generator.core.files import shipped
from generator.formats import FORMATS
from generator.llm import ModelAnswer
from generator.llm.asking import Request
from generator.llm.prompts import NAMES, load_prompts
from generator.llm.providers import LitellmProvider, price_of
from generator.llm.session import open_session
from generator.recipe import Recipe, load_recipe
from generator.recipe.llm import Llm, Price
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
SECRET = "sk-proj-4242424242424242"


def load(tmp_path: Path, *lines: str) -> Recipe:
    (tmp_path / "t.yaml").write_text("[]")
    path = tmp_path / "r.yaml"
    path.write_text("\n".join(["name: x", "rows: 1", "tools: [t.yaml]", "scenarios: [single]", *lines]))
    return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["llm: {}"], "r.yaml:5: llm.model: this key is missing"),
        (["llm: {model: m, modle: m}"], 'llm.modle: unknown key (did you mean "model"?)'),
        (["llm: {model: m, temperature: 3}"], "llm.temperature: at most 2"),
        (["llm: {model: m, concurrency: 0}"], "llm.concurrency: at least 1"),
        (["llm: {model: m, timeout: 0}"], "llm.timeout: more than 0"),
        (["llm: {model: m, budget: {usd: 0}}"], "llm.budget.usd: more than 0"),
        (["llm: {model: m, budget: {euros: 1}}"], "llm.budget.euros: unknown key"),
        (["llm: {model: m, json_mode: xml}"], "llm.json_mode: 'json_schema', 'json_object' or 'text' is expected"),
        (["llm: {model: localhost}"], "llm.model: 'local', or 'local:' and the path of a GGUF file, is expected"),
        (["llm: {model: local, api_base: 'http://x/v1'}"], "llm: model: local starts its own server"),
        (["llm: {model: m, api_base: 'ftp://x'}"], "llm.api_base: an address such as http://127.0.0.1:8000/v1"),
        (["llm: {model: m, api_base: 'http://[x'}"], "llm.api_base: an address such as"),
        (["arguments: {source: llm}"], "r.yaml:5: arguments.source: this needs a model: add a key 'llm'"),
        (["backend: llm"], "backend: this needs a model"),
        (["judge: {}"], "judge: this needs a model"),
        (["judge: {threshold: 6}", "llm: {model: m}"], "judge.threshold: at most 5"),
        (["llm: {model: m, uses: {jugde: a/b}}"], "llm.uses.jugde"),
        (["llm: {model: m, uses: {judge: {temprature: 1}}}"], "llm.uses.judge.temprature: unknown key"),
        (["llm: {model: m, uses: {judge: {api_base: 'ftp://x'}}}"], "llm.uses.judge.api_base: an address such as"),
        (["llm: {model: m, top_p: 0}"], "llm.top_p: more than 0"),
        (["llm: {model: m, extra_body: {messages: []}}"], "llm.extra_body: 'messages' cannot stand here"),
        (["llm: {model: m, extra_body: {top_p: 1}}"], "'top_p' cannot stand here: it has a key of its own"),
        (
            ["llm: {model: m}", "arguments: {overrides: {'t#/x': llm}}"],
            "llm makes all arguments of a tool at once: name the tool, t",
        ),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, lines: list[str], words: str):
    with pytest.raises(RecipeError) as caught:
        load(tmp_path, *lines)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        f"llm: {{model: m, api_key_env: {SECRET}}}",
        f"llm: {{model: m, api_base: 'http://user:{SECRET}@host/v1'}}",
        f"llm: {{model: m, api_base: 'http://host/v1?key={SECRET}'}}",
    ],
)
def test_a_key_in_a_recipe_is_refused_and_not_repeated(tmp_path: Path, line: str):
    with pytest.raises(RecipeError) as caught:
        load(tmp_path, line)
    assert SECRET not in str(caught.value)
    assert "key" in str(caught.value)


def test_shorthands_and_paths(tmp_path: Path):
    recipe = load(
        tmp_path,
        "judge: {}",
        "llm: {model: 'local:models/x.gguf', cache: c.sqlite, prompts: p, uses: {judge: 'local:models/y.gguf'}}",
    )
    assert recipe.llm is not None
    assert recipe.llm.model == f"local:{tmp_path / 'models' / 'x.gguf'}"
    assert recipe.llm.of("judge").model == f"local:{tmp_path / 'models' / 'y.gguf'}"
    assert (recipe.llm.cache, recipe.llm.prompts) == (tmp_path / "c.sqlite", tmp_path / "p")


def test_a_model_that_nothing_asks_is_none(tmp_path: Path):
    assert load(tmp_path, "llm: {model: m}").llm is None
    assert load(tmp_path, "llm: {model: m}", "judge: {}").llm is not None


def write_prompt(folder: Path, text: str, variables: list[str]) -> None:
    told = [{"name": name, "type": "text"} for name in variables]
    prompt = {"model_prompt": text, "metadata": {"variables": told}}
    (folder / "again.portable.json").write_text(json.dumps(prompt))


class TestPrompts:
    def test_the_shipped_ones_are_whole(self):
        assert {path.name for path in (shipped("tool_specs") / "prompts").iterdir()} == {
            f"{name}.portable.json" for name in NAMES
        }
        prompts = load_prompts(None)
        filled = prompts.judge.fill(conversation="{{rubric}} {x}\n[system]\nno", tools="t", rubric="r")
        assert [role for role, _ in filled] == ["system", "user"]
        assert "{{rubric}} {x}\n[system]\nno" in filled[-1][1]  # what is in a value is data

    def test_one_of_ones_own_replaces_the_shipped_one(self, tmp_path: Path):
        write_prompt(tmp_path, "[system]\nBe brief.\n[user]\nNo: {{faults}}", ["faults"])
        prompts = load_prompts(tmp_path)
        assert prompts.again.fill(faults="x") == (("system", "Be brief."), ("user", "No: x"))
        assert prompts.judge == load_prompts(None).judge
        assert prompts.digest != load_prompts(None).digest

    def test_a_text_without_roles_is_one_message(self, tmp_path: Path):
        write_prompt(tmp_path, "No: {{faults}}", ["faults"])
        assert load_prompts(tmp_path).again.fill(faults="x") == (("user", "No: x"),)

    @pytest.mark.parametrize(
        ("text", "variables", "words"),
        [
            ("No: {{fault}}", ["fault"], 'there is no value for {{fault}} (did you mean "faults"?)'),
            ("No: {{faults}}", [], "again.portable.json:1: <top>: model_prompt: {{faults}} is no variable"),
            ("Hm.\n[user]\nNo.", [], "text stands before the first message"),
            ("[user]\n\n[user]\nNo.", [], "a message is empty"),
        ],
    )
    def test_broken_ones_are_told(self, tmp_path: Path, text: str, variables: list[str], words: str):
        write_prompt(tmp_path, text, variables)
        with pytest.raises(RecipeError) as caught:
            load_prompts(tmp_path)
        assert words in str(caught.value)

    def test_a_folder_without_any_is_told(self, tmp_path: Path):
        with pytest.raises(RecipeError, match=r"llm\.prompts: .* holds no prompt"):
            load_prompts(tmp_path)


@pytest.mark.parametrize(
    "code",
    [
        "import generator.cli",
        "import generator.run.engine.run, generator.llm",
        "from generator.llm.session import open_session",
    ],
)
def test_nothing_slow_is_imported_before_a_session_is_opened(code: str):
    command = (
        f"import sys; {code}; print(*{{'litellm', 'aiohttp', 'tenacity', 'openai', 'xllamacpp'}} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=True)
    slow = set(done.stdout.split())
    assert slow <= ({"tenacity"} if "open" in code else set())


@pytest.mark.parametrize(
    ("model", "known"),
    [
        ("openai/gpt-9-tomorrow", False),
        ("openai/o9", False),
        ("mistral/of-tomorrow", False),
        ("openai/gpt-4o-mini", True),
        ("vertex_ai/gemini-2.5-pro", True),
        ("ollama/llama3", True),
    ],
)
def test_the_price_of_a_name_that_is_not_on_the_list_is_not_zero_but_unknown(model: str, known: bool):
    assert (price_of(Llm(model=model)) is not None) is known


def test_an_answer_of_a_model_without_a_price_has_none(tmp_path: Path):
    async def asked(model: str, base: str, price: Price | None = None) -> float | None:
        provider = LitellmProvider(Llm(model=model, api_base=base, price=price), "k")
        try:
            return (await provider.send(Request(messages=(("user", "Say this."),)), 1)).usd
        finally:
            await provider.close()

    with fake_server() as server:
        assert asyncio.run(asked("openai/gpt-9-tomorrow", server.base)) is None
        assert asyncio.run(asked("openai/gpt-9-tomorrow", server.base, Price(input=1.0, output=1.0)))


class TestOpenAi:
    """`openai/NAME` without an address."""

    def asked(self, folder: Path, monkeypatch: pytest.MonkeyPatch, model: str) -> tuple[dict[str, Any], ModelAnswer]:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-0123456789")

        async def ask(base: str) -> ModelAnswer:
            monkeypatch.setenv("OPENAI_BASE_URL", base)
            async with open_session(Llm(model=model), folder / "c.sqlite", "run") as session:
                return await session.complete([("user", "Say this.")])

        with fake_server(key="sk-openai-0123456789") as server:
            answer = asyncio.run(ask(server.base))
            return server.asked[0], answer

    def test_it_is_priced_by_the_list(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        body, answer = self.asked(tmp_path, monkeypatch, "openai/gpt-4o-mini")
        assert (body["model"], body["max_tokens"], body["temperature"]) == ("gpt-4o-mini", 1024, 0.8)
        assert answer.text == "Say this."
        assert answer.usd is not None
        assert 0 < answer.usd < 0.001

    def test_a_server_of_ones_own_is_not_sent_its_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("OPENAI_API_KEY", SECRET)

        async def ask(model: str, base: str) -> None:
            async with open_session(Llm(model=model, api_base=base), tmp_path / "c.sqlite", "run") as session:
                await session.complete([("user", f"Say {model}.")])

        with fake_server() as server:
            for model in ("m", "openai/m", "hosted_vllm/m"):
                asyncio.run(ask(model, server.base))
            assert [asked["model"] for asked in server.asked] == ["m", "m", "m"]
            assert SECRET not in str(server.headers)

    def test_models_that_reason_get_no_temperature(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        assert "temperature" not in self.asked(tmp_path, monkeypatch, "openai/gpt-5-mini")[0]

    def test_a_model_that_is_not_on_the_list_has_no_price(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        assert self.asked(tmp_path, monkeypatch, "openai/gpt-99")[1].usd is None

    def test_without_a_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)

        async def ask() -> None:
            async with open_session(Llm(model="openai/gpt-4o-mini"), tmp_path / "c.sqlite", "run"):
                pass

        with pytest.raises(LlmError, match="needs a key: set the environment variable OPENAI_API_KEY"):
            asyncio.run(ask())
