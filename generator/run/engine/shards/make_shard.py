"""One shard of a run: its blocks and its ledger in a folder of its own, and no files of the data set."""

import stat
import time
from contextlib import closing
from pathlib import Path

import msgspec

from generator.core.errors import OutputError
from generator.formats.run_folder.files import MANIFEST
from generator.formats.run_folder.manifest import Manifest
from generator.formats.sinks import OutputFolder
from generator.recipe import Recipe
from generator.run.engine.blocks import BLOCK_ROWS, Job, open_recipe
from generator.run.engine.ledger import RunPlan, drop_torn, rows_there, write_plan
from generator.run.engine.parts import check_kind, check_parts, remove_parts
from generator.run.engine.progress import Listener, RowsMade, RunFinished, RunStarted, RunStopped, ShardFinished, ignore
from generator.run.engine.run import RunOptions, as_finished, check_executor, job_of, make_missing
from generator.run.engine.shards.shard import Shard, check_divides
from generator.run.engine.start import begin


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
        recipe_path = str(recipe.path.absolute())
        made = _make(job, msgspec.structs.replace(plan, shard=shard, recipe=recipe_path), how, listener)
        finished = ShardFinished(out, shard, _rows_of(plan, shard), made)
    listener(finished)
    return finished


def _make(job: Job, plan: RunPlan, how: RunOptions, listener: Listener) -> int:
    """Make what is missing, and keep what is finished when that fails; returns how many rows were made."""
    begun = time.perf_counter()
    prepared = open_recipe(job)
    start_up = time.perf_counter() - begun
    plan = msgspec.structs.replace(plan, left_out=prepared.left_out)
    rows = _rows_of(plan, plan.shard)
    try:
        write_plan(job.out, plan)
        done = there = drop_torn(job.out, plan)
        listener(RunStarted(job.recipe, job.out, there, rows, prepared.left_out))
        with closing(make_missing(job, plan, how, prepared, start_up, None)) as records:
            for record in records:
                done += record.stop - record.start
                listener(RowsMade(done, rows))
    except BaseException:
        kept = rows_there(job.out, plan)
        if kept:
            listener(RunStopped(job.out, kept, rows))
        else:
            remove_parts(job.out)
        raise
    return done - there


def _rows_of(plan: RunPlan, shard: Shard | None) -> int:
    return sum(block.stop - block.start for block in msgspec.structs.replace(plan, shard=shard).blocks())
