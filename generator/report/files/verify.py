"""Check a finished run's files against its manifest, in constant memory."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from generator.core.errors import OutputError
from generator.core.files import sha256_of
from generator.formats.run_folder.files import MANIFEST, PARTS
from generator.formats.run_folder.manifest import FileEntry, read_manifest
from generator.formats.sinks import SINKS, count_documents, count_rows, reading, unpacked_name

_CHUNK = 1 << 20


class FileCheck(msgspec.Struct, frozen=True):
    """What was found out about one file."""

    name: str
    rows: int
    fault: str = ""
    """Empty when it is as it was made."""


def verify_folder(folder: Path) -> Iterator[FileCheck]:
    """Check every file that the manifest names.

    Raises:
        OutputError: when there is no manifest, or it cannot be read.
    """
    manifest = read_manifest(folder)
    if manifest is None:
        what = "the run is not finished" if (folder / PARTS).is_dir() else "there is no finished run"
        raise OutputError(f"{folder / MANIFEST}: there is no such file: {what}")
    alone = manifest.made_from.get("shard_rows") == 1
    for name, entry in manifest.files.items():
        yield FileCheck(name, entry.rows, _fault_of_file(folder / name, entry, alone))


def _fault_of_file(path: Path, entry: FileEntry, alone: bool) -> str:
    """Return what is wrong with a file of a run, "" where nothing is."""
    if not path.is_file():
        return "it is missing"
    size = path.stat().st_size
    if size != entry.bytes:
        return f"it has {size:,} bytes instead of {entry.bytes:,}"
    try:
        sha256 = sha256_of(path)
    except OSError as fault:
        return f"it cannot be read ({fault.strerror or fault})"
    if sha256 != entry.sha256:
        return f"its SHA-256 is {sha256} instead of {entry.sha256}"
    try:
        rows = _count_rows(path, alone)
    except OutputError as fault:
        return str(fault)
    return "" if rows == entry.rows else f"it has {rows:,} rows instead of {entry.rows:,}"


def _count_rows(path: Path, alone: bool) -> int:
    """Count the rows of a file; a text that is alone in its file may contain the separator of texts."""
    ending = Path(unpacked_name(path)).suffix
    if ending == SINKS["parquet"].ending:
        return count_rows(path)
    with reading(path) as file:
        if ending != SINKS["text"].ending:
            return sum(data.count(b"\n") for data in iter(lambda: file.read(_CHUNK), b""))
        return int(file.read(1) != b"") if alone else count_documents(file)
