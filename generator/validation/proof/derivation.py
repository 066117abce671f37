"""A text is made of the forms that its derivation names: they are walked in order, and each is held against what stands there.

Nothing is searched for: the derivation says which form begins where and for which calls. Between two forms stand the joining words
of the text's tongue; where a form has a slot, a claimed span of just these calls says the value of just this slot. So "from Oslo to
Rome" cannot be claimed the wrong way round, and no word is added.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from generator import connectives as words
from generator.conversation import UseClaim
from generator.productions import HEADS, Production, production_of
from generator.templates import Plural, Segment, Slot, parse_template
from generator.toolbox import ToolSpec
from generator.validation.proof.ledger import ClaimedSpan, Ledger
from generator.validation.proof.tongues import ANSWERS, DOINGS, Tongue, announced
from generator.validation.proof.verbalizations import leaf_of, name_in_words

Fault = tuple[str, str, tuple[Any, ...], tuple[int, int]]
"""Code, message, facts and span; the code is empty for a text that may not stand where it does."""
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
        self.ledger, self.index, self.content, self.tongue, self.begin = ledger, index, content, tongue, begin
        uses = ledger.uses.get(index, ())
        self.uses = [use for use in uses if begin <= use.start < len(content)] if begin or len(uses) > 1 else uses
        self.asked: set[str] = set()
        """The calls of which something is said."""
        self.goes_on = False
        """Whether it says only what differs from an earlier request."""
        self._starts: dict[int, list[ClaimedSpan]] = {}
        for part in parts:
            self._starts.setdefault(part.start, []).append(part)
        self._order = sorted(self._starts)
        self._passed: list[int] = []
        self._head: UseClaim | None = None
        self._beside = False
        """Whether the clause stands in one sentence with another one for the same tool."""
        self._varied = False
        """Whether the calls of the clause differ in a value that has been said."""
        self._was_with = self._joins_with = False
        """Whether the form before adds a value with "with", and whether this one goes on with "and" in its place."""
        self._is_shared_otherwise = False

    def faults(self) -> Iterator[Fault]:
        """Yield why the text is not made of its forms."""
        content, at = self.content, self.begin
        for use in self.uses:
            made = [self.ledger.calls.get(call) for call in use.calls]
            spec = made[0].spec if made and made[0] is not None else None
            form = None if spec is None else production_of(spec, use.key)
            if spec is None or form is None or any(one is None or one.spec is not spec for one in made):
                yield "", "{!r} is no form of the tool", (use.key,), (at, use.start)
                return
            gap = content[at : use.start]
            if use.start < at or not self._may_follow(gap, form, use, at):
                yield "", "{!r} is no phrase that may stand here", (gap,), (at, use.start)
                return
            if form.kind in HEADS or form.kind in _ANSWERS:
                yield from self._unasked(use)
            end = self._told(use, spec) if form.kind == "told" else self._walk(form, spec, use.calls, use.start)
            if end is None:
                code = "PF112" if self._is_shared_otherwise else ""
                yield code, "{!r} is not what is said there", (use.key,), (use.start, len(content))
                return
            self.asked.update(use.calls)
            at = end
        rest = content[at:]
        if not self.uses or rest.casefold() not in self.tongue.end:
            yield "", "{!r} is no phrase that may stand here", (rest,), (at, len(content))
        for start in self._starts.keys() - {*self._passed}:
            yield "", "{!r} is no value of a phrase", (content[start : self._starts[start][0].end],), (start, start + 1)

    # --- what stands between forms ---

    def _may_follow(self, gap: str, form: Production, use: UseClaim, at: int) -> bool:
        """Whether a text may stand between a form and the one before; notes what the form begins or goes on with."""
        low, tongue, head, kind = gap.casefold(), self.tongue, self._head, form.kind
        if tongue is DOINGS and not form.fits_assistant:
            return False
        was_with, self._was_with, self._joins_with = self._was_with, False, False
        if (kind in _ANSWERS) != (tongue is ANSWERS):
            return False
        if kind in HEADS or kind in _ANSWERS:
            self._beside = head is not None and gap in _IN_SENTENCE and self._tool(head) is self._tool(use)
            self._head, self._varied = use, False
            if head is None:
                return self._may_begin(low, form, self._tool(use))
            if kind == "found":
                return low in words.OF and any(one.end == at and is_reference(one) for one in self._all())
            is_closed = is_sentence(self.content[max(at - 2, self.begin) : at])
            return low in (tongue.join_closed if is_closed else tongue.join) and (kind != "again" or self._beside)
        if head is None:
            self._head = use
            if low in tongue.begin and tongue.alone:
                return True
            self.goes_on = low in (tongue.again_alone if kind == "alone" else tongue.again)
            return self.goes_on
        if kind == "alone" or use.calls != head.calls:
            return False
        self._was_with = _is_with(form)
        if gap == "":
            return self.content.startswith(",", use.start)
        if gap == " " and not form.is_sentence:
            self._joins_with = was_with and self._was_with
            return True
        is_closed = is_sentence(self.content[max(at - 2, self.begin) : at])
        if low not in tongue.sentences and not (gap == " " and is_closed):
            return False
        return (form.is_sentence or kind == "clause") and not self._beside

    def _may_begin(self, low: str, form: Production, spec: ToolSpec) -> bool:
        begin = self.tongue.begin
        if form.kind == "entry":
            return any(
                low.endswith(text) and low[: len(low) - len(text)] in begin for text in announced(spec)
            )
        if form.kind == "found":
            return any(low.endswith(text) and low[: len(low) - len(text)] in begin for text in words.AMONG)
        return low in begin and form.kind != "again"

    def _all(self) -> Iterator[ClaimedSpan]:
        for parts in self._starts.values():
            yield from parts

    def _tool(self, use: UseClaim) -> ToolSpec:
        return self.ledger.calls[use.calls[0]].spec

    def _unasked(self, use: UseClaim) -> Iterator[Fault]:
        """Yield why a form does not ask for calls of its message, or tells of results that are not there."""
        for call in use.calls:
            made = self.ledger.calls[call]
            is_so = made.told_at < self.index if self.tongue is ANSWERS else made.asked_at == self.index
            if not is_so and self.tongue is not DOINGS:
                yield "", "nothing is said there of {}", (call,), (use.start, use.start + 1)

    # --- forms ---

    def _walk(self, form: Production, spec: ToolSpec, calls: tuple[str, ...], at: int) -> int | None:
        """Return where a form ends that begins at a place; None where something else stands there."""
        return self._segments(form.segments, spec, calls, at, None, is_done=form.kind == "answer")

    def _segments(
        self,
        segments: Sequence[Segment],
        spec: ToolSpec,
        calls: tuple[str, ...],
        at: int,
        element: tuple[str, str] | None,
        *,
        is_done: bool = False,
    ) -> int | None:
        """Return where segments end; `element` is the pattern of the list and the pointer of the element that they are about."""
        place: int | None = at
        for number, segment in enumerate(segments):
            assert place is not None
            if isinstance(segment, str):
                following = segments[number + 1] if number + 1 < len(segments) else None
                place = self._words(segment, following, place, is_first=place == at, is_done=is_done)
            else:
                pointer = _pointer(segment, element)
                if isinstance(segment, Plural):
                    place = self._plural(segment, pointer, calls, place, is_first=place == at)
                else:
                    place = self._value(pointer, segment, spec, calls, place)
            if place is None:
                return None
        return place

    def _words(self, text: str, following: Segment | None, at: int, *, is_first: bool, is_done: bool) -> int | None:
        """Return where words end that stand at a place, as they are fitted to what stands around them."""
        ways = [text]
        if is_first and is_done and text[:4] == "Done":
            ways.append(text[4:].lstrip(",.:—– "))
        if is_first and self._joins_with and text.startswith("with "):
            ways = [f"and{text[len('with') :]}"]
        if following is None:
            if text == ".":
                ways.append("")
            elif text.endswith("."):
                ways.append(text[:-1])
        for way in ways:
            for fitted in fitted_texts(way) if isinstance(following, Slot) else (way,):
                end = at + len(fitted)
                there = self.content[at:end]
                if there == fitted or (is_first and there[1:] == fitted[1:] and there.casefold() == fitted.casefold()):
                    if len(fitted) >= len(way) or (end in self._starts and _takes_no_on(self._starts[end][0])):
                        return end
        return None

    def _plural(self, segment: Plural, pointer: str, calls: tuple[str, ...], at: int, *, is_first: bool) -> int | None:
        values = [
            part.value
            for part in self._all()
            if part.call in calls and (part.saying.of, part.saying.pointer) == (segment.of, pointer)
        ]
        is_one = [value in (1, 1.0) for value in values if type(value) in (int, float)]
        texts = [segment.one if all(is_one) else segment.many] if is_one else [segment.one, segment.many]
        for text in texts:
            there = self.content[at : at + len(text)]
            if there == text or (is_first and there.casefold() == text.casefold()):
                return at + len(text)
        return None

    # --- values ---

    def _value(self, pointer: str, slot: Slot, spec: ToolSpec, calls: tuple[str, ...], at: int) -> int | None:
        """Return where the value of a slot ends that the calls share, or their values one after the other."""
        end = self._said(pointer, slot, spec, calls, at)
        if end is not None or len(calls) < 2 or self._varied:
            self._is_shared_otherwise = end is None and bool(self._starts.get(at))
            return end
        left, self._varied, is_last = {*calls}, True, False
        while True:
            about = self._next(at)
            group = tuple(dict.fromkeys([part.call for part in about if part.call in left]))
            end = self._said(pointer, slot, spec, group, at) if group else None
            left -= {*group}
            if end is None or not left:
                break
            if is_last:
                end = None
                break
            is_last = self.content.startswith(" and ", end)
            if not is_last and not self.content.startswith(", ", end):
                end = None
                break
            at = end + (len(" and ") if is_last else len(", "))
        self._is_shared_otherwise = end is None
        return end

    def _said(self, pointer: str, slot: Slot, spec: ToolSpec, calls: tuple[str, ...], at: int) -> int | None:
        """Return where a value, or all elements of a list, end; None when they are not said there for all of the calls and no other."""
        about = self._starts.get(at, ())
        own = [part for part in about if part.saying.pointer == pointer and part.saying.of == slot.of]
        if own:
            others = [part for part in about if part not in own]
            end = own[0].end
            is_so = {part.call for part in about} == {*calls} == {part.call for part in own} and all(
                part.end == end for part in about
            )
            if not is_so or not all(map(is_reference, others)):
                return None
            if slot.count != any(part.saying.counts for part in own):
                return None
            self._passed.append(at)
            return end
        return None if slot.count else self._listed(pointer, slot, spec, calls, at)

    def _listed(self, pointer: str, slot: Slot, spec: ToolSpec, calls: tuple[str, ...], at: int) -> int | None:
        """Return where the elements of a list end: "a, b and c"."""
        root = spec.returns if slot.of == "result" else spec.tool.parameters
        _, pattern = leaf_of(slot.of, pointer, root)
        number, end, is_last = 0, None, False
        while True:
            end = self._element(pattern, f"{pointer}/{number}", slot, spec, calls, at)
            if end is None or is_last:
                return end
            is_last = self.content.startswith(" and ", end)
            more = len(" and ") if is_last else len(", ") if self.content.startswith(", ", end) else 0
            number += 1
            if not more or not self._has_element(f"{pointer}/{number}", slot, end + more):
                return end
            at = end + more

    def _has_element(self, pointer: str, slot: Slot, at: int) -> bool:
        """Whether the next value of the text, which begins there or a few words later, is of an element."""
        return any(
            part.saying.of == slot.of and f"{part.saying.pointer}/".startswith(pointer + "/")
            for part in self._next(at)
        )

    def _next(self, at: int) -> Sequence[ClaimedSpan]:
        """Return the parts that begin there, or that are the next to begin."""
        place = bisect_left(self._order, at)
        return self._starts[self._order[place]] if place < len(self._order) else ()

    def _element(
        self, pattern: str, pointer: str, slot: Slot, spec: ToolSpec, calls: tuple[str, ...], at: int
    ) -> int | None:
        about = self._starts.get(at, ())
        if any(part.saying.pointer == pointer and part.saying.of == slot.of for part in about):
            return self._said(pointer, slot, spec, calls, at)
        passed, best, most = len(self._passed), None, self._passed
        for segments in element_forms(spec, slot.of, pattern):  # of two that fit, one is the beginning of the other
            end = self._segments(segments, spec, calls, at, (pattern, pointer))
            if end is not None and (best is None or end > best):
                best, most = end, self._passed
            self._passed = self._passed[:passed]
        self._passed = most
        return best

    def _told(self, use: UseClaim, spec: ToolSpec) -> int | None:
        """Return where a result ends that is told by the names of its fields; None when something else is told there."""
        (call,), at, content = use.calls, use.start, self.content
        if content.startswith("Done.", at):
            return at + len("Done.")
        name = name_in_words(spec.name) or "call the tool"
        begun = f"{name[:1].upper()}{name[1:]}: "
        if content.startswith("The result is ", at):
            end = self._said("", _WHOLE, spec, (call,), at + len("The result is "))
        elif content.startswith(begun, at):
            end = self._fields(at + len(begun), call)
        else:
            return None
        return None if end is None or not content.startswith(".", end) else end + 1

    def _fields(self, at: int, call: str) -> int | None:
        while True:
            part, *others = self._next(at) or (None,)
            if part is None or others:
                return None
            start = part.start
            name = " ".join(filter(None, map(name_in_words, part.saying.pointer.split("/")[1:]))) or "value"
            if self.content[at:start] not in fitted_texts(f"{name} ") or part.call != call or part.saying.of != "result":
                return None
            self._passed.append(start)
            if not self.content.startswith(", ", part.end):
                return part.end
            at = part.end + 2


_ANSWERS = frozenset({"answer", "told"})
_WHOLE = Slot(".", "result")


def is_reference(part: ClaimedSpan) -> bool:
    """Whether words stand for a value that an earlier result or turn holds."""
    return not part.saying.place.verbalizer


def _takes_no_on(part: ClaimedSpan) -> bool:
    return is_reference(part) or part.saying.place.verbalizer.startswith("date")


def _is_with(form: Production) -> bool:
    first = form.segments[0]
    return form.kind == "add" and isinstance(first, str) and first.startswith("with ") and first != "with "


def _pointer(segment: Slot | Plural, element: tuple[str, str] | None) -> str:
    """Return where the value of a slot is, which may be in an element of a list."""
    slot = "" if segment.slot == "." else segment.slot
    if element is not None:
        pattern, pointer = element
        within = f"{pattern}/*"
        if segment.of == "result":
            return f"{pointer}/{slot}" if slot else pointer
        if slot == within or slot.startswith(within + "/"):
            return pointer + slot[len(within) :]
    return f"/{slot}" if slot else ""


def element_forms(spec: ToolSpec, of: str, pattern: str) -> Iterator[tuple[Segment, ...]]:
    """Yield the forms that say one element of a list."""
    if of == "result":
        texts: Sequence[str] = spec.phrases.each.get(pattern or ".", ())
        yield from [parse_template(text, "result").segments for text in texts]
    elif f"{pattern}/*" in spec.phrases.slots:
        yield from [parse_template(text).segments for text in spec.phrases.slots[f"{pattern}/*"].frames]


def is_sentence(text: str) -> bool:
    """Whether a text ends like a sentence: with a stop, or with a quotation that has one."""
    last = text[-1:]
    return last in _STOPS or (last in _QUOTES and text[-2:-1] in _STOPS)


_STOPS = frozenset(".!?")
_QUOTES = frozenset("\"'”’")


def fitted_texts(text: str) -> Iterator[str]:
    """Yield a text, and the form that it may take before a value: "an" for "a", and no "on" before "tomorrow"."""
    yield text
    if text[-2:] in {"a ", "A "} and text[-3:-2] in {" ", ""}:
        yield text[:-1] + "n "
    elif text[-3:].lower() in {"on ", "at "} and text[-4:-3] in {" ", ""}:
        yield text[:-3]
