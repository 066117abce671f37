"""The check of lists: the lead is an answer of the tool, each line says one element, order and number of those left out are so."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import msgspec

from generator.core.connectives import field_in_words
from generator.core.pointers import resolve, resolve_or_none, split
from generator.core.templates import Plural, Segment, Slot, parse_template
from generator.core.toolbox import Pick
from generator.dialogue.acts.listing import (
    FORMS,
    head_of_table,
    heading,
    listed_slot,
    name_slot,
    names_in_list,
    picks_of,
    text_before,
    with_slots,
)
from generator.dialogue.proof.ledger import Act, ClaimedCall, ClaimedSpan, Sentence
from generator.dialogue.proof.picks import is_picked
from generator.tools.productions import pointer_of


class _Read(msgspec.Struct):
    """A list as it stands in a message: values are replaced by the names of their slots."""

    text: str
    lead: str
    lines: list[str]
    rest: str
    slot: str
    shown: list[int]
    """The places of the elements that the lines say, -1 where a line says values of several or of none."""
    order: Any = ...
    """What the lead says of their order, once that was looked up."""


def _read(sentence: Sentence) -> _Read | None:
    """Return what a sentence lists, read once; None where it is not in parts that a list has."""
    if sentence.read is None:
        sentence.read = (_read_anew(sentence),)
    (found,) = sentence.read
    assert found is None or isinstance(found, _Read)
    return found


def _read_anew(sentence: Sentence) -> _Read | None:
    slot = listed_slot(sentence.made.spec, sentence.made.result)
    text = with_slots(sentence)
    if slot is None:
        return None
    head, mark, block = text.partition(":\n")
    lines, _, rest = block.lstrip("\n").partition("\n\n")
    if not mark or not lines or text != f"{head}:\n{block}":
        return None
    own = [part for part in sentence.parts if part.saying.of == "result" and split(part.saying.pointer)[0] == slot]
    ends = [part.start for part in own if not part.saying.counts]
    content, base = sentence.ledger.contents[sentence.index], sentence.start
    shown: list[int] = []
    begin = content.index(":\n", base) + 1 if ends else base
    for line in content[begin : sentence.end].lstrip("\n").partition("\n\n")[0].split("\n"):
        start = content.index(line, begin)
        begin = start + len(line)
        places = {
            split(part.saying.pointer)[1] for part in own if start <= part.start < begin and not part.saying.counts
        }
        shown.append(int(next(iter(places))) if len(places) == 1 else -1)
    return _Read(text, head, lines.split("\n"), rest, slot, shown)


# --- the words ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence as it stands if each of its parts may be said."""
    read = _read(sentence)
    if read is None or _order(sentence, read) is _UNSAID:
        return
    is_table = read.lines[0].startswith("|")
    are_said = _rows(sentence, read) if is_table else _entries(sentence, read)
    left = len(sentence.made.result[read.slot]) - len([place for place in read.shown if place >= 0])
    if are_said and (not read.rest or read.rest in [form.format(rest=left) for form in FORMS["rests"]]):
        yield read.text


def _entries(sentence: Sentence, read: _Read) -> bool:
    """Whether the lines are entries of a list, each one of the tool's phrases for an element."""
    bulleted = all(line.startswith("- ") for line in read.lines)
    allowed = _element_texts(sentence.made, read.slot)
    for number, line in enumerate(read.lines, 1):
        mark = "- " if bulleted else f"{number}. "
        text = _collapsed(line.removeprefix(mark))
        if not line.startswith(mark) or _lowered(re.sub(r"^\*\*(\{[^{}]*\})\*\*", r"\1", text)) not in allowed:
            return False
    return True


def _element_texts(made: ClaimedCall, slot: str) -> set[str]:
    """Return the phrases for an element, with the names of slots, in all words that depend on numbers."""
    found: set[str] = set()
    for text in made.spec.phrases.each[slot]:
        segments = parse_template(text, "result").segments
        choices = [
            (part.one, part.many) if isinstance(part, Plural) else (_named(part, f"{slot}/*/"),) for part in segments
        ]
        found |= {_lowered(_collapsed("".join(words))) for words in product(*choices)}
    return found


