"""A folder that one run at a time writes to."""

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from generator.core.files import is_remote, telling
from generator.formats.sinks.disk import writing

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
            with telling(self.path):
                raise error
        if self._lock is not None:
            _locks.discard(self._lock)
            os.close(self._lock)
        for folder in self._made:
            with suppress(OSError):  # it holds something now, so it stays
                folder.rmdir()


_locks: set[int] = set()
"""Handles of the folders that this process keeps others out of."""


def _let_go() -> None:
    """Release the lock in a forked process, which may outlive its parent for a moment."""
    for handle in _locks:
        os.close(handle)
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


def _make_folders(path: Path) -> list[Path]:
    """Make the folder and its parents; returns the new ones, innermost first."""
    made: list[Path] = []
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir(exist_ok=True)  # another shard of the run may have made it just now
            made.insert(0, folder)
    return made


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
