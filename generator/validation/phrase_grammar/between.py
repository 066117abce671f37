"""Whether a text may stand between two said values: the end of a phrase, joining words, and the beginning of another phrase."""

from collections.abc import Callable, Iterator

import msgspec

from generator import connectives as words
from generator.validation.phrase_grammar.phrases import (
    Vocabulary,
    leading_to,
    plain_of,
)
from generator.validation.phrase_grammar.tongues import BY_THEMSELVES, Heads, Marks, Spot, Tongue

Tools = dict[str, Vocabulary]
"""The called tools, and what may stand around their values."""
LISTED: Marks = (",",)
"""Mark of a list: the values of several calls follow each other ("in Oslo, Rome and Lima")."""
ALSO: Marks = ("&",)
"""Mark of another call that is asked for in the same sentence."""
MORE: Marks = (".",)
"""Mark of a further sentence about the same call."""
AGAIN: Marks = ("=",)
"""Mark of a request that repeats one of an earlier turn, but for the value that follows."""


def gap_marks(
    left: Spot, text: str, right: Spot, related: bool, tongue: Tongue, tools: Callable[[], Tools]
) -> Marks | None:
    """Return the marks of the text between two values; None when it may not stand there.

    Args:
        left: The value before it, or `tongue.first`.
        text: All that stands between the two.
        right: The value after it, or `tongue.last`.
        related: Whether both are said of the same call.
        tongue: Whether it is part of a request or of an answer.
        tools: Gives the tools that the conversation calls.
    """
    marks = left.known.get((text, right, related))
    if marks is None:
        marks = addition_marks(left, text, right, tongue) if related else _joining_marks(left, text, right, tongue)
        if marks is None and not related:  # the marks depend on the other called tools, so they are not cached
            return _naming_marks(left, text, right, tongue, tools())
        if marks is not None:
            if len(left.known) >= _MOST_REACHED:
                left.known.clear()
            left.known[text, right, related] = marks
    return marks


def _naming_marks(left: Spot, text: str, right: Spot, tongue: Tongue, tools: Tools) -> Marks | None:
    """Return the marks of a text that asks for a tool without saying a value, or that joins listed values; None for other texts."""
    text = text.casefold()
    starts = left is tongue.first
    for links, rest in [(tongue.begin, text)] if starts else _rests(text, left, tongue):
        marks = _names(rest, links, right, tongue, tools)
        if marks is not None:
            return marks
    return LISTED if lists(left, text, right) else None


def _joining_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """Return the marks of a text that asks for no tool without a value; None when it may not stand there."""
    if left is tongue.first:
        return None if right is tongue.last else _beginning_marks(text, right, tongue)
    if right is tongue.last:
        return () if ends(left, text, tongue) else None
    return join_marks(left, text, right, tongue)


_BETWEEN_VALUES = (", ", " and ")
_IN_SENTENCE = frozenset([*words.SAME_TOOL, *words.SAME_TOOL_HEAVY, ", "])


def addition_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """Return the marks of a text between two values of one call; None when it may not stand there."""
    low = text.casefold()
    if low in leading_to(right.way, _inside(left, right)):
        return ()
    rests = _rests(low, left, tongue)
    found = [_addition(rest, right, tongue, is_closed=links is tongue.join_closed) for links, rest in rests]
    return next(filter(None, found), None)


def _inside(left: Spot, right: Spot) -> Iterator[str]:
    """Yield the texts that may stand between two values in one phrase."""
    book = left.book
    if (
        book is None or right.book is None or book.spec is not right.book.spec
    ):  # the vocabulary may have been compiled again
        return
    pair = (left.leaf, right.leaf)
    yield from book.inner.get(pair, ())
    if _of_one(left.places, right.places):
        yield from book.within.get(pair, ())
    if _follows(left.places, right.places):
        yield from book.following.get(pair, ())
        if left.leaf == right.leaf and left.leaf[1].endswith("*"):
            yield from _BETWEEN_VALUES


