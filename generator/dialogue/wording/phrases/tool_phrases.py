"""Everything that can be said about one tool: its phrases, each compiled when it is first said."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, TypeVar

import msgspec

from generator.core.connectives import CONNECTIVES, measure_in_field
from generator.core.documents import nearest
from generator.core.errors import SpecError
from generator.core.pointers import escape
from generator.core.templates import Root, Slot, Template, addressed, parse_template
from generator.core.toolbox import Toolbox, ToolSpec, found_by
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.wording.phrases.parts import SayPhrase, SlotValue, compile_parts
from generator.dialogue.wording.phrases.slots import Wordings, argument_slots, result_slots
from generator.dialogue.wording.phrases.telling import AnswerSentence, compile_answers
from generator.dialogue.wording.utterance import Utterance
from generator.tools.productions import (
    HEADS,
    YOUR,
    Production,
    bare_words,
    fallback_frame,
    key_of,
    production,
    production_of,
)

T = TypeVar("T")
_WORD = re.compile(r"\w+")
Values = dict[str, Any]
"""Slot → value (or `ReferringWords` or `Several`) of what there is to say; its pointer is the slot after a slash."""


class Line(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A production of the user, ready to be said."""

    form: Production
    wordings: Wordings
    """How the values of its slots are said."""
    fixed: str = ""
    """What is said for its only value, with the words around it, where these are the same for all values."""

    @cached_property
    def text(self) -> str:
        """Its words, with names of slots in braces."""
        return self.fixed or self.form.template.text

    @cached_property
    def needs(self) -> frozenset[str]:
        """The slots that must have values."""
        return self.form.template.needs

    @cached_property
    def says(self) -> frozenset[str]:
        """The slots whose values it says."""
        return self.form.template.says

    @cached_property
    def is_sentence(self) -> bool:
        """Whether it stands alone."""
        return self.fixed[:1].isupper() if self.fixed else self.form.is_sentence

    @cached_property
    def joins(self) -> bool:
        """Whether it follows what has been said without a space."""
        return self.text.startswith(",")

    @cached_property
    def is_order(self) -> bool:
        """Whether it goes on with one more thing to do, as a request can, but no question and no noun: "and pin it"."""
        return self.text.removeprefix(", ").startswith(("and ", "but "))

    @cached_property
    def is_first_person(self) -> bool:
        """Whether "I'd like to …" may stand before it."""
        return CONNECTIVES.dropped_speaker.isdisjoint(_WORD.findall(self.text))

    @cached_property
    def _compiled(self) -> SayPhrase:
        """What says its template: "find flights to {city}" with `{"city": "Oslo"}` → "find flights to Oslo"."""

        def value_of_slot(slot: str, root: Root) -> SlotValue:
            """Return where the value of a slot is among all `Values`, and how it is said."""
            return SlotValue(itemgetter(slot), "/" + slot, self.wordings.get(slot), self.wordings, "arguments")

        return compile_parts(self.form.template.segments, value_of_slot, "user")

    def say(self, values: Values, owner: Any, utterance: Utterance) -> None:
        """Add the line with its slots said to an utterance."""
        if not self.fixed:
            self._compiled(values, "", owner, owner, utterance)
            return
        start = len(utterance.text) + (len("with ") if self.form.kind != "clause" else 0)
        utterance.add(self.fixed)
        (slot,) = self.says
        utterance.spans.append((start, len(utterance.text), self.form.kind, "/" + slot, owner))


