"""How long records are in tokens: by a tokenizer of the user's, or by their bytes.

What is measured is what is written: for text formats the text, for others the record as compact JSON. A chat template
adds words to the latter and drops JSON's quotes and keys.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from generator.core.errors import RecipeError
from generator.core.files import read_regular

BYTES_OF_A_TOKEN = 4
Measure = Callable[[Mapping[str, Any], bytes], int]
"""Tokens of a record, given its line as well."""


class Length(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of the records of one format."""

    records: int
    p50: int
    p95: int
    longest: int
    histogram: dict[str, int]
    """Records by ranges that double: `up to 1,024`."""


class LengthCounts(msgspec.Struct):
    """The lengths of one format's records, to be added up: rounded numbers (within 1 %) with their counts."""

    counts: dict[str, int] = {}
    longest: int = 0

    def add(self, tokens: int) -> None:
        """Count one record."""
        key = str(rounded(tokens))
        self.counts[key] = self.counts.get(key, 0) + 1
        self.longest = max(self.longest, tokens)

    def joined(self, other: "LengthCounts") -> "LengthCounts":
        """Return the counts of two parts of a run."""
        counts = Counter(self.counts)
        counts.update(other.counts)
        return LengthCounts(counts=dict(counts), longest=max(self.longest, other.longest))

    def above(self, tokens: int) -> int:
        """Return how many records are longer, within 1 %."""
        return sum(number for key, number in self.counts.items() if int(key) > tokens)

    def summary(self) -> Length | None:
        """Return the figures; None if nothing was counted."""
        numbers = Quantiles()
        for key, number in self.counts.items():
            numbers.add(int(key), number)
        p50, p95 = numbers.at(0.5), numbers.at(0.95)
        if p50 is None or p95 is None:
            return None
        return Length(
            records=numbers.total, p50=min(p50, self.longest), p95=min(p95, self.longest), longest=self.longest,
            histogram=dict(doubling(numbers)),
        )  # fmt: skip


def tokens_of_bytes(size: int) -> int:
    """Estimate tokens from bytes: a fourth of them."""
    return -(-size // BYTES_OF_A_TOKEN)


@lru_cache(maxsize=8)
def measure_by(tokenizer: Path | None) -> Measure:
    """Return a function that measures records: by a `tokenizer.json`, or by bytes.

    Raises:
        RecipeError: when the file is not a tokenizer, or the package that reads it is not installed.
    """
    if tokenizer is None:
        return lambda record, line: tokens_of_bytes(len(record["text"].encode()) if _is_text(record) else len(line))
    from tokenizers import Tokenizer  # comes with litellm

    try:
        loaded = Tokenizer.from_buffer(read_regular(tokenizer))
    except Exception as fault:  # the package raises nothing more precise
        raise RecipeError(f"{tokenizer}: not a tokenizer.json ({fault})", _PLACE) from None
    return lambda record, line: len(
        loaded.encode(record["text"] if _is_text(record) else line.decode(), add_special_tokens=False)
    )


_PLACE = ("lengths", "tokenizer")


def _is_text(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("text"), str)


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
        bucket = _bucket_of(number)
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
        counted = 0
        for bucket in sorted(self._counts):
            counted += self._counts[bucket]
            if counted >= part * self.total:
                return min(_number_of_bucket(bucket), self.highest or 0)
        return None

    def counts(self) -> Iterator[tuple[int, int]]:
        """Yield (number, count) pairs, in order of the numbers."""
        for bucket in sorted(self._counts):
            yield _number_of_bucket(bucket), self._counts[bucket]


def rounded(number: int) -> int:
    """Round a number as it is kept: within 1 %."""
    return _number_of_bucket(_bucket_of(number))


def _bucket_of(number: int) -> int:
    return number if number < _EXACT else _EXACT + round(math.log(number / _EXACT) / _STEP)


def _number_of_bucket(bucket: int) -> int:
    return bucket if bucket < _EXACT else round(_EXACT * math.exp((bucket - _EXACT) * _STEP))


_EDGES = (128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768)


def doubling(numbers: Quantiles) -> tuple[tuple[str, int], ...]:
    """Return counts by ranges that double: `("up to 1,024", 12)`.

    Empty ranges before the first and behind the last one with a count are left out.
    """
    names = [f"up to {edge:,}" for edge in _EDGES] + ["more"]
    counts = [0] * len(names)
    for number, count in numbers.counts():
        counts[next((index for index, edge in enumerate(_EDGES) if number <= edge), len(_EDGES))] += count
    ranges_in_use = [index for index, count in enumerate(counts) if count]
    return (
        tuple((names[index], counts[index]) for index in range(ranges_in_use[0], ranges_in_use[-1] + 1))
        if ranges_in_use
        else ()
    )
