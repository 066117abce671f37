"""How requests and answers are worded: near-duplicates, how texts begin, their skeletons, their lengths."""

import hashlib
import re
import struct
from array import array
from functools import cache
from itertools import islice

import msgspec

from generator.core.conversation import Conversation, UserMessage
from generator.core.pointers import leaves
from generator.formats.files.lengths import Quantiles, doubling, tokens_of_bytes
from generator.report.metrics.base import Chart, DistinctValues, FrequentValues, Measured, Meter, share
from generator.report.rows import ParsedCall, ParsedRow, known_words, words_of_text

_MASK = "\u2026"

ALIKE = 0.7
"""Jaccard similarity from which on two texts are near-duplicates."""
_SHINGLE = 3
_MOST_SHINGLES = 256
_REMEMBERED = 50_000
"""Requests after which those before the last so many are forgotten."""
_BANDS = 10

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
        bands = _places(shingles)
        kept = array("I", sorted(shingles))
        candidates = {
            id(other): other
            for texts_by_hash in (self._latest, self._before)
            for band in bands
            if (other := texts_by_hash.get(band))
        }
        equal = kept in candidates.values()
        is_alike = equal or any(_similarity(shingles, other) >= ALIKE for other in candidates.values())
        self._remember(kept, bands)
        self.alike += is_alike
        self.equal += equal
        return is_alike

    def _remember(self, kept: "array[int]", bands: list[int]) -> None:
        """Keep the hashes of a text under its numbers; of very many texts the first ones are forgotten."""
        if self._texts == _REMEMBERED:
            self._before, self._latest, self._texts = self._latest, {}, 0
        self._texts += 1
        for band in bands:
            self._latest[band] = kept


def _shingles(words: list[str]) -> dict[int, bytes]:
    """Return the hashes of all three-word shingles, by their first four bytes; of very many, the smallest."""
    texts = [" ".join(words[at : at + _SHINGLE]) for at in range(max(1, len(words) - _SHINGLE + 1))]
    hashes: dict[int, bytes] = {}
    for text in texts:
        digest = hashlib.blake2b(text.encode(errors="surrogatepass")).digest()
        hashes[int.from_bytes(digest[:4], "little")] = digest
    if len(hashes) > _MOST_SHINGLES:
        return {number: hashes[number] for number in sorted(hashes)[:_MOST_SHINGLES]}
    return hashes


def _places(shingles: dict[int, bytes]) -> list[int]:
    """Return a number for each band, made of three MinHashes: texts that share one are candidates."""
    least = list(map(min, zip(*map(_hashes.unpack, shingles.values()), strict=True)))
    return [
        band << 48 | least[3 * band] << 32 | least[3 * band + 1] << 16 | least[3 * band + 2] for band in range(_BANDS)
    ]


def _similarity(shingles: dict[int, bytes], other: "array[int]") -> float:
    common = sum(map(shingles.__contains__, other))
    return common / (len(shingles) + len(other) - common)


class NearDuplicateMeter(Meter):
    """Compares what users say in a row, as it is and with its values masked: "Yes, please." may be said in many."""

    def __init__(self) -> None:
        super().__init__()
        self._plain = _Index()
        self._masked = _Index()

    def add(self, row: ParsedRow) -> None:
        """Compare the requests of one row with those before them."""
        spans, plain, masked = _spans(row), list[str](), list[str]()
        for index, message in enumerate(row.conversation.messages):
            if isinstance(message, UserMessage) and message.content:
                plain += words_of_text(message.content)
                masked += _with_values_masked(message.content, spans.get(index, []))
        if not plain:
            return
        self.counts["requests"] += 1
        if self._plain.add(plain):
            self.examples.note("near-duplicates of an earlier request", row.number)
        if self._masked.add(masked):
            self.examples.note("the same with values masked", row.number)

    def result(self) -> Measured:
        """Return shares of the requests."""
        requests = self.counts["requests"]
        figures = {
            "plain": share(self._plain.alike, requests),
            "masked": share(self._masked.alike, requests),
            "exact": share(self._plain.equal, requests),
        }
        return Measured(figures, examples=self.examples.rows)


