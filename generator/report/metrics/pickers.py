"""How often simple baselines pick the right tool without understanding the request."""

import hashlib
import heapq
import math
from collections import Counter

import msgspec

from generator.report.mentions import words_of_text
from generator.report.metrics.base import Measured
from generator.report.rows import SeenRow
from generator.report.schemas import ToolShape

SAMPLE = 4000
"""Rows that the pickers are tried on."""
_MOST_WORDS = 400


class _Choice(msgspec.Struct, frozen=True):
    """A request, the tools that are offered for it, and those that are called."""

    train: bool
    words: tuple[str, ...]
    offered: tuple[ToolShape, ...]
    called: frozenset[str]


class PickerMeter:
    """Keeps a sample of choices, then lets two simple pickers choose."""

    def __init__(self) -> None:
        self._sample: list[tuple[int, int, _Choice]] = []

    def add(self, row: SeenRow) -> None:
        """Keep the first choice of a row: of a sample that depends on the numbers of the rows only."""
        turn = next((turn for turn in row.turns if turn.calls and turn.text), None)
        if turn is None:
            return
        called = frozenset(call.call.name for call in turn.calls)
        offered = {tool.name for tool in row.tools}
        if not called < offered:
            return
        digest = hashlib.blake2b(row.number.to_bytes(8, "big"), digest_size=8).digest()
        rank = int.from_bytes(digest, "big")
        if len(self._sample) == SAMPLE and -rank < self._sample[0][0]:
            return
        choice = _Choice(rank % 2 == 0, tuple(words_of_text(turn.text)[:_MOST_WORDS]), row.tools, called)
        push = heapq.heappush if len(self._sample) < SAMPLE else heapq.heappushpop
        push(self._sample, (-rank, row.number, choice))

    def result(self) -> Measured:
        """Return how often each is right."""
        choices = [choice for _, _, choice in sorted(self._sample, key=lambda kept: kept[:2])]
        tested = [choice for choice in choices if not choice.train]
        by_words = _NaiveBayes([choice for choice in choices if choice.train]) if tested else None
        return Measured(
            {
                "tf_idf": _right(_TfIdf(choices), choices) if choices else None,
                "bag_of_words": _right(by_words, tested) if by_words else None,
                "chance": _mean([100 * len(choice.called) / len(choice.offered) for choice in choices]),
                "rows": len(choices),
            }
        )


class _TfIdf:
    """Picks the tools whose own words are nearest to the request's."""

    def __init__(self, choices: list[_Choice]) -> None:
        tools = {tool.key: tool for choice in choices for tool in choice.offered}
        words = {key: Counter(words_of_text(tool.text)) for key, tool in tools.items()}
        holding = Counter(word for counts in words.values() for word in counts)
        self._idf = {word: math.log((1 + len(tools)) / (1 + count)) + 1 for word, count in holding.items()}
        self._tools = {key: self._unit(counts) for key, counts in words.items()}

    def scores(self, choice: _Choice) -> list[float]:
        """Return the cosine of each offered tool."""
        request = self._unit(Counter(choice.words))
        return [
            sum(weight * self._tools[tool.key].get(word, 0.0) for word, weight in request.items())
            for tool in choice.offered
        ]

    def _unit(self, counts: Counter[str]) -> dict[str, float]:
        known = {word: (1 + math.log(count)) * self._idf[word] for word, count in counts.items() if word in self._idf}
        length = math.sqrt(sum(weight * weight for weight in known.values())) or 1.0
        return {word: weight / length for word, weight in known.items()}


class _NaiveBayes:
    """Picks the tools that earlier requests with these words were for; never reads what a tool says of itself."""

    def __init__(self, choices: list[_Choice]) -> None:
        self._counts: dict[str, Counter[str]] = {}
        self._chosen: Counter[str] = Counter()
        for choice in choices:
            for name in sorted(choice.called):
                self._counts.setdefault(name, Counter()).update(set(choice.words))
                self._chosen[name] += 1

    def scores(self, choice: _Choice) -> list[float]:
        """Return the log likelihood of the words for each offered tool, against that of any tool."""
        words = sorted(set(choice.words))
        return [self._score(tool.name, words) for tool in choice.offered]

    def _score(self, name: str, words: list[str]) -> float:
        counts, chosen = self._counts.get(name, Counter()), self._chosen[name]
        return math.fsum(math.log((counts[word] + 0.05) / (chosen + 1.0)) for word in words)


def _right(picker: _TfIdf | _NaiveBayes, choices: list[_Choice]) -> float | None:
    """Return the share, in per cent, of the called tools that are among the first ones picked, as many as are called."""
    shares = []
    for choice in choices:
        scores = picker.scores(choice)
        order = sorted(range(len(scores)), key=lambda place: (-scores[place], choice.offered[place].name))
        picked = {choice.offered[place].name for place in order[: len(choice.called)]}
        shares.append(100 * len(picked & choice.called) / len(choice.called))
    return _mean(shares)


def _mean(numbers: list[float]) -> float | None:
    return math.fsum(numbers) / len(numbers) if numbers else None
