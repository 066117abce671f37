"""The executor for recipes that ask a model: one process, and many rows that wait for answers at once.

A row is begun, ends early with the requests it needs, and is begun again when they are answered (generator/llm/asking.py).
Rows are written in their order, in the same blocks as by the other executors.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator
from pathlib import Path

from generator.errors import StoppedError
from generator.llm.account import Account
from generator.llm.asking import Answer, Asker, Request, Wanted, key_of
from generator.llm.open import open_session
from generator.llm.session import Session
from generator.llm.window import in_order
from generator.run.engine.blocks import Block, BlockRecord, Job, write_block
from generator.run.engine.checked_row import make_checked_row
from generator.run.engine.lines import BlockLines
from generator.run.prepared import PreparedRecipe
from generator.run.row import MadeRow

CACHE = "llm-cache.sqlite"
"""The file of answers in the folder of a run, unless the recipe names another."""
_WAITING = 3
"""Rows that are going on for each request in flight: some of them wait for a retry, or for several answers."""
_AHEAD = 16
"""Rows that are done before their turn, for each request in flight."""

Tell = Callable[[int, Account], None]
"""(rows made in unfinished blocks, what asking has cost so far)."""


class Window:
    """Rows in a window of requests.

    Args:
        prepared: With a model.
        folder: Of the run: the cache stands there.
        tell: Called after each row.
        cache_only: Ask nobody.
    """

    def __init__(self, prepared: PreparedRecipe, folder: Path, tell: Tell, *, cache_only: bool = False) -> None:
        if prepared.uses is None:
            raise TypeError("the recipe asks no model")
        self.account = Account()
        self._prepared = prepared
        self._asker: Asker = prepared.uses.asker
        self._folder = folder
        self._tell = tell
        self._cache_only = cache_only

    def run(self, job: Job, blocks: Iterable[Block]) -> Generator[BlockRecord, None, None]:
        """Make all blocks."""
        with asyncio.Runner() as runner:  # which ends everything that is still going on when this ends too early
            records = self._records(job, blocks)
            while (record := runner.run(_next(records))) is not None:
                yield record

    def close(self) -> None:
        """Nothing is held."""

    async def _records(self, job: Job, blocks: Iterable[Block]) -> AsyncGenerator[BlockRecord, None]:
        settings = self._asker.settings
        cache = self._folder / CACHE
        async with open_session(settings, cache, job.digest, cache_only=self._cache_only) as session:
            self.account = session.account
            rows = in_order(
                _rows(blocks),
                lambda place: self._make(session, place[1]),
                width=_WAITING * settings.concurrency,
                ahead=_AHEAD * settings.concurrency,
            )
            try:
                async for record in self._write(job, rows):
                    yield record
            except StoppedError as fault:
                raise StoppedError(f"{fault}\nAll answers so far are kept in {settings.cache or cache}.") from None
            finally:
                await rows.aclose()

    async def _write(
        self, job: Job, rows: AsyncGenerator[tuple[tuple[Block, int], MadeRow], None]
    ) -> AsyncGenerator[BlockRecord, None]:
        lines, started = BlockLines(job.layout, self._prepared), time.process_time()
        async for (block, index), made in rows:
            lines.add(made)
            if index + 1 < block.stop:
                self._tell(index + 1 - block.start, self.account)
                continue
            record = write_block(job, block, lines, time.process_time() - started)
            lines, started = BlockLines(job.layout, self._prepared), time.process_time()
            yield record

    async def _make(self, session: Session, index: int) -> MadeRow:
        """One row, begun again whenever answers have come."""
        known: dict[bytes, Answer] = {}
        while True:
            self._asker.begin(known)
            try:
                return make_checked_row(self._prepared, index)
            except Wanted as wanted:
                requests = wanted.requests
            for request, answer in zip(requests, await _answers(session, requests), strict=True):
                known[key_of(request, session.settings)] = answer


async def _answers(session: Session, requests: tuple[Request, ...]) -> list[Answer]:
    """All answers; the first failure is raised when all have come to an end."""
    found = await asyncio.gather(*[session.answer(request) for request in requests], return_exceptions=True)
    for outcome in found:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in found if isinstance(outcome, Answer)]


def _rows(blocks: Iterable[Block]) -> Iterator[tuple[Block, int]]:
    for block in blocks:
        for index in range(block.start, block.stop):
            yield block, index


async def _next(records: AsyncGenerator[BlockRecord, None]) -> BlockRecord | None:
    return await anext(records, None)
