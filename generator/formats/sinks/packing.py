"""Compressed files: pieces are packed on their own, so that they can be made apart and joined, and read as one."""

import gzip
import io
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO

from generator.core.errors import OutputError, installing
from generator.core.files import buffered, is_remote, plain_errors

_CHUNK = 2 * 1024
"""Compressed bytes taken in at once: few, because with zstd each of them may stand for 32 kB."""
_ZSTD_LEVEL = 3
_GZIP_LEVEL = 6


def pack(data: bytes | bytearray, packing: str | None) -> bytes | bytearray:
    """Return the data as one frame, or as it is; equal data gives equal bytes."""
    return PACKINGS[packing][1](data) if packing else data


def packing_of(path: Path, begins: bytes = b"") -> str | None:
    """Return how a file is packed, by its first bytes if it is clear from these, or by its name."""
    named = (packing for packing, (suffix, *_) in PACKINGS.items() if path.suffix == suffix)
    return next((packing for packing, (*_, mark) in PACKINGS.items() if begins.startswith(mark)), next(named, None))


def suffix_of(packing: str | None) -> str:
    """Return what such a file's name ends with."""
    return PACKINGS[packing][0] if packing else ""


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
        with _opened(path) as file:
            packing = packing_of(path, file.peek(4) if foreign and isinstance(file, io.BufferedReader) else b"")
            check_packing(packing)
            yield io.BufferedReader(_Unpacked(file, _UNPACK[packing]), 1 << 18) if packing else file
    except FileNotFoundError:
        raise OutputError(f"{path}: there is no such file") from None
    except IsADirectoryError:
        raise OutputError(f"{path}: this is a folder; a file is expected") from None
    except _DamagedError as fault:
        raise OutputError(f"{path}: damaged, or not what its name says ({fault})") from None
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror or fault})") from None


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if is_remote(path):
        with plain_errors(), buffered(path) as file:
            yield file
        return
    _check_has_end(path)
    with path.open("rb") as found:
        yield found


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

    def __init__(self, file: BinaryIO, frame: Callable[[], Any]) -> None:
        self._file = file
        self._frame = frame
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
        if self._open is None:
            self._open = self._frame()
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
    import zstandard

    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL, write_checksum=True).compress(data)


def _zstd_frame() -> Any:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _gzip_pack(data: bytes | bytearray) -> bytes:
    return gzip.compress(data, compresslevel=_GZIP_LEVEL, mtime=0)


def _gzip_frame() -> Any:
    return zlib.decompressobj(wbits=31)


PACKINGS: dict[str, tuple[str, Callable[[bytes | bytearray], bytes], bytes]] = {
    "zstd": (".zst", _zstd_pack, b"\x28\xb5\x2f\xfd"),
    "gzip": (".gz", _gzip_pack, b"\x1f\x8b"),
}
"""By name: the end of a file's name, how data becomes a frame, and how a frame begins."""

_UNPACK: dict[str, Callable[[], Any]] = {"zstd": _zstd_frame, "gzip": _gzip_frame}
