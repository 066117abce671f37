"""Shards and merge: the bytes of one process, and everything that is missing or changed is named."""

import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from tiny_run import BLOCK, TOOLS, tiny_recipe

from generator.core.errors import OutputError
from generator.formats import FORMATS
from generator.formats.run_folder.files import Layout
from generator.formats.sinks import OutputFolder
from generator.recipe import Recipe, load_recipe
from generator.run.engine.merge import make_shard, merge, plan_of_shards, settings_of
from generator.run.engine.progress import RunFinished, ShardFinished
from generator.run.engine.run import RunOptions, run
from generator.run.engine.shard import Shard, read_shard
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[3]
ROWS = 130


def data(folder: Path) -> dict[str, object]:
    """Everything that is in a folder, without how long it took."""
    found: dict[str, object] = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    manifest = json.loads((folder / "manifest.json").read_bytes())
    return found | {"manifest.json": {key: manifest[key] for key in manifest if not key.endswith("_seconds")}}


def make(recipe: Recipe, out: Path, *indexes: int, of: int = 4, **how: object) -> list[ShardFinished | RunFinished]:
    return [make_shard(recipe, out, Shard(i, of), how=RunOptions(block_rows=BLOCK, **how)) for i in indexes]


def join(recipe: Recipe, out: Path, **more: bool) -> RunFinished:
    plan = plan_of_shards(out)
    assert plan is not None
    return merge(recipe, plan, out, settings_of(out, plan).layout, **more)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    return tiny_recipe(tmp_path_factory.mktemp("tiny"), ROWS)


@pytest.fixture(scope="module")
def undisturbed(tiny: Recipe) -> dict[str, object]:
    out = tiny.path.parent / "whole"
    run(tiny, out, how=RunOptions(block_rows=BLOCK))
    return data(out)


def test_one_process_two_workers_and_four_shards_make_the_same(tmp_path: Path, tiny: Recipe, undisturbed):
    run(tiny, tmp_path / "two", how=RunOptions(block_rows=BLOCK, executor="processes", workers=2))
    assert data(tmp_path / "two") == undisturbed
    shards = make(tiny, tmp_path / "four", 2, 0, 3, 1)
    assert [shard.rows for shard in shards] == [30, 40, 20, 40]
    join(tiny, tmp_path / "four")
    assert data(tmp_path / "four") == undisturbed
    assert all(path.is_file() for path in (tmp_path / "four").iterdir())


