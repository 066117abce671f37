"""Near-duplicates: requests that are almost the same as an earlier one.

Candidates come from MinHash with bands (Broder, 1997; Leskovec and others, "Mining of Massive Datasets", chapter 3), and
each candidate is checked by the exact Jaccard similarity of its shingles. Memory is bounded: only the latest rows are
remembered, between 50,000 and 100,000 of them, and of long texts 256 shingles.
"""

import hashlib
import struct
from array import array

from generator.report.mentions import words_of_text
from generator.report.metrics.base import Examples, Figure, Measured, Metric
from generator.report.rows import SeenRow
from generator.report.sketches import share

ALIKE = 0.7
"""Jaccard similarity from which on two texts are near-duplicates."""
_SHINGLE = 3
_MOST_SHINGLES = 256
_REMEMBERED = 50_000
"""Rows after which those before the last so many are forgotten."""
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
    """Compares requests, as they are and with their values masked."""

    def __init__(self) -> None:
        self._plain = _Index()
        self._masked = _Index()
        self._rows = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Compare one row with those before it."""
        text = row.request
        if not text:
            return
        self._rows += 1
        if self._plain.add(words_of_text(text)):
            self._examples.note("near-duplicates of an earlier row", row.number)
        self._masked.add(_masked(row))

    def result(self) -> Measured:
        """Return shares of the rows."""
        return Measured(
            {
                "plain": share(self._plain.alike, self._rows),
                "masked": share(self._masked.alike, self._rows),
                "exact": share(self._plain.equal, self._rows),
            },
            examples=self._examples.rows,
        )


def _masked(row: SeenRow) -> list[str]:
    """Return the words of the request, each value of an argument as one mask, numbers masked too."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for call in row.calls:
        for value in call.values:
            if value.span is not None and value.message is not None:
                spans.setdefault(value.message, []).append(value.span)
    words: list[str] = []
    for index, message in enumerate(row.conversation.messages):
        if type(message).__name__ != "UserMessage":
            continue
        text, at = message.content or "", 0
        for start, end in sorted(spans.get(index, ())):
            if start >= at:
                words += words_of_text(text[at:start])
                words.append(_MASK)
                at = end
        words += words_of_text(text[at:])
    return [_MASK if word[0].isdigit() else word for word in words]


METRIC = Metric(
    name="near_duplicates",
    title="Near-duplicates",
    about=(
        "A row is a near-duplicate when its request (all that the user says) and that of an earlier row have three-word"
        " shingles with a Jaccard similarity of at least 0.7: the rows that removing duplicates would remove. Candidates are"
        " found by MinHash in 10 bands of 3 (97 % of the pairs at 0.7, nearly all above), then compared exactly. The latest"
        " rows are remembered, 50,000 to 100,000 of them, which takes at most 220 MB (25 MB for 10,000 rows). The share grows with"
        " the number of rows: compare files of one size."
    ),
    figures=(
        Figure("plain", "%", "Rows whose request is nearly that of an earlier row.", grows=True),
        Figure(
            "masked",
            "%",
            "The same with each value that the user says as it is, and each number, masked: the same template.",
            grows=True,
        ),
        Figure("exact", "%", "Rows whose request has the same words as an earlier row's.", grows=True),
    ),
    make=NearDuplicateMeter,
)
