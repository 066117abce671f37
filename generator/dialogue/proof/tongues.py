"""Tongues: in what kind of text forms stand, what frames their sentences have and what joins them (the words are `connectives`)."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from generator.core.connectives import CONNECTIVES, Connectives, Frame, after
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.dialogue.from_results.choosing import CHOOSING_A_NAME, CHOOSING_ONE
from generator.tools.productions import HEADS, STORY

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
    found: dict[str, set[str]] = {}
    for before, ending in frames:
        found.setdefault(before, set()).add(ending)
    return {before: frozenset(endings) for before, endings in found.items()}


def _begun(openers: Iterable[str], openings: Iterable[str], gap: str = "") -> dict[str, str]:
    """Return the texts of which each is one of the openers and the beginning of a frame."""
    return {f"{gap}{opener}{after(opener, opening)}": opening for opener in openers for opening in openings}


def _values(alone: Iterable[Frame], framed: Iterable[Frame]) -> dict[str, Endings]:
    return {"alone": _endings(alone), **dict.fromkeys(_WORDS_FOR_A_VALUE, _endings(framed))}


_KINDS = (*HEADS, "alone", *_WORDS_FOR_A_VALUE)
_LINES = {kind: {LISTED: frozenset({""})} for kind in ("request", "bare", "entry")}


class _Tongues:
    """The tongues whose words are connectives.

    Args:
        words: What joins the phrases.
        chosen: Frames for the words with which the user says which of several things is meant.
    """

    def __init__(self, words: Connectives, chosen: Sequence[Frame]) -> None:
        self._words = words
        self._sentences: dict[str, Endings] = {
            **{kind: _endings(frames) for kind, frames in words.frames.items()},
            "found": _endings([(naming, ".") for naming in words.among]),
            STORY: _endings([("", "")]),
        }
        self._openings = tuple(dict.fromkeys([opening for endings in self._sentences.values() for opening in endings]))
        further = ("", *words.further, *words.after_refusal, *words.switching)
        self.requests = self._requests(("", *words.greetings), {}, words.thanks)
        self.further_requests = self._requests(
            further,
            _values((*words.same_again_alone, *words.correcting), (*words.same_again, *words.correcting)),
        )
        """Later requests: as the first ones, or only the changed value."""
        replying = (
            *words.replying,
            *words.identifying,
            *words.identifying_again,
            *words.mistaken,
            *words.otherwise_known,
            *words.choosing,
            *chosen,
            *words.settling,
            *words.changing,
        )
        self.replies = Tongue(
            begin={before: before for before, _ in (*replying, *words.replying_in_a_frame)},
            frames=_values(replying, words.replying_in_a_frame),
        )
        """Replies to a question: a value, or the frame of its slot."""
        closing = frozenset({"", *[gap + offer for gap in (" ", "\n\n") for offer in words.offers]})
        self.answers = Tongue(
            begin={"": ""},
            lists=frozenset({"", *words.found, *words.done, *words.both}),
            between=dict.fromkeys((" ", "\n\n"), ""),
            closing=closing,
            closing_list=closing,
            frames={kind: {**_ALONE, LISTED: frozenset({""})} for kind in ("answer", "told")},
        )

    def _requests(self, openers: tuple[str, ...], more: Mapping[str, Endings], closing: tuple[str, ...] = ()) -> Tongue:
        words, openings = self._words, self._openings
        return Tongue(
            openers=openers,
            begin={
                **_begun(openers, openings),
                **{opening: opening for endings in more.values() for opening in endings},
            },
            lists=frozenset(_begun(openers, tuple(map(words.within, words.todo_openers)))),
            between=_begun(("", *words.and_also, *words.then, words.finally_), openings, gap=" "),
            closing=frozenset({"", *[f" {text}" for text in closing]}),
            closing_list=frozenset({"", *[f"\n\n{text}" for text in closing]}),
            frames={
                kind: {**self._sentences.get(kind, {}), **_LINES.get(kind, {}), **more.get(kind, {})} for kind in _KINDS
            },
            joints=frozenset([text for join in words.joins for texts in join[2:] for text in texts]),
        )


_TONGUES = _Tongues(CONNECTIVES, (*CHOOSING_ONE, *CHOOSING_A_NAME))
REQUESTS, FURTHER_REQUESTS = _TONGUES.requests, _TONGUES.further_requests
REPLIES, ANSWERS = _TONGUES.replies, _TONGUES.answers
ORDERS = Tongue(frames=dict.fromkeys(HEADS, _ALONE))
"""The verb phrase of a request that stands in a frame."""
DOINGS = Tongue(frames=dict.fromkeys(HEADS, _ALONE))
"""The verb phrase of a call as the assistant says it to the user."""
ONE_VALUE = Tongue(frames=_values([("", "")], [("", "")]))
"""One value, alone or in the frame of its slot, that stands in a frame."""


@once_per_tool
def announced(spec: ToolSpec) -> tuple[str, ...]:
    """Return the texts that may announce a list of calls of a tool."""
    words = CONNECTIVES
    return tuple([words.within(opener.format(text)) for opener in words.list_openers for text in spec.phrases.several])
