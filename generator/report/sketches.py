"""Counting in bounded memory: exact while there is room, then estimates whose error is bounded. All of it deterministic."""

import hashlib
import math
from bisect import insort
from collections.abc import Iterator


class FrequentValues:
    """The most frequent of any number of texts (Misra and Gries, 1982).

    Exact until there are more different texts than `most`; then a count may be too low by at most 1/`most` of all.
    """

    def __init__(self, most: int = 1024, longest: int = 80) -> None:
        self.total = 0
        self._most = most
        self._longest = longest
        self._counts: dict[str, int] = {}

    def add(self, text: str) -> None:
        """Count one text; of a long one, its beginning and a digest of all of it."""
        self.total += 1
        if len(text) > self._longest:
            digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=4).hexdigest()
            text = f"{text[: self._longest]}… ({digest})"
        counts = self._counts
        if text in counts:
            counts[text] += 1
        elif len(counts) < self._most:
            counts[text] = 1
        else:
            self._counts = {key: count - 1 for key, count in counts.items() if count > 1}

    def top(self, number: int) -> list[tuple[str, int]]:
        """The most frequent texts and how often they came, the most frequent first."""
        return sorted(self._counts.items(), key=lambda pair: (-pair[1], pair[0]))[:number]

    @property
    def share_of_first(self) -> float | None:
        """How much of everything the most frequent text is, in per cent."""
        top = self.top(1)
        return 100 * top[0][1] / self.total if top else None


class DistinctValues:
    """How many different texts there are: the smallest of their hashes tell (Bar-Yossef and others, 2002).

    Exact until there are `most`; then within about 4 % (one standard deviation at the usual size).
    """

    def __init__(self, most: int = 600) -> None:
        self._most = most
        self._smallest: list[int] = []
        self._known: set[int] = set()

    def add(self, text: str) -> None:
        """Note one text."""
        number = int.from_bytes(hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest(), "big")
        if number in self._known or (len(self._smallest) == self._most and number > self._smallest[-1]):
            return
        insort(self._smallest, number)
        self._known.add(number)
        if len(self._smallest) > self._most:
            self._known.discard(self._smallest.pop())

    @property
    def count(self) -> int:
        """How many there were."""
        if len(self._smallest) < self._most:
            return len(self._smallest)
        return round((self._most - 1) * 2**64 / self._smallest[-1])


_EXACT = 256
_STEP = math.log(1.02)


class Quantiles:
    """Quantiles of whole numbers: exact below 256, above that within 1 %."""

    def __init__(self) -> None:
        self.total = 0
        self.sum = 0
        self.highest: int | None = None
        self._counts: dict[int, int] = {}

    def add(self, number: int) -> None:
        """Note one number (0 or more)."""
        bucket = number if number < _EXACT else _EXACT + round(math.log(number / _EXACT) / _STEP)
        self._counts[bucket] = self._counts.get(bucket, 0) + 1
        self.total += 1
        self.sum += number
        self.highest = number if self.highest is None else max(self.highest, number)

    @property
    def mean(self) -> float | None:
        """The mean of all numbers."""
        return self.sum / self.total if self.total else None

    def at(self, part: float) -> int | None:
        """The number that this part of all numbers does not exceed: `at(0.5)` is the median."""
        seen = 0
        for bucket in sorted(self._counts):
            seen += self._counts[bucket]
            if seen >= part * self.total:
                return min(_number(bucket), self.highest or 0)
        return None

    def counts(self) -> Iterator[tuple[int, int]]:
        """(number, how often), in order."""
        for bucket in sorted(self._counts):
            yield _number(bucket), self._counts[bucket]


def _number(bucket: int) -> int:
    return bucket if bucket < _EXACT else round(_EXACT * math.exp((bucket - _EXACT) * _STEP))


def share(part: int, whole: int) -> float | None:
    """Per cent; None of nothing."""
    return 100 * part / whole if whole else None
