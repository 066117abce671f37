"""Sentences about results: each is a function that words a result, or returns None when the result lacks a value for it."""

import re
from collections.abc import Callable, Sequence
from operator import itemgetter, methodcaller
from typing import Any

from msgspec.structs import replace

from generator.core.pointers import resolve_or_none
from generator.core.seeds import Draw
from generator.core.templates import Plural, Root, Slot, Template
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.lists import compile_list
from generator.dialogue.wording.phrases.parts import Get, Place, compile_parts
from generator.dialogue.wording.phrases.slots import Wordings
from generator.dialogue.wording.pieces import Form, Phrase, Spans, capital, is_closed
from generator.tools.productions import key_of

SayResult = Callable[[Any, dict[str, Any], str, Draw, Voice], Phrase | None]
"""(result, arguments, call id, draw, voice) → the sentence; None when the result lacks a value for it."""

Condition = tuple[tuple[str, Any], ...]
"""Slots of a result, or of the call's arguments (`args.city`), each with a value."""
OF_CALL = "args."
Capped = tuple[str, str | int]
"""A list of a result and its greatest length, or the argument that says it: one of that length may be a part of all there is."""


class AnswerSentence(Form):
    """A sentence about a result; its parts are worked out at its first use."""

    __slots__ = ("begins", "capped", "made_of", "names", "repeated", "tell")

    def __init__(
        self,
        template: Template,
        when: Condition,
        results: Wordings,
        arguments: Wordings,
        elements: frozenset[str] = frozenset(),
        unless: Condition = (),
        capped: Capped | None = None,
    ) -> None:
        super().__init__(key_of("answer", template.text), len(template.segments), template.slots)
        named = template.needs | template.arguments | {slot.removeprefix(OF_CALL) for slot, _ in when} | elements
        self.names = named | {slot.partition("/")[0] for slot in named}
        """Arguments it says, whole or in part, or whose namesakes in the result or in each of its elements it says or is only for."""
        self.begins = _beginning(template)
        """Its text up to and with its first value: sentences that begin alike are read as one pattern."""
        self.repeated = elements
        """Those of them that are said of each element of a list."""
        self.made_of = template, when, results, arguments, unless
        self.capped = capped
        self.tell: SayResult = self._first

    def _first(self, *told: Any) -> Phrase | None:
        tell = _compiled(self, *self.made_of)
        several = speaks_of_several(self.made_of[0])
        if several:
            tell = _of_several(tell, several)
        self.tell = tell if self.capped is None else _of_all(tell, *self.capped)
        return self.tell(*told)


_SEVERAL = re.compile(r"\b(?:these|those(?! who)|are|were|some)\b", re.IGNORECASE)


def speaks_of_several(template: Template) -> str:
    """Return the only list that a sentence tells, if words of it that do not depend on a number fit several elements alone."""
    lists = [
        part.slot for part in template.segments if isinstance(part, Slot) and part.of == "result" and not part.count
    ]
    counted = {part.slot for part in template.segments if isinstance(part, Plural | Slot) and part.count}
    words = " ".join([part for part in template.segments if isinstance(part, str)])
    return lists[-1] if lists and (not counted or lists[-1] in counted) and _SEVERAL.search(words) else ""


def _beginning(template: Template) -> str:
    """Return the text of a template up to the first word after its first value."""
    text, has_value = "", False
    for part in template.segments:
        if isinstance(part, Slot):
            if has_value:
                break
            text, has_value = f"{text}{{{part.slot}}}", True
        else:
            said = part if isinstance(part, str) else part.many
            if has_value:
                return text + said[: len(said) - len(said.lstrip())] + (said.split() or [""])[0]
            text += said
    return text


def compile_answers(
    answers: Sequence[tuple[Template, Condition]],
    results: Wordings,
    arguments: Wordings,
    optional: frozenset[str],
    capped: Capped | None = None,
) -> tuple[AnswerSentence, ...]:
    """Return the sentences of a tool's templates, each with the condition on which it may be said.

    The only value of a field for which a tool has templates of its own, such as "not requested", is not said by those that are
    for any value. A list that may be a part of all there is has no number of elements that could be told.
    """
    special = list(
        {
            repr(when[0]): when[0] for _, when in answers if len(when) == 1 and not when[0][0].startswith(OF_CALL)
        }.values()
    )
    fields = [slot for slot, _ in special]
    found: list[AnswerSentence] = []
    for template, when in answers:
        said = template.needs - {slot for slot, _ in when}
        unless = tuple([one for one in special if one[0] in said and fields.count(one[0]) == 1])
        counts = capped is not None and any(
            isinstance(one, Slot) and one.slot == capped[0] and one.count for one in template.segments
        )
        found += _compile(template, when, unless, results, arguments, optional, capped if counts else None)
    return tuple(found)