def _spans(row: ParsedRow) -> dict[int, list[tuple[int, int]]]:
    """Return where the messages say values of arguments."""
    spans: dict[int, list[tuple[int, int]]] = {}
    for call in row.calls:
        for value in call.values:
            if value.span is not None and value.message is not None:
                spans.setdefault(value.message, []).append(value.span)
    return spans


def _with_values_masked(text: str, spans: list[tuple[int, int]]) -> list[str]:
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


_WORDS = 3


class OpenerMeter(Meter):
    """Counts first words."""

    def __init__(self) -> None:
        super().__init__()
        self._requests = FrequentValues(4096)
        self._answers = FrequentValues(4096)
        self._distinct = DistinctValues()

    def add(self, row: ParsedRow) -> None:
        """Count the beginnings of one row's turns."""
        for turn in row.turns:
            if turn.text:
                opener = _opener(turn.text)
                self._requests.add(opener)
                self._distinct.add(opener)
            if turn.answer:
                self._answers.add(_opener(turn.answer))

    def result(self) -> Measured:
        """Return the commonest ones."""
        return Measured(
            {
                "most_frequent": self._requests.share_of_first,
                "distinct": self._distinct.count,
                "answers": self._answers.share_of_first,
            },
            (
                Chart("Commonest beginnings of requests", tuple(self._requests.top(12))),
                Chart("Commonest beginnings of answers", tuple(self._answers.top(12))),
            ),
        )


def _opener(text: str) -> str:
    return " ".join(words_of_text(text[:200])[:_WORDS])


