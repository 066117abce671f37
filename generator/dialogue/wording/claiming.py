"""Claims about a call: for each of its arguments, where its value comes from in the conversation."""

from typing import Any

from generator.core.claims import Claim, RetractedClaim, WishClaim
from generator.core.planning import Ask, Call, Note, Ref, Say, Step
from generator.core.pointers import escape, expand, resolve, unescape
from generator.dialogue.from_results.choosing import REFERENCES
from generator.dialogue.wording.transcript import EventItem, Transcript


def taken_back(talk: Transcript, before: int) -> tuple[Claim, ...]:
    """Return the claims since there were so many, which then are claims no more: the call that they are about is not made."""
    said = tuple(talk.claims[before:])
    del talk.claims[before:]
    return said


def claim_wished(talk: Transcript, place: EventItem, call_id: str, without: str = "") -> tuple[Claim, ...]:
    """Return the claims about a wish which is not served: what the user says, but for one argument, and what results hold."""
    before, call = len(talk.claims), talk.unmade.get(place)
    if call is None:
        slots = [escape(key) for key in talk.wish_at(place).said if key != without]
        call = Call(talk.wish_at(place).tool, {slot: Ref(*place, slot) for slot in slots}, place)
    claim_arguments(talk, call, wanted_arguments(talk, call, without), call_id)
    return taken_back(talk, before)


def wanted_arguments(talk: Transcript, call: Call, without: str = "") -> dict[str, Any]:
    """Return the arguments that a call has, or would have: what the user says, but for one argument, and what results hold."""
    wish, found = talk.wish_at(call.serves), {}
    for slot, ref in call.args.items():
        if isinstance(ref, Ref) and (ref.event, ref.of) != call.serves and "/" not in slot:
            event = talk.log.events[ref.event]
            if isinstance(event, Step):
                found[unescape(slot)] = resolve(event.outcomes[ref.of].value, ref.at)
            elif isinstance(event, Say):
                found[unescape(slot)] = event.wishes[ref.of].said[unescape(ref.at)]
            elif isinstance(event, Note):
                found[unescape(slot)] = next(value for name, value, _, _ in event.spans if name == ref.at)
    said = {key: value for key, value in wish.said.items() if key != without}
    if not found:
        return said
    named = {**said, **found}
    return {key: named[key] for key in talk.books[call.tool].spec.properties if key in named}


def claim_unmade(talk: Transcript, place: EventItem, without: str = "") -> str:
    """Note what the user said of a wish that is not served, but for one argument; return the name of its call."""
    wish, name, planned = talk.wish_at(place), talk.call_for(place), talk.unmade.get(place)
    said = claim_wished(talk, place, name, without)
    unmade = {key: value for key, value in wish.said.items() if key != without}
    unmade = unmade if planned is None else wanted_arguments(talk, planned, without)
    talk.wishes.append(WishClaim(name, wish.tool, talk.said_at[place[0]], unmade=unmade, said=said))
    return name


def claim_change(talk: Transcript, event: Say, slot: str) -> str:
    """Note where the value was said that a reply changes; return the id of the call."""
    ask = talk.log.events[event.to or 0]
    assert isinstance(ask, Ask)
    call, at = talk.call_for(ask.wish), len(talk.messages)
    for pointer, start, end, way in talk.spots[ask.wish]:
        if pointer == "/" + slot:
            talk.retracted.append(RetractedClaim(talk.said_at[ask.wish[0]], start, end, way, call, pointer, at))
    return call


def claim_call(talk: Transcript, call: Call, event: Step, place: int) -> None:
    """Claim for each argument of a call where it comes from."""
    made = event.made[place]
    is_demanded = talk.wish_at(call.serves).demanded
    claim = WishClaim(
        made.id,
        made.name,
        talk.said_at[call.serves[0]],
        helps=_helped(talk, call),
        demanded=is_demanded,
    )
    talk.wishes.append(claim)
    if is_demanded:
        _claim_replies(talk, call, made.id)
        return
    claim_arguments(talk, call, made.arguments, made.id)


def _claim_replies(talk: Transcript, call: Call, call_id: str) -> None:
    """Claim what the user says for a call that only a policy demands; the rest is what the call has that it helps."""
    for slot, origin in call.args.items():
        if isinstance(origin, Ref) and (origin.event, origin.of) in talk.spots:
            _claim_said(talk, (origin.event, origin.of), [slot], call_id)


def claim_arguments(talk: Transcript, call: Call, arguments: dict[str, Any], call_id: str) -> None:
    """Claim where the values of arguments come from, for a call that is made or one that is only wished for."""
    constants = talk.books[call.tool].constants
    by_wish: dict[EventItem, list[str]] = {}
    for slot, origin in [(slot, origin) for slot, origin in call.args.items() if slot not in constants]:
        known = _known(talk, origin)
        if known is not None:
            _claim_known(talk, slot, known, call_id)
        elif _is_same(talk, call, slot, origin):
            _claim_same(talk, call, slot, origin, call_id)
        elif type(origin) is Ref and (origin.event, origin.of) in talk.spots:
            by_wish.setdefault((origin.event, origin.of), []).append(slot)
        else:
            _claim_unsaid(talk, call, slot, origin, call_id)
    for wish, slots in by_wish.items():
        _claim_said(talk, wish, slots, call_id)
    for slot in constants:
        if "*" not in slot and expand(arguments, slot):
            talk.claims.append(Claim(call_id, "/" + slot, "default"))


