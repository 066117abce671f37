"""Whether a rewording still says the same values, and nothing else.

The old text comes with spans that say values; somebody (a model, as a rule) wrote another text for it. The values are
looked for in that text: the same words, or words that the span's own reader reads as the same value. What stands around
them is compared with what stood around them before. Nothing is taken on trust, and in case of doubt the new text is
refused; the old one is kept.

Whether values keep their roles is for `roles` to say, and whether the sentence around them still means the same for `meaning`.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, permutations, product
from typing import Any

import msgspec

from generator.validation.readers.clauses import is_light, is_mark
from generator.validation.readers.references import reference_forms
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
    is_clause: bool = False
    """Whether it says a value in words of its own, as a rule without any other."""
    calls: frozenset[str] = frozenset()
    """Ids of the calls that it belongs to."""
    leaf: str = ""
    """The tool and the slot of it; elements of one list have the same."""
    verbalizer: str = ""
    """How it is said: money, lengths of time and days cannot be taken for one another, or for numbers."""
    record: str = ""
    """The element of a list of which it is a part: `arguments /items/0`; empty where there is no list."""
    has_siblings: bool = False
    """Whether it stands in an object that is an element of a list, so that other values are told of the same thing."""
    find_beside: Callable[[], Beside] = Beside

    @property
    def beside(self) -> Beside:
        """What the tool's phrases say beside it. Found only where a rewording says something else there: it takes a while."""
        return self.find_beside()


Span = tuple[int, int]


def find_again(
    old: str, new: str, spoken: Sequence[Spoken], said_again: list[Span] | None = None
) -> tuple[list[Span], str]:
    """Return where each value stands in the new text, in the order given, and no fault; or why the new text is refused.

    Args:
        old: The template's text.
        new: The other words for it.
        spoken: The values of the old text.
        said_again: Takes the places where the new text says a name more often than the old one; without it that is a fault.
    """
    spans: dict[int, Span] = {}
    alike: list[tuple[list[int], list[Span]]] = []
    taken = _list_numbers(new)
    for words, indexes in _by_words(old, spoken):
        found = _occurrences(words, new, taken, spoken[indexes[0]].wordy)
        if len(found) > len(indexes):
            others = [(one.start, one.end) for index, one in enumerate(spoken) if index not in indexes]
            found = _as_before(old, words, [spoken[index] for index in indexes], found, others)
        if said_again is not None and _is_name(words, spoken[indexes[0]]):
            said_again += found[len(indexes) :]
            taken += found[len(indexes) :]
            found = found[: len(indexes)]
        if len(found) > len(indexes):
            return [], f"says too often: {words}"
        if len(found) < len(indexes):
            found = _nearest(
                [*found, *_in_other_words(words, new, [*taken, *found], spoken[indexes[0]])],
                new,
                indexes,
                spans,
                spoken,
            )
        if len(found) != len(indexes):
            return [], f"does not say: {words}"
        taken += found
        if len(indexes) == 1:
            spans[indexes[0]] = found[0]
        else:
            alike.append((indexes, sorted(found)))
    return _told_apart(alike, spans, spoken), ""


def _told_apart(
    alike: Sequence[tuple[list[int], list[Span]]], spans: dict[int, Span], spoken: Sequence[Spoken]
) -> list[Span]:
    """Return the places of all values; those of the same words are told apart by what stands near them."""
    for indexes, found in alike:
        spans.update(zip(_in_new_order(indexes, spans, spoken), found, strict=True))
    return [spans[index] for index in range(len(spoken))]


def _by_words(old: str, spoken: Sequence[Spoken]) -> list[tuple[str, list[int]]]:
    """Return the values by their words, in the order of the text; longer words first: "New York" before "York"."""
    found: dict[str, list[int]] = {}
    for index, one in sorted(enumerate(spoken), key=lambda pair: pair[1].start):
        words = old[one.start : one.end]
        found.setdefault(words.casefold() if one.wordy else words, []).append(index)
    return sorted(found.items(), key=lambda pair: -len(pair[0]))


def _in_other_words(words: str, text: str, taken: list[Span], one: Spoken) -> list[Span]:
    """Return where the text says the value otherwise."""
    if one.is_quoted:
        return _quoted_again(words, text, taken)
    return _in_other_form(words, text, taken, one) if one.read is None else _read_again(one, text, taken)


