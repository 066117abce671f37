"""The shards of a run become its files: looked at closely, then joined as the blocks of one process would be."""

import hashlib
import stat
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, NoReturn

import msgspec

from generator.core.errors import OutputError
from generator.formats.run_folder.files import MANIFEST, Layout
from generator.formats.run_folder.manifest import Manifest, read_manifest
from generator.formats.sinks import PACKINGS, SINKS, OutputFolder
from generator.recipe import Recipe
from generator.report.files.contamination import read_against
from generator.run.engine.assembly import Assembly, Settler, give_names
from generator.run.engine.blocks import BLOCK_ROWS, Block, Job, differences, open_recipe, part_path, record_path
from generator.run.engine.executors import Serial
from generator.run.engine.ledger import (
    PLAN,
    RunPlan,
    check_kind,
    check_parts,
    drop_torn,
    part_file_fault,
    read_block_record,
    read_plan,
    remove_parts,
    remove_shard,
    rows_there,
    starts_there,
    write_plan,
)
from generator.run.engine.passes.decide import Unique, looks_across
from generator.run.engine.progress import Listener, RowsMade, RunFinished, RunStarted, RunStopped, ShardFinished, ignore
from generator.run.engine.run import (
    RunOptions,
    as_finished,
    check_executor,
    job_of,
    make_missing,
    remade,
    without_removed,
)
from generator.run.engine.shards.shard import Shard, check_divides, shard_folders
from generator.run.engine.start import begin

_MOST_TOLD = 12


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
            _refuse(f"{path}: does not belong to {first.name}:", [line.replace(" before,", " there,") for line in odd])
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
    started = time.perf_counter()
    job = job_of(recipe, out, layout)
    changed = list(differences(plan.made_from, job.made_from))
    if changed:
        _refuse(f"{out}: its shards were made from something else:", changed)
    with OutputFolder(out):
        check_parts(out)
        give_names(out)  # when an earlier merge ended just before that
        there = begin(job, plan.block_rows, overwrite)
        if isinstance(there, Manifest):
            finished = as_finished(out, there, 0)
        else:
            finished = _merge(job, _checked(job, there, plan, overwrite), plan, workers, started)
        remove_shards(out)
    return finished


def _checked(job: Job, there: RunPlan, plan: RunPlan, overwrite: bool) -> RunPlan:
    """Return the plan of the merged run, when all of it is there."""
    if not overwrite and (there.kept or there.block_rows != plan.block_rows):
        raise OutputError(
            f"{job.out}: holds a run that was begun without shards; with --overwrite the shards replace it"
        )
    faults = list(_faults(job.out, plan))
    if faults:
        _refuse(f"{job.out}: cannot be merged:", faults)
    return msgspec.structs.replace(there, kept=None, rows=plan.rows, block_rows=plan.block_rows, left_out=plan.left_out)


def _merge(job: Job, whole: RunPlan, plan: RunPlan, workers: int, started: float) -> RunFinished:
    out, of = job.out, plan.shard.of if plan.shard else 1
    against = read_against(job.layout.against)
    anew: set[int] = set()
    """First rows of the blocks that are made anew, which stand in the folder of the run."""

    def folder_of(block: Block) -> Path:
        return out if block.start in anew else out / Shard(block.start // plan.block_rows % of, of).folder

    try:
        write_plan(out, whole)
        drop_torn(out, whole)
        settler: Settler | None = None
        if job.recipe.unique:
            here = Serial(open_recipe(job))
            settler = Unique(lambda block: remade(job, block, here))
        if looks_across(job.recipe):
            anew |= starts_there(out)
            settler = without_removed(job, whole, RunOptions(workers=workers), open_recipe(job), folder_of)
            anew |= starts_there(out)
        with Assembly(job, whole, settler, folder_of, against) as assembly:
            assembly.add_finished()
            text = hashlib.sha256(job.recipe.text.encode()).hexdigest()
            manifest = assembly.finish(text, time.perf_counter() - started)
    except BaseException:
        if not rows_there(out, whole):
            remove_parts(out)
        raise
    give_names(out, assembly.stage)
    return as_finished(out, manifest, whole.rows)


def _faults(out: Path, plan: RunPlan) -> Iterator[str]:
    """Yield a line for every shard that lacks blocks, and for every file in which a byte was changed."""
    of = plan.shard.of if plan.shard else 1
    there = set(shard_folders(out))
    for index in range(of):
        shard = Shard(index, of)
        folder, blocks = out / shard.folder, list(msgspec.structs.replace(plan, shard=shard).blocks())
        if folder not in there:
            if blocks:
                yield f"{folder}: is missing, with {_rows(blocks)}; make it with --shard {index}/{of}"
            continue
        with OutputFolder(folder):  # nobody writes to it just now
            check_parts(folder)
            missing, starts = [], starts_there(folder)
            for block in blocks:
                if block.start not in starts:
                    missing.append(block)
                elif fault := _block_fault(folder, block, plan.digest):
                    yield f"{fault}; make it again with --shard {index}/{of}"
        if missing:
            yield f"{folder}: {_rows(missing)} are missing; go on with --shard {index}/{of}"


def _block_fault(folder: Path, block: Block, digest: str) -> str | None:
    record = read_block_record(folder, block, digest)
    if record is None:
        return f"{record_path(folder, block.start)}: was changed, or is the record of something else"
    path = part_path(folder, block.start)
    fault = part_file_fault(path, record)
    return None if fault is None else f"{path}: {fault}"


def _rows(blocks: list[Block]) -> str:
    """Return the rows of blocks in words: `rows 0 to 999, 4000 to 4999 and those of 7 more blocks`."""
    told = ", ".join(f"{block.start} to {block.stop - 1}" for block in blocks[:3])
    more = len(blocks) - 3
    return f"rows {told}" + (f" and those of {more} more block{'s' if more > 1 else ''}" if more > 0 else "")


def is_merged(out: Path) -> bool:
    """Whether a folder without shards holds a run; what a merge that ended too early left of them goes away.

    Raises:
        OutputError: when its manifest cannot be read.
    """
    if read_manifest(out) is None:
        return False
    remove_shards(out)
    return True


def remove_shards(out: Path) -> None:
    """Remove what shards have made; a folder that holds something else, or that is written to just now, stays."""
    for folder in shard_folders(out):
        with suppress(OutputError):
            remove_shard(folder)


def _refuse(what: str, faults: list[str]) -> NoReturn:
    told = faults[:_MOST_TOLD]
    if len(faults) > len(told):
        told.append(f"… and {len(faults) - len(told)} more")
    raise OutputError("\n  ".join([what, *told]))


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
