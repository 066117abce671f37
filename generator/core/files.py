"""Files: of this machine and of object stores, what comes with the program, and results that are cached between starts.

A place in a store (`s3://bucket/prefix`) is a `UPath` of universal-pathlib, which is used like a `Path` (annotations say `Path`). Two
things differ: an object appears whole or not at all when it is put by one request, but never when it is opened and written to, which
would publish what was written before an error; and there are no folders, links or locks. Credentials are found by the store's own
library (for S3 as by the AWS command line), on each machine anew. They are never part of a URL here, so they are in no record, manifest
or message.

Only regular files are read, never a pipe, a device or a file of the kernel, which may have no end. Nothing else in this package opens a
file to read it, but `formats/sinks.py`, which takes pipes, too (`tests/test_doors.py`).
"""

import errno
import hashlib
import io
import logging
import os
import pickle
import re
import stat
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

from generator.core.errors import OutputError, installing

STORES = {
    "s3": ("s3fs", "s3"),
    "gs": ("gcsfs", "gs"),
    "az": ("adlfs", "az"),
    "abfs": ("adlfs", "az"),
    "abfss": ("adlfs", "az"),
    "memory": ("fsspec", "s3"),
}
"""URL scheme → the package that it needs, and the extra of this package that installs it; `memory` is for trying out."""
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.:-]*)://(.*)", re.DOTALL)
"""A scheme, or several that stand for layers (`simplecache::s3`), which are refused by name."""
_CREDENTIALS = re.compile(r"[@?#]")


def place(text: str) -> Path:
    """Return the place that a person names: a path of this machine (also as `file:///…`), or a place in an object store.

    The store is asked once whether anything is there, so that wrong credentials and addresses are reported at once.

    Raises:
        OutputError: for a URL that is none of a store, holds credentials, or needs a package that is not installed; when the
            store does not answer, or not to us.
    """
    url = _URL.fullmatch(text)
    if url is None:
        return Path(text)
    kind, rest = url[1].lower(), url[2]
    if kind in ("file", "local"):
        return Path(rest)
    if kind not in STORES:
        raise OutputError(
            f"{kind}://: no kind of object store that is known ({', '.join(f'{name}://' for name in STORES)})"
        )
    if _CREDENTIALS.search(rest):
        raise OutputError(
            f"{kind}://: a URL with @, ? or # is not taken: credentials belong to the environment, where the library of the "
            "store finds them"
        )
    if not rest.strip("/"):
        raise OutputError(f"{text}: the name of a bucket is expected, such as {kind}://bucket/prefix")
    package, extra = STORES[kind]
    if find_spec("upath") is None or find_spec(package) is None:
        raise OutputError(f"{kind}:// needs the packages {package} and universal-pathlib: {installing(extra)}")
    from upath import UPath

    logging.getLogger("gcsfs").setLevel(logging.CRITICAL)  # it logs what it raises, with a traceback
    with store_errors(text):
        try:
            path = UPath(f"{kind}://{rest.rstrip('/')}", use_listings_cache=False)
            with suppress(FileNotFoundError):
                path.fs.info(path.path)
        except ValueError as fault:  # of adlfs, when the environment names no account
            raise OSError(str(fault)) from None
    return cast("Path", path)


def is_remote(path: Path) -> bool:
    """Whether a place is in an object store."""
    return not isinstance(path, Path)


def put_object(path: Path, data: bytes) -> None:
    """Write a whole object by one request, or by a multipart upload that appears when it is complete; raises OSError."""
    with plain_errors():
        _file_system(path).pipe_file(_object_key(path), data)


def put_file(source: Path, path: Path) -> None:
    """Give a file of this machine its final name, or make it an object, in constant memory; raises OSError."""
    if not is_remote(path):
        source.replace(path)
        return
    with plain_errors():
        _file_system(path).put_file(str(source), _object_key(path))


def remove_objects(paths: list[Path]) -> None:
    """Remove objects, many at once; raises OSError."""
    if paths:
        with plain_errors():
            _file_system(paths[0]).rm([_object_key(path) for path in paths])


def names_in(folder: Path) -> list[str]:
    """Return the names of what is directly in a folder or place, in order; empty where there is nothing."""
    if not is_remote(folder):
        return sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    paths: list[str] = []
    with plain_errors(), suppress(FileNotFoundError, NotADirectoryError):
        paths = _file_system(folder).ls(_object_key(folder), detail=False)
    return sorted(name.rstrip("/").rpartition("/")[2] for name in paths)


def _file_system(path: Path) -> Any:
    """Return the file system of a place in an object store, as fsspec has it."""
    return cast("Any", path).fs


def _object_key(path: Path) -> str:
    """Return the name of an object in its store: `bucket/prefix/file`."""
    return str(cast("Any", path).path)


