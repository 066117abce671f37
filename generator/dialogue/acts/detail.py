"""Detail: a thing that was looked up, a field a line: "- Humidity: 67%"."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Any

import msgspec

from generator.core.connectives import field_in_words, words_in_field
from generator.core.templates import Plural, Slot, parse_template
from generator.core.toolbox import ToolSpec, once_per_tool
from generator.core.yaml_values import own_data
from generator.dialogue.acts.found_list import heading
from generator.dialogue.proof.ledger import Act, Sentence
from generator.dialogue.wording.answers import ReportedCall
from generator.dialogue.wording.phrases.telling import OF_CALL, AnswerSentence
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import Phrase, Spans, moved

_FORMS: dict[str, Any] = own_data(__file__)
_FEWEST, _MOST = 3, 6
_LONGEST = 80


class Tellable(msgspec.Struct, frozen=True):
    """What can be told of a tool's results by its name."""

    fields: dict[str, tuple[str, str]]
    """Field → (verbalizer, unit), in the order in which answers say them."""
    is_whole: bool
    """Whether these are all fields that answers tell."""


@once_per_tool
def tellable(spec: ToolSpec) -> Tellable:
    """Return the fields of a result that can be told by their names.

    They are not all, where something is among it that only sentences say, and would be left out: a yes or no, a status that has a
    sentence of its own for each value, or a number without what it counts ("index 40 of air").
    """
    texts = [answer.say for answer in spec.phrases.answer]
    found: dict[str, tuple[str, str]] = {}
    nothing, is_whole = nothing_to_tell(spec), True
    for answer in spec.phrases.answer:
        segments = parse_template(answer.say, "result").segments
        for part, after, last in zip_longest(segments, segments[1:], segments[2:]):
            if not isinstance(part, Slot) or part.of != "result" or part.count or not _NAME.fullmatch(part.slot):
                continue
            if _is_never_told(part.slot):
                continue
            way = part.verbalizer or ""
            unit = "" if way else field_in_words(spec.phrases.fields, texts, part.slot)[1]
            is_bare = not way and not unit and _is_number(spec, part.slot) and _is_measured(part.slot, after, last)
            if is_bare or part.slot in _FORMS["tied"]:
                is_whole = False
            else:
                found.setdefault(part.slot, (way, unit))
    decided = {field for answer in spec.phrases.answer for field, _ in answer.when if not field.startswith(OF_CALL)}
    is_whole &= all(field in found or field in nothing or _is_never_told(field) for field in decided)
    return Tellable(found, is_whole)


def fields_by_name(spec: ToolSpec) -> dict[str, tuple[str, str]]:
    """Return the fields of a result that can be told by their names, with verbalizer and unit; none where answers tell others, too."""
    known = tellable(spec)
    return known.fields if known.is_whole else {}


def _is_never_told(field: str) -> bool:
    """Whether a field, such as an ID or a link, is no news for people."""
    return words_in_field(field)[-1] in _FORMS["unsaid"]


_NAME = re.compile(r"[A-Za-z_]+")
_UNIT = re.compile(r" ?[^\s\w,.;:!?()'\"–-]| ([^\W\d_]+)|-([a-z]+)")


def _is_measured(field: str, after: object, last: object) -> bool:
    """Whether what stands behind a number says what it counts, in a word that the field's name has not."""
    if isinstance(after, Plural):
        after = after.many
    if not isinstance(after, str):
        return isinstance(after, Slot)
    if after.isspace():
        return isinstance(last, Slot) or (isinstance(last, Plural) and _is_measured(field, f" {last.many}", None))
    unit = _UNIT.match(after)
    word = "" if unit is None else unit[1] or unit[2] or ""
    named = {part.rstrip("s") for part in words_in_field(field)}
    return unit is not None and word not in _FORMS["joining"] and word.rstrip("s") not in named


def _is_number(spec: ToolSpec, field: str) -> bool:
    """Whether a field of the tool's result holds numbers."""
    schema = (spec.returns or {}).get("properties", {}).get(field, {})
    return isinstance(schema, dict) and schema.get("type") in ("number", "integer")


