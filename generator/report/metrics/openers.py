"""How requests and answers begin."""

from generator.report.mentions import words_of_text
from generator.report.metrics.base import Chart, Measured
from generator.report.rows import SeenRow
from generator.report.sketches import DistinctValues, FrequentValues

_WORDS = 3


class OpenerMeter:
    """Counts first words."""

    def __init__(self) -> None:
        self._requests = FrequentValues(4096)
        self._answers = FrequentValues(4096)
        self._distinct = DistinctValues()

    def add(self, row: SeenRow) -> None:
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
