"""A whole run: blocks of rows are made by an executor, joined in order, and named when all of them are there.

Whatever ends a run too early, finished blocks stay in the folder `.parts` and are never made again.
"""

import hashlib
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from generator.arguments import dump_pools
from generator.core.errors import OutputError
from generator.core.files import is_remote
from generator.formats.run_folder.files import PARTS, Layout, check_layout
from generator.formats.run_folder.manifest import Manifest
from generator.formats.sinks import OutputFolder, write_whole
from generator.recipe import Recipe
from generator.report.files.contamination import read_against
from generator.run.engine.assembly import Assembly, Settler, give_names
from generator.run.engine.blocks import (
    ASKED_BLOCK_ROWS,
    BLOCK_ROWS,
    Block,
    BlockRecord,
    Job,
    digest,
    identify,
    open_recipe,
)
from generator.run.engine.checked_row import settle_rows
from generator.run.engine.executors import Executor, Processes, Serial, can_fork
from generator.run.engine.ledger import (
    POOLS,
    RunPlan,
    check_parts,
    drop_torn,
    read_block_records,
    remove_parts,
    rows_there,
    shards_of,
    starts_there,
    take_over,
    write_plan,
)
from generator.run.engine.passes.decide import Passes, Unique, check_passes, looks_across, removed_rows
from generator.run.engine.progress import Listener, RowsMade, RunFinished, RunStarted, RunStopped, Written, ignore
from generator.run.engine.start import begin
from generator.run.prepared import PreparedRecipe

if TYPE_CHECKING:
    from generator.run.engine.asked import Tell, Window

from generator.run.engine.checked_row import make_checked_row

EXECUTORS = ("auto", "serial", "processes", "ray")
_WORTH_IT = 0.5
"""Seconds that more processes must save."""
_WARMING_UP = 1.5
"""Seconds of a process that begins anew, beside those of loading the tools."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how a run is made; nothing of it changes a row."""

    workers: int = 1
    executor: str = "auto"
    """One of EXECUTORS; `auto` starts processes when that pays."""
    layout: Layout = Layout()
    ray_address: str | None = None
    """HOST:6379 of a running cluster, for the executor `ray`; None: start one on this machine."""
    shared_fs: bool = False
    """Whether all nodes of the cluster see the folder."""
    overwrite: bool = False
    block_rows: int | None = None
    """None: as many as is usual."""
    cache_only: bool = False
    """For recipes that ask a model: take answers from the cache alone."""


def all_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def job_of(recipe: Recipe, out: Path, layout: Layout) -> Job:
    """Return what the run makes.

    Raises:
        OutputError: for a layout that the recipe's formats cannot have.
    """
    check_layout(recipe, layout)
    check_passes(recipe)
    made_from = identify(recipe, layout)
    return Job(recipe=recipe, out=out, layout=layout, made_from=made_from, digest=digest(made_from))


def run(recipe: Recipe, out: Path, listener: Listener = ignore, how: RunOptions | None = None) -> RunFinished:
    """Make all rows of a recipe that are not there yet, and write them to the folder `out`.

    Raises:
        GeneratorError: when the tools cannot serve the recipe, a row cannot be made, the folder cannot be written,
            or something else is in it. Files that have their final names are then as they were.
    """
    how = how or RunOptions()
    recipe = settle_rows(_with_worlds(recipe, out, listener, how))
    job = job_of(recipe, out, how.layout)
    if is_remote(out) and recipe.llm is not None and recipe.llm.cache is None:
        raise OutputError(
            f"{out}: this recipe asks a model, and the cache of its answers needs a disk: name one (llm: cache: FILE)"
        )
    check_executor(out, how)
    with OutputFolder(out):
        check_parts(out)
        give_names(out)  # when an earlier run ended just before that
        usual = BLOCK_ROWS if recipe.llm is None else ASKED_BLOCK_ROWS
        try:
            plan = begin(job, how.block_rows or usual, how.overwrite)
        except OutputError:
            open_recipe(job)  # its own faults are told before what stands in the way of its rows
            raise
        if isinstance(plan, Manifest):
            remove_parts(out)
            finished = as_finished(out, plan, 0)
        else:
            finished = _make(job, plan, how, listener)
    listener(finished)
    return finished


def _with_worlds(recipe: Recipe, out: Path, listener: Listener, how: RunOptions) -> Recipe:
    """Return a recipe for which a model writes scripts with the worlds that it needs for them, which the model writes now."""
    if recipe.scripts is None or not recipe.scripts.asked:
        return recipe
    from generator.run.authoring.author import with_worlds  # and with it all that asks a model

    return with_worlds(recipe, out, listener, cache_only=how.cache_only)


