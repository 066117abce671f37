"""The shards of a run: each makes its blocks in a folder of its own, and `merge` joins them to the files of the run."""

import stat
from pathlib import Path
from typing import Annotated

import msgspec

from generator.core.errors import OutputError
from generator.formats.run_folder.files import MANIFEST, Layout
from generator.formats.run_folder.manifest import Manifest, read_manifest
from generator.formats.sinks import PACKINGS, SINKS, OutputFolder
from generator.recipe import Recipe
from generator.run.engine.assembly import give_names
from generator.run.engine.blocks import BLOCK_ROWS, Block, differences, digest
from generator.run.engine.ledger import (
    PLAN,
    FoundBlocks,
    RunPlan,
    check_kind,
    check_parts,
    find_blocks,
    read_plan,
    remove_shards,
)
from generator.run.engine.progress import Listener, RunFinished, ShardFinished, ignore
from generator.run.engine.run import RunOptions, as_finished, check_executor, job_of, join_blocks, making_blocks
from generator.run.engine.shard import Shard, check_divides, shard_folders
from generator.run.engine.start import begin, listed


def plan_of_shards(out: Path) -> RunPlan | None:
    """Return what the shards in a folder make together: the plan of one of them. None when there are none.

    Raises:
        OutputError: when they do not belong together.
    """
    plans = {
        path: plan for path in shard_folders(out) if (plan := read_plan(path)) is not None and plan.shard is not None
    }
    if not plans:
        return None
    first, plan = next(iter(plans.items()))
    for path, other in plans.items():
        if other.shard is None or other.shard.folder != path.name:
            raise OutputError(f"{path}: holds another shard than its name says; give it its name back")
        odd = list(differences(_in_common(plan), _in_common(other)))
        if odd:
            lines = [line.replace(" before,", " there,") for line in odd]
            raise OutputError(listed(f"{path}: does not belong to {first.name}:", lines))
    return plan


def _in_common(plan: RunPlan) -> dict[str, object]:
    of = plan.shard.of if plan.shard else None
    return {**plan.made_from, "shards": of, "rows": plan.rows, "rows of a block": plan.block_rows}


class ShardSettings(msgspec.Struct, frozen=True):
    """What the command line of a shard may have said; the names are those of an identity."""

    seed: int
    formats: tuple[str, ...]
    sinks: tuple[str, ...]
    compress: str | None
    shard_rows: Annotated[int, msgspec.Meta(ge=1)] | None

    @property
    def layout(self) -> Layout:
        """How the shards put rows into files."""
        return Layout(sinks=self.sinks, packing=self.compress, shard_rows=self.shard_rows)


def settings_of(out: Path, plan: RunPlan) -> ShardSettings:
    """Return the settings that the shards in a folder were made with.

    Raises:
        OutputError: when their plan was changed.
    """
    try:
        settings = msgspec.convert(plan.made_from, ShardSettings)
    except msgspec.ValidationError as fault:
        raise OutputError(f"{out}: the plan of its shards ({PLAN}) was changed: {fault}") from None
    unknown = [*set(settings.sinks).difference(SINKS), *{settings.compress}.difference({None, *PACKINGS})]
    if unknown:
        raise OutputError(f"{out}: the plan of its shards ({PLAN}) was changed: {unknown[0]!r} is unknown")
    return settings


def merge(
    recipe: Recipe, plan: RunPlan, out: Path, layout: Layout, *, overwrite: bool = False, workers: int = 1
) -> RunFinished:
    """Write the files of a run from its shards, which then go away.

    Args:
        recipe: What the shards were made from.
        plan: What `plan_of_shards` gave.
        out: The folder they are in.
        layout: That of `settings_of`, with or without a report, and files to compare with.
        overwrite: Replace a run that is there.
        workers: Processes that make blocks again from which rows are removed.

    Raises:
        OutputError: when blocks are missing or were changed, by name, or the recipe is another one. The shards, and
            files that have their final names, are then as they were.
    """
    job = job_of(recipe, out, layout)
    changed = list(differences(plan.made_from, job.made_from))
    if changed:
        raise OutputError(listed(f"{out}: its shards were made from something else:", changed))
    with OutputFolder(out):
        check_parts(out)
        give_names(out)  # when an earlier merge ended just before that
        there = begin(job, plan.block_rows, overwrite)
        if isinstance(there, Manifest):
            finished = as_finished(out, there, 0)
        else:
            whole = _without_shards(out, there, plan, overwrite)
            found = find_blocks(out, whole)
            _check_all_there(out, plan, found)
            how = RunOptions(layout=layout, workers=workers)
            finished = msgspec.structs.replace(join_blocks(job, whole, found, how, ignore), made=whole.rows)
        remove_shards(out, job.digest, plan.rows)
    return finished


