"""List: the elements that a look-up found, a line or a table row each, in an order that is named, or the first ones and how many more there are."""

from collections.abc import Sequence

import msgspec

from generator.core.planning import Ref, Step
from generator.core.seeds import Draw
from generator.core.templates import Slot, Template, parse_template
from generator.core.toolbox import Pick
from generator.core.yaml_values import own_data
from generator.dialogue.acts import picked
from generator.dialogue.acts.found_list import MOMENT, Elements, FoundList, Said, found_list, head_of_table, heading
from generator.dialogue.styles import Style
from generator.dialogue.wording.answers import ReportedCall, differing
from generator.dialogue.wording.phrases.telling import AnswerSentence
from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases, answers_in_turn, asked_for, rank
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import Phrase, Spans, moved

FORMS: dict[str, list[str]] = own_data(__file__)
_FEWEST, _SHORT, _FIRST, _LONG = 2, 3, 5, 8
"""Elements that a list has at least, those that a list has which is mostly told in lines, those that are told where some are left out, and the most of a list that is always told in full."""
_COLUMNS = 5
_SINGLED_OUT = 0.01
"""How often the least or the most of something is told behind a list."""


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


def draw_layouts(calls: Sequence[ReportedCall], style: Style, draw: Draw) -> dict[str, Layout]:
    """Return how results are told that are lists, by tool."""
    layouts: dict[str, Layout] = {}
    for name in {call.call.name: None for call in calls}:
        calls_of_tool = [call for call in calls if call.call.name == name]
        numbers = [len(found_list(call.phrases.spec, call.result).elements) for call in calls_of_tool]
        if style.sentences is None and (max(numbers) >= _SHORT or min(numbers) >= _FEWEST):
            is_short = len(calls_of_tool) == 1 and max(numbers) < _SHORT
            kinds = [kind for kind, share in (_OF_TWO if is_short else _LAYOUTS) for _ in range(share)]
            layout = draw.choice(kinds)
            is_ruled_out = (style.tables if layout == "table" else style.lists) == "no"
            if layout and not is_ruled_out:
                differing_arguments = (
                    differing([call.call.arguments for call in calls_of_tool]) - calls_of_tool[0].phrases.optional
                )
                layouts[name] = Layout(
                    layout, draw.rand(), draw.rand(), len(calls_of_tool) == 1 and draw.chance(0.15), differing_arguments
                )
    return layouts


_LAYOUTS = (("-", 13), ("1", 3), ("table", 4))
"""How lists are told, and in how many of twenty answers."""
_OF_TWO = (("-", 3), ("", 7))
"""The same for lists of two elements, in how many of ten; an empty one for a sentence."""


def tell(talk: Transcript, looked_up: ReportedCall, layout: Layout, *, in_order: bool, singles_out: bool) -> bool:
    """Add a list, if an answer of the tool can stand before its lines; return whether one can.

    Args:
        talk: The conversation so far.
        looked_up: The call.
        layout: How the lists of the tool are told.
        in_order: Whether all elements must be told, in the order of the result.
        singles_out: Whether it may be told which of them has the least or the most of something.
    """
    style, draw, list_result = talk.style, talk.draw, found_list(looked_up.phrases.spec, looked_up.result)
    sentence_and_lead = _lead(talk, looked_up, list_result.slot, layout) if list_result.slot else None
    if sentence_and_lead is None:
        return False
    sentence, (lead, spans, _) = sentence_and_lead
    unasked, all_indexes = _opposite(talk), [*range(len(list_result.elements))]
    extreme_picks = [pick for pick in list_result.picks if not pick.say.endswith("first") and pick.by not in unasked]
    orders = [(pick, order) for pick in extreme_picks if (order := list_result.in_order(pick))]
    is_free = not in_order and layout.is_ordered and singles_out
    pick, order = draw.choice(orders) if orders and is_free else (None, all_indexes)
    is_cut = len(order) > _LONG and not in_order and draw.chance(0.5 if style.is_brief else 0.03)
    shown_indexes = order[:_FIRST] if is_cut else order
    elements = Elements(talk, looked_up, list_result, sentence)
    block = _block(elements, shown_indexes, layout, is_ordered=pick is not None)
    if block is not None and pick is not None and not _shows(block, pick):
        pick, shown_indexes = None, all_indexes[: len(shown_indexes)]
        block = _block(elements, shown_indexes, layout, is_ordered=False)
    if block is None:
        return False
    lead_text = lead + ("" if pick is None else draw.choice(FORMS["orders"]).format(pick=pick.say))
    lead_text += ":\n\n" if layout.mark == "table" else ":\n"
    text, spans = lead_text + block[0], [*spans, *moved(block[1], len(lead_text))]
    if is_cut:
        rest_text = draw.choice(FORMS["rests"]).format(rest=len(order) - len(shown_indexes))
        text += f"\n\n{rest_text}"
    talk.tell_apart((text, spans, []), looked_up.call.id, "listed")
    talk.after_block = "lines"
    if singles_out and not layout.apart and not style.is_brief and draw.chance(_SINGLED_OUT):
        field_of_order = "" if pick is None else pick.by.split()[1]
        other_extremes = [
            (other_pick, index)
            for other_pick, index in list_result.extremes()
            if index in shown_indexes and other_pick.by.split()[1] != field_of_order and other_pick.by not in unasked
        ]
        picked.single_out(Elements(talk, looked_up, list_result, looked_up.phrases.answers[0]), other_extremes)
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


