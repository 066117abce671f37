"""Picked: the answer says which element of a list has the least or the most of something: "The nearest one is Canal Corner (90 m)."."""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import product
from typing import Any

import msgspec

from generator.core.claims import Claim
from generator.core.conversation import SystemMessage
from generator.core.planning import Ref, Say, Step, Tell
from generator.core.pointers import split
from generator.core.toolbox import Pick
from generator.core.yaml_values import own_data
from generator.dialogue.acts.found_list import Elements, FoundList, filled, found_list, pick_words
from generator.dialogue.proof.ledger import Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.proof.picks import as_slot, is_picked, list_indexes, names_one
from generator.dialogue.styles import style_in
from generator.dialogue.wording.answers import ReportedCall
from generator.dialogue.wording.transcript import EventItem, Transcript

_FORMS: dict[str, Any] = own_data(__file__)
_EXTREMES = ("min ", "max ")
_MANY_MINUTES = 90
"""More minutes are hours, which nobody says without a verbalizer."""
_STEM = 3
"""How many letters the words for a pick and the name of its field have in common at least: "best-rated", "rating"."""


class Ground(msgspec.Struct, frozen=True):
    """An element of a list that the user has singled out."""

    told: ReportedCall
    """The look-up that found it."""
    found: FoundList
    pick: Pick
    index: int
    taken: str = ""
    """The call that takes a value of it; empty where the user only asks which one it is."""

    @property
    def pointer(self) -> str:
        """The pointer to the value by which it is picked."""
        return f"/{self.found.slot}/{self.index}/{self.pick.by.split()[1]}"


# --- saying ---


def grounds(talk: Transcript, event: Tell, places: Sequence[EventItem], calls: Sequence[ReportedCall]) -> list[Ground]:
    """Return what the user has singled out for calls that are told, or asks to be told, and cannot know yet to be it."""
    if talk.style.sentences is not None:
        return []
    grounds: dict[tuple[str, int, str], Ground] = {}
    last_request = next(
        (reported_call for reported_call in reversed(talk.log.events[: event.id]) if type(reported_call) is Say), None
    )
    for place, reported_call in zip(places, calls, strict=True):
        for ref in talk.call_at(place).args.values():
            ground = _ground(talk, ref, reported_call.call.id)
            if ground is None:
                continue
            is_seen = any(
                (reported_call.call_id, reported_call.pointer) == (ground.told.call.id, ground.pointer)
                for reported_call in talk.answers
            )
            if not is_seen or last_request is None or ref.event > last_request.id:
                grounds.setdefault((ground.told.call.id, ground.index, ground.pick.by), ground)
    request_text = (
        "" if last_request is None else (talk.messages[talk.said_at[last_request.id]].content or "").casefold()
    )
    # a superlative that nothing is taken by asks which one it is
    if not grounds and len(calls) == 1 and _SUPERLATIVE.search(request_text):
        return _asked_by_superlative(calls[0], request_text)
    return list(grounds.values())


def _ground(talk: Transcript, ref: Ref, taking_call: str) -> Ground | None:
    """Return the element from which the call `taking_call` takes an argument, if it was singled out by what it has most or least of."""
    if ref.pick is None or not ref.pick.by.startswith(_EXTREMES):
        return None
    if not isinstance(talk.log.events[ref.event], Step):
        return None
    (source,), (slot, index) = talk.reported([(ref.event, ref.of)]), split(f"/{ref.at}")[:2]
    list_result = found_list(source.phrases.spec, source.result)
    if list_result.slot != slot:
        return None
    picks_alike = [one for one in list_result.picks if one.by == ref.pick.by]
    pick = ref.pick if ref.pick in picks_alike else picks_alike[0] if picks_alike else None
    return None if pick is None else Ground(source, list_result, pick, int(index), taking_call)


