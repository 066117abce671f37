"""Whether a text may stand between two said values: the end of a phrase, joining words, the beginning of another."""

from collections.abc import Callable, Iterator

import msgspec

from generator import connectives as words
from generator.pointers import split
from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.phrases import Leaf, Vocabulary, answers_of, leaf_of, plain_of, requests_of


class Spot(msgspec.Struct, eq=False):
    """A place of a tool's arguments or result that is said in some way; or the beginning or end of a text."""

    tool: str
    book: Vocabulary | None
    leaf: Leaf
    places: tuple[int, ...]
    """Where in lists it is: the steps of its pointer that are numbers."""
    way: str
    """The verbalizer that says it; `reference` for words that single out an element."""
    known: dict[tuple[str, "Spot", bool], "Marks"]
    """(text, next spot, whether it is of the same call) that may follow → its marks."""
    tails: tuple[str, ...]
    """What ends a phrase after it."""
    heads: dict[str, tuple[str, ...]]
    """What begins a phrase and leads to it, by the last two letters (or all there are)."""


class Tongue(msgspec.Struct, frozen=True, eq=False):
    """What joins phrases: in requests, or in answers."""

    code: str
    books: dict[int, tuple[ToolSpec, tuple[Vocabulary, "Spots"]]]
    """By id of the tool, which is held so that its id stays its own."""
    begin: frozenset[str]
    join: frozenset[str]
    end: frozenset[str]
    added: frozenset[str]
    """Before an addition to what has been said of a call."""
    sentences: frozenset[str]
    """Before an addition that is a sentence of its own."""
    first: Spot
    last: Spot
    vocabulary: Callable[[ToolSpec], Vocabulary]
    """Compiles what a tool's phrases put around its values."""
    frames: bool = False
    """Whether a message may begin with the frame of one slot: "And in Rome?"."""
    alone: tuple[str, ...] = ()
    """What may stand before a value that has no words around it: nothing ("Oslo."), or "what about "."""


def _edge() -> Spot:
    return Spot("", None, ("", ""), (), "", {}, (), {})


def _low(*texts: str) -> frozenset[str]:
    return frozenset([text.casefold() for text in texts])


def _requests() -> Tongue:
    ways = (*words.ASKING, *words.WISHING, *words.LOOKING_UP, *words.FOR_ME, *words.NEEDING)
    befores = {"", *[before for before, _ in ways]}
    afters = {"", "?", ".", *[after for _, after in ways]}
    openers = {"", *words.AND_ALSO, *words.THEN, words.FINALLY}
    joins = (*words.SAME_TOOL, *words.SAME_TOOL_HEAVY, *words.TWO_TOOLS, *words.THEN_LINKS, *words.LATER_LINKS, ", ", " and ")
    sentences = [f"{after} {opener}{before}" for after in afters for opener in openers for before in befores]
    return Tongue(
        "PF110",
        {},
        _low(*[greeting + before for greeting in ("", *words.GREETINGS) for before in befores]),
        _low(*joins, *sentences, *[after + mark for after in afters for mark in words.LIST_MARKS]),
        _low(*afters, *[after + gap + thanks for after in afters for gap in (" ", "\n\n") for thanks in words.THANKS]),
        _low(" "),
        _low(*[f"{after} " for after in afters]),
        _edge(),
        _edge(),
        requests_of,
    )


def _further_requests() -> Tongue:
    """Later requests: as the first ones, or only what is different this time."""
    ways = (*words.ASKING, *words.WISHING, *words.LOOKING_UP, *words.FOR_ME, *words.NEEDING)
    befores = {"", *[before for before, _ in ways]}
    begin = _low(
        *[opener + before for opener in ("", *words.FURTHER) for before in befores],
        *[before for before, _ in words.SAME_AGAIN],
    )
    end = REQUESTS.end | _low(*[after for _, after in (*words.SAME_AGAIN, *words.SAME_AGAIN_ALONE)])
    alone = tuple(_low(*[before for before, _ in words.SAME_AGAIN_ALONE]))
    added, sentences = REQUESTS.added, REQUESTS.sentences
    return Tongue("PF110", {}, begin, REQUESTS.join, end, added, sentences, _edge(), _edge(), requests_of, True, alone)


def _replies() -> Tongue:
    """Replies to a question: a value, or the frame of its slot."""
    around = (*words.REPLYING, *words.CHOOSING, *words.REPLYING_IN_A_FRAME)
    begin, end = _low(*[before for before, _ in around]), _low("", *[after for _, after in around])
    none: frozenset[str] = frozenset()
    return Tongue("PF110", {}, begin, none, end, none, none, _edge(), _edge(), requests_of, True, ("",))