def _of_one(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether two places are in the same element; of a list within it, a value before the list is followed by its first one."""
    if len(left) > len(right):
        return left[: len(right)] == right
    return right[: len(left)] == left and not any(right[len(left) :])


def _follows(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether the second place is in the next element of the list that the first is in."""
    for one, other in zip(left, right, strict=False):
        if one != other:
            return other == one + 1
    return False


def lists(left: Spot, text: str, right: Spot) -> bool:
    """Whether these are values of one argument of several calls, and the text between them joins such values."""
    return text in _BETWEEN_VALUES and left.book is not None and left.tool == right.tool and left.leaf == right.leaf


def _rests(text: str, left: Spot, tongue: Tongue) -> list[tuple[frozenset[str], str]]:
    """Return the possible remainders of the text after the end of a phrase, each with what may join another phrase there."""
    found = []
    for tail in left.tails:
        if text.startswith(tail):
            is_closed = is_sentence(tail) if tail else left.is_closed
            links = tongue.join_closed if is_closed else tongue.join
            if left.way == "reference" and text.startswith(
                words.OF, len(tail)
            ):  # as in "the newest one of my tax files"
                links |= {" "}
            found.append((links, text[len(tail) :]))
    return found


def is_sentence(text: str) -> bool:
    """Whether a text ends like a sentence: with a stop, or with a quotation that has one."""
    last = text[-1:]
    return last in _STOPS or (last in _QUOTES and text[-2:-1] in _STOPS)


_STOPS = frozenset(".!?")
_QUOTES = frozenset("\"'”’")


def closed(spot: Spot) -> Spot:
    """Return the same place with words that end like a sentence."""
    if spot.closed is None:
        spot.closed = msgspec.structs.replace(spot, known={}, is_closed=True)
    return spot.closed


def join_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """Return the marks of a text between values of two calls that only joins their phrases; None for other texts."""
    low = text.casefold()
    found: Marks | None = None
    for links, rest in _rests(low, left, tongue):
        if _leads(rest, links, right.heads):
            goes_on = (
                text[-len(rest) :] if len(text) == len(low) else ""
            )  # case folding lengthens some texts ("Straße")
            in_sentence = _leads(rest, _IN_SENTENCE, right.heads) and not goes_on.lstrip()[:1].isupper()
            found = ALSO if in_sentence else ()  # "And" begins a sentence of its own
            if not found:
                break
    return found


_MOST_REACHED = 128


def _beginning_marks(text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """Return the marks of a text with which a message may begin, with the value after it; None for other texts."""
    text = text.casefold()
    if _leads(text, tongue.begin, right.heads):
        return ()
    return AGAIN if text in tongue.again_alone or _leads(text, tongue.again, right.frames) else None


def ends(left: Spot, text: str, tongue: Tongue) -> bool:
    """Whether a message may end with this text after a value."""
    text = text.casefold()
    return any(text[len(tail) :] in tongue.end for tail in left.tails if text.startswith(tail))


def _leads(text: str, links: frozenset[str], heads: Heads) -> bool:
    """Whether the text is a joining text followed by one of the beginnings that lead to a value."""
    for ending in (text[-2:], text[-1:], ""):
        for head in heads.get(ending, ()):
            if text.endswith(head) and text[: len(text) - len(head)] in links:
                return True
    return False


def _names(text: str, links: frozenset[str], right: Spot, tongue: Tongue, tools: Tools) -> Marks | None:
    """Return the marks of a text that asks for tools without a value, after a phrase or where a message begins; None for other texts."""
    for tool, book in tools.items():
        for whole in book.wholes:
            at = text.find(whole)
            while at >= 0:  # the words of a phrase may also occur before it: "go ahead and go"
                rest = text[at + len(whole) :]
                if text[:at] in links:
                    join = tongue.join_closed if is_sentence(whole) else tongue.join
                    if _follows_whole(rest, tool, right, tongue, join):
                        return (tool,)
                    marks = _names(rest, join, right, tongue, tools)
                    if marks is not None:
                        return (tool, *marks)
                at = text.find(whole, at + 1)
    return None


def _follows_whole(text: str, tool: str, right: Spot, tongue: Tongue, join: frozenset[str]) -> bool:
    """Whether the text may stand after a phrase without a value."""
    if right is tongue.last:
        return text in tongue.end
    if _leads(text, join, right.heads):
        return True
    return tool == right.tool and _addition(text, right, tongue, is_closed=join is tongue.join_closed) is not None


def _addition(text: str, spot: Spot, tongue: Tongue, *, is_closed: bool) -> Marks | None:
    """Return the marks of a text that adds a value to a call, after text that may end like a sentence; None for other texts."""
    book = spot.book
    assert book is not None
    heads = leading_to(spot.way, book.added.get(spot.leaf, ()), plain_of(book, spot.leaf).added)
    sentences = leading_to(spot.way, book.sentences.get(spot.leaf, ()))
    if spot.way in BY_THEMSELVES:
        heads = heads | {BY_THEMSELVES[spot.way]}
        sentences = sentences | {""} if spot.way == "clause" else sentences
    named = [
        head for head in heads if head.startswith("with ") and head.strip() != "with"
    ]  # "and" alone would turn lists round
    heads |= {f"and{head[len('with') :]}" for head in named}  # "with the name Ann and the number …"
    before = [(text[: len(text) - len(head)], head) for head in heads if text.endswith(head)]
    if any(gap == "" if head.startswith(",") else gap in tongue.added for gap, head in before):
        return PLAIN
    links = tongue.sentences | {" "} if is_closed else tongue.sentences
    return MORE if any(text[: len(text) - len(head)] in links for head in sentences if text.endswith(head)) else None


PLAIN: Marks = ("+",)
"""Mark of an addition in the same sentence."""
