"""How many rows a task on another machine has: a few seconds of them, found by making some."""

import time

from generator.run.engine.checked_row import make_checked_row
from generator.run.prepared import PreparedRecipe

_SIZES = (5000, 2000, 1000, 500, 200, 100, 50, 20, 10)
"""The largest keeps a block below some 100 MB in every format."""
_SECONDS = 9.0
"""Of a task, where there are rows enough: long beside what a task costs, short beside what is lost with a machine."""
_LEAST_SECONDS = 1.0
_TASKS = 256
"""With fewer rows, tasks are shorter, so that there are this many."""
_SAMPLE = 100


def rows_of_a_task(prepared: PreparedRecipe, rows: int) -> int:
    """Rows whose making takes 1 to 10 seconds of a core like this one.

    Args:
        prepared: The recipe; some of its rows are made and thrown away, which also fills its pools.
        rows: Of the whole run.
    """
    sample = min(_SAMPLE, rows)
    for index in range(sample):  # warms up
        make_checked_row(prepared, index)
    begun = time.process_time()
    for index in range(sample):
        make_checked_row(prepared, index)
    return size_of(max(1e-6, (time.process_time() - begun) / sample), rows)


def size_of(seconds: float, rows: int) -> int:
    """The same where it is known how many seconds a row takes."""
    most = min(_SECONDS / seconds, max(_LEAST_SECONDS / seconds, rows / _TASKS))
    return next((size for size in _SIZES if size <= most), _SIZES[-1])