def _make(job: Job, plan: RunPlan, how: RunOptions, listener: Listener) -> RunFinished:
    """Make what is missing, and keep what is finished when that fails."""
    started = time.perf_counter()
    against = read_against(job.layout.against)
    prepared = open_recipe(job)
    ready = time.perf_counter()
    out, done = job.out, plan.first_row
    window: Window | None = None

    def made() -> Iterator[None]:
        """Yield every missing block; each is reported when the next one is asked for."""
        nonlocal done
        with closing(make_missing(job, plan, how, prepared, ready - started, window)) as records:
            for record in records:
                done += record.stop - record.start
                yield
                listener(RowsMade(done, plan.rows, window.account if window else None))

    try:
        shards = shards_of(out, plan)
        plan = plan if shards else _sized(job, plan, how, prepared)
        plan = msgspec.structs.replace(plan, left_out=prepared.left_out)
        write_plan(out, plan)
        take_over(out, shards)
        done += drop_torn(out, plan)
        there = done
        listener(RunStarted(job.recipe, out, there, left_out=prepared.left_out))
        window = _window(
            job,
            prepared,
            how,
            listener,
            lambda new, account: listener(RowsMade(min(done + new, plan.rows), plan.rows, account)),
        )
        settler = _settler(job, plan, how, prepared, made, window)
        with Assembly(job, plan, settler, against=against) as assembly:
            assembly.add_finished()
            for _ in made():
                assembly.add_finished()
            digest = hashlib.sha256(job.recipe.text.encode()).hexdigest()
            manifest = assembly.finish(digest, time.perf_counter() - started, window.account if window else None)
    except BaseException:
        _stop(out, plan, window, listener)
        raise
    give_names(out, assembly.stage)
    return as_finished(out, manifest, plan.rows - there)


def _stop(out: Path, plan: RunPlan, window: "Window | None", listener: Listener) -> None:
    """Keep finished rows and answers of an unfinished run, if there are any, and say so."""
    kept = rows_there(out, plan)
    asked = window is not None and window.account.answers > 0
    if not kept:
        remove_parts(out)
    if kept or asked:
        listener(RunStopped(out, kept, plan.rows, asked))


def _window(job: Job, prepared: PreparedRecipe, how: RunOptions, listener: Listener, tell: "Tell") -> "Window | None":
    """Return the executor of recipes that ask a model."""
    if job.recipe.llm is None:
        return None
    from generator.run.authoring.author import ScriptsOfRun
    from generator.run.engine.asked import Window  # and with it tenacity, and more, only where a model is asked

    workers = 1 if how.executor == "serial" else how.workers
    settings = job.recipe.scripts
    scripts = ScriptsOfRun(prepared, job.out, listener) if settings is not None and settings.in_run else None
    return Window(prepared, job.out, tell, scripts, workers=workers, cache_only=how.cache_only)


def _settler(
    job: Job,
    plan: RunPlan,
    how: RunOptions,
    prepared: PreparedRecipe,
    made: Callable[[], Iterator[None]],
    window: "Window | None",
) -> Settler | None:
    """Return what looks across blocks; where rows may be removed, all blocks are made first, and again those that hold such rows.

    So they are where a model is asked: one window of requests is open at a time.
    """
    if (job.recipe.unique and window is not None) or looks_across(job.recipe):
        for _ in made():
            pass
    if job.recipe.unique:
        return Unique(lambda block: remade(job, block, window or Serial(prepared)))
    if not looks_across(job.recipe):
        return None
    return without_removed(job, plan, how, prepared, lambda block: job.out, window)


def remade(job: Job, block: Block, executor: "Serial | Window") -> BlockRecord:
    """Make a block again."""
    (record,) = executor.run(job, [block])
    return record


def without_removed(
    job: Job,
    plan: RunPlan,
    how: RunOptions,
    prepared: PreparedRecipe,
    found_in: Callable[[Block], Path],
    window: "Window | None" = None,
) -> Settler:
    """Find out which rows are removed, and make the blocks that hold some again, in the folder of the job."""
    removed = removed_rows(job.recipe, lambda: read_block_records(plan, found_in))
    passes = Passes(lambda block: remade(job, block, window or Serial(prepared)), removed)
    again = [block for record in read_block_records(plan, found_in) if (block := passes.again(record)) is not None]
    with closing(make_blocks(job, plan, how, prepared, 0.0, iter(again), window)) as records:
        for _ in records:
            pass
    return passes