def _asked_by_superlative(looked_up: ReportedCall, text: str) -> list[Ground]:
    """Return the element that a text asks for by a superlative that a pick of its list has: "Where's the nearest florist?"."""
    list_result = found_list(looked_up.phrases.spec, looked_up.result)
    for value in looked_up.call.arguments.values():  # a file may be called "Latest plan"
        text = text.replace(value.casefold(), " ") if type(value) is str and value else text
    for pick, index in list_result.extremes():
        superlatives = _SUPERLATIVE.findall(pick.say.casefold())
        if any(re.search(rf"\b{superlative}\b", text) for superlative in superlatives):
            return [Ground(looked_up, list_result, pick, index)]
    return []


_SUPERLATIVE = re.compile(
    r"\b(?:most|least|fewest|best|worst)[ -]\w+|\b(?!(?:most|least|fewest|best|worst)\b)\w{2,}est\b"
)


def tell(talk: Transcript, grounds: Sequence[Ground], *, is_named: bool) -> list[Ground]:
    """Add which elements they are, by their names, or as what was just told; return those of which it cannot be said so."""
    return [ground for ground in grounds if not _tell(talk, ground, is_named=is_named)]


def _tell(talk: Transcript, ground: Ground, *, is_named: bool) -> bool:
    """Add which element has the least or most of something, "That's Casa Verde, the cheapest one"; return whether that can be said."""
    list_result, field = ground.found, ground.pick.by.split()[1]
    elements = Elements(talk, ground.told, list_result, ground.told.phrases.answers[0])
    name = elements.named(ground.index) if is_named else None
    if is_named and (name is None or (list_result.name is not None and list_result.name.slot == field)):
        return False
    before, after = _around_value(list_result, ground.pick, list_result.elements[ground.index])
    verbalizer, _ = list_result.way_to_say(field)
    value = elements.said(f"{{{field}{':' + verbalizer if verbalizer else ''}}}", ground.index) if before else None
    form = talk.draw.choice(_FORMS["behind" if name is None else "named"])
    form = form.replace("{value}", "" if value is None else f"{before}{{value}}{after}")
    phrase = filled(form, pick_words(ground.pick), {"name": name, "value": value})
    talk.tell_apart(phrase, ground.told.call.id, "picked")
    return True


def single_out(elements: Elements, best: list[tuple[Pick, int]]) -> None:
    """Add which element has the least or the most of something, or say so of two: "The cheapest hotel is Casa Verde."."""
    draw = elements.talk.draw
    if not best:
        return
    pick, index = draw.choice(best)
    second_pick, second_index = draw.choice(best) if draw.chance(0.5) else (pick, index)
    names = {"name": elements.named(index), "second": elements.named(second_index)}
    if None in names.values():
        return
    is_two = index != second_index and pick.by.split()[1] != second_pick.by.split()[1]
    form = draw.choice(_FORMS["two" if is_two else "singled"])
    elements.talk.tell_apart(filled(form, pick_words(pick, second_pick), names), elements.told.call.id, "singled_out")


# --- what both know ---


def _around_value(found: FoundList, pick: Pick, element: dict[str, Any]) -> tuple[str, str]:
    """Return what stands before and after the value by which an element is picked; nothing where it cannot be told.

    A bare number has the name of its field before it, unless the words for the pick name that.
    """
    field = pick.by.split()[1]
    value, (verbalizer, unit) = element.get(field), found.way_to_say(field)
    is_no = value == 0 and verbalizer == "counted"
    if value is None or is_no or (value == 1 and unit.endswith("s")) or (unit == " minutes" and value > _MANY_MINUTES):
        return "", ""
    name = found.in_words(field)[0]
    is_named = name.endswith("year") or any(
        re.search(rf"\b{re.escape(word[:_STEM])}", pick.say) for word in name.split()
    )
    is_clear = verbalizer or unit or type(value) is str or is_named
    counted = f"{name.removesuffix(' count')}s" if name.endswith(" count") else name
    kind = "value" if is_clear else "counted" if counted.endswith("s") and value != 1 else "measured"
    before, _, after = _FORMS[kind].replace("{measure}", counted).partition("{value}")
    return before, f"{unit}{after}"


