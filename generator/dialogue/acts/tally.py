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
from generator.dialogue.acts.found_list import FoundList, found_list
from generator.dialogue.proof.ledger import Act, Sentence
from generator.dialogue.proof.spans import misread_faults, verbalization
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.numbers import SPELLED as SAID_NUMBERS
from generator.dialogue.wording.answers import ReportedCall
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, Any] = own_data(__file__)
_TALLIED = 0.01
_FEWEST = 3


# --- saying ---


def tell(talk: Transcript, told: ReportedCall) -> None:
    """Add what holds of all elements of a list, now and then, if the answer has told all of them and nothing else."""
    list_result = found_list(told.phrases.spec, told.result)
    tallies = list_result.spec.phrases.tally.get(list_result.slot, ())
    if not tallies or talk.style.is_brief or not talk.draw.chance(_TALLIED):
        return
    elements = list_result.elements
    told_pointers = [split(claim.pointer) for claim in talk.answers if claim.message == len(talk.messages)]
    if len({steps[1] for steps in told_pointers if len(steps) > 1 and steps[0] == list_result.slot}) < len(elements):
        return
    tallies_with_words = [
        (tally_option, count_and_words)
        for tally_option in tallies
        if (count_and_words := _words_of_tally(talk, tally_option, elements, told.call.arguments)) is not None
    ]
    if len(elements) < _FEWEST or not tallies_with_words:
        return
    tally, (count, words) = talk.draw.choice(tallies_with_words)
    form = talk.draw.choice(_FORMS[tally.kind])
    text = form.format(say=words, all=len(elements), some=count, Some=count.capitalize())
    talk.tell_apart((text, [], []), told.call.id, "tallied")


def _words_of_tally(
    talk: Transcript, tally: Tally, elements: Sequence[dict[str, Any]], given: dict[str, Any]
) -> tuple[str, str] | None:
    """Return the number of elements that a tally counts, in words, and what it says; None where it has nothing to say."""
    values = [element.get(tally.field) for element in elements]
    if tally.kind == "count":
        number = len([value for value in values if same(value, tally.value)])
        if tally.field in given or not 0 < number < len(values):
            return None
        return SAID_NUMBERS[number], _for_number(tally.say, number)
    total = _sum(values)
    before, slot, after = _split_at_sum(tally.say)
    words = None if total is None else VERBALIZERS[slot.verbalizer or "number"].say(total, talk.answering)
    return None if words is None else ("", f"{before}{words}{after}")


# --- what both know ---


def _sum(values: Sequence[Any]) -> float | int | None:
    """Return the exact sum of numbers; None where one of them is none, or all are zero."""
    if not all(type(value) in (int, float) for value in values):
        return None
    total = sum([Decimal(str(value)) for value in values])
    return (int(total) if all(type(value) is int for value in values) else float(total)) if total else None


def _split_at_sum(say: str) -> tuple[str, Slot, str]:
    """Return what stands before the sum, its slot, and what stands after it."""
    segments = parse_template(say, "result").segments
    at = next(number for number, part in enumerate(segments) if isinstance(part, Slot))
    slot = segments[at]
    assert isinstance(slot, Slot)
    return "".join(map(str, segments[:at])), slot, "".join(map(str, segments[at + 1 :]))


def _for_number(say: str, number: int) -> str:
    """Return what is said of some elements, or of one."""
    first, space, rest = say.partition(" ")
    return f"{_FORMS['for_one'].get(first, first)}{space}{rest}" if number == 1 else say


# --- checking ---


def _forms(sentence: Sentence) -> Iterator[str]:
    """Yield what may be said of all elements, computed anew; of a sum the sentence as it stands, if its words say that."""
    found, text = found_list(sentence.made.spec, sentence.made.result), sentence.text
    for tally in found.spec.phrases.tally.get(found.slot, ()):
        values = [element.get(tally.field) for element in found.elements]
        if tally.kind == "count":
            wanted = json.dumps(tally.value)
            number = len([value for value in values if json.dumps(value) == wanted])
            some, say = (SAID_NUMBERS[number], _for_number(tally.say, number)) if number else ("", "")
        else:
            before, _, after = _split_at_sum(tally.say)
            some, say = "", f"{before}…{after}"
        for form in _FORMS[tally.kind] if say else ():
            whole = form.format(say=say, all=len(values), some=some, Some=some.capitalize())
            before, hole, after = whole.partition("…")
            is_alike = hole and len(text) > len(before + after) and text.startswith(before) and text.endswith(after)
            if is_alike and _is_sum(found, tally, text[len(before) : len(text) - len(after)], values):
                yield text
            elif not hole:
                yield whole


def _is_sum(found: FoundList, tally: Tally, words: str, values: Sequence[Any]) -> bool:
    """Whether words say the sum of the values."""
    if not all(type(value) in (int, float) for value in values):
        return False
    millionths: int = sum([round(value * 10**6) for value in values])
    total = millionths // 10**6 if all(type(value) is int for value in values) else millionths / 10**6
    verbalizer = _split_at_sum(tally.say)[1].verbalizer or "number"
    saying = verbalization(found.spec, "result", f"/{found.slot}/0/{tally.field}", verbalizer)
    return not any(misread_faults(words, total, saying, None))


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield that nothing should be said of all elements together: they are few, or not all of them are told."""
    found = found_list(sentence.made.spec, sentence.made.result)
    before = [part for part in sentence.ledger.parts[sentence.index] if part.start < sentence.start]
    own = [split(part.saying.pointer) for part in before if part.call == sentence.made.id]
    told = {steps[1] for steps in own if len(steps) > 1 and steps[0] == found.slot}
    if len(found.elements) < _FEWEST or len(told) < len(found.elements):
        yield "the elements are few, or not all of them are told before"


ACTS = (Act("tallied", "assistant", "PF141", _forms, _faults),)
