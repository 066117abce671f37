"""Tongues: what joins phrases in each kind of text, and what stands before and after each said value of a tool."""

from collections.abc import Callable

import msgspec

from generator import connectives as words
from generator.choosing import CHOOSING_A_NAME, CHOOSING_ONE
from generator.pointers import split
from generator.toolbox import ToolSpec, once_per_tool
from generator.validation.phrase_grammar.phrases import (
    TextSlot,
    Vocabulary,
    answers_of,
    doings_of,
    leading_to,
    leaf_of,
    plain_of,
    requests_of,
)

Marks = tuple[str, ...]
"""What is notable about a text between two values: the tools that it asks for without saying a value, or one of the marks
that `between.py` names.
"""
BY_THEMSELVES = {"clause": "", "nothing": "with ", "empty": "with ", "reference": "for "}
"""Verbalizers whose words need no phrase around them, and the word before these."""


class Spot(msgspec.Struct, eq=False):
    """A place of a tool's arguments or result, said by one verbalizer; or the beginning or end of a text."""

    tool: str
    book: Vocabulary | None
    leaf: TextSlot
    places: tuple[int, ...]
    """Its places in lists: the steps of its pointer that are numbers."""
    way: str
    """The verbalizer; `reference` for words that single out an element."""
    known: dict[tuple[str, "Spot", bool], "Marks"]
    """Cache: (text, next spot, whether it is of the same call) → its marks."""
    tails: tuple[str, ...]
    """The ends of phrases after it."""
    heads: "Heads"
    """The beginnings of phrases that lead to it."""
    frames: "Heads"
    """The beginnings of its frame, where a message may consist of that alone."""
    is_closed: bool = False
    """Whether its words end like a sentence: "… say 'See you soon.'"."""
    closed: "Spot | None" = None
    """The same place with words that end like a sentence."""


Heads = dict[str, tuple[str, ...]]
"""Texts by their last two letters (or by all, if there are fewer)."""


def _edge() -> Spot:
    return Spot("", None, ("", ""), (), "", {}, (), {}, {})


def _low(*texts: str) -> frozenset[str]:
    return frozenset([text.casefold() for text in texts])


_NOTHING: frozenset[str] = frozenset()


