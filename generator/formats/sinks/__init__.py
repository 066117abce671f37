"""Containers that finished records are written to.

A format defines what a record looks like, a sink the container that it is written to.

To add one: a class like `GrowingFile` in a module of its own, and one entry in SINKS.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from generator.formats.sinks.disk import sync_folder, write_whole, writing
from generator.formats.sinks.folder import OutputFolder
from generator.formats.sinks.growing import (
    MARK,
    GrowingFile,
    TextFile,
    count_documents,
    encode_line,
    encode_read_line,
    read_all,
)
from generator.formats.sinks.packing import PACKINGS, check_packing, pack, packing_of, reading, suffix_of, unpacked_name
from generator.formats.sinks.parquet import ParquetFile, check_pyarrow, count_rows, table_rows


class Sink(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of container."""

    about: str
    ending: str
    make: Callable[[Path, str, str | None, Mapping[str, str]], GrowingFile]
    """A new file from its path, its name, how it is packed, and its columns."""
    packs: bool = True
    """Whether `--compress` packs it; otherwise it packs what it holds itself."""
    texts_only: bool = False
    """Whether it holds nothing but the text of text formats."""
    check: Callable[[], None] = lambda: None
    """Raises OutputError when something that it needs is missing."""


SINKS: dict[str, Sink] = {
    "jsonl": Sink(
        about="a JSON record a line",
        ending=".jsonl",
        make=lambda path, name, packing, _: GrowingFile(path, name, packing),
    ),
    "parquet": Sink(
        about="a table; what is not a string or a boolean is JSON text",
        ending=".parquet",
        make=lambda path, name, _, columns: ParquetFile(path, name, columns, arrow_json=False),
        packs=False,
        check=check_pyarrow,
    ),
    "parquet_json": Sink(
        about="a table with Arrow's JSON type, for readers that know it",
        ending=".parquet",
        make=lambda path, name, _, columns: ParquetFile(path, name, columns, arrow_json=True),
        packs=False,
        check=check_pyarrow,
    ),
    "text": Sink(
        about="the documents of text formats, U+001E between them",
        ending=".txt",
        make=lambda path, name, packing, _: TextFile(path, name, packing),
        texts_only=True,
    ),
}

__all__ = [
    "MARK",
    "PACKINGS",
    "SINKS",
    "GrowingFile",
    "OutputFolder",
    "Sink",
    "check_packing",
    "count_documents",
    "count_rows",
    "encode_line",
    "encode_read_line",
    "pack",
    "packing_of",
    "read_all",
    "reading",
    "suffix_of",
    "sync_folder",
    "table_rows",
    "unpacked_name",
    "write_whole",
    "writing",
]
