"""Files that get their final name only when they are whole.

Everything is written beside its final place under a hidden temporary name. `commit` makes the data
durable and renames; leaving the `with` block in any other way removes what was written.
"""

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from generator.sinks.disk import writing
from generator.sinks.jsonl import JsonlSink

if sys.platform != "win32":
    import fcntl


class OutputFolder:
    """A folder that one run fills."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sinks: dict[str, JsonlSink] = {}
        self._made: list[Path] = []
        self._lock: int | None = None

    def __enter__(self) -> Self:
        with writing(self.path):
            self._made = _make_folders(self.path)
            self._lock = _lock_folder(self.path)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for sink in self._sinks.values():
            sink.discard()
        if self._lock is not None:
            os.close(self._lock)
        for folder in self._made:
            with suppress(OSError):  # it holds something now, so it stays
                folder.rmdir()

    def jsonl(self, name: str) -> JsonlSink:
        """A new JSONL file of that name."""
        with writing(self.path / name):
            sink = JsonlSink(self.path / name, self.path / f".{name}.part")
        self._sinks[name] = sink
        return sink

    def commit(self) -> list[Path]:
        """Give all files their final names; returns them in the order they were opened."""
        for sink in self._sinks.values():
            with writing(sink.path):
                sink.finish()
        for sink in self._sinks.values():
            with writing(sink.path):
                sink.part.replace(sink.path)
        with writing(self.path):
            _sync_folder(self.path)
        paths = [sink.path for sink in self._sinks.values()]
        self._sinks.clear()
        return paths


def _make_folders(path: Path) -> list[Path]:
    """Make the folder and its parents; returns the new ones, innermost first."""
    made: list[Path] = []
    for folder in (*reversed(path.parents), path):
        if not folder.is_dir():
            folder.mkdir()
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


def _sync_folder(path: Path) -> None:
    """Make the renames durable."""
    if sys.platform == "win32":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
