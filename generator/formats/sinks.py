"""Containers that finished records are written to: lines, documents, Parquet; whole or not at all, packed or not.

A format defines what a record looks like, a sink the container that it is written to. To add one: a class like `GrowingFile`,
and one entry in SINKS.

In Parquet a row is a record, with a column for each key. Strings and booleans are columns of their kind. Everything else
(`messages`, `tools`, …) is a column of JSON text, by default a string, which every reader takes and no reader changes: as Arrow
structs, objects with different keys would be filled up with nulls. With `arrow_json` these columns have Arrow's JSON type, which
`datasets` from 4.7 on gives back as objects. A key that a record does not have is null. Row groups have 1,000 rows whatever the
blocks of the run were, so that the bytes depend on the rows and the version of pyarrow only.
"""

import errno
import gzip
import hashlib
import io
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, Self

import msgspec
import orjson

from generator.core.errors import CannotCarryError, OutputError, installing
from generator.core.exact_json import write_exactly
from generator.core.files import buffered, is_remote, open_regular, plain_errors, put_object, sha256_of, store_errors


def write_whole(path: Path, pieces: Iterable[bytes | bytearray]) -> None:
    """Write a file or an object atomically: it is there whole or not at all, even if the process or the machine dies.

    Raises:
        OutputError: when it cannot be written; nothing is left of it then.
    """
    if is_remote(path):
        with writing(path):
            put_object(path, b"".join(pieces))
        return
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with writing(path):
            with part.open("wb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def check_can_write(path: Path) -> None:
    """Raise OutputError where a file could not be written, before work is done for it; nothing of it is left or changed."""
    if is_remote(path):
        return
    with writing(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.is_file():
            path.open("ab").close()
        elif not path.exists():
            part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
            part.open("xb").close()
            part.unlink()


def sync_folder(path: Path) -> None:
    """Make the names in a folder durable."""
    if is_remote(path):
        return
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise any failure of the file system, or of an object store, as one OutputError about `path`."""
    try:
        with plain_errors():
            yield
    except OSError as fault:
        raise OutputError(f"{path}: {_reason(fault)}") from fault


def _reason(fault: OSError) -> str:
    """Return in words why writing failed, by the number of the error."""
    if fault.errno in {errno.EEXIST, errno.ENOTDIR}:
        return f"cannot be made: {fault.filename or 'a part of this path'} is a file, not a folder"
    return _REASONS.get(fault.errno or 0) or f"cannot be written ({fault.strerror or fault})"


_FULL = "cannot be written: the disk is full, or the file may not grow further"
_FORBIDDEN = "cannot be written: no permission to write there"
_REASONS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _FORBIDDEN,
    errno.EISDIR: "cannot be written: a folder has that name",
    errno.EWOULDBLOCK: "another run is writing to this folder",
}


# -------------------------------------------------------------------------- a folder that one run at a time writes to

if sys.platform != "win32":
    import fcntl


class OutputFolder:
    """Makes the folder and locks it against other runs; new folders that stay empty are removed again.

    A place in an object store needs not be made and cannot be locked; what its library fails with is told as one OutputError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._made: list[Path] = []
        self._lock: int | None = None

    def __enter__(self) -> Self:
        if is_remote(self.path):
            return self
        with writing(self.path):
            self._made = _make_folders(self.path)
            self._lock = _lock_folder(self.path)
        if self._lock is not None:
            _locks.add(self._lock)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if is_remote(self.path) and isinstance(error, Exception):
            with store_errors(self.path):
                raise error
        if self._lock is not None:
            _locks.discard(self._lock)
            os.close(self._lock)
        for folder in self._made:
            with suppress(OSError):  # it holds something now, so it stays
                folder.rmdir()


_locks: set[int] = set()
"""Handles of the folders that this process keeps others out of."""


def _release_locks_in_child() -> None:
    """Release the lock in a forked process, which may outlive its parent for a moment."""
    for handle in _locks:
        os.close(handle)
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_locks_in_child)


def _make_folders(path: Path) -> list[Path]:
    """Make the folder and its parents; returns the new ones, innermost first."""
    new_folders: list[Path] = []
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)  # another shard of the run may have made it just now
            new_folders.insert(0, folder)
    return new_folders


