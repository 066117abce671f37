"""Claims about a call: for each of its arguments, where its value comes from in the conversation."""

from typing import Any

from generator.core.claims import Claim, RetractedClaim, WishClaim
from generator.core.planning import Ask, Call, Note, Ref, Say, Step
from generator.core.pointers import escape, expand, resolve, unescape
from generator.dialogue.sources import SOURCES, source_of
from generator.dialogue.wording.transcript import EventItem, Transcript


def claim_wished(talk: Transcript, place: EventItem, call_id: str, without: str = "") -> tuple[Claim, ...]:
    """Return the claims about a wish which is not served: what the user says, but for one argument, and what results hold."""
    before, call = len(talk.claims), talk.unmade.get(place)
    if call is None:
        slots = [escape(key) for key in talk.wish_at(place).said if key != without]
        call = Call(talk.wish_at(place).tool, {slot: Ref(*place, slot) for slot in slots}, place)
    claim_arguments(talk, call, wanted_arguments(talk, call, without), call_id)
    said = tuple(talk.claims[before:])
    del talk.claims[before:]
    return said


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
    return {key: named[key] for key in talk.phrases[call.tool].spec.properties if key in named}


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
    made, is_demanded = event.made[place], talk.wish_at(call.serves).demanded
    asked_at, helped = talk.said_at[call.serves[0]], _helped(talk, call)
    talk.wishes.append(WishClaim(made.id, made.name, asked_at, helps=helped, demanded=is_demanded))
    if not is_demanded:
        claim_arguments(talk, call, made.arguments, made.id)
        return
    for slot, ref in call.args.items():  # what it has beside replies is what the call has that it helps
        if (ref.event, ref.of) in talk.spots:
            talk.claims += SOURCES["user"].claims(talk, call, slot, made.id)


def claim_arguments(talk: Transcript, call: Call, arguments: dict[str, Any], call_id: str) -> None:
    """Claim where the values of arguments come from, for a call that is made or one that is only wished for."""
    constants = talk.phrases[call.tool].constants
    claims = [
        claim
        for slot in call.args
        if slot not in constants
        for claim in SOURCES[source_of(talk, call, slot)].claims(talk, call, slot, call_id)
    ]
    said = [claim for claim in claims if claim.source == "user"]
    messages = list(dict.fromkeys([claim.message for claim in said]))  # the request, and replies to questions
    said.sort(key=lambda claim: (messages.index(claim.message), claim.start))
    fixed = [slot for slot in sorted(constants) if "*" not in slot and expand(arguments, slot)]
    talk.claims += [claim for claim in claims if claim.source != "user"] + said
    talk.claims += [claim for slot in fixed for claim in SOURCES["default"].claims(talk, call, slot, call_id)]


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
