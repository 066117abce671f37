"""A text is made of the forms that its derivation names: they are walked in order, and each is held against what stands there.

Nothing is searched for: the derivation says which form begins where and for which calls. Between two forms stand the joining words
of the text's tongue; where a form has a slot, a claimed span of just these calls says the value of just this slot. So "from Oslo to
Rome" cannot be claimed the wrong way round, and no word is added.
"""

from collections.abc import Iterator
from typing import Any

from generator import connectives as words
from generator.conversation import UseClaim
from generator.productions import HEADS, Production, production_of
from generator.toolbox import ToolSpec
from generator.validation.proof.ledger import ClaimedSpan, Ledger
from generator.validation.proof.tongues import ANSWERS, DOINGS, Tongue, announced
from generator.validation.proof.walking import Walk, is_sentence

Fault = tuple[str, str, tuple[Any, ...], tuple[int, int]]
"""Code, message, facts and span; the code is empty for a text that may not stand where it does."""
_ANSWERS = frozenset({"answer", "told"})
_LED = frozenset({"again", "entry", "found"})
"""Kinds of forms before which something stands of its own."""
_IN_SENTENCE = frozenset([*words.SAME_TOOL, *words.SAME_TOOL_HEAVY, ", "])


class Derivation:
    """One text and the forms that it is made of.

    Args:
        ledger: The conversation.
        index: The message.
        content: Its text, up to the end of what is read.
        parts: The claimed spans in it.
        tongue: What may join its forms.
        begin: Where it begins.
    """

    def __init__(
        self, ledger: Ledger, index: int, content: str, parts: list[ClaimedSpan], tongue: Tongue, begin: int
    ) -> None:
        self.ledger = ledger
        self.index = index
        self.content = content
        self.tongue = tongue
        self.begin = begin
        self.asked: set[str] = set()
        """The calls of which something is said."""
        self.goes_on = False
        """Whether it says only what differs from an earlier request."""
        self._walk = Walk(content, parts)
        self._spec: ToolSpec | None = None
        self._head: UseClaim | None = None
        """The form with which the clause begins."""
        self._is_beside = False
        """Whether the clause stands in one sentence with another one for the same tool."""
        self._was_with = self._is_and = False
        """Whether the last form adds a value with "with", and whether "and" stands in place of that."""

    def faults(self) -> Iterator[Fault]:
        """Yield why the text is not made of its forms; no more than one for a place from which on nothing can be told."""
        content, at, walk = self.content, self.begin, self._walk
        uses = self.ledger.uses.get(self.index, [])
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
        if not uses or rest.casefold() not in self.tongue.end:
            yield "", "{!r} is no phrase that may stand here", (rest,), (at, len(content))
        for start in walk.starts.keys() - {*walk.passed} if len(walk.passed) < len(walk.starts) else ():
            end = walk.starts[start][0].end
            yield "", "{!r} is no value of a phrase", (content[start:end],), (start, end)

    def _tool(self, use: UseClaim) -> ToolSpec | None:
        """Return the tool of a form, if its calls are calls of one tool and the message may speak of them; None otherwise."""
        calls, tongue, index = self.ledger.calls, self.tongue, self.index
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
        tongue, head, kind = self.tongue, self._head, form.kind
        if (kind in _ANSWERS) != (tongue is ANSWERS) or (tongue is DOINGS and not form.fits_assistant):
            return False
        was_with, self._was_with, self._is_and = self._was_with, False, False
        if kind in HEADS or kind in _ANSWERS:
            return self._may_head(gap, form, spec, use, at)
        if head is None:
            return self._may_be_all(gap.casefold(), kind, use)
        if kind == "alone" or use.calls != head.calls:
            return False
        if gap in ("", " ") and not form.is_sentence and not (gap == " " and self._is_capital(form, use)):
            self._was_with = form.is_with
            self._is_and = was_with and form.is_with and self.content.startswith("and ", use.start)
            return gap == " " or self.content.startswith(",", use.start)
        is_apart = gap in tongue.sentences or (gap == " " and self._is_closed(at))
        return is_apart and not self._is_beside and (form.is_sentence or self._is_capital(form, use))

    def _is_capital(self, form: Production, use: UseClaim) -> bool:
        """Whether the words for a value are a sentence."""
        return form.kind == "clause" and self.content[use.start].isupper()

    def _is_closed(self, at: int) -> bool:
        return is_sentence(self.content[max(at - 2, self.begin) : at])

    def _may_head(self, gap: str, form: Production, spec: ToolSpec, use: UseClaim, at: int) -> bool:
        """Whether a clause or an answer may begin after a text."""
        head, low, tongue = self._head, gap.casefold(), self.tongue
        self._is_beside = head is not None and gap in _IN_SENTENCE and self._spec is spec
        self._head, self._walk.varied = use, False
        self._spec = spec
        if head is None and form.kind not in _LED:
            return low in tongue.begin
        if head is None:
            leads = announced(spec) if form.kind == "entry" else words.AMONG if form.kind == "found" else ()
            return any(low.endswith(lead) and low[: len(low) - len(lead)] in tongue.begin for lead in leads)
        if form.kind == "found":
            parts = [part for parts in self._walk.starts.values() for part in parts]
            return gap in words.OF and any(part.end == at and part.saying.is_reference for part in parts)
        joins = tongue.join_closed if self._is_closed(at) else tongue.join
        return low in joins and (form.kind != "again" or self._is_beside)

    def _may_be_all(self, low: str, kind: str, use: UseClaim) -> bool:
        """Whether a message may say only one value, in reply to a question or for what differs from an earlier request."""
        self._head, tongue = use, self.tongue
        if tongue.alone:
            return low in tongue.begin
        self.goes_on = low in (tongue.again_alone if kind == "alone" else tongue.again)
        return self.goes_on
