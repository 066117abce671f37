"""Words that tell what a phrase means, from meanings.yaml, and how they are looked for in texts."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from generator.tools.describing.lexicon import load, split_list

FaultTexts = Iterator[tuple[str, str] | tuple[str, str, str]]
"""(piece, what is wrong), and the text that is at fault where it is one."""


@cache
def known_words() -> dict[str, Any]:
    """Return what meanings.yaml holds."""
    found: dict[str, Any] = load("meanings")
    return found


@cache
def words_of(key: str, inside: str = "") -> tuple[str, ...]:
    """Return the words of one list."""
    value = known_words()[key][inside] if inside else known_words()[key]
    return split_list(value)


@cache
def any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that finds any of some words, whole."""
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, words)) + r")(?![\w-])", re.IGNORECASE)


def stem(word: str) -> str:
    """Return a word without its usual endings."""
    return re.sub(r"(?:ies|es|s|ed|ing|d|e)$", "", word) if len(word) > 4 else word


def stems(text: str) -> set[str]:
    """Return the words of a text without their usual endings."""
    return {stem(word) for word in re.findall(r"[a-z]{3,}", text.lower())}
