"""Every container: what is put in comes out again, for records of every format."""

import io
import json
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet
import pytest
from hostile_rows import hostile_rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nightly import one_in

from generator.core.errors import CannotCarryError, OutputError
from generator.formats import FORMATS
from generator.formats.columns import columns_of, is_text
from generator.formats.sinks import MARK, SINKS, GrowingFile, count_documents, count_rows, encode_line, reading

PACKINGS = (None, "zstd", "gzip")


def fill(file: GrowingFile, lines: list[bytes], at: int) -> GrowingFile:
    """Add the lines in two pieces."""
    for piece in (b"".join(lines[:at]), b"".join(lines[at:])):
        file.add_from(io.BytesIO(piece), len(piece))
    return file


def records_of(path: Path) -> list[dict[str, Any]]:
    """The records of a Parquet file, its JSON read."""
    rows = pyarrow.parquet.read_table(path).to_pylist()
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


@pytest.mark.parametrize("at", one_in(2, [0, 3]))
@pytest.mark.parametrize("name", FORMATS)
def test_parquet_gives_back_every_record(name: str, tmp_path: Path, at: int):
    records = []
    for conversation in hostile_rows()[at :: 3 * len(FORMATS) // 10]:
        try:
            records.append(FORMATS[name].render(conversation))
        except CannotCarryError:
            continue
    lines, columns = [encode_line(record) for record in records], columns_of(name)
    for sink in ("parquet", "parquet_json"):
        path = tmp_path / f"{sink}.parquet"
        file = fill(SINKS[sink].make(path, path.name, None, columns), lines, at)
        file.finish()
        assert path.stat().st_size == file.bytes
        assert count_rows(path) == len(records)
        back = [
            {key: json.loads(value) if columns[key] == "json" else value for key, value in row.items()}
            for row in records_of(path)
        ]
        assert back == [json.loads(line) for line in lines]


def test_parquet_goes_on_with_a_finished_file(tmp_path: Path):
    lines = [encode_line({"messages": [{"n": n, "t": '"\n'}], "text": str(n)}) for n in range(2500)]
    columns = {"messages": "json", "text": "text", "flag": "flag"}
    make = SINKS["parquet"].make
    whole, half = tmp_path / "whole.parquet", tmp_path / "half.parquet"
    fill(make(whole, whole.name, None, columns), lines, 700).finish()
    fill(make(half, half.name, None, columns), lines[:1300], 3).finish()
    longer = make(tmp_path / "longer.parquet", "longer.parquet", None, columns)
    longer.keep(half, half.stat().st_size)
    fill(longer, lines[1300:], 900).finish()
    assert (tmp_path / "longer.parquet").read_bytes() == whole.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["half.parquet", "longer.parquet", "whole.parquet"]


def test_parquet_takes_no_key_that_is_not_planned(tmp_path: Path):
    path = tmp_path / "a.parquet"
    file = fill(SINKS["parquet"].make(path, path.name, None, {"text": "text"}), [b'{"text":"a","more":1}\n'], 1)
    with pytest.raises(OutputError, match=r"a\.parquet: no column is planned for more"):
        file.finish()


@pytest.mark.parametrize("packing", PACKINGS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    documents=st.lists(st.text(st.characters(codec="utf-8", exclude_characters=MARK), min_size=1), max_size=5),
    at=st.integers(0, 5),
    kept=st.integers(0, 5),
)
def test_text_gives_back_every_document(tmp_path: Path, packing: str | None, documents: list[str], at: int, kept: int):
    lines = [orjson.dumps({"text": text}) + b"\n" for text in documents]
    ending = {None: "", "zstd": ".zst", "gzip": ".gz"}[packing]
    first, path = tmp_path / f"first.txt{ending}", tmp_path / f"all.txt{ending}"
    make = SINKS["text"].make
    fill(make(first, first.name, packing, {}), lines[:kept], at).finish()
    file = make(path, path.name, packing, {})
    file.keep(first, first.stat().st_size)
    fill(file, lines[kept:], at).finish()
    with reading(path) as source:
        read = source.read().decode()
    assert read.split(f"{MARK}\n") == (documents or [""])
    with reading(path) as source:
        assert count_documents(source) == len(documents)


def test_which_formats_are_text():
    assert is_text("openchatml")
    assert not is_text("deepfabric")
