"""The blocks of shards, when one command makes the rest of the run: they are taken over."""

from contextlib import suppress
from pathlib import Path

from generator.core.errors import OutputError
from generator.core.files import is_remote, move
from generator.formats.sinks import OutputFolder, writing
from generator.run.engine.blocks import part_path, record_path
from generator.run.engine.ledger import RunPlan, read_plan, starts_there
from generator.run.engine.parts import check_parts, remove_parts
from generator.run.engine.shards.shard import shard_folders


def shards_of(out: Path, plan: RunPlan) -> list[Path]:
    """Return the folders of shards that have made blocks of a run, in blocks of its size.

    Raises:
        OutputError: when they are for more rows, so that blocks of theirs would be lost.
    """
    plans = {path: read_plan(path) for path in shard_folders(out)}
    found = {
        path: shard
        for path, shard in plans.items()
        if shard and (shard.digest, shard.block_rows) == (plan.digest, plan.block_rows)
    }
    for path, shard in found.items():
        if shard.rows > plan.rows:
            raise OutputError(
                f"{path}: is a shard of {shard.rows:,} rows, {plan.rows:,} are asked for; use another --out, or remove it"
            )
    return list(found)


def take_over(out: Path, shards: list[Path]) -> None:
    """Move the blocks of shards into the folder of the run, which looks at them as at its own; then the shards are gone.

    Raises:
        OutputError: when one of them is being made just now.
    """
    for folder in shards:
        with OutputFolder(folder):
            check_parts(folder)
            for start in starts_there(folder) - starts_there(out):
                with writing(out), suppress(FileNotFoundError):  # a record without its block does not count
                    for place in (part_path, record_path):
                        move(place(folder, start), place(out, start))
        remove_shard(folder)


def remove_shard(folder: Path) -> None:
    """Remove what a shard has made, and its folder; one that holds something else stays."""
    with OutputFolder(folder):
        remove_parts(folder)
    if not is_remote(folder):
        with suppress(OSError):
            folder.rmdir()