def _rows(sentence: Sentence, read: _Read) -> bool:
    """Whether the lines are a table: a heading that names the fields, and a row in the same order for each element."""
    spec, rows = sentence.made.spec, read.lines[2:]
    texts = spec.phrases.each[read.slot]
    fields = re.findall(rf"\{{{re.escape(read.slot)}/\*/([^{{}}]+)\}}", rows[0]) if rows else []
    named = [field_in_words(names_in_list(spec, read.slot), texts, field) for field in fields]
    head = head_of_table([heading(name) for name, _ in named])
    own = {field: _has_way(texts, field) for field in fields}
    cells = [
        f"{{{read.slot}/*/{field}}}{'' if own[field] else unit}" for field, (_, unit) in zip(fields, named, strict=True)
    ]
    row = f"| {' | '.join(cells)} |"
    return len(fields) > 1 and read.lines[:2] == head.split("\n") and all(one == row for one in rows)


def _has_way(texts: Sequence[str], field: str) -> bool:
    """Whether the phrases say a field with a verbalizer, which says the unit, too."""
    parts = [part for text in texts for part in parse_template(text, "result").segments]
    first = next((part for part in parts if isinstance(part, Slot) and part.slot == field), None)
    return first is not None and first.verbalizer is not None


_UNSAID = object()


def _order(sentence: Sentence, read: _Read) -> object:
    """Return the pick in whose order the lines are said to stand, None where no order is named, _UNSAID for another lead."""
    if read.order is ...:
        read.order = _order_anew(sentence, read)
    order: object = read.order
    return order


def _order_anew(sentence: Sentence, read: _Read) -> object:
    leads = set(_leads(sentence.made, read.slot))
    lead = _lowered(_collapsed(read.lead))
    if lead in leads:
        return None
    for pick in picks_of(sentence.made.spec, read.slot):
        for form in FORMS["orders"]:
            end = form.format(pick=pick.say)
            if lead.endswith(end) and lead.removesuffix(end) in leads:
                return pick
    return _UNSAID


def _leads(made: ClaimedCall, slot: str) -> Iterator[str]:
    """Yield what may stand before the colon, with the names of slots: answers of the tool up to the list, where their conditions hold."""
    for answer in made.spec.phrases.answer:
        text = text_before(parse_template(answer.say, "result"), slot)
        if text and all(value_at(made, where) == value for where, value in answer.when):
            parts = [
                _chosen(made, part) if isinstance(part, Plural) else _named(part, "")
                for part in parse_template(text, "result").segments
            ]
            yield _lowered(_collapsed("".join(parts)))


def value_at(made: ClaimedCall, where: str) -> Any:
    """Return the value of a field of a result, or of an argument (`args.city`), as conditions of answers name them; None where there is none."""
    source = made.arguments if where.startswith("args.") else made.result
    return resolve_or_none(source, "/" + where.removeprefix("args."))


def _chosen(made: ClaimedCall, part: Plural) -> str:
    """Return the words that depend on a number."""
    try:
        value = resolve(made.result if part.of == "result" else made.arguments, pointer_of(part))
    except LookupError:
        return part.many
    return part.one if (len(value) if part.count and isinstance(value, list) else value) == 1 else part.many


def _named(part: Segment, prefix: str) -> str:
    """Return a segment of a phrase with the name of its slot."""
    if not isinstance(part, Slot):
        return str(part)
    return f"{{args.{part.slot}}}" if part.of == "arguments" else f"{{{prefix}{part.slot}}}"


_SEVERAL = re.compile(r"\{([^{}]+)/\*\}(?:(?:, | and )\{\1/\*\})*")
_ARTICLE = re.compile(r"\b([Aa])n (?=\{)")


