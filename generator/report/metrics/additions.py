"""Short sentences that add to a request what could stand in it."""

import re

from generator.report.mentions import words_of_text
from generator.report.metrics.base import Chart, Examples, Measured
from generator.report.rows import SeenRow
from generator.report.sketches import FrequentValues, share

_MOST_WORDS = 6
_ENTRY = re.compile(r"(?:^|\n)(?:\d{1,2}\.)?\Z")
"""What stands before the first sentence of a line: such a line is an entry of a list."""
_SENTENCE = re.compile(r"[^.!?\n]+(?:[.!?]+(?!\s|$)[^.!?\n]*)*[.!?]*")


class Additions:
    """Counts rows with such sentences."""

    def __init__(self) -> None:
        self._rows = self._short = 0
        self._sentences = FrequentValues()
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Look at the sentences of one row's requests."""
        asked = [turn for turn in row.turns if turn.text and turn.calls]
        if not asked:
            return
        self._rows += 1
        found = False
        for turn in asked:
            spans = [
                value.span
                for call in turn.calls
                for value in call.values
                if value.span is not None and value.message == turn.message
            ]
            first = True
            for sentence in _SENTENCE.finditer(turn.text):
                words = words_of_text(sentence[0])
                adds = any(start < sentence.end() and end > sentence.start() for start, end in spans)
                is_entry = _ENTRY.search(turn.text[: sentence.start()]) is not None
                if not first and adds and not is_entry and len(words) <= _MOST_WORDS:
                    found = True
                    self._sentences.add(" ".join(words[:2]))
                first = first and not words
        self._short += found
        if found:
            self._examples.note("short additions", row.number)

    def result(self) -> Measured:
        """Return shares of the rows with calls."""
        top = tuple(self._sentences.top(12))
        charts = (Chart("Commonest beginnings of short additions", top),) if top else ()
        return Measured({"rows": share(self._short, self._rows)}, charts, self._examples.rows)
