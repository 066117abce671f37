"""Makers of rows that ask a model: this process, between requests, or a worker process."""

import asyncio
import multiprocessing
import pickle
import socket
import struct
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from generator.core.errors import GeneratorError
from generator.core.toolbox import Toolbox
from generator.llm.asking import ModelAnswer
from generator.run.engine.blocks import Block, Job, open_recipe, rare_collections
from generator.run.engine.executors import begin_worker, can_fork, without_interruptions
from generator.run.engine.waiting_rows import RowReport, WaitingRows
from generator.run.prepared import PreparedRecipe

Take = Callable[[RowReport | BaseException], None]
"""Takes reports of requests, rows and blocks, and exceptions."""


class RowMaker(Protocol):
    """Makes the rows of blocks; every method but `stop` is called inside a running event loop."""

    async def open(self, take: Take) -> None:
        """Begin to report to `take`."""

    def begin(self, block: Block) -> None:
        """Begin to make a block."""

    def add_scripts(self, number: int, text: str) -> None:
        """Add the scripts of a request; rows that are made of them come after."""

    def answer(self, row: int, answers: tuple[ModelAnswer, ...]) -> None:
        """Give a row the answers that it waits for."""

    async def close(self) -> None:
        """Stop reporting."""

    def stop(self) -> None:
        """Release everything; rows that are being made are abandoned."""


class Here:
    """Makes rows in this process, in turns with the event loop."""

    def __init__(self, job: Job, prepared: PreparedRecipe, width: int) -> None:
        self._rows = WaitingRows(job, prepared, width, self._tell)
        self._take: Take | None = None
        self._is_due = False

    async def open(self, take: Take) -> None:
        """Begin to report to `take`."""
        self._take = take

    def begin(self, block: Block) -> None:
        """Begin to make a block."""
        self._rows.open(block)
        self._go_on()

    def add_scripts(self, number: int, text: str) -> None:
        """Do nothing: they have been added to the recipe, which is the same here."""

    def answer(self, row: int, answers: tuple[ModelAnswer, ...]) -> None:
        """Give a row the answers that it waits for."""
        self._rows.answer(row, answers)
        self._go_on()

    async def close(self) -> None:
        """Stop reporting."""
        self._take = None

    def stop(self) -> None:
        """Do nothing: there is nothing to release."""

    def _tell(self, told: RowReport) -> None:
        if self._take is not None:
            self._take(told)

    def _go_on(self) -> None:
        if not self._is_due and self._take is not None and self._rows.can_work:
            self._is_due = True
            asyncio.get_running_loop().call_soon(self._work)

    def _work(self) -> None:
        self._is_due = False
        if self._take is None:
            return
        try:
            self._rows.work()
        except Exception as fault:  # reported to whoever waits for the row
            self._take(fault)
            return
        self._go_on()


class Worker:
    """Makes rows in a process of its own, which ends with this one."""

    def __init__(self, job: Job, prepared: PreparedRecipe, width: int) -> None:
        self._ours, theirs = socket.socketpair()
        copied = can_fork()
        context: Any = multiprocessing.get_context("fork" if copied else "spawn")
        given = (None, prepared) if copied else (prepared.toolbox, None)
        self._process = context.Process(target=_serve, args=(theirs, job, width, *given), daemon=True)
        with without_interruptions():
            self._process.start()
        theirs.close()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    async def open(self, take: Take) -> None:
        """Begin to report to `take`."""
        reader, self._writer = await asyncio.open_connection(sock=self._ours)
        self._reading = asyncio.ensure_future(self._read(reader, take))

    def begin(self, block: Block) -> None:
        """Begin to make a block."""
        self._send(block)

    def add_scripts(self, number: int, text: str) -> None:
        """Add the scripts of a request."""
        self._send((number, text))

    def answer(self, row: int, answers: tuple[ModelAnswer, ...]) -> None:
        """Give a row the answers that it waits for."""
        self._send((row, answers))

    async def close(self) -> None:
        """Stop reporting."""
        if self._reading is not None:
            self._reading.cancel()
        if self._writer is not None:
            self._writer.close()

    def stop(self) -> None:
        """End the process. Blocks are written whole or not at all, so those that are being made can be abandoned."""
        self._ours.close()
        self._process.terminate()
        self._process.join()

    def _send(self, message: Any) -> None:
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(_framed(message))

    async def _read(self, reader: asyncio.StreamReader, take: Take) -> None:
        try:
            while True:
                (size,) = _SIZE.unpack(await reader.readexactly(_SIZE.size))
                take(pickle.loads(await reader.readexactly(size)))
        except (asyncio.IncompleteReadError, OSError):
            take(GeneratorError("a worker process died (killed from outside, or short of memory: try fewer --workers)"))


_SIZE = struct.Struct("<I")
_MOST_READ = 1 << 20


def _framed(message: Any) -> bytes:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _SIZE.pack(len(data)) + data


def _serve(line: socket.socket, job: Job, width: int, toolbox: Toolbox | None, prepared: PreparedRecipe | None) -> None:
    """Make rows until the connection is closed."""
    begin_worker()
    try:
        rows = WaitingRows(job, prepared or open_recipe(job, toolbox), width, lambda told: line.sendall(_framed(told)))
        with rare_collections():
            _work(line, rows)
    except Exception as fault:  # reported to whoever waits for the rows
        with suppress(OSError):  # nobody does any more
            line.sendall(_framed(_carried(fault)))


def _work(line: socket.socket, rows: WaitingRows) -> None:
    received = bytearray()
    while True:
        line.setblocking(not rows.can_work)
        try:
            data = line.recv(_MOST_READ)
        except BlockingIOError:
            data = None
        line.setblocking(True)
        if data is not None:
            if not data:
                return
            received += data
            _take_all(received, rows)
        if rows.can_work:
            rows.work()


def _take_all(received: bytearray, rows: WaitingRows) -> None:
    """Process all messages that are complete, and remove them from `received`."""
    at = 0
    while len(received) >= at + _SIZE.size:
        end = at + _SIZE.size + _SIZE.unpack_from(received, at)[0]
        if len(received) < end:
            break
        message = pickle.loads(memoryview(received)[at + _SIZE.size : end])
        at = end
        if isinstance(message, Block):
            rows.open(message)
        elif isinstance(message[1], str):
            rows.add_scripts(*message)
        else:
            rows.answer(*message)
    del received[:at]


def _carried(fault: Exception) -> Exception:
    """Return an exception that can be pickled; one that was not foreseen carries its traceback as text."""
    if not isinstance(fault, GeneratorError):
        fault.add_note(traceback.format_exc())
    try:
        pickle.loads(pickle.dumps(fault))
    except Exception:  # of whatever kind of exception this is
        return GeneratorError(f"{type(fault).__name__}: {fault}")
    return fault
