"""List: the elements that a look-up found, a line or a table row each, in an order that is named, or the first ones and how many more there are."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.core.connectives import field_in_words
from generator.core.planning import Ref, Step
from generator.core.seeds import Draw
from generator.core.templates import Slot, Template, addressed, parse_template
from generator.core.toolbox import Pick, ToolSpec, once_per_tool
from generator.core.yaml_values import own_data
from generator.dialogue.proof.ledger import Sentence
from generator.dialogue.proof.texts import slot_name
from generator.dialogue.styles import Style
from generator.dialogue.wording.answers import ReportedCall, differing
from generator.dialogue.wording.phrases.lists import WaysToSay, compile_elements
from generator.dialogue.wording.phrases.phrasebook import ToolPhrases, answers_in_turn, asked_for, rank
from generator.dialogue.wording.phrases.telling import AnswerSentence
from generator.dialogue.wording.phrases.value_wording import SayParts
from generator.dialogue.wording.pieces import Phrase, Spans, Utterance
from generator.dialogue.wording.transcript import Transcript

FORMS: dict[str, list[str]] = own_data(__file__)
_FEWEST, _SHORT, _FIRST, _LONG = 2, 3, 5, 8
"""Elements that a list has at least, those that a list has which is mostly told in lines, those that are told where some are left out, and the most of a list that is always told in full."""
_COLUMNS = 5
_SINGLED_OUT = 0.01
"""How often the least or the most of something is told behind a list."""


def listed_slot(spec: ToolSpec, result: Any) -> str | None:
    """Return the only list of objects of a result for whose elements the tool has phrases."""
    found = [slot for slot in spec.phrases.each if isinstance(result, dict) and isinstance(result.get(slot), list)]
    elements = result[found[0]] if len(found) == 1 else []
    return found[0] if len(elements) > 1 and all(isinstance(one, dict) for one in elements) else None


def picks_of(spec: ToolSpec, slot: str) -> list[Pick]:
    """Return the ways to single out an element by a field, in the words of the assistant: "the one you changed last"."""
    return _picks(spec).get(slot, [])


@once_per_tool
def _picks(spec: ToolSpec) -> dict[str, list[Pick]]:
    return {
        slot: [
            Pick(addressed(pick.say), pick.by, pick.looks_up) for pick in picks if pick.by.startswith(("min ", "max "))
        ]
        for slot, picks in spec.phrases.pick.items()
    }


# --- saying ---


class Layout(msgspec.Struct, frozen=True):
    """How the results of one tool are told that are lists: all of them in one way."""

    mark: str
    """`table`, or the mark of the first line, `-` or `1`."""
    lead: float
    """Which of the fitting answers stands before the lines, from 0 up to 1."""
    line: float
    """In which of the fitting ways a line says its element."""
    is_ordered: bool
    """Whether they are put in an order that is named."""
    apart: frozenset[str]
    """Required arguments that tell the calls of the tool from each other."""


def draw_layouts(told: Sequence[ReportedCall], style: Style, draw: Draw) -> dict[str, Layout]:
    """Return how results are told that are lists, by tool."""
    found: dict[str, Layout] = {}
    for name in {one.call.name: None for one in told}:
        own = [one for one in told if one.call.name == name]
        most = max(map(_elements, own))
        if style.sentences is None and (most >= _SHORT or all(_elements(one) >= _FEWEST for one in own)):
            is_short = len(own) == 1 and most < _SHORT
            kinds = [kind for kind, share in (_OF_TWO if is_short else _LAYOUTS) for _ in range(share)]
            layout = draw.choice(kinds)
            is_ruled_out = (style.tables if layout == "table" else style.lists) == "no"
            if layout and not is_ruled_out:
                apart = differing([one.call.arguments for one in own]) - own[0].book.optional
                found[name] = Layout(layout, draw.rand(), draw.rand(), len(own) == 1 and draw.chance(0.15), apart)
    return found


_LAYOUTS = (("-", 13), ("1", 3), ("table", 4))
"""How lists are told, and in how many of twenty answers."""
_OF_TWO = (("-", 3), ("", 7))
"""The same for lists of two elements, in how many of ten; an empty one for a sentence."""


def _elements(told: ReportedCall) -> int:
    """Return how many elements the list of a result has; 0 where it has none that can be told."""
    slot = listed_slot(told.book.spec, told.result)
    return 0 if slot is None else len(told.result[slot])


def tell(talk: Transcript, told: ReportedCall, layout: Layout, *, in_order: bool, singles_out: bool) -> bool:
    """Add a list, if an answer of the tool can stand before its lines; return whether one can.

    Args:
        talk: The conversation so far.
        told: The call.
        layout: How the lists of the tool are told.
        in_order: Whether all elements must be told, in the order of the result.
        singles_out: Whether it may be told which of them has the least or the most of something.
    """
    book, call, result = told
    style, draw, slot = talk.style, talk.draw, listed_slot(told.book.spec, told.result)
    begun = None if slot is None else _lead(talk, told, slot, layout)
    if slot is None or begun is None:
        return False
    sentence, lead = begun
    elements = result[slot]
    unasked = _opposite(talk)
    named = [pick for pick in picks_of(book.spec, slot) if not pick.say.endswith("first") and pick.by not in unasked]
    orders = [(pick, order) for pick in named if (order := _in_order(elements, pick))]
    pick, order = (
        draw.choice(orders)
        if orders and not in_order and layout.is_ordered and singles_out
        else (None, [*range(len(elements))])
    )
    is_cut = len(order) > _LONG and not in_order and draw.chance(0.5 if style.is_brief else 0.03)
    shown = order[:_FIRST] if is_cut else order
    mark, is_table = layout.mark, layout.mark == "table"
    lines = Lines(talk, told, slot, sentence)
    block = lines.table(shown) if is_table else lines.entries(shown, "1" if pick else mark, layout.line)
    if block is not None and pick is not None and not _shows(block, pick):
        pick, shown = None, [*range(len(shown))]
        block = lines.table(shown) if is_table else lines.entries(shown, mark, layout.line)
    if block is None:
        return False
    before = lead[0] + ("" if pick is None else draw.choice(FORMS["orders"]).format(pick=pick.say)) + ":"
    gap = "\n\n" if is_table else "\n"
    at = len(before) + len(gap)
    text = before + gap + block[0]
    if is_cut:
        rest = draw.choice(FORMS["rests"]).format(rest=len(order) - len(shown))
        text += f"\n\n{rest}"
    spans: Spans = [*lead[1], *[(start + at, end + at, *more) for start, end, *more in block[1]]]
    talk.tell_apart((text, spans, []), call.id, "listed")
    talk.after_block = "lines"
    if singles_out and not layout.apart and not style.is_brief and draw.chance(_SINGLED_OUT):
        _single_out(talk, told, slot, shown, pick, unasked)
    return True


def _opposite(talk: Transcript) -> frozenset[str]:
    """Return the picks that go the other way than those of the user: who asks for the cheapest one is not told the most expensive one."""
    said = [
        ref.pick.by.partition(" ")
        for event in talk.log.events
        if isinstance(event, Step)
        for call in event.calls
        for ref in call.args.values()
        if isinstance(ref, Ref) and ref.pick is not None
    ]
    return frozenset([f"{_OTHER[how]} {field}" for how, _, field in said if how in _OTHER])


_OTHER = {"min": "max", "max": "min"}


def _shows(block: Phrase, pick: Pick) -> bool:
    """Whether lines say the field by which they are in order."""
    field = pick.by.split()[1]
    return any(pointer.rpartition("/")[2] == field for _, _, _, pointer, _ in block[1])


def _lead(talk: Transcript, told: ReportedCall, slot: str, layout: Layout) -> tuple[AnswerSentence, Phrase] | None:
    """Return what stands before the list in an answer of the tool, one of those that tell most of what was asked for."""
    book, call, result = told
    given, draw = asked_for(book, call.arguments), talk.draw
    first: AnswerSentence | None = None
    for answer in answers_in_turn(book, lambda: layout.lead, layout.apart, given):
        if first is not None and rank(answer, layout.apart, given) != rank(first, layout.apart, given):
            break
        lead = _compiled(book, answer, slot)
        phrase = None if lead is None else lead.tell(result, call.arguments, call.id, draw, talk.answering)
        if lead is not None and phrase is not None:
            return lead, phrase
        if answer.tell(result, call.arguments, call.id, draw, talk.answering) is not None:
            first = first or answer
    return None


def _compiled(book: ToolPhrases, answer: AnswerSentence, slot: str) -> AnswerSentence | None:
    """Return the beginning of an answer, compiled once; None where none can stand before a list."""
    text = text_before(answer.template, slot)
    if not text:
        return None
    begun = msgspec.structs.replace(answer, template=parse_template(text, "result"), capped=None)
    return book.once((answer, slot), lambda: begun)


def text_before(template: Template, slot: str) -> str:
    """Return the text of an answer before the list with which it ends; an empty one where none can stand before a colon."""
    ending = f"{{{slot}}}"
    text = template.text.removesuffix(".")
    if not text.endswith(ending):
        return ""
    text = text.removesuffix(ending).rstrip()
    is_whole = text.endswith(":")
    text = text.removesuffix(":")
    last = text.rpartition(" ")[2].casefold()
    return text if is_whole or (last.isalpha() and last not in FORMS["hanging"]) else ""


class Lines:
    """The elements of a list as lines."""

    def __init__(self, talk: Transcript, told: ReportedCall, slot: str, lead: AnswerSentence) -> None:
        self.talk, self.told, self.slot = talk, told, slot
        self.elements: list[dict[str, Any]] = told.result[slot]
        self.wording = lead.results[slot]

    def entries(self, shown: Sequence[int], mark: str, line: float) -> Phrase | None:
        """Return a line for each element, all in the same words: the way at `line`, from 0 up to 1, of those that fit."""
        phrases = self._phrases("")
        ways = [phrases(self.elements[index]) for index in shown]
        if not all(ways) or any(len(one) != len(ways[0]) for one in ways):
            return None
        which, bold = int(line * len(ways[0])), self.talk.style.bold != "no" and self.talk.is_bold
        text, spans = "", Spans()
        for number, index in enumerate(shown, 1):
            text += ("\n" if text else "") + ("- " if mark == "-" else f"{number}. ")
            said, own = self._say(ways[number - 1][which], index)
            if bold and own and own[0][0] == 0 and said[0] not in "\"“'0123456789":
                end = own[0][1]
                said = f"**{said[:end]}**{said[end:]}"
                own = [
                    (start + (2 if start < end else 4), stop + (2 if start < end else 4), *rest)
                    for start, stop, *rest in own
                ]
            elif own and own[0][0] > 0:
                said = said[0].upper() + said[1:]
            spans += [(start + len(text), end + len(text), *rest) for start, end, *rest in own]
            text += said
        return text, spans, []

    def table(self, shown: Sequence[int]) -> Phrase | None:
        """Return a table with a row for each element."""
        columns = _columns(self.told.book.spec, self.slot, [self.elements[index] for index in shown])
        if len(columns) < 2:
            return None
        cells = [f"{{{field}{':' + way if way else ''}}}{unit}" for field, way, unit, _ in columns]
        phrases = self._phrases(f"| {' | '.join(cells)} |")
        text = head_of_table([name for *_, name in columns])
        spans = Spans()
        for index in shown:
            ways = phrases(self.elements[index])
            if not ways:
                return None
            line, own = self._say(ways[0], index)
            if line.count("|") != len(columns) + 1 or "\n" in line:
                return None
            text += "\n"
            spans += [(start + len(text), end + len(text), *rest) for start, end, *rest in own]
            text += line
        return text, spans, []

    def named(self, index: int) -> tuple[str, Spans] | None:
        """Return what an element is called."""
        name = name_slot(self.told.book.spec, self.slot)
        return None if name is None else self.said(name, index)

    def said(self, template: str, index: int) -> tuple[str, Spans] | None:
        """Return what a phrase of one slot says of an element."""
        ways = self._phrases(template)(self.elements[index])
        return self._say(ways[0], index) if ways else None

    def _phrases(self, template: str) -> WaysToSay:
        """Return one phrase for an element, compiled once; an empty text stands for those that the lead has."""
        book, wording = self.told.book, self.wording
        if template:
            elements = (parse_template(template, "result"),)
            wording = msgspec.structs.replace(wording, elements=elements, preferred=())
        key = (self.slot, template or self.wording.preferred or self.wording.elements)
        return book.once(key, lambda: compile_elements(wording, book.results, "result", "assistant"))

    def _say(self, way: SayParts, index: int) -> tuple[str, Spans]:
        utterance = Utterance(self.talk.draw, self.talk.answering)
        way(self.elements[index], f"/{self.slot}/{index}", (self.told.call.id, "result"), utterance)
        return utterance.text, utterance.spans


def _single_out(
    talk: Transcript,
    told: ReportedCall,
    slot: str,
    shown: Sequence[int],
    first_of_all: Pick | None,
    unasked: frozenset[str],
) -> None:
    """Add, if no order has told it, which element has the least or the most of something: "The cheapest hotel is Casa Verde."."""
    lines = Lines(talk, told, slot, told.book.answers[0])
    seen = "" if first_of_all is None else first_of_all.by.split()[1]
    known = extremes(told.book.spec, slot, told.result[slot])
    best = [
        (pick, index)
        for pick, index in known
        if index in shown and pick.by.split()[1] != seen and pick.by not in unasked
    ]
    if not best:
        return
    first, second = _two(talk.draw, best)
    named = [lines.named(index) for _, index in (first, second)]
    if any(one is None or (one[0][0].islower() and "." not in one[0]) for one in named):
        return  # "small plug", which begins no sentence and lacks "the"; a file's name does
    is_two = first[1] != second[1] and first[0].by.split()[1] != second[0].by.split()[1]
    form = talk.draw.choice(FORMS["two" if is_two else "singled"])
    text, spans = "", Spans()
    for part in re.split(r"(\{\w+\})", form):
        if part in ("{name}", "{second}"):
            name, own = named[part == "{second}"] or ("", [])
            spans += [(start + len(text), end + len(text), *rest) for start, end, *rest in own]
            text += name
        else:
            text += part.format(**_words(first[0], second[0])) if part.startswith("{") else part
    talk.tell_apart((text, spans, []), told.call.id, "singled_out")


def _two(draw: Draw, best: list[tuple[Pick, int]]) -> tuple[tuple[Pick, int], tuple[Pick, int]]:
    """Return two of the extremes, the same one twice if the answer is to tell one."""
    first = draw.choice(best)
    return first, draw.choice(best) if draw.chance(0.5) else first


def _words(pick: Pick, other: Pick) -> dict[str, str]:
    return {"pick": pick.say, "Pick": pick.say[0].upper() + pick.say[1:], "other": other.say}


# --- what both know ---


def with_slots(sentence: Sentence) -> str:
    """Return a sentence with the names of slots in place of the values that are claimed, as forms have them."""
    content, position, pieces = sentence.ledger.contents[sentence.index], sentence.start, []
    for part in sentence.parts:
        pieces += [content[position : part.start], f"{{{slot_name(part)}}}"]
        position = max(position, part.end)
    return "".join(pieces) + content[position : sentence.end]


def heading(name: str) -> str:
    """Return the name of a field as a heading: "Release year", "Ticket ID"."""
    return re.sub(r"\b(?:id|url)\b", lambda found: found[0].upper(), name[0].upper() + name[1:], flags=re.IGNORECASE)


_IN_CELLS = {"quoted": "literal", "counted": ""}
"""Verbalizers that say a value otherwise within a sentence: those that do in a table."""


def _columns(spec: ToolSpec, slot: str, elements: Sequence[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    """Return the columns of a table: field, verbalizer, unit and heading of what a tool's phrases say of an element."""
    texts = spec.phrases.each[slot]
    ways: dict[str, str] = {}
    for text in texts:
        for part in parse_template(text, "result").segments:
            if isinstance(part, Slot) and not part.count and part.slot != "." and "/" not in part.slot:
                ways.setdefault(part.slot, _IN_CELLS.get(part.verbalizer or "", part.verbalizer or ""))
    fields = [name for name in ways if {type(one.get(name)) for one in elements} <= _SAID_IN_CELLS]
    named = [name for name in fields if type(elements[0][name]) is str and not _MOMENT.fullmatch(elements[0][name])]
    fields = [*named[:1], *[name for name in fields if name not in named[:1]]]
    fields = [*fields[:1], *[name for name in fields[1:] if _is_news(name, elements)]]
    found: list[tuple[str, str, str, str]] = []
    for field in fields[:_COLUMNS]:
        name, unit = field_in_words(names_in_list(spec, slot), texts, field)
        found.append((field, ways[field], "" if ways[field] else unit, heading(name)))
    return found


