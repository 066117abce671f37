"""Runs into every container: the same bytes however they are made, and readable by those who read them."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from made_rows import how_to, made_row, recipe, rows_are
from nightly import some_of

from generator.core.errors import OutputError
from generator.formats.columns import columns_of
from generator.formats.run_folder import files
from generator.formats.sinks import MARK, SINKS
from generator.report.files.show import find_rows
from generator.report.files.verify import verify_folder
from generator.run.engine.run import run

ROWS = 23
FORMATS = ("deepfabric", "openai", "openchatml")
LAYOUTS: tuple[dict[str, Any], ...] = (
    {"sinks": ("parquet",)},
    {"sinks": ("parquet_json",), "shard_rows": 5},
    {"sinks": ("jsonl", "text", "parquet")},
    {"sinks": ("jsonl",), "shard_rows": 4},
    {"sinks": ("text", "jsonl"), "shard_rows": 7},
)


def make(out: Path, rows: int = ROWS, splits: bool = False, formats: tuple[str, ...] = FORMATS, **how: Any) -> None:
    """Make so many rows."""
    wanted = recipe(rows, *formats)
    if splits:
        import msgspec

        wanted = msgspec.structs.replace(wanted, splits=(("train", 0.7), ("test", 0.3)))
    with rows_are(made_row):
        run(wanted, out, how=how_to(**how))


def data(folder: Path) -> dict[str, bytes]:
    """All files but the manifest, which holds times."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "manifest.json"}


