"""Quantiles of whole numbers in bounded memory, and histograms with ranges that double."""

import math
from collections.abc import Iterator

_EXACT = 512
_STEP = math.log(1.018)
"""Half of it is 0.9 %; rounding to whole numbers adds at most 0.1 % above 512."""


class Quantiles:
    """Quantiles of whole numbers: exact below 512, above that within 1 %."""

    def __init__(self) -> None:
        self.total = 0
        self.sum = 0
        self.highest: int | None = None
        self._counts: dict[int, int] = {}

    def add(self, number: int, times: int = 1) -> None:
        """Count a number (0 or more), which occurred that many times."""
        bucket = _bucket(number)
        self._counts[bucket] = self._counts.get(bucket, 0) + times
        self.total += times
        self.sum += number * times
        self.highest = number if self.highest is None else max(self.highest, number)

    @property
    def mean(self) -> float | None:
        """The mean of all numbers."""
        return self.sum / self.total if self.total else None

    def at(self, part: float) -> int | None:
        """Return the quantile of a share of all numbers: `at(0.5)` is the median."""
        seen = 0
        for bucket in sorted(self._counts):
            seen += self._counts[bucket]
            if seen >= part * self.total:
                return min(_number(bucket), self.highest or 0)
        return None

    def counts(self) -> Iterator[tuple[int, int]]:
        """Yield (number, count) pairs, in order of the numbers."""
        for bucket in sorted(self._counts):
            yield _number(bucket), self._counts[bucket]


def rounded(number: int) -> int:
    """Round a number as it is kept: within 1 %."""
    return _number(_bucket(number))


def _bucket(number: int) -> int:
    return number if number < _EXACT else _EXACT + round(math.log(number / _EXACT) / _STEP)


def _number(bucket: int) -> int:
    return bucket if bucket < _EXACT else round(_EXACT * math.exp((bucket - _EXACT) * _STEP))


_EDGES = (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)


def doubling(numbers: Quantiles) -> tuple[tuple[str, int], ...]:
    """Return counts by ranges that double: (`up to 1,024`, count)."""
    names = [f"up to {edge:,}" for edge in _EDGES] + ["more"]
    counts = [0] * len(names)
    for number, count in numbers.counts():
        counts[next((place for place, edge in enumerate(_EDGES) if number <= edge), len(_EDGES))] += count
    held = [place for place, count in enumerate(counts) if count]
    return tuple((names[place], counts[place]) for place in range(held[0], held[-1] + 1)) if held else ()
