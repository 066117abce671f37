"""`run --shard` and `merge`: what they say and return."""

import json
from pathlib import Path

import pytest
from command import Command

import generator.run.engine.merge
import generator.run.engine.run

FILES = ["README.md", "deepfabric.jsonl", "manifest.json", "openai.jsonl", "proofs.jsonl", "rejected.jsonl"]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "JOB_COMPLETION_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(generator.run.engine.run, "BLOCK_ROWS", 1)
    monkeypatch.setattr(generator.run.engine.merge, "BLOCK_ROWS", 1)


def test_the_tasks_of_a_slurm_array_make_the_files_of_one_command(
    cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch
):
    assert cli("run", recipe, "--rows", 5, "--seed", 3, "--format", "openai", "--out", "one", "--quiet").code == 0
    monkeypatch.setenv("SLURM_ARRAY_TASK_COUNT", "3")
    for index in range(3):
        monkeypatch.setenv("SLURM_ARRAY_TASK_ID", str(index))
        ran = cli("run", recipe, "--rows", 5, "--seed", 3, "--format", "openai", "--out", "many", "--shard", "auto")
        assert ran.code == 0
    assert ran.out == "many/shard-00002-of-00003: 1 row; when all 3 shards are there: merge\n"
    assert "tiny: 1 row to many/shard-00002-of-00003" in ran.err
    assert cli(
        "run", recipe, "--rows", 5, "--seed", 3, "--format", "openai", "--out", "many", "--shard", "0/3"
    ).out == ("many/shard-00000-of-00003: 2 rows, 0 of them made now; when all 3 shards are there: merge\n")
    ran = cli("merge", "many")
    assert ran.code == 0
    assert "rows by scenario:\n  mixed  5\n" in ran.out
    for path in Path("one").iterdir():
        if path.name != "manifest.json":
            assert (Path("many") / path.name).read_bytes() == path.read_bytes()
    assert cli("verify", "many").code == 0
    assert cli("merge", "many").out == "many: the shards are merged already; nothing was made\n"
    assert cli(
        "run", recipe, "--rows", 5, "--seed", 3, "--format", "openai", "--out", "many", "--shard", "1/3"
    ).out == ("many: the shards are merged already; nothing was made\n")


def test_a_shard_without_numbers_is_refused(cli: Command, recipe: Path):
    ran = cli("run", recipe, "--shard", "", "--dry-run")
    assert (ran.code, ran.out) == (2, "")


def test_a_missing_shard_is_named_with_the_option_that_makes_it(cli: Command, recipe: Path):
    cli("run", recipe, "--shard", "0/2", "--quiet")
    ran = cli("merge", "outputs/tiny")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "outputs/tiny: cannot be merged:\n"
        "  outputs/tiny/shard-00001-of-00002: is missing, with rows 1 to 1, 3 to 3; make it with --shard 1/2\n"
    )
    assert [path.name for path in Path("outputs/tiny").iterdir()] == ["shard-00000-of-00002"]


def test_the_recipe_may_stand_elsewhere_and_must_be_the_same(cli: Command, recipe: Path):
    cli("run", recipe, "--shard", "0/1", "--quiet")
    Path("moved.yaml").write_text(recipe.read_text())
    text = recipe.read_text()
    recipe.write_text(text.replace("scenarios", "calls: 4\nscenarios"))
    ran = cli("merge", "outputs/tiny")
    assert ran.code == 2
    assert ran.err.startswith("outputs/tiny: its shards were made from something else:\n  calls")
    recipe.unlink()
    assert cli("merge", "outputs/tiny").code == 2
    assert (cli("merge", "outputs/tiny", "--recipe", "moved.yaml", "--no-report", "--quiet").out) == ""
    assert sorted(path.name for path in Path("outputs/tiny").iterdir()) == FILES
    assert json.loads(Path("outputs/tiny/manifest.json").read_text())["rows"] == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--shard", "2/2"], "--shard 2/2: shards are counted from 0 to 1"),
        (["--shard", "auto"], "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"),
        (["--shard", "0/2", "--against", "t.yaml"], "--against looks at all rows: give it to merge"),
        (["--shard", "0/2", "--dry-run"], "leave out --shard"),
    ],
)
def test_what_a_shard_cannot_be_is_2(cli: Command, recipe: Path, arguments, words):
    ran = cli("run", recipe, *arguments)
    assert ran.code == 2
    assert words in ran.err
    assert not Path("outputs").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("rows: coverage\ncoverage: pairwise\n", "with `rows: coverage` the number of rows is found by making them"),
        ("rows: 4\nllm: {model: openai/x}\njudge: {}\n", "this recipe asks a model"),
    ],
)
def test_rows_that_cannot_be_made_apart_are_refused_by_name(cli: Command, recipe: Path, more, words):
    recipe.write_text(recipe.read_text().replace("rows: 4\n", more))
    ran = cli("run", recipe, "--shard", "0/2")
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


def test_a_corpus_has_no_shards(cli: Command, recipe: Path):
    Path("corpus.yaml").write_text("kind: corpus\nname: c\n")
    assert "a corpus is made by one command" in cli("run", "corpus.yaml", "--shard", "0/2").err


def test_a_folder_without_shards_is_2(cli: Command, recipe: Path):
    ran = cli("merge", "nowhere")
    assert (ran.code, ran.err) == (2, "nowhere: holds no shards; `run RECIPE --out nowhere --shard I/N` makes one\n")
