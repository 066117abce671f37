"""Detail: a thing that was looked up, a field a line: "- Humidity: 67%"."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from generator.acts.listing import heading, with_slots
from generator.connectives import field_in_words
from generator.templates import Slot, parse_template
from generator.toolbox import ToolSpec
from generator.validation.proof.ledger import Act, Sentence
from generator.wording.answers import ReportedCall
from generator.wording.phrases.telling import AnswerSentence
from generator.wording.pieces import Spans
from generator.wording.transcript import Transcript
from generator.yaml_values import own_data

_FORMS: dict[str, Any] = own_data(__file__)
_FEWEST, _MOST = 3, 6
_LONGEST = 40


def fields(spec: ToolSpec) -> dict[str, tuple[str, str]]:
    """Return what can be told of a result by its name: field → (verbalizer, unit), in the order in which answers say them."""
    texts = [answer.say for answer in spec.phrases.answer]
    found: dict[str, tuple[str, str]] = {}
    measured: set[str] = set()
    for text in texts:
        segments = parse_template(text, "result").segments
        for part, after in zip_longest(segments, segments[1:]):
            if isinstance(part, Slot) and part.of == "result" and not part.count and _NAME.fullmatch(part.slot):
                way = part.verbalizer or ""
                unit = "" if way else field_in_words(spec.phrases.fields, texts, part.slot)[1]
                found.setdefault(part.slot, (way, unit))
                if not way and not unit and isinstance(after, str) and _UNIT.match(after):
                    measured.add(part.slot)  # in a unit that only sentences say
    return {
        field: said
        for field, said in found.items()
        if field.rpartition("_")[2] not in _FORMS["unsaid"] and not (field in measured and _is_number(spec, field))
    }


_NAME = re.compile(r"[a-z_]+")
_UNIT = re.compile(r" ?[^\s\w,.;:!?()'\"]| [^\W\d_]")


def _is_number(spec: ToolSpec, field: str) -> bool:
    schema = (spec.returns or {}).get("properties", {}).get(field, {})
    return isinstance(schema, dict) and schema.get("type") in ("number", "integer")


def _name(spec: ToolSpec, field: str) -> str:
    name = field_in_words(spec.phrases.fields, (), field)[0]
    return heading(_FORMS["names"].get(name, name))


# --- saying ---


def tell(talk: Transcript, told: ReportedCall) -> bool:
    """Add the fields of a result, if there are some; return whether there are."""
    book, call, result = told
    shown = [(field, *how) for field, how in fields(book.spec).items() if _is_news(result.get(field))]
    if not _FEWEST <= len(shown) <= _MOST:
        return False
    text, spans, bold = talk.draw.choice(_FORMS["openers"]), Spans(), talk.is_bold
    for field, way, unit in shown:
        value = f"{{{field}{':' + way if way else ''}}}{unit}"
        sentence = book.compared.get(value)
        if sentence is None:
            sentence = AnswerSentence(parse_template(value, "result"), (), book.results, book.slots)
            book.compared[value] = sentence
        phrase = sentence.tell(result, call.arguments, call.id, talk.draw, talk.answering)
        if phrase is None:
            return False
        name = f"{_name(book.spec, field)}:"
        text += f"\n- **{name}** " if bold else f"\n- {name} "
        spans += [(start + len(text), end + len(text), *rest) for start, end, *rest in phrase[1]]
        text += phrase[0]
    talk.tell_apart((text, spans, []), call.id, "detailed")
    talk.after_block = True
    return True


def _is_news(value: Any) -> bool:
    return type(value) in (int, float) or (type(value) is str and 0 < len(value) <= _LONGEST)


# --- checking ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence as it stands if its lines are fields with their names."""
    text, known, spec = with_slots(sentence), fields(sentence.made.spec), sentence.made.spec
    opener, *lines = text.split("\n")
    told = re.findall(r"\{([^{}]+)\}", text)
    if opener in _FORMS["openers"] and len(told) == len(lines) and all(field in known for field in told):
        for before, after in (("- ", ""), ("- **", "**")):
            if lines == [f"{before}{_name(spec, field)}:{after} {{{field}}}{known[field][1]}" for field in told]:
                yield text


def _faults(sentence: Sentence) -> Iterator[str]:
    pointers = [part.saying.pointer for part in sentence.parts]
    if len(set(pointers)) < max(len(pointers), _FEWEST):
        yield "it tells the same twice, or nothing"


ACTS = (Act("detailed", "assistant", "PF139", _forms, _faults, claims=True),)