@once_per_tool
def nothing_to_tell(spec: ToolSpec) -> dict[str, Any]:
    """Return the only value of fields for which answers have sentences of their own that do not say it, such as "not requested"."""
    found: dict[str, list[Any]] = {}
    for answer in spec.phrases.answer:
        if len(answer.when) == 1:
            field, value = answer.when[0]
            values = found.setdefault(field, [])
            values += [value] if value not in values else []
    return {field: values[0] for field, values in found.items() if len(values) == 1}


def name_of(spec: ToolSpec, field: str) -> str:
    """Return the name of a field as a line begins with it."""
    name = field_in_words(spec.phrases.fields, (), field)[0]
    return heading(_FORMS["names"].get(name, name))


@lru_cache(maxsize=8192)
def asks_for_all(key: str) -> bool:
    """Whether a form of a request asks for all that there is about something, not for one thing."""
    return not _ALL.isdisjoint(_WORDS.findall(key.partition(": ")[2].casefold()))


_ALL = frozenset(_FORMS["whole"])
_WORDS = re.compile(r"[a-z]+")


# --- saying ---


def tell(talk: Transcript, told: ReportedCall) -> bool:
    """Add the fields of a result, if there are some; return whether there are."""
    phrases, call, result = told
    without = nothing_to_tell(phrases.spec)
    given = call.arguments
    news = {field: value for field, value in result.items() if value != without.get(field) and field not in given}
    shown = [
        field
        for field in fields_by_name(phrases.spec)
        if type(value := news.get(field)) in (int, float) or (type(value) is str and value)
    ]
    texts = [text for field in fields_by_name(phrases.spec) if type(text := news.get(field)) is str]
    if not _FEWEST <= len(shown) <= _MOST or any(len(text) > _LONGEST for text in texts):
        return False
    text, spans, bold = talk.draw.choice(_FORMS["openers"]), Spans(), talk.is_bold
    for field in shown:
        phrase = said_by_name(talk, told, field)
        if phrase is None:
            return False
        name = f"{name_of(phrases.spec, field)}:"
        text += f"\n- **{name}** " if bold else f"\n- {name} "
        spans += moved(phrase[1], len(text))
        text += phrase[0]
    talk.tell_apart((text, spans, []), call.id, "detailed")
    talk.after_block = "lines"
    return True


def said_by_name(talk: Transcript, told: ReportedCall, field: str) -> Phrase | None:
    """Return the value of a field with its unit; None where it cannot be said."""
    phrases, call, result = told
    way, unit = tellable(phrases.spec).fields[field]
    value = f"{{{field}{':' + way if way else ''}}}{unit}"
    template = parse_template(value, "result")
    sentence = phrases.once(
        value, lambda: AnswerSentence(template=template, results=phrases.results, arguments=phrases.slots)
    )
    return sentence.tell(result, call.arguments, call.id, talk.draw, talk.answering)


# --- checking ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence as it stands if its lines are fields with their names."""
    text, known, spec = sentence.form, fields_by_name(sentence.made.spec), sentence.made.spec
    opener, *lines = text.split("\n")
    told = re.findall(r"\{([^{}]+)\}", text)
    if opener in _FORMS["openers"] and len(told) == len(lines) and all(field in known for field in told):
        for before, after in (("- ", ""), ("- **", "**")):
            if lines == [f"{before}{name_of(spec, field)}:{after} {{{field}}}{known[field][1]}" for field in told]:
                yield text


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield why fields should not be told one by one there: nobody asks for all of them, or one is told twice or says nothing."""
    made, pointers = sentence.made, [part.saying.pointer for part in sentence.parts]
    uses = [use.key for use in sentence.ledger.uses.get(made.asked_at, ()) if made.id in use.calls]
    if sentence.ledger.phrases and not any(map(asks_for_all, uses)):
        yield "nobody has asked for all of it"
    if len(set(pointers)) < max(len(pointers), _FEWEST):
        yield "it tells the same twice, or nothing"
    for field, value in nothing_to_tell(sentence.made.spec).items():
        if f"/{field}" in pointers and sentence.made.result.get(field) == value:
            yield f"{field} is {value!r}, which is nothing to tell"


ACTS = (Act("detailed", "assistant", "PF139", _forms, _faults, claims=True),)
