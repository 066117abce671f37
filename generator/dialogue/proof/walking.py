"""Walking a form along a text: its words stand there, and where it has a slot, a claimed span says the value of that slot."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from generator.core.connectives import CONNECTIVES
from generator.core.templates import OF_TWO, Plural, Segment, Slot, parse_template
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.dialogue.proof.ledger import ClaimedSpan
from generator.dialogue.proof.spans import slot_of
from generator.tools.productions import Production, pointer_of, spoken_name, told_by_name

Calls = tuple[str, ...]


class Walk:
    """A text with its claimed spans, while the forms that it is made of are walked."""

    def __init__(self, content: str, parts: list[ClaimedSpan]) -> None:
        self.content = content
        self.parts = parts
        self._values: dict[tuple[str, str, str], Any] | None = None
        self.starts: dict[int, list[ClaimedSpan]] = {}
        for part in parts:
            self.starts.setdefault(part.start, []).append(part)
        self.order = sorted(self.starts)
        self.passed: list[int] = []
        """Where the spans begin that forms have said so far."""
        self.varied = False
        """Whether the calls of the clause differ in a value that has been said."""
        self.is_shared_otherwise = False
        """Whether a walk has ended at words that are not said of just the calls of its form."""

    def end_of(self, form: Production, spec: ToolSpec, calls: Calls, at: int, *, goes_on: bool) -> int | None:
        """Return where a form ends that begins at a place, said of these calls; None where something else stands there.

        Args:
            form: The form.
            spec: Its tool.
            calls: The calls.
            at: The place.
            goes_on: Whether "and" stands in place of its "with".
        """
        self.is_shared_otherwise = False
        if form.kind == "told":
            return self._end_of_fields(spec, calls, at)
        segments, pointers = form.template.segments, form.pointers
        first = segments[0]
        if type(first) is not str or not goes_on:
            end = self._end_of_segments(segments, pointers, spec, calls, at)
            if end is None and form.kind == "answer" and type(first) is str and first[:4] == "Done":
                rest = first[4:].lstrip(",.:—– ")  # only the first answer has it
                end = self._end_of_segments((rest, *segments[1:]), pointers, spec, calls, at)
            return end
        return self._end_of_segments((f"and{first[len('with') :]}", *segments[1:]), pointers, spec, calls, at)

    # --- words ---

    def _end_of_segments(
        self, segments: Sequence[Segment], pointers: Sequence[str], spec: ToolSpec, calls: Calls, at: int
    ) -> int | None:
        """Return where segments end whose values are at the pointers."""
        content, last = self.content, len(segments) - 1
        for number, segment in enumerate(segments):
            place: int | None
            if type(segment) is str:
                if content.startswith(segment, at):
                    at += len(segment)
                    continue
                following = None if number == last else segments[number + 1]
                place = self._end_of_fitted(segment, following, at, is_first=not number)
            elif type(segment) is Slot:
                place = self._end_of_value(pointers[number], segment, spec, calls, at)
            else:
                assert isinstance(segment, Plural)
                place = self._end_of_plural(segment, pointers[number], calls, at, is_first=not number)
            if place is None:
                return None
            at = place
        return at

    def _end_of_fitted(self, text: str, following: Segment | None, at: int, *, is_first: bool) -> int | None:
        """Return where words end that are fitted to what stands around them."""
        if self._stands(text, at, is_first=is_first):
            return at + len(text)
        if type(following) is Slot:
            for fitted in fitted_texts(text):
                end = at + len(fitted)
                about = self.starts.get(end)
                if about and fitted in fitted_to(about[0], text) and self._stands(fitted, at, is_first=is_first):
                    return end
        return at if following is None and text == "." and is_sentence(self.content[at - 2 : at]) else None

    def _stands(self, text: str, at: int, *, is_first: bool) -> bool:
        """Whether a text stands at a place; the first one of a form may begin with a capital or a small letter."""
        if self.content.startswith(text, at):
            return True
        there = self.content[at : at + len(text)]
        return is_first and there[1:] == text[1:] and there.casefold() == text.casefold()

    def _end_of_plural(self, segment: Plural, pointer: str, calls: Calls, at: int, *, is_first: bool) -> int | None:
        """Return where words end that depend on a number; on that which is said, where it is."""
        if self._values is None:
            self._values = {(part.saying.of, part.saying.pointer, part.call): part.value for part in self.parts}
        values = [self._values.get((segment.of, pointer, call)) for call in calls]
        numbers_are_one = {value == 1 for value in values if type(value) in (int, float)}
        texts = [
            text
            for text, is_one in ((segment.one, True), (segment.many, False))
            if numbers_are_one in (set(), {is_one})
        ]
        texts.sort(key=len, reverse=True)  # one is often the beginning of the other
        return next((at + len(text) for text in texts if self._stands(text, at, is_first=is_first)), None)

    # --- values ---

    def _end_of_value(self, pointer: str, slot: Slot, spec: ToolSpec, calls: Calls, at: int) -> int | None:
        """Return where the value of a slot ends that the calls share, or their values one after the other."""
        end = self._end_of_shared(pointer, slot, spec, calls, at)
        if end is None and len(calls) > 1 and not self.varied:
            self.varied, left = True, {*calls}

            def of_some(place: int) -> int | None:
                some = tuple(dict.fromkeys([part.call for part in self._spans_from(place) if part.call in left]))
                left.difference_update(some)
                return self._end_of_shared(pointer, slot, spec, some, place) if some else None

            end = self._end_of_coordination(of_some, lambda _: bool(left), at)
            end = None if left else end
        return end

    def _end_of_shared(self, pointer: str, slot: Slot, spec: ToolSpec, calls: Calls, at: int) -> int | None:
        """Return where a value or a list ends; None when it is not said there of all these calls and no other."""
        spans_here = self.starts.get(at, ())
        if slot.verbalizer in OF_TWO:
            return self._end_of_pair(pointer, slot, calls, at)
        if len(spans_here) == len(calls) == 1:  # by far the most usual case
            part, saying = spans_here[0], spans_here[0].saying
            is_own = saying.pointer == pointer and part.call == calls[0] and saying.of == slot.of
            if is_own and saying.counts == slot.count:
                self.passed.append(at)
                return part.end
        spans_of_value = [part for part in spans_here if part.saying.pointer == pointer and part.saying.of == slot.of]
        if not spans_of_value:
            return None if slot.count else self._end_of_list(pointer, slot, spec, calls, at)
        is_so = {part.call for part in spans_here} == {*calls} == {part.call for part in spans_of_value}
        beside = all(
            part.end == spans_of_value[0].end and (part in spans_of_value or part.saying.is_reference)
            for part in spans_here
        )
        self.is_shared_otherwise = not is_so
        if not is_so or not beside or slot.count != any(part.saying.counts for part in spans_of_value):
            return None
        self.passed.append(at)
        return spans_of_value[0].end

    def _end_of_pair(self, pointer: str, slot: Slot, calls: Calls, at: int) -> int | None:
        """Return where words end that say two values of each of these calls, and nothing else."""
        spans_here = self.starts.get(at, ())
        expected_values = {(call, place) for call in calls for place in (pointer, f"/{slot.also}")}
        said_values = [(part.call, part.saying.pointer) for part in spans_here]
        alike = {(part.end, part.saying.of, part.saying.verbalizer) for part in spans_here}
        if {*said_values} != expected_values or len(said_values) != len(expected_values) or len(alike) != 1:
            return None
        ((end, of, verbalizer),) = alike
        self.passed.append(at)
        return end if (of, verbalizer) == (slot.of, slot.verbalizer) else None

    def _end_of_list(self, pointer: str, slot: Slot, spec: ToolSpec, calls: Calls, at: int) -> int | None:
        """Return where the elements of a list end: "a, b and c"."""
        if not self._is_next(f"{pointer}/0", slot, at):
            return None
        pattern, number = slot_of(spec, slot.of, pointer), -1

        def element(place: int) -> int | None:
            nonlocal number
            number += 1
            return self._end_of_element(pattern, f"{pointer}/{number}", slot, spec, calls, place)

        return self._end_of_coordination(
            element, lambda place: self._is_next(f"{pointer}/{number + 1}", slot, place), at
        )

    def _end_of_coordination(
        self, say: Callable[[int], int | None], goes_on: Callable[[int], bool], at: int
    ) -> int | None:
        """Return where things end that are told one after the other, with commas and an "and" before the last."""
        is_last = False
        while True:
            end = say(at)
            if end is None:
                return None
            mark = next((mark for mark in CONNECTIVES.separators if self.content.startswith(mark, end)), "")
            if not mark or not goes_on(end + len(mark)):
                return end
            if is_last:
                return None
            at, is_last = end + len(mark), mark == CONNECTIVES.separators[1]

    def _end_of_element(
        self, pattern: str, pointer: str, slot: Slot, spec: ToolSpec, calls: Calls, at: int
    ) -> int | None:
        """Return where an element of a list ends, which is said by itself or in one of the tool's phrases for it."""
        about = self.starts.get(at)
        if about is not None and about[0].saying.pointer == pointer:
            return self._end_of_shared(pointer, slot, spec, calls, at)
        before, longest = self.passed, (-1, self.passed)
        for segments, places in _element_forms(
            spec, slot.of, pattern
        ):  # of two that fit, one is the beginning of the other
            self.passed = [*before]
            pointers = [pointer + place if is_within else place for is_within, place in places]
            end = self._end_of_segments(segments, pointers, spec, calls, at)
            longest = longest if end is None or end <= longest[0] else (end, self.passed)
        self.passed = longest[1]
        return None if longest[0] < 0 else longest[0]

    def _is_next(self, pointer: str, slot: Slot, at: int) -> bool:
        """Whether the next value of the text, which begins there or a few words later, is at this pointer or within what is there."""
        for part in self._spans_from(at):
            if part.saying.of == slot.of and f"{part.saying.pointer}/".startswith(f"{pointer}/"):
                return True
        return False

    def _spans_from(self, at: int) -> Sequence[ClaimedSpan]:
        """Return the spans that begin there, or that are the next to begin."""
        place = bisect_left(self.order, at)
        return self.starts[self.order[place]] if place < len(self.order) else ()

    # --- results of which nobody wrote how they are told ---

    def _end_of_fields(self, spec: ToolSpec, calls: Calls, at: int) -> int | None:
        """Return where a result ends that is told by the names of its fields: "The result of find_orders: id 5, price 7."."""
        content = self.content
        if content.startswith("Done.", at):
            return at + len("Done.")
        begun, end = told_by_name(spec.name), None
        if content.startswith(_WHOLE, at):
            end = self._end_of_shared("", Slot(".", "result"), spec, calls, at + len(_WHOLE))
        elif content.startswith(begun, at):
            end = self._end_of_coordination(
                lambda place: self._end_of_field(spec, calls, place), lambda _: True, at + len(begun)
            )
        return end + 1 if end is not None and content.startswith(".", end) else None

    def _end_of_field(self, spec: ToolSpec, calls: Calls, at: int) -> int | None:
        """Return where a field ends that is told by its name: "price 7"."""
        about = self._spans_from(at)
        if not about:
            return None
        part = about[0]
        name = " ".join(filter(None, map(spoken_name, part.saying.pointer.split("/")[1:]))) or "value"
        if self.content[at : part.start] not in fitted_texts(f"{name} "):
            return None
        return self._end_of_shared(part.saying.pointer, Slot(part.saying.slot, "result"), spec, calls, part.start)


