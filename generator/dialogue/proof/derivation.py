"""A text is made of the forms that its derivation names: they are walked in order, and each is held against what stands there.

Nothing is searched for: the derivation says which form begins where and for which calls. Between two forms stand the joining words
of the text's tongue; where a form has a slot, a claimed span of just these calls says the value of just this slot. So "from Oslo to
Rome" cannot be claimed the wrong way round, and no word is added.
"""

from collections.abc import Iterator
from typing import Any

from generator.core.claims import UseClaim
from generator.core.connectives import CONNECTIVES, LIST_MARKS, after, next_mark
from generator.core.toolbox import ToolSpec
from generator.dialogue.proof.ledger import Passage
from generator.dialogue.proof.tongues import ANSWERS, DOINGS, LISTED, announced
from generator.dialogue.proof.walking import Walk, is_sentence
from generator.tools.productions import HEADS, Production, production_of

Fault = tuple[str, str, tuple[Any, ...], tuple[int, int]]
"""Code, message, facts and span; the code is empty for a text that may not stand where it does."""
_ANSWERS = frozenset({"answer", "told"})


_MARKS = (*LIST_MARKS, "- ")
"""What may stand before the first line of a list; the last one where nothing announces it."""


class Derivation:
    """One text and the forms that it is made of."""

    def __init__(self, passage: Passage) -> None:
        self.passage = passage
        self.asked: set[str] = set()
        """The calls of which something is said."""
        self._walk = Walk(passage.content, passage.parts)
        self._head: UseClaim | None = None
        """The form with which the clause begins."""
        self._spec: ToolSpec | None = None
        self._endings: frozenset[str] = frozenset()
        """What may end the sentence."""
        self._clauses: list[tuple[str, str]] = []
        """The clauses of the sentence: what stands before each (of the first: nothing), and the kind of its first form."""
        self._is_said = False
        """Whether the sentence has ended and a further one says one more value of its call."""
        self._mark = ""
        """What the line of a list begins with, if the text is a list."""
        self._was_with = self._is_and = False
        """Whether the last form adds a value with "with", and whether "and" stands in place of that."""

    def faults(self) -> Iterator[Fault]:
        """Yield why the text is not made of its forms; no more than one for a place from which on nothing can be told."""
        content, at, walk = self.passage.content, self.passage.begin, self._walk
        uses = self.passage.ledger.uses.get(self.passage.index, [])
        if uses and (uses[0].start < at or uses[-1].start >= len(content)):
            uses = [use for use in uses if at <= use.start < len(content)]
        for use in uses:
            spec = self._tool(use)
            form = None if spec is None else production_of(spec, use.key)
            if spec is None or form is None:
                yield "", "{!r} is no form of the tool", (use.key,), (at, use.start)
                return
            gap = content[at : use.start]
            if use.start < at or not self._may_follow(gap, form, spec, use, at):
                yield "", "{!r} is no phrase that may stand here", (gap,), (at, use.start)
                return
            end = walk.end_of(form, spec, use.calls, use.start, goes_on=self._is_and)
            if end is None:
                code = "PF112" if walk.is_shared_otherwise else ""
                yield code, "{!r} is not what is said there", (use.key,), (use.start, len(content))
                return
            self.asked.update(use.calls)
            at = end
        rest = content[at:]
        if not uses or not self._may_end(rest, at):
            yield "", "{!r} is no phrase that may stand here", (rest,), (at, len(content))
        for start in walk.starts.keys() - {*walk.passed} if len(walk.passed) < len(walk.starts) else ():
            end = walk.starts[start][0].end
            yield "", "{!r} is no value of a phrase", (content[start:end],), (start, end)

    def _tool(self, use: UseClaim) -> ToolSpec | None:
        """Return the tool of a form, if its calls are calls of one tool and the message may speak of them; None otherwise."""
        calls, tongue, index = self.passage.ledger.calls, self.passage.tongue, self.passage.index
        is_head = tongue is not DOINGS and use.key.partition(": ")[0] in HEADS
        spec: ToolSpec | None = None
        for call in use.calls:
            made = calls.get(call)
            if made is None or (spec is not None and made.spec is not spec):
                return None
            if not (made.told_at < index if tongue is ANSWERS else made.asked_at == index or not is_head):
                return None
            spec = made.spec
        return spec

    def _may_follow(self, gap: str, form: Production, spec: ToolSpec, use: UseClaim, at: int) -> bool:
        """Whether a text may stand between a form and the one before; notes what the form begins or goes on with."""
        tongue, head, kind = self.passage.tongue, self._head, form.kind
        if (kind in _ANSWERS) != (tongue is ANSWERS) or (tongue is DOINGS and not form.fits_assistant):
            return False
        was_with, self._was_with, self._is_and = self._was_with, False, False
        if kind in HEADS or kind in _ANSWERS:
            return self._may_head(gap, form, spec, use, at)
        if head is None:
            return self._may_be_all(gap, kind, use)
        if kind == "alone" or use.calls != head.calls:
            return False
        if gap in ("", " ") and not form.is_sentence and not (gap == " " and self._is_capital(form, use)):
            self._was_with = form.is_with
            self._is_and = was_with and form.is_with and self.passage.content.startswith("and ", use.start)
            return gap == " " or self.passage.content.startswith(",", use.start)
        stops = self._stops(at) - {""} or frozenset("." if self._mark else ())
        is_apart = gap[-1:] == " " and (gap[:-1] in stops or (gap == " " and self._is_closed(at)))
        if not is_apart or "again" in [one for _, one in self._clauses]:
            return False
        self._is_said, self._endings = True, frozenset({"."})
        return form.is_sentence or self._is_capital(form, use)

    def _is_capital(self, form: Production, use: UseClaim) -> bool:
        """Whether the words for a value are a sentence."""
        return form.kind == "clause" and self.passage.content[use.start].isupper()

    def _is_closed(self, at: int) -> bool:
        """Whether the text before a place ends like a sentence."""
        return is_sentence(self.passage.content[max(at - 2, self.passage.begin) : at])

    def _stops(self, at: int) -> frozenset[str]:
        """Return what may end the sentence at a place: an end may fall away behind a text that ends like a sentence."""
        endings = self._endings
        falls_away = "" not in endings and not endings.isdisjoint(CONNECTIVES.stopping) and self._is_closed(at)
        return endings | {""} if falls_away else endings

    def _may_end(self, rest: str, at: int) -> bool:
        """Whether a text may end the message."""
        closing = self.passage.tongue.closing_list if self._mark else self.passage.tongue.closing
        for stop in self._stops(at):
            if rest.startswith(stop) and rest[len(stop) :] in closing:
                return self._is_joined()
        return False

    def _is_joined(self) -> bool:
        """Whether all that joins the clauses of the sentence may do so together."""
        (_, first), *others = self._clauses
        if not others:
            return True
        for join in CONNECTIVES.joins:
            if first in join.firsts and all(kind in join.others for _, kind in others):
                places = join.between(len(self._clauses))
                if all(gap in texts for (gap, _), texts in zip(others, places, strict=True)):
                    return True
        return False

    def _may_head(self, gap: str, form: Production, spec: ToolSpec, use: UseClaim, at: int) -> bool:
        """Whether a clause or an answer may begin after a text."""
        kind, before, head = form.kind, self._spec, self._head
        self._head, self._spec, self._walk.varied = use, spec, False
        if gap in self.passage.tongue.joints and not (head is None or self._is_said or self._mark):
            self._clauses.append((gap, kind))
            is_carried = kind != "again" or (before is spec and self._said_of(head) == self._said_of(use))
            return is_carried and (kind != "found" or self._refers(at))
        opening = self._first_opening(gap, kind, spec) if head is None else self._next_opening(gap, at)
        endings = None if opening is None else self.passage.tongue.frames.get(kind, {}).get(opening)
        if endings is None or (len(self._clauses) > 1 and not self._is_joined()):
            return False
        self._endings, self._clauses, self._is_said = endings, [("", kind)], False
        return True

    def _said_of(self, use: UseClaim | None) -> set[str]:
        """Return the arguments that the message says of the calls of a form: a clause without a verb says those of the one before."""
        calls = () if use is None else use.calls
        return {part.saying.slot.partition("/")[0] for part in self._walk.parts if part.call in calls}

    def _refers(self, at: int) -> bool:
        """Whether what has been said ends with words that single something out."""
        return any(
            part.end == at and part.saying.is_reference for parts in self._walk.starts.values() for part in parts
        )

    def _first_opening(self, gap: str, kind: str, spec: ToolSpec) -> str | None:
        """Return what stands before the first clause, if the message may begin so; None otherwise."""
        tongue = self.passage.tongue
        if not (tongue.lists and gap.endswith(_MARKS)):
            return tongue.begin.get(gap)
        self._mark = next(mark for mark in _MARKS if gap.endswith(mark))
        lead, leads = gap[: -len(self._mark)], tongue.lists
        if kind == "entry":
            texts = announced(spec)
            leads = frozenset([opener + after(opener, text) for opener in tongue.openers for text in texts])
        is_led = bool(lead) == self._mark.startswith("\n") and lead in leads
        self._mark = self._mark if lead else LIST_MARKS[0]
        return LISTED if is_led else None

    def _next_opening(self, gap: str, at: int) -> str | None:
        """Return what stands before a further clause, if the one before may end so; None otherwise."""
        for stop in self._stops(at):
            if gap.startswith(stop):
                rest = gap[len(stop) :]
                is_line = (
                    rest == LIST_MARKS[0] and self.passage.tongue is ANSWERS
                )  # a list goes on behind an act's sentence
                if is_line or (self._mark and rest == next_mark(self._mark)):
                    self._mark = rest
                    return LISTED
                if not self._mark and rest in self.passage.tongue.between and (stop or self._is_closed(at)):
                    return self.passage.tongue.between[rest]
        return None

    def _may_be_all(self, gap: str, kind: str, use: UseClaim) -> bool:
        """Whether a message may say only one value, in reply to a question."""
        self._head, self._clauses = use, [("", kind)]
        opening = self.passage.tongue.begin.get(gap)
        endings = None if opening is None else self.passage.tongue.frames.get(kind, {}).get(opening)
        self._endings = endings or frozenset()
        return endings is not None