def _known(talk: Transcript, origin: Ref) -> Ref | None:
    """Return where the value stands that a wish marks as known, following marks to the first place; None if it is not marked."""
    found = None
    while isinstance(origin, Ref) and isinstance(event := talk.log.events[origin.event], Say):
        known = event.wishes[origin.of].known.get(origin.at) if origin.of < len(event.wishes) else None
        if known is None:
            break
        found = origin = known
    return found


def _claim_known(talk: Transcript, slot: str, ref: Ref, call_id: str) -> None:
    """Claim a value that the system message or an earlier request states."""
    if isinstance(talk.log.events[ref.event], Note):
        _claim_context(talk, slot, ref, call_id)
        return
    at = talk.said_at[ref.event]
    for pointer, start, end, way in talk.spots[ref.event, ref.of]:
        if pointer == "/" + ref.at:
            talk.claims.append(Claim(call_id, "/" + slot, "context", at, start, end, way))


def _helped(talk: Transcript, call: Call) -> str | None:
    """Return the call for which an unnamed search is made; None for other calls."""
    event, place = call.serves
    say = talk.log.events[event]
    assert isinstance(say, Say)
    if say.wishes[place].demanded:
        return talk.call_for((event, [wish.demanded for wish in say.wishes].index(True) - 1))
    if not say.wishes[place].unnamed:
        return None
    takers = [
        number
        for number, wish in enumerate(say.wishes)
        if any(meant.source.of == place for meant in wish.meant.values())
    ]
    return talk.call_for((event, takers[0]))


def _claim_unsaid(talk: Transcript, call: Call, slot: str, origin: Ref, call_id: str) -> None:
    """Claim a value that no wish says."""
    if (origin.event, origin.of) in talk.told_at:
        claim_result(talk, call, slot, origin, call_id)
    else:
        _claim_context(talk, slot, origin, call_id)


def _claim_said(talk: Transcript, wish: EventItem, slots: list[str], call_id: str) -> None:
    """Claim values that a wish says, or the reply to a question."""
    at = talk.said_at[wish[0]]
    spots = talk.spots[wish]
    event = talk.log.events[wish[0]]
    assert isinstance(event, Say)
    if len(slots) < len(event.wishes[wish[1]].spoken):
        wanted = tuple(["/" + slot for slot in slots])
        spots = [
            spot for spot in spots if spot[0] in wanted or spot[0].startswith(tuple([one + "/" for one in wanted]))
        ]
    talk.claims += [Claim(call_id, pointer, "user", at, start, end, way) for pointer, start, end, way in spots]


def _is_same(talk: Transcript, call: Call, slot: str, origin: Ref) -> bool:
    """Whether the request refers to a value that was said before: "the same day"."""
    is_said = isinstance(origin, Ref) and (origin.event, origin.of) in talk.spots
    return is_said and "/" + slot in talk.references.get(call.serves, ())


def _claim_same(talk: Transcript, call: Call, slot: str, origin: Ref, call_id: str) -> None:
    """Claim a value that was said some turns ago and to which the request refers: "the same day"."""
    assert isinstance(origin, Ref)
    at, referred = (
        talk.said_at[origin.event],
        (talk.said_at[call.serves[0]], *talk.references[call.serves]["/" + slot]),
    )
    for pointer, start, end, way in talk.spots[origin.event, origin.of]:
        if pointer == "/" + origin.at:
            talk.claims.append(Claim(call_id, "/" + slot, "earlier_turn", at, start, end, way, referred=referred))


def claim_result(talk: Transcript, call: Call, slot: str, ref: Ref, call_id: str) -> None:
    """Claim a value that an earlier result holds."""
    start, end = _reference_to(talk, call, slot, ref)
    pick = None if ref.pick is None else ref.pick.by
    message, pointer = talk.told_at[ref.event, ref.of], "/" + ref.at
    if start is not None and end is not None and ref.because is not None:
        words = talk.messages[talk.said_at[ref.because[0]]].content or ""
        if (
            words[start:end].casefold() in REFERENCES.pronouns
        ):  # "it" means what was spoken of before, for the reason given there
            pick = talk.reasons.get((message, pointer), pick)
        talk.reasons.setdefault((message, pointer), pick)
    talk.claims.append(Claim(call_id, "/" + slot, "result", message, start, end, result_pointer=pointer, pick=pick))


def _reference_to(talk: Transcript, call: Call, slot: str, ref: Ref) -> tuple[int | None, int | None]:
    """Return the span in which the user says which element an argument comes from; arguments of one element share it."""
    if ref.because is None:
        return None, None
    found = talk.references.get(ref.because[:2], {})
    own = found.get("/" + slot)
    if own is not None or ref.pick is None:
        return own or (None, None)
    for other, origin in call.args.items():
        if isinstance(origin, Ref) and (origin.event, origin.of, origin.pick) == (ref.event, ref.of, ref.pick):
            shared = found.get("/" + other)
            if shared is not None:
                return shared
    return None, None


def _claim_context(talk: Transcript, slot: str, ref: Ref, call_id: str) -> None:
    """Claim a value that the system message states."""
    note = talk.log.events[ref.event]
    assert isinstance(note, Note)
    value, start, end = next(span[1:] for span in note.spans if span[0] == ref.at)
    way = "literal" if isinstance(value, str) else "json"
    talk.claims.append(Claim(call_id, "/" + slot, "context", talk.said_at[ref.event], start, end, way))