class Tongue(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One kind of text, such as requests or answers: what joins its phrases."""

    vocabulary: Callable[[ToolSpec], Vocabulary]
    """Returns what a tool's phrases put around its values."""
    begin: frozenset[str] = frozenset({""})
    join: frozenset[str] = _NOTHING
    join_closed: frozenset[str] = _NOTHING
    """What joins phrases where the text before it ends like a sentence."""
    end: frozenset[str] = frozenset({""})
    added: frozenset[str] = _NOTHING
    """Texts before an addition to what has been said of a call."""
    sentences: frozenset[str] = _NOTHING
    """Texts before an addition that is a sentence of its own, where the text before it does not end like one."""
    again: frozenset[str] = _NOTHING
    """Beginnings of a message that says only one changed value, in the frame of its slot: "And in Rome?"."""
    again_alone: frozenset[str] = _NOTHING
    """The same before the value alone: "What about Rome?"."""
    alone: bool = False
    """Whether a message may begin with a value ("Oslo.") or the frame of its slot ("In Oslo.")."""
    first: Spot = msgspec.field(default_factory=_edge)
    last: Spot = msgspec.field(default_factory=_edge)


_TODO = tuple([opener + mark for opener in words.TODO_OPENERS for mark in words.LIST_MARKS[:2]])
"""The beginnings of a list of verb phrases."""


def _requests() -> Tongue:
    ways = (*words.ASKING, *words.WISHING, *words.LOOKING_UP, *words.FOR_ME, *words.NEEDING)
    befores = {"", *[before for before, _ in ways]}
    afters = {"", "?", ".", *[after for _, after in ways]}
    openers = {"", *words.AND_ALSO, *words.THEN, words.FINALLY}
    joins = (
        *words.SAME_TOOL,
        *words.SAME_TOOL_HEAVY,
        *words.TWO_TOOLS,
        *words.THEN_LINKS,
        *words.LATER_LINKS,
        ", ",
        " and ",
    )
    begun = [f" {opener}{before}" for opener in openers for before in befores]
    joined = [*joins, *[after + mark for after in afters for mark in words.LIST_MARKS]]
    stops = afters - {""}
    return Tongue(
        vocabulary=requests_of,
        begin=_low(*[greeting + before for greeting in ("", *words.GREETINGS) for before in (*befores, *_TODO)]),
        join=_low(*joined, *[stop + begin for stop in stops for begin in begun]),
        join_closed=_low(*joined, *[after + begin for after in afters for begin in begun]),
        end=_low(
            *afters, *[after + gap + thanks for after in afters for gap in (" ", "\n\n") for thanks in words.THANKS]
        ),
        added=_low(" "),
        sentences=_low(*[f"{stop} " for stop in stops]),
    )


def _further_requests() -> Tongue:
    """Return the tongue of later requests: as the first ones, or only the changed value."""
    ways = (*words.ASKING, *words.WISHING, *words.LOOKING_UP, *words.FOR_ME, *words.NEEDING)
    befores = {"", *[before for before, _ in ways]}
    begin = _low(
        *[opener + before for opener in ("", *words.FURTHER, *words.SWITCHING) for before in (*befores, *_TODO)]
    )
    end = REQUESTS.end | _low(*[after for _, after in (*words.SAME_AGAIN, *words.SAME_AGAIN_ALONE, *words.CORRECTING)])
    return msgspec.structs.replace(
        REQUESTS,
        begin=begin,
        end=end,
        again=_low(*[before for before, _ in (*words.SAME_AGAIN, *words.CORRECTING)]),
        again_alone=_low(*[before for before, _ in (*words.SAME_AGAIN_ALONE, *words.CORRECTING)]),
        first=_edge(),
        last=_edge(),
    )


def _replies() -> Tongue:
    """Return the tongue of replies to a question: a value, or the frame of its slot."""
    around = (
        *words.REPLYING,
        *words.CHOOSING,
        *words.REPLYING_IN_A_FRAME,
        *CHOOSING_ONE,
        *CHOOSING_A_NAME,
        *words.SETTLING,
    )
    begin, end = _low(*[before for before, _ in around]), _low("", *[after for _, after in around])
    return Tongue(vocabulary=requests_of, begin=begin, end=end, alone=True)


def _answers() -> Tongue:
    leads = (*words.FOUND, *words.DONE, *words.BOTH)
    return Tongue(
        vocabulary=answers_of,
        begin=_low("", "- ", *[f"{lead}\n- " for lead in leads]),
        join=_low("\n- "),
        join_closed=_low(" ", "\n- ", "\n\n"),
        end=_low("", *[gap + offer for gap in (" ", "\n\n") for offer in words.OFFERS]),
        added=_low(", "),
    )


REQUESTS = _requests()
FURTHER_REQUESTS = _further_requests()
REPLIES = _replies()
ANSWERS = _answers()
ORDERS = Tongue(vocabulary=requests_of, added=_low(" "))
"""The verb phrase of a request that stands in a frame."""
DOINGS = Tongue(vocabulary=doings_of, added=_low(" ", ""))
"""The verb phrase of a call as the assistant says it to the user."""
ONE_VALUE = Tongue(vocabulary=requests_of, alone=True)
"""One value, alone or in the frame of its slot, that stands in a frame."""


Spots = dict[tuple[str, str, str], Spot]
"""(`arguments` or `result`, pointer, verbalizer) → the place."""


def book_of(spec: ToolSpec, tongue: Tongue) -> tuple[Vocabulary, Spots]:
    """Return what may stand around the values of a tool, and the places looked up so far; `spot_at` adds to them."""
    books = _books_of(spec)
    if tongue not in books:
        alike = [book for other, (book, _) in books.items() if other.vocabulary is tongue.vocabulary]
        books[tongue] = (alike[0] if alike else tongue.vocabulary(spec), {})
    return books[tongue]


@once_per_tool
def _books_of(spec: ToolSpec) -> dict[Tongue, tuple[Vocabulary, Spots]]:
    return {}


def spot_at(tongue: Tongue, spec: ToolSpec, of: str, pointer: str, way: str) -> Spot:
    """Return the place at a pointer of a tool's arguments or result."""
    book, spots = book_of(spec, tongue)
    spot = spots.get((of, pointer, way))
    if spot is None:
        if len(spots) >= _MOST_SPOTS:  # long lists could have many pointers
            spots.clear()
        leaf = leaf_of(of, pointer, spec.returns if of == "result" else spec.tool.parameters)
        steps = zip(split(pointer), leaf[1].split("/"), strict=False)
        places = tuple([int(step) for step, part in steps if part == "*" and step.isdecimal()])
        spot = spots[of, pointer, way] = _spot(tongue, book, leaf, places, way)
    return spot


_MOST_SPOTS = 2048


def _spot(tongue: Tongue, book: Vocabulary, leaf: TextSlot, places: tuple[int, ...], way: str) -> Spot:
    plain = plain_of(book, leaf)
    tails = book.tails.get(leaf, set()) | plain.tails
    heads = leading_to(way, book.heads.get(leaf, ()), plain.heads)
    frames = leading_to(way, book.added.get(leaf, ()), plain.added)
    if tongue.alone:
        heads |= {*frames, "", BY_THEMSELVES.get(way, "")}
    if way in BY_THEMSELVES:
        tails.add("")
    longest_first = tuple(sorted(tails, key=len, reverse=True))
    return Spot(book.spec.name, book, leaf, places, way, {}, longest_first, _by_end(heads), _by_end(frames))


def _by_end(heads: set[str] | frozenset[str]) -> Heads:
    found: Heads = {}
    for head in sorted(heads):
        found[head[-2:]] = (*found.get(head[-2:], ()), head)
    return found
