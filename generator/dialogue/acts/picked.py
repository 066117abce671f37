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


def grounds(talk: Transcript, event: Tell, places: Sequence[EventItem], told: Sequence[ReportedCall]) -> list[Ground]:
    """Return what the user has singled out for calls that are told, or asks to be told, and cannot know yet to be it."""
    if talk.style.sentences is not None:
        return []
    found: dict[tuple[str, int, str], Ground] = {}
    turn = next((one for one in reversed(talk.log.events[: event.id]) if type(one) is Say), None)
    for place, one in zip(places, told, strict=True):
        for ref in talk.call_at(place).args.values():
            ground = _ground(talk, ref, one.call.id)
            if ground is None:
                continue
            is_seen = any((one.call_id, one.pointer) == (ground.told.call.id, ground.pointer) for one in talk.answers)
            if not is_seen or turn is None or ref.event > turn.id:
                found.setdefault((ground.told.call.id, ground.index, ground.pick.by), ground)
    words = "" if turn is None else (talk.messages[talk.said_at[turn.id]].content or "").casefold()
    # a superlative that nothing is taken by asks which one it is
    if not found and len(told) == 1 and _SUPERLATIVE.search(words):
        return _asked_by_superlative(told[0], words)
    return list(found.values())


def _ground(talk: Transcript, ref: Ref, taken: str) -> Ground | None:
    """Return the element from which an argument is taken, if it was singled out by what it has most or least of."""
    if ref.pick is None or not ref.pick.by.startswith(_EXTREMES):
        return None
    if not isinstance(talk.log.events[ref.event], Step):
        return None
    (source,), (slot, index) = talk.reported([(ref.event, ref.of)]), split(f"/{ref.at}")[:2]
    found = found_list(source.phrases.spec, source.result)
    if found.slot != slot:
        return None
    known = [one for one in found.picks if one.by == ref.pick.by]
    own = ref.pick if ref.pick in known else known[0] if known else None
    return None if own is None else Ground(source, found, own, int(index), taken)


def _asked_by_superlative(told: ReportedCall, words: str) -> list[Ground]:
    """Return the element that a text asks for by a superlative that a pick of its list has: "Where's the nearest florist?"."""
    found = found_list(told.phrases.spec, told.result)
    for value in told.call.arguments.values():  # a file may be called "Latest plan"
        words = words.replace(value.casefold(), " ") if type(value) is str and value else words
    for pick, index in found.extremes():
        superlatives = _SUPERLATIVE.findall(pick.say.casefold())
        if any(re.search(rf"\b{said}\b", words) for said in superlatives):
            return [Ground(told, found, pick, index)]
    return []


_SUPERLATIVE = re.compile(
    r"\b(?:most|least|fewest|best|worst)[ -]\w+|\b(?!(?:most|least|fewest|best|worst)\b)\w{2,}est\b"
)


def tell(talk: Transcript, some: Sequence[Ground], *, is_named: bool) -> list[Ground]:
    """Add which elements they are, by their names, or as what was just told; return those of which it cannot be said so."""
    return [ground for ground in some if not _tell(talk, ground, is_named=is_named)]


def _tell(talk: Transcript, ground: Ground, *, is_named: bool) -> bool:
    """Add that an element is the one with the least or most of something; return whether that can be said."""
    found, field = ground.found, ground.pick.by.split()[1]
    elements = Elements(talk, ground.told, found, ground.told.phrases.answers[0])
    name = elements.named(ground.index) if is_named else None
    if is_named and (name is None or (found.name is not None and found.name.slot == field)):
        return False
    before, after = _around_value(found, ground.pick, found.elements[ground.index])
    way, _ = found.way_to_say(field)
    value = elements.said(f"{{{field}{':' + way if way else ''}}}", ground.index) if before else None
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
    other, second = draw.choice(best) if draw.chance(0.5) else (pick, index)
    names = {"name": elements.named(index), "second": elements.named(second)}
    if None in names.values():
        return
    is_two = index != second and pick.by.split()[1] != other.by.split()[1]
    form = draw.choice(_FORMS["two" if is_two else "singled"])
    elements.talk.tell_apart(filled(form, pick_words(pick, other), names), elements.told.call.id, "singled_out")


# --- what both know ---


