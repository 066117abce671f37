"""A whole run: blocks of rows are made by an executor, joined in order, and named when all of them are there.

Whatever ends a run too early, finished blocks stay in the folder `.parts` and are never made again.
"""

import hashlib
import os
import time
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
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
from generator.llm.asking import Account
from generator.recipe import Recipe
from generator.report.files.contamination import read_against
from generator.run.engine.assembly import Assembly, give_names
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
from generator.run.engine.checked_row import make_checked_row, settle_rows
from generator.run.engine.executors import Processes, Serial, can_fork
from generator.run.engine.ledger import (
    POOLS,
    FoundBlocks,
    RunPlan,
    check_parts,
    find_blocks,
    read_block_records,
    remove_parts,
    remove_shards,
    starts_there,
    write_plan,
)
from generator.run.engine.passes.decide import Unique, block_without, check_passes, removed_rows
from generator.run.engine.passes.facts import looks_across
from generator.run.engine.progress import Listener, RowsMade, RunFinished, RunStarted, RunStopped, Written, ignore
from generator.run.engine.start import begin
from generator.run.prepared import PreparedRecipe

if TYPE_CHECKING:
    from generator.run.engine.asked import Window

_WORTH_IT = 0.5
"""Seconds that more processes must save."""
_WARMING_UP = 1.5
"""Seconds of a process that begins anew, beside those of loading the tools."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how a run is made; nothing of it changes a row."""

    workers: int = 1
    executor: str = "auto"
    """`auto`, `serial`, `processes` or `ray`; `auto` starts processes when that pays."""
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
            finished = join_blocks(job, plan, find_blocks(out, plan), how, listener)
        remove_shards(out, job.digest, recipe.rows)
    listener(finished)
    return finished


def _with_worlds(recipe: Recipe, out: Path, listener: Listener, how: RunOptions) -> Recipe:
    """Return a recipe for which a model writes scripts with the worlds that it needs for them, which the model writes now."""
    if recipe.scripts is None or not recipe.scripts.asked:
        return recipe
    from generator.run.authoring.author import with_worlds  # and with it all that asks a model

    return with_worlds(recipe, out, listener, cache_only=how.cache_only)


class BlockMaker:
    """Has the blocks of a run, or of a shard, made by the executor that the options name."""

    def __init__(
        self,
        job: Job,
        plan: RunPlan,
        found: dict[int, Path],
        how: RunOptions,
        listener: Listener,
        prepared: PreparedRecipe,
        start_up: float,
    ) -> None:
        """Begin with the blocks that are there.

        Args:
            job: The run.
            plan: Its blocks.
            found: First row of each finished block → the folder that holds it; those that are made are added.
            how: Says which executor.
            listener: Is told how many rows there are after each block.
            prepared: The recipe, ready to make rows.
            start_up: Seconds that it took to get ready.
        """
        self.found = found
        self.rows = plan.rows_in(found)
        """How many rows are finished."""
        self.plan = plan
        self._job, self._how, self._listener = job, how, listener
        self._prepared, self._start_up = prepared, start_up
        self._all_rows = plan.row_count
        self.window = None if job.recipe.llm is None else self._open_window()

    @property
    def account(self) -> Account | None:
        """What asking a model has cost so far."""
        return self.window.account if self.window else None

    def make_missing(self) -> Generator[BlockRecord, None, None]:
        """Make every block that is not there, in any order, and yield its record."""
        missing = (block for block in self.plan.blocks() if block.start not in self.found)
        with closing(self._make(missing)) as records:
            for record in records:
                self.rows += record.stop - record.start
                self._report()
                yield record

    def remove_rows(self) -> None:
        """Make the blocks again that hold rows which `dedup` or `max_share` remove, when all blocks are there."""
        removed = removed_rows(self._job.recipe, lambda: read_block_records(self.plan, self.found))
        blocks = (block_without(record, removed) for record in read_block_records(self.plan, self.found))
        with closing(self._make(iter([block for block in blocks if block is not None]))) as records:
            for _ in records:
                pass

    def remake(self, block: Block) -> BlockRecord:
        """Make one block again, here."""
        executor = self.window or Serial(self._prepared)
        (record,) = executor.run(self._job, [block])
        self.found[block.start] = self._job.out
        return record

    def _make(self, blocks: Iterator[Block]) -> Generator[BlockRecord, None, None]:
        """Yield the records of blocks as they are made, and note the folder that holds each."""
        with closing(self._run(blocks)) as records:
            for record in records:
                self.found[record.start] = self._job.out
                yield record

    def _run(self, blocks: Iterator[Block]) -> Generator[BlockRecord, None, None]:
        """Make blocks: in the window of requests to a model, here, or in processes where that saves time, or on a cluster."""
        job, how, here = self._job, self._how, Serial(self._prepared)
        if self.window is not None:
            yield from self.window.run(job, blocks)
        elif how.executor == "serial" or (how.executor == "auto" and how.workers == 1):
            yield from here.run(job, blocks)
        elif how.executor == "ray":
            from generator.run.engine.on_ray import Ray

            with closing(Ray(how.ray_address, how.workers)) as ray:
                yield from ray.run(job, blocks)
        else:
            seconds, rows = 0.0, 0
            for block in islice(blocks, 2 if how.executor == "auto" else 0):
                # the first fills pools, the second shows how long the others will take
                begun, rows = time.perf_counter(), block.stop
                yield from here.run(job, [block])
                seconds = (time.perf_counter() - begun) / (block.stop - block.start)
            if how.executor == "auto" and not self._is_worth_processes(rows, seconds):
                yield from here.run(job, blocks)
                return
            workers = Processes(how.workers - 1, self._prepared) if how.workers > 1 else Processes(1)
            with closing(workers):
                yield from workers.run(_with_pools(job), blocks)

    def _is_worth_processes(self, rows: int, seconds: float) -> bool:
        """Whether processes save time, when the rows up to `rows` are made, and each took so many seconds."""
        left = (self.plan.rows - rows) / (self.plan.shard.of if self.plan.shard else 1)
        saved = left * seconds * (1 - 1 / self._how.workers)
        return saved >= _WORTH_IT + (0.0 if can_fork() else self._start_up + _WARMING_UP)

    def _report(self, new: int = 0) -> None:
        """Tell how many rows there are, with so many in unfinished blocks."""
        self._listener(RowsMade(min(self.rows + new, self._all_rows), self._all_rows, self.account))

    def _open_window(self) -> "Window":
        """Return the executor of recipes that ask a model."""
        from generator.run.authoring.author import ScriptsOfRun
        from generator.run.engine.asked import Window  # and with it tenacity, and more, only where a model is asked

        job, how, settings = self._job, self._how, self._job.recipe.scripts
        in_run = settings is not None and settings.in_run
        scripts = ScriptsOfRun(self._prepared, job.out, self._listener) if in_run else None
        workers = 1 if how.executor == "serial" else how.workers
        return Window(self._prepared, job.out, self._report, scripts, workers=workers, cache_only=how.cache_only)


