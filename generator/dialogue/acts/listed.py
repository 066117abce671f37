"""The check of lists: the lead is an answer of the tool, each line says one element, order and number of those left out are so."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import msgspec

from generator.core.pointers import resolve, resolve_or_none, split
from generator.core.templates import Plural, Segment, Slot, parse_template
from generator.core.toolbox import Pick
from generator.dialogue.acts.found_list import FoundList, found_list, head_of_table, heading
from generator.dialogue.acts.listing import FORMS, text_before
from generator.dialogue.proof.ledger import Act, ClaimedCall, Sentence
from generator.tools.productions import pointer_of


class _ListAsTold(msgspec.Struct, frozen=True):
    """A list as it stands in a message: values are replaced by the names of their slots."""

    found: FoundList
    lines: list[str]
    rest: str
    shown: list[int]
    """The places of the elements that the lines say, -1 where a line says values of several or of none."""
    order: Pick | None
    """In whose order the lines are said to stand."""


def _read(sentence: Sentence) -> _ListAsTold | None:
    """Return what a sentence lists; None where it is not in parts that a list has, or begins as no answer does."""
    found = found_list(sentence.made.spec, sentence.made.result)
    lead, mark, block = sentence.form.partition(":\n")
    lines, _, rest = block.lstrip("\n").partition("\n\n")
    if not found.slot or not mark or not lines:
        return None
    for order in (None, *found.picks):
        if _may_lead(sentence.made, found, lead, order):
            return _ListAsTold(found, lines.split("\n"), rest, _elements_said(sentence, found), order)
    return None


def _elements_said(sentence: Sentence, found: FoundList) -> list[int]:
    """Return the index of the element that each line says, -1 for a line that says none or several."""
    result_parts = [part for part in sentence.parts if part.saying.of == "result" and not part.saying.counts]
    list_parts = [part for part in result_parts if split(part.saying.pointer)[0] == found.slot]
    content = sentence.ledger.contents[sentence.index]
    begin = content.index(":\n", sentence.start) + 1 if list_parts else sentence.start
    indexes: list[int] = []
    for line in content[begin : sentence.end].lstrip("\n").partition("\n\n")[0].split("\n"):
        start = content.index(line, begin)
        begin = start + len(line)
        indexes_in_line = {split(part.saying.pointer)[1] for part in list_parts if start <= part.start < begin}
        indexes.append(int(next(iter(indexes_in_line))) if len(indexes_in_line) == 1 else -1)
    return indexes


# --- the words ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence as it stands if each of its parts may be said."""
    list_as_told = _read(sentence)
    if list_as_told is None:
        return
    are_said = _are_table_rows(list_as_told) if list_as_told.lines[0].startswith("|") else _are_entries(list_as_told)
    left_out = len(list_as_told.found.elements) - len([place for place in list_as_told.shown if place >= 0])
    if are_said and (
        not list_as_told.rest or list_as_told.rest in [form.format(rest=left_out) for form in FORMS["rests"]]
    ):
        yield sentence.form


def _are_entries(read: _ListAsTold) -> bool:
    """Whether the lines are entries of a list, each one of the tool's phrases for an element."""
    bulleted = all(line.startswith("- ") for line in read.lines)
    allowed = _element_texts(read.found)
    for number, line in enumerate(read.lines, 1):
        mark = "- " if bulleted else f"{number}. "
        text = _collapsed(line.removeprefix(mark))
        if (
            not line.startswith(mark)
            or _with_small_letter(re.sub(r"^\*\*(\{[^{}]*\})\*\*", r"\1", text)) not in allowed
        ):
            return False
    return True


def _element_texts(found: FoundList) -> set[str]:
    """Return the phrases for an element, with the names of slots, in all words that depend on numbers."""
    texts: set[str] = set()
    for text in found.texts:
        choices = [
            (part.one, part.many) if isinstance(part, Plural) else (_with_slot(part, f"{found.slot}/*/"),)
            for part in parse_template(text, "result").segments
        ]
        texts |= {_with_small_letter(_collapsed("".join(words))) for words in product(*choices)}
    return texts


def _are_table_rows(read: _ListAsTold) -> bool:
    """Whether the lines are a table: a heading that names the fields, and a row in the same order for each element."""
    found, rows = read.found, read.lines[2:]
    fields = re.findall(rf"\{{{re.escape(found.slot)}/\*/([^{{}}]+)\}}", rows[0]) if rows else []
    words = [found.in_words(field) for field in fields]
    cells = [
        f"{found.slot_for(field)}{'' if _has_way(found, field) else unit}"
        for field, (_, unit) in zip(fields, words, strict=True)
    ]
    head = head_of_table([heading(name) for name, _ in words])
    row = f"| {' | '.join(cells)} |"
    return len(fields) > 1 and read.lines[:2] == head.split("\n") and all(one == row for one in rows)


