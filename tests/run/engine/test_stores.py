"""Runs that write to an object store: the bytes of a run on disk, whatever ends them, and nothing half there."""

import re
from pathlib import Path

import msgspec
import pytest
from command import command
from object_store import SECRET, files, object_store, objects, told
from tiny_run import BLOCK, tiny_recipe

import generator.run.engine.assembly as assembly
from generator.core.errors import OutputError
from generator.core.files import place
from generator.recipe import Recipe
from generator.run.engine.merge import make_shard, merge, plan_of_shards, settings_of
from generator.run.engine.progress import RowsMade
from generator.run.engine.run import RunOptions, run
from generator.run.engine.shard import Shard

ROWS = 70


@pytest.fixture(scope="module")
def store():
    with pytest.MonkeyPatch.context() as patch, object_store(patch) as client:
        yield client


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    return tiny_recipe(tmp_path_factory.mktemp("tiny"), ROWS)


@pytest.fixture(scope="module")
def undisturbed(tiny: Recipe) -> dict[str, object]:
    run(tiny, tiny.path.parent / "whole", how=RunOptions(block_rows=BLOCK))
    return told(files(tiny.path.parent / "whole"))


def shards(recipe: Recipe, url: str, *indexes: int, of: int = 2) -> None:
    for index in indexes:
        make_shard(recipe, place(url), Shard(index, of), how=RunOptions(block_rows=BLOCK))


def join(recipe: Recipe, url: str) -> None:
    plan = plan_of_shards(place(url))
    assert plan is not None
    merge(recipe, plan, place(url), settings_of(place(url), plan).layout)


def test_the_bytes_are_those_on_disk(store, tiny: Recipe, undisturbed):
    run(tiny, place("s3://bucket/one"), how=RunOptions(block_rows=BLOCK))
    assert told(objects(store, "one")) == undisturbed
    shards(tiny, "s3://bucket/four", 2, 0, 3, 1, of=4)
    assert "manifest.json" not in objects(store, "four")
    join(tiny, "s3://bucket/four")
    assert told(objects(store, "four")) == undisturbed
    shards(tiny, "s3://bucket/rest", 1)
    assert run(tiny, place("s3://bucket/rest"), how=RunOptions(block_rows=BLOCK)).made == 40
    assert told(objects(store, "rest")) == undisturbed


def test_workers_write_there_by_themselves(store, tiny: Recipe, undisturbed):
    run(tiny, place("s3://bucket/two"), how=RunOptions(block_rows=BLOCK, executor="processes", workers=2))
    assert told(objects(store, "two")) == undisturbed


