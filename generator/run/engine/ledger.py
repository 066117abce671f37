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
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO

import msgspec

from generator.core.errors import OutputError
from generator.core.files import is_remote, open_regular, read_regular
from generator.core.toolbox import LeftOut
from generator.formats.run_folder.files import PARTS
from generator.formats.run_folder.manifest import FileEntry, Manifest, check_file_names, decode, encode
from generator.formats.sinks import write_whole, writing
from generator.run.engine.blocks import Block, BlockRecord, blocks_of, decode_record, part_path, record_path
from generator.run.engine.identity import Identity, digest
from generator.run.engine.parts import PLAN, files_of_run, remove_parts
from generator.run.engine.shards.shard import Shard

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

    def blocks(self) -> Iterator[Block]:
        """Return all blocks that are to be made, in order."""
        blocks = blocks_of(self.first_row, self.rows, self.block_rows)
        return blocks if self.shard is None else islice(blocks, self.shard.index, None, self.shard.of)


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


def read_block_records(plan: RunPlan, found_in: Callable[[Block], Path]) -> Iterator[BlockRecord]:
    """Yield the records of all blocks of a run, in order; raises OutputError when one is not there any more."""
    name = plan.digest
    for block in plan.blocks():
        record = read_block_record(found_in(block), block, name)
        if record is None:
            raise OutputError(f"{record_path(found_in(block), block.start)}: the record of a block went away")
        yield record


def drop_torn(out: Path, plan: RunPlan) -> int:
    """Remove every file of a run that is not a whole block of this one; returns how many rows there are."""
    rows = 0
    for path in _records(out):
        block = _block_at(int(path.stem), plan)
        record = read_block_record(out, block, plan.digest) if block else None
        if record is not None and part_file_fault(part_path(out, record.start), record) is None:
            rows += record.stop - record.start
        else:
            with writing(path):
                path.unlink()
    for path in files_of_run(out):
        if path != plan_path(out) and not _belongs_to_block(path):
            with writing(path):
                path.unlink(missing_ok=True)
    return rows


def rows_there(out: Path, plan: RunPlan) -> int:
    """Return how many rows are finished, by the names of the records."""
    rows = plan.first_row
    for path in _records(out):
        block = _block_at(int(path.stem), plan)
        rows += block.stop - block.start if block else 0
    return rows


def starts_there(out: Path) -> set[int]:
    """Return the first rows of the blocks that have a record."""
    return {int(path.stem) for path in _records(out)}


def _block_at(start: int, plan: RunPlan) -> Block | None:
    """Return the block of this run that begins there, if one does."""
    begins = start >= plan.first_row and (start == plan.first_row or start % plan.block_rows == 0)
    if plan.shard is not None and start // plan.block_rows % plan.shard.of != plan.shard.index:
        return None
    return next(blocks_of(start, plan.rows, plan.block_rows), None) if begins else None


def _records(out: Path) -> Iterator[Path]:
    return (path for path in files_of_run(out) if path.suffix == ".json" and path.stem.isdecimal())


def _belongs_to_block(path: Path) -> bool:
    return path.stem.isdecimal() and path.suffix in (".part", ".json") and path.with_suffix(".json").exists()


def part_file_fault(path: Path, record: BlockRecord) -> str | None:
    """Return why a part file is not what its record says; None when it is."""
    size = sum(part.entry.bytes for part in record.parts)
    try:
        with open_regular(path) as file:
            there = file.seek(0, os.SEEK_END)
            file.seek(0)
            if there != size:
                return f"has {there} bytes instead of {size}"
            changed = [part.name for part in record.parts if not _has_digest(file, part.entry.bytes, part.entry.sha256)]
    except FileNotFoundError:
        return "is missing"
    except OSError as fault:
        return f"cannot be read ({fault.strerror or fault})"
    return f"was changed: its lines of {', '.join(changed)} are not those that were written" if changed else None


def _has_digest(file: BinaryIO, size: int, sha256: str) -> bool:
    digest_so_far = hashlib.sha256()
    while size:
        data = file.read(min(size, _CHUNK))
        if not data:
            return False
        digest_so_far.update(data)
        size -= len(data)
    return digest_so_far.hexdigest() == sha256