def _answers() -> Tongue:
    leads = (*words.FOUND, *words.DONE, *words.BOTH)
    return Tongue(
        "PF111",
        {},
        _low("", "- ", *[f"{lead}\n- " for lead in leads]),
        _low(" ", "\n- "),
        _low("", *[gap + offer for gap in (" ", "\n\n") for offer in words.OFFERS]),
        _low(", "),
        frozenset(),
        _edge(),
        _edge(),
        answers_of,
    )


REQUESTS = _requests()
FURTHER_REQUESTS = _further_requests()
REPLIES = _replies()
ANSWERS = _answers()


Spots = dict[tuple[str, str, str], Spot]
"""`arguments` or `result`, pointer, and way → the place."""


def book_of(spec: ToolSpec, tongue: Tongue) -> tuple[Vocabulary, Spots]:
    """What may stand around the values of a tool, and the places that have been looked at; `spot_at` adds to them."""
    entry = tongue.books.get(id(spec))
    if entry is None or entry[0] is not spec:
        if len(tongue.books) >= _MOST_TOOLS:
            tongue.books.clear()
        entry = tongue.books[id(spec)] = (spec, (tongue.vocabulary(spec), {}))
    return entry[1]


_MOST_TOOLS = 2048


def spot_at(tongue: Tongue, spec: ToolSpec, of: str, pointer: str, way: str) -> Spot:
    """The place at a pointer of a tool's arguments or result."""
    book, spots = book_of(spec, tongue)
    spot = spots.get((of, pointer, way))
    if spot is None:
        if len(spots) >= _MOST_SPOTS:  # pointers into long lists could be many
            spots.clear()
        places = tuple([int(step) for step in split(pointer) if step.isdecimal()])
        spot = spots[of, pointer, way] = _spot(tongue, book, leaf_of(of, pointer), places, way)
    return spot


_MOST_SPOTS = 2048


def _spot(tongue: Tongue, book: Vocabulary, leaf: Leaf, places: tuple[int, ...], way: str) -> Spot:
    plain = plain_of(book, leaf)
    tails = book.tails.get(leaf, set()) | plain.tails
    heads = book.heads.get(leaf, set()) | plain.heads
    if tongue.frames:
        heads |= book.added.get(leaf, set()) | plain.added
    heads |= {*tongue.alone, _BY_THEMSELVES.get(way, "")} if tongue.alone else set()
    by_end: dict[str, tuple[str, ...]] = {}
    for head in sorted(heads):
        by_end[head[-2:]] = (*by_end.get(head[-2:], ()), head)
    if way in _BY_THEMSELVES:
        tails.add("")
    longest_first = sorted(tails, key=len, reverse=True)
    return Spot(book.spec.name, book, leaf, places, way, {}, tuple(longest_first), by_end)


Tools = dict[str, Vocabulary]
"""The called tools, and what may stand around their values."""
Marks = tuple[str, ...]
"""What is notable about a text between two values: the tools that it asks for without saying a value, or one of these."""
LISTED: Marks = (",",)
"""The values of several calls follow each other: "in Oslo, Rome and Lima"."""
ALSO: Marks = ("&",)
"""Another call is asked for in the same sentence."""
MORE: Marks = (".",)
"""What is said of the call goes on in a sentence of its own."""


def gap_marks(left: Spot, text: str, right: Spot, related: bool, tongue: Tongue, tools: Callable[[], Tools]) -> Marks | None:
    """What is notable about the text between two values; None when it may not stand there.

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
        if marks is None and not related:  # depends on what else is called, so it is not kept
            return _naming_marks(left, text, right, tongue, tools())
        if marks is not None:
            if len(left.known) >= _MOST_REACHED:
                left.known.clear()
            left.known[text, right, related] = marks
    return marks


def _naming_marks(left: Spot, text: str, right: Spot, tongue: Tongue, tools: Tools) -> Marks | None:
    """The marks of a text that asks for tools without saying a value, or of what stands between listed values."""
    text = text.casefold()
    starts = left is tongue.first
    for rest in [text] if starts else _rests(text, left):
        marks = _names(rest, tongue.begin if starts else tongue.join, right, tongue, tools)
        if marks is not None:
            return marks
    return LISTED if lists(left, text, right) else None


def _joining_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text that asks for nothing without a value."""
    if left is tongue.first:
        return () if right is not tongue.last and begins(text, right, tongue) else None
    if right is tongue.last:
        return () if ends(left, text, tongue) else None
    return join_marks(left, text, right, tongue)


_BETWEEN_VALUES = (", ", " and ")
_IN_SENTENCE = frozenset([*words.SAME_TOOL, *words.SAME_TOOL_HEAVY, ", "])


