"""Lengths in words and tokens."""

import msgspec

from generator.core.conversation import Conversation
from generator.formats.files.lengths import Quantiles, doubling, tokens_of_bytes
from generator.report.mentions import words_of_text
from generator.report.metrics.base import Chart, Measured
from generator.report.rows import SeenRow


class LengthMeter:
    """Measures requests, answers and whole rows."""

    def __init__(self) -> None:
        self._requests = Quantiles()
        self._answers = Quantiles()
        self._rows = Quantiles()
        self._tools = Quantiles()

    def add(self, row: SeenRow) -> None:
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


def _grouped(numbers: Quantiles, width: int, most: int = 12) -> tuple[tuple[str, float], ...]:
    """Return counts by ranges of one width, the last open."""
    counts = [0] * most
    for number, count in numbers.counts():
        counts[min(number // width, most - 1)] += count
    while counts and not counts[-1]:
        counts.pop()
    names = [f"{place * width}–{place * width + width - 1}" for place in range(len(counts))]
    if len(counts) == most:
        names[-1] = f"{(most - 1) * width}+"
    return tuple(zip(names, counts, strict=True))
