"""Deterministic counting in bounded memory: exact while there is room, then estimates with a bounded error."""

import hashlib
from bisect import insort


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