def _lock_folder(path: Path) -> int | None:
    """Keep other runs out for as long as this process lives."""
    if sys.platform == "win32":
        return None
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as fault:
        if fault.errno == errno.EWOULDBLOCK:
            os.close(handle)
            raise
        # a file system without locks: two runs at once are then not noticed
    return handle


# ------------------------------------------- packed files: pieces are packed on their own, so that they can be joined

_CHUNK = 2 * 1024
"""Compressed bytes taken in at once: few, because with zstd each of them may stand for 32 kB."""
_ZSTD_LEVEL = 3
_GZIP_LEVEL = 6


def pack(data: bytes | bytearray, packing: str | None) -> bytes | bytearray:
    """Return the data as one frame, or as it is; equal data gives equal bytes."""
    return PACKINGS[packing].pack(data) if packing else data


def packing_of(path: Path, begins: bytes = b"") -> str | None:
    """Return how a file is packed, by its first bytes if it is clear from these, or by its name."""
    packing_of_name = next((name for name, packing in PACKINGS.items() if path.suffix == packing.suffix), None)
    return next((name for name, packing in PACKINGS.items() if begins.startswith(packing.begins)), packing_of_name)


def suffix_of(packing: str | None) -> str:
    """Return what such a file's name ends with."""
    return PACKINGS[packing].suffix if packing else ""


def unpacked_name(path: Path) -> str:
    """Return the file's name without what says how it is packed."""
    return path.stem if packing_of(path) else path.name


@contextmanager
def reading(path: Path, *, foreign: bool = False) -> Iterator[BinaryIO]:
    """A file or an object, unpacked when its name says that it is packed.

    Args:
        path: What is read.
        foreign: Whether it is anybody's, whose name may not say how it is packed, and which may be Parquet.

    Raises:
        OutputError: when it cannot be read or is damaged.
    """
    if path.suffix == ".parquet" and not foreign:
        raise OutputError(f"{path}: this is a Parquet file; JSON Lines are expected (`run --sink jsonl` writes them)")
    try:
        with _opened_file(path) as file:
            packing = packing_of(path, file.peek(4) if foreign and isinstance(file, io.BufferedReader) else b"")
            check_packing(packing)
            yield io.BufferedReader(_Unpacked(file, PACKINGS[packing].unpacker), 1 << 18) if packing else file
    except FileNotFoundError:
        raise OutputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise OutputError(f"{path}: this is a folder; a file is expected") from None
    except _DamagedError as fault:
        raise OutputError(f"{path}: damaged, or not what its name says ({fault})") from None
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror or fault})") from None


@contextmanager
def _opened_file(path: Path) -> Iterator[BinaryIO]:
    """Open a file or an object for reading."""
    if is_remote(path):
        with plain_errors(), buffered(path) as file:
            yield file
        return
    _check_has_end(path)
    with path.open("rb") as file:
        yield file


def _check_has_end(path: Path) -> None:
    """Refuse devices other than terminals, which may have no end; pipes are read."""
    mode = path.stat().st_mode
    if stat.S_ISBLK(mode) or (stat.S_ISCHR(mode) and path != Path(os.devnull) and not _is_terminal(path)):
        raise OutputError(f"{path}: this is a device; a file is expected")


def _is_terminal(path: Path) -> bool:
    with path.open("rb", buffering=0) as file:
        return file.isatty()


class _DamagedError(Exception):
    """The packed bytes do not unpack; `reading` turns it into an OutputError with the path."""


class _Unpacked(io.RawIOBase):
    """Frame after frame of a packed file; unlike the libraries' own readers it notices a file that ends too early."""

    def __init__(self, file: BinaryIO, unpacker: Callable[[], Any]) -> None:
        self._file = file
        self._unpacker = unpacker
        self._open: Any = None
        self._packed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            if not self._packed:
                self._packed = self._file.read(_CHUNK)
                if not self._packed:
                    if self._open is not None:
                        raise _DamagedError("it ends too early")
                    return 0
            self._ready = memoryview(self._unpack())
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _unpack(self) -> bytes:
        """Return the bytes that the packed bytes at hand unpack to; what is behind the end of a stream is kept for the next."""
        if self._open is None:
            self._open = self._unpacker()
        packed, self._packed = self._packed, b""
        try:
            data: bytes = self._open.decompress(packed)
        except Exception as fault:  # gzip and zstd have errors of their own, and zstd is imported only when used
            raise _DamagedError(str(fault)) from None
        if self._open.eof:
            self._packed, self._open = self._open.unused_data, None
        return data


