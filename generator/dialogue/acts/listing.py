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


def draw_layouts(told: Sequence[ReportedCall], style: Style, draw: Draw) -> dict[str, Layout]:
    """Return how results are told that are lists, by tool."""
    found: dict[str, Layout] = {}
    for name in {one.call.name: None for one in told}:
        own = [one for one in told if one.call.name == name]
        numbers = [len(found_list(one.phrases.spec, one.result).elements) for one in own]
        if style.sentences is None and (max(numbers) >= _SHORT or min(numbers) >= _FEWEST):
            is_short = len(own) == 1 and max(numbers) < _SHORT
            kinds = [kind for kind, share in (_OF_TWO if is_short else _LAYOUTS) for _ in range(share)]
            layout = draw.choice(kinds)
            is_ruled_out = (style.tables if layout == "table" else style.lists) == "no"
            if layout and not is_ruled_out:
                apart = differing([one.call.arguments for one in own]) - own[0].phrases.optional
                found[name] = Layout(layout, draw.rand(), draw.rand(), len(own) == 1 and draw.chance(0.15), apart)
    return found


_LAYOUTS = (("-", 13), ("1", 3), ("table", 4))
"""How lists are told, and in how many of twenty answers."""
_OF_TWO = (("-", 3), ("", 7))
"""The same for lists of two elements, in how many of ten; an empty one for a sentence."""


def tell(talk: Transcript, told: ReportedCall, layout: Layout, *, in_order: bool, singles_out: bool) -> bool:
    """Add a list, if an answer of the tool can stand before its lines; return whether one can.

    Args:
        talk: The conversation so far.
        told: The call.
        layout: How the lists of the tool are told.
        in_order: Whether all elements must be told, in the order of the result.
        singles_out: Whether it may be told which of them has the least or the most of something.
    """
    style, draw, found = talk.style, talk.draw, found_list(told.phrases.spec, told.result)
    begun = _lead(talk, told, found.slot, layout) if found.slot else None
    if begun is None:
        return False
    sentence, (lead, spans, _) = begun
    unasked, every = _opposite(talk), [*range(len(found.elements))]
    named = [pick for pick in found.picks if not pick.say.endswith("first") and pick.by not in unasked]
    orders = [(pick, order) for pick in named if (order := found.in_order(pick))]
    is_free = not in_order and layout.is_ordered and singles_out
    pick, order = draw.choice(orders) if orders and is_free else (None, every)
    is_cut = len(order) > _LONG and not in_order and draw.chance(0.5 if style.is_brief else 0.03)
    shown = order[:_FIRST] if is_cut else order
    elements = Elements(talk, told, found, sentence)
    block = _block(elements, shown, layout, is_ordered=pick is not None)
    if block is not None and pick is not None and not _shows(block, pick):
        pick, shown = None, every[: len(shown)]
        block = _block(elements, shown, layout, is_ordered=False)
    if block is None:
        return False
    before = lead + ("" if pick is None else draw.choice(FORMS["orders"]).format(pick=pick.say))
    before += ":\n\n" if layout.mark == "table" else ":\n"
    text, spans = before + block[0], [*spans, *moved(block[1], len(before))]
    if is_cut:
        rest = draw.choice(FORMS["rests"]).format(rest=len(order) - len(shown))
        text += f"\n\n{rest}"
    talk.tell_apart((text, spans, []), told.call.id, "listed")
    talk.after_block = "lines"
    if singles_out and not layout.apart and not style.is_brief and draw.chance(_SINGLED_OUT):
        seen = "" if pick is None else pick.by.split()[1]
        best = [
            (one, index)
            for one, index in found.extremes()
            if index in shown and one.by.split()[1] != seen and one.by not in unasked
        ]
        picked.single_out(Elements(talk, told, found, told.phrases.answers[0]), best)
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


def _entries(elements: Elements, shown: Sequence[int], mark: str, line: float) -> Said | None:
    """Return a line for each element, all in the same words: the way at `line`, from 0 up to 1, of those that fit."""
    phrases = elements.phrases("")
    ways = [phrases(elements.found.elements[index]) for index in shown]
    if not all(ways) or any(len(one) != len(ways[0]) for one in ways):
        return None
    which, bold = int(line * len(ways[0])), elements.talk.style.bold != "no" and elements.talk.is_bold
    text, spans = "", Spans()
    for number, index in enumerate(shown, 1):
        text += ("\n" if text else "") + ("- " if mark == "-" else f"{number}. ")
        said, own = elements.say(ways[number - 1][which], index)
        if bold and own and own[0][0] == 0 and said[0] not in "\"“'0123456789":
            end = own[0][1]
            said, own = f"**{said[:end]}**{said[end:]}", [*moved(own[:1], 2), *moved(own[1:], 4)]
        elif own and own[0][0] > 0:
            said = said[0].upper() + said[1:]
        spans += moved(own, len(text))
        text += said
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