def _is_name(words: str, one: Spoken) -> bool:
    """Whether words are a name, which may be said again where another text would say "it"."""
    return (
        not one.wordy
        and one.read is None
        and len(words) >= _SHORTEST_NAME
        and words[:1].isupper()
        and one.group != "reference"
    )


_SHORTEST_NAME = 4


def with_pronouns(text: str, said_again: Sequence[Span]) -> str:
    """Return a text of the same length with "it" in place of names that are said again."""
    for start, end in said_again:
        text = text[:start] + "it".ljust(end - start) + text[end:]
    return text


def other_ways(old: str, new: str, spoken: Sequence[Spoken], spans: Sequence[Span]) -> Iterator[list[Span]]:
    """Yield other ways to tell apart values that are said in the same words, a few at most."""
    alike: dict[str, list[int]] = {}
    for index, one in enumerate(spoken):
        words = old[one.start : one.end]
        alike.setdefault(words.casefold() if one.wordy else words, []).append(index)
    groups = [indexes for indexes in alike.values() if len(indexes) > 1]
    ways = product(*[permutations([spans[index] for index in indexes]) for indexes in groups])
    for way in islice(ways, _MOST_WAYS):
        placed = list(spans)
        for indexes, places in zip(groups, way, strict=True):
            for index, place in zip(indexes, places, strict=True):
                placed[index] = place
        if placed != list(spans):
            yield placed


_MOST_WAYS = 48


def _in_new_order(indexes: list[int], placed: Mapping[int, Span], spoken: Sequence[Spoken]) -> list[int]:
    """Return values of the same words in the order in which the new text says what else is told of the same things."""
    anchors = {index: _anchor(spoken[index], placed, spoken) for index in indexes}
    if any(anchor is None for anchor in anchors.values()):
        return indexes
    return sorted(indexes, key=lambda index: (anchors[index], spoken[index].start))


def _anchor(one: Spoken, placed: Mapping[int, Span], spoken: Sequence[Spoken]) -> int | None:
    """Return where the new text says the first of the other values of the same element of a list, or else of the same call."""
    of_record = [span[0] for index, span in placed.items() if one.record and _together(spoken[index], one)]
    of_call = [span[0] for index, span in placed.items() if spoken[index].calls == one.calls]
    return min(of_record or of_call, default=None)


def _together(one: Spoken, other: Spoken) -> bool:
    return one.record == other.record and one.calls == other.calls


def _nearest(
    found: list[Span], text: str, indexes: Sequence[int], placed: Mapping[int, Span], spoken: Sequence[Spoken]
) -> list[Span]:
    """Return those places of the word "one" that say the number: the nearest to what else is told of the same things."""
    if len(found) <= len(indexes) or any(text[start:end].lower() != "one" for start, end in found):
        return found
    anchors = [_anchor(spoken[index], placed, spoken) or 0 for index in indexes]
    return sorted(found, key=lambda span: min(abs(span[0] - anchor) for anchor in anchors))[: len(indexes)]


def _in_other_form(words: str, text: str, taken: list[Span], one: Spoken) -> list[Span]:
    """Return where words stand that refer to the same, or these words with a capital or in the plural."""
    if one.group == "reference":
        for form in reference_forms(words):
            found = _occurrences(form, text, taken, wordy=True)
            if found:
                return found[:1]
        return []
    last = words.rpartition(" ")[2]
    plural = occurrences(f"{words}s", text) if last.isalpha() and last.islower() and not one.is_quoted else []
    return _capitalised(words, text, taken) or [span for span in plural if not _overlaps(span, taken)]


def _capitalised(words: str, text: str, taken: list[Span]) -> list[Span]:
    """Return where words stand at the beginning of a sentence or line, with a capital that they do not have elsewhere."""
    if not words[:1].islower():
        return []
    found = occurrences(words[:1].upper() + words[1:], text)
    return [span for span in found if _BEGINS.search(text, 0, span[0]) and not _overlaps(span, taken)]


