"""Many rows at once in one thread, each of which can wait for a model's answers without starting again.

Each row is made in a coroutine of its own (a greenlet), by the same plain functions as everywhere else. Where one of them
asks a model, the row is suspended and another one continues; when the answers are there, it continues from that point. Rows
are finished in any order; the rows of a block are put together in theirs.
"""

import time
from collections import deque
from collections.abc import Callable
from functools import partial

import msgspec
from greenlet import getcurrent, greenlet

from generator.arguments.other_sources.llm import USE as ARGUMENTS
from generator.llm.asking import ModelAnswer, Refused, Request, UseNote, cache_key
from generator.run.authoring.author import add_scripts
from generator.run.engine.blocks import Block, BlockRecord, Job, write_block
from generator.run.engine.checked_row import FailedRow, make_checked_row
from generator.run.engine.lines import BlockLines
from generator.run.prepared import PreparedRecipe
from generator.run.row import MadeRow


class Asked(msgspec.Struct, frozen=True):
    """A row waits for answers."""

    row: int
    requests: tuple[Request, ...]


class RefusedAnswers(msgspec.Struct, frozen=True):
    """Answers that a row could not use."""

    refused: tuple[Refused, ...]


class RowDone(msgspec.Struct, frozen=True):
    """A row is made, of the block that begins at index `start`."""

    start: int


RowReport = Asked | RefusedAnswers | RowDone | BlockRecord
"""What `WaitingRows` reports; the record of a block once the block is on disk."""


class _Open:
    """A block whose rows are being made."""

    def __init__(self, block: Block, lines: BlockLines) -> None:
        self.block = block
        self.again = dict(block.again)
        self.lines = lines
        self.next = block.start
        """The row whose lines come next."""
        self.made: dict[int, MadeRow | FailedRow] = {}
        """Rows that are made before their turn."""


class _Row:
    __slots__ = ("coroutine", "index", "known", "notes", "of")

    def __init__(self, index: int, of: _Open, coroutine: greenlet) -> None:
        self.index = index
        self.of = of
        self.coroutine = coroutine
        self.notes: list[UseNote] = []
        self.known: dict[bytes, ModelAnswer] = {}
        """Answers it has had, by the key of the request: calls that are made again to be checked ask for the same results."""


class WaitingRows:
    """Makes the rows of open blocks in this process.

    Args:
        job: The run.
        prepared: Its recipe, with a model.
        width: How many rows wait for answers at once, at most.
        tell: Told of requests, rows and blocks.
    """

    def __init__(self, job: Job, prepared: PreparedRecipe, width: int, tell: Callable[[RowReport], None]) -> None:
        if prepared.uses is None:
            raise TypeError("the recipe asks no model")
        self._job = job
        self._prepared = prepared
        self._width = width
        self._tell = tell
        self._asker = prepared.uses.asker
        self._asker.wait = self._wait
        self._to_begin: deque[tuple[int, _Open]] = deque()
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

    def open(self, block: Block) -> None:
        """Add the rows of a block to those to be made."""
        one = _Open(block, BlockLines(self._job.layout, self._prepared, block.without))
        self._to_begin += [(index, one) for index in range(block.start, block.stop)]

    def add_scripts(self, number: int, text: str) -> None:
        """Add the scripts of a request, that a model has written meanwhile."""
        add_scripts(self._prepared, number, text)

    def answer(self, row: int, answers: tuple[ModelAnswer, ...]) -> None:
        """Give a row its answers; it continues when its turn comes."""
        found = self._waiting.pop(row)
        if found is self._held:
            self._answered.appendleft((found, answers))
        else:
            self._answered.append((found, answers))

    @property
    def can_work(self) -> bool:
        """Whether a row can continue or begin before more answers come."""
        if self._held is not None:
            return bool(self._answered) and self._answered[0][0] is self._held
        return bool(self._answered) or (bool(self._to_begin) and len(self._waiting) < self._width)

    def work(self) -> None:
        """Continue one row until it waits or is made: one that has its answers, or else a new one."""
        if self._answered:
            self._go_on(*self._answered.popleft())
        else:
            index, of = self._to_begin.popleft()
            self._go_on(
                _Row(index, of, greenlet(partial(make_checked_row, self._prepared, again=of.again.get(index, 0)))), ()
            )

    def _wait(self, requests: tuple[Request, ...]) -> tuple[ModelAnswer, ...]:
        """Suspend the row until its answers are there, and return them."""
        known, settings = self._current.known, self._asker.settings
        keys = [cache_key(request, settings) for request in requests]
        missing = [(key, request) for key, request in zip(keys, requests, strict=True) if key not in known]
        if missing:
            answers: tuple[ModelAnswer, ...] = getcurrent().parent.switch(tuple([request for _, request in missing]))
            known |= {key: answer for (key, _), answer in zip(missing, answers, strict=True)}
        return tuple([known[key] for key in keys])

    def _go_on(self, row: _Row, answers: tuple[ModelAnswer, ...]) -> None:
        self._asker.notes = row.notes
        self._held, self._current = None, row
        try:
            found = row.coroutine.switch(answers if row.coroutine else row.index)
        finally:
            if self._asker.refused:
                self._tell(RefusedAnswers(tuple(self._asker.refused)))
                self._asker.refused.clear()
        if row.coroutine.dead:
            self._add(row.of, row.index, found)
        else:
            self._waiting[row.index] = row
            if self._serves_one and any(request.use == ARGUMENTS for request in found):
                self._held = row
            self._tell(Asked(row.index, found))

    def _add(self, of: _Open, index: int, made: MadeRow | FailedRow) -> None:
        of.made[index] = made
        while of.next in of.made:
            of.lines.add(of.made.pop(of.next))
            of.next += 1
        if of.next == of.block.stop:
            record = write_block(self._job, of.block, of.lines, time.process_time() - self._counted)
            self._counted = time.process_time()
            self._tell(record)
        else:
            self._tell(RowDone(of.block.start))