def _compile(
    template: Template,
    when: Condition,
    unless: Condition,
    results: Wordings,
    arguments: Wordings,
    optional: frozenset[str],
    capped: Capped | None,
) -> tuple[AnswerSentence, ...]:
    """Return the sentences of one template.

    Where it says a list, there is one for each set of namesakes of `optional` arguments that phrases of the list's elements
    say, but none that says again what the template says: "2 emails from Ada King", not with "from Ada King" behind each. Where
    the template says no sender, each email is told with its own.
    """
    lists = [slot for slot in template.needs if slot in results and len(results[slot].elements) > 1]
    if len(lists) != 1:
        return (AnswerSentence(template, when, results, arguments, unless=unless, capped=capped),)
    wording = results[lists[0]]
    by_names: dict[frozenset[str], list[Template]] = {}
    for element in wording.elements:
        by_names.setdefault(element.needs & optional, []).append(element)
    said = template.needs | template.arguments
    by_names = {names: some for names, some in by_names.items() if names.isdisjoint(said)} or by_names
    by_names = {names: some for names, some in by_names.items() if not any(names < others for others in by_names)}
    return tuple(
        [
            AnswerSentence(
                template,
                when,
                {**results, lists[0]: replace(wording, preferred=tuple(some))},
                arguments,
                names,
                unless,
                capped,
            )
            for names, some in by_names.items()
        ]
    )


def _compiled(
    form: Form,
    template: Template,
    when: Condition,
    results: Wordings,
    arguments: Wordings,
    unless: Condition,
) -> SayResult:
    """Return the function of one sentence."""
    conditions = [
        (getter(slot.removeprefix(OF_CALL)), slot.startswith(OF_CALL), wanted, is_so)
        for some, is_so in ((when, True), (unless, False))
        for slot, wanted in some
    ]
    slots = [
        *[(slot, False) for slot in sorted(template.needs)],
        *[(slot, True) for slot in sorted(template.arguments)],
    ]
    values_of = [(_fetching(slot), given) for slot, given in slots]
    needs_object = any(_is_property(slot) for slot in template.needs)

    def place_of(slot: str, root: Root) -> Place:
        given = root == "arguments"
        wordings = arguments if given else results
        pointer = "" if slot == "." else "/" + slot
        return Place(itemgetter(slots.index((slot, given))), pointer, wordings.get(slot), wordings, root, given)

    say_parts = compile_parts(template.segments, place_of, "assistant", compile_list, capital=True).say
    begins_with_value = isinstance(template.segments[0], Slot)
    has_stop = template.segments[-1] == "."

    def tell(result: Any, given: dict[str, Any], call: str, draw: Draw, voice: Voice) -> Phrase | None:
        if needs_object and type(result) is not dict:
            return None
        for get, of_call, wanted, is_so in conditions:
            if (get(given if of_call else result) == wanted) is not is_so:
                return None
        values = []
        for get, of_call in values_of:
            value = get(given if of_call else result)
            if not value and (value is None or value == []):
                return None
            values.append(value)
        spans: Spans = []
        text = say_parts(values, "", (call, "result"), (call, "arguments"), draw, voice, 0, spans)
        is_over = has_stop and is_closed([text[:-1]])
        phrase: Phrase = text[:-1] if is_over else text, spans, [(0, form, (call,))]
        return capital(phrase) if begins_with_value else phrase

    return tell


def _of_several(tell: SayResult, slot: str) -> SayResult:
    """Return a sentence that is not said of a list of one element."""

    def tell_of_several(result: Any, given: dict[str, Any], call: str, draw: Draw, voice: Voice) -> Phrase | None:
        elements = result.get(slot) if type(result) is dict else None
        is_one = type(elements) is list and len(elements) == 1
        return None if is_one else tell(result, given, call, draw, voice)

    return tell_of_several


def _of_all(tell: SayResult, cut: str, most: str | int) -> SayResult:
    """Return a sentence that is said of lists only that are shorter than they may be."""

    def tell_of_all(result: Any, given: dict[str, Any], call: str, draw: Draw, voice: Voice) -> Phrase | None:
        elements = result.get(cut) if type(result) is dict else None
        is_cut = type(elements) is list and len(elements) == given.get(str(most), most)
        return None if is_cut else tell(result, given, call, draw, voice)

    return tell_of_all


def _fetching(slot: str) -> Get:
    """Return what gets the value of a slot; of one that is a property, from an object."""
    if slot == ".":
        return lambda source: source
    return methodcaller("get", slot) if _is_property(slot) else getter(slot)


def _is_property(slot: str) -> bool:
    return slot not in {"", "."} and "/" not in slot and "~" not in slot


def getter(slot: str) -> Get:
    """Return the function that gets the value of a slot; it returns None where there is none."""
    if not slot or "/" in slot or "~" in slot or slot.isdecimal():
        return lambda source: resolve_or_none(source, slot)
    return lambda source: source.get(slot) if type(source) is dict else None
