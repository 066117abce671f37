"""Each line of the proofs names the row's lines in every file, or says why a format has none."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from made_rows import TOKEN, how_to, made_row, recipe, rows_are

from generator.formats.sinks import MARK, SEPARATOR, reading, unpacked_name
from generator.run.engine.run import run
from generator.run.row import MadeRow

ROWS = 23
FORMATS = ("deepfabric", "openai", "openchatml", "eval")


def made(index: int) -> MadeRow:
    """A row; every fifth one is refused by OpenChatML, and every seventh by plain text."""
    return made_row(index, f"Ada{index:03}" + (TOKEN if index % 5 == 1 else MARK if index % 7 == 2 else ""))


def make(out: Path, rows: int = ROWS, *, splits: bool, records: str = "whole", **how: Any) -> None:
    wanted = msgspec.structs.replace(recipe(rows, *FORMATS), records=records)
    if splits:
        wanted = msgspec.structs.replace(wanted, splits=(("train", 0.7), ("test", 0.3)))
    with rows_are(made):
        run(wanted, out, how=how_to(**how))


def proofs(folder: Path) -> list[dict[str, Any]]:
    path = next(folder.glob("proofs.jsonl*"))
    with reading(path) as file:
        return [json.loads(line) for line in file]


def units(path: Path) -> list[str]:
    """What stands on each line of a file, in each row of a table, or in each document."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return [str(row) for row in pq.read_table(path).to_pylist()]
    with reading(path) as file:
        data = file.read()
    if Path(unpacked_name(path)).suffix == ".txt":
        return data.decode().split(SEPARATOR.decode()) if data else []
    return data.decode().splitlines()


def named(folder: Path) -> Iterator[tuple[str, int, int]]:
    """Yield (file, line, row) of all that the proofs name."""
    for proof in proofs(folder):
        for name, lines in proof["lines"].items():
            for line in lines:
                yield name, line, proof["index"]


@pytest.mark.parametrize("how", [
    {}, {"splits": True}, {"packing": "gzip"}, {"packing": "zstd", "shard_rows": 5, "splits": True},
    {"sinks": ("jsonl", "text", "parquet")}, {"records": "unrolled", "splits": True}, {"sinks": ("text",), "shard_rows": 1},
], ids=str)  # fmt: skip
def test_every_line_of_every_file_is_named_by_its_row(tmp_path: Path, how: dict[str, Any]):
    how = {"splits": False, "block_rows": 4, **how}
    make(tmp_path, **how)
    files = {
        path.name.removesuffix(".gz").removesuffix(".zst"): units(path)
        for path in tmp_path.iterdir()
        if path.name.startswith(FORMATS)
    }
    places = list(named(tmp_path))
    assert sorted((name, line) for name, line, _ in places) == sorted(
        (name, line) for name, found in files.items() for line in range(1, len(found) + 1)
    )
    for name, line, row in places:
        assert f"Ada{row:03}" in files[name][line - 1]
    for proof in proofs(tmp_path):
        has = {name.partition(".")[0].partition("-")[0] for name in proof["lines"]}
        assert has | {what.partition(" ")[0] for what in proof.get("left_out", {})} == set(FORMATS) - (
            {"deepfabric", "openai", "eval"} if how.get("sinks") == ("text",) else set()
        )
        if proof["index"] % 5 == 1:
            assert "<|im_end|>" in proof["left_out"]["openchatml"]
        elif proof["index"] % 7 == 2 and "text" in how.get("sinks", ()) and how.get("shard_rows") != 1:
            assert "U+001E" in proof["left_out"]["openchatml as text"]


@pytest.mark.parametrize("how", [{}, {"packing": "zstd", "shard_rows": 10}], ids=str)
def test_they_are_the_same_however_the_rows_are_made(tmp_path: Path, how: dict[str, Any]):
    make(tmp_path / "a", splits=True, **how)
    make(tmp_path / "b", splits=True, block_rows=3, **how)
    make(tmp_path / "c", 9, splits=True, **how)
    make(tmp_path / "c", splits=True, **how)
    assert proofs(tmp_path / "a") == proofs(tmp_path / "b") == proofs(tmp_path / "c")


def test_a_value_that_looks_like_the_lines_is_only_a_value(tmp_path: Path):
    with rows_are(lambda index: made_row(index, '","lines":{"openai.jsonl":[0]}}')):
        run(recipe(3, "openai", "openchatml"), tmp_path, how=how_to(block_rows=2))
    assert [proof["lines"]["openai.jsonl"] for proof in proofs(tmp_path)] == [[1], [2], [3]]