def addition_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text between two values that are said of one call."""
    low = text.casefold()
    if low in set(_inside(left, right)):
        return ()
    rests = [low[len(tail) :] for tail in left.tails if low.startswith(tail)]
    return next(filter(None, [_addition(rest, right, tongue) for rest in rests]), None)


def _inside(left: Spot, right: Spot) -> Iterator[str]:
    """What may stand between two values in one phrase."""
    book = left.book
    if book is None or book is not right.book:
        return
    pair = (left.leaf, right.leaf)
    yield from book.inner.get(pair, ())
    if left.places == right.places:
        yield from book.within.get(pair, ())
    if _follows(left.places, right.places):
        yield from book.following.get(pair, ())
        if left.leaf == right.leaf and left.leaf[1].endswith("*"):
            yield from _BETWEEN_VALUES


def _follows(left: tuple[int, ...], right: tuple[int, ...]) -> bool:
    """Whether the second is in the next element of a list that the first is in."""
    for one, other in zip(left, right, strict=False):
        if one != other:
            return other == one + 1
    return False


def lists(left: Spot, text: str, right: Spot) -> bool:
    """Whether these are values of one argument of several calls, and the text between them is what joins such values."""
    return text in _BETWEEN_VALUES and left.book is not None and left.book is right.book and left.leaf == right.leaf


def _rests(text: str, left: Spot) -> list[str]:
    """What is left of the text after the end of a phrase."""
    return [text[len(tail) :] for tail in left.tails if text.startswith(tail)]


def join_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text between values of two calls that only joins them."""
    low = text.casefold()
    found: Marks | None = None
    for tail in left.tails:
        if low.startswith(tail):
            rest = low[len(tail) :]
            if _leads(rest, tongue.join, right):
                goes_on = text[len(tail) :] if len(text) == len(low) else ""  # capitals are at other places in "Straße"
                in_sentence = _leads(rest, _IN_SENTENCE, right) and not goes_on.lstrip()[:1].isupper()
                found = ALSO if in_sentence else ()  # "And" goes on in a sentence of its own
                if not found:
                    break
    return found


_MOST_REACHED = 128


def begins(text: str, right: Spot, tongue: Tongue) -> bool:
    """Whether a message may begin so, with the value after it."""
    return _leads(text.casefold(), tongue.begin, right)


def ends(left: Spot, text: str, tongue: Tongue) -> bool:
    """Whether a message may end so after a value."""
    text = text.casefold()
    return any(text[len(tail) :] in tongue.end for tail in left.tails if text.startswith(tail))


def _leads(text: str, links: frozenset[str], right: Spot) -> bool:
    """Whether the text is a link and a phrase's beginning that leads to the value."""
    for ending in (text[-2:], text[-1:], ""):
        for head in right.heads.get(ending, ()):
            if text.endswith(head) and text[: len(text) - len(head)] in links:
                return True
    return False


_BY_THEMSELVES = {"clause": "", "nothing": "with ", "empty": "with ", "reference": "for "}
"""What says an argument without a phrase around it, and the word before it."""


def _names(text: str, links: frozenset[str], right: Spot, tongue: Tongue, tools: Tools) -> Marks | None:
    """The marks of a text that asks for tools without a value, after the end of a phrase or where a message begins."""
    for tool, book in tools.items():
        for whole in book.wholes:
            at = text.find(whole)
            if at >= 0 and text[:at] in links:
                rest = text[at + len(whole) :]
                if _follows_whole(rest, tool, right, tongue):
                    return (tool,)
                marks = _names(rest, tongue.join, right, tongue, tools)
                if marks is not None:
                    return (tool, *marks)
    return None


def _follows_whole(text: str, tool: str, right: Spot, tongue: Tongue) -> bool:
    """Whether the text may stand after a phrase without a value."""
    if right is tongue.last:
        return text in tongue.end
    return _leads(text, tongue.join, right) or (tool == right.tool and _addition(text, right, tongue) is not None)


def _addition(text: str, spot: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text that leads to one more value of a call."""
    book = spot.book
    assert book is not None
    heads = book.added.get(spot.leaf, set()) | plain_of(book, spot.leaf).added
    sentences = book.sentences.get(spot.leaf, set())
    if spot.way in _BY_THEMSELVES:
        heads = heads | {_BY_THEMSELVES[spot.way]}
        sentences = sentences | {""} if spot.way == "clause" else sentences
    if any(text[: len(text) - len(head)] in tongue.added for head in heads if text.endswith(head)):
        return PLAIN
    is_sentence = any(text[: len(text) - len(head)] in tongue.sentences for head in sentences if text.endswith(head))
    return MORE if is_sentence else None


PLAIN: Marks = ("+",)
"""Something is added in the same sentence."""
