"""What can be said of a call depends only on which slots have values and of which types, so it is worked out once for each such shape."""

import re
from collections.abc import Sequence
from typing import Any

from generator.core.pointers import escape, unescape
from generator.dialogue.wording.phrases.lines import FixedWords, Line, Values
from generator.dialogue.wording.phrases.phrasebook import Book, Head, unknown_frame
from generator.dialogue.wording.phrases.value_wording import Several
from generator.tools.productions import spoken_name

Kinds = tuple[str, ...]
_MOST_KNOWN = 4096
_UNSAYABLE = frozenset({type(None), bool})


class _EmptyList:
    """Stands for the type of a list without elements."""


_UNSAID = _UNSAYABLE | {_EmptyList}


_NUMBERS = frozenset({int, float})


def _says_pairs(line: Line, kinds: dict[str, type]) -> bool:
    """Whether both of each two values that a line says as one are there, and are numbers."""
    return all(kinds.get(slot) in _NUMBERS for pair in line.pairs for slot in pair)


class Addition:
    """How one more value is added to what has been said."""

    __slots__ = ("alone", "clauses", "fallback", "frames", "instead", "is_free", "slot")

    def __init__(self, book: Book, slot: str, kinds: dict[str, type]) -> None:
        frames = book.frames.get(slot)
        kind = kinds[slot]
        self.slot = slot
        self.clauses = [
            (value, [FixedWords(text, 0, "clause", slot) for text in texts])
            for value, texts in (frames.clauses if frames is not None else ())
        ]
        """(value, words that may be said for it in place of a frame) pairs."""
        name = spoken_name(slot) if kind is type(None) or kind is _EmptyList else ""
        verbalizer = "nothing" if kind is type(None) else "empty"
        self.instead = FixedWords(f"with no {name}", len("with "), verbalizer, slot) if name else None
        """The words for a null or an empty list ("with no …"); None for other values."""
        self.alone = frames is None or frames.alone
        """Whether no frame says or needs another value."""
        self.frames: Sequence[Line] = ()
        """The frames that can say the value; those that say another value, too, only fit while that one has not been said."""
        if frames is not None:
            self.frames = frames.lines
            if self.alone:
                self.frames = frames.lines if kind is not type(None) else ()
            else:
                here = kinds.keys()
                nulls = {slot for slot, kind in kinds.items() if kind is type(None)}
                self.frames = [
                    line
                    for line in frames.lines
                    if line.needs <= here and line.says.isdisjoint(nulls) and _says_pairs(line, kinds)
                ]
        self.fallback = frames.fallback if frames is not None else unknown_frame(slot)
        self.is_free = bool(self.alone and self.frames and not self.clauses and self.instead is None)
        """Whether any of the frames can be used without a further check."""


class Opening:
    """A head for the calls of one shape, and the values that it leaves to be said."""

    __slots__ = ("done", "head", "is_grouped", "is_linked", "optional", "rest")

    def __init__(self, shape: "CallShape", head: Head, said: frozenset[str]) -> None:
        self.head = head
        self.done = said | head.line.says
        """Slots that the head says, or that need not be said."""
        self.rest = [shape.addition(slot) for slot in shape.in_order if slot not in self.done]
        """The values to be added."""
        self.optional = shape.book.optional
        self.is_linked = not all(addition.alone for addition in self.rest)
        """Whether an addition may say the value of another one, too."""
        self.is_grouped = bool(shape.book.spec.groups)
        """Whether the order of the additions matters."""


def _beside(book: Book, slot: str) -> tuple[str, ...]:
    """Return the slots that are said with one: itself alone, unless its argument stands in a group."""
    groups = book.spec.groups
    return tuple(map(escape, groups.beside(unescape(slot)))) if groups and "/" not in slot else (slot,)


_OF_ONE = r"\b(?:(?:is|was|does|has)(?: (?!in|at|for|of|on|from|to|with|near|about|around)[a-z]+){0,2}|(?:the|my|a) (?!in|at)[a-z]+) "
"""What stands before a slot of a phrase that fits one value only."""
_AFTER_ONE = r" (?:is|was|has|does|comes|gets|leaves|looks|says|holds|belongs|costs|stands|lies|goes)\b"
"""What stands behind one."""


