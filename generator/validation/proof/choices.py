"""Things to choose from: the assistant tells all of them apart, and the user's words name the one that the call takes."""

from typing import Any

import orjson

from generator.choosing import frames_of, listings, noun_of, place_said, the_thing, ways
from generator.connectives import Frame
from generator.conversation import AskClaim, Claim, Proof
from generator.pointers import resolve, split
from generator.validation.proof.ledger import Finding, Ledger, Made, Segment
from generator.validation.proof.picks import list_indexes, list_of
from generator.validation.proof.spans import place_at, places_of
from generator.validation.readers import READERS
from generator.values import same

_VERBALIZERS = tuple([name for name in READERS if name not in {"json", "count", "yes_no", "ordinal"}])
"""In which words people choose by a value."""


def names_one(claim: Claim) -> bool:
    """Whether the user names an element by its place or by a value."""
    return claim.pick is not None and claim.pick.startswith(("nth ", "is "))


def which_fault(claim: Claim, made: Made, source: Made, words: str | None, ledger: Ledger) -> str | None:
    """Why the words are not those for the element that a call takes.

    Args:
        claim: The claim about the argument.
        made: The call.
        source: The call whose result holds the list.
        words: What the user says.
        ledger: The conversation.
    """
    pointer = claim.result_pointer or ""
    places = list_indexes(source.result, pointer)
    if len(places) != 1 or words is None:
        return "there is no list, or nobody says which element is meant"
    steps = split(pointer)
    list_slot, place = list_of(steps[: places[0]]), int(steps[places[0]])
    key = list_of(steps[places[0] + 1 :])
    elements, noun, low = resolve(source.result, list_slot), noun_of(pointer), words.casefold()
    if not _is_pick(claim.pick or "", elements, place):
        return f"{claim.pick!r} does not name the element at {pointer}"
    found = {thing: _named(low, words, thing, source, list_slot, key, elements, ledger) for thing in dict.fromkeys(("", noun))}
    means = set().union(*found.values())
    if means != {place}:
        return f"{words!r} does not mean the element at {pointer}"
    return _mistakable(claim, made, source, ledger, is_noun_said=not found[""])


def _is_pick(pick: str, elements: list[Any], place: int) -> bool:
    """Whether what is claimed to single an element out does so."""
    how, _, rest = pick.partition(" ")
    if how == "nth":
        return rest == str(place + 1)
    field, _, value = rest.partition(" ")
    shown = [_as_json(resolve(element, field)) for element in elements]
    return shown[place] == value and shown.count(value) == 1


def _as_json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _named(
    low: str, words: str, noun: str, source: Made, list_slot: str, key: str, elements: list[Any], ledger: Ledger
) -> set[int]:
    """The elements that words name; with a noun only if they hold it."""
    place = place_said(low, len(elements), noun)
    if place is not None:
        return {place}
    found: set[int] = set()
    spec = source.sayings.spec
    for way in ways(spec, list_slot, key):
        pointer = f"/{list_slot}/0/{way.field}"
        for before, after in [fitting for frame in frames_of(way, noun) for fitting in _fitting(frame)]:
            if not (low.startswith(before.casefold()) and low.endswith(after.casefold()) and len(low) > len(before + after)):
                continue
            rest = words[len(before) : len(words) - len(after)]
            for verbalizer in _VERBALIZERS:
                try:
                    meaning = place_at(places_of(spec), spec, pointer, verbalizer, "result").read(rest, ledger.today)
                except ValueError:
                    continue
                found |= {at for at, element in enumerate(elements) if _is_meant(meaning, element, way.field)}
    return found


def _fitting(frame: Frame) -> list[Frame]:
    """A frame, and what it becomes before "tomorrow"."""
    before, after = frame
    return [frame, (before[:-3], after)] if before.endswith(" on ") else [frame]


def _is_meant(meaning: Any, element: Any, field: str) -> bool:
    """Whether an element has a value; capitals do not count, because a message may begin with it."""
    try:
        value = resolve(element, field)
    except LookupError:
        return False
    if isinstance(value, str) and isinstance(meaning, str):
        return value.casefold() == meaning.casefold()
    return same(value, meaning)