@pytest.mark.parametrize(("what", "rows"), [("1/2", 40), ("merge", 20)])
def test_dying_before_any_step_on_disk(tmp_path: Path, what: str, rows: int):
    recipe = tiny_recipe(tmp_path, rows)
    if what == "merge":
        make(recipe, tmp_path / "out", 0, 1, of=2)
    command = [
        sys.executable,
        str(ROOT / "tests/tiny_run.py"),
        "crash",
        *map(str, (tmp_path, tmp_path / "out", rows, what)),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.stderr == ""
    assert int(done.stdout) > 5
    if what != "merge":
        assert make(recipe, tmp_path / "out", 1, of=2)[0].made == 0
        make(recipe, tmp_path / "out", 0, of=2)
        join(recipe, tmp_path / "out")
    run(recipe, tmp_path / "whole", how=RunOptions(block_rows=BLOCK))
    assert data(tmp_path / "out") == data(tmp_path / "whole")
    assert all(path.is_file() for path in (tmp_path / "out").iterdir())


@pytest.mark.parametrize("more", [
    "unique: calls\n", "splits: {by: tool, train: 0.5, test: 0.5}\nscenarios: [single]\n", "coverage: pairwise\n",
])  # fmt: skip
def test_what_looks_across_rows_is_as_in_one_process(tmp_path: Path, more: str):
    (tmp_path / "tools.yaml").write_text(TOOLS)
    text = "name: across\nseed: 3\nrows: 90\ntools: [tools.yaml]\nformats: [openai]\ncalls: 2\n"
    (tmp_path / "r.yaml").write_text(text + more + ("" if "scenarios" in more else "scenarios: [single, parallel]\n"))
    recipe = load_recipe(tmp_path / "r.yaml", scenarios=SCENARIOS, formats=FORMATS)
    run(recipe, tmp_path / "whole", how=RunOptions(block_rows=BLOCK))
    make(recipe, tmp_path / "out", 1, 0, 2, of=3)
    join(recipe, tmp_path / "out")
    assert data(tmp_path / "out") == data(tmp_path / "whole")


def test_packed_and_numbered_files_are_the_same(tmp_path: Path, tiny: Recipe):
    layout = Layout(sinks=("jsonl",), packing="gzip", shard_rows=50)
    run(tiny, tmp_path / "whole", how=RunOptions(block_rows=BLOCK, layout=layout))
    make(tiny, tmp_path / "out", 0, 1, of=2, layout=layout)
    join(tiny, tmp_path / "out")
    assert data(tmp_path / "out") == data(tmp_path / "whole")
    assert (tmp_path / "out/openai.train-00002.jsonl.gz").is_file()


def test_a_run_without_shards_goes_on_from_their_blocks(tmp_path: Path, tiny: Recipe, undisturbed):
    make(tiny, tmp_path, 1, 3)
    part = tmp_path / "shard-00003-of-00004/.parts/000000000060.part"
    part.write_bytes(part.read_bytes()[:-1])
    with OutputFolder(tmp_path / "shard-00001-of-00004"), pytest.raises(OutputError, match="shard-00001-of-00004"):
        run(tiny, tmp_path, how=RunOptions(block_rows=BLOCK))
    with pytest.raises(OutputError, match=r"shard-00001-of-00004: is a shard of 130 rows, 90 are asked for"):
        run(msgspec.structs.replace(tiny, rows=90), tmp_path, how=RunOptions(block_rows=BLOCK))
    assert run(tiny, tmp_path, how=RunOptions(block_rows=BLOCK)).made == ROWS - 40
    assert data(tmp_path) == undisturbed
    assert all(path.is_file() for path in tmp_path.iterdir())


def test_a_changed_byte_is_found_by_name_and_made_again(tmp_path: Path, tiny: Recipe, undisturbed):
    make(tiny, tmp_path, 0, 1, 2, 3)
    parts = tmp_path / "shard-00001-of-00004/.parts"
    for name, words in {
        "000000000020.part": "was changed: its lines of .*jsonl.* are not those that were written",
        "000000000100.json": "was changed, or is the record of something else",
    }.items():
        original = (parts / name).read_bytes()
        (parts / name).write_bytes(original[:70] + bytes([original[70] ^ 1]) + original[71:])
        with pytest.raises(OutputError, match=rf"{name}: {words}.*; make it again with --shard 1/4"):
            join(tiny, tmp_path)
        assert not (tmp_path / "manifest.json").exists()
        assert not (tmp_path / ".parts").exists()
        assert make(tiny, tmp_path, 1)[0].made == BLOCK
    (parts / "000000000020.part").write_bytes(b"short")
    with pytest.raises(OutputError, match=r"000000000020\.part: has 5 bytes instead of \d+"):
        join(tiny, tmp_path)
    make(tiny, tmp_path, 1)
    join(tiny, tmp_path)
    assert data(tmp_path) == undisturbed


def test_missing_shards_and_rows_are_named(tmp_path: Path, tiny: Recipe):
    make(tiny, tmp_path, 0, 1, 3)
    (tmp_path / "shard-00001-of-00004/.parts/000000000100.json").unlink()
    with pytest.raises(OutputError) as fault:
        join(tiny, tmp_path)
    assert str(fault.value).splitlines()[1:] == [
        f"  {tmp_path}/shard-00001-of-00004: rows 100 to 119 are missing; go on with --shard 1/4",
        f"  {tmp_path}/shard-00002-of-00004: is missing, with rows 40 to 59, 120 to 129; make it with --shard 2/4",
    ]


def test_a_shard_that_is_being_made_is_not_merged(tmp_path: Path, tiny: Recipe):
    make(tiny, tmp_path, 0, 1, of=2)
    writing = pytest.raises(OutputError, match="shard-00001-of-00002: another run is writing to this folder")
    with OutputFolder(tmp_path / "shard-00001-of-00002"), writing:
        join(tiny, tmp_path)


def test_shards_of_something_else_are_told_apart(tmp_path: Path, tiny: Recipe):
    make(tiny, tmp_path, 0)
    with pytest.raises(
        OutputError, match=r"shard-00000-of-00004: holds an unfinished run made from something else:\n.*seed: 3"
    ):
        make(msgspec.structs.replace(tiny, seed=4), tmp_path, 0)
    with pytest.raises(OutputError, match=r"made from something else:\n  seed: 3 before, 4 now"):
        join(msgspec.structs.replace(tiny, seed=4), tmp_path)
    make(msgspec.structs.replace(tiny, seed=4), tmp_path, 1)
    make(tiny, tmp_path, 1, of=5)
    with pytest.raises(
        OutputError, match=r"shard-00001-of-00004: does not belong to shard-00000-of-00004:\n  seed: 3 there, 4 now"
    ):
        plan_of_shards(tmp_path)


@pytest.mark.parametrize(
    ("was", "is_", "words"),
    [('"sinks"', '"drains"', "missing required field `sinks`"), ('"compress": null', '"compress": "x"', "'x' is unknown"),
     ('"jsonl"', '"x"', "'x' is unknown"), ('"of": 1', '"of": 999999999999', None), ('"rows": 130', '"rows": 0', None)],
)  # fmt: skip
def test_a_plan_that_was_changed_is_told_or_not_read(tmp_path: Path, tiny: Recipe, was, is_, words):
    make(tiny, tmp_path, 0, of=1)
    path = tmp_path / "shard-00000-of-00001/.parts/run.json"
    assert was in path.read_text()
    path.write_text(path.read_text().replace(was, is_, 1))
    if words is None:
        assert plan_of_shards(tmp_path) is None
        return
    with pytest.raises(OutputError, match=rf"the plan of its shards \(run\.json\) was changed: .*{words}"):
        join(tiny, tmp_path)


def test_a_merged_run_is_left_alone(tmp_path: Path, tiny: Recipe, undisturbed):
    make(tiny, tmp_path, 0, of=1)
    join(tiny, tmp_path)
    late = make(tiny, tmp_path, 2)[0]
    assert isinstance(late, RunFinished)
    assert not late.made
    with pytest.raises(OutputError, match="holds a finished run of 130 rows, which is made longer without --shard"):
        make(msgspec.structs.replace(tiny, rows=ROWS + 5), tmp_path, 2)
    assert data(tmp_path) == undisturbed
    other = msgspec.structs.replace(tiny, seed=4)
    make(other, tmp_path, 0, of=1, overwrite=True)
    with pytest.raises(OutputError, match="holds a finished run made from something else"):
        join(other, tmp_path)
    join(other, tmp_path, overwrite=True)
    assert data(tmp_path) != undisturbed


def test_shards_without_rows_need_not_be_there(tmp_path: Path, tiny: Recipe, undisturbed):
    assert make(tiny, tmp_path, 8, of=9)[0].rows == 0
    make(tiny, tmp_path, *range(7), of=9)
    join(tiny, tmp_path)
    assert data(tmp_path) == undisturbed


def test_a_folder_that_holds_something_else_stays(tmp_path: Path, tiny: Recipe):
    make(tiny, tmp_path, 0, of=1)
    (tmp_path / "shard-00000-of-00001/notes.txt").write_text("mine")
    join(tiny, tmp_path)
    assert [path.name for path in (tmp_path / "shard-00000-of-00001").iterdir()] == ["notes.txt"]
    (tmp_path / "shard-00000-of-00002").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutputError, match="a run keeps a folder there, and this is a link"):
        make(tiny, tmp_path, 0, of=2, overwrite=True)


