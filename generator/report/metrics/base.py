"""Metrics: a name, the meaning of its figures, and a meter that sees one row after the other; counting in bounded memory."""

import hashlib
from bisect import insort
from collections import Counter
from collections.abc import Callable
from typing import Literal

import msgspec

from generator.report.rows import ParsedRow


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
        """Return the most frequent texts and how often they came, the most frequent first."""
        return sorted(self._counts.items(), key=lambda pair: (-pair[1], pair[0]))[:number]

    @property
    def share_of_first(self) -> float | None:
        """How much of everything the most frequent text is, in per cent."""
        top = self.top(1)
        return 100 * top[0][1] / self.total if top else None


class DistinctValues:
    """The number of different texts, estimated from their smallest hashes (Bar-Yossef and others, 2002).

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


def share(part: int, whole: int) -> float | None:
    """Return a share in per cent; None when there is nothing to count."""
    return 100 * part / whole if whole else None


MOST_EXAMPLES = 5
"""Rows that are named for people to look at."""

Unit = Literal["%", "", "words", "tokens", "turns", "tools", "values"]


class Figure(msgspec.Struct, frozen=True):
    """One number that a metric gives."""

    name: str
    about: str
    """What it counts, in one sentence; docs/report.md shows it."""
    unit: Unit = ""
    grows: bool = False
    """Whether it depends on how many rows there are, so that a sample does not show it."""


class Chart(msgspec.Struct, frozen=True):
    """Counts to look at."""

    title: str
    counts: tuple[tuple[str, float], ...]


class Measured(msgspec.Struct, frozen=True):
    """What a meter found."""

    figures: dict[str, float | int | None]
    """By name, in the order of the metric; None where there was nothing to measure."""
    charts: tuple[Chart, ...] = ()
    examples: dict[str, list[int]] = {}
    """Numbers of some rows (from 0), by what they are examples of."""


class Examples:
    """The first rows of each kind."""

    def __init__(self) -> None:
        self.rows: dict[str, list[int]] = {}

    def note(self, kind: str, number: int) -> None:
        """Note a row, unless there are enough of its kind."""
        row_numbers = self.rows.setdefault(kind, [])
        if len(row_numbers) < MOST_EXAMPLES and number not in row_numbers:
            row_numbers.append(number)


class Meter:
    """Takes rows one after the other, in bounded memory."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        """Rows and other things, by what they are."""
        self.examples = Examples()

    def add(self, row: ParsedRow) -> None:
        """Look at one row."""
        raise NotImplementedError

    def result(self) -> Measured:
        """Return what was found in all of them."""
        raise NotImplementedError

    def share_of(self, part: str, whole: str) -> float | None:
        """Return what share one count is of another, in per cent; None when there is nothing to count."""
        return share(self.counts[part], self.counts[whole])


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a report measures."""

    name: str
    """The module's name; figures are named after it: `near_duplicates.plain`."""
    title: str
    about: str
    """How it is measured; docs/report.md shows it."""
    figures: tuple[Figure, ...]
    make: Callable[[], Meter]


def numbered(counts: dict[int, int], most: int = 12) -> tuple[tuple[str, float], ...]:
    """Return counts in order of the number; those beyond `most` different numbers are added up."""
    ordered = sorted(counts.items())
    if len(ordered) <= most:
        return tuple((str(number), count) for number, count in ordered)
    rest = sum(count for _, count in ordered[most - 1 :])
    return (*((str(number), count) for number, count in ordered[: most - 1]), (f"{ordered[most - 1][0]}+", rest))


def most_first(counts: dict[str, int]) -> tuple[tuple[str, float], ...]:
    """Return the twelve largest counts by name, the largest first."""
    return tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:12])
