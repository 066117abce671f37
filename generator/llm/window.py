"""A sliding window of concurrent work: always full, results in order, memory bounded.

There are no batches: as soon as one piece of work is done, the next one begins. A result that is ready before its turn
waits; when too many wait (because one piece takes very long), nothing new begins.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


async def in_order(
    items: Iterable[T], work: Callable[[T], Coroutine[Any, Any, R]], *, width: int, ahead: int
) -> AsyncGenerator[tuple[T, R], None]:
    """Each item and the result of its work, in the order of the items.

    Args:
        items: Taken only as fast as work begins.
        work: Done for each; when one fails nothing new begins, what was begun is finished, then the failure is raised.
        width: Pieces of work that are going on at once.
        ahead: Pieces, going on or done, that wait for their turn at most.
    """
    window = _Window(items, work, width, max(width, ahead))
    window.fill()
    try:
        while window.begun:
            item, task = window.begun[0]
            try:
                result = await task
            except Exception:  # any failure of the work: what was begun is finished first, then it goes on its way
                await asyncio.gather(*[other for _, other in window.begun], return_exceptions=True)
                raise
            window.begun.popleft()
            window.fill()
            yield item, result
        if window.broken is not None:
            raise window.broken
    finally:
        window.failed = True
        for _, task in window.begun:
            task.cancel()
        await asyncio.gather(*[task for _, task in window.begun], return_exceptions=True)


class _Window(Generic[T, R]):
    """Work that has begun and whose results have not been handed out."""

    def __init__(
        self, items: Iterable[T], work: Callable[[T], Coroutine[Any, Any, R]], width: int, ahead: int
    ) -> None:
        self.begun: deque[tuple[T, asyncio.Task[R]]] = deque()
        self.failed = False
        self.broken: Exception | None = None
        self._items = iter(items)
        self._work = work
        self._width = width
        self._ahead = ahead
        self._going = 0

    def fill(self) -> None:
        """Begin as much work as there is room for."""
        while not self.failed and self._going < self._width and len(self.begun) < self._ahead:
            try:
                item = next(self._items)
            except StopIteration:
                return
            except Exception as fault:  # of whatever the items come from: told when all that was begun is handed out
                self.failed, self.broken = True, fault
                return
            task = asyncio.create_task(self._work(item))
            self._going += 1
            self.begun.append((item, task))
            task.add_done_callback(self._done)

    def _done(self, task: "asyncio.Task[R]") -> None:
        self._going -= 1
        if task.cancelled() or task.exception() is not None:
            self.failed = True
        self.fill()