_LIBRARIES = {"adlfs", "aiobotocore", "aiohttp", "azure", "botocore", "fsspec", "gcsfs", "google", "s3fs"}


def is_of_store(fault: Exception) -> bool:
    """Whether an exception comes from a library of an object store."""
    return type(fault).__module__.partition(".")[0] in _LIBRARIES


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn exceptions that the stores' libraries define themselves (no credentials, no answer, …) into OSError."""
    try:
        yield
    except Exception as fault:  # every store has errors of its own
        if not is_of_store(fault):
            raise
        raise OSError(f"{type(fault).__name__}: {fault}") from None


@contextmanager
def store_errors(what: object) -> Iterator[None]:
    """Raise any failure of a store's library as one OutputError about a place."""
    try:
        with plain_errors():
            yield
    except OSError as fault:
        raise OutputError(f"{what}: the object store does not serve this: {fault.strerror or fault}") from None


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
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_size:
        return os.fdopen(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(status.st_mode):
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


_FOLDERS = ("recipes", "tool_specs")


def shipped(folder: str) -> Path:
    """Return a folder that comes with the program."""
    package = Path(__file__).parents[1]
    inside = package / "share"
    return (inside if inside.is_dir() else package.parent) / folder


def is_shipped(where: str) -> bool:
    """Whether a place (`file:line`) is in a file that comes with the program, which its tests have compiled."""
    return Path(where).resolve().is_relative_to(_OWN)


def shipped_recipes() -> list[str]:
    """Return the names of the recipes that come with the program."""
    return sorted(path.stem for path in shipped("recipes").glob("*.yaml"))


_OWN = shipped("tool_specs").resolve()


def here_or_shipped(path: Path) -> Path:
    """Return the path; where nothing is there, the file that comes with the program under that name.

    `parallel` and `recipes/parallel.yaml` are the recipe of that name, `tool_specs/weather.json` is those tools.
    """
    try:
        if path.exists() or not path.parts:
            return path
        folder_name, *rest = path.parts
        found = shipped(folder_name).joinpath(*rest) if folder_name in _FOLDERS else shipped("recipes") / f"{path}.yaml"
        return found if ".." not in path.parts and not path.is_absolute() and found.is_file() else path
    except OSError:  # no name that a file can have
        return path


Result = TypeVar("Result")
_MOST = 1_000
"""Results that are kept; the oldest go first."""


def cached_result(
    key: tuple[object, ...],
    compute: Callable[[], Result],
    may_cache: Callable[[Result], bool],
    files: Collection[Path] = (),
) -> Result:
    """Return what `compute` returns, from the cache where nothing that it reads has changed.

    Args:
        key: What decides the result beside files, as values whose `repr` says all.
        compute: Reads files, and nothing else that may change.
        may_cache: Whether a result depends on nothing but the key and files.
        files: Files that it depends on although it does not read them.
    """
    file = cache_folder() / f"{blake2b(repr((_program_version(), key)).encode(), digest_size=16).hexdigest()}.pickle"
    with suppress(Exception):  # whatever a file holds that is broken or not ours to read
        cached: tuple[dict[str, bytes], Result] = pickle.loads(read_regular(file))
        if all(_digest(Path(path)) == digest for path, digest in cached[0].items()):
            return cached[1]
    with followed() as paths:
        result = compute()
    if may_cache(result):
        with suppress(OSError):
            _write_cached(
                file,
                pickle.dumps(
                    ({str(path): _digest(path) for path in {*paths, *files}}, result), pickle.HIGHEST_PROTOCOL
                ),
            )
    return result


def _write_cached(file: Path, data: bytes) -> None:
    """Write a cached result, whole or not at all, and remove the oldest ones."""
    for folder in (file.parents[1], file.parent):  # no home is made where there is none
        folder.mkdir(exist_ok=True, mode=0o700)
    part = file.with_suffix(f".{os.getpid()}.tmp")
    part.write_bytes(data)
    part.replace(file)
    for old in sorted(file.parent.glob("*.pickle"), key=lambda one: one.stat().st_mtime)[:-_MOST]:
        old.unlink()


def _digest(path: Path) -> bytes:
    return blake2b(read_regular(path), digest_size=16).digest()


def cache_folder() -> Path:
    """Return the folder of results; removing it costs nothing but the time to compute them again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tool-use-generator"


@cache
def _program_version() -> tuple[object, ...]:
    """Return what identifies this version of the program and its packages: names, sizes and times of its own files."""
    package = Path(__file__).parents[1]
    files: list[tuple[str, int, int]] = []
    folders = [str(package)]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.is_dir():
                folders += [entry.path] if entry.name != "__pycache__" else []
            else:
                stat = entry.stat()
                files.append((entry.path, stat.st_size, stat.st_mtime_ns))
    return (sys.version, Path(cast("Any", find_spec("msgspec")).origin).parents[1].stat().st_mtime_ns, sorted(files))
