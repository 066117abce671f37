"""Write whole files or none, and turn errors of the file system into messages that people can act on."""

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from generator.core.errors import OutputError
from generator.core.files import is_remote, plain_errors, put_object


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
        raise write_error(path, fault) from fault


def write_error(path: Path, fault: OSError) -> OutputError:
    """Return the error that says why `path` could not be written."""
    return OutputError(f"{path}: {_reason(fault)}")


def _reason(fault: OSError) -> str:
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