def _collapsed(text: str) -> str:
    """Return a text in which a list of values is one slot, and "an" before a slot is "a"."""
    return _ARTICLE.sub(r"\1 ", _SEVERAL.sub(r"{\1}", text))


def _lowered(text: str) -> str:
    return text if text.startswith("{") else text[:1].lower() + text[1:]


# --- the facts ---


def _faults(sentence: Sentence) -> Iterator[str]:
    read = _read(sentence)
    if read is None:
        yield "the result is no list that is told in lines"
        return
    shown = read.shown[2:] if read.lines[0].startswith("|") else read.shown
    elements, pick = sentence.made.result[read.slot], _order(sentence, read)
    if -1 in shown or len(set(shown)) < len(shown) or len(shown) < 2:
        yield "a line does not say one element, or two say the same"
    elif isinstance(pick, Pick):
        yield from _out_of_order(elements, shown, pick)
        field = pick.by.partition(" ")[2]
        if not any(part.saying.pointer.rpartition("/")[2] == field for part in sentence.parts):
            yield f"the lines do not say the {field} by which they are in order"
    elif shown != [*range(len(shown))]:
        yield "the elements do not stand in the order of the result"
    if len(shown) < len(elements) and not read.rest:
        yield f"it does not say that {len(elements) - len(shown)} are left out"


def _out_of_order(elements: Sequence[dict[str, Any]], shown: Sequence[int], pick: Pick) -> Iterator[str]:
    """Yield where lines do not stand in the order that is named, or something that comes before is left out."""
    extreme, _, field = pick.by.partition(" ")
    values: list[Any] = [element.get(field) for element in elements]
    told = [values[place] for place in shown]
    others = [value for place, value in enumerate(values) if place not in shown]
    try:
        for before, after in pairwise(told):
            if before == after or (before > after) != (extreme == "max"):
                yield f"{pick.say!r} does not come first"
                return
        if others and (max(others) >= told[-1] if extreme == "max" else min(others) <= told[-1]):
            yield "one that comes before these is left out"
    except TypeError:
        yield f"{field} puts nothing in order"


def _singling(sentence: Sentence) -> list[tuple[str, list[Pick]]]:
    """Return the texts that single out one element or two, and the picks that they name in the order of the names."""
    spec = sentence.made.spec
    slot = listed_slot(spec, sentence.made.result)
    name = None if slot is None else name_slot(spec, slot)
    if slot is None or name is None:
        return []
    named = f"{{{slot}/*/{name.strip('{}').partition(':')[0]}}}"
    text = sentence.text.casefold()
    picks, found = [pick for pick in picks_of(spec, slot) if pick.say.casefold() in text], []
    for one in picks:
        words = {"pick": one.say, "Pick": one.say[0].upper() + one.say[1:], "name": named, "second": named}
        found += [(form.format(**words), [one]) for form in FORMS["singled"]]
        for other in picks:
            found += [(form.format(**words, other=other.say), [one, other]) for form in FORMS["two"]]
    return found


def _faults_of_singled(sentence: Sentence) -> Iterator[str]:
    text, result = with_slots(sentence), sentence.made.result
    slot = listed_slot(sentence.made.spec, result)
    told = [int(split(part.saying.pointer)[1]) for part in sentence.parts if _is_element(part)]
    for said, picks in _singling(sentence):
        if (
            said == text
            and slot is not None
            and len(told) == len(picks)
            and all(is_picked(result[slot], place, pick.by) for place, pick in zip(told, picks, strict=True))
        ):
            return
    yield "it is not the one"


def _is_element(part: ClaimedSpan) -> bool:
    return part.saying.of == "result" and part.saying.pointer.count("/") > 1


ACTS = (
    Act("listed", "assistant", "PF139", _forms, _faults, claims=True),
    Act(
        "singled_out",
        "assistant",
        "PF139",
        lambda sentence: [text for text, _ in _singling(sentence)],
        _faults_of_singled,
        claims=True,
    ),
)
