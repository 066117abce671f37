"""Free texts by small grammars: `The {soup|pizza} was {cold|still hot}` stands for four texts."""

import re
from itertools import product
from random import Random

from generator.seeds import stream_seed

_CHOICE = re.compile(r"\{([^{}]*)\}")
MOST = 300
"""Texts that are made of one grammar at most; of larger ones some are chosen, the same every time."""


def expand_texts(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The texts of some lines, each of which gets the same share where there are too many.

    Raises:
        ValueError: for a brace that stands alone, and for a line without a choice that has no text.
    """
    found: list[str] = []
    rest = MOST
    counted = sorted(lines, key=_count)
    for place, line in enumerate(counted):
        own = _texts_of(line, rest // (len(counted) - place))
        rest -= len(own)
        found += own
    return tuple(dict.fromkeys(found))


def _count(line: str) -> int:
    count = 1
    for _, choices in _parts(line):
        count *= len(choices)
    return count


def _texts_of(line: str, most: int) -> list[str]:
    """At most so many of the texts that a line stands for."""
    parts = _parts(line)
    if _count(line) <= most:
        chosen = list(product(*[choices for _, choices in parts]))
    else:
        draw = Random(stream_seed("texts", line))
        seen: dict[tuple[str, ...], None] = {}
        for _ in range(most * 4):
            if len(seen) == most:
                break
            seen[tuple([choices[int(draw.random() * len(choices))] for _, choices in parts])] = None
        chosen = list(seen)
    texts = ["".join([before + choice for (before, _), choice in zip(parts, one, strict=True)]) for one in chosen]
    return [" ".join(text.split()) for text in texts]


def _parts(line: str) -> list[tuple[str, tuple[str, ...]]]:
    """(text, choices behind it) pairs; the last has one choice, which is empty."""
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