def _has_way(found: FoundList, field: str) -> bool:
    """Whether the phrases say a field with a verbalizer, which says the unit, too."""
    parts = [part for text in found.texts for part in parse_template(text, "result").segments]
    first = next((part for part in parts if isinstance(part, Slot) and part.slot == field), None)
    return first is not None and first.verbalizer is not None


def _may_lead(made: ClaimedCall, found: FoundList, lead: str, order: Pick | None) -> bool:
    """Whether a text may stand before a list: an answer of the tool up to the list, where its conditions hold, and the order."""
    ends = [""] if order is None else [form.format(pick=order.say) for form in FORMS["orders"]]
    text = _with_small_letter(_collapsed(lead))
    begun = {text.removesuffix(end) for end in ends if text.endswith(end)}
    return bool(begun) and not begun.isdisjoint(_texts_before(made, found.slot))


def _texts_before(made: ClaimedCall, slot: str) -> Iterator[str]:
    """Yield what answers of the tool say before the list, with the names of slots."""
    for answer in made.spec.phrases.answer:
        text = text_before(parse_template(answer.say, "result"), slot)
        if text and all(value_at(made, where) == value for where, value in answer.when):
            parts = [
                _words_for_number(made, part) if isinstance(part, Plural) else _with_slot(part, "")
                for part in parse_template(text, "result").segments
            ]
            yield _with_small_letter(_collapsed("".join(parts)))


def value_at(made: ClaimedCall, where: str) -> Any:
    """Return the value of a field of a result, or of an argument (`args.city`), as conditions of answers name them; None where there is none."""
    source = made.arguments if where.startswith("args.") else made.result
    return resolve_or_none(source, "/" + where.removeprefix("args."))


def _words_for_number(made: ClaimedCall, part: Plural) -> str:
    """Return the words that depend on a number."""
    try:
        value = resolve(made.result if part.of == "result" else made.arguments, pointer_of(part))
    except LookupError:
        return part.many
    return part.one if (len(value) if part.count and isinstance(value, list) else value) == 1 else part.many


def _with_slot(part: Segment, prefix: str) -> str:
    """Return a segment of a phrase with the name of its slot: `{hotels/*/price}` for a price, with the prefix `hotels/*/`."""
    if not isinstance(part, Slot):
        return str(part)
    return f"{{args.{part.slot}}}" if part.of == "arguments" else f"{{{prefix}{part.slot}}}"


_SEVERAL = re.compile(r"\{([^{}]+)/\*\}(?:(?:, | and )\{\1/\*\})*")
_ARTICLE = re.compile(r"\b([Aa])n (?=\{)")


def _collapsed(text: str) -> str:
    """Return a text in which a list of values is one slot, and "an" before a slot is "a"."""
    return _ARTICLE.sub(r"\1 ", _SEVERAL.sub(r"{\1}", text))


def _with_small_letter(text: str) -> str:
    """Return a text whose first letter is a small one, unless it begins with a slot."""
    return text if text.startswith("{") else text[:1].lower() + text[1:]


# --- the facts ---


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield why the lines are not those of the elements in the order that is named, or more are left out than it says."""
    list_as_told = _read(sentence)
    if list_as_told is None:
        yield "the result is no list that is told in lines"
        return
    indexes = list_as_told.shown[2:] if list_as_told.lines[0].startswith("|") else list_as_told.shown
    elements = list_as_told.found.elements
    if -1 in indexes or len(set(indexes)) < len(indexes) or len(indexes) < 2:
        yield "a line does not say one element, or two say the same"
    elif list_as_told.order is not None:
        yield from _out_of_order(elements, indexes, list_as_told.order)
        field = list_as_told.order.by.partition(" ")[2]
        if not any(part.saying.pointer.rpartition("/")[2] == field for part in sentence.parts):
            yield f"the lines do not say the {field} by which they are in order"
    elif indexes != [*range(len(indexes))]:
        yield "the elements do not stand in the order of the result"
    if len(indexes) < len(elements) and not list_as_told.rest:
        yield f"it does not say that {len(elements) - len(indexes)} are left out"


def _out_of_order(elements: Sequence[dict[str, Any]], indexes: Sequence[int], pick: Pick) -> Iterator[str]:
    """Yield where lines do not stand in the order that is named, or something that comes before the last of them is left out."""
    extreme, _, field = pick.by.partition(" ")
    values: list[Any] = [element.get(field) for element in elements]
    values_in_lines = [values[index] for index in indexes]
    others = [value for index, value in enumerate(values) if index not in indexes]
    try:
        for earlier, later in pairwise(values_in_lines):
            if earlier == later or (earlier > later) != (extreme == "max"):
                yield f"{pick.say!r} does not come first"
                return
        if others and (max(others) >= values_in_lines[-1] if extreme == "max" else min(others) <= values_in_lines[-1]):
            yield "one that comes before these is left out"
    except TypeError:
        yield f"{field} puts nothing in order"


ACTS = (Act("listed", "assistant", "PF139", _forms, _faults, claims=True),)
