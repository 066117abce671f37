"""How many rows a task on another machine makes: a few seconds' worth, measured by making some."""

import time

from generator.run.engine.checked_row import make_checked_row
from generator.run.prepared import PreparedRecipe

_SIZES = (5000, 2000, 1000, 500, 200, 100, 50, 20, 10)
"""Rows of a task; the largest keeps a block below some 100 MB in every format."""
_SECONDS = 9.0
"""The longest that a task should take in seconds: long beside the overhead of a task, short beside what is lost with a machine."""
_LEAST_SECONDS = 1.0
_TASKS = 256
"""The number of tasks below which a run uses shorter ones."""
_SAMPLE = 100


def rows_of_a_task(prepared: PreparedRecipe, rows: int) -> int:
    """Return the number of rows that take 1 to 10 seconds of a core like this one.

    Args:
        prepared: The recipe; some of its rows are made and thrown away, which also fills its pools.
        rows: Of the whole run.
    """
    sample = min(_SAMPLE, rows)
    for index in range(sample):  # a first round, to warm up
        make_checked_row(prepared, index)
    begun = time.process_time()
    for index in range(sample):
        make_checked_row(prepared, index)
    return size_of(max(1e-6, (time.process_time() - begun) / sample), rows)


def size_of(seconds: float, rows: int) -> int:
    """Return the number of rows of a task when one row takes so many seconds."""
    most = min(_SECONDS / seconds, max(_LEAST_SECONDS / seconds, rows / _TASKS))
    return next((size for size in _SIZES if size <= most), _SIZES[-1])