def _shows(block: Said, pick: Pick) -> bool:
    """Whether lines say the field by which they are in order."""
    field = pick.by.split()[1]
    return any(pointer.rpartition("/")[2] == field for _, _, _, pointer, _ in block[1])


def _lead(talk: Transcript, told: ReportedCall, slot: str, layout: Layout) -> tuple[AnswerSentence, Phrase] | None:
    """Return what stands before the list in an answer of the tool, one of those that tell most of what was asked for."""
    phrases, call, result = told
    given, draw = asked_for(phrases, call.arguments), talk.draw
    first: AnswerSentence | None = None
    for answer in answers_in_turn(phrases, lambda: layout.lead, layout.apart, given):
        if first is not None and rank(answer, layout.apart, given) != rank(first, layout.apart, given):
            break
        lead = _compiled(phrases, answer, slot)
        phrase = None if lead is None else lead.tell(result, call.arguments, call.id, draw, talk.answering)
        if lead is not None and phrase is not None:
            return lead, phrase
        if answer.tell(result, call.arguments, call.id, draw, talk.answering) is not None:
            first = first or answer
    return None


def _compiled(phrases: ToolPhrases, answer: AnswerSentence, slot: str) -> AnswerSentence | None:
    """Return the beginning of an answer, compiled once; None where none can stand before a list."""
    text = text_before(answer.template, slot)
    if not text:
        return None
    begun = msgspec.structs.replace(answer, template=parse_template(text, "result"), capped=None)
    return phrases.once((answer, slot), lambda: begun)


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


# --- lines ---


def _block(elements: Elements, shown: Sequence[int], layout: Layout, *, is_ordered: bool) -> Said | None:
    """Return the elements at these places as lines or a table; None where they cannot be said so."""
    if layout.mark == "table":
        return _table(elements, shown)
    return _entries(elements, shown, "1" if is_ordered else layout.mark, layout.line)


def _entries(elements: Elements, indexes: Sequence[int], mark: str, way_number: float) -> Said | None:
    """Return a line for each element, all in the same words, with the spans of their values: "- Casa Verde: 90 euros".

    `way_number`, from 0 up to 1, chooses among the ways to say an element that fit all; None where none does.
    """
    phrases = elements.phrases("")
    phrases_by_element = [phrases(elements.found.elements[index]) for index in indexes]
    if not all(phrases_by_element) or any(
        len(element_phrases) != len(phrases_by_element[0]) for element_phrases in phrases_by_element
    ):
        return None
    chosen, bold = (
        int(way_number * len(phrases_by_element[0])),
        elements.talk.style.bold != "no" and elements.talk.is_bold,
    )
    text, spans = "", Spans()
    for number, index in enumerate(indexes, 1):
        text += ("\n" if text else "") + ("- " if mark == "-" else f"{number}. ")
        line_text, line_spans = elements.say(phrases_by_element[number - 1][chosen], index)
        if bold and line_spans and line_spans[0][0] == 0 and line_text[0] not in "\"“'0123456789":
            end = line_spans[0][1]
            line_text, line_spans = (
                f"**{line_text[:end]}**{line_text[end:]}",
                [*moved(line_spans[:1], 2), *moved(line_spans[1:], 4)],
            )
        elif line_spans and line_spans[0][0] > 0:
            line_text = line_text[0].upper() + line_text[1:]
        spans += moved(line_spans, len(text))
        text += line_text
    return text, spans


def _table(elements: Elements, shown: Sequence[int]) -> Said | None:
    """Return a table with a row for each element."""
    columns = _columns(elements.found, shown)
    if len(columns) < 2:
        return None
    cells = [f"{{{field}{':' + way if way else ''}}}{unit}" for field, way, unit, _ in columns]
    template = f"| {' | '.join(cells)} |"
    text, spans = head_of_table([name for *_, name in columns]), Spans()
    for index in shown:
        row = elements.said(template, index)
        if row is None or row[0].count("|") != len(columns) + 1 or "\n" in row[0]:
            return None
        spans += moved(row[1], len(text) + 1)
        text += f"\n{row[0]}"
    return text, spans


_IN_CELLS = {"quoted": "literal", "counted": ""}
"""Verbalizers that say a value otherwise within a sentence: those that do in a table."""


def _columns(found: FoundList, shown: Sequence[int]) -> list[tuple[str, str, str, str]]:
    """Return the columns of a table: field, verbalizer, unit and heading of what a tool's phrases say of an element."""
    elements = [found.elements[index] for index in shown]
    ways: dict[str, str] = {}
    for text in found.texts:
        for part in parse_template(text, "result").segments:
            if isinstance(part, Slot) and not part.count and part.slot != "." and "/" not in part.slot:
                ways.setdefault(part.slot, _IN_CELLS.get(part.verbalizer or "", part.verbalizer or ""))
    fields = [name for name in ways if {type(one.get(name)) for one in elements} <= {str, int, float}]
    named = [name for name in fields if type(elements[0][name]) is str and not MOMENT.fullmatch(elements[0][name])]
    fields = [*named[:1], *[name for name in fields if name not in named[:1]]]
    news = [name for name in fields[1:] if _is_news([one[name] for one in elements])]
    columns: list[tuple[str, str, str, str]] = []
    for field in [*fields[:1], *news][:_COLUMNS]:
        name, unit = found.in_words(field)
        columns.append((field, ways[field], "" if ways[field] else unit, heading(name)))
    return columns


def _is_news(values: Sequence[object]) -> bool:
    """Whether a column tells something: that elements differ in it, or when all of them are."""
    first = values[0]
    return (type(first) is str and MOMENT.fullmatch(first) is not None) or any(one != first for one in values)
