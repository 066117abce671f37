"""Whether a text may stand between two said values: the end of a phrase, joining words, the beginning of another."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import msgspec

from generator import connectives as words
from generator.pointers import split
from generator.toolbox import ToolSpec
from generator.validation.phrase_grammar.phrases import (
    Leaf,
    Vocabulary,
    answers_of,
    conditions_of,
    doing_of,
    fields_of,
    leading_to,
    leaf_of,
    plain_of,
    requests_of,
)


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
    heads: "Heads"
    """What begins a phrase and leads to it."""
    frames: "Heads"
    """What leads to it in the frame of its slot, where a message may say that alone."""
    is_closed: bool = False
    """Whether the words for it end like a sentence: "… say 'See you soon.'"."""
    closed: "Spot | None" = None
    """The same place with words that do."""


Heads = dict[str, tuple[str, ...]]
"""Texts by their last two letters (or all there are)."""


class Tongue(msgspec.Struct, frozen=True, eq=False):
    """What joins phrases: in requests, or in answers."""

    code: str
    books: dict[int, tuple[ToolSpec, tuple[Vocabulary, "Spots"]]]
    """By id of the tool, which is held so that its id stays its own."""
    begin: frozenset[str]
    join: frozenset[str]
    join_closed: frozenset[str]
    """What joins phrases where the text before it ends like a sentence."""
    end: frozenset[str]
    added: frozenset[str]
    """Before an addition to what has been said of a call."""
    sentences: frozenset[str]
    """Before an addition that is a sentence of its own, where the text before it does not end like one."""
    first: Spot
    last: Spot
    vocabulary: Callable[[ToolSpec], Vocabulary]
    """Compiles what a tool's phrases put around its values."""
    again: frozenset[str] = frozenset()
    """What a message begins with that says only what is different this time, in the frame of its slot: "And in Rome?"."""
    again_alone: frozenset[str] = frozenset()
    """The same before the value alone: "What about Rome?"."""
    alone: bool = False
    """Whether a message may begin with a value ("Oslo.") or the frame of its slot ("In Oslo.")."""


def _edge() -> Spot:
    return Spot("", None, ("", ""), (), "", {}, (), {}, {})


def _low(*texts: str) -> frozenset[str]:
    return frozenset([text.casefold() for text in texts])


def _requests() -> Tongue:
    ways = (*words.ASKING, *words.WISHING, *words.LOOKING_UP, *words.FOR_ME, *words.NEEDING)
    befores = {"", *[before for before, _ in ways]}
    afters = {"", "?", ".", *[after for _, after in ways]}
    openers = {"", *words.AND_ALSO, *words.THEN, words.FINALLY}
    joins = (*words.SAME_TOOL, *words.SAME_TOOL_HEAVY, *words.TWO_TOOLS, *words.THEN_LINKS, *words.LATER_LINKS, ", ", " and ")
    begun = [f" {opener}{before}" for opener in openers for before in befores]
    joined = [*joins, *[after + mark for after in afters for mark in words.LIST_MARKS]]
    stops = afters - {""}
    return Tongue(
        "PF110",
        {},
        _low(*[greeting + before for greeting in ("", *words.GREETINGS) for before in befores]),
        _low(*joined, *[stop + begin for stop in stops for begin in begun]),
        _low(*joined, *[after + begin for after in afters for begin in begun]),
        _low(*afters, *[after + gap + thanks for after in afters for gap in (" ", "\n\n") for thanks in words.THANKS]),
        _low(" "),
        _low(*[f"{stop} " for stop in stops]),
        _edge(),
        _edge(),
        requests_of,
    )


def _further_requests() -> Tongue:
    """Later requests: as the first ones, or only what is different this time."""
    ways = (*words.ASKING, *words.WISHING, *words.LOOKING_UP, *words.FOR_ME, *words.NEEDING)
    befores = {"", *[before for before, _ in ways]}
    begin = _low(*[opener + before for opener in ("", *words.FURTHER, *words.SWITCHING) for before in befores])
    end = REQUESTS.end | _low(*[after for _, after in (*words.SAME_AGAIN, *words.SAME_AGAIN_ALONE, *words.CORRECTING)])
    return Tongue(
        "PF110",
        {},
        begin,
        REQUESTS.join,
        REQUESTS.join_closed,
        end,
        REQUESTS.added,
        REQUESTS.sentences,
        _edge(),
        _edge(),
        requests_of,
        again=_low(*[before for before, _ in (*words.SAME_AGAIN, *words.CORRECTING)]),
        again_alone=_low(*[before for before, _ in (*words.SAME_AGAIN_ALONE, *words.CORRECTING)]),
    )


