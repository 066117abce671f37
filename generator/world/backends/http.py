"""Calls answered by a web server: POST of `{"name", "arguments"}`, whose body is the result."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from typing import Any

import msgspec

from generator.core.conversation import ToolCall
from generator.core.planning import Outcome
from generator.core.profiles import ERROR
from generator.world.backends.python.lifecycle import NOT_TEXT
from generator.world.backends.silence import Silence
from generator.world.outcome import read_outcome

_MOST_BYTES = 1 << 20
_MAY_PASS = frozenset({408, 425, 429, 500, 502, 503, 504})


class HttpLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long an answer may take, and how often it is asked for."""

    seconds: float = 10.0
    attempts: int = 4
    longest_wait: float = 5.0
    """Seconds between two attempts, at most."""


class _Passing(Exception):  # noqa: N818
    """A failure after which another attempt may succeed."""


class _Silent(_Passing):
    """There was no answer."""


class Http:
    """The backend of one URL.

    The request also tells `conversation` (the salt) and `today`, so that a server can keep a state for each
    conversation. Rows made with it are the same again only if the server answers the same again.
    """

    def __init__(self, url: str, limits: HttpLimits | None = None) -> None:
        self.url, self.limits = url, limits or HttpLimits()
        self.silence = Silence()

    def open(self, today: date, salt: int = 0) -> "AbstractContextManager[HttpWorld]":
        """Return a world that tells the server which conversation it is."""
        return nullcontext(HttpWorld(self, {"conversation": str(salt), "today": today.isoformat()}))


class HttpWorld:
    """One conversation with a server."""

    def __init__(self, backend: Http, about: dict[str, str]) -> None:
        self._backend, self._about = backend, about

    def step(self, calls: Sequence[ToolCall]) -> tuple[Outcome, ...]:
        """Return the server's answers, asked for at once."""
        import asyncio  # it takes longer to import than the rest of this package

        return tuple(asyncio.run(self._ask_all(calls)))

    async def _ask_all(self, calls: Sequence[ToolCall]) -> list[Outcome]:
        import asyncio

        import aiohttp

        timeout = aiohttp.ClientTimeout(total=self._backend.limits.seconds)
        async with aiohttp.ClientSession(timeout=timeout) as session:
            return list(await asyncio.gather(*[self._ask(session, call) for call in calls]))

    async def _ask(self, session: Any, call: ToolCall) -> Outcome:
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

        limits = self._backend.limits
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_Passing),
            stop=stop_after_attempt(limits.attempts),
            wait=wait_random_exponential(multiplier=0.1, max=limits.longest_wait),
            reraise=True,
        )
        try:
            outcome: Outcome = await retrying(self._ask_once, session, call)
        except _Silent as fault:
            self._backend.silence.failure(call.name, str(fault))
            return Outcome(False, f"{ERROR}{fault}")
        except _Passing as fault:
            outcome = Outcome(False, f"{ERROR}{fault}")
        self._backend.silence.answer(call.name)
        return outcome

    async def _ask_once(self, session: Any, call: ToolCall) -> Outcome:
        import aiohttp

        body = {"name": call.name, "arguments": call.arguments, **self._about}
        data = bytearray()
        try:
            async with session.post(self._backend.url, json=body, allow_redirects=False) as answer:
                async for chunk in answer.content.iter_chunked(1 << 16):
                    data += chunk
                    if len(data) > _MOST_BYTES:
                        break
                status = answer.status
        except TimeoutError:
            raise _Silent("Tool execution timed out") from None
        except aiohttp.ClientError as fault:
            raise _Silent(f"Tool server cannot be reached ({type(fault).__name__})") from None
        if status in _MAY_PASS:
            raise _Passing(f"Tool server answered {status}")
        return _outcome(status, bytes(data))


def _outcome(status: int, data: bytes) -> Outcome:
    """Return the outcome of a final answer, one that asking again would not change."""
    if len(data) > _MOST_BYTES:
        return Outcome(False, f"{ERROR}Tool result is too long (more than {_MOST_BYTES:,} bytes)")
    try:
        content = data.decode()
    except UnicodeDecodeError:
        return Outcome(False, NOT_TEXT)
    if status >= 300 and not content.startswith(ERROR):
        return Outcome(False, f"{ERROR}Tool server answered {status}")
    return read_outcome(content)