_BEGINS = re.compile(r"(?:\A|[.!?:\n]\s*|(?:\A|\n)(?:[-*•]|[0-9]{1,2}[.)])\s+)\Z")


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
_CAPITAL = re.compile(r"[\"”'’]?(?:\s+[A-Z]|\s*\Z)")


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
    """Return the words between other quotation marks, or with a full stop inside these, or without any."""
    found = [span for span in occurrences(words[1:-1], text) if not _overlaps(span, taken)]
    inside = [(start, end) for start, end in found if text[start - 1 : start] in QUOTES and _CLOSING.match(text, end)]
    return inside or [span for span in found if _NAMING.search(text, 0, span[0])]


_NAMING = re.compile(
    r"(?::|\b(?:called|named|titled|entitled|name|title|subject|message|text|note|mail|email|task|event|document|saying|says|reading|containing|contain|contains"
    r"|mention|mentions|mentioning|matching|as|about|for|words?|phrase|with|label|tag))\s*\Z",
    re.IGNORECASE,
)
"""What tells that a text of somebody follows."""
QUOTES = frozenset("\"“”'‘’„«»")
_CLOSING = re.compile(r"[.,!?]?[\"“”'’«»]")


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
_CURRENCIES = frozenset("€$£")
_MARKS_AROUND = "\"'“”().,;:!?"


def _read_again(one: Spoken, text: str, taken: list[Span]) -> list[Span]:
    """Return other words that are read as the value."""
    if one.read is None:
        return []
    if one.is_clause:
        return _clause_again(one, text, taken)
    words = [match.span() for match in _WORD.finditer(text)]
    found: list[Span] = []
    for at in range(len(words)):
        for last in range(min(len(words), at + _MOST_WORDS) - 1, at - 1, -1):  # the longest candidates first
            start, end = _trimmed(text, words[at][0], words[last][1])
            if "\n" in text[start:end]:
                continue
            spans = [(start, end), *([(start + 1, end)] if text[start : start + 1] in _CURRENCIES else [])]
            free = [span for span in spans if span[0] < span[1] and not _overlaps(span, [*taken, *found])]
            fit = next((span for span in free if _reads_as(one, text[slice(*span)])), None)
            if fit is not None:
                found.append(fit)
                break
    return found


def _clause_again(one: Spoken, text: str, taken: list[Span]) -> list[Span]:
    """Return the shortest words that say the value of a clause, with what turns them round, includes or limits beside them."""
    found: list[Span] = []
    for part in _CLAUSE_PART.finditer(text):
        words = [word.span() for word in _CLAUSE_WORD.finditer(text, *part.span()) if not _overlaps(word.span(), taken)]
        counts = [
            at for at, span in enumerate(words) if not is_light(text[slice(*span)]) and not is_mark(text[slice(*span)])
        ]
        pairs = [(first, last) for first in counts for last in counts if 0 <= last - first < _MOST_IN_CLAUSE]
        for first, last in sorted(pairs, key=lambda pair: pair[1] - pair[0]):
            begin, end = _with_marks(text, words, first, last)
            if not any(begin < stop and start < end for start, stop in [*taken, *found]) and _reads_as(
                one, text[begin:end]
            ):
                found.append((begin, end))
                break
    return found


_CLAUSE_PART = re.compile(r"[^.!?;\n]+")
_CLAUSE_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MOST_IN_CLAUSE = 16
_LEAVES = frozenset({"leave", "leaving", "out"})
"""They turn round what follows them, not what stands before."""


def _with_marks(text: str, words: Sequence[Span], first: int, last: int) -> Span:
    """Return the span of words with the marks near them, if only words between stand that say nothing."""
    begin, end = first, last
    for at in range(first - 1, max(-1, first - 5), -1):
        word = text[slice(*words[at])]
        if not (is_light(word) or is_mark(word)) or "," in text[words[at][1] : words[at + 1][0]]:
            break
        begin = at if is_mark(word) else begin
    for at in range(last + 1, min(len(words), last + 3)):
        word = text[slice(*words[at])]
        if (
            word.lower() in _LEAVES
            or not (is_light(word) or is_mark(word))
            or "," in text[words[at - 1][1] : words[at][0]]
        ):
            break
        end = at if is_mark(word) else end
    return words[begin][0], words[end][1]


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
