"""The working folder `.parts` of a run: what may stand in it, and how it goes away.

A run writes files of a closed set of names. What has another name was put there by somebody else and is never removed.
A link, a pipe or a folder where a run has a file, and a link where it has a folder, are refused before anything is
written: they would lead it to somebody else's files, or keep it waiting for ever.
"""

import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from generator.core.errors import OutputError
from generator.core.files import is_remote, list_objects, remove
from generator.formats.run_folder.files import MANIFEST, PARTS, is_file_of_run
from generator.formats.sinks import writing

FINAL = "final"
"""Folder of the data set's files while they are put together."""
PLAN = "run.json"
POOLS = "pools"
_BLOCK = re.compile(r"[0-9]{12,}\.(?:part|json)")
_TEMPORARY = re.compile(r"\.(.+)\.[0-9]+\.tmp")
"""What `sinks.write_whole` writes to first."""
_LINES = ".lines"
"""What a Parquet file's rows wait in."""


def check_parts(out: Path) -> None:
    """Raise OutputError unless the working folder, if there is one, is a folder and its files are files."""
    if is_remote(out):
        return  # an object store has neither links nor pipes
    for folder in (out / PARTS, out / PARTS / FINAL):
        check_kind(folder, stat.S_ISDIR, "folder")
    for path in files_of_run(out):
        check_kind(path, stat.S_ISREG, "file")


def files_of_run(out: Path) -> Iterator[Path]:
    """Yield the files in the working folder that a run has, or could have, written."""
    if is_remote(out):
        yield from [out / PARTS / name for name in sorted(list_objects(out / PARTS)) if _is_working_file(name)]
        return
    for folder, is_ours in ((out / PARTS, _is_working_file), (out / PARTS / FINAL, _is_final_file)):
        with suppress(FileNotFoundError):
            yield from sorted(path for path in folder.iterdir() if is_ours(path.name))


def remove_final(out: Path) -> None:
    """Remove what is put together so far; the blocks stay."""
    if is_remote(out):
        return  # it is put together elsewhere
    with suppress(OSError):
        (out / PARTS / MANIFEST).unlink(missing_ok=True)
    _remove_all(path for path in files_of_run(out) if path.parent.name == FINAL)
    with suppress(OSError):
        (out / PARTS / FINAL).rmdir()


def remove_parts(out: Path) -> None:
    """Forget an unfinished run, its plan first; a folder that holds something else stays."""
    if is_remote(out):
        there = list(files_of_run(out))
        with writing(out / PARTS):
            remove(path for path in there if path.name == PLAN)
            remove(path for path in there if path.name != PLAN)
        return
    _remove_all([out / PARTS / PLAN])
    remove_final(out)
    _remove_all(files_of_run(out))
    with suppress(OSError):
        (out / PARTS).rmdir()


def _remove_all(paths: Iterable[Path]) -> None:
    for path in paths:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def check_kind(path: Path, is_kind: Callable[[int], bool], kind: str) -> None:
    """Raise OutputError when something of another kind is there."""
    if is_remote(path):
        return
    with writing(path):
        try:
            mode = path.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            return
    if not is_kind(mode):
        found = "a link" if stat.S_ISLNK(mode) else "something else"
        raise OutputError(f"{path}: a run keeps a {kind} there, and this is {found}; remove it, or use another --out")


def _is_working_file(name: str) -> bool:
    temporary = _TEMPORARY.fullmatch(name)
    plain = temporary[1] if temporary else name
    return plain in (PLAN, POOLS, MANIFEST) or _BLOCK.fullmatch(plain) is not None


def _is_final_file(name: str) -> bool:
    return is_file_of_run(name.removesuffix(_LINES))