class CallShape:
    """What is common to all calls of a tool that have values of the same types in the same slots."""

    __slots__ = ("_additions", "_fitting", "_openings", "_opens", "book", "in_order", "kinds", "sayable")

    def __init__(self, book: Book, kinds: dict[str, type]) -> None:
        self.book = book
        self.kinds = kinds
        self.in_order = tuple(dict.fromkeys([name for slot in kinds for name in _beside(book, slot) if name in kinds]))
        """The slots in the order in which they are said: those of a group one after the other."""
        named = book.spec.phrases.synonyms
        self.sayable = frozenset(
            [slot for slot, kind in kinds.items() if kind not in _UNSAID or (kind is bool and slot in named)]
        )
        """Slots whose values can stand in a phrase; a yes or no where the tool has words for both."""
        self._additions: dict[str, Addition] = {}
        self._openings: dict[Kinds, tuple[Opening, ...]] = {}
        self._opens: dict[tuple[Head, frozenset[str]], Opening] = {}
        self._fitting: dict[tuple[Head, ...], tuple[Head, ...]] = {}

    def openings(self, kinds: Kinds) -> tuple[Opening, ...]:
        """Return an opening for each head of these kinds whose slots all have sayable values; a kind named twice counts twice."""
        found = self._openings.get(kinds)
        if found is None:
            heads = self.book.heads
            here = [head for head in heads if head.line.needs <= self.sayable and _says_pairs(head.line, self.kinds)]
            here = [head for head in here if not self._is_of_one(head)] or here
            fitting = [head for kind in kinds for head in here if head.kind == kind]
            fitting = fitting or [self.shortest(self.sayable)]
            self._openings[kinds] = found = tuple([self.opening(head) for head in fitting])
        return found

    def _is_of_one(self, head: Head) -> bool:
        """Whether a verb or a noun in the singular stands before the slot that has several values: "what does job {job_id} say"."""
        several = [slot for slot, kind in self.kinds.items() if kind is Several]
        text = head.line.template.text
        return any(
            re.search(rf"{_OF_ONE}\{{{re.escape(slot)}\b|\{{{re.escape(slot)}\b[^}}]*\}}{_AFTER_ONE}", text)
            for slot in several
        )

    def opening(self, head: Head, said: frozenset[str] = frozenset()) -> Opening:
        """Return the opening with one head; references in `said` need not be said at all."""
        found = self._opens.get((head, said))
        if found is None:
            self._opens[head, said] = found = Opening(self, head, said)
        return found

    def shortest(self, here: frozenset[str]) -> Head:
        """Return the shortest request whose slots all have values, or the one made of the tool's name."""
        requests = [head for head in self.book.heads if head.kind == "request" and head.line.needs <= here]
        fitting = [head for head in requests if _says_pairs(head.line, self.kinds)]
        return min(fitting, key=lambda head: len(head.line.template.text), default=self.book.bare)

    def fits(self, line: Line) -> bool:
        """Whether all slots of a line have values that can be said where it wants them."""
        return line.needs <= self.kinds.keys() and line.says <= self.sayable and _says_pairs(line, self.kinds)

    def fitting(self, heads: tuple[Head, ...]) -> tuple[Head, ...]:
        """Return those of the heads that fit."""
        found = self._fitting.get(heads)
        if found is None:
            self._fitting[heads] = found = tuple([head for head in heads if self.fits(head.line)])
        return found

    def addition(self, slot: str) -> Addition:
        """Return how the value of one slot is added."""
        found = self._additions.get(slot)
        if found is None:
            self._additions[slot] = found = Addition(self.book, slot, self.kinds)
        return found


def call_shape(book: Book, values: Values) -> CallShape:
    """Return the shape of these values."""
    kinds: Any = tuple(map(type, values.values()))
    if list in kinds and [] in values.values():
        kinds = tuple([_EmptyList if value == [] else type(value) for value in values.values()])
    key = (*values, kinds)
    found: CallShape | None = book.shapes.get(key)
    if found is None:
        found = CallShape(book, dict(zip(values, kinds, strict=True)))
        if len(book.shapes) < _MOST_KNOWN:
            book.shapes[key] = found
    return found