def _around_value(found: FoundList, pick: Pick, element: dict[str, Any]) -> tuple[str, str]:
    """Return what stands before and after the value by which an element is picked; nothing where it cannot be told.

    A bare number has the name of its field before it, unless the words for the pick name that.
    """
    field = pick.by.split()[1]
    value, (way, unit) = element.get(field), found.way_to_say(field)
    is_no = value == 0 and way == "counted"
    if value is None or is_no or (value == 1 and unit.endswith("s")) or (unit == " minutes" and value > _MANY_MINUTES):
        return "", ""
    name = found.in_words(field)[0]
    is_named = name.endswith("year") or any(
        re.search(rf"\b{re.escape(word[:_STEM])}", pick.say) for word in name.split()
    )
    is_clear = way or unit or type(value) is str or is_named
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
    """Yield what may be said of the elements that the user has singled out."""
    found = found_list(sentence.made.spec, sentence.made.result)
    for pick in _picks_in(sentence, found):
        index = next(iter(_told_elements(sentence)), len(found.elements))
        element = found.elements[index] if index < len(found.elements) else {}
        before, after = _around_value(found, pick, element)
        values = ["", f"{before}{found.slot_for(pick.by.split()[1])}{after}"] if before else [""]
        for kind in ("named", "behind"):
            for form, value in product(_FORMS[kind], values):
                text = form.format(**pick_words(pick), name=_name_slot(found), value=value)
                yield _Reading(text, (pick,), kind == "behind")


def _readings_of_singled(sentence: Sentence) -> Iterator[_Reading]:
    """Yield what may single out one element or two that nobody has asked for."""
    found = found_list(sentence.made.spec, sentence.made.result)
    for pick, other in product(_picks_in(sentence, found), repeat=2):
        name = _name_slot(found)
        for form in [*_FORMS["two"], *(_FORMS["singled"] if pick is other else ())]:
            text = form.format(**pick_words(pick, other), name=name, second=name)
            yield _Reading(text, (pick, other) if "{second}" in form else (pick,))


def _picks_in(sentence: Sentence, found: FoundList) -> list[Pick]:
    """Return the picks of a list whose words ("the cheapest hotel") stand in a sentence."""
    text = sentence.text.casefold()
    return [pick for pick in found.picks if pick.say.casefold() in text]


def _name_slot(found: FoundList) -> str:
    """Return the slot for what an element is called as forms have it: `{hotels/*/name}`."""
    return found.slot_for("" if found.name is None else found.name.slot)


def _told_elements(sentence: Sentence) -> list[int]:
    """Return the places of the elements whose values a sentence says, in order."""
    parts = [part for part in sentence.parts if part.saying.of == "result" and part.saying.pointer.count("/") > 1]
    return list(dict.fromkeys([int(split(part.saying.pointer)[1]) for part in parts]))


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield that a sentence is about another element than the one with the least or most of it."""
    made, ledger = sentence.made, sentence.ledger
    read = next((one for one in _readings(sentence) if one.text == sentence.form), None)
    found = found_list(made.spec, made.result)
    if read is None:
        return
    (pick,) = read.picks
    takers = {call: place for call, source, place, by in _calls_by_pick(ledger) if source is made and by == pick.by}
    own = _told_elements(sentence) or [*takers.values()]
    if not own or not all(is_picked(found.elements, index, pick.by) for index in own):
        yield "it is not the one"
    elif read.is_behind:
        before = [use.calls for use in ledger.uses.get(sentence.index, ()) if use.start < sentence.start]
        if not before or not takers.keys() & {*before[-1]}:
            yield "the sentence before is not about it"


def _faults_of_singled(sentence: Sentence) -> Iterator[str]:
    """Yield that an element, or one of two, is not the one that a sentence says it is."""
    found, told = found_list(sentence.made.spec, sentence.made.result), _told_elements(sentence)
    fitting = [one.picks for one in _readings_of_singled(sentence) if one.text == sentence.form]
    if not any(
        len(picks) == len(told)
        and all(is_picked(found.elements, place, pick.by) for place, pick in zip(told, picks, strict=True))
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
    if ledger.prefix or not ledger.phrases or not [one for one in ledger.proof.arguments if one.pick is not None]:
        return
    systems = [message for message in ledger.conversation.messages if isinstance(message, SystemMessage)]
    if any(style_in(message.content).sentences is not None for message in systems):
        return
    for call, source, index, by in _calls_by_pick(ledger):
        found, told = found_list(source.spec, source.result), _told_at(ledger, call)
        if told is None or all(one.by != by for one in found.picks):
            continue
        pointer = f"/{found.slot}/{index}/{by.split()[1]}"
        shown = [one.message for one in ledger.proof.answers if (one.call_id, one.pointer) == (source.id, pointer)]
        said = [one.index for one in ledger.spoken("picked") if one.made is source]
        if not any(at < told for at in shown) and not any(at <= told for at in said):
            ledger.report("PF143", ("message", told), "it does not say that this is the one with the {}", by)


def check_named(ledger: Ledger) -> None:
    """Check that the user has been told that by which they name an element of a list."""
    picked = [claim for claim in ledger.proof.arguments if names_one(claim)]
    told = {(claim.call_id, claim.pointer) for claim in ledger.proof.answers if claim.of == "result"} if picked else ()
    for claim in picked:
        if not _was_told(claim, told, ledger):
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
        _faults_of_singled,
        claims=True,
    ),
)
