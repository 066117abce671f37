"""How fast a run is said to be."""

import pytest

from generator.cli.screen.run import _speed


@pytest.mark.parametrize(
    ("rows", "seconds", "words"),
    [
        (5000, 2.0, "2,500 rows/s"),
        (3, 3.0, "1 rows/s"),
        (1, 4.0, "15.0 rows/min"),
        (1, 600.0, "0.1 rows/min"),
        (0, 0.0, "–"),
    ],
)
def test_slow_runs_are_counted_by_the_minute(rows: int, seconds: float, words: str):
    assert _speed(rows, seconds) == words
