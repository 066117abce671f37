"""The unit of work: a block of neighbouring rows, made and written by whoever gets it.

A block is a pure function of a job and its bounds, so it may be made anywhere, in any order, and more than once.
Its rows go to one part file; the record beside it is written last and means that the block is whole.
"""

import gc
import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from generator.core.errors import OutputError
from generator.core.toolbox import Toolbox
from generator.formats.run_folder.files import PARTS, PROOFS, Layout, packed_name
from generator.formats.run_folder.manifest import FileEntry
from generator.formats.run_folder.tally import Tally
from generator.formats.sinks import pack, write_whole
from generator.recipe import Recipe
from generator.run.engine.checked_row import make_checked_row
from generator.run.engine.lines import BlockLines
from generator.run.engine.passes.facts import Removed, RowFacts
from generator.run.engine.start import Identity, differences, identify
from generator.run.row import PreparedRecipe
from generator.run.usable import prepare_usable

BLOCK_ROWS = 1000
ASKED_BLOCK_ROWS = 50
"""Where a model is asked: rows are slow then, and whole blocks are what an interrupted run keeps."""


class Block(msgspec.Struct, frozen=True):
    """Rows [start, stop)."""

    start: int
    stop: int
    without: tuple[Removed, ...] = ()
    """Rows that are told as removed instead of being written."""
    again: tuple[tuple[int, int], ...] = ()
    """Rows that were like others, with how often they were made already."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker must know to make blocks; small, and the same for all blocks."""

    recipe: Recipe
    out: Path
    layout: Layout
    made_from: Identity
    """All that the bytes depend on."""
    digest: str
    """Of that."""
    pools: Path | None = None
    """Pools of values that are ready already."""


class Part(msgspec.Struct, frozen=True):
    """What a block adds to one file."""

    name: str
    entry: FileEntry


class BlockRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A finished block: its parts stand one after the other in the part file."""

    digest: str
    start: int
    stop: int
    parts: tuple[Part, ...]
    tally: Tally
    cpu_seconds: float
    keys: tuple[int, ...] = ()
    """One for each row, where rows that are alike are made anew."""
    facts: RowFacts | None = None
    """Of all rows, where some may be removed because of others."""
    without: tuple[Removed, ...] = ()
    """Rows that are removed."""
    why_failed: str = ""
    """Why the first row could not be made, if one could not."""


def encode_record(record: BlockRecord) -> bytes:
    """Return a record as it is written: its JSON on one line, and the SHA-256 of that on the next."""
    data = msgspec.json.encode(record)
    return b"%s\n%s\n" % (data, hashlib.sha256(data).hexdigest().encode())


def decode_record(data: bytes) -> BlockRecord:
    """Return the record that was written.

    Raises:
        ValueError: when it was cut off, or a byte of it was changed.
    """
    text, _, seal = data.partition(b"\n")
    if seal != hashlib.sha256(text).hexdigest().encode() + b"\n":
        raise ValueError("it is not as it was written")
    return msgspec.json.decode(text, type=BlockRecord)


def blocks_of(start: int, stop: int, size: int) -> Iterator[Block]:
    """Yield rows [start, stop) in blocks that end at multiples of `size`."""
    while start < stop:
        end = min(stop, start - start % size + size)
        yield Block(start, end)
        start = end


def part_path(out: Path, start: int) -> Path:
    """Return the rows of the block that begins at row `start`."""
    return out / PARTS / f"{start:012}.part"


def record_path(out: Path, start: int) -> Path:
    """Return the record of that block."""
    return out / PARTS / f"{start:012}.json"


def open_recipe(job: Job, toolbox: Toolbox | None = None) -> PreparedRecipe:
    """Load and compile what the job needs; of tools that another process has loaded, only compile them.

    Raises:
        GeneratorError: when that cannot be, or is not any more what the job was made for.
    """
    prepared = prepare_usable(job.recipe, toolbox)
    changed = list(differences(job.made_from, identify(job.recipe, job.layout)))
    if changed:
        raise OutputError("\n".join([f"{job.out}: changed while the run went on:", *changed]))
    return prepared


def make_block(job: Job, block: Block, prepared: PreparedRecipe) -> BlockRecord:
    """Make the rows of a block and write its part file, then its record."""
    started = time.process_time()
    lines, again = BlockLines(job.layout, prepared, block.without), dict(block.again)
    with rare_collections():
        for index in range(block.start, block.stop):
            lines.add(make_checked_row(prepared, index, again.get(index, 0)))
    return write_block(job, block, lines, time.process_time() - started)


def write_block(job: Job, block: Block, lines: BlockLines, cpu_seconds: float) -> BlockRecord:
    """Write the part file of a block whose rows are made, then its record."""
    begun = time.process_time()
    packing, rows = job.layout.packing, lines.rows
    pieces = {
        name: pack(text, packing) if name.endswith(".jsonl") and name != PROOFS else text  # its lines are moved yet
        for name, text in lines.joined().items()
    }
    record = BlockRecord(
        digest=job.digest,
        start=block.start,
        stop=block.stop,
        parts=tuple([Part(packed_name(name, job.layout), _entry(data, rows[name])) for name, data in pieces.items()]),
        tally=lines.tally,
        cpu_seconds=cpu_seconds + time.process_time() - begun,
        keys=lines.keys,
        facts=lines.facts.all(),
        without=block.without,
        why_failed=lines.why_failed,
    )
    write_whole(part_path(job.out, block.start), pieces.values())
    write_whole(record_path(job.out, block.start), [encode_record(record)])
    return record


_ALLOCATIONS = 50_000
"""How many objects more than before make the collector look for cycles."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """What is loaded stays, and rows hold hardly any cycles: the collector need not look through it again and again."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


def _entry(data: bytes | bytearray, rows: int) -> FileEntry:
    return FileEntry(rows=rows, bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
