"""Tongues: in what kind of text forms stand, what frames their sentences have and what joins them (the words are `connectives`)."""

from collections.abc import Iterable

import msgspec

from generator.core.connectives import CONNECTIVES, Frame, after
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.tools.productions import HEADS

Endings = dict[str, frozenset[str]]
"""What stands before a clause → what may stand after it: "can you " → "?", " for me?"."""
LISTED = "\n"
"""Stands before a clause that is a line of a list."""
_ALONE = {"": frozenset({""})}
_WORDS_FOR_A_VALUE = ("add", "clause", "nothing", "empty", "for")


class Tongue(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One kind of text, such as requests or answers."""

    openers: tuple[str, ...] = ("",)
    """What a message may begin with, before the frame of its first sentence."""
    begin: dict[str, str] = msgspec.field(default_factory=lambda: {"": ""})
    """Beginnings of a message → the part of them that stands before the first clause."""
    lists: frozenset[str] = frozenset()
    """What announces a list."""
    between: dict[str, str] = {}
    """Texts between the end of a sentence and the next one → the part of them that stands before its clause."""
    closing: frozenset[str] = frozenset({""})
    """What may follow the last sentence."""
    closing_list: frozenset[str] = frozenset({""})
    """The same after a list."""
    frames: dict[str, Endings]
    """By the kinds of forms with which sentences begin, and those of the values that a message may say alone."""
    joints: frozenset[str] = frozenset()
    """What may join clauses within a sentence; which of them together, `connectives.JOINS` says."""


def _endings(frames: Iterable[Frame]) -> Endings:
    """Return what may stand after a clause by what stands before it."""
    found: dict[str, set[str]] = {}
    for before, ending in frames:
        found.setdefault(before, set()).add(ending)
    return {before: frozenset(endings) for before, endings in found.items()}


def _begun(openers: Iterable[str], openings: Iterable[str], gap: str = "") -> dict[str, str]:
    """Return the texts of which each is one of the openers and the beginning of a frame."""
    return {f"{gap}{opener}{after(opener, opening)}": opening for opener in openers for opening in openings}


def _values(alone: Iterable[Frame], framed: Iterable[Frame]) -> dict[str, Endings]:
    """Return the frames of messages that say a value alone, and of those that say it in one of its slot's frames."""
    return {"alone": _endings(alone), **dict.fromkeys(_WORDS_FOR_A_VALUE, _endings(framed))}


_KINDS = (*HEADS, "alone", *_WORDS_FOR_A_VALUE)
_LINES = {kind: {LISTED: frozenset({""})} for kind in ("request", "bare", "entry")}


_SENTENCES: dict[str, Endings] = {
    **{kind: _endings(frames) for kind, frames in CONNECTIVES.frames.items()},
    "found": _endings([(naming, ".") for naming in CONNECTIVES.among]),
}
_OPENINGS = tuple(dict.fromkeys([opening for endings in _SENTENCES.values() for opening in endings]))


def _requests(openers: tuple[str, ...], closing: tuple[str, ...] = ()) -> Tongue:
    """Return the tongue of requests whose messages begin with one of the openers, and may end with one of the closings."""
    words = CONNECTIVES
    return Tongue(
        openers=openers,
        begin=_begun(openers, _OPENINGS),
        lists=frozenset(_begun(openers, tuple(map(words.within, words.todo_openers)))),
        between=_begun(("", *words.and_also, *words.then, words.finally_), _OPENINGS, gap=" "),
        closing=frozenset({"", *[f" {text}" for text in closing]}),
        closing_list=frozenset({"", *[f"\n\n{text}" for text in closing]}),
        frames={kind: {**_SENTENCES.get(kind, {}), **_LINES.get(kind, {})} for kind in _KINDS},
        joints=frozenset([text for join in words.joins for texts in join[2:] for text in texts]),
    )


REQUESTS = _requests(("", *CONNECTIVES.greetings), CONNECTIVES.thanks)
FURTHER_REQUESTS = _requests(("", *CONNECTIVES.further, *CONNECTIVES.after_refusal))
_REPLYING = (
    *CONNECTIVES.replying,
    *CONNECTIVES.identifying,
    *CONNECTIVES.identifying_again,
    *CONNECTIVES.mistaken,
    *CONNECTIVES.otherwise_known,
    *CONNECTIVES.choosing,
    *CONNECTIVES.changing,
)
REPLIES = Tongue(
    begin={before: before for before, _ in (*_REPLYING, *CONNECTIVES.replying_in_a_frame)},
    frames=_values(_REPLYING, CONNECTIVES.replying_in_a_frame),
)
"""Replies to a question: a value, or the frame of its slot."""
_AFTER_ANSWERS = frozenset({"", *[gap + offer for gap in (" ", "\n\n") for offer in CONNECTIVES.offers]})
ANSWERS = Tongue(
    begin={"": ""},
    lists=frozenset({"", *CONNECTIVES.found, *CONNECTIVES.done, *CONNECTIVES.both}),
    between=dict.fromkeys((" ", "\n\n"), ""),
    closing=_AFTER_ANSWERS,
    closing_list=_AFTER_ANSWERS,
    frames={kind: {**_ALONE, LISTED: frozenset({""})} for kind in ("answer", "told")},
)
ORDERS = Tongue(frames=dict.fromkeys(HEADS, _ALONE))
"""The verb phrase of a request that stands in a frame."""
DOINGS = Tongue(frames=dict.fromkeys(HEADS, _ALONE))
"""The verb phrase of a call as the assistant says it to the user."""


@once_per_tool
def announced(spec: ToolSpec) -> tuple[str, ...]:
    """Return the texts that may announce a list of calls of a tool."""
    words = CONNECTIVES
    return tuple([words.within(opener.format(text)) for opener in words.list_openers for text in spec.phrases.several])
