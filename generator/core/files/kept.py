"""Results of reading files, kept between starts of the program: reading a hundred tools takes a second, and hardly ever finds anything new.

A result is a file in the user's cache folder. It holds as long as the files that were read for it, this program and the packages
beside it are the same; one that does not hold, or cannot be read or written, is computed as if it were not there.
"""

import os
import pickle
import sys
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

import msgspec

from generator.core.files.regular import followed, read_regular

Result = TypeVar("Result")
_MOST = 1_000
"""Results that are kept; the oldest go first."""


def kept(
    key: tuple[object, ...],
    compute: Callable[[], Result],
    may_keep: Callable[[Result], bool],
    files: Collection[Path] = (),
) -> Result:
    """Return what `compute` returns, from the cache where nothing that it reads has changed.

    Args:
        key: What decides the result beside files, as values whose `repr` says all.
        compute: Reads files, and nothing else that may change.
        may_keep: Whether a result depends on nothing but the key and files.
        files: Files that it depends on although it does not read them.
    """
    file = kept_folder() / f"{blake2b(repr((_program(), key)).encode(), digest_size=16).hexdigest()}.pickle"
    with suppress(Exception):  # whatever a file holds that is broken or not ours to read
        known: tuple[dict[str, bytes], Result] = pickle.loads(read_regular(file))
        if all(_digest(Path(path)) == digest for path, digest in known[0].items()):
            return known[1]
    with followed() as paths:
        result = compute()
    if may_keep(result):
        with suppress(OSError):
            _write(
                file,
                pickle.dumps(
                    ({str(path): _digest(path) for path in {*paths, *files}}, result), pickle.HIGHEST_PROTOCOL
                ),
            )
    return result


def _write(file: Path, data: bytes) -> None:
    for folder in (file.parents[1], file.parent):  # no home is made where there is none
        folder.mkdir(exist_ok=True, mode=0o700)
    part = file.with_suffix(f".{os.getpid()}.tmp")
    part.write_bytes(data)
    part.replace(file)
    results = sorted(file.parent.glob("*.pickle"), key=lambda one: one.stat().st_mtime)
    for old in results[:-_MOST]:
        old.unlink()


def _digest(path: Path) -> bytes:
    return blake2b(read_regular(path), digest_size=16).digest()


def kept_folder() -> Path:
    """Return the folder of results; removing it costs nothing but the time to compute them again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tool-use-generator"


@cache
def _program() -> tuple[object, ...]:
    """Return what tells this version of the program and its packages from others: names, sizes and times of its own files."""
    package = Path(__file__).parents[2]
    found: list[tuple[str, int, int]] = []
    folders = [str(package)]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.is_dir():
                folders += [entry.path] if entry.name != "__pycache__" else []
            else:
                about = entry.stat()
                found.append((entry.path, about.st_size, about.st_mtime_ns))
    return sys.version, Path(msgspec.__file__).parents[1].stat().st_mtime_ns, sorted(found)