def check_packing(packing: str | None) -> None:
    """Raise OutputError when a package that packs so is not installed."""
    if packing == "zstd" and find_spec("zstandard") is None:
        raise OutputError(f"zstd needs the package zstandard: {installing('zstd')} (gzip needs nothing)")


def _zstd_pack(data: bytes | bytearray) -> bytes:
    """Return data as one frame of zstd."""
    import zstandard

    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compress(data)


def _zstd_unpacker() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


class Packing(NamedTuple):
    """One way to pack files."""

    suffix: str
    """The end of a file's name."""
    begins: bytes
    """How a frame begins."""
    pack: Callable[[bytes | bytearray], bytes]
    unpacker: Callable[[], Any]
    """Returns an object that unpacks one frame."""


PACKINGS = {
    "zstd": Packing(".zst", b"\x28\xb5\x2f\xfd", _zstd_pack, _zstd_unpacker),
    "gzip": Packing(
        ".gz",
        b"\x1f\x8b",
        lambda data: gzip.compress(data, compresslevel=_GZIP_LEVEL, mtime=0),
        lambda: zlib.decompressobj(wbits=31),
    ),
}


# --------------------------------------------------- files made from pieces, with the digest of what they hold so far

CHUNK = 1 << 20


class GrowingFile:
    """A file that pieces of other files are added to, in constant memory; it is open only while one is added."""

    def __init__(self, path: Path, name: str, packing: str | None = None) -> None:
        self.path = path
        self.name = name
        """What people know the file by."""
        self._packing = packing
        """How pieces that are added are packed already."""
        self.bytes = 0
        self._digest = hashlib.sha256()
        with self._output_errors():
            path.write_bytes(b"")

    @property
    def sha256(self) -> str:
        """Of all bytes so far."""
        return self._digest.hexdigest()

    def add(self, data: bytes | bytearray) -> None:
        """Add bytes."""
        with self._output_errors(), self.path.open("ab", buffering=0) as file:
            self._write(file, data)

    def add_from(self, source: BinaryIO, size: int) -> None:
        """Add the next `size` bytes of an open file.

        Raises:
            OutputError: when it holds less.
        """
        with self._output_errors(), self.path.open("ab", buffering=0) as file:
            while size:
                data = source.read(min(size, CHUNK))
                if not data:
                    raise OutputError(f"{source.name}: is shorter than it was")
                self._write(file, data)
                size -= len(data)

    def keep(self, path: Path, size: int) -> None:
        """Begin with the first `size` bytes of a finished file of this kind."""
        with open_regular(path) as source:
            self.add_from(source, size)

    def finish(self) -> None:
        """Make all of it durable."""
        if self._packing and not self.bytes:
            self.add(pack(b"", self._packing))  # an empty file is not a packed one
        with self._output_errors(), self.path.open("ab") as file:
            os.fsync(file.fileno())

    def _write(self, file: BinaryIO, data: bytes | bytearray) -> None:
        """Write all of the data, and count it and its digest in."""
        rest = memoryview(data)
        while rest:
            rest = rest[file.write(rest) or 0 :]
        self._digest.update(data)
        self.bytes += len(data)

    def _output_errors(self) -> AbstractContextManager[None]:
        return writing(self.path.with_name(self.name))


def read_all(source: BinaryIO, size: int) -> bytes:
    """Return the next `size` bytes of an open file; raises OutputError when it holds less."""
    data = source.read(size)
    if len(data) < size:
        raise OutputError(f"{source.name}: is shorter than it was")
    return data


MARK = "\x1e"
SEPARATOR = b"\x1e\n"


