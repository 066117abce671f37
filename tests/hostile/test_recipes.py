"""Recipes that cannot be served: one message that begins with the recipe's file and line."""

import json
import time
from pathlib import Path

import pytest
from command import Command, command

TOOL = {
    "name": "find",
    "description": "Find.",
    "parameters": {"type": "object", "properties": {"a": {"type": "string"}}},
}
RECIPE = "name: r\nrows: 2\ntools: [t.json]\nscenarios: [single]\nformats: [openai]\n"


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.json").write_text(json.dumps([TOOL]))
    return command(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (RECIPE.replace("[single]", "[sequential]"), 4),
        (RECIPE.replace("[single]", "{single: 1, fan_out: 2}\nrequired_scenarios: fan_out"), 4),
        (RECIPE.replace("[single]", "\n  single: 1\n  mixed: 2") + "required_scenarios: [mixed]\n", 6),
        (RECIPE.replace("[single]", "[multiple]"), 4),
        (RECIPE.replace("[single]", "[parallel_multiple]"), 4),
        (RECIPE.replace("[single]", "[multi_file]"), 4),
        (RECIPE.replace("[single]", "[fill_in_the_middle]") + "documents: {files: [.]}\n", 6),
        (RECIPE.replace("[t.json]", "[{file: t.json, only: [fund]}]"), 3),
        (RECIPE.replace("[t.json]", "[{file: t.json, without: [find]}]"), 3),
        (RECIPE + "locale: xx_XX\n", 6),
        (RECIPE + "stories: [s.yaml]\n", 6),
        (RECIPE + "scripts: s.yaml\n", 6),
        (RECIPE + "scripts: {file: s.yaml}\n", 6),
        (RECIPE + "scripts:\n  files:\n  - s.yaml\n", 8),
        (RECIPE + "arguments: {overrides: {'fund#/a': {choose: {a: 1}}}}\n", 6),
        (RECIPE + "arguments: {overrides: {'find#/b': {choose: {a: 1}}}}\n", 6),
        (RECIPE + "arguments: {overrides: {'find#/a': {faker: text, with: {max_nb_chars: 999999999}}}}\n", 6),
        (RECIPE + f"arguments: {{overrides: {{'find#/a': {{file: '{'x' * 300}.txt'}}}}}}\n", 6),
        (RECIPE + 'llm: {model: m, cache: "a\\0b"}\njudge: {}\n', 6),
        (RECIPE + "llm: {model: m, cache: /dev/null}\njudge: {}\n", 6),
    ],
)
def test_a_message_begins_with_file_and_line(cli: Command, tmp_path: Path, text: str, line: int):
    (tmp_path / "r.yaml").write_text(text)
    begun = time.process_time()
    ran = cli("run", "r.yaml", "--quiet", "--executor", "serial")
    assert time.process_time() - begun < 10
    assert ran.code == 2
    assert ran.err.startswith(f"r.yaml:{line}: "), ran.err
    assert len(ran.err) < 2000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.yaml", "t.json"]


@pytest.mark.parametrize(
    "text",
    [
        RECIPE + "".join(f"unknown{number}: 1\n" for number in range(5_000)),
        RECIPE.replace("[openai]", f"[{', '.join(f'unknown{number}' for number in range(10_000))}]"),
        RECIPE.replace("[openai]", f"[{', '.join(['openai'] * 10_000)}]"),
        RECIPE.replace("[single]", f"[{', '.join(f'unknown{number}' for number in range(4_000))}]"),
        RECIPE.replace("[t.json]", f"[{', '.join(f'no{number}.yaml' for number in range(5_000))}]"),
        RECIPE + f"{'k' * 100_000}: 1\n",
        RECIPE.replace("name: r", f"name: {'n' * 100_000}"),
    ],
    ids=["keys", "formats", "one format", "scenarios", "tools", "a long key", "a long name"],
)
def test_a_recipe_with_very_many_faults_is_told_shortly_and_soon(cli: Command, tmp_path: Path, text: str):
    (tmp_path / "r.yaml").write_text(text)
    begun = time.process_time()
    ran = cli("run", "r.yaml", "--quiet")
    assert time.process_time() - begun < 15
    assert ran.code == 2
    assert ran.err.startswith("r.yaml:")
    assert len(ran.err) < 2000
