"""Skeletons of answers: what stays of them when their values are masked."""

import re
from functools import cache
from itertools import islice

from generator.core.pointers import leaves
from generator.report.mentions import known_words, words_of_text
from generator.report.metrics.base import Chart, Measured
from generator.report.rows import SeenCall, SeenRow
from generator.report.sketches import DistinctValues, FrequentValues, share

_MOST = 20_000
"""Skeletons that are counted exactly."""
_MOST_LEAVES = 300
_LONGEST = 200
"""Characters of a value that is looked for."""
_MASK = "\u2026"
_FORMATTED = re.compile(r"^\s*(?:[-*•–] |\d{1,2}[.)] |\|)|\*\*[^*\n]+\*\*", re.MULTILINE)
"""An entry of a list, a row of a table, or bold type."""
_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`")
_JOINED = re.compile(rf"{_MASK}(?: (?:and |or |the |of )?{_MASK})+")


class SkeletonMeter:
    """Counts answers by their skeletons."""

    def __init__(self) -> None:
        self._skeletons = FrequentValues(_MOST)
        self._distinct = DistinctValues()
        self._answers = self._formatted = 0

    def add(self, row: SeenRow) -> None:
        """Count the answers of one row."""
        calls: list[SeenCall] = []
        for turn in row.turns:
            calls += turn.calls
            if turn.answer:
                found = skeleton(turn.answer, calls)
                self._skeletons.add(found)
                self._distinct.add(found)
                self._answers += 1
                self._formatted += _FORMATTED.search(turn.answer) is not None

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
                "formatted": share(self._formatted, self._answers),
            },
            (Chart("Commonest skeletons of answers", tuple(top[:12])),) if top else (),
        )


def skeleton(answer: str, calls: list[SeenCall]) -> str:
    """Return an answer in lower case without its values and marks; lines that are built alike are one.

    Args:
        answer: What the assistant says.
        calls: The calls up to there: values of their arguments and results are masked, and with them quoted texts,
            numbers in digits or words, months and days.
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
        masked = " ".join(_masked(word) for word in _words(line))
        found = _JOINED.sub(_MASK, masked)
        if found and found not in lines[-1:]:
            lines.append(found)
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
    return [
        word for part in re.split(rf"({_MASK})", line) for word in ([_MASK] if part == _MASK else words_of_text(part))
    ]


def _masked(word: str) -> str:
    return _MASK if word in _words_of_values() or any(map(str.isdigit, word)) else word


@cache
def _words_of_values() -> frozenset[str]:
    known = known_words()
    return frozenset((*known.numbers.values(), *known.months, *known.relative_days, "am", "pm"))
