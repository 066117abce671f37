"""Tongues: what joins the forms of each kind of text."""

import msgspec

from generator import connectives as words
from generator.choosing import CHOOSING_A_NAME, CHOOSING_ONE
from generator.toolbox import ToolSpec, once_per_tool


def _low(*texts: str) -> frozenset[str]:
    return frozenset([text.casefold() for text in texts])


_NOTHING: frozenset[str] = frozenset()


class Tongue(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One kind of text, such as requests or answers: what joins its forms."""

    begin: frozenset[str] = frozenset({""})
    join: frozenset[str] = _NOTHING
    join_closed: frozenset[str] = _NOTHING
    """What joins forms where the text before it ends like a sentence."""
    end: frozenset[str] = frozenset({""})
    sentences: frozenset[str] = _NOTHING
    """Texts before an addition that is a sentence of its own, where the text before it does not end like one."""
    again: frozenset[str] = _NOTHING
    """Beginnings of a message that says only one changed value, in the frame of its slot: "And in Rome?"."""
    again_alone: frozenset[str] = _NOTHING
    """The same before the value alone: "What about Rome?"."""
    alone: bool = False
    """Whether a message may begin with a value ("Oslo.") or the frame of its slot ("In Oslo.")."""


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
        begin=_low(*[greeting + before for greeting in ("", *words.GREETINGS) for before in (*befores, *_TODO)]),
        join=_low(*joined, *[stop + begin for stop in stops for begin in begun]),
        join_closed=_low(*joined, *[after + begin for after in afters for begin in begun]),
        end=_low(
            *afters, *[after + gap + thanks for after in afters for gap in (" ", "\n\n") for thanks in words.THANKS]
        ),
        sentences=_low(*[f"{stop} " for stop in stops]),
    )


def _further_requests() -> Tongue:
    """Return the tongue of later requests: as the first ones, or only the changed value."""
    ways = (*words.ASKING, *words.WISHING, *words.LOOKING_UP, *words.FOR_ME, *words.NEEDING)
    befores = {"", *[before for before, _ in ways]}
    begin = _low(
        *[
            opener + before
            for opener in ("", *words.FURTHER, *words.AFTER_REFUSAL, *words.SWITCHING)
            for before in (*befores, *_TODO)
        ]
    )
    end = REQUESTS.end | _low(*[after for _, after in (*words.SAME_AGAIN, *words.SAME_AGAIN_ALONE, *words.CORRECTING)])
    return msgspec.structs.replace(
        REQUESTS,
        begin=begin,
        end=end,
        again=_low(*[before for before, _ in (*words.SAME_AGAIN, *words.CORRECTING)]),
        again_alone=_low(*[before for before, _ in (*words.SAME_AGAIN_ALONE, *words.CORRECTING)]),
    )


def _replies() -> Tongue:
    """Return the tongue of replies to a question: a value, or the frame of its slot."""
    around = (
        *words.REPLYING,
        *words.IDENTIFYING,
        *words.CHOOSING,
        *words.REPLYING_IN_A_FRAME,
        *CHOOSING_ONE,
        *CHOOSING_A_NAME,
        *words.SETTLING,
    )
    begin, end = _low(*[before for before, _ in around]), _low("", *[after for _, after in around])
    return Tongue(begin=begin, end=end, alone=True)


def _answers() -> Tongue:
    leads = (*words.FOUND, *words.DONE, *words.BOTH)
    return Tongue(
        begin=_low("", "- ", *[f"{lead}\n- " for lead in leads]),
        join=_low("\n- "),
        join_closed=_low(" ", "\n- ", "\n\n"),
        end=_low("", *[gap + offer for gap in (" ", "\n\n") for offer in words.OFFERS]),
    )


REQUESTS = _requests()
FURTHER_REQUESTS = _further_requests()
REPLIES = _replies()
ANSWERS = _answers()
ORDERS = Tongue()
"""The verb phrase of a request that stands in a frame."""
DOINGS = Tongue()
"""The verb phrase of a call as the assistant says it to the user."""
ONE_VALUE = Tongue(alone=True)
"""One value, alone or in the frame of its slot, that stands in a frame."""


@once_per_tool
def announced(spec: ToolSpec) -> tuple[str, ...]:
    """Return the texts with which a list of calls of a tool may begin, with the mark of its first line."""
    openers = [opener.format(text).casefold() for opener in words.LIST_OPENERS for text in spec.phrases.several]
    return tuple([opener + mark for opener in openers for mark in words.LIST_MARKS[:2]])
