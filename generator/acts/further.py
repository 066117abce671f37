"""Further: after the sentence that holds what was asked for, the rest of a result, by its names: "For the record – total: $40."."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from generator.acts.detail import is_long, is_news, name_of, nothing_to_tell, said_by_name, tellable
from generator.acts.listing import with_slots
from generator.text_grammars import expand_texts
from generator.toolbox import ToolSpec
from generator.validation.proof.ledger import Act, ClaimedCall, Sentence
from generator.wording.answers import ReportedCall
from generator.wording.pieces import Phrase, Spans
from generator.wording.transcript import Transcript
from generator.yaml_values import own_data

_FORMS: dict[str, Any] = own_data(__file__)
_INTROS: dict[str, tuple[str, ...]] = {kind: expand_texts(lines) for kind, lines in _FORMS["intros"].items()}
_MOST_IN_A_LINE, _MOST = 3, 7
_FURTHER = {True: 0.03, False: 0.005}
"""How often more is told of what was looked up, and of what was changed, where there is more."""
_BY_LINES = 0.8
"""How often two fields and more are lines of their own."""


# --- saying ---


def is_drawn(talk: Transcript, one: ReportedCall) -> bool:
    """Whether more is to be told of a result than a sentence."""
    is_plain = isinstance(one.result, dict) and not talk.style.is_brief and not talk.goes_on
    return is_plain and len(tellable(one.book.spec).fields) > 1 and talk.draw.chance(_FURTHER[one.book.looks_up])


def tell(talk: Transcript, told: ReportedCall, before: int) -> None:
    """Add what the answer has not said of a result, if there is something.

    Args:
        talk: The conversation so far.
        told: The call.
        before: How many values answers had told before this one.
    """
    draw, spec = talk.draw, told.book.spec
    said = [claim.pointer[1:] for claim in talk.answers[before:] if claim.call_id == told.call.id]
    left = left_of(spec, told.call.arguments, told.result, said)
    if not left or len(left) > _MOST:
        return
    by_lines = len(left) > 1 and talk.style.lists != "no" and draw.chance(_BY_LINES)
    shown = left if by_lines else draw.shuffled(left)[: draw.between(1, _MOST_IN_A_LINE)]
    intro = draw.choice(_INTROS["rest" if by_lines else _kind(told.book.looks_up)])
    text, spans, bold = intro, Spans(), by_lines and talk.is_bold
    for number, field in enumerate(shown):
        phrase = said_by_name(talk, told, field)
        if phrase is None:
            return
        text += _before(spec, field, number, intro, by_lines=by_lines, bold=bold)
        spans += [(start + len(text), end + len(text), *rest) for start, end, *rest in phrase[1]]
        text += phrase[0] if by_lines else _within(phrase)
    more: Phrase = (text if by_lines else f"{text}.", spans, [])
    talk.tell_apart(more, told.call.id, "further")
    talk.after_block = "lines" if by_lines else ""


def _within(phrase: Phrase) -> str:
    """Return the words for a value as they stand within a line: "status: confirmed"."""
    words, spans, _ = phrase
    return words[0].lower() + words[1:] if spans[0][2] == "enum" and not words[1:2].isupper() else words


# --- what both know ---


def left_of(spec: ToolSpec, arguments: dict[str, Any] | None, result: Any, said: Sequence[str]) -> list[str]:
    """Return the fields of a result that are news besides those that were said: none that the user has given, or with a value that was said."""
    nothing, given = nothing_to_tell(spec), arguments or {}
    values = [*given.values(), *[result.get(field) for field in said]]
    return [
        field
        for field in tellable(spec).fields
        if field not in said
        and (spec.looks_up or field not in _FORMS["told_of_a_change"])
        and result.get(field) != 0
        and field not in given
        and is_news(result.get(field))
        and not is_long(result[field])
        and result[field] != nothing.get(field)
        and result[field] not in values
    ]


def _kind(looks_up: bool) -> str:
    return "of_a_look_up" if looks_up else "of_a_change"


def _before(spec: ToolSpec, field: str, number: int, intro: str, *, by_lines: bool, bold: bool) -> str:
    """Return what stands before the value of a field."""
    name = name_of(spec, field)
    if by_lines:
        return f"\n- **{name}:** " if bold else f"\n- {name}: "
    if number or intro:
        name = name if name[1:2].isupper() else name[0].lower() + name[1:]
    return f"{'; ' if number else ' ' if intro else ''}{name}: "


# --- checking ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence as it stands if it names fields, each with its value."""
    text, spec = with_slots(sentence), sentence.made.spec
    known = tellable(spec).fields
    told = re.findall(r"\{([^{}]+)\}", text)
    if not told or any(field not in known for field in told):
        return
    by_lines = "\n" in text
    intro = text.partition("\n")[0] if by_lines else f"{text.partition(' –')[0]} –"
    if intro not in _INTROS["rest" if by_lines else _kind(spec.looks_up)]:
        return
    for bold in (False, True) if by_lines else (False,):
        parts = [
            f"{_before(spec, field, number, intro, by_lines=by_lines, bold=bold)}{{{field}}}{known[field][1]}"
            for number, field in enumerate(told)
        ]
        if text == f"{intro}{''.join(parts)}{'' if by_lines else '.'}":
            yield text


def _faults(sentence: Sentence) -> Iterator[str]:
    made, index = sentence.made, sentence.index
    own = [part.saying.pointer[1:] for part in sentence.parts]
    lead = [part for part in sentence.ledger.parts[index] if part.start < sentence.start and part.call == made.id]
    uses = [use for use in sentence.ledger.uses.get(index, ()) if use.start < sentence.start]
    if not lead or not uses or uses[-1].calls != (made.id,):
        yield "the sentence before does not tell what was asked for"
    elif len({*own}) < len(own) or {*own} & {part.saying.pointer[1:] for part in lead}:
        yield "it tells the same twice"
    elif _asked(sentence, made) & {*own}:
        yield "the sentence before leaves out what was asked for"
    elif "\n" in sentence.text:
        said = [part.saying.pointer[1:] for part in lead]
        left = {*left_of(made.spec, made.arguments, made.result, said)} - {*own}
        if left:
            yield f"it leaves out {', '.join(sorted(left))}"


def _asked(sentence: Sentence, made: ClaimedCall) -> set[str]:
    """Return the fields of a result on which something depends, or which are compared."""
    proof = sentence.ledger.proof
    tested = {claim.pointer[1:] for claim in proof.conditions if claim.of == made.id}
    return tested | {claim.pointer[1:] for claim in proof.comparisons if made.id in claim.calls}


ACTS = (Act("further", "assistant", "PF140", _forms, _faults, claims=True),)