@pytest.mark.parametrize(
    ("text", "environment", "shard"),
    [
        ("0/1", {}, Shard(0, 1)),
        ("3/12", {"SLURM_ARRAY_TASK_ID": "7"}, Shard(3, 12)),
        ("auto", {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "8"}, Shard(7, 8)),
        ("auto/12", {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "2"}, Shard(7, 12)),
        ("auto/12", {"JOB_COMPLETION_INDEX": "11"}, Shard(11, 12)),
    ],
)
def test_shards_are_named_or_given_by_a_scheduler(text, environment, shard):
    assert read_shard(text, environment) == shard


ARRAY = {
    "SLURM_ARRAY_TASK_ID": "3",
    "SLURM_ARRAY_TASK_COUNT": "4",
    "SLURM_ARRAY_TASK_MIN": "1",
    "SLURM_ARRAY_TASK_MAX": "4",
}


@pytest.mark.parametrize(
    ("text", "environment", "words"),
    [
        ("3", {}, "I/N is expected"),
        ("-1/3", {}, "I/N is expected"),
        ("1/3\n", {}, "I/N is expected"),
        ("0/0", {}, "from 1 to 100,000 shards"),
        ("3/3", {}, "counted from 0 to 2$"),
        ("auto", {}, "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX is set"),
        ("auto", {"JOB_COMPLETION_INDEX": "1"}, "say --shard auto/N"),
        ("auto", {"SLURM_ARRAY_TASK_ID": "1"}, "SLURM_ARRAY_TASK_COUNT is not set"),
        ("auto/3", {"JOB_COMPLETION_INDEX": "x"}, "JOB_COMPLETION_INDEX is 'x'"),
        ("auto/3", {"JOB_COMPLETION_INDEX": "3"}, r"counted from 0 to 2 \(JOB_COMPLETION_INDEX is 3\)"),
        ("auto", ARRAY, r"4 tasks, numbered from 1 to 4; number them from 0 \(--array=0-3\)"),
    ],
)
def test_what_names_no_shard_is_told(text, environment, words):
    with pytest.raises(OutputError, match=words):
        read_shard(text, environment)
