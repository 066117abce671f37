"""What an unfinished run has done so far: the plan of the run and the records of its finished blocks.

    .parts/run.json              what the run depends on and how many rows it makes; written first
    .parts/000000002000.part     the lines of the block that begins at row 2000
    .parts/000000002000.json     its record, written last: without it the block does not count
    .parts/final/                the files of the data set while they are put together
    .parts/manifest.json         all of them are; from here on the run only gives them their names

Nothing here is trusted: what is torn, cut off or of another run is dropped and made again.
"""

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from generator.core.errors import OutputError
from generator.core.files import is_remote, names_in, open_regular, read_regular, remove_objects
from generator.core.toolbox import LeftOut
from generator.formats.run_folder.files import MANIFEST, PARTS, is_file_of_run
from generator.formats.run_folder.manifest import FileEntry, Manifest, check_file_names, decode, encode
from generator.formats.sinks import OutputFolder, write_whole, writing
from generator.run.engine.blocks import Block, BlockRecord, Identity, decode_record, digest, part_path, record_path
from generator.run.engine.shard import Shard, shard_folders

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
    for folder, is_ours in ((out / PARTS, _is_working_file), (out / PARTS / FINAL, _is_final_file)):
        yield from [folder / name for name in names_in(folder) if is_ours(name)]


def remove_final(out: Path) -> None:
    """Remove what is put together so far; the blocks stay."""
    if is_remote(out):
        return  # it is put together elsewhere
    _remove([out / PARTS / MANIFEST])
    _remove(path for path in files_of_run(out) if path.parent.name == FINAL)
    remove_folder(out / PARTS / FINAL)


def remove_parts(out: Path) -> None:
    """Forget an unfinished run, its plan first; a folder that holds something else stays."""
    with writing(out / PARTS):
        _remove(path for path in files_of_run(out) if path.name == PLAN)
        remove_final(out)
        _remove(files_of_run(out))
    remove_folder(out / PARTS)


def _remove(paths: Iterable[Path]) -> None:
    """Remove files, as far as they are there and can be removed, or objects."""
    there = list(paths)
    remove_objects([path for path in there if is_remote(path)])
    for path in [path for path in there if not is_remote(path)]:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def remove_folder(folder: Path) -> None:
    """Remove an empty folder; one that holds something stays. An object store has no folders."""
    if not is_remote(folder):
        with suppress(OSError):
            folder.rmdir()


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
        actual = "a link" if stat.S_ISLNK(mode) else "something else"
        raise OutputError(f"{path}: a run keeps a {kind} there, and this is {actual}; remove it, or use another --out")


def _is_working_file(name: str) -> bool:
    """Whether a file of this name in `.parts` is a plan, pools, a manifest, or a part or record of a block."""
    temporary = _TEMPORARY.fullmatch(name)
    plain = temporary[1] if temporary else name
    return plain in (PLAN, POOLS, MANIFEST) or _BLOCK.fullmatch(plain) is not None


def _is_final_file(name: str) -> bool:
    return is_file_of_run(name.removesuffix(_LINES))


_CHUNK = 1 << 20
_AtLeastOne = Annotated[int, msgspec.Meta(ge=1)]


class RunPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What an unfinished run is about."""

    made_from: Identity
    rows: _AtLeastOne
    block_rows: _AtLeastOne
    kept: Manifest | None = None
    """The finished run that this one extends: its rows are not made again.

    Packed files that were extended unpack to the same bytes as others; their frames end where the runs ended.
    """
    replaces: dict[str, FileEntry] = {}
    """Files of an earlier run that go away when this one is whole."""
    left_out: tuple[LeftOut, ...] = ()
    """Tools and scenarios that cannot be used: the manifest names them, also where shards are merged."""
    shard: Shard | None = None
    """Which of the blocks are made here; None: all."""
    recipe: str | None = None
    """Where the recipe of a shard stands, for `merge`."""

    @property
    def digest(self) -> str:
        """A short name for what the bytes depend on."""
        return digest(self.made_from)

    @property
    def first_row(self) -> int:
        """The first row that is to be made."""
        return self.kept.rows if self.kept else 0

    @property
    def _numbers(self) -> range:
        """The numbers of the blocks that are to be made: block 2 begins at row 2 * block_rows."""
        shard = self.shard or Shard(0, 1)
        first = self.first_row // self.block_rows
        return range(first + shard.index, -(-self.rows // self.block_rows), shard.of)

    def _block(self, number: int) -> Block:
        start = number * self.block_rows
        return Block(max(start, self.first_row), min(start + self.block_rows, self.rows))

    def blocks(self) -> Iterator[Block]:
        """Return all blocks that are to be made, in order."""
        return map(self._block, self._numbers)

    def block_at(self, start: int) -> Block | None:
        """Return the block that begins at a row; None when none of this plan does."""
        number = start // self.block_rows
        if number not in self._numbers:
            return None
        block = self._block(number)
        return block if block.start == start else None

    def rows_in(self, starts: Iterable[int]) -> int:
        """Return how many rows there are when the blocks that begin at these rows are finished."""
        blocks = (self.block_at(start) for start in starts)
        return self.first_row + sum(block.stop - block.start for block in blocks if block is not None)

    @property
    def row_count(self) -> int:
        """How many rows there are when all blocks are finished."""
        return self.first_row + sum(block.stop - block.start for block in self.blocks())


def plan_path(out: Path) -> Path:
    """Return where the plan of an unfinished run stands."""
    return out / PARTS / PLAN


def read_plan(out: Path) -> RunPlan | None:
    """Return the plan of an unfinished run; None when there is none, or none that can be read."""
    try:
        plan = decode(read_regular(plan_path(out)), RunPlan)
        check_file_names((*plan.replaces, *(plan.kept.files if plan.kept else ())))
    except (OSError, ValueError):
        return None
    return plan


def write_plan(out: Path, plan: RunPlan) -> None:
    """Begin a run, or go on with it; an unfinished run of something else is given up for it."""
    before = read_plan(out)
    if before is not None and before.digest != plan.digest:
        remove_parts(out)
    if not is_remote(out):
        with writing(out / PARTS):
            (out / PARTS).mkdir(exist_ok=True)
    write_whole(plan_path(out), [encode(plan)])


def read_block_record(out: Path, block: Block, name: str) -> BlockRecord | None:
    """Return the record of a finished block of the run that is called `name`; None when there is none."""
    try:
        record = decode_record(read_regular(record_path(out, block.start)))
    except (OSError, ValueError):
        return None
    return record if (record.digest, record.start, record.stop) == (name, block.start, block.stop) else None


def read_block_records(plan: RunPlan, found: Mapping[int, Path]) -> Iterator[BlockRecord]:
    """Yield the records of all blocks of a run, in order; raises OutputError when one is not there any more.

    Args:
        plan: The run.
        found: First row of each block → the folder that holds it.
    """
    for block in plan.blocks():
        record = read_block_record(found[block.start], block, plan.digest)
        if record is None:
            raise OutputError(f"{record_path(found[block.start], block.start)}: the record of a block went away")
        yield record


def starts_there(out: Path) -> set[int]:
    """Return the first rows of the blocks that have a record in a folder."""
    return {int(path.stem) for path in files_of_run(out) if path.suffix == ".json" and path.stem.isdecimal()}


class FoundBlocks(msgspec.Struct, frozen=True):
    """The blocks of a run that have a record, by their first rows."""

    folders: dict[int, Path] = {}
    """Of whole blocks: the folder that holds each, of the run or of a shard."""
    faults: dict[int, str] = {}
    """Of torn or changed blocks: which file, and what is wrong with it."""


def find_blocks(out: Path, plan: RunPlan) -> FoundBlocks:
    """Look closely at all blocks of a run that its own folder and those of its shards hold.

    Raises:
        OutputError: when a shard is being made just now, or is for more rows, so that blocks of its would be lost.
    """
    found = FoundBlocks()
    for folder in shard_folders(out):
        shard = read_plan(folder)
        if shard is None or (shard.digest, shard.block_rows) != (plan.digest, plan.block_rows):
            continue
        if shard.rows > plan.rows:
            raise OutputError(
                f"{folder}: is a shard of {shard.rows:,} rows, {plan.rows:,} are asked for; use another --out, or remove it"
            )
        with OutputFolder(folder):
            check_parts(folder)
            _check_blocks(folder, plan, found)
    _check_blocks(out, plan, found)
    return found


def _check_blocks(folder: Path, plan: RunPlan, found: FoundBlocks) -> None:
    """Look closely at the blocks of a plan that a folder holds, and note them in `found`."""
    for start in starts_there(folder):
        block = plan.block_at(start)
        if block is None:
            continue
        fault = _block_fault(folder, block, plan.digest)
        if fault is None:
            found.folders[start] = folder
        else:
            found.faults[start] = fault


def _block_fault(folder: Path, block: Block, digest: str) -> str | None:
    """Return what is wrong with the record or the part file of a block; None when both are whole."""
    record = read_block_record(folder, block, digest)
    if record is None:
        return f"{record_path(folder, block.start)}: was changed, or is the record of something else"
    path = part_path(folder, block.start)
    fault = part_file_fault(path, record)
    return None if fault is None else f"{path}: {fault}"


def part_file_fault(path: Path, record: BlockRecord) -> str | None:
    """Return why a part file is not what its record says; None when it is."""
    size = sum(entry.bytes for entry in record.parts.values())
    try:
        with open_regular(path) as file:
            there = file.seek(0, os.SEEK_END)
            file.seek(0)
            if there != size:
                return f"has {there} bytes instead of {size}"
            changed = [name for name, entry in record.parts.items() if not _has_digest(file, entry.bytes, entry.sha256)]
    except FileNotFoundError:
        return "is missing"
    except OSError as fault:
        return f"cannot be read ({fault.strerror or fault})"
    return f"was changed: its lines of {', '.join(changed)} are not those that were written" if changed else None


def _has_digest(file: BinaryIO, size: int, sha256: str) -> bool:
    """Whether the next `size` bytes of a file have this SHA-256."""
    digest_so_far = hashlib.sha256()
    while size:
        data = file.read(min(size, _CHUNK))
        if not data:
            return False
        digest_so_far.update(data)
        size -= len(data)
    return digest_so_far.hexdigest() == sha256


def remove_shards(out: Path, digest: str, rows: int) -> None:
    """Remove what the shards of a finished run have made; a folder that holds something else, or is written to just now, stays.

    Args:
        out: The folder of the run.
        digest: The digest of what it was made from.
        rows: How many rows it was asked for: shards of more rows stay.
    """
    for folder in shard_folders(out):
        plan = read_plan(folder)
        if plan is None or (plan.digest == digest and plan.rows <= rows):
            with suppress(OutputError), OutputFolder(folder):
                remove_parts(folder)
            remove_folder(folder)