_MOST = 20_000
"""Skeletons that are counted exactly."""
_MOST_LEAVES = 300
_LONGEST = 200
"""Characters of a value that is looked for."""
_FORMATTED = re.compile(r"^\s*(?:[-*•–] |\d{1,2}[.)] |\|)|\*\*[^*\n]+\*\*", re.MULTILINE)
"""An entry of a list, a row of a table, or bold type."""
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`")
_JOINED = re.compile(rf"{_MASK}(?: (?:and |or |the |of )?{_MASK})+")


class SkeletonMeter(Meter):
    """Counts answers by their skeletons."""

    def __init__(self) -> None:
        super().__init__()
        self._skeletons = FrequentValues(_MOST)
        self._distinct = DistinctValues()

    def add(self, row: ParsedRow) -> None:
        """Count the answers of one row."""
        calls: list[ParsedCall] = []
        for turn in row.turns:
            calls += turn.calls
            if turn.answer:
                answer_skeleton = skeleton(turn.answer, calls)
                self._skeletons.add(answer_skeleton)
                self._distinct.add(answer_skeleton)
                self.counts.update(answers=1, formatted=_FORMATTED.search(turn.answer) is not None)

    def result(self) -> Measured:
        """Return shares of the most frequent ones."""
        top = self._skeletons.top(500)

        def first(number: int) -> float | None:
            return share(sum(count for _, count in top[:number]), self._skeletons.total)

        return Measured(
            {
                "top_100": first(100),
                "top_500": first(500),
                "most_frequent": first(1),
                "distinct": self._distinct.count,
                "formatted": self.share_of("formatted", "answers"),
            },
            (Chart("Commonest skeletons of answers", tuple(top[:12])),) if top else (),
        )


def skeleton(answer: str, calls: list[ParsedCall]) -> str:
    """Return an answer in lower case without its values and marks; lines that are built alike are one.

    Values of the arguments and results of the calls up to there are masked, and quoted texts, numbers in digits or words, months and days.
    """
    text = _QUOTED.sub(f" {_MASK} ", answer.lower())
    values = {
        value.lower()
        for call in calls
        for part in (call.call.arguments, call.result)
        for _, value in islice(leaves(part), _MOST_LEAVES)
        if isinstance(value, str) and 1 < len(value) <= _LONGEST
    }
    spoken = {value.replace("_", " ") for value in values}
    for value in sorted(values | spoken, key=lambda value: (-len(value), value)):
        if value in text:
            text = _without(text, value)
    lines: list[str] = []
    for line in text.split("\n"):
        masked_line = _JOINED.sub(_MASK, " ".join(_masked(word) for word in _words(line)))
        if masked_line and masked_line not in lines[-1:]:
            lines.append(masked_line)
    return " / ".join(lines)


def _without(text: str, value: str) -> str:
    """Return a text with a value masked wherever it stands apart from other words."""
    parts, at, start = [], 0, 0
    while (start := text.find(value, start)) >= 0:
        end = start + len(value)
        begins = not (start and text[start - 1].isalnum() and value[0].isalnum())
        if begins and not (end < len(text) and text[end].isalnum() and value[-1].isalnum()):
            parts += [text[at:start], f" {_MASK} "]
            at = end
        start = end
    return "".join([*parts, text[at:]])


def _words(line: str) -> list[str]:
    """Return the words of a line, masks among them."""
    return [
        word for part in re.split(rf"({_MASK})", line) for word in ([_MASK] if part == _MASK else words_of_text(part))
    ]


def _masked(word: str) -> str:
    return _MASK if word in _words_of_values() or any(map(str.isdigit, word)) else word


@cache
def _words_of_values() -> frozenset[str]:
    known = known_words()
    return frozenset((*known.numbers.values(), *known.months, *known.relative_days, "am", "pm"))


class LengthMeter(Meter):
    """Measures requests, answers and whole rows."""

    def __init__(self) -> None:
        super().__init__()
        self._requests, self._answers, self._rows, self._tools = (Quantiles() for _ in range(4))

    def add(self, row: ParsedRow) -> None:
        """Measure one row."""
        for turn in row.turns:
            if turn.text:
                self._requests.add(len(words_of_text(turn.text)))
            if turn.answer:
                self._answers.add(len(words_of_text(turn.answer)))
        messages, tools = _size(row.conversation)
        self._rows.add(messages + tools)
        self._tools.add(tools)

    def result(self) -> Measured:
        """Return medians, 95th percentiles and the longest."""
        return Measured(
            {
                "request_median": self._requests.at(0.5),
                "request_p95": self._requests.at(0.95),
                "answer_median": self._answers.at(0.5),
                "answer_p95": self._answers.at(0.95),
                "row_median": self._rows.at(0.5),
                "row_p95": self._rows.at(0.95),
                "row_longest": self._rows.highest,
                "tools_median": self._tools.at(0.5),
            },
            (
                Chart("Words of a request", _grouped(self._requests, 10)),
                Chart("Words of an answer", _grouped(self._answers, 10)),
                Chart("Tokens of a row", doubling(self._rows)),
            ),
        )


def _size(conversation: Conversation) -> tuple[int, int]:
    """Return the approximate numbers of tokens of the messages and of the tools."""
    sizes = []
    for part in (conversation.messages, conversation.tools):
        try:
            size = len(msgspec.json.encode(part))
        except (ValueError, TypeError, OverflowError, RecursionError):
            size = len(repr(part))
        sizes.append(tokens_of_bytes(size) if part else 0)
    return sizes[0], sizes[1]


def _grouped(numbers: Quantiles, width: int, number_of_ranges: int = 12) -> tuple[tuple[str, float], ...]:
    """Return counts by ranges of one width, the last open."""
    counts = [0] * number_of_ranges
    for number, count in numbers.counts():
        counts[min(number // width, number_of_ranges - 1)] += count
    names = [
        *[f"{index * width}–{index * width + width - 1}" for index in range(number_of_ranges - 1)],
        f"{(number_of_ranges - 1) * width}+",
    ]
    last = max([index for index, count in enumerate(counts) if count], default=-1)
    return tuple(zip(names, counts, strict=True))[: last + 1]