def make_missing(
    job: Job, plan: RunPlan, how: RunOptions, prepared: PreparedRecipe, start_up: float, window: "Window | None"
) -> Generator[BlockRecord, None, None]:
    """Make every missing block of the plan."""
    there = starts_there(job.out)
    missing = (block for block in plan.blocks() if block.start not in there)
    yield from make_blocks(job, plan, how, prepared, start_up, missing, window)


def make_blocks(
    job: Job,
    plan: RunPlan,
    how: RunOptions,
    prepared: PreparedRecipe,
    start_up: float,
    missing: Iterator[Block],
    window: "Window | None" = None,
) -> Generator[BlockRecord, None, None]:
    """Make blocks: in the window of requests to a model, here, or in processes where that saves time, or on a cluster."""
    if window is not None:
        with closing(window.run(job, missing)) as asked:
            yield from asked
        return
    here = Serial(prepared)
    if how.executor == "serial" or (how.executor == "auto" and how.workers == 1):
        yield from here.run(job, missing)
        return
    if how.executor == "ray":
        from generator.run.engine.on_ray import Ray

        yield from _all_of(Ray(how.ray_address, how.workers), job, missing)
        return
    if how.executor == "auto":
        seconds, rows = 0.0, 0
        for block in islice(missing, 2):  # the first fills pools, the second shows how long the others will take
            begun, rows = time.perf_counter(), block.stop
            yield from here.run(job, [block])
            seconds = (time.perf_counter() - begun) / (block.stop - block.start)
        left = (plan.rows - rows) / (plan.shard.of if plan.shard else 1)
        saved = left * seconds * (1 - 1 / how.workers)
        if saved < _WORTH_IT + (0.0 if can_fork() else start_up + _WARMING_UP):
            yield from here.run(job, missing)
            return
    yield from _all_of(
        Processes(how.workers - 1, prepared) if how.workers > 1 else Processes(1), _with_pools(job), missing
    )


def _all_of(executor: Executor, job: Job, missing: Iterable[Block]) -> Iterator[BlockRecord]:
    try:
        yield from executor.run(job, missing)
    finally:
        executor.close()


def check_executor(out: Path, how: RunOptions) -> None:
    """Raise OutputError when the executor cannot work there."""
    if how.executor == "ray":
        from generator.run.engine.on_ray import check_ray

        check_ray(out, how.ray_address, shared=how.shared_fs)


def _sized(job: Job, plan: RunPlan, how: RunOptions, prepared: PreparedRecipe) -> RunPlan:
    """Return the plan with blocks that are worth a task on another machine, where that is still open.

    Frames of packed files are blocks, so these keep the usual size, or their bytes would depend on the executor.
    """
    free = how.executor == "ray" and how.block_rows is None and job.layout.packing is None and job.recipe.llm is None
    if not free or starts_there(job.out):
        return plan
    return msgspec.structs.replace(plan, block_rows=rows_of_a_task(prepared, plan.rows))


def _with_pools(job: Job) -> Job:
    """Return the job with the pools that were filled here, so that no worker fills them again."""
    path = job.out / PARTS / POOLS
    path = path if is_remote(path) else path.absolute()
    write_whole(path, [dump_pools()])
    return msgspec.structs.replace(job, pools=path)


def as_finished(folder: Path, manifest: Manifest, made: int) -> RunFinished:
    """Return the summary of a finished run."""
    files = [Written(folder / name, entry.rows, entry.bytes) for name, entry in manifest.files.items()]
    return RunFinished(folder, manifest.tally, tuple(files), made, manifest.llm, manifest.confined)


_SIZES = (5000, 2000, 1000, 500, 200, 100, 50, 20, 10)
"""Rows of a task; the largest keeps a block below some 100 MB in every format."""
_SECONDS = 9.0
"""The longest that a task should take in seconds: long beside the overhead of a task, short beside what is lost with a machine."""
_LEAST_SECONDS = 1.0
_TASKS = 256
"""The number of tasks below which a run uses shorter ones."""
_SAMPLE = 100


def rows_of_a_task(prepared: PreparedRecipe, rows: int) -> int:
    """Return the number of rows that take 1 to 10 seconds of a core like this one; some are made and thrown away, which also fills pools."""
    sample = min(_SAMPLE, rows)
    for index in range(sample):  # a first round, to warm up
        make_checked_row(prepared, index)
    begun = time.process_time()
    for index in range(sample):
        make_checked_row(prepared, index)
    return size_of(max(1e-6, (time.process_time() - begun) / sample), rows)


def size_of(seconds: float, rows: int) -> int:
    """Return the number of rows of a task when one row takes so many seconds."""
    most = min(_SECONDS / seconds, max(_LEAST_SECONDS / seconds, rows / _TASKS))
    return next((size for size in _SIZES if size <= most), _SIZES[-1])
