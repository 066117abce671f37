"""Free texts by small grammars: `The {soup|pizza} was {cold|still hot}` stands for four texts."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from random import Random
from typing import Any

from generator.core.seeds import stream_seed

_CHOICE = re.compile(r"\{([^{}]*)\}")
MOST = 600
"""The most values that are made from one grammar; of larger grammars some values are chosen, always the same ones."""


def expand_texts(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that some lines stand for; where there are too many, each line gets the same share.

    Raises:
        ValueError: for a brace that stands alone, and for an empty line.
    """
    return tuple(expand_values(lines))


def expand_values(lines: Sequence[Any]) -> list[Any]:
    """Return the values that some lines stand for: texts, or objects and lists in which every text is a grammar.

    Raises:
        ValueError: for a brace that stands alone, and for an empty text.
    """
    values_by_repr: dict[str, Any] = {}
    left = MOST
    parsed_lines = sorted([_Line(line) for line in lines], key=lambda line: line.count)
    for index, line in enumerate(parsed_lines):
        line_values = list(line.values(left // (len(parsed_lines) - index)))
        left -= len(line_values)
        for value in line_values:
            values_by_repr.setdefault(repr(value), value)
    return list(values_by_repr.values())


class Grammar:
    """Texts by number: as many as its lines stand for, none of which is made before it is asked for."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = tuple(lines)
        parsed_lines = [(_Line(line).count, _parts(line)) for line in dict.fromkeys(lines)]
        self._lines = [[(before, ends, len(ends)) for before, ends in parts] for _, parts in parsed_lines]
        self._ends = [*accumulate(count for count, _ in parsed_lines)]
        """How many texts a line and those before it stand for."""
        self.count = self._ends[-1]

    def text(self, number: int, share: int = 0, shares: int = 1) -> str:
        """Return the text with a number, among those at one of several places that share no text.

        Numbers that follow each other give different texts that are not alike, as long as there are any.
        """
        index = number % max(self.count // shares, 1) * shares + share
        index = index * _MIXED % self.count
        line = bisect_right(self._ends, index)
        index -= self._ends[line - 1] if line else 0
        pieces = []
        for before, ends, choices in self._lines[line]:
            pieces.append(before + ends[index % choices])
            index //= choices
        return " ".join("".join(pieces).split())


_MIXED = 2_654_435_761
"""A prime that is greater than any number of texts: numbers times it, taken modulo the number of texts, are all different."""


class _Line:
    """One line of a grammar, split into its choices."""

    def __init__(self, line: Any) -> None:
        self._line = line
        self._parts_of = {text: _parts(text) for text in texts_in(line)}
        self._parts = [part for text in texts_in(line) for part in self._parts_of[text]]
        self.count = 1
        for _, choices in self._parts:
            self.count *= len(choices)

    def values(self, most: int) -> Iterator[Any]:
        """Yield at most `most` of the values that the line stands for."""
        for chosen in self._combinations(most):
            rest = iter([before + choice for (before, _), choice in zip(self._parts, chosen, strict=True)])
            yield self._filled(self._line, rest)

    def _combinations(self, most: int) -> list[tuple[str, ...]]:
        """Return combinations of choices, one for each part: all of them, or `most` different ones at random."""
        if self.count <= most:
            return list(product(*[choices for _, choices in self._parts]))
        draw = Random(stream_seed("texts", self._line if isinstance(self._line, str) else repr(self._line)))
        seen: dict[tuple[str, ...], None] = {}
        for _ in range(most * 4):
            if len(seen) == most:
                break
            seen[tuple([choices[int(draw.random() * len(choices))] for _, choices in self._parts])] = None
        return list(seen)

    def _filled(self, line: Any, next_texts: Iterator[str]) -> Any:
        """Return the line, or a part of it, with its texts replaced by the next ones of `made`."""
        if isinstance(line, str):
            return " ".join("".join([next(next_texts) for _ in self._parts_of[line]]).split())
        if isinstance(line, dict):
            return {key: self._filled(part, next_texts) for key, part in line.items()}
        return [self._filled(part, next_texts) for part in line] if isinstance(line, list) else line


def texts_in(line: Any) -> Iterator[str]:
    """Yield the texts in a value."""
    if isinstance(line, str):
        yield line
    elif isinstance(line, dict | list):
        for part in line.values() if isinstance(line, dict) else line:
            yield from texts_in(part)


def _parts(line: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return (text, choices after it) pairs; the choices of the last are one empty text."""
    parts: list[tuple[str, tuple[str, ...]]] = []
    end = 0
    for choice in _CHOICE.finditer(line):
        parts.append((line[end : choice.start()], tuple(dict.fromkeys(choice[1].split("|")))))
        end = choice.end()
    parts.append((line[end:], ("",)))
    if any("{" in text or "}" in text for text, _ in parts):
        raise ValueError("a brace stands alone")
    if not line.strip():
        raise ValueError("an empty line")
    return parts
