"""Other words for a text: its values found again, and two small rules for what stands around them.

Every value must stand in the new text, in the same words or in words that its own reader reads as the same value. Around
the values, the new text has the numbers and as many negations as the old one. What a text means beyond that is for
somebody else to read.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import msgspec

from generator.core.yaml_values import own_data
from generator.dialogue.values.read.numbers import NUMBER_WORDS

Span = tuple[int, int]


class SaidValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that the old text says."""

    span: Span
    is_wordy: bool = False
    """Whether capitals in its words do not matter."""
    is_quoted: bool = False
    reads: Callable[[str], bool] | None = None
    """Whether other words say the same value; None where only the same words will do."""


def find_again(old: str, new: str, values: Sequence[SaidValue]) -> tuple[list[Span], str]:
    """Return where each value stands in the new text, in the order given, and no fault; or why the new text is refused."""
    spans: dict[int, Span] = {}
    taken = _list_numbers(new)
    for words, members in _by_words(old, values):
        one = values[members[0]]
        found = _free(occurrences(words, new, any_case=one.is_wordy), taken)
        if len(found) > len(members):
            found = _those_that_count(old, words, [values[at] for at in members], values, found)
        elif len(found) < len(members):
            found += _in_other_words(words, new, [*taken, *found], one)
        if len(found) != len(members):
            return [], f"{'says too often' if len(found) > len(members) else 'does not say'}: {words}"
        taken += found
        spans |= dict(zip(members, sorted(found), strict=True))
    return [spans[at] for at in range(len(values))], ""


def guarded(old: str, old_spans: Sequence[Span], new: str, new_spans: Sequence[Span], *, is_english: bool) -> str:
    """Return which number or negation the new text has, or has lost, beside its values; or nothing.

    In other languages than English no digits may be added; that is all that is known of them.
    """
    was, now = _around(old, old_spans), _around(new, new_spans)
    numbers, others = _numbers(was), _numbers(now) if is_english else Counter(_DIGITS.findall(now))
    added, lost = others - numbers, numbers - others if is_english else Counter[str]()
    if added or lost:
        return f"{'adds' if added else 'leaves out'} a number: {next(iter(added or lost))}"
    if is_english and _negations(was) != _negations(now):
        return "is not as negative"
    return ""


def _by_words(old: str, values: Sequence[SaidValue]) -> list[tuple[str, list[int]]]:
    """Return the values by their words, in the order of the text; longer words first: "New York" before "York"."""
    found: dict[str, list[int]] = {}
    for at, one in sorted(enumerate(values), key=lambda pair: pair[1].span):
        words = old[slice(*one.span)]
        found.setdefault(words.casefold() if one.is_wordy else words, []).append(at)
    return sorted(found.items(), key=lambda pair: -len(pair[0]))


def _those_that_count(
    old: str, words: str, members: Sequence[SaidValue], values: Sequence[SaidValue], found: list[Span]
) -> list[Span]:
    """Return which of too many places say the value: those of the old text where it has as many, the first for a name."""
    others = [one.span for one in values if one not in members]
    before = _free(occurrences(words, old, any_case=members[0].is_wordy), [*_list_numbers(old), *others])
    if len(before) == len(found):
        ours = {one.span for one in members}
        return [span for span, was in zip(sorted(found), before, strict=True) if was in ours]
    is_number = any(letter.isdigit() for letter in words) or words in NUMBER_WORDS
    return found if is_number or members[0].reads is not None else sorted(found)[: len(members)]


def occurrences(words: str, text: str, *, any_case: bool = False) -> list[Span]:
    """Return where words stand in a text that are not part of longer words or numbers."""
    if any_case:
        lower = text.lower()
        words, text = words.lower(), lower if len(lower) == len(text) else text  # some capitals have two small letters
    found: list[Span] = []
    at = text.find(words) if words else -1
    while at >= 0:
        end = at + len(words)
        is_part = _goes_on(text[at - 1 : at], words[0]) or _goes_on(words[-1], text[end : end + 1])
        found += [] if is_part else [(at, end)]
        at = text.find(words, at + 1 if is_part else end)
    return found