class ToolPhrases:
    """One tool's phrases."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec
        self.looks_up = spec.looks_up
        """Whether the tool only looks something up."""
        self._made: dict[Any, Any] = {}

    @cached_property
    def slots(self) -> Wordings:
        """How its arguments are said."""
        return argument_slots(self.spec)

    @cached_property
    def results(self) -> Wordings:
        """How the values of its results are said."""
        return result_slots(self.spec)

    @cached_property
    def constants(self) -> frozenset[str]:
        """Slots whose value the schema fixes."""
        return frozenset(slot for slot, wording in self.slots.items() if wording.constant)

    @cached_property
    def optional(self) -> frozenset[str]:
        """Keys of optional arguments: one that is given has been asked for."""
        parameters = self.spec.tool.parameters or {}
        return frozenset(parameters.get("properties", {})) - {*parameters.get("required", ())}

    @cached_property
    def confirmed(self) -> frozenset[str]:
        """Keys of the required arguments of a tool that changes something, as far as its answers say them and they are no free text."""
        return frozenset() if self.looks_up else _confirmed(self)

    @cached_property
    def optional_inside(self) -> tuple[tuple[str, str, str], ...]:
        """(slot, key, key in it) of the optional arguments within objects."""
        return tuple(_optional_inside((self.spec.tool.parameters or {}).get("properties", {})))

    @cached_property
    def answers(self) -> tuple[AnswerSentence, ...]:
        """The sentences that tell its results."""
        return compile_answers(self.spec, self.results, self.slots, self.optional)

    def lines(self, *kinds: str) -> tuple[Line, ...]:
        """Return the ways to ask for the tool of these kinds; the last noun phrase ("found") is for when no other fits."""
        return tuple([line for kind in kinds for line in self.once(kind, partial(self._lines, kind))])

    def once(self, key: Any, make: Callable[[], T]) -> T:
        """Return what was made under a key before, such as the lines of a kind (`request`), or make it now."""
        if key not in self._made:
            self._made[key] = make()
        found: T = self._made[key]
        return found

    def _lines(self, kind: str) -> tuple[Line, ...]:
        """Return the phrases of one kind of the tool, with those that follow from its name where none are written."""
        lines = [self.line(kind, parse_template(text)) for text in getattr(self.spec.phrases, kind)]
        if kind == "request" and not lines:
            lines.append(self.bare)
        if kind == "found" and (noun := found_by(self.spec.name)):
            lines.append(self.line(kind, parse_template(noun)))
        return tuple(lines)

    def line(self, kind: str, template: Template) -> Line:
        """Return a template as a line of a kind."""
        return Line(production(key_of(kind, template.text), template), self.slots)

    @cached_property
    def bare(self) -> Line:
        """A request without any slot, made of the tool's name."""
        return self.line("bare", bare_words(self.spec.name))

    @cached_property
    def _frames(self) -> dict[str, tuple[Line, ...]]:
        """By slot, the lines that add its value: "for {nights} nights"."""
        return {
            slot: tuple([self.line("add", frame) for frame in wording.frames]) for slot, wording in self.slots.items()
        }

    def frames(self, slot: str) -> tuple[Line, ...]:
        """Return the ways to add the value of a slot to what has been said."""
        return self._frames.get(slot, ())

    def fallback(self, slot: str) -> Line:
        """Return the frame of a slot that is made of its name, for any value."""
        schema = self.slots[slot].schema if slot in self.slots else {}
        return self.once(("fallback", slot), lambda: self.line("add", fallback_frame(slot, schema)))

    def clauses(self, slot: str) -> tuple[tuple[Any, tuple[str, ...]], ...]:
        """Return (value, texts) pairs: what is said for a value of a slot in place of a frame."""
        wording = self.slots.get(slot)
        return () if wording is None else wording.clauses

    def fixed(self, kind: str, slot: str, text: str) -> Line:
        """Return words that say the value of a slot without naming it: "with no notes"."""
        form = production_of(self.spec, key_of(kind, slot))
        assert form is not None
        return Line(form, self.slots, text)

    def to_the_user(self, line: Line) -> Line:
        """Return a line of the user as the assistant says it to them ("my" becomes "your")."""
        if line.fixed:
            return msgspec.structs.replace(line, fixed=addressed(line.fixed))
        if line.form.fits_assistant:
            return line
        return self.once(line, lambda: Line(production(YOUR + line.form.key, line.form.template), self.slots))


def phrases_of_tools(toolbox: Toolbox) -> dict[str, ToolPhrases]:
    """Return the phrases of all tools; raises SpecError for a verbalizer that does not exist."""
    for spec in toolbox.values():
        _check_verbalizers(spec)
    return {name: ToolPhrases(spec) for name, spec in toolbox.items()}


def keeping_back(phrases: ToolPhrases, fields: tuple[str, ...]) -> ToolPhrases:
    """Return a tool's phrases without those that say some fields of its result, which a policy keeps back."""
    said = re.compile(r"\{(?:" + "|".join(map(re.escape, fields)) + r")\b")
    texts = phrases.spec.phrases
    answer = tuple([own for own in texts.answer if not said.search(own.say)])
    each = {slot: tuple([text for text in own if not said.search(text)]) or own for slot, own in texts.each.items()}
    kept = msgspec.structs.replace(texts, answer=answer, each=each)
    return phrases.once(fields, lambda: ToolPhrases(msgspec.structs.replace(phrases.spec, phrases=kept)))


