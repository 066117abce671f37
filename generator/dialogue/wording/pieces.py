"""Text that knows which of its parts say which values.

A phrase is a text with the spans of the values in it. A message is built as a list of phrases and plain texts, which can
be reordered, and joined once at the end; only then are the spans of the message known.
"""

import re
from typing import Any

from generator.arguments.kinds.other_words import WRITTEN_NAMES
from generator.arguments.kinds.units import UNITS
from generator.core.seeds import Draw
from generator.core.templates import Root
from generator.dialogue.values.choose import FAMILIES
from generator.dialogue.values.dates import takes_on
from generator.dialogue.values.voice import Voice
from generator.tools.productions import Production

Whose = tuple[int, ...]
"""Who owns a value that a user says: the numbers of the wishes in their message (several, when wishes share it)."""
ResultOwner = tuple[str, Root]
"""Who owns a value that an answer states: the call's id, and whether it is of its arguments or its result."""
Span = tuple[int, int, str, str, Any]
"""Start and end in the phrase, verbalizer, pointer of the value, owner (`Whose`; in an answer `ResultOwner`)."""
Spans = list[Span]


Use = tuple[int, Production, tuple[Any, ...]]
"""Where a production begins in a text, and what it is said of: numbers of wishes, or in an answer ids of calls."""
Uses = list[Use]
Phrase = tuple[str, Spans, Uses]
"""Text, spans, and the productions that it is made of."""
Piece = str | Phrase
Pieces = list[Piece]


class Utterance:
    """A phrase while it is said: its text so far, where values stand in it, and who says it how."""

    __slots__ = ("_free", "draw", "spans", "text", "voice")

    def __init__(self, draw: Draw, voice: Voice) -> None:
        self.text = ""
        self.spans: Spans = []
        self.draw = draw
        self.voice = voice
        self._free = 0
        """Where the last words begin that say no value."""

    def add(self, words: str) -> None:
        """Add words that say no value."""
        if words:
            self._free = len(self.text)
            self.text += words

    def add_value(self, words: str, verbalizer: str, pointer: str, owner: Any) -> None:
        """Add the words for a value, and its span; they and the words before them are fitted to each other."""
        before, words = fit_words(self.text[self._free :], words, verbalizer)
        start = self._free + len(before)
        self.text = f"{self.text[: self._free]}{before}{words}"
        self._free = len(self.text)
        self.spans.append((start, self._free, verbalizer, pointer, owner))


WORDY = frozenset(
    {
        *("words", "enum", "clause", "reference", "message", "date", "minutes", "hours", "seconds", "ordinal", "count"),
        *FAMILIES["time"],
        *FAMILIES["datetime"],
        *("place", "where", "coordinates", "meaning", "iso_duration", *UNITS, *WRITTEN_NAMES),
    }
)
"""Verbalizers whose readers ignore capitals."""


def text_of(piece: Piece) -> str:
    """Return the text of a piece."""
    return piece if isinstance(piece, str) else piece[0]


def opening(piece: Piece) -> str:
    """Return the text of a piece up to its first value."""
    if isinstance(piece, str):
        return piece
    text, spans, _ = piece
    return text[: spans[0][0]] if spans else text


def is_heavy(piece: Piece, link: str) -> bool:
    """Whether an "and" (`link`) or a comma stands in it outside its values."""
    text, link = text_of(piece), f" {link}"
    if link not in text and "," not in text:
        return False
    if isinstance(piece, str):
        return True
    end = 0
    for start, after, *_ in piece[1]:
        if link in text[end:start] or "," in text[end:start]:
            return True
        end = after
    return link in text[end:] or "," in text[end:]


def capital(phrase: Phrase) -> Phrase:
    """Return the phrase with a capital at the start, unless it starts with a value that must stay as it is."""
    text, spans, uses = phrase
    if not spans or spans[0][0]:
        return with_beginning(phrase, 1, text[:1].upper()) if text else phrase
    start, end, verbalizer, pointer, whose = spans[0]
    if verbalizer not in WORDY:
        return phrase
    first = text[:1].upper()
    more = len(first) - 1  # the capital of "ß" is two letters
    return (
        first + text[1:],
        [(start, end + more, verbalizer, pointer, whose), *moved(spans[1:], more)],
        later(uses, more),
    )


def closes(text: str) -> bool:
    """Whether a text ends with a quotation that has a stop within it."""
    return text[-1:] in _QUOTES and text[-2:-1] in _STOPS


_STOPS = frozenset(".!?")
_QUOTES = frozenset("\"'”’")


def moved(spans: Spans, by: int) -> Spans:
    """Return the spans, moved to the right."""
    if not by:
        return spans
    return [(start + by, end + by, verbalizer, pointer, whose) for start, end, verbalizer, pointer, whose in spans]


def later(uses: Uses, by: int, after: int = 1) -> Uses:
    """Return the uses, with those that begin at `after` or behind it moved to the right."""
    return [(start + by if start >= after else start, form, of) for start, form, of in uses] if by else uses


def capitalise(pieces: Pieces) -> None:
    """Put a capital at the start of the first piece."""
    first = pieces[0]
    pieces[0] = first[:1].upper() + first[1:] if isinstance(first, str) else capital(first)


def with_beginning(phrase: Phrase, length: int, text: str) -> Phrase:
    """Return the phrase with its first `length` characters, which say no value, replaced by a text."""
    by = len(text) - length
    return text + phrase[0][length:], moved(phrase[1], by), later(phrase[2], by)


def fit_words(before: str, text: str, verbalizer: str) -> tuple[str, str]:
    """Return the words before a value, and the value, fitted to each other: "a" or "an", no "on" before "tomorrow"."""
    last = before[-3:].lower()
    if verbalizer.startswith("date") and last in {"on ", "at "} and before[-4:-3] in {" ", ""}:
        if (last == "at " and verbalizer.startswith("datetime")) or not takes_on(text):
            first = before[-3]  # a value whose first word is dropped
            return before[:-3], text[:1].upper() + text[1:] if first.isupper() else text
    elif before[-2:] in {"a ", "A "} and before[-3:-2] in {" ", ""} and _wants_an(text):
        return before[:-1] + "n ", text
    return before, text


_SOUNDS_LIKE_A_CONSONANT = re.compile(r"(?:uni(?![nm])|us[eu]|ut[ei]|u[kr]\b|eu|ewe|one\b|once\b)", re.IGNORECASE)

_SOUNDS_LIKE_A_VOWEL = re.compile(r"8|1[18](?!\d)|hour|hono|honest|heir", re.IGNORECASE)


_SPELLED = re.compile(r"[A-Z]{2,}s?\b|[A-Z](?=-)")
"""Words that are spelled letter by letter: "SMS", "X-ray"."""
_LETTERS_THAT_BEGIN_WITH_A_VOWEL = "AEFHILMNORSX"


def _wants_an(text: str) -> bool:
    """Whether "an" stands before this text: "an hour", "an 8", "an upscale place", "a unique one"."""
    if _SPELLED.match(text):
        return text[0] in _LETTERS_THAT_BEGIN_WITH_A_VOWEL
    if text[:1].lower() in "aeiou":
        return not _SOUNDS_LIKE_A_CONSONANT.match(text)
    return bool(_SOUNDS_LIKE_A_VOWEL.match(text))


def is_closed(pieces: Pieces) -> bool:
    """Whether the text ends a sentence: with a stop, or with a quotation that has one."""
    last = pieces[-1]
    text = last if isinstance(last, str) else last[0]
    return text[-1:] in _STOPS or closes(text)
