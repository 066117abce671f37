"""Whether a rewording still says the same values, and nothing else.

The old text comes with spans that say values; somebody (a model, as a rule) wrote another text for it. The values are
looked for in that text: the same words, or words that the span's own reader reads as the same value. What stands around
them is compared with what stood around them before. Nothing is taken on trust, and in case of doubt the new text is
refused; the old one is kept.

Whether values keep their roles is for `roles` to say, and whether the sentence around them still means the same for `meaning`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from generator.values import same


class Beside(msgspec.Struct, frozen=True):
    """What a tool's own phrases say right beside one of its values: each of these may be said of it in any other words."""

    comparisons: frozenset[frozenset[str]] = frozenset()
    directions: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()
    leads: frozenset[str] = frozenset()
    """The small words right before it: "from", "at"."""
    names: frozenset[str] = frozenset()
    """The words after it that say what it is: "people", "of protein"."""
    introduced: frozenset[str] = frozenset()
    """The words before it that do: "rises at"."""


class Spoken(msgspec.Struct, frozen=True, kw_only=True):
    """A value that the old text says."""

    start: int
    end: int
    value: Any
    wordy: bool
    """Whether capitals in its words do not matter."""
    read: Callable[[str], Any] | None = None
    """Reads other words for it; None when only the same words will do."""
    group: str = ""
    """Values of one group could be confused."""
    is_quoted: bool = False
    """Whether it stands in quotation marks; a comma or full stop may come before the closing one."""
    calls: frozenset[str] = frozenset()
    """Ids of the calls that it belongs to."""
    leaf: str = ""
    """The tool and the slot of it; elements of one list have the same."""
    find_beside: Callable[[], Beside] = Beside

    @property
    def beside(self) -> Beside:
        """What the tool's phrases say beside it. Found only where a rewording says something else there: it takes a while."""
        return self.find_beside()


Span = tuple[int, int]


def find_again(old: str, new: str, spoken: Sequence[Spoken]) -> tuple[list[Span], str]:
    """Return where each value stands in the new text, in the order given, and no fault; or why the new text is refused."""
    spans: dict[int, Span] = {}
    taken = _list_numbers(new)
    by_words: dict[str, list[int]] = {}
    for index, one in enumerate(spoken):
        words = old[one.start : one.end]
        by_words.setdefault(words.casefold() if one.wordy else words, []).append(index)
    for words in sorted(by_words, key=len, reverse=True):  # longer words first: "New York" before "York"
        indexes = sorted(by_words[words], key=lambda index: spoken[index].start)
        found = _occurrences(words, new, taken, spoken[indexes[0]].wordy)
        if len(found) > len(indexes):
            others = [(one.start, one.end) for index, one in enumerate(spoken) if index not in indexes]
            found = _as_before(old, words, [spoken[index] for index in indexes], found, others)
        if len(found) > len(indexes):
            return [], f"says too often: {words}"
        if len(found) < len(indexes):
            one = spoken[indexes[0]]
            found += _quoted_again(words, new, taken) if one.is_quoted else _read_again(one, new, [*taken, *found])
        if len(found) != len(indexes):
            return [], f"does not say: {words}"
        taken += found
        spans.update(zip(indexes, sorted(found), strict=True))
    return [spans[index] for index in range(len(spoken))], ""


def _as_before(old: str, words: str, spoken: Sequence[Spoken], found: list[Span], others: list[Span]) -> list[Span]:
    """Return those of the common words found that say the value: where the old text says the words as often, those in the same places."""
    before = _occurrences(words, old, [*_list_numbers(old), *others], spoken[0].wordy)
    if not spoken[0].wordy or len(before) != len(found):
        return found
    starts = {one.start for one in spoken}
    return [span for span, (start, _) in zip(sorted(found), before, strict=True) if start in starts]


def around(text: str, spans: Sequence[Span]) -> str:
    """Return the text with a mark in place of each span."""
    pieces, end = [], 0
    for start, stop in sorted(spans):
        pieces += [text[end : max(start, end)], _MARK]
        if ends_sentence(text, start, stop):
            pieces.append(".")
        end = max(stop, end)
    return "".join([*pieces, text[end:]])


def ends_sentence(text: str, start: int, end: int) -> bool:
    """Whether a value that ends in a full stop of its own is the last of its sentence."""
    return _STOP.search(text[start:end]) is not None and _CAPITAL.match(text, end) is not None


_STOP = re.compile(r"[.!?][\"”']?\Z")
_CAPITAL = re.compile(r"\s+[A-Z]|\s*\Z")


_MARK = "\u00a4"
"""Stands for a value; a text that contains it is refused."""


def _occurrences(words: str, text: str, taken: list[Span], wordy: bool) -> list[Span]:
    """Return where words stand that are not part of longer words, of other values or of a list's numbers."""
    if wordy:
        words, lower = words.lower(), text.lower()
        text = lower if len(lower) == len(text) else text  # the lower case of some capitals has two letters
    return [span for span in occurrences(words, text) if not _overlaps(span, taken)]


def occurrences(words: str, text: str) -> list[Span]:
    """Return where words stand in a text; words that begin and end with a letter or digit are found as whole words only."""
    found: list[Span] = []
    whole, at = words[:1].isalnum() and words[-1:].isalnum(), text.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        if not whole or not (_is_letter(text[at - 1 : at]) or _is_letter(text[end : end + 1])):
            found.append((at, end))
            at = text.find(words, end)
        else:
            at = text.find(words, at + 1)
    return found


def _is_letter(one: str) -> bool:
    return one.isalnum() or one == "_"


def _quoted_again(words: str, text: str, taken: list[Span]) -> list[Span]:
    """Return the words between other quotation marks, or with a full stop inside these."""
    found = occurrences(words[1:-1], text)
    inside = [(start, end) for start, end in found if text[start - 1 : start] in _QUOTES and _CLOSING.match(text, end)]
    return [span for span in inside if not _overlaps(span, taken)]


_QUOTES = frozenset("\"“”")
_CLOSING = re.compile(r"[.,!?]?[\"“”]")


def _list_numbers(text: str) -> list[Span]:
    """Return the numbers before the items of a list, which are two or more lines numbered in order."""
    found = list(_LIST_NUMBER.finditer(text))
    counts = len(found) > 1 and [int(match[1]) for match in found] == list(range(1, len(found) + 1))
    return [match.span() for match in found] if counts else []


_LIST_NUMBER = re.compile(r"^([1-9][0-9]?)[.)] ", re.MULTILINE)


def _overlaps(span: Span, taken: list[Span]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in taken)


_WORD = re.compile(r"\S+")
_MOST_WORDS = 7
_MARKS_AROUND = "\"'“”().,;:!?"


def _read_again(one: Spoken, text: str, taken: list[Span]) -> list[Span]:
    """Return other words that are read as the value."""
    if one.read is None:
        return []
    words = [match.span() for match in _WORD.finditer(text)]
    found: list[Span] = []
    for at in range(len(words)):
        for last in range(min(len(words), at + _MOST_WORDS) - 1, at - 1, -1):  # the longest candidates first
            span = _trimmed(text, words[at][0], words[last][1])
            if span[0] < span[1] and not _overlaps(span, [*taken, *found]) and _reads_as(one, text[slice(*span)]):
                found.append(span)
                break
    return found


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start] in _MARKS_AROUND:
        start += 1
    while start < end and text[end - 1] in _MARKS_AROUND:
        end -= 1
    return start, end


def _reads_as(one: Spoken, text: str) -> bool:
    try:
        return one.read is not None and same(one.read(text), one.value)
    except ValueError:
        return False