class TextFile(GrowingFile):
    """Documents; pieces that are added are JSON lines whose `text` is one."""

    def __init__(self, path: Path, name: str, packing: str | None) -> None:
        super().__init__(path, name)  # packed or not, it is empty where there is no document
        self._packed_by = packing

    def add_from(self, source: BinaryIO, size: int) -> None:
        """Add the documents of the next `size` bytes of JSON lines."""
        lines = read_all(source, size)
        documents = SEPARATOR.join([orjson.loads(line)["text"].encode() for line in lines.splitlines()])
        if lines:
            self.add(pack(SEPARATOR + documents if self.bytes else documents, self._packed_by))

    def keep(self, path: Path, size: int) -> None:
        """Begin with a finished file."""
        with open_regular(path) as source:
            super().add_from(source, size)


def count_documents(data: BinaryIO) -> int:
    """Return how many documents a file of them holds."""
    marks = size = 0
    while read := data.read(1 << 20):
        marks, size = marks + read.count(MARK.encode()), size + len(read)
    return marks + 1 if size else 0


def encode_line(record: Any) -> bytes:
    """Return one record as compact JSON with its newline; raises CannotCarryError for what JSON cannot say."""
    return write_exactly(record)


def encode_read_line(record: dict[str, Any]) -> bytes:
    """Return the same line, for the record of a row that was read from JSON, so that no number is NaN or infinite.

    Most of it are its tools, which are written once and not for every row (`convert` takes 17 % longer without). They are
    recognised by identity, so tool objects that many records share must not be changed.
    """
    try:
        tools = record.get("tools")
        if type(tools) is not list:
            return write_exactly(record)
        tools_and_texts = [_tool_texts.get(id(tool)) or _remember_tool(tool) for tool in tools]
        texts = [text for _, text in tools_and_texts]
        return write_exactly(record) if None in texts else orjson.dumps({**record, "tools": texts}) + b"\n"
    except TypeError:  # what orjson cannot write
        return write_exactly(record)


_tool_texts: dict[int, tuple[Any, orjson.Fragment | None]] = {}
"""id of a tool object → the object (held, so that its id stays its own), its text; None where that is not simple."""
_MOST_TOOL_TEXTS = 2048


def _remember_tool(tool: Any) -> tuple[Any, orjson.Fragment | None]:
    """Return (tool, its text as JSON or None) and keep it by the tool's identity, up to a number of tools."""
    if len(_tool_texts) >= _MOST_TOOL_TEXTS:
        _tool_texts.clear()
    tool_and_text = _tool_texts[id(tool)] = tool, _text_of_tool(tool)
    return tool_and_text


def _text_of_tool(tool: Any) -> orjson.Fragment | None:
    """Return the JSON of a tool, the same in every record; None for one that `write_exactly` writes otherwise, or refuses."""
    try:
        text = orjson.dumps(tool)
        return orjson.Fragment(text) if write_exactly(tool) == text + b"\n" else None
    except (TypeError, CannotCarryError):
        return None


# ------------------------------------------------------------------------------------------------------------ Parquet

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
        """Return the columns with their Arrow types."""
        import pyarrow

        json_type = pyarrow.json_() if self._arrow_json else pyarrow.string()
        types = {"text": pyarrow.string(), "flag": pyarrow.bool_(), "json": json_type}
        return pyarrow.schema([(key, types[kind]) for key, kind in self._columns.items()])

    def _table(self, lines: list[bytes], schema: "pyarrow.Schema") -> "pyarrow.Table":
        """Return JSON lines as an Arrow table."""
        import pyarrow

        rows = [_RECORD.decode(line) for line in lines]
        unknown = {key for row in rows for key in row} - self._columns.keys()
        if unknown:
            raise OutputError(f"{self.name}: no column is planned for {', '.join(sorted(unknown))}")
        columns = [[_cell_value(row.get(key), kind) for row in rows] for key, kind in self._columns.items()]
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


def _cell_value(raw: msgspec.Raw | None, kind: str) -> Any:
    """Return what a cell of a column holds: text, flag, or JSON as text."""
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
                    fields = {key: value for key, value in row.items() if value is not None}
                    yield orjson.loads(orjson.dumps(fields, default=str))
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


# ----------------------------------------------------------------------------------------------------- the containers


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
