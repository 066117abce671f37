"""Near-duplicates: requests that are almost the same as an earlier one.

Candidates come from MinHash with bands (Broder, 1997; Leskovec and others, "Mining of Massive Datasets", chapter 3), and
each candidate is checked by the exact Jaccard similarity of its shingles. Memory is bounded: only the latest requests are
remembered, between 50,000 and 100,000 of them, and of long texts 256 shingles.
"""

import hashlib
import struct
from array import array

from generator.core.conversation import UserMessage
from generator.report.mentions import words_of_text
from generator.report.metrics.base import Examples, Measured
from generator.report.rows import SeenRow
from generator.report.sketches import share

ALIKE = 0.7
"""Jaccard similarity from which on two texts are near-duplicates."""
_SHINGLE = 3
_MOST_SHINGLES = 256
_REMEMBERED = 50_000
"""Requests after which those before the last so many are forgotten."""
_BANDS = 10
_MASK = "\u2026"

_hashes = struct.Struct("<32H")


class _Index:
    """Texts seen of late, and whether a new one is almost the same as one of them."""

    def __init__(self) -> None:
        self.alike = 0
        self.equal = 0
        self._latest: dict[int, array[int]] = {}
        self._before: dict[int, array[int]] = {}
        self._texts = 0

    def add(self, words: list[str]) -> bool:
        """Note a text; whether it is almost the same as an earlier one."""
        shingles = _shingles(words)
        places = _places(shingles)
        kept = array("I", sorted(shingles))
        candidates = {
            id(other): other for held in (self._latest, self._before) for place in places if (other := held.get(place))
        }
        equal = kept in candidates.values()
        found = equal or any(_similarity(shingles, other) >= ALIKE for other in candidates.values())
        self._remember(kept, places)
        self.alike += found
        self.equal += equal
        return found

    def _remember(self, kept: "array[int]", places: list[int]) -> None:
        if self._texts == _REMEMBERED:
            self._before, self._latest, self._texts = self._latest, {}, 0
        self._texts += 1
        for place in places:
            self._latest[place] = kept


def _shingles(words: list[str]) -> dict[int, bytes]:
    """Return the hashes of all three-word shingles, by their first four bytes; of very many, the smallest."""
    texts = [" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1))]
    found: dict[int, bytes] = {}
    for text in texts:
        digest = hashlib.blake2b(text.encode(errors="surrogatepass")).digest()
        found[int.from_bytes(digest[:4], "little")] = digest
    if len(found) > _MOST_SHINGLES:
        return {number: found[number] for number in sorted(found)[:_MOST_SHINGLES]}
    return found


def _places(shingles: dict[int, bytes]) -> list[int]:
    """Return a number for each band, made of three MinHashes: texts that share one are candidates."""
    least = list(map(min, zip(*map(_hashes.unpack, shingles.values()), strict=True)))
    return [
        band << 48 | least[3 * band] << 32 | least[3 * band + 1] << 16 | least[3 * band + 2] for band in range(_BANDS)
    ]


def _similarity(shingles: dict[int, bytes], other: "array[int]") -> float:
    common = sum(map(shingles.__contains__, other))
    return common / (len(shingles) + len(other) - common)


class NearDuplicateMeter:
    """Compares what users say in a row, as it is and with its values masked: "Yes, please." may be said in many."""

    def __init__(self) -> None:
        self._plain = _Index()
        self._masked = _Index()
        self._requests = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Compare the requests of one row with those before them."""
        spans, plain, masked = _spans(row), list[str](), list[str]()
        for index, message in enumerate(row.conversation.messages):
            if isinstance(message, UserMessage) and message.content:
                plain += words_of_text(message.content)
                masked += _masked(message.content, spans.get(index, []))
        if not plain:
            return
        self._requests += 1
        if self._plain.add(plain):
            self._examples.note("near-duplicates of an earlier request", row.number)
        if self._masked.add(masked):
            self._examples.note("the same with values masked", row.number)

    def result(self) -> Measured:
        """Return shares of the requests."""
        return Measured(
            {
                "plain": share(self._plain.alike, self._requests),
                "masked": share(self._masked.alike, self._requests),
                "exact": share(self._plain.equal, self._requests),
            },
            examples=self._examples.rows,
        )


def _spans(row: SeenRow) -> dict[int, list[tuple[int, int]]]:
    """Return where the messages say values of arguments."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for call in row.calls:
        for value in call.values:
            if value.span is not None and value.message is not None:
                spans.setdefault(value.message, []).append(value.span)
    return spans


def _masked(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """Return the words of a request, each value of an argument as one mask, numbers masked too."""
    words: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            words += words_of_text(text[at:start])
            words.append(_MASK)
            at = end
    words += words_of_text(text[at:])
    return [_MASK if word[0].isdigit() else word for word in words]
