"""Picked: the answer says which element the user's superlative has singled out: "The nearest one is Canal Corner (90 m)."."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import msgspec

from generator.core.claims import Claim
from generator.core.connectives import field_in_words
from generator.core.conversation import SystemMessage
from generator.core.planning import Ref, Say, Step, Tell
from generator.core.pointers import split
from generator.core.toolbox import Pick, ToolSpec
from generator.core.yaml_values import own_data
from generator.dialogue.acts.listing import (
    Lines,
    extremes,
    listed_slot,
    name_slot,
    names_in_list,
    picks_of,
    way_to_say,
    with_slots,
)
from generator.dialogue.proof.ledger import Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.proof.picks import as_slot, is_picked, list_indexes, names_one
from generator.dialogue.styles import style_in
from generator.dialogue.wording.answers import ReportedCall
from generator.dialogue.wording.pieces import Spans
from generator.dialogue.wording.transcript import EventItem, Transcript

_FORMS: dict[str, Any] = own_data(__file__)
_EXTREMES = ("min ", "max ")
_MANY_MINUTES = 90
"""More minutes are hours, which nobody says without a verbalizer."""
_STEM = 3
"""How many letters the words for a pick and the name of its field have in common at least: "best-rated", "rating"."""


class Ground(msgspec.Struct, frozen=True):
    """An element of a list that the user has singled out."""

    found: ReportedCall
    """The look-up that found it."""
    pick: Pick
    index: int
    taken: str = ""
    """The call that takes a value of it; empty where the user only asks which one it is."""


# --- saying ---


def grounds(talk: Transcript, event: Tell, places: Sequence[EventItem], told: Sequence[ReportedCall]) -> list[Ground]:
    """Return what the user has singled out for calls that are told, or asks to be told, and cannot know yet to be it."""
    if talk.style.sentences is not None:
        return []
    found: dict[tuple[str, int, str], Ground] = {}
    turn = next((one for one in reversed(talk.log.events[: event.id]) if type(one) is Say), None)
    for place, one in zip(places, told, strict=True):
        step = talk.log.events[place[0]]
        assert isinstance(step, Step)
        for ref in step.calls[place[1]].args.values():
            ground = _ground(talk, ref, one.call.id) if type(ref) is Ref and ref.pick is not None else None
            if ground is None or type(ref) is not Ref:
                continue
            pointer = _pointer(ground.found.book.spec, ground.found.result, ground.index, ground.pick)
            is_seen = any((one.call_id, one.pointer) == (ground.found.call.id, pointer) for one in talk.answers)
            if not is_seen or turn is None or ref.event > turn.id:
                found.setdefault((ground.found.call.id, ground.index, ground.pick.by), ground)
    words = "" if turn is None else (talk.messages[talk.said_at[turn.id]].content or "").casefold()
    # a superlative that nothing is taken by asks which one it is
    for one in told if len(told) == 1 and not found and _SUPERLATIVE.search(words) else ():
        for pick, index in _asked_for(one.book.spec, one.result, _without_values(words, one)):
            found[one.call.id, index, pick.by] = Ground(one, pick, index)
    return list(found.values())


def _ground(talk: Transcript, ref: Ref, taken: str) -> Ground | None:
    """Return the element from which an argument is taken, if it was singled out by what it has most or least of."""
    if ref.pick is None or not ref.pick.by.startswith(_EXTREMES):
        return None
    if not isinstance(talk.log.events[ref.event], Step):
        return None
    (source,), (slot, index) = talk.reported([(ref.event, ref.of)]), split(f"/{ref.at}")[:2]
    if listed_slot(source.book.spec, source.result) != slot:
        return None
    known = [one for one in picks_of(source.book.spec, slot) if one.by == ref.pick.by]
    own = ref.pick if ref.pick in known else known[0] if known else None
    return None if own is None else Ground(source, own, int(index), taken)


def tell(talk: Transcript, some: Sequence[Ground], *, is_named: bool) -> list[Ground]:
    """Add which elements they are, by their names, or as what was just told; return those of which it cannot be said so."""
    return [ground for ground in some if not _tell(talk, ground, is_named=is_named)]


def _tell(talk: Transcript, ground: Ground, *, is_named: bool) -> bool:
    book, call, result = ground.found
    slot, field = listed_slot(book.spec, result), ground.pick.by.split()[1]
    assert slot is not None
    lines = Lines(talk, ground.found, slot, book.answers[0])
    name = lines.named(ground.index) if is_named else None
    if is_named and (
        name is None or (name[0][0].islower() and "." not in name[0]) or _named_by(book.spec, slot) == field
    ):
        return False
    before, after = _around(book.spec, slot, ground.pick, result[slot][ground.index])
    way, _ = way_to_say(book.spec, slot, field)
    value = lines.said(f"{{{field}{':' + way if way else ''}}}", ground.index) if before else None
    form = talk.draw.choice(_FORMS["behind" if name is None else "named"])
    form = form.replace("{value}", "" if value is None else f"{before}{{value}}{after}")
    text, spans = "", Spans()
    for part in re.split(r"(\{\w+\})", form):
        said = name if part == "{name}" else value if part == "{value}" else None
        words, own = said or (part.format(**_words(ground.pick)), Spans())
        spans += [(start + len(text), end + len(text), *rest) for start, end, *rest in own]
        text += words
    talk.tell_apart((text, spans, []), call.id, "picked")
    return True


# --- what both know ---


def _words(pick: Pick) -> dict[str, str]:
    return {"pick": pick.say, "Pick": pick.say[0].upper() + pick.say[1:]}


def _around(spec: ToolSpec, slot: str, pick: Pick, element: dict[str, Any]) -> tuple[str, str]:
    """Return what stands before and after the value by which an element is picked; nothing where it cannot be told.

    A bare number has the name of its field before it, unless the words for the pick name that.
    """
    field = pick.by.split()[1]
    value, (way, unit) = element.get(field), way_to_say(spec, slot, field)
    is_no = value == 0 and way == "counted"
    if value is None or is_no or (value == 1 and unit.endswith("s")) or (unit == " minutes" and value > _MANY_MINUTES):
        return "", ""
    name = field_in_words(names_in_list(spec, slot), spec.phrases.each[slot], field)[0]
    is_named = name.endswith("year") or any(
        re.search(rf"\b{re.escape(word[:_STEM])}", pick.say) for word in name.split()
    )
    is_clear = way or unit or type(value) is str or is_named
    things = f"{name.removesuffix(' count')}s" if name.endswith(" count") else name
    kind = "value" if is_clear else "counted" if things.endswith("s") and value != 1 else "measured"
    before, _, after = _FORMS[kind].replace("{measure}", things).partition("{value}")
    return before, f"{unit}{after}"


def _named_by(spec: ToolSpec, slot: str) -> str:
    """Return the field that says what an element is called."""
    return (name_slot(spec, slot) or "").strip("{}").partition(":")[0]


def _pointer(spec: ToolSpec, result: Any, index: int, pick: Pick) -> str:
    """Return the pointer to the value by which an element is picked."""
    return f"/{listed_slot(spec, result)}/{index}/{pick.by.split()[1]}"


def _asked_for(spec: ToolSpec, result: Any, words: str) -> list[tuple[Pick, int]]:
    """Return the element that a text asks for by a superlative that a pick of its list has: "Where's the nearest florist?"."""
    slot = listed_slot(spec, result)
    known = [] if slot is None else extremes(spec, slot, result[slot])
    return [one for one in known if any(re.search(rf"\b{said}\b", words) for said in _superlatives(one[0].say))][:1]


_SUPERLATIVE = re.compile(
    r"\b(?:most|least|fewest|best|worst)[ -]\w+|\b(?!(?:most|least|fewest|best|worst)\b)\w{2,}est\b"
)


def _without_values(words: str, told: ReportedCall) -> str:
    """Return a text without the texts that it gives a call: a file may be called "Latest plan"."""
    for value in told.call.arguments.values():
        words = words.replace(value.casefold(), " ") if type(value) is str and value else words
    return words


def _superlatives(say: str) -> list[str]:
    """Return the superlatives of the words for a pick: "cheapest", "most plays"."""
    return _SUPERLATIVE.findall(say.casefold())


# --- checking ---


class _Reading(msgspec.Struct, frozen=True):
    """A text that a sentence may have, and what it says then."""

    text: str
    pick: Pick
    is_behind: bool


def _readings(sentence: Sentence) -> Iterator[_Reading]:
    spec, result = sentence.made.spec, sentence.made.result
    slot, index = listed_slot(spec, result), _element(sentence)
    text = sentence.text.casefold()
    if slot is None:
        return
    for pick in [one for one in picks_of(spec, slot) if one.say.casefold() in text]:
        element = {} if index is None or index >= len(result[slot]) else result[slot][index]
        before, after = _around(spec, slot, pick, element)
        values = ["", f"{before}{{{slot}/*/{pick.by.split()[1]}}}{after}"] if before else [""]
        named = f"{{{slot}/*/{_named_by(spec, slot)}}}"
        for kind in ("named", "behind"):
            for form in _FORMS[kind]:
                for value in values:
                    yield _Reading(form.format(**_words(pick), name=named, value=value), pick, kind == "behind")


def _element(sentence: Sentence) -> int | None:
    """Return the place of the only element whose values a sentence says."""
    own = {split(part.saying.pointer)[1] for part in sentence.parts if part.saying.pointer.count("/") > 1}
    return int(next(iter(own))) if len(own) == 1 else None


def _forms(sentence: Sentence) -> Iterator[str]:
    yield from [one.text for one in _readings(sentence)]


def _faults(sentence: Sentence) -> Iterator[str]:
    made, ledger, text = sentence.made, sentence.ledger, with_slots(sentence)
    read = next((one for one in _readings(sentence) if one.text == text), None)
    slot = listed_slot(made.spec, made.result)
    if read is None or slot is None:
        return
    takers = {call: place for call, source, place, by in _taken(ledger) if source is made and by == read.pick.by}
    own = [index for index in [_element(sentence)] if index is not None] or [*takers.values()]
    if not own or not all(is_picked(made.result[slot], index, read.pick.by) for index in own):
        yield "it is not the one"
    elif read.is_behind:
        before = [use.calls for use in ledger.uses.get(sentence.index, ()) if use.start < sentence.start]
        if not before or not takers.keys() & {*before[-1]}:
            yield "the sentence before is not about it"


def _taken(ledger: Ledger) -> Iterator[tuple[str, ClaimedCall, int, str]]:
    """Yield the calls that take a value of an element which is singled out by a field, with the look-up, the element and the pick."""
    for claim in ledger.proof.arguments:
        if claim.pick is None or not claim.pick.startswith(_EXTREMES):
            continue
        steps = split(claim.result_pointer or "")
        for source in ledger.calls.values() if len(steps) > 1 and steps[1].isdecimal() else ():
            if source.told_at == claim.message and listed_slot(source.spec, source.result) == steps[0]:
                yield claim.call_id, source, int(steps[1]), claim.pick


def check(ledger: Ledger) -> None:
    """Check that the answer about what the user has singled out says that it is that, if no earlier answer has shown what it was singled out by."""
    if ledger.prefix or not ledger.phrases or not [one for one in ledger.proof.arguments if one.pick is not None]:
        return
    systems = [message for message in ledger.conversation.messages if isinstance(message, SystemMessage)]
    if any(style_in(message.content).sentences is not None for message in systems):
        return
    for call, source, index, by in _taken(ledger):
        slot, told = listed_slot(source.spec, source.result), _told(ledger, call)
        if told is None or not any(one.by == by for one in picks_of(source.spec, slot or "")):
            continue
        pointer = f"/{slot}/{index}/{by.split()[1]}"
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
    source = next((call for call in ledger.calls.values() if call.told_at == claim.message), None)
    places = [] if source is None else list_indexes(source.result, claim.result_pointer or "")
    if source is None or not places:
        return False
    element = as_slot(split(claim.result_pointer or "")[: places[0] + 1])
    how, _, rest = (claim.pick or "").partition(" ")
    if how == "is":
        return (source.id, f"/{element}/{rest.partition(' ')[0]}") in told
    return any(call_id == source.id and pointer.startswith(f"/{element}/") for call_id, pointer in told)


def _told(ledger: Ledger, call: str) -> int | None:
    """Return the first message that tells the result of a call in sentences of its tool."""
    own = [at for at, uses in ledger.uses.items() for use in uses if call in use.calls and use.key.startswith("answer")]
    return min(own, default=None)


ACTS = (Act("picked", "assistant", "PF143", _forms, _faults, claims=True),)
