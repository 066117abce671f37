"""Text that knows which of its spans say which values.

A message is built as a list of pieces, plain text and said values, and put together once; that is when the
spans are known, and when the small changes are made that only neighbours can decide ("a" or "an", "on tomorrow").
"""

import re
from typing import Literal, final

import msgspec

from generator.wording.verbalizers import FAMILIES, takes_on


@final
class Said(msgspec.Struct, frozen=True, gc=False):
    """A value in words."""

    text: str
    verbalizer: str
    calls: tuple[str, ...]
    """Ids of the calls whose value this is (several, when calls share it)."""
    pointer: str
    of: Literal["arguments", "result"] = "arguments"


Piece = str | Said
Pieces = list[Piece]
Span = tuple[int, int, Said]

_WORDY = frozenset(
    {
        *("words", "enum", "clause", "reference", "date", "minutes", "hours", "seconds", "ordinal", "count"),
        *FAMILIES["time"],
        *FAMILIES["datetime"],
    }
)
"""Verbalizers whose readers do not care for capitals."""


def put_together(pieces: Pieces) -> tuple[str, list[Span]]:
    """The text and the span of every value in it."""
    text = last = ""
    spans: list[Span] = []
    for piece in pieces:
        if type(piece) is not Said:
            last = piece
            text += last
            continue
        said = piece
        if last[-3:] in _MAY_CHANGE:
            fitted = _before(last, said)
            text = text[: len(text) - len(last)] + fitted
            if len(fitted) < len(last) and last[-3:-2].isupper():  # the sentence lost its first word
                said = _with_a_capital(said)
        last = said.text
        start = len(text)
        text += last
        spans.append((start, len(text), said))
    return text, spans


_MAY_CHANGE = frozenset(
    [f"{before}{article} " for before in (" ", "") for article in "aA"]
    + [first + second + " " for word in ("on", "at") for first in (word[0], word[0].upper()) for second in (word[1], word[1].upper())]
)
"""Last three letters of texts that end with "a", "on" or "at"; `_before` looks closer."""


def _with_a_capital(said: Said) -> Said:
    text = said.text
    return Said(text[:1].upper() + text[1:], said.verbalizer, said.calls, said.pointer, said.of)


def capitalised(pieces: Pieces) -> Pieces:
    """The same pieces with a capital at the start, unless they start with a value that must stay as it is."""
    return capitalise(pieces.copy())


def capitalise(pieces: Pieces) -> Pieces:
    """The same, done to the list itself: for one that nobody else holds."""
    if pieces:
        first = pieces[0]
        if isinstance(first, str):
            pieces[0] = first[:1].upper() + first[1:]
        elif first.verbalizer in _WORDY:
            pieces[0] = _with_a_capital(first)
    return pieces


def _before(text: str, said: Said) -> str:
    """The words before a value, fitted to it."""
    if said.verbalizer.startswith("date") and text[-3:].lower() in {"on ", "at "} and text[-4:-3] in {" ", ""}:
        if text[-3:].lower() == "at " and said.verbalizer.startswith("datetime"):
            return text[:-3]
        return text if takes_on(said.text) else text[:-3]
    if text[-2:] in {"a ", "A "} and text[-3:-2] in {" ", ""} and _wants_an(said.text):
        return text[:-1] + "n "
    return text


_SOUNDS_LIKE_A_CONSONANT = re.compile(r"(?:uni(?![nm])|us[eu]|ut[ei]|u[kr]\b|eu|ewe|one\b|once\b)", re.IGNORECASE)

_SOUNDS_LIKE_A_VOWEL = re.compile(r"8|1[18](?!\d)|hour|hono|honest|heir", re.IGNORECASE)


_SPELLED = re.compile(r"[A-Z]{2,}s?\b|[A-Z](?=-)")
"""Read letter by letter: "SMS", "X-ray"."""
_LETTERS_THAT_BEGIN_WITH_A_VOWEL = "AEFHILMNORSX"


def _wants_an(text: str) -> bool:
    """Whether "an" stands before this text: "an hour", "an 8", "an upscale place", "a unique one"."""
    if _SPELLED.match(text):
        return text[0] in _LETTERS_THAT_BEGIN_WITH_A_VOWEL
    if text[:1].lower() in "aeiou":
        return not _SOUNDS_LIKE_A_CONSONANT.match(text)
    return bool(_SOUNDS_LIKE_A_VOWEL.match(text))
