"""The Python interface: the bytes of `run`, errors of the one tree, nothing printed, and every example of its page."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages.api import api_page
from tiny_run import tiny_recipe

import generator
from generator import LoadedRecipe, convert, load_recipe, rows, score, validate
from generator.core.errors import FormatError, GeneratorError, RecipeError
from generator.formats.sinks import encode_line
from generator.run.engine.run import run

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "api.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small recipe and its finished run."""
    folder = tmp_path_factory.mktemp("tiny")
    run(tiny_recipe(folder, 12), folder / "out")
    return folder


@pytest.fixture(scope="module")
def recipe(folder: Path) -> LoadedRecipe:
    return load_recipe(folder / "recipe.yaml")


def test_rows_are_those_of_a_run_in_any_order(folder: Path, recipe: LoadedRecipe, capsys: pytest.CaptureFixture[str]):
    told = [json.loads(line) for line in (folder / "out/proofs.jsonl").read_text().splitlines()]
    backwards = [recipe.row(index) for index in reversed(range(12))][::-1]
    for row, again, proof in zip(rows(recipe), backwards, told, strict=True):
        (name, (line,)) = next((name, at) for name, at in proof["lines"].items() if name.startswith("openai"))
        written = (folder / "out" / name).read_bytes().splitlines(keepends=True)[line - 1]
        assert b"".join(map(encode_line, row.to("openai"))) == written
        assert again.to("openai") == row.to("openai")
        assert (row.index, row.scenario, list(row.tags)) == (proof["index"], proof["scenario"], proof["tags"])
        assert len(row.proof.arguments) == len(proof["arguments"])
    assert capsys.readouterr() == ("", "")


def test_records_are_checked_converted_and_scored(recipe: LoadedRecipe):
    row = recipe.row(3)
    record = row.to("deepfabric")[0]
    assert validate(record) == []
    broken = json.loads(json.dumps(record).replace('"role": "user"', '"role": "nobody"'))
    assert validate(broken)[0].rule.startswith("DF")
    assert convert(record, "deepfabric", "openai") == row.to("openai")[0]
    evaluation = row.to("eval")[0]
    assert score([{"name": c["name"], "arguments": c["arguments"]} for c in evaluation["answer"]["calls"]], evaluation["answer"]) == 1  # fmt: skip
    assert score("Hello.", evaluation["answer"]) == 0


def test_a_recipe_as_a_dict_or_by_its_name(folder: Path, recipe: LoadedRecipe):
    said = {"name": "tiny", "seed": 3, "rows": 5, "tools": ["tools.yaml"], "scenarios": ["single", "parallel", "parallel_multiple"]}  # fmt: skip
    made = load_recipe({**said, "calls": 2, "offer": {"distractors": [0, 1]}}, folder)
    assert [row.conversation for row in rows(made)] == [row.conversation for row in rows(recipe, 0, 5)]
    with pytest.raises(RecipeError, match=r"recipe\.json:4: rows: "):
        load_recipe({**said, "rows": "many"}, folder)
    assert load_recipe("parallel").recipe.name == "parallel"


def test_errors_are_of_the_one_tree(folder: Path, recipe: LoadedRecipe):
    for wrong in (
        lambda: load_recipe("no_such_recipe"),
        lambda: load_recipe("llm_arguments"),
        lambda: recipe.row(0).to("opnai"),
        lambda: validate({}, "opnai"),
        lambda: convert({}, "openai", "trl"),
        lambda: score("", {}),
    ):
        with pytest.raises(GeneratorError):
            wrong()
    with pytest.raises(FormatError, match='did you mean "openai"'):
        validate({}, "opnai")
    with pytest.raises(AttributeError):
        generator.nothing  # noqa: B018


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == api_page(), "python docs/pages/api.py > docs/api.md"


ONCE = """
import functools, generator
generator.load_recipe = functools.cache(generator.load_recipe)
"""
"""All examples are about one recipe, which takes seconds to load."""


def test_every_example_of_the_page_runs(tmp_path: Path):
    examples = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(examples) == 4
    corpus = [sys.executable, "-m", "generator", "run", "fuzz_parsers", "--rows", "2", "--format", "hermes", "--quiet"]
    test_file = tmp_path / "test_mine.py"
    test_file.write_text(examples[-1])
    program = tmp_path / "examples.py"
    program.write_text("\n\n".join([ONCE, *examples[:-1]]))
    for command in (corpus, [sys.executable, str(program)], [sys.executable, "-m", "pytest", "-q", str(test_file)]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
