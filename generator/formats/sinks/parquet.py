"""Parquet: a row a record, a column for each key, zstd.

Strings and booleans are columns of their kind. Everything else (`messages`, `tools`, …) is a column of JSON text, by
default a string, which every reader takes and no reader changes: as Arrow structs, objects with different keys would
be filled up with nulls. With `arrow_json` these columns have Arrow's JSON type, which `datasets` from 4.7 on gives
back as objects.

A key that a record does not have is null. Row groups have 1,000 rows whatever the blocks of the run were, so that the
bytes depend on the rows and the version of pyarrow only.
"""

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec
import orjson

from generator.core.errors import OutputError, installing
from generator.core.files import open_regular, sha256_of
from generator.formats.sinks.disk import writing
from generator.formats.sinks.growing import GrowingFile

if TYPE_CHECKING:
    import pyarrow

ROW_GROUP = 1000
_RECORD = msgspec.json.Decoder(dict[str, msgspec.Raw])


def check_pyarrow() -> None:
    """Raises OutputError when pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise OutputError(f"Parquet needs the package pyarrow: {installing('parquet')}")


class ParquetFile(GrowingFile):
    """Rows; pieces that are added are JSON lines. They wait in a file beside it until all are there."""

    def __init__(self, path: Path, name: str, columns: Mapping[str, str], arrow_json: bool) -> None:
        self._final = path
        self._columns = columns
        self._arrow_json = arrow_json
        self._sha256 = ""
        super().__init__(path.with_name(f"{name}.lines"), name)

    @property
    def sha256(self) -> str:
        """Of the finished file."""
        return self._sha256 or super().sha256

    def keep(self, path: Path, size: int) -> None:
        """Begin with the rows of a finished file."""
        import pyarrow.parquet

        with open_regular(path) as kept, pyarrow.parquet.ParquetFile(kept) as file:
            for batch in file.iter_batches(batch_size=ROW_GROUP):
                self.add(b"".join([self._line(row) for row in batch.to_pylist()]))

    def finish(self) -> None:
        """Write the rows that have been added, and make them durable."""
        import pyarrow.parquet

        schema = self._schema()
        with writing(self._final.with_name(self.name)), open_regular(self.path) as lines:
            with pyarrow.parquet.ParquetWriter(self._final, schema, compression="zstd") as writer:
                while group := list(islice(lines, ROW_GROUP)):
                    writer.write_table(self._table(group, schema), row_group_size=ROW_GROUP)
            self.path.unlink()
        self.path = self._final
        super().finish()
        self.bytes = self._final.stat().st_size
        self._sha256 = sha256_of(self._final)

    def _schema(self) -> "pyarrow.Schema":
        import pyarrow

        json_type = pyarrow.json_() if self._arrow_json else pyarrow.string()
        types = {"text": pyarrow.string(), "flag": pyarrow.bool_(), "json": json_type}
        return pyarrow.schema([(key, types[kind]) for key, kind in self._columns.items()])

    def _table(self, lines: list[bytes], schema: "pyarrow.Schema") -> "pyarrow.Table":
        import pyarrow

        rows = [_RECORD.decode(line) for line in lines]
        unknown = {key for row in rows for key in row} - self._columns.keys()
        if unknown:
            raise OutputError(f"{self.name}: no column is planned for {', '.join(sorted(unknown))}")
        columns = [[_cell(row.get(key), kind) for row in rows] for key, kind in self._columns.items()]
        arrays = [
            pyarrow.array(cells, pyarrow.string()).cast(field.type)
            if field.type not in (pyarrow.string(), pyarrow.bool_())
            else pyarrow.array(cells, field.type)
            for cells, field in zip(columns, schema, strict=True)
        ]
        return pyarrow.Table.from_arrays(arrays, schema=schema)

    def _line(self, row: dict[str, Any]) -> bytes:
        """Return a row as the JSON line that it was made from."""
        values = [
            orjson.dumps(key) + b":" + (row[key].encode() if kind == "json" else orjson.dumps(row[key]))
            for key, kind in self._columns.items()
            if row[key] is not None
        ]
        return b"{" + b",".join(values) + b"}\n"


def _cell(raw: msgspec.Raw | None, kind: str) -> Any:
    if raw is None:
        return None
    return bytes(raw).decode() if kind == "json" else orjson.loads(bytes(raw))


def table_rows(file: BinaryIO, path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, ours or anybody's, without columns that are null and with values that JSON has.

    Raises:
        OutputError: when it is not one, or pyarrow is missing.
    """
    check_pyarrow()
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(file) as table:
            for batch in table.iter_batches(batch_size=ROW_GROUP):
                for row in batch.to_pylist():
                    held = {key: value for key, value in row.items() if value is not None}
                    yield orjson.loads(orjson.dumps(held, default=str))
    except (OSError, pyarrow.ArrowException) as fault:
        raise OutputError(f"{path}: not a Parquet file ({fault})") from None


def count_rows(path: Path) -> int:
    """Return how many rows a Parquet file holds; raises OutputError as `table_rows` does."""
    check_pyarrow()
    import pyarrow.parquet

    try:
        with open_regular(path) as file:
            rows: int = pyarrow.parquet.read_metadata(file).num_rows
    except (OSError, pyarrow.ArrowException) as fault:
        raise OutputError(f"{path}: not a Parquet file ({fault})") from None
    return rows
