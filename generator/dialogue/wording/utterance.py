"""Text that knows which of its parts say which values: a phrase is a text with the spans of the values in it."""

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


def joined(*parts: str | Phrase) -> Phrase:
    """Return phrases, and texts that say no value, as one phrase."""
    whole, spans, uses = "", Spans(), Uses()
    for part in parts:
        if isinstance(part, str):
            whole += part
        else:
            spans += moved(part[1], len(whole))
            uses += moved_uses(part[2], len(whole), 0)
            whole += part[0]
    return whole, spans, uses


def replaced(phrase: Phrase, start: int, end: int, text: str) -> Phrase:
    """Return the phrase with a text in place of its characters from `start` to `end`, which say no value."""
    whole, spans, uses = phrase
    by, before = len(text) - (end - start), [span for span in spans if span[0] < end]
    moved_spans = [*before, *moved(spans[len(before) :], by)]
    return whole[:start] + text + whole[end:], moved_spans, moved_uses(uses, by, max(end, 1))


def opening(phrase: Phrase) -> str:
    """Return the text of a phrase up to its first value."""
    text, spans, _ = phrase
    return text[: spans[0][0]] if spans else text


def texts_around(phrase: Phrase) -> list[str]:
    """Return the texts around the values of a phrase."""
    text, spans, _ = phrase
    ends = [0, *[end for _, end, *_ in spans]]
    return [text[end:start] for end, start in zip(ends, [*[start for start, *_ in spans], len(text)], strict=True)]


def is_heavy(phrase: Phrase, link: str) -> bool:
    """Whether an "and" (`link`) or a comma stands in it outside its values."""
    return any(f" {link}" in text or "," in text for text in texts_around(phrase))


def capital(phrase: Phrase) -> Phrase:
    """Return the phrase with a capital at the start, unless it starts with a value that must stay as it is."""
    text, spans, uses = phrase
    if not spans or spans[0][0]:
        return replaced(phrase, 0, 1, text[:1].upper()) if text else phrase
    start, end, verbalizer, pointer, whose = spans[0]
    if verbalizer not in WORDY:
        return phrase
    first = text[:1].upper()
    more = len(first) - 1  # the capital of "ß" is two letters
    return (
        first + text[1:],
        [(start, end + more, verbalizer, pointer, whose), *moved(spans[1:], more)],
        moved_uses(uses, more),
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


def moved_uses(uses: Uses, by: int, after: int = 1) -> Uses:
    """Return the uses, with those that begin at `after` or behind it moved to the right."""
    return [(start + by if start >= after else start, form, of) for start, form, of in uses] if by else uses


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


def is_closed(text: str) -> bool:
    """Whether a text ends a sentence: with a stop, or with a quotation that has one."""
    return text[-1:] in _STOPS or closes(text)