def _replies() -> Tongue:
    """Replies to a question: a value, or the frame of its slot."""
    around = (*words.REPLYING, *words.CHOOSING, *words.REPLYING_IN_A_FRAME)
    begin, end = _low(*[before for before, _ in around]), _low("", *[after for _, after in around])
    none: frozenset[str] = frozenset()
    return Tongue("PF110", {}, begin, none, none, end, none, none, _edge(), _edge(), requests_of, alone=True)


def _answers() -> Tongue:
    leads = (*words.FOUND, *words.DONE, *words.BOTH)
    return Tongue(
        "PF111",
        {},
        _low("", "- ", *[f"{lead}\n- " for lead in leads]),
        _low("\n- "),
        _low(" ", "\n- "),
        _low("", *[gap + offer for gap in (" ", "\n\n") for offer in words.OFFERS]),
        _low(", "),
        frozenset(),
        _edge(),
        _edge(),
        answers_of,
    )


def _doing(befores: Sequence[str], errors: Sequence[str], ends: frozenset[str]) -> Tongue:
    """What the assistant could not do, or would do."""
    none: frozenset[str] = frozenset()
    vocabulary = partial(doing_of, befores=befores, errors=errors)
    return Tongue("PF111", {}, _low(""), none, none, ends, _low(" ", ""), none, _edge(), _edge(), vocabulary)


def _framed(frames: Sequence[words.Frame]) -> Tongue:
    """A verb phrase in one of the frames."""
    ends = _low(*[part for _, after in frames for part in (after, after.lstrip("."))])
    return _doing([before for before, _ in frames], (), ends)


def _conditions() -> Tongue:
    """What the user wants if a result is as they say."""
    none: frozenset[str] = frozenset()
    join = _low(*words.THEREFORE)
    return Tongue("PF110", {}, _low(""), join, join, _low(".", ""), _low(" "), none, _edge(), _edge(), conditions_of)


def _untrue() -> Tongue:
    """That it is not so."""
    none: frozenset[str] = frozenset()
    return Tongue("PF111", {}, _low(""), none, none, _low(*words.UNTRUE), none, none, _edge(), _edge(), fields_of)


REQUESTS = _requests()
FURTHER_REQUESTS = _further_requests()
REPLIES = _replies()
ANSWERS = _answers()
CONDITIONS = _conditions()
UNTRUE = _untrue()
FAILED = _doing(words.FAILING, words.FAILED, _low(".", ""))
PROPOSED = _framed(words.PROPOSING)
EMPTY = _framed(words.FINDING_NOTHING)
FAILED_AGAIN = _doing((*words.FAILING, *words.FAILING_AGAIN), (*words.FAILED, *words.FAILED_AGAIN), _low(".", ""))


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
        leaf = leaf_of(of, pointer, spec.returns if of == "result" else spec.tool.parameters)
        steps = zip(split(pointer), leaf[1].split("/"), strict=False)
        places = tuple([int(step) for step, part in steps if part == "*" and step.isdecimal()])
        spot = spots[of, pointer, way] = _spot(tongue, book, leaf, places, way)
    return spot


_MOST_SPOTS = 2048


def _spot(tongue: Tongue, book: Vocabulary, leaf: Leaf, places: tuple[int, ...], way: str) -> Spot:
    plain = plain_of(book, leaf)
    tails = book.tails.get(leaf, set()) | plain.tails
    heads = leading_to(way, book.heads.get(leaf, ()), plain.heads)
    frames = leading_to(way, book.added.get(leaf, ()), plain.added)
    if tongue.alone:
        heads |= {*frames, "", _BY_THEMSELVES.get(way, "")}
    if way in _BY_THEMSELVES:
        tails.add("")
    longest_first = tuple(sorted(tails, key=len, reverse=True))
    return Spot(book.spec.name, book, leaf, places, way, {}, longest_first, _by_end(heads), _by_end(frames))


def _by_end(heads: set[str] | frozenset[str]) -> Heads:
    found: Heads = {}
    for head in sorted(heads):
        found[head[-2:]] = (*found.get(head[-2:], ()), head)
    return found


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
AGAIN: Marks = ("=",)
"""The request of an earlier turn is meant once more, but for the value that follows."""


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
    for links, rest in [(tongue.begin, text)] if starts else _rests(text, left, tongue):
        marks = _names(rest, links, right, tongue, tools)
        if marks is not None:
            return marks
    return LISTED if lists(left, text, right) else None


