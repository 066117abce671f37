"""Folders and files in object stores, named by a URL such as `s3://bucket/prefix`.

A place in a store is a `UPath` of universal-pathlib, which is used like a `Path` (annotations say `Path`). Two things differ:
an object appears whole or not at all when it is put by one request, but never when it is opened and written to, which would
publish what was written before an error; and there are no folders, links or locks.

Credentials are found by the store's own library (for S3 as by the AWS command line), on each machine anew. They are never
part of a URL here, so they are in no record, manifest or message.
"""

import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

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

    The store is asked once whether anything is there, so that credentials and addresses that are wrong are told at once.

    Raises:
        OutputError: for a URL that is none of a store, holds credentials, or needs a package that is not installed; when the
            store does not answer, or not to us.
    """
    named = _URL.fullmatch(text)
    if named is None:
        return Path(text)
    kind, rest = named[1].lower(), named[2]
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
    with telling(text):
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
        _files(path).pipe_file(_key(path), data)


def put_file(source: Path, path: Path) -> None:
    """Write the content of a file of this machine as a whole object, in constant memory; raises OSError."""
    with plain_errors():
        _files(path).put_file(str(source), _key(path))


def move(source: Path, target: Path) -> None:
    """Give a file of this machine, or an object, another name in its folder or store, in place of what is there; raises OSError."""
    if not is_remote(source):
        source.replace(target)
        return
    with plain_errors():
        _files(source).mv(_key(source), _key(target))


def remove(paths: Iterable[Path]) -> None:
    """Remove objects, many at once; raises OSError."""
    there = list(paths)
    if there:
        with plain_errors():
            _files(there[0]).rm([_key(path) for path in there])


def list_objects(folder: Path) -> dict[str, int]:
    """Return the names and sizes in bytes of the objects directly in a place; empty where there are none."""
    with plain_errors():
        try:
            found = _files(folder).ls(_key(folder), detail=True)
        except (FileNotFoundError, NotADirectoryError):
            return {}
    return {entry["name"].rstrip("/").rpartition("/")[2]: entry.get("size") or 0 for entry in found}


def _files(path: Path) -> Any:
    return cast("Any", path).fs


def _key(path: Path) -> str:
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
def telling(what: object) -> Iterator[None]:
    """Raise any failure of a store's library as one OutputError about a place."""
    try:
        with plain_errors():
            yield
    except OSError as fault:
        raise OutputError(f"{what}: the object store does not serve this: {fault.strerror or fault}") from None
