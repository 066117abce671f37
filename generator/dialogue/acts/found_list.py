"""Found list: the elements that a look-up found, what tells them apart, and how one of them is said."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from generator.core.connectives import field_in_words
from generator.core.templates import Slot, addressed, parse_template
from generator.core.toolbox import Pick, ToolSpec, once_per_tool
from generator.dialogue.wording.answers import ReportedCall
from generator.dialogue.wording.phrases.parts import WaysToSay, compile_elements
from generator.dialogue.wording.phrases.telling import AnswerSentence
from generator.dialogue.wording.phrases.value_wording import SayParts
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import Phrase, Spans, Utterance, moved

Said = tuple[str, Spans]
"""Words, and where values stand in them."""


class FoundList(msgspec.Struct, frozen=True):
    """The only list of objects of a result for whose elements the tool has phrases; empty where there is none."""

    spec: ToolSpec
    slot: str
    elements: list[dict[str, Any]]

    @property
    def picks(self) -> list[Pick]:
        """The ways to single out an element by a field, in the words of the assistant: "the one you changed last"."""
        return picks_of(self.spec, self.slot)

    @property
    def texts(self) -> tuple[str, ...]:
        """The tool's phrases for an element."""
        return self.spec.phrases.each[self.slot]

    @property
    def name(self) -> Slot | None:
        """The slot that says what an element is called, where the tool's phrases begin with it."""
        first = parse_template(self.texts[0], "result").segments[0]
        return first if isinstance(first, Slot) and not first.count else None

    def slot_for(self, field: str) -> str:
        """Return a field of an element as forms have it: `{hotels/*/price}`."""
        return f"{{{self.slot}/*/{field}}}"

    def in_words(self, field: str) -> tuple[str, str]:
        """Return what people call a field of the elements, and the unit of its values."""
        prefix = f"{self.slot}/*/"
        names = {name.removeprefix(prefix): words for name, words in self.spec.phrases.fields.items()}
        return field_in_words(names, self.texts, field)

    def way_to_say(self, field: str) -> tuple[str, str]:
        """Return how the phrases say a field: the verbalizer, and the unit behind it where there is none."""
        parts = [part for text in self.texts for part in parse_template(text, "result").segments]
        said = [part.verbalizer for part in parts if isinstance(part, Slot) and part.slot == field and part.verbalizer]
        return (said[0], "") if said else ("", self.in_words(field)[1])

    def values(self, field: str) -> list[Any] | None:
        """Return the values of a field by which elements can be put in order: numbers, days or times."""
        values = [element.get(field) for element in self.elements]
        if {type(value) for value in values} <= {int, float}:
            return values
        alike = all(isinstance(value, str) and MOMENT.fullmatch(value) for value in values)
        return values if alike and len({len(str(value)) for value in values}) == 1 else None

    def in_order(self, pick: Pick) -> list[int]:
        """Return the places of elements in the order in which a pick comes first; none where no field puts them in order."""
        extreme, field = pick.by.split()
        values = self.values(field)
        if values is None or len(set(values)) < len(values):
            return []
        return sorted(range(len(values)), key=values.__getitem__, reverse=extreme == "max")

    def extremes(self) -> list[tuple[Pick, int]]:
        """Return the picks that single out one element, and its place."""
        found: list[tuple[Pick, int]] = []
        for pick in self.picks:
            extreme, field = pick.by.split()
            values = self.values(field)
            if values is not None:
                best = max(values) if extreme == "max" else min(values)
                found += [(pick, values.index(best))] if values.count(best) == 1 else []
        return found


MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?)?|\d{2}:\d{2}")
"""A day, a time, or both."""


def found_list(spec: ToolSpec, result: Any) -> FoundList:
    """Return the list of a result that can be told element by element; an empty one where there is none, or but one element."""
    found = [slot for slot in spec.phrases.each if isinstance(result, dict) and isinstance(result.get(slot), list)]
    elements = result[found[0]] if len(found) == 1 else []
    is_told = len(elements) > 1 and all(isinstance(one, dict) for one in elements)
    return FoundList(spec, found[0], elements) if is_told else FoundList(spec, "", [])


def picks_of(spec: ToolSpec, slot: str) -> list[Pick]:
    """Return the ways to single out an element of a list by a field, in the words of the assistant."""
    return _picks(spec).get(slot, [])


@once_per_tool
def _picks(spec: ToolSpec) -> dict[str, list[Pick]]:
    """Return the picks of each list of a tool's result that go by the least or most of a field."""
    return {
        slot: [
            Pick(addressed(pick.say), pick.by, pick.looks_up) for pick in picks if pick.by.startswith(("min ", "max "))
        ]
        for slot, picks in spec.phrases.pick.items()
    }


class Elements:
    """The elements of a list as they are said, in the phrases of an answer that leads to them."""

    def __init__(self, talk: Transcript, told: ReportedCall, found: FoundList, lead: AnswerSentence) -> None:
        self.talk, self.told, self.found = talk, told, found
        self.wording = lead.results[found.slot]

    def named(self, index: int) -> Said | None:
        """Return what an element is called; None where that begins no sentence: "small plug" lacks "the", a file's name does not."""
        name = self.found.name
        said = (
            None
            if name is None
            else self.said(f"{{{name.slot}{f':{name.verbalizer}' if name.verbalizer else ''}}}", index)
        )
        return None if said is None or (said[0][0].islower() and "." not in said[0]) else said

    def said(self, template: str, index: int) -> Said | None:
        """Return what a phrase says of an element."""
        ways = self.phrases(template)(self.found.elements[index])
        return self.say(ways[0], index) if ways else None

    def phrases(self, template: str) -> WaysToSay:
        """Return one phrase for an element, compiled once; an empty text stands for those that the answer has."""
        phrases, wording = self.told.phrases, self.wording
        if template:
            elements = (parse_template(template, "result"),)
            wording = msgspec.structs.replace(wording, elements=elements, preferred=())
        key = (self.found.slot, template or self.wording.preferred or self.wording.elements)
        return phrases.once(key, lambda: compile_elements(wording, phrases.results, "result", "assistant"))

    def say(self, way: SayParts, index: int) -> Said:
        """Return an element in one of its phrases' words."""
        utterance = Utterance(self.talk.draw, self.talk.answering)
        way(self.found.elements[index], f"/{self.found.slot}/{index}", (self.told.call.id, "result"), utterance)
        return utterance.text, utterance.spans


def filled(form: str, words: Mapping[str, str], values: Mapping[str, Said | None]) -> Phrase:
    """Return a form ("{Pick} is {name}.") with words and values in place of its slots."""
    text, spans = "", Spans()
    for number, part in enumerate(re.split(r"\{(\w+)\}", form)):
        said, own = values.get(part) or (words.get(part, ""), Spans()) if number % 2 else (part, Spans())
        spans += moved(own, len(text))
        text += said
    return text, spans, []


def pick_words(pick: Pick, other: Pick | None = None) -> dict[str, str]:
    """Return what the slots of forms say of a pick, or of two."""
    return {"pick": pick.say, "Pick": pick.say[0].upper() + pick.say[1:], "other": (other or pick).say}


def heading(name: str) -> str:
    """Return the name of a field as a heading: "Release year", "Ticket ID"."""
    return re.sub(r"\b(?:id|url)\b", lambda found: found[0].upper(), name[0].upper() + name[1:], flags=re.IGNORECASE)


def head_of_table(names: Sequence[str]) -> str:
    """Return the heading of a table, and the line below it."""
    return f"| {' | '.join(names)} |\n|{'---|' * len(names)}"