def _joining_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text that asks for nothing without a value."""
    if left is tongue.first:
        return None if right is tongue.last else _beginning_marks(text, right, tongue)
    if right is tongue.last:
        return () if ends(left, text, tongue) else None
    return join_marks(left, text, right, tongue)


_BETWEEN_VALUES = (", ", " and ")
_IN_SENTENCE = frozenset([*words.SAME_TOOL, *words.SAME_TOOL_HEAVY, ", "])


def addition_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text between two values that are said of one call."""
    low = text.casefold()
    if low in leading_to(right.way, _inside(left, right)):
        return ()
    rests = _rests(low, left, tongue)
    found = [_addition(rest, right, tongue, is_closed=links is tongue.join_closed) for links, rest in rests]
    return next(filter(None, found), None)


def _inside(left: Spot, right: Spot) -> Iterator[str]:
    """What may stand between two values in one phrase."""
    book = left.book
    if book is None or right.book is None or book.spec is not right.book.spec:  # it may have been compiled again
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
    return text in _BETWEEN_VALUES and left.book is not None and left.tool == right.tool and left.leaf == right.leaf


def _rests(text: str, left: Spot, tongue: Tongue) -> list[tuple[frozenset[str], str]]:
    """What is left of the text after the end of a phrase, and what may join another one there."""
    found = []
    for tail in left.tails:
        if text.startswith(tail):
            is_closed = is_sentence(tail) if tail else left.is_closed
            found.append((tongue.join_closed if is_closed else tongue.join, text[len(tail) :]))
    return found


def is_sentence(text: str) -> bool:
    """Whether a text ends like a sentence: with a stop, or with a quotation that does."""
    last = text[-1:]
    return last in _STOPS or (last in _QUOTES and text[-2:-1] in _STOPS)


_STOPS = frozenset(".!?")
_QUOTES = frozenset("\"'”’")


def closed(spot: Spot) -> Spot:
    """The same place, said with words that end like a sentence."""
    if spot.closed is None:
        spot.closed = msgspec.structs.replace(spot, known={}, is_closed=True)
    return spot.closed


def join_marks(left: Spot, text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text between values of two calls that only joins them."""
    low = text.casefold()
    found: Marks | None = None
    for links, rest in _rests(low, left, tongue):
        if _leads(rest, links, right.heads):
            goes_on = text[-len(rest) :] if len(text) == len(low) else ""  # capitals are at other places in "Straße"
            in_sentence = _leads(rest, _IN_SENTENCE, right.heads) and not goes_on.lstrip()[:1].isupper()
            found = ALSO if in_sentence else ()  # "And" goes on in a sentence of its own
            if not found:
                break
    return found


_MOST_REACHED = 128


def _beginning_marks(text: str, right: Spot, tongue: Tongue) -> Marks | None:
    """The marks of a text with which a message may begin, with the value after it."""
    text = text.casefold()
    if _leads(text, tongue.begin, right.heads):
        return ()
    return AGAIN if text in tongue.again_alone or _leads(text, tongue.again, right.frames) else None


def ends(left: Spot, text: str, tongue: Tongue) -> bool:
    """Whether a message may end so after a value."""
    text = text.casefold()
    return any(text[len(tail) :] in tongue.end for tail in left.tails if text.startswith(tail))


def _leads(text: str, links: frozenset[str], heads: Heads) -> bool:
    """Whether the text is a link and one of the beginnings that lead to a value."""
    for ending in (text[-2:], text[-1:], ""):
        for head in heads.get(ending, ()):
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
            while at >= 0:  # "go ahead and go": the words of the phrase may stand in those before it
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
    """The marks of a text that leads to one more value of a call, and follows what may end like a sentence."""
    book = spot.book
    assert book is not None
    heads = leading_to(spot.way, book.added.get(spot.leaf, ()), plain_of(book, spot.leaf).added)
    sentences = leading_to(spot.way, book.sentences.get(spot.leaf, ()))
    if spot.way in _BY_THEMSELVES:
        heads = heads | {_BY_THEMSELVES[spot.way]}
        sentences = sentences | {""} if spot.way == "clause" else sentences
    before = [(text[: len(text) - len(head)], head) for head in heads if text.endswith(head)]
    if any(gap == "" if head.startswith(",") else gap in tongue.added for gap, head in before):
        return PLAIN
    links = tongue.sentences | {" "} if is_closed else tongue.sentences
    return MORE if any(text[: len(text) - len(head)] in links for head in sentences if text.endswith(head)) else None


PLAIN: Marks = ("+",)
"""Something is added in the same sentence."""