def _without_shards(out: Path, there: RunPlan, shards: RunPlan, overwrite: bool) -> RunPlan:
    """Return the plan of the merged run, whose blocks are those of the shards."""
    if not overwrite and (there.kept or there.block_rows != shards.block_rows):
        raise OutputError(f"{out}: holds a run that was begun without shards; with --overwrite the shards replace it")
    return msgspec.structs.replace(there, kept=None, rows=shards.rows, block_rows=shards.block_rows)


def _check_all_there(out: Path, shards: RunPlan, found: FoundBlocks) -> None:
    """Raise OutputError that names the shards and blocks that are missing, and the files that were changed."""
    of = shards.shard.of if shards.shard else 1
    there, faults = set(shard_folders(out)), []
    for index in range(of):
        shard = Shard(index, of)
        folder, again = out / shard.folder, f"--shard {index}/{of}"
        blocks = list(msgspec.structs.replace(shards, shard=shard).blocks())
        lost = [block for block in blocks if block.start not in found.folders]
        missing = [block for block in lost if block.start not in found.faults]
        changed = [found.faults[block.start] for block in lost if block.start in found.faults]
        faults += [f"{fault}; make it again with {again}" for fault in changed]
        if missing and folder not in there:
            faults.append(f"{folder}: is missing, with {_rows(missing)}; make it with {again}")
        elif missing:
            faults.append(f"{folder}: {_rows(missing)} are missing; go on with {again}")
    if faults:
        raise OutputError(listed(f"{out}: cannot be merged:", faults))


def _rows(blocks: list[Block]) -> str:
    """Return the rows of blocks in words: `rows 0 to 999, 4000 to 4999 and those of 7 more blocks`."""
    ranges = ", ".join(f"{block.start} to {block.stop - 1}" for block in blocks[:3])
    more = len(blocks) - 3
    return f"rows {ranges}" + (f" and those of {more} more block{'s' if more > 1 else ''}" if more > 0 else "")


def is_merged(out: Path) -> bool:
    """Whether a folder without shards holds a run; what a merge that ended too early left of them goes away.

    Raises:
        OutputError: when its manifest cannot be read.
    """
    manifest = read_manifest(out)
    if manifest is not None:
        remove_shards(out, digest(manifest.made_from), manifest.asked_for)
    return manifest is not None


def make_shard(
    recipe: Recipe, out: Path, shard: Shard, listener: Listener = ignore, how: RunOptions | None = None
) -> ShardFinished | RunFinished:
    """Make all blocks of a shard that are not there yet; what the whole run made when it is merged already.

    Args:
        recipe: With a number of rows, and without a model.
        out: The folder of the whole run, which all shards write to.
        shard: Which of them.
        listener: Is told how it goes.
        how: As for a whole run; `layout.report` and `layout.against` are for `merge`.

    Raises:
        GeneratorError: as for a whole run, and when rows of the recipe cannot be made apart from each other.
    """
    how = how or RunOptions()
    check_divides(recipe)
    check_executor(out, how)
    whole = job_of(recipe, out, how.layout)
    block_rows = how.block_rows or BLOCK_ROWS
    there = begin(whole, block_rows, how.overwrite)
    if isinstance(there, Manifest):
        merged = as_finished(out, there, 0)
        listener(merged)
        return merged
    if there.kept:
        raise OutputError(
            f"{out}: holds a finished run of {there.kept.rows:,} rows, which is made longer without --shard\n"
            "Use another --out, or --overwrite to make all rows anew."
        )
    job = msgspec.structs.replace(whole, out=out / shard.folder)
    check_kind(job.out, stat.S_ISDIR, "folder")
    with OutputFolder(job.out):
        check_parts(job.out)
        plan = begin(job, block_rows, how.overwrite)
        if isinstance(plan, Manifest) or plan.kept:
            raise OutputError(
                f"{job.out / MANIFEST}: a shard's folder holds no finished run; remove it, or use another --out"
            )
        plan = msgspec.structs.replace(plan, shard=shard, recipe=str(recipe.path.absolute()))
        with making_blocks(job, plan, find_blocks(job.out, plan), how, listener) as maker:
            before = maker.rows
            for _ in maker.make_missing():
                pass
        finished = ShardFinished(out, shard, plan.row_count, maker.rows - before)
    listener(finished)
    return finished