def measures_of(spec: ToolSpec, field: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words for what a field of a tool's result measures, and those for its other fields alone."""
    words: dict[str, set[str]] = {}
    for name in (spec.returns or {}).get("properties", {}):
        texts_about_field = [spec.phrases.fields.get(name, measure_in_field(name)[0])]
        texts_about_field += [
            best_phrase.say for best_phrase in spec.phrases.best if best_phrase.by.endswith(f" {name}")
        ]
        words[name] = {word for text in texts_about_field for word in _WORD.findall(text.casefold())} - _OF_ANY
    words_of_others = frozenset().union(
        *[words[name] for name in words if name not in spec.properties and name != field]
    )
    words_of_field = frozenset(words.get(field, ()))
    return words_of_field - words_of_others, words_of_others - words_of_field


_OF_ANY = frozenset(
    {
        *("the", "of", "in", "to", "and", "most", "least", "fewest", "highest", "lowest"),
        *("longest", "shortest", "biggest", "smallest", "weather", "day", "day's", "number"),
    }
)
"""Words that may stand in the name of any measure."""


def names_one_of(texts: Sequence[str], words: frozenset[str]) -> bool:
    """Whether texts name one of some words, or one from the same stem: "warm" for "warmest"."""
    for word_in_text in {word for text in texts for word in _WORD.findall(text.casefold())}:
        for word in words:
            if word_in_text == word or (
                min(len(word_in_text), len(word)) >= _STEM
                and (word_in_text.startswith(word) or word.startswith(word_in_text))
            ):
                return True
    return False


_STEM = 4
"""The least length of a word that may be the beginning of another one with its meaning."""


def _confirmed(phrases: ToolPhrases) -> frozenset[str]:
    """Return the required arguments that an answer about a change should say: the time of "Booked for 7 pm."."""
    spec = phrases.spec
    told_of_result = frozenset().union(*[answer.template.needs for answer in phrases.answers])
    told_of_arguments = frozenset().union(*[answer.template.arguments for answer in phrases.answers])
    naming = spec.effect.by if spec.effect is not None else ()  # answers may call the thing by another field
    required = {
        key: schema for key, schema in spec.properties.items() if key not in phrases.optional and key not in naming
    }
    return frozenset(
        [
            key
            for key in required
            if key in told_of_result or (key in told_of_arguments and not _is_free_text(required[key]))
        ]
    )


def _is_free_text(schema: Any) -> bool:
    """Whether a schema takes any text."""
    return isinstance(schema, dict) and schema.get("type") == "string" and not {"enum", "format"} & schema.keys()


def _optional_inside(properties: dict[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (slot, key, key in it) of the optional properties of objects: ("address/floor", "address", "floor")."""
    for key, schema in properties.items():
        inside = schema.get("properties", {}) if isinstance(schema, dict) else {}
        for inner in inside if isinstance(inside, dict) else ():
            if inner not in schema.get("required", ()):
                yield f"{escape(key)}/{escape(inner)}", key, inner


def asked_for(phrases: ToolPhrases, arguments: dict[str, Any]) -> frozenset[str]:
    """Return the slots of the optional arguments that are given, and of what else is to be told of a change."""
    inside = [slot for slot, key, inner in phrases.optional_inside if inner in (arguments.get(key) or ())]
    return (phrases.optional.intersection(arguments) | phrases.confirmed).union(inside)


def answers_in_turn(
    phrases: ToolPhrases, rand: Callable[[], float], naming: frozenset[str], given: frozenset[str]
) -> Iterator[AnswerSentence]:
    """Yield all answers as they are to be tried: of those that tell equally well, `rand` (from 0 up to 1) says which one is next.

    Those that say most of the arguments in `naming` come first, and among them those that say most of what is `given`, and say it
    once rather than of each element of a list.
    """
    by_rank: dict[tuple[int, int, int], list[AnswerSentence]] = {}
    for answer in phrases.answers:
        by_rank.setdefault(rank(answer, naming, given), []).append(answer)
    for _, left in sorted(by_rank.items(), key=itemgetter(0)):
        while left:
            at = int(rand() * len(left))
            left[at], left[-1] = left[-1], left[at]
            yield left.pop()


def rank(answer: AnswerSentence, naming: frozenset[str], given: frozenset[str]) -> tuple[int, int, int]:
    """Return the sort key of an answer: the less it is, the better it tells what was asked for."""
    repeated = len((answer.repeated - answer.template.arguments) & given)
    return len(naming - answer.names), repeated - len(answer.names & given), repeated


def _check_verbalizers(spec: ToolSpec) -> None:
    """Raise SpecError for a slot of a phrase with a verbalizer that there is not: `{price:eurs}`."""
    phrases, known = spec.phrases, VERBALIZERS
    request_texts = [text for kind in HEADS - {"bare"} for text in getattr(phrases, kind)]
    request_texts += [text for frames in phrases.slots.values() for text in frames.frames]
    answer_texts = [answer.say for answer in phrases.answer] + [
        text for texts in phrases.each.values() for text in texts
    ]
    templates = [*map(parse_template, request_texts), *[parse_template(text, "result") for text in answer_texts]]
    for template in templates:
        for segment in template.segments:
            if isinstance(segment, Slot) and segment.verbalizer not in {None, *known}:
                raise SpecError(
                    f"{spec.where}: phrases: {template.text!r}: there is no verbalizer "
                    f"{segment.verbalizer!r}{nearest(str(segment.verbalizer), known)}"
                )