@some_of(2, "layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("splits", [False, True])
def test_the_same_bytes_however_they_are_made(tmp_path: Path, layout: dict[str, Any], splits: bool):
    make(tmp_path / "a", splits=splits, **layout)
    make(tmp_path / "b", splits=splits, block_rows=3, **layout)
    make(tmp_path / "c", 9, splits=splits, **layout)
    make(tmp_path / "c", splits=splits, **layout)
    assert data(tmp_path / "a") == data(tmp_path / "b") == data(tmp_path / "c")
    checks = list(verify_folder(tmp_path / "c"))
    assert [check for check in checks if check.fault] == []
    assert sum(check.rows for check in checks if check.name.startswith("openchatml")) == ROWS * len(layout["sinks"])


def test_a_shard_is_a_range_of_rows(tmp_path: Path):
    make(tmp_path, shard_rows=10)
    names = [f"openai-{shard:05}.jsonl" for shard in range(3)]
    assert sorted(path.name for path in tmp_path.glob("openai*")) == names
    assert [len((tmp_path / name).read_bytes().splitlines()) for name in names] == [10, 10, 3]
    found = find_rows(tmp_path / names[1], index=4)[0][0]
    assert found.proof is not None
    assert found.proof.index == 14


def test_shards_of_splits_find_their_proofs(tmp_path: Path):
    make(tmp_path, splits=True, shard_rows=10)
    for path in tmp_path.glob("deepfabric.*.jsonl"):
        for place in range(len(path.read_bytes().splitlines())):
            found = find_rows(path, index=place)[0][0]
            assert found.proof is not None
            assert found.proof.index // 10 == int(path.stem[-5:])


def test_one_row_a_shard_is_the_document_itself(tmp_path: Path):
    make(tmp_path, 3, formats=("openchatml",), sinks=("text",), shard_rows=1)
    assert not any(check.fault for check in verify_folder(tmp_path))
    texts = [path.read_text() for path in sorted(tmp_path.glob("openchatml-*.txt"))]
    assert len(texts) == 3
    assert all(text.startswith("[BOS]") and text.endswith("[EOS]") and MARK not in text for text in texts)


def test_a_document_alone_in_its_file_may_hold_the_separator(tmp_path: Path):
    with rows_are(lambda index: made_row(index, f"A{MARK}")):
        run(recipe(2, "openchatml"), tmp_path, how=how_to(sinks=("text",), shard_rows=1))
    assert MARK in (tmp_path / "openchatml-00001.txt").read_text()
    assert not any(check.fault for check in verify_folder(tmp_path))


def test_a_separator_in_a_document_is_refused_and_counted(tmp_path: Path):
    wanted = recipe(2, "openchatml")
    with rows_are(lambda index: made_row(index, f"A{MARK}" if index else "Ada")):
        finished = run(wanted, tmp_path, how=how_to(sinks=("text", "jsonl")))
    assert list(finished.tally.refused) == ["openchatml as text"]
    assert MARK not in (tmp_path / "openchatml.txt").read_text()
    assert len((tmp_path / "openchatml.jsonl").read_bytes().splitlines()) == 2
    assert json.loads((tmp_path / "rejected.jsonl").read_text())["index"] == 1


def test_text_needs_a_text_format(tmp_path: Path):
    with pytest.raises(
        OutputError, match=r"--sink text: .* none of the formats deepfabric, openai is text .*openchatml"
    ):
        make(tmp_path / "out", formats=("deepfabric", "openai"), sinks=("text",))
    assert not (tmp_path / "out").exists()


def test_the_card_names_the_formats_that_were_written(tmp_path: Path):
    for sinks, names in ((("text",), {"openchatml"}), (("jsonl",), {"deepfabric", "openchatml"})):
        make(tmp_path / sinks[0], formats=("deepfabric", "openchatml"), sinks=sinks)
        card = (tmp_path / sinks[0] / "README.md").read_text()
        assert {name for name in ("deepfabric", "openchatml") if f"\n| {name} |" in card} == names


def test_two_sinks_with_one_name(tmp_path: Path):
    with pytest.raises(OutputError, match="parquet, parquet_json write the same files"):
        make(tmp_path / "out", sinks=("parquet", "parquet_json"))


def test_no_million_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    assert files.MOST_FILES == 100_000
    monkeypatch.setattr(files, "MOST_FILES", 100)
    with pytest.raises(OutputError, match="--shard-rows 1: makes 102 files; 100 are the most"):
        make(tmp_path / "out", 100, formats=("openai",), shard_rows=1)


@some_of(3, "layout", [{}, *LAYOUTS], ids=str)
def test_datasets_loads_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: dict[str, Any]):
    """`datasets.load_dataset(<folder>)`: one configuration a format, equal rows, no null-filled arguments."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    import datasets

    out, plain = tmp_path / "out", tmp_path / "plain"
    make(out, splits=True, **layout)
    make(plain, splits=True)
    assert datasets.get_dataset_config_names(str(out)) == list(FORMATS)
    for name in FORMATS:
        loaded = datasets.load_dataset(str(out), name, cache_dir=str(tmp_path / "cache"))
        assert sorted(loaded) == ["test", "train"]
        for split, rows in loaded.items():
            lines = (plain / f"{name}.{split}.jsonl").read_text().splitlines()
            assert [_decoded(row, name) for row in rows] == [json.loads(line) for line in lines]


@pytest.mark.parametrize("sink", ["jsonl", "parquet"])
def test_datasets_sees_that_a_folder_was_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sink: str):
    """Its cache knows a local folder by the card alone, not by its files."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    import datasets

    def loaded() -> list[Any]:
        return datasets.load_dataset(str(tmp_path / "out"), "openai", cache_dir=str(tmp_path / "cache"))[
            "train"
        ].to_list()

    first: list[Any] = []
    for name in ("Ada", "Bo"):
        with rows_are(partial(made_row, customer=name)):
            run(recipe(3, "openai"), tmp_path / "out", how=how_to(sinks=(sink,), overwrite=True))
        assert loaded() != first
        first = loaded()


def _decoded(row: dict[str, Any], name: str) -> dict[str, Any]:
    """A loaded row, JSON columns read."""
    read = {
        key: json.loads(value) if isinstance(value, str) and columns_of(name)[key] == "json" else value
        for key, value in row.items()
    }
    return {key: value for key, value in read.items() if value is not None}


def test_every_sink_can_be_named_on_the_command_line():
    from generator.cli.run import _SINKS

    assert list(_SINKS.choices) == list(SINKS)
