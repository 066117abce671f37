"""Who makes the blocks: each executor has a method `run(job, blocks)`, which yields the record of each block when it is on disk.

An executor takes blocks only as fast as it makes them, and may make them in any order and more than once. Others are `Ray`
(on_ray.py) and, for recipes that ask a model, `Window` (asked.py).
"""

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from generator.arguments import load_pools
from generator.core.errors import GeneratorError
from generator.core.files import open_regular
from generator.core.toolbox import Toolbox
from generator.run.engine.blocks import Block, BlockRecord, Job, make_block, open_recipe
from generator.run.prepared import PreparedRecipe

AGAIN = 3
"""How often a block is begun again that was lost with its process."""


class Serial:
    """One block after the other, here."""

    def __init__(self, prepared: PreparedRecipe) -> None:
        self._prepared = prepared

    def run(self, job: Job, blocks: Iterable[Block]) -> Iterator[BlockRecord]:
        """Make all blocks."""
        for block in blocks:
            yield make_block(job, block, self._prepared)


def can_fork() -> bool:
    """Whether another process can go on from here, with all that is loaded, instead of beginning anew.

    So on Linux, and with one thread only: another one might hold a lock just then, which nobody would open again. The
    libraries of macOS do not bear it.
    """
    try:
        return sys.platform == "linux" and len([*Path("/proc/self/task").iterdir()]) == 1  # threads of libraries too
    except OSError:
        return False


class Processes:
    """Several processes of this machine, which come back when one of them dies.

    With a prepared of its own, this process makes blocks beside them: it has loaded already, and there is one process
    less that has to. Where that can be, they begin as copies of this process, and need not load either.
    """

    def __init__(self, workers: int, prepared: PreparedRecipe | None = None) -> None:
        self._workers = workers
        self._prepared = prepared
        self._pool: ProcessPoolExecutor | None = None

    def run(self, job: Job, blocks: Iterable[Block]) -> Iterator[BlockRecord]:
        """Make all blocks, at most two for each worker in flight."""
        blocks_left = iter(blocks)
        waiting: list[Block] = []
        block_by_future: dict[Future[BlockRecord], Block] = {}
        lost: dict[Block, int] = {}
        while True:
            waiting += islice(blocks_left, max(0, 2 * self._workers - len(block_by_future) - len(waiting)))
            try:
                while waiting:
                    future = self._submit(job, waiting[0])
                    block_by_future[future] = waiting.pop(0)
                done = {future for future in block_by_future if future.done()}
                own_block = next(blocks_left, None) if self._prepared is not None and not done else None
                if own_block is not None and self._prepared is not None:
                    yield make_block(job, own_block, self._prepared)
                    continue
                if not block_by_future:
                    return
                done = done or wait(block_by_future, return_when=FIRST_COMPLETED).done
                for future in sorted(
                    done, key=lambda done_future: isinstance(done_future.exception(), BrokenProcessPool)
                ):
                    record = future.result()
                    del block_by_future[future]
                    yield record
            except BrokenProcessPool:
                self.close()
                _count_losses(block_by_future.values(), lost)
                waiting = [*block_by_future.values(), *waiting]
                block_by_future.clear()

    def close(self) -> None:
        """End the processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            # blocks are whole or not there at all, so nobody needs to wait for those in flight
            for process in list((pool._processes or {}).values()):
                process.terminate()
            pool.shutdown(wait=True, cancel_futures=True)

    def _submit(self, job: Job, block: Block) -> "Future[BlockRecord]":
        """Hand a block to the pool, which is opened for the first one."""
        if self._pool is None:
            self._pool = self._open_pool(job)
        with without_interruptions():  # a process that is started here must not be interrupted while it loads
            return self._pool.submit(_make_in_worker, job, block)

    def _open_pool(self, job: Job) -> ProcessPoolExecutor:
        """Start worker processes: as copies of this one where that can be."""
        prepared, forked = self._prepared, self._prepared is not None and can_fork()
        toolbox = None if prepared is None or forked else prepared.toolbox
        ready = (job.digest, prepared) if prepared is not None and forked else None
        if forked:
            gc.freeze()  # so that no collection of a process that begins goes through what is shared, which would copy it
        context = multiprocessing.get_context("fork" if forked else "spawn")
        return ProcessPoolExecutor(self._workers, context, initializer=begin_worker, initargs=(toolbox, ready))


@contextmanager
def without_interruptions() -> Iterator[None]:
    """Processes that begin inside take no Ctrl-C, and end in no way of this one's; here both wait until the end of this."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    usual = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, usual)


def _count_losses(blocks: Iterable[Block], lost: dict[Block, int]) -> None:
    """Count the blocks that were in flight; which of them it was that ended its process is not known."""
    flown = sorted(blocks, key=lambda block: block.start)
    for block in flown:
        lost[block] = lost.get(block, 0) + 1
    most = max((lost[block] for block in flown), default=0)
    if most > AGAIN:
        raise GeneratorError(
            f"a worker process died {most} times while rows {flown[0].start} to {flown[-1].stop - 1} were made "
            "(killed from outside, or short of memory: try fewer --workers)"
        )


_ready: tuple[str, PreparedRecipe] | None = None
"""In a worker: the digest of the last job, and its prepared."""
_toolbox: Toolbox | None = None
"""In a worker: the tools that its parent has loaded and checked."""


def begin_worker(toolbox: Toolbox | None = None, ready: tuple[str, PreparedRecipe] | None = None) -> None:
    """The parent alone decides when to stop; but without it, nobody needs this process."""
    global _toolbox, _ready
    _toolbox, _ready = toolbox, ready
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End this process when its parent ends."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        with suppress(OSError):
            parent.join()
        os._exit(1)


def _make_in_worker(job: Job, block: Block) -> BlockRecord:
    """Make a block in a worker process, which opens the recipe for the first one."""
    global _ready
    if _ready is None or _ready[0] != job.digest:
        if job.pools is not None:
            with open_regular(job.pools) as pools:
                load_pools(pools.read())
        _ready = job.digest, open_recipe(job, _toolbox)
    return make_block(job, block, _ready[1])