def _is_news(field: str, elements: Sequence[dict[str, Any]]) -> bool:
    """Whether a column tells something: that elements differ in it, or when all of them are."""
    value = elements[0][field]
    is_when = type(value) is str and _MOMENT.fullmatch(value) is not None
    return is_when or any(one[field] != value for one in elements)


def way_to_say(spec: ToolSpec, slot: str, field: str) -> tuple[str, str]:
    """Return how the phrases for an element say a field of it: the verbalizer, and the unit behind it where there is none."""
    texts = spec.phrases.each[slot]
    parts = [part for text in texts for part in parse_template(text, "result").segments if isinstance(part, Slot)]
    way = next((part.verbalizer for part in parts if part.slot == field and part.verbalizer), "")
    unit = "" if way else field_in_words(names_in_list(spec, slot), texts, field)[1]
    return way, unit


def names_in_list(spec: ToolSpec, slot: str) -> dict[str, str]:
    """Return what people call the fields of a list's elements, by the names that these have there."""
    return {name.removeprefix(f"{slot}/*/"): words for name, words in spec.phrases.fields.items()}


def head_of_table(names: Sequence[str]) -> str:
    """Return the heading of a table, and the line below it."""
    return f"| {' | '.join(names)} |\n|{'---|' * len(names)}"


