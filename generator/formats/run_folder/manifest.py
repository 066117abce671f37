"""The manifest: what a finished run made, from what, and the digest of every file. It is written last."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from generator.core.errors import OutputError
from generator.core.exact_json import loads
from generator.core.files import read_regular, sha256_of
from generator.core.toolbox import LeftOut
from generator.formats import FORMATS
from generator.formats.files.lengths import Length
from generator.formats.run_folder.files import MANIFEST, PROOFS, companion_file, held_by
from generator.formats.run_folder.tally import Shared, Tally
from generator.llm.account import Account

T = TypeVar("T")
_Count = Annotated[int, msgspec.Meta(ge=0)]


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a run: rows, bytes and digest."""

    rows: _Count
    bytes: _Count
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A finished run."""

    manifest: int = 1
    """Version of this file's shape."""
    name: str
    recipe_sha256: str
    """Of the recipe's text, comments included; `made_from` says what of it counts."""
    rows: _Count
    made_from: dict[str, Any]
    tally: Tally
    lengths: dict[str, Length] = {}
    """Tokens of the records of each format."""
    shared: Shared | None = None
    """What the rows share with other files, where some were named."""
    left_out: tuple[LeftOut, ...] = ()
    """Tools and scenarios that could not be used, and why."""
    files: dict[str, FileEntry]
    cpu_seconds: float
    """Of all processes that made rows."""
    wall_seconds: float
    """Of the command that finished it; an interrupted run took longer."""
    llm: Account | None = None
    """What asking a model has cost, over all commands that worked on it."""
    confined: bool | None = None
    """Whether Landlock kept the Python files that the recipe names from other files and the network, where it was finished
    (docs/foreign-code.md); None: it names none."""

    @property
    def asked_for(self) -> int:
        """How many rows the recipe asked for: those that were removed are among them."""
        return self.rows + sum(sum(kinds.values()) for kinds in self.tally.removed.values())


def encode(value: msgspec.Struct) -> bytes:
    """Return a manifest, or a part of one, as JSON for people."""
    return json.dumps(msgspec.to_builtins(value), indent=2).encode() + b"\n"


def decode(data: bytes, kind: type[T]) -> T:
    """Return the value in a JSON text.

    Raises:
        ValueError: when it is cut off or something else.
    """
    try:
        plain: Any = loads(data)
        return msgspec.convert(plain, kind)
    except msgspec.ValidationError as fault:
        raise ValueError(str(fault)) from None


def check_file_names(names: Iterable[str]) -> None:
    """Raise ValueError for a name that leads out of the folder it stands in."""
    for name in names:
        name.encode()  # half a surrogate pair cannot be a file's name; UnicodeEncodeError is a ValueError
        if Path(name).name != name or "\0" in name or name in ("", ".", ".."):
            raise ValueError(f"{name!r} is no name of a file")


def is_as_written(path: Path, entry: FileEntry) -> bool:
    """Whether a file exists, is not a link, and has the size and digest that a manifest names."""
    try:
        return not path.is_symlink() and path.stat().st_size == entry.bytes and sha256_of(path) == entry.sha256
    except OSError:
        return False


def is_unrolled(file: Path) -> bool:
    """Whether the file's run wrote several records for a row; then proofs do not match single records."""
    if companion_file(file, PROOFS) is None:
        return False
    fmt = FORMATS.get(held_by(file.name).format)
    if fmt is not None and fmt.policy.records != "whole":
        return True
    try:
        manifest = read_manifest(file.parent)
    except OutputError:  # the file itself can be read all the same
        return False
    return manifest is not None and manifest.made_from.get("records") == "unrolled"


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest of a folder; None when there is none.

    Raises:
        OutputError: when it cannot be read.
    """
    path = folder / MANIFEST
    try:
        manifest = decode(read_regular(path), Manifest)
    except FileNotFoundError:
        return None
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror or fault})") from None
    except ValueError as fault:
        raise OutputError(f"{path}: not a manifest, or cut off ({fault})") from None
    try:
        check_file_names(manifest.files)
    except ValueError as fault:
        raise OutputError(f"{path}: not a manifest: {fault}") from None
    return manifest
