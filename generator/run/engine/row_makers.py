"""Makers of rows that ask a model: this process, between requests, or a worker process."""

import asyncio
import multiprocessing
import pickle
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import msgspec
from greenlet import getcurrent, greenlet

from generator.arguments.llm import USE as ARGUMENTS
from generator.core.errors import GeneratorError
from generator.core.toolbox import Toolbox
from generator.llm.asking import ModelAnswer, Refused, Request, UseNote, cache_key
from generator.run.authoring.author import NewScripts, add_scripts
from generator.run.engine.blocks import Block, BlockRecord, Job, open_recipe, rare_collections, write_block
from generator.run.engine.checked_row import FailedRow, make_checked_row
from generator.run.engine.executors import begin_worker, can_fork, without_interruptions
from generator.run.engine.lines import BlockLines
from generator.run.prepared import PreparedRecipe
from generator.run.row import MadeRow


class Asked(msgspec.Struct, frozen=True):
    """A row waits for answers."""

    row: int
    requests: tuple[Request, ...]


class Answers(msgspec.Struct, frozen=True):
    """What a row waits for."""

    row: int
    answers: tuple[ModelAnswer, ...]


Message = Block | Answers | NewScripts
"""What makers of rows are told: a block to make; answers; and scripts, before the blocks that are made of them."""


class RefusedAnswers(msgspec.Struct, frozen=True):
    """Answers that a row could not use."""

    refused: tuple[Refused, ...]


class RowDone(msgspec.Struct, frozen=True):
    """A row is made, of the block that begins at index `start`."""

    start: int


RowReport = Asked | RefusedAnswers | RowDone | BlockRecord
"""What `WaitingRows` reports; the record of a block once the block is on disk."""


class _OpenBlock(msgspec.Struct, eq=False):
    """A block whose rows are being made."""

    block: Block
    lines: BlockLines
    again: dict[int, int]
    next: int
    """The row whose lines come next."""
    made: dict[int, MadeRow | FailedRow] = {}
    """Rows that are made before their turn."""


class _Row(msgspec.Struct, eq=False):
    index: int
    of: _OpenBlock
    coroutine: greenlet
    notes: list[UseNote] = []
    known: dict[bytes, ModelAnswer] = {}
    """Answers it has had, by the key of the request: calls that are made again to be checked ask for the same results."""


class WaitingRows:
    """Makes the rows of open blocks in this process, of which `width` at most wait for answers at once."""

    def __init__(self, job: Job, prepared: PreparedRecipe, width: int, report: Callable[[RowReport], None]) -> None:
        assert prepared.uses is not None
        self._job = job
        self._prepared = prepared
        self._width = width
        self._report = report
        self._asker = prepared.uses.asker
        self._asker.wait = self._wait
        self._to_begin: deque[tuple[int, _OpenBlock]] = deque()
        self._waiting: dict[int, _Row] = {}
        self._answered: deque[tuple[_Row, tuple[ModelAnswer, ...]]] = deque()
        self._counted = time.process_time()
        """CPU seconds of this process that blocks have been said to take."""
        self._serves_one = job.recipe.has_real_backend
        """Whether what answers calls serves one conversation after the other."""
        self._current: _Row
        """The row that goes on just now."""
        self._held: _Row | None = None
        """Then: the row whose conversation is open, while it waits."""

    def take(self, message: Message) -> None:
        """Take a block to make, scripts that a model has written meanwhile, or the answers of a row."""
        if isinstance(message, Block):
            self.open(message)
        elif isinstance(message, NewScripts):
            add_scripts(self._prepared, message)
        else:
            self.answer(message.row, message.answers)

    def open(self, block: Block) -> None:
        """Add the rows of a block to those to be made."""
        lines = BlockLines(self._job.layout, self._prepared, block.without)
        open_block = _OpenBlock(block, lines, dict(block.again), block.start)
        self._to_begin += [(index, open_block) for index in range(block.start, block.stop)]

    def answer(self, row: int, answers: tuple[ModelAnswer, ...]) -> None:
        """Give a row its answers; it continues when its turn comes."""
        waiting_row = self._waiting.pop(row)
        if waiting_row is self._held:
            self._answered.appendleft((waiting_row, answers))
        else:
            self._answered.append((waiting_row, answers))

    @property
    def can_work(self) -> bool:
        """Whether a row can continue or begin before more answers come."""
        if self._held is not None:
            return bool(self._answered) and self._answered[0][0] is self._held
        return bool(self._answered) or (bool(self._to_begin) and len(self._waiting) < self._width)

    def work(self) -> None:
        """Continue one row until it waits or is made: one that has its answers, or else a new one."""
        if self._answered:
            self._resume(*self._answered.popleft())
        else:
            index, of = self._to_begin.popleft()
            self._resume(
                _Row(index, of, greenlet(partial(make_checked_row, self._prepared, again=of.again.get(index, 0)))), ()
            )

    def _wait(self, requests: tuple[Request, ...]) -> tuple[ModelAnswer, ...]:
        """Suspend the row that is being made until its answers are there, and return them: the coroutine goes back to `_resume`."""
        answer_by_key, settings = self._current.known, self._asker.settings
        keys = [cache_key(request, settings) for request in requests]
        missing = [(key, request) for key, request in zip(keys, requests, strict=True) if key not in answer_by_key]
        if missing:
            answers: tuple[ModelAnswer, ...] = getcurrent().parent.switch(tuple([request for _, request in missing]))
            answer_by_key |= {key: answer for (key, _), answer in zip(missing, answers, strict=True)}
        return tuple([answer_by_key[key] for key in keys])

    def _resume(self, row: _Row, answers: tuple[ModelAnswer, ...]) -> None:
        """Let a row go on until it asks again, which is reported, or is made."""
        self._asker.notes = row.notes
        self._held, self._current = None, row
        try:
            requests_or_row = row.coroutine.switch(answers if row.coroutine else row.index)
        finally:
            if self._asker.refused:
                self._report(RefusedAnswers(tuple(self._asker.refused)))
                self._asker.refused.clear()
        if row.coroutine.dead:
            self._add_made(row.of, row.index, requests_or_row)
        else:
            self._waiting[row.index] = row
            if self._serves_one and any(request.use == ARGUMENTS for request in requests_or_row):
                self._held = row
            self._report(Asked(row.index, requests_or_row))

    def _add_made(self, of: _OpenBlock, index: int, made: MadeRow | FailedRow) -> None:
        """Add a row to its block when those before it are there; with the last row the block is written."""
        of.made[index] = made
        while of.next in of.made:
            of.lines.add(of.made.pop(of.next))
            of.next += 1
        if of.next == of.block.stop:
            record = write_block(self._job, of.block, of.lines, time.process_time() - self._counted)
            self._counted = time.process_time()
            self._report(record)
        else:
            self._report(RowDone(of.block.start))


