"""Rate limits for requests and tokens per minute: each request waits for its turn."""

import asyncio
from collections.abc import Callable
from time import monotonic


class Pace:
    """A rate limit in units per minute, evenly spread; None: no limit."""

    def __init__(self, per_minute: int | None, now: Callable[[], float] = monotonic) -> None:
        self._seconds_each = 60.0 / per_minute if per_minute else 0.0
        self._now = now
        self._free_at = 0.0

    def reserve(self, units: float = 1.0) -> float:
        """Take units; returns how many seconds to wait before they are used."""
        if not self._seconds_each:
            return 0.0
        now = self._now()
        at = max(now, self._free_at)
        self._free_at = at + units * self._seconds_each
        return at - now

    async def wait(self, units: float = 1.0) -> None:
        """Take units, and wait until they may be used."""
        seconds = self.reserve(units)
        if seconds > 0:
            await asyncio.sleep(seconds)
