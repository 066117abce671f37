"""Tally: what holds of all elements of a list together: "Together they come to $120.50.", "Three of them are unread."."""

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from generator.core.exact_json import same
from generator.core.pointers import split
from generator.core.templates import Slot, parse_template
from generator.core.toolbox import Tally
from generator.core.yaml_values import own_data
from generator.dialogue.acts.listing import listed_slot
from generator.dialogue.proof.ledger import Act, ClaimedCall, Sentence
from generator.dialogue.proof.spans import misread_faults, verbalization
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.numbers import NUMBER_WORDS
from generator.dialogue.values.numbers import SPELLED as SAID_NUMBERS
from generator.dialogue.wording.answers import ReportedCall
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, Any] = own_data(__file__)
_TALLIED = 0.01
_FEWEST = 3


# --- saying ---


def tell(talk: Transcript, told: ReportedCall) -> None:
    """Add what holds of all elements of a list, now and then, if the answer has told all of them and nothing else."""
    spec, slot = told.book.spec, listed_slot(told.book.spec, told.result)
    known = () if slot is None else spec.phrases.tally.get(slot, ())
    if slot is None or not known or talk.style.is_brief or not talk.draw.chance(_TALLIED):
        return
    elements = told.result[slot]
    own = [split(claim.pointer) for claim in talk.answers if claim.message == len(talk.messages)]
    if len({steps[1] for steps in own if len(steps) > 1 and steps[0] == slot}) < len(elements):
        return
    sayings = [(one, said) for one in known if (said := _said(talk, one, elements, told.call.arguments)) is not None]
    if len(elements) < _FEWEST or not sayings:
        return
    tally, (some, say) = talk.draw.choice(sayings)
    form = talk.draw.choice(_FORMS[tally.kind])
    text = form.format(say=say, all=len(elements), some=some, Some=some.capitalize())
    talk.tell_apart((text, [], []), told.call.id, "tallied")


def _said(
    talk: Transcript, tally: Tally, elements: Sequence[dict[str, Any]], given: dict[str, Any]
) -> tuple[str, str] | None:
    """Return the number of elements that a tally counts, in words, and what it says; None where it has nothing to say."""
    values = [element.get(tally.field) for element in elements]
    if tally.kind == "count":
        number = len([value for value in values if same(value, tally.value)])
        if tally.field in given or not 0 < number < len(values):
            return None
        return SAID_NUMBERS[number], _for_some(tally.say, number)
    total = _sum(values)
    before, slot, after = _around(tally.say)
    words = None if total is None else VERBALIZERS[slot.verbalizer or "number"].say(total, talk.answering)
    return None if words is None else ("", f"{before}{words}{after}")


# --- what both know ---


def _sum(values: Sequence[Any]) -> float | int | None:
    """Return the exact sum of numbers; None where one of them is none, or all are zero."""
    if not all(type(value) in (int, float) for value in values):
        return None
    total = sum([Decimal(str(value)) for value in values])
    return (int(total) if all(type(value) is int for value in values) else float(total)) if total else None


def _around(say: str) -> tuple[str, Slot, str]:
    """Return what stands before the sum, its slot, and what stands after it."""
    segments = parse_template(say, "result").segments
    at = next(number for number, part in enumerate(segments) if isinstance(part, Slot))
    slot = segments[at]
    assert isinstance(slot, Slot)
    return "".join(map(str, segments[:at])), slot, "".join(map(str, segments[at + 1 :]))


def _for_some(say: str, number: int) -> str:
    """Return what is said of some elements, or of one."""
    first, space, rest = say.partition(" ")
    return f"{_FORMS['for_one'].get(first, first)}{space}{rest}" if number == 1 else say


# --- checking ---


def _read(sentence: Sentence) -> Iterator[tuple[Tally, str, bool]]:
    """Yield the tallies that a sentence may tell, with the words for their number, and whether it speaks of one element."""
    slot, elements = _elements(sentence.made)
    text = sentence.text
    for tally in sentence.made.spec.phrases.tally.get(slot, ()):
        for form in _FORMS[tally.kind]:
            for some, say, is_one in _sayings(tally):
                whole = form.replace("{Some}", "{some}").format(say=say, all=len(elements), some=some)
                before, _, after = whole.partition("…")
                words = text[len(before) : len(text) - len(after)]
                is_alike = text.startswith(before) and text.endswith(after) and words
                if is_alike and form.startswith("{Some}") == words[:1].isupper():
                    yield tally, words, is_one


def _sayings(tally: Tally) -> Iterator[tuple[str, str, bool]]:
    if tally.kind == "count":
        yield from [("…", _for_some(tally.say, number), number == 1) for number in (1, 2)]
    else:
        before, _, after = _around(tally.say)
        yield "", f"{before}…{after}", False


def _elements(made: ClaimedCall) -> tuple[str, list[dict[str, Any]]]:
    slot = listed_slot(made.spec, made.result)
    return ("", []) if slot is None else (slot, made.result[slot])


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield the sentence as it stands if it tells one of the tool's tallies, with a number that is so."""
    if any(_is_so(sentence.made, *one) for one in _read(sentence)):
        yield sentence.text


def _is_so(made: ClaimedCall, tally: Tally, words: str, is_one: bool) -> bool:
    """Whether the number that the words say is that of the result, computed anew."""
    slot, elements = _elements(made)
    values = [element.get(tally.field) for element in elements]
    if tally.kind == "count":
        wanted = json.dumps(tally.value)
        number = len([value for value in values if json.dumps(value) == wanted])
        return NUMBER_WORDS.get(words.lower()) == number > 0 and (is_one is (number == 1))
    numbers: list[Any] = [value for value in values if type(value) in (int, float)]
    if len(numbers) < len(values):
        return False
    cents: int = sum([round(value * 10**6) for value in numbers])
    saying = verbalization(
        made.spec, "result", f"/{slot}/0/{tally.field}", _around(tally.say)[1].verbalizer or "number"
    )
    total = cents // 10**6 if all(type(value) is int for value in values) else cents / 10**6
    return not any(misread_faults(words, total, saying, None))


def _faults(sentence: Sentence) -> Iterator[str]:
    slot, elements = _elements(sentence.made)
    before = [part for part in sentence.ledger.parts[sentence.index] if part.start < sentence.start]
    own = [split(part.saying.pointer) for part in before if part.call == sentence.made.id]
    told = {steps[1] for steps in own if len(steps) > 1 and steps[0] == slot}
    if len(elements) < _FEWEST or len(told) < len(elements):
        yield "the elements are few, or not all of them are told before"


ACTS = (Act("tallied", "assistant", "PF141", _forms, _faults),)