def _goes_on(left: str, right: str) -> bool:
    """Whether two neighbouring characters are of one word or number."""
    return all(one.isalnum() or one == "_" for one in (left, right))


def _in_other_words(words: str, text: str, taken: list[Span], one: SaidValue) -> list[Span]:
    """Return where the text says the value otherwise."""
    if one.is_quoted:
        inside = _free(occurrences(words[1:-1], text), taken)
        return [span for span in inside if text[span[0] - 1 : span[0]] in QUOTES and _CLOSING.match(text, span[1])]
    found: list[Span] = []
    if words[:1].islower() and not one.is_wordy:
        found += _free(occurrences(words[:1].upper() + words[1:], text), taken)
    for first, last in _windows(text) if one.reads is not None else ():
        span = _trimmed(text, first, last)
        if span[0] < span[1] and _free([span], [*taken, *found]) and one.reads and one.reads(text[slice(*span)]):
            found.append(span)
    return found


def _windows(text: str) -> Iterable[Span]:
    """Yield the runs of a few words of one line, the longest first at each place."""
    for line in re.finditer(r"[^\n]+", text):
        words = [match.span() for match in re.compile(r"\S+").finditer(text, *line.span())]
        for at in range(len(words)):
            for last in range(min(len(words), at + _MOST_WORDS) - 1, at - 1, -1):
                yield words[at][0], words[last][1]


_MOST_WORDS = 7
_MARKS_AROUND = "\"'“”().,;:!?"
QUOTES = frozenset("\"“”'‘’„«»")
_CLOSING = re.compile(r"[.,!?]?[\"“”'’«»]")


def _trimmed(text: str, start: int, end: int) -> Span:
    """Return the span without the marks around its words."""
    inner = text[start:end].lstrip(_MARKS_AROUND)
    start = end - len(inner)
    return start, start + len(inner.rstrip(_MARKS_AROUND))


def _free(found: Sequence[Span], taken: Sequence[Span]) -> list[Span]:
    return [span for span in found if not any(span[0] < end and start < span[1] for start, end in taken)]


def _list_numbers(text: str) -> list[Span]:
    """Return the numbers before the items of a list, which are two or more lines numbered in order."""
    found = list(_LIST_NUMBER.finditer(text))
    counts = len(found) > 1 and [int(match[1]) for match in found] == list(range(1, len(found) + 1))
    return [match.span() for match in found] if counts else []


_LIST_NUMBER = re.compile(r"^([1-9][0-9]?)[.)] ", re.MULTILINE)
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+")


def _around(text: str, spans: Sequence[Span]) -> str:
    """Return the text with a mark in place of each value and of the numbers of a list."""
    pieces, end = [], 0
    for start, stop in sorted([*spans, *_list_numbers(text)]):
        pieces.append(text[end : max(start, end)])
        end = max(stop, end)
    return " · ".join([*pieces, text[end:]])


def _numbers(text: str) -> "Counter[str]":
    """Return the numbers of an English text, spelled or not."""
    also = _lists()["numbers"]
    found: Counter[str] = Counter()
    for word in _words(text):
        number = None if word == "one" else also.get(word, NUMBER_WORDS.get(word))
        if number is not None or word.isdigit():
            found[word if number is None else f"{number:g}"] += 1
    return found


def _negations(text: str) -> int:
    listed, idle = _lists()["negations"], _lists()["idle"]
    words = _words(idle.sub(" ", text.lower().replace("’", "'")))
    return sum(word in listed or word.endswith("n't") for word in words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("’", "'"))


@cache
def _lists() -> dict[str, Any]:
    data = own_data(__file__)
    idle = re.compile(data["idle"].replace(" |", "|"))
    return {"negations": frozenset(data["negations"].split()), "idle": idle, "numbers": data["numbers"]}
