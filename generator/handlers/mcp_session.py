"""A running MCP server, spoken to over its stdin and stdout. Needs the extra `mcp`."""

import logging
import os
import shlex
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as WaitedTooLongError
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import IO, TYPE_CHECKING, Any

import msgspec

from generator.errors import SpecError, installing

if TYPE_CHECKING:
    from mcp import ClientSession
    from mcp.types import InitializeResult

_MOST_SAID = 500
"""Characters of what a server says that are put into a message."""
_GRACE = 5.0
"""Seconds beyond a time limit after which a server that does not even refuse is given up."""


class McpLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of a server: time for its start and for a call, length of results."""

    seconds: float = 10.0
    """For one call."""
    start_seconds: float = 60.0
    """For starting, up to its first answer."""
    longest: int = 65536
    """Characters of one result."""


class LostServerError(Exception):
    """The server is gone, or gave no answer in time (`late`)."""

    def __init__(self, late: bool) -> None:
        super().__init__("late" if late else "gone")
        self.late = late


class NotBegunError(Exception):
    """A server did not start; the text holds what it wrote to its stderr."""


@asynccontextmanager
async def open_session(
    command: Sequence[str], seconds: float
) -> "AsyncIterator[tuple[ClientSession, InitializeResult]]":
    """Start a server and greet it; it is ended when the context is left.

    The server gets PATH, HOME and the like, but none of the other variables, which may hold secrets; what it prints to its
    stderr is told when it does not start; what it prints to its stdout without its being a message goes nowhere. A command `python` is the interpreter that runs this program, which has the packages that it has.

    Raises:
        TimeoutError: when it does not answer within that many seconds.
    """
    import asyncio  # it takes longer to import than all of this package

    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    logging.getLogger("mcp").setLevel(logging.CRITICAL)
    own = command[0] in ("python", "python3")
    program = StdioServerParameters(command=sys.executable if own else command[0], args=list(command[1:]))
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as said:
        begun = False
        try:
            async with (
                stdio_client(program, errlog=said) as (from_server, to_server),
                ClientSession(from_server, to_server) as session,
            ):
                about = await asyncio.wait_for(session.initialize(), seconds)
                begun = True
                yield session, about
        except Exception as fault:
            words = "" if begun else _last_words(said)
            if words:
                raise NotBegunError(f"{reason_of(fault)}; it said: {words}") from fault
            raise


def _last_words(said: IO[str]) -> str:
    """Return the end of what a server wrote to its stderr, on one line."""
    size = os.fstat(said.fileno()).st_size
    said.seek(max(0, size - 4 * _MOST_SAID))
    text = " ".join(said.read().split())
    return text if len(text) <= _MOST_SAID else f"…{text[-_MOST_SAID:]}"


def needs_the_extra(name: str) -> None:
    """Raise SpecError when the extra is not installed."""
    try:
        import mcp  # noqa: F401
    except ImportError:
        raise SpecError(f"{name}: to ask an MCP server, the package mcp is needed: {installing('mcp')}") from None


def reason_of(fault: BaseException) -> str:
    """Return the innermost fault's words; anyio wraps them in groups."""
    while isinstance(fault, BaseExceptionGroup) and fault.exceptions:
        fault = fault.exceptions[0]
    text = " ".join(str(fault).split()) or type(fault).__name__
    return text if len(text) <= 2 * _MOST_SAID else f"{text[: 2 * _MOST_SAID]}… ({len(text):,} characters)"


class McpSession:
    """One server process for plain functions: a thread of its own waits for the server.

    Args:
        command: Program and arguments.
        limits: What it may take.

    Raises:
        SpecError: when it cannot be started.
    """

    def __init__(self, command: Sequence[str], limits: McpLimits) -> None:
        import asyncio

        self._command, self._limits = tuple(command), limits
        self.owner = os.getpid()
        """The id of the process that started it: a forked worker starts a server of its own."""
        self.is_lost = False
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._ready: Future[ClientSession] = Future()
        self._thread = threading.Thread(target=self._run, name=shlex.join(command), daemon=True)
        self._thread.start()
        try:
            self._session = self._ready.result()
        except (Exception, CancelledError) as fault:
            raise SpecError(f"{shlex.join(command)}: the MCP server cannot be started ({reason_of(fault)})") from None

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """Return what the server answers: `content`, `structuredContent` and `isError`, as the protocol names them.

        Raises:
            LostServerError: when it is gone or gives no answer in time; it is of no use any more then.
            Exception: when it refuses the call, or its answer is not as the protocol and its `outputSchema` have it.
        """
        import asyncio

        from mcp import McpError

        limit = timedelta(seconds=self._limits.seconds)
        asked = self._session.call_tool(name, arguments, read_timeout_seconds=limit)
        try:
            return asyncio.run_coroutine_threadsafe(asked, self._loop).result(self._limits.seconds + _GRACE)
        except McpError as fault:
            if fault.error.code not in _LOST:
                raise
            raise self._lost(late=fault.error.code == _LATE) from None
        except (WaitedTooLongError, CancelledError) as fault:
            raise self._lost(late=isinstance(fault, WaitedTooLongError)) from None
        except Exception as fault:  # of pipes and streams, without a common base: the server is lost
            if isinstance(fault, RuntimeError) and self._thread.is_alive():  # an answer that is not as it says
                raise
            raise self._lost(late=False) from None

    def close(self) -> None:
        """End the server, if this process started it."""
        if self.owner == os.getpid() and self._thread.is_alive():
            with suppress(RuntimeError):  # the loop has ended by itself
                self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join(_GRACE)

    def _lost(self, late: bool) -> LostServerError:
        self.is_lost = True
        return LostServerError(late)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        try:
            async with open_session(self._command, self._limits.start_seconds) as (session, _):
                self._ready.set_result(session)
                await self._end.wait()
        except BaseException as fault:
            if not self._ready.done():
                self._ready.set_exception(fault)


_LATE = 408
_LOST = (_LATE, -32000)
"""Codes by which the library says that time is up and that the connection is closed."""