_WHOLE = "The result is "


ElementForm = tuple[tuple[Segment, ...], tuple[tuple[bool, str], ...]]
"""Segments, and where the value of each is: whether in the element, and the pointer there or in the arguments."""


def _element_forms(spec: ToolSpec, of: str, pattern: str) -> list[ElementForm]:
    """Return the forms that say one element of a list, which is at this slot: texts with slots, and where the value of each is."""
    forms_by_list = _known_forms(spec)
    forms_of_list = forms_by_list.get((of, pattern))
    if forms_of_list is None:
        slot_phrases = spec.phrases.slots.get(f"{pattern}/*")
        texts = (
            spec.phrases.each.get(pattern or ".", ())
            if of == "result"
            else ()
            if slot_phrases is None
            else slot_phrases.frames
        )
        forms = [parse_template(text, "result" if of == "result" else "arguments").segments for text in texts]
        forms_of_list = forms_by_list[of, pattern] = [
            (form, tuple([_place_of_value(one, pattern) for one in form])) for form in forms
        ]
    return forms_of_list


@once_per_tool
def _known_forms(spec: ToolSpec) -> dict[tuple[str, str], list[ElementForm]]:
    """Return the forms for elements of lists that have been looked up so far."""
    return {}


def _place_of_value(segment: Segment, pattern: str) -> tuple[bool, str]:
    """Return whether the value of a slot is in an element of a list, and its pointer there or in the arguments."""
    if isinstance(segment, str):
        return False, ""
    pointer, within = pointer_of(segment), f"/{pattern}/*"
    if segment.of == "result":
        return True, pointer
    return (True, pointer[len(within) :]) if f"{pointer}/".startswith(f"{within}/") else (False, pointer)


def is_sentence(text: str) -> bool:
    """Whether a text ends like a sentence: with a stop, or with a quotation that has one."""
    last = text[-1:]
    return last in _STOPS or (last in _QUOTES and text[-2:-1] in _STOPS)


_STOPS = frozenset(".!?")
_QUOTES = frozenset("\"'”’")


def fitted_texts(text: str) -> tuple[str, ...]:
    """Return a text, and the form that it may take before a value: "an" for "a", and no "on" before "tomorrow"."""
    if text[-2:] in {"a ", "A "} and text[-3:-2] in {" ", ""}:
        return text, text[:-1] + "n "
    return (text, text[:-3]) if text[-3:].lower() in {"on ", "at "} and text[-4:-3] in {" ", ""} else (text,)


def fitted_to(part: ClaimedSpan, text: str) -> list[str]:
    """Return the forms of a text that may stand before a value."""
    takes_none = part.saying.is_reference or part.saying.verbalizer.startswith("date")
    return [form for form in fitted_texts(text) if takes_none or len(form) >= len(text)]
