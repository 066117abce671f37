"""All retries of requests: nothing below this layer retries."""

import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from generator.llm.transport import TransientError

T = TypeVar("T")

FIRST_WAIT = 0.5
LONGEST_WAIT = 20.0
LONGEST_ASKED = 300.0
"""Seconds; a server that wants to be left alone for longer is asked again by then."""
ATTEMPTS = 8
"""For a server that has answered before."""
FIRST_ATTEMPTS = 4
"""For one that never has: something is wrong with the address, then."""


async def with_retries(
    attempt: Callable[[], Awaitable[T]], attempts: Callable[[], int], first_wait: float, on_retry: Callable[[], None]
) -> T:
    """Return what `attempt` returns; made again after a TransientError, with pauses that grow, or that the server asks for.

    Args:
        attempt: Asks once.
        attempts: How many are made at most, asked after each failure.
        first_wait: Seconds before the second; doubled each time.
        on_retry: Called before each but the first.

    Raises:
        TransientError: of the last attempt.
    """
    try:
        return await attempt()  # most go well, and then nothing needs to be set up
    except TransientError as fault:
        first: TransientError | None = fault

    def stop(state: RetryCallState) -> bool:
        return state.attempt_number >= attempts()

    def wait(state: RetryCallState) -> float:
        fault = state.outcome.exception() if state.outcome else None
        asked = fault.retry_after if isinstance(fault, TransientError) else None
        if asked is not None:
            return min(asked, LONGEST_ASKED) * random.uniform(1.0, 1.1)
        longest = min(first_wait * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT)
        return longest * random.uniform(0.5, 1.0)

    retrying = AsyncRetrying(
        stop=stop,
        wait=wait,
        retry=retry_if_exception_type(TransientError),
        before_sleep=lambda _: on_retry(),
        reraise=True,
    )

    async def once() -> T:
        nonlocal first
        if first is not None:
            fault, first = first, None
            raise fault
        return await attempt()

    return await retrying(once)