Take = Callable[[RowReport | BaseException], None]
"""Takes reports of requests, rows and blocks, and exceptions."""


class _Maker:
    """Reports to whoever opened it, until it is closed."""

    _take: Take | None = None

    async def open(self, take: Take) -> None:
        """Begin to report to `take`."""
        self._take = take

    async def close(self) -> None:
        """Stop reporting."""
        self._take = None

    def _report(self, report: RowReport | BaseException) -> None:
        if self._take is not None:
            self._take(report)


class Here(_Maker):
    """Makes rows in this process, in turns with the event loop."""

    def __init__(self, job: Job, prepared: PreparedRecipe, width: int) -> None:
        self._rows = WaitingRows(job, prepared, width, self._report)
        self._is_due = False

    def send(self, message: Message) -> None:
        """Give the rows a message."""
        self._rows.take(message)
        self._schedule_work()

    def stop(self) -> None:
        """Do nothing: there is nothing to release."""

    def _schedule_work(self) -> None:
        """Have the event loop call `_work` once, where a row can go on."""
        if not self._is_due and self._take is not None and self._rows.can_work:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._work)

    def _work(self) -> None:
        """Let one row go on, and come back for the next."""
        self._is_due = False
        if self._take is None:
            return
        try:
            self._rows.work()
        except Exception as fault:  # reported to whoever waits for the row
            self._take(fault)
            return
        self._schedule_work()


class Worker(_Maker):
    """Makes rows in a process of its own, which ends with this one; a thread waits for what it reports."""

    def __init__(self, job: Job, prepared: PreparedRecipe, width: int) -> None:
        copied = can_fork()
        context: Any = multiprocessing.get_context("fork" if copied else "spawn")
        self._line, theirs = context.Pipe()
        given = (None, prepared) if copied else (prepared.toolbox, None)
        self._process = context.Process(target=_serve, args=(theirs, job, width, *given), daemon=True)
        with without_interruptions():
            self._process.start()
        theirs.close()
        self._reader: threading.Thread | None = None

    async def open(self, take: Take) -> None:
        """Begin to report to `take`."""
        await super().open(take)
        self._reader = threading.Thread(target=self._read, args=(asyncio.get_running_loop(),), daemon=True)
        self._reader.start()

    def send(self, message: Message) -> None:
        """Give the rows of the process a message."""
        with suppress(OSError):  # it died, which is reported
            self._line.send(message)

    def stop(self) -> None:
        """End the process. Blocks are written whole or not at all, so those that are being made can be abandoned."""
        self._process.terminate()
        self._process.join()
        if self._reader is not None:
            self._reader.join()
        self._line.close()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        """Report what the process sends, until it ends."""
        with suppress(RuntimeError):  # the event loop is closed: nobody waits any more
            try:
                while True:
                    loop.call_soon_threadsafe(self._report, self._line.recv())
            except (EOFError, OSError):
                why = "a worker process died (killed from outside, or short of memory: try fewer --workers)"
                loop.call_soon_threadsafe(self._report, GeneratorError(why))


RowMaker = Here | Worker
"""Makes the rows of blocks; every method but `stop` is called inside a running event loop."""


def _serve(line: Connection, job: Job, width: int, toolbox: Toolbox | None, prepared: PreparedRecipe | None) -> None:
    """Make rows until the connection is closed."""
    begin_worker()
    try:
        rows = WaitingRows(job, prepared or open_recipe(job, toolbox), width, line.send)
        with rare_collections():
            while True:
                if line.poll(0 if rows.can_work else None):
                    rows.take(line.recv())
                else:
                    rows.work()
    except EOFError:
        return
    except Exception as fault:  # reported to whoever waits for the rows
        with suppress(OSError):  # nobody does any more
            line.send(_carried(fault))


def _carried(fault: Exception) -> Exception:
    """Return an exception that can be pickled; one that was not foreseen carries its traceback as text."""
    if not isinstance(fault, GeneratorError):
        fault.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(fault))
    except Exception:  # of whatever kind of exception this is
        return GeneratorError(f"{type(fault).__name__}: {fault}")
    return fault