def _mistakable(claim: Claim, made: Made, source: Made, ledger: Ledger, *, is_noun_said: bool) -> str | None:
    """Why words for what was found some time ago could mean something that was found since."""
    if claim.chosen is not None:
        return None
    since = [call for call in ledger.calls.values() if source.told_at < call.told_at < made.asked_at]
    if any(call.sayings.spec is source.sayings.spec for call in since):
        return "the same tool has found something else since"
    return "something else has been found since, and the words do not say what is meant" if since and not is_noun_said else None


def check_choices(ledger: Ledger, proof: Proof, *, prefix: bool) -> None:
    """What there is to choose from is told in full; the question follows, and the user's reply answers it."""
    asks = {(ask.call_id, ask.pointer): ask for ask in proof.asks}
    chosen = {(claim.call_id, claim.pointer): claim for claim in proof.arguments if claim.chosen is not None}
    for claim in chosen.values():
        fault = _not_asked(claim, asks.get((claim.call_id, claim.pointer)), ledger, prefix=prefix)
        if fault is not None:
            ledger.found.append(Finding("PF124", ("argument", claim.call_id, claim.pointer), fault))
    for index, segments in ledger.segments.items():
        for segment in segments:
            if segment.tell.how == "several":
                ledger_fault = _listing_fault(segment, index, ledger)
                asked = [asks.get(key) for key, claim in chosen.items() if _is_about(claim, segment, ledger)]
                if ledger_fault is None and not any(ask is not None and ask.message == index for ask in asked):
                    ledger_fault = "nobody is asked which one is meant"
                if ledger_fault is not None:
                    at = ("message", index, segment.start, segment.end)
                    ledger.found.append(Finding("PF124", at, ledger_fault))


def _is_about(claim: Claim, segment: Segment, ledger: Ledger) -> bool:
    return claim.message == ledger.calls[segment.tell.call_id].told_at


def _not_asked(claim: Claim, ask: AskClaim | None, ledger: Ledger, *, prefix: bool) -> str | None:
    """Why a user who names one of several things was not asked to."""
    assert claim.chosen is not None
    made, index = ledger.calls.get(claim.call_id), claim.chosen[0]
    if prefix and index >= len(ledger.contents):
        return None
    if made is None or ask is None or ledger.replies.get(index) != ask.message:
        return "nobody has asked which one is meant"
    segments = ledger.segments.get(ask.message, ())
    if not any(segment.tell.how == "several" and _is_about(claim, segment, ledger) for segment in segments):
        return "the assistant does not say what there is to choose from"
    if claim.start is None or claim.end is None or not 0 <= made.asked_at < len(ledger.contents):
        return "no request speaks of it"
    words, noun = ledger.contents[made.asked_at][claim.start : claim.end].casefold(), noun_of(claim.result_pointer or "")
    if words not in (*the_thing(noun, is_name=True), *the_thing(noun, is_name=False)):
        return "the request says something else than that it is one of them"
    return None


def _listing_fault(segment: Segment, index: int, ledger: Ledger) -> str | None:
    """Why a sentence does not tell all elements of a list apart, in order."""
    made = ledger.calls[segment.tell.call_id]
    parts = [part for part in ledger.parts.get(index, ()) if segment.start <= part.start < segment.end]
    if made.failed or not made.told_at < index or not parts:
        return "there is nothing to choose from"
    leaves = {(part.call, part.saying.spot.leaf) for part in parts}
    if len(leaves) > 1 or parts[0].call != made.id:
        return "it tells several fields, or of several results"
    elements = resolve(made.result, parts[0].saying.spot.leaf[1].partition("/*/")[0])
    places = [part.saying.spot.places for part in sorted(parts, key=lambda part: part.start)]
    if len(elements) < 2 or places != [(place,) for place in range(len(elements))]:
        return "it does not tell every element of the list, in order"
    content = ledger.contents[index]
    if len({content[part.start : part.end].casefold() for part in parts}) < len(parts):
        return "two of the elements are told in the same words"
    said = content[segment.start : segment.end]
    if not said.endswith("."):
        return "the sentence does not end there"
    return None if said.startswith(listings(len(elements))) else "it says another number than there are"