# --- checking ---


class _Reading(msgspec.Struct, frozen=True):
    """A text that a sentence may have, and the picks that it names then, in the order of the elements."""

    text: str
    picks: tuple[Pick, ...]
    is_behind: bool = False


def _readings(sentence: Sentence) -> Iterator[_Reading]:
    """Yield the texts that may say which element the user has singled out, with the picks that each names."""
    list_result = found_list(sentence.made.spec, sentence.made.result)
    for pick in _picks_in(sentence, list_result):
        index = next(iter(_told_elements(sentence)), len(list_result.elements))
        element = list_result.elements[index] if index < len(list_result.elements) else {}
        before, after = _around_value(list_result, pick, element)
        values = ["", f"{before}{list_result.slot_for(pick.by.split()[1])}{after}"] if before else [""]
        for kind in ("named", "behind"):
            for form, value in product(_FORMS[kind], values):
                text = form.format(**pick_words(pick), name=_name_slot(list_result), value=value)
                yield _Reading(text, (pick,), kind == "behind")


def _readings_of_singled(sentence: Sentence) -> Iterator[_Reading]:
    """Yield the texts that may single out one element or two that nobody has asked for, with the picks that each names."""
    list_result = found_list(sentence.made.spec, sentence.made.result)
    for pick, second_pick in product(_picks_in(sentence, list_result), repeat=2):
        name = _name_slot(list_result)
        for form in [*_FORMS["two"], *(_FORMS["singled"] if pick is second_pick else ())]:
            text = form.format(**pick_words(pick, second_pick), name=name, second=name)
            yield _Reading(text, (pick, second_pick) if "{second}" in form else (pick,))


def _picks_in(sentence: Sentence, list_result: FoundList) -> list[Pick]:
    """Return the picks of a list whose words ("the cheapest hotel") stand in a sentence."""
    text = sentence.text.casefold()
    return [pick for pick in list_result.picks if pick.say.casefold() in text]


def _name_slot(list_result: FoundList) -> str:
    """Return the slot for what an element is called as forms have it: `{hotels/*/name}`."""
    return list_result.slot_for("" if list_result.name is None else list_result.name.slot)


