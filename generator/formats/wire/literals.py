"""Literal pieces of templates in a text: to the letter, or leniently with any white space where there is some or none."""

import re
from functools import lru_cache


class NotReadError(ValueError):
    """A text is not in the format."""


@lru_cache(maxsize=4096)
def _loose(piece: str) -> re.Pattern[str]:
    return re.compile(r"\s*".join(["", *[re.escape(word) for word in piece.split()], ""]))


def end_of(piece: str, text: str, at: int, lenient: bool) -> int | None:
    """Return where the piece ends that stands at a place; None where another text does."""
    if not lenient:
        return at + len(piece) if text.startswith(piece, at) else None
    match = _loose(piece).match(text, at)
    return match.end() if match else None


def find(piece: str, text: str, at: int, lenient: bool) -> tuple[int, int] | None:
    """Return [start, end) of the next place of a piece; None where there is none."""
    if not lenient:
        start = text.find(piece, at)
        return (start, start + len(piece)) if start >= 0 else None
    match = _loose(piece).search(text, at) if at <= len(text) else None
    return match.span() if match else None


def take(piece: str, text: str, at: int, lenient: bool = False) -> int:
    """Return where the piece ends that stands at a place; raises NotReadError where another text does."""
    end = end_of(piece, text, at, lenient)
    if end is None:
        raise NotReadError(f"{piece!r} is expected")
    return end