def test_a_run_that_ends_too_early_goes_on(store, tiny: Recipe, undisturbed, monkeypatch: pytest.MonkeyPatch, tmp_path):
    def stop(event: object) -> None:
        if isinstance(event, RowsMade) and event.made >= 2 * BLOCK:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tiny, place("s3://bucket/stop"), stop, RunOptions(block_rows=BLOCK))
    kept = objects(store, "stop")
    assert set(kept) == {".parts/run.json", *(f".parts/{n:012}.{end}" for n in (0, 20) for end in ("part", "json"))}
    store.put_object(Bucket="bucket", Key="stop/.parts/000000000020.part", Body=b"other bytes")

    upload, left = assembly.put_file, 3

    def fail(source: Path, path: Path) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError("the line is cut")
        upload(source, path)

    monkeypatch.setattr(assembly, "put_file", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(OutputError, match=r"s3://bucket/stop: .*the line is cut"):
        run(tiny, place("s3://bucket/stop"), how=RunOptions(block_rows=BLOCK))
    assert "manifest.json" not in objects(store, "stop")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(assembly, "put_file", upload)
    assert run(tiny, place("s3://bucket/stop"), how=RunOptions(block_rows=BLOCK)).made == 0
    assert told(objects(store, "stop")) == undisturbed
    assert run(tiny, place("s3://bucket/stop"), how=RunOptions(block_rows=BLOCK)).made == 0


def test_a_finished_run_is_made_longer(store, tiny: Recipe, undisturbed):
    for rows in (30, ROWS):
        run(msgspec.structs.replace(tiny, rows=rows), place("s3://bucket/longer"), how=RunOptions(block_rows=BLOCK))
    assert told(objects(store, "longer")) == undisturbed


def test_merge_names_what_is_missing_or_changed(store, tiny: Recipe, undisturbed):
    shards(tiny, "s3://bucket/odd", 0, 1)
    parts = "odd/shard-00001-of-00002/.parts"
    store.delete_object(Bucket="bucket", Key=f"{parts}/000000000020.part")
    begun = store.create_multipart_upload(Bucket="bucket", Key=f"{parts}/000000000020.part")
    store.upload_part(
        Bucket="bucket", Key=f"{parts}/000000000020.part", UploadId=begun["UploadId"], PartNumber=1, Body=b"half"
    )
    other = objects(store, parts)["000000000060.part"].replace(b"fern", b"ivy!").replace(b"times", b"tines")
    store.put_object(Bucket="bucket", Key=f"{parts}/000000000060.part", Body=other)
    with pytest.raises(OutputError) as fault:
        join(tiny, "s3://bucket/odd")
    _, first, second = str(fault.value).splitlines()
    assert re.search(rf"s3://bucket/{parts}/000000000020\.part: is missing; make it again with --shard 1/2", first)
    assert re.search(
        rf"s3://bucket/{parts}/000000000060\.part: was changed: its lines of .*; make it again with --shard 1/2", second
    )
    assert "manifest.json" not in objects(store, "odd")
    shards(tiny, "s3://bucket/odd", 1)
    join(tiny, "s3://bucket/odd")
    assert told(objects(store, "odd")) == undisturbed


def test_commands_read_there_and_tell_no_secret(store, tiny: Recipe, monkeypatch, capsys, tmp_path: Path):
    cli = command(monkeypatch, capsys)
    seen = cli("run", tiny.path, "--out", "s3://bucket/cli", "--workers", "1")
    assert seen.code == 0, seen
    outputs = [seen]
    for words, expected in (
        (("verify", "s3://bucket/cli"), "s3://bucket/cli/openai.train.jsonl: 5"),
        (("validate", "s3://bucket/cli/deepfabric.test.jsonl"), "no faults"),
        (("show", "s3://bucket/cli/openai.train.jsonl", "--index", "3"), "the user says"),
        (("report", "s3://bucket/cli"), "70 rows"),
        (
            (
                "convert",
                "s3://bucket/cli/openai.train.jsonl",
                str(tmp_path / "x.jsonl"),
                "--from",
                "openai",
                "--to",
                "trl",
            ),
            "rows",
        ),
        (("merge", "s3://bucket/cli"), "merged already"),
    ):
        outputs.append(cli(*words))
        assert (outputs[-1].code, expected in outputs[-1].out) == (0, True), outputs[-1]
    for words, expected in (
        (
            ("run", tiny.path, "--out", "s3://nowhere/cli"),
            "s3://nowhere/cli/.parts/run.json: cannot be written (The specified bucket",
        ),
        (("show", "s3://bucket/cli/none.jsonl"), "s3://bucket/cli/none.jsonl: there is no such file"),
        (("show", f"s3://someone:{SECRET}@bucket/x.jsonl"), "credentials belong to the environment"),
        (("verify", "ftp://bucket/x"), "ftp://: no kind of object store"),
        (("merge", "s3://"), "the name of a bucket is expected"),
    ):
        outputs.append(cli(*words))
        assert (outputs[-1].code, expected in outputs[-1].err) == (2, True), outputs[-1]
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setattr("s3fs.S3FileSystem.cachable", False)  # the client of the store that answers is not taken again
    outputs.append(cli("report", "s3://bucket/cli"))
    assert (outputs[-1].code, "s3://bucket/cli: the object store does not serve this" in outputs[-1].err) == (
        2,
        True,
    ), outputs[-1]
    everything = [text for seen in outputs for text in (seen.out, seen.err)] + [str(objects(store, "cli"))]
    assert not any(SECRET in text for text in everything)


def test_a_file_url_is_a_path():
    assert place("file:///tmp/x") == Path("/tmp/x")
    assert place("outputs/a") == Path("outputs/a")


@pytest.mark.parametrize(
    "text", ["simplecache::s3://b/p", "filecache::memory://b", "zip://x::s3://b/p.zip", "x::y://z"]
)
def test_layers_over_a_store_are_refused(text: str):
    with pytest.raises(OutputError, match="no kind of object store"):
        place(text)
