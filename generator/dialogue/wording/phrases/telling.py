"""Sentences about results: each is a function that words a result, or returns None when the result lacks a value for it."""

import re
from collections.abc import Iterator
from functools import cached_property
from operator import itemgetter
from typing import Any

import msgspec
from msgspec.structs import replace

from generator.core.pointers import resolve_or_none
from generator.core.seeds import Draw
from generator.core.templates import Plural, Root, Slot, Template, parse_template
from generator.core.toolbox import ToolSpec
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.parts import SayPhrase, SlotValue, compile_parts
from generator.dialogue.wording.phrases.slots import Wordings
from generator.dialogue.wording.utterance import Phrase, Utterance, capital, is_closed
from generator.tools.productions import Production, key_of, production

Condition = tuple[tuple[str, Any], ...]
"""Slots of a result, or of the call's arguments (`args.city`), each with a value."""
OF_CALL = "args."
Capped = tuple[str, str | int]
"""A list of a result and its greatest length, or the argument that says it: one of that length may be a part of all there is."""


class AnswerSentence(msgspec.Struct, frozen=True, eq=False, dict=True, kw_only=True):
    """A sentence about a result; its parts are worked out at its first use."""

    template: Template
    results: Wordings
    """How the values of results are said."""
    arguments: Wordings
    """How the arguments of the call are said."""
    when: Condition = ()
    """What the result and the call must hold."""
    unless: Condition = ()
    """What they must not hold."""
    repeated: frozenset[str] = frozenset()
    """Arguments that it says of each element of a list."""
    capped: Capped | None = None
    """A list that it counts, and which may be a part of all there is."""

    @cached_property
    def form(self) -> Production:
        """Its production."""
        return production(key_of("answer", self.template.text), self.template)

    @cached_property
    def names(self) -> frozenset[str]:
        """Arguments it says, whole or in part, or whose namesakes in the result or in each of its elements it says or is only for."""
        decided = {slot.removeprefix(OF_CALL) for slot, _ in self.when}
        named = self.template.needs | self.template.arguments | decided | self.repeated
        return named | {slot.partition("/")[0] for slot in named}

    @cached_property
    def begins(self) -> str:
        """Its text up to and with its first value: sentences that begin alike are read as one pattern."""
        return _beginning(self.template)

    @cached_property
    def _of_several(self) -> str:
        """The list that must have more than one element: "These are free: {rooms}."; empty where there is none."""
        return speaks_of_several(self.template)

    @cached_property
    def _say(self) -> SayPhrase:
        """What says its template with the values of a result and of the arguments."""

        def value_of_slot(slot: str, root: Root) -> SlotValue:
            """Return where the value of a slot is among the values that `tell` collects, and how it is said."""
            given = root == "arguments"
            wordings = self.arguments if given else self.results
            pointer = "" if slot == "." else "/" + slot
            return SlotValue(itemgetter((slot, given)), pointer, wordings.get(slot), wordings, root, given)

        return compile_parts(self.template.segments, value_of_slot, "assistant", capital=True)

    def tell(self, result: Any, given: dict[str, Any], call: str, draw: Draw, voice: Voice) -> Phrase | None:
        """Return the sentence about the result of a call with the given arguments; None when the result lacks a value for it."""
        template = self.template
        if self._length_forbids(result, given) or any(
            (_value_at(given if slot.startswith(OF_CALL) else result, slot.removeprefix(OF_CALL)) == value) is not is_so
            for condition, is_so in ((self.when, True), (self.unless, False))
            for slot, value in condition
        ):
            return None
        values = {(slot, False): _value_at(result, slot) for slot in template.needs}
        values |= {(slot, True): _value_at(given, slot) for slot in template.arguments}
        if any(value is None or value == [] for value in values.values()):
            return None
        utterance = Utterance(draw, voice)
        self._say(values, "", (call, "result"), (call, "arguments"), utterance)
        text, spans = utterance.text, utterance.spans
        is_over = template.segments[-1] == "." and is_closed(text[:-1])
        phrase: Phrase = text[:-1] if is_over else text, spans, [(0, self.form, (call,))]
        return capital(phrase) if isinstance(template.segments[0], Slot) else phrase

    def _length_forbids(self, result: Any, given: dict[str, Any]) -> bool:
        """Whether the sentence is not said of a list of this length: of one element, or of as many as there may be."""
        if self._of_several and _length_at(result, self._of_several) == 1:
            return True
        if self.capped is None:
            return False
        slot, most = self.capped
        length = _length_at(result, slot)
        return length is not None and length == given.get(str(most), most)


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
    spec: ToolSpec, results: Wordings, arguments: Wordings, optional: frozenset[str]
) -> tuple[AnswerSentence, ...]:
    """Return the sentences of a tool's templates, each with the condition on which it may be said.

    The only value of a field for which a tool has templates of its own, such as "not requested", is not said by those that are
    for any value. A list that may be a part of all there is has no number of elements that could be told.
    """
    answers, effect = spec.phrases.answer, spec.effect
    capped = (effect.at, effect.limit) if effect is not None and effect.at and effect.limit else None
    conditions = [answer.when[0] for answer in answers if len(answer.when) == 1]
    special_conditions = list(
        {repr(condition): condition for condition in conditions if not condition[0].startswith(OF_CALL)}.values()
    )
    fields = [slot for slot, _ in special_conditions]
    sentences: list[AnswerSentence] = []
    for answer in answers:
        template = parse_template(answer.say, "result")
        slots_said = template.needs - {slot for slot, _ in answer.when}
        counts = {part.slot for part in template.segments if isinstance(part, Slot) and part.count}
        sentence = AnswerSentence(
            template=template,
            results=results,
            arguments=arguments,
            when=answer.when,
            unless=tuple(
                [
                    condition
                    for condition in special_conditions
                    if condition[0] in slots_said and fields.count(condition[0]) == 1
                ]
            ),
            capped=capped if capped is not None and capped[0] in counts else None,
        )
        sentences += _by_elements(sentence, optional)
    return tuple(sentences)


def _by_elements(sentence: AnswerSentence, optional: frozenset[str]) -> Iterator[AnswerSentence]:
    """Yield a sentence, or, where it says a list, one for each set of `optional` arguments whose namesakes the list's phrases say.

    But none that says again what the sentence says:
    "2 emails from Ada King" is not followed by "from Ada King" behind each. Where the sentence says no sender, each email is told
    with its own.
    """
    template, results = sentence.template, sentence.results
    lists = [slot for slot in template.needs if slot in results and len(results[slot].elements) > 1]
    if len(lists) != 1:
        yield sentence
        return
    wording = results[lists[0]]
    by_names: dict[frozenset[str], list[Template]] = {}
    for element in wording.elements:
        by_names.setdefault(element.needs & optional, []).append(element)
    said = template.needs | template.arguments
    by_names = {names: some for names, some in by_names.items() if names.isdisjoint(said)} or by_names
    for names, some in by_names.items():
        if not any(names < others for others in by_names):
            own = {**results, lists[0]: replace(wording, preferred=tuple(some))}
            yield replace(sentence, results=own, repeated=names)


def _value_at(source: Any, slot: str) -> Any:
    """Return the value of a slot, `.` for the whole; None where there is none."""
    return source if slot == "." else resolve_or_none(source, slot)


def _length_at(source: Any, slot: str) -> int | None:
    value = _value_at(source, slot)
    return len(value) if type(value) is list else None
