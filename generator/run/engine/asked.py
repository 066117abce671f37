"""The executor for recipes that ask a model: one process holds the window of requests, and others make the rows.

A row that waits for answers keeps what it has (row_makers.py). Where few requests are in flight, rows are made in this
process, too; for many, worker processes make and check them, so that this one is free to keep the window full. Blocks
are the same as those of the other executors, and whole ones are what an interrupted run keeps, besides all answers.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator
from functools import partial
from pathlib import Path

from generator.core.errors import StoppedError
from generator.llm.asking import Account
from generator.llm.session import Session, open_session
from generator.run.authoring.asking import all_of
from generator.run.authoring.author import CACHE, USE, NewScripts, ScriptsOfRun, kept_in
from generator.run.engine.blocks import Block, BlockRecord, Job, rare_collections
from generator.run.engine.row_makers import Answers, Asked, Here, RefusedAnswers, RowMaker, RowReport, Worker
from generator.run.prepared import PreparedRecipe

_WAITING = 3
"""Rows that wait at once for each request in flight: some of them wait for a retry, or for several answers."""
MANY = 32
"""Requests in flight for which another process for each so many makes rows; for fewer this one does."""

Tell = Callable[[int], None]
"""Is told how many rows are made in unfinished blocks."""


class Window:
    """Rows in a window of requests; the cache stands in the folder of the run, and with several workers other processes make the rows."""

    def __init__(
        self,
        prepared: PreparedRecipe,
        folder: Path,
        tell: Tell,
        scripts: ScriptsOfRun | None = None,
        *,
        workers: int = 1,
        cache_only: bool = False,
    ) -> None:
        assert prepared.uses is not None
        self.account = Account()
        self._prepared = prepared
        self._settings = prepared.uses.asker.settings
        self._folder = folder
        self._tell = tell
        self._scripts = scripts
        self._workers = 0 if workers == 1 else min(workers, self._settings.concurrency // MANY)
        self._cache_only = cache_only

    def run(self, job: Job, blocks: Iterable[Block]) -> Generator[BlockRecord, None, None]:
        """Make all blocks, and yield the record of each when it is on disk, in any order."""
        makers = self._start(job)
        try:
            with (
                rare_collections(),
                asyncio.Runner() as runner,
            ):  # which ends what is still going on when this ends too early
                records = self._records(job, blocks, makers)
                while (record := runner.run(_next(records))) is not None:
                    yield record
        finally:
            for maker in makers:
                maker.stop()

    def _start(self, job: Job) -> list[RowMaker]:
        """Return the makers of rows. Worker processes are forked before anything else is opened here."""
        width = _WAITING * self._settings.window
        if self._workers < 1:
            return [Here(job, self._prepared, width)]
        share = -(-width // self._workers)
        return [Worker(job, self._prepared, share) for _ in range(self._workers)]

    async def _records(
        self, job: Job, blocks: Iterable[Block], makers: list[RowMaker]
    ) -> AsyncGenerator[BlockRecord, None]:
        settings, cache = self._settings, self._folder / CACHE
        name = job.digest if self._scripts is None else USE
        async with open_session(settings, cache, name, cache_only=self._cache_only) as session:
            self.account = session.account
            scheduler = _BlockScheduler(session, makers, iter(blocks), _WAITING * settings.window, self._scripts)
            try:
                await scheduler.open()
                while (report := await scheduler.next()) is not None:
                    self._tell(scheduler.rows_made)
                    if isinstance(report, BlockRecord):
                        scheduler.rows_made -= report.stop - report.start
                        yield report
            except StoppedError as fault:
                raise StoppedError(f"{fault}\n{kept_in(job.recipe, self._folder)}") from None
            finally:
                await scheduler.close()


class _BlockScheduler:
    """Between those who make rows and the session: a block is given to makers when there are scripts for its rows."""

    def __init__(
        self,
        session: Session,
        makers: list[RowMaker],
        blocks: Iterator[Block],
        width: int,
        scripts: ScriptsOfRun | None,
    ) -> None:
        self.rows_made = 0
        """The number of rows made in blocks that have not been handed on."""
        self._session = session
        self._makers = makers
        self._blocks = blocks
        self._width = width
        self._open = dict.fromkeys(range(len(makers)), 0)
        """Rows that each maker has not made yet."""
        self._reports: asyncio.Queue[RowReport | BaseException | None] = asyncio.Queue()
        self._answering: set[asyncio.Task[None]] = set()
        self._writing: asyncio.Task[None] | None = None
        self._scripts = scripts
        self._held: Block | None = None
        """The next block, while there are no scripts for its rows."""
        self._fault: Exception | None = None
        """Why there will be no more scripts."""
        self._all_given = False

    async def open(self) -> None:
        """Begin."""
        for number, maker in enumerate(self._makers):
            await maker.open(partial(self._receive, number))
        if self._scripts is not None:
            for maker in self._makers:
                for scripts in self._scripts.written:
                    maker.send(scripts)
            self._writing = asyncio.ensure_future(self._write(self._scripts))
        self._hand_out()

    async def _write(self, scripts: ScriptsOfRun) -> None:
        """Have scripts written, and give the blocks whose rows they are for."""

        def added(new: NewScripts) -> None:
            for maker in self._makers:
                maker.send(new)
            self._hand_out()

        try:
            await scripts.write(self._session, added)
        except Exception as fault:  # whatever it is, it ends the run when the rows are made for which there are scripts
            self._fault, self._all_given = fault, True
            self._reports.put_nowait(None)

    async def next(self) -> RowReport | None:
        """Return a row or a block that is made, or None when all are; raises what went wrong when nothing is in flight any more."""
        while not self._all_given or any(self._open.values()) or not self._reports.empty():
            report = await self._reports.get()
            if isinstance(report, BaseException):
                writing = [self._writing] if self._writing is not None and isinstance(report, StoppedError) else []
                await asyncio.gather(*self._answering, *writing, return_exceptions=True)
                raise report
            if report is not None:
                return report
        if self._fault is not None:
            raise self._fault
        return None

    async def close(self) -> None:
        """Give up what is going on."""
        tasks = [*self._answering, *([] if self._writing is None else [self._writing])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for maker in self._makers:
            await maker.close()

    def _hand_out(self) -> None:
        """Give blocks to those who have least to do, until there is enough for all."""
        while not self._all_given and sum(self._open.values()) < 2 * self._width:
            try:
                block = self._held or next(self._blocks, None)
            except Exception as fault:  # of whatever they come from
                self._reports.put_nowait(fault)
                block = None
            if block is None:
                self._all_given = True
                return
            self._held = block if self._scripts is not None and self._scripts.rows.rows < block.stop else None
            if self._held is not None:
                return
            number = min(self._open, key=lambda number: self._open[number])
            self._open[number] += block.stop - block.start
            self._makers[number].send(block)

    def _receive(self, number: int, report: RowReport | BaseException) -> None:
        """Take the report of a maker: answer its requests, hand out more blocks, or pass it on."""
        if isinstance(report, Asked):
            task = asyncio.ensure_future(self._answer(number, report))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
            return
        if isinstance(report, RefusedAnswers):
            self._session.refuse(report.refused)
            return
        if not isinstance(report, BaseException):
            self.rows_made += 1
            self._open[number] -= 1
            self._hand_out()
        self._reports.put_nowait(report)

    async def _answer(self, number: int, asked: Asked) -> None:
        """Get the answers that a row of a maker waits for, and send them there."""
        try:
            answers = await all_of([self._session.answer(request) for request in asked.requests])
        except Exception as fault:  # whatever it is, it ends the run
            self._reports.put_nowait(fault)
            return
        self._makers[number].send(Answers(asked.row, tuple(answers)))


async def _next(records: AsyncGenerator[BlockRecord, None]) -> BlockRecord | None:
    return await anext(records, None)
