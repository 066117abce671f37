"""The door for reading: regular files only, never a pipe, a device or a file of the kernel, which may have no end.

Nothing else in this package opens a file to read it, but `formats/sinks/packing.py`, which takes pipes, too
(`tests/test_doors.py`).
"""

import errno
import hashlib
import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from generator.core.files.stores import is_remote, plain_errors

MOST_BYTES = 64 * 1024 * 1024
"""Of a file that is read as a whole."""


def open_regular(path: Path) -> io.BufferedReader | io.BytesIO:
    """Open a file or an object to read its bytes. What has no size (as in `/proc`) has no bytes.

    Raises:
        OSError: when there is no such file, or it is a folder, a pipe or a device.
    """
    if is_remote(path):
        return buffered(path)
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))  # a pipe would wait
    found = os.fstat(handle)
    if stat.S_ISREG(found.st_mode) and found.st_size:
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "this is a device or a pipe; a file is expected", str(path))
    return io.BytesIO()


def buffered(path: Path) -> io.BufferedReader:
    """Open an object of a store, read in large pieces."""
    with plain_errors():
        return io.BufferedReader(path.open("rb"), _PIECE)  # what fsspec opens is a raw file


_PIECE = 1 << 20


def read_regular(path: Path) -> bytes:
    """Return all bytes of a file.

    Raises:
        OSError: as `open_regular` does, and when there are more than `MOST_BYTES`.
    """
    for paths in _FOLLOWED:
        paths.add(path)
    with open_regular(path) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise OSError(
            errno.EFBIG, f"it has more than {MOST_BYTES:,} bytes, and these are the most that are read", str(path)
        )
    return data


_FOLLOWED: list[set[Path]] = []


@contextmanager
def followed() -> Iterator[set[Path]]:
    """Note which files are read as a whole."""
    paths: set[Path] = set()
    _FOLLOWED.append(paths)
    try:
        yield paths
    finally:
        _FOLLOWED.remove(paths)


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal; raises OSError as `open_regular` does."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
