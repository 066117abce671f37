"""A limit of time for what must not hang, inside the test process."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class HangError(BaseException):
    """Raised out of whatever goes on; nothing that catches errors catches it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise HangError when the block takes longer; for the main thread."""

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise HangError(f"it goes on after {seconds} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