def name_slot(spec: ToolSpec, slot: str) -> str | None:
    """Return the slot that says what an element is called, as the tool's phrases begin with it."""
    first = parse_template(spec.phrases.each[slot][0], "result").segments[0]
    if not isinstance(first, Slot) or first.count:
        return None
    return f"{{{first.slot}{':' + first.verbalizer if first.verbalizer else ''}}}"


def _values(elements: Sequence[dict[str, Any]], field: str) -> list[Any] | None:
    """Return the values of a field by which elements can be put in order: numbers, days or times."""
    values = [element.get(field) for element in elements]
    if {type(value) for value in values} <= _NUMBERS:
        return values
    alike = all(isinstance(value, str) and _MOMENT.fullmatch(value) for value in values)
    return values if alike and len({len(str(value)) for value in values}) == 1 else None


_NUMBERS = {int, float}
_SAID_IN_CELLS = {str, int, float}
_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?)?|\d{2}:\d{2}")


def _in_order(elements: Sequence[dict[str, Any]], pick: Pick) -> list[int]:
    """Return the places of elements in the order in which a pick comes first; none where no field puts them in order."""
    extreme, field = pick.by.split()
    values = _values(elements, field)
    if values is None or len(set(values)) < len(values):
        return []
    return sorted(range(len(values)), key=values.__getitem__, reverse=extreme == "max")


def extremes(spec: ToolSpec, slot: str, elements: Sequence[dict[str, Any]]) -> list[tuple[Pick, int]]:
    """Return the picks that single out one element, and its place."""
    found: list[tuple[Pick, int]] = []
    for pick in picks_of(spec, slot):
        extreme, field = pick.by.split()
        values = _values(elements, field)
        if values is not None:
            best = max(values) if extreme == "max" else min(values)
            found += [(pick, values.index(best))] if values.count(best) == 1 else []
    return found