@contextmanager
def making_blocks(
    job: Job, plan: RunPlan, found: FoundBlocks, how: RunOptions, listener: Listener
) -> Iterator[BlockMaker]:
    """Open what makes the missing blocks of a plan; when that ends too early, finished blocks are kept, and that is told."""
    begun = time.perf_counter()
    prepared = open_recipe(job)
    start_up, out, maker = time.perf_counter() - begun, job.out, None
    try:
        if not found.folders:
            plan = _sized(job, plan, how, prepared)
        plan = msgspec.structs.replace(plan, left_out=prepared.left_out)
        write_plan(out, plan)
        of_shard = plan.row_count if plan.shard else None
        listener(RunStarted(job.recipe, out, plan.rows_in(found.folders), of_shard, prepared.left_out))
        maker = BlockMaker(job, plan, found.folders, how, listener, prepared, start_up)
        yield maker
    except BaseException:
        has_answers = maker is not None and maker.account is not None and maker.account.answers > 0
        starts = starts_there(out)
        kept = plan.rows_in((starts - found.faults.keys()) | found.folders.keys())
        if not plan.rows_in(starts):
            remove_parts(out)
        if kept or has_answers:
            listener(RunStopped(out, kept, plan.row_count, has_answers))
        raise


def join_blocks(job: Job, plan: RunPlan, found: FoundBlocks, how: RunOptions, listener: Listener) -> RunFinished:
    """Make the blocks of a run that are not found, and write its files from all of them."""
    started, recipe = time.perf_counter(), job.recipe
    against = read_against(job.layout.against)
    with making_blocks(job, plan, found, how, listener) as maker:
        there = maker.rows
        if looks_across(recipe) or (recipe.unique and maker.window is not None):
            for _ in maker.make_missing():  # before any is made again: one window of requests is open at a time
                pass
        if looks_across(recipe):
            maker.remove_rows()
        unique = Unique(recipe.unique, maker.remake) if recipe.unique else None
        with Assembly(job, maker.plan, maker.found, unique, against) as assembly:
            assembly.add_finished()
            for _ in maker.make_missing():
                assembly.add_finished()
            text = hashlib.sha256(recipe.text.encode()).hexdigest()
            manifest = assembly.finish(text, time.perf_counter() - started, maker.account)
    give_names(job.out, assembly.stage)
    return as_finished(job.out, manifest, plan.rows - there)


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
    if not free or plan.shard:
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