def _told_elements(sentence: Sentence) -> list[int]:
    """Return the places of the elements whose values a sentence says, in order."""
    parts = [part for part in sentence.parts if part.saying.of == "result" and part.saying.pointer.count("/") > 1]
    return list(dict.fromkeys([int(split(part.saying.pointer)[1]) for part in parts]))


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield that a sentence is about another element than the one with the least or most of it."""
    made, ledger = sentence.made, sentence.ledger
    reading = next((some_reading for some_reading in _readings(sentence) if some_reading.text == sentence.form), None)
    list_result = found_list(made.spec, made.result)
    if reading is None:
        return
    (pick,) = reading.picks
    indexes_by_call = {
        call: place for call, source, place, by in _calls_by_pick(ledger) if source is made and by == pick.by
    }
    indexes = _told_elements(sentence) or [*indexes_by_call.values()]
    if not indexes or not all(is_picked(list_result.elements, index, pick.by) for index in indexes):
        yield "it is not the one"
    elif reading.is_behind:
        calls_of_earlier_forms = [
            use.calls for use in ledger.uses.get(sentence.index, ()) if use.start < sentence.start
        ]
        if not calls_of_earlier_forms or not indexes_by_call.keys() & {*calls_of_earlier_forms[-1]}:
            yield "the sentence before is not about it"


def _faults_of_singled_out(sentence: Sentence) -> Iterator[str]:
    """Yield that an element, or one of two, is not the one that a sentence says it is: "The cheapest is Ada, the best Ben."."""
    list_result, told_indexes = found_list(sentence.made.spec, sentence.made.result), _told_elements(sentence)
    fitting = [reading.picks for reading in _readings_of_singled(sentence) if reading.text == sentence.form]
    if not any(
        len(picks) == len(told_indexes)
        and all(
            is_picked(list_result.elements, index, pick.by) for index, pick in zip(told_indexes, picks, strict=True)
        )
        for picks in fitting
    ):
        yield "it is not the one"


def _calls_by_pick(ledger: Ledger) -> Iterator[tuple[str, ClaimedCall, int, str]]:
    """Yield the calls that take a value of an element which is singled out by a field, with the look-up, the element and the pick."""
    for claim in ledger.proof.arguments:
        steps = split(claim.result_pointer or "")
        if claim.pick is None or not claim.pick.startswith(_EXTREMES) or not steps[1:] or not steps[1].isdecimal():
            continue
        source = ledger.answered_at(claim.message)
        if source is not None and found_list(source.spec, source.result).slot == steps[0]:
            yield claim.call_id, source, int(steps[1]), claim.pick


def check(ledger: Ledger) -> None:
    """Check that the answer about what the user has singled out says that it is that, if no earlier answer has shown what it was singled out by."""
    if ledger.prefix or not ledger.phrases or not [item for item in ledger.proof.arguments if item.pick is not None]:
        return
    systems = [message for message in ledger.conversation.messages if isinstance(message, SystemMessage)]
    if any(style_in(message.content).sentences is not None for message in systems):
        return
    for call, source, index, by in _calls_by_pick(ledger):
        list_result, index_of_answer = found_list(source.spec, source.result), _told_at(ledger, call)
        if index_of_answer is None or all(item.by != by for item in list_result.picks):
            continue
        pointer = f"/{list_result.slot}/{index}/{by.split()[1]}"
        shown = [item.message for item in ledger.proof.answers if (item.call_id, item.pointer) == (source.id, pointer)]
        picked_messages = [item.index for item in ledger.spoken("picked") if item.made is source]
        if not any(answer_index < index_of_answer for answer_index in shown) and not any(
            answer_index <= index_of_answer for answer_index in picked_messages
        ):
            ledger.report("PF143", ("message", index_of_answer), "it does not say that this is the one with the {}", by)


def check_named(ledger: Ledger) -> None:
    """Check that the user has been told that by which they name an element of a list."""
    claims_by_name = [claim for claim in ledger.proof.arguments if names_one(claim)]
    told_values = (
        {(claim.call_id, claim.pointer) for claim in ledger.proof.answers if claim.of == "result"}
        if claims_by_name
        else ()
    )
    for claim in claims_by_name:
        if not _was_told(claim, told_values, ledger):
            ledger.report("PF124", ("argument", claim.call_id, claim.pointer), "nobody has told that before")


def _was_told(claim: Claim, told: Collection[tuple[str, str]], ledger: Ledger) -> bool:
    """Whether the user has been told the value by which they name an element, or can count its place."""
    source = ledger.answered_at(claim.message)
    places = [] if source is None else list_indexes(source.result, claim.result_pointer or "")
    if source is None or not places:
        return False
    element = as_slot(split(claim.result_pointer or "")[: places[0] + 1])
    how, _, rest = (claim.pick or "").partition(" ")
    if how == "is":
        return (source.id, f"/{element}/{rest.partition(' ')[0]}") in told
    return any(call_id == source.id and pointer.startswith(f"/{element}/") for call_id, pointer in told)


def _told_at(ledger: Ledger, call: str) -> int | None:
    """Return the first message that tells the result of a call in sentences of its tool."""
    own = [at for at, uses in ledger.uses.items() for use in uses if call in use.calls and use.key.startswith("answer")]
    return min(own, default=None)


ACTS = (
    Act(
        "picked", "assistant", "PF143", lambda sentence: [one.text for one in _readings(sentence)], _faults, claims=True
    ),
    Act(
        "singled_out",
        "assistant",
        "PF139",
        lambda sentence: [one.text for one in _readings_of_singled(sentence)],
        _faults_of_singled_out,
        claims=True,
    ),
)
