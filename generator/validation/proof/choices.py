"""Things to choose from: the assistant lists them so that they can be told apart, and the user's words name the one that the call takes."""

from typing import Any

import orjson

from generator.choosing import frames_of, listings, noun_in_key, place_said, that_thing, the_thing, ways
from generator.connectives import Frame
from generator.conversation import AskClaim, Claim, Proof
from generator.pointers import escape, resolve, split
from generator.toolbox import name_as_words
from generator.validation.proof.ledger import ClaimedCall, Finding, Ledger, TellSentence
from generator.validation.proof.picks import list_indexes, listed_result
from generator.validation.proof.spans import place_at
from generator.validation.readers import READERS
from generator.values import same

_OF_TEXTS = tuple(
    [name for name in READERS if name in {"literal", "quoted", "enum"} or name.startswith(("date", "time"))]
)
_OF_NUMBERS = tuple([name for name in READERS if name not in {*_OF_TEXTS, "json", "count", "yes_no", "ordinal"}])
"""Verbalizers of numbers by which people may choose; those above are of texts, dates and times."""


def names_one(claim: Claim) -> bool:
    """Whether the user names an element by its place in the list or by a value."""
    return claim.pick is not None and claim.pick.startswith(("nth ", "is "))


def which_fault(claim: Claim, made: ClaimedCall, source: ClaimedCall, words: str | None, ledger: Ledger) -> str | None:
    """Return why the words do not name the element that a call takes, or None.

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
    list_slot, place = listed_result(steps[: places[0]]), int(steps[places[0]])
    key = listed_result(steps[places[0] + 1 :])
    elements, noun, low = resolve(source.result, list_slot), noun_in_key(pointer), words.casefold()
    if not _is_pick(claim.pick or "", elements, place):
        return f"{claim.pick!r} does not name the element at {pointer}"
    found = {
        thing: _named(low, words, thing, source, list_slot, key, elements, ledger)
        for thing in dict.fromkeys(("", noun))
    }
    means = set().union(*found.values())
    if means != {place}:
        return f"{words!r} does not mean the element at {pointer}"
    return _mistakable(claim, made, source, ledger, is_noun_said=not found[""])


def _is_pick(pick: str, elements: list[Any], place: int) -> bool:
    """Whether the claimed pick singles out the element at this place."""
    how, _, rest = pick.partition(" ")
    if how == "nth":
        return rest == str(place + 1)
    field, _, value = rest.partition(" ")
    shown = [_as_json(_at(element, field)) for element in elements]
    return shown[place] == value and shown.count(value) == 1


def _as_json(value: Any) -> str:
    return orjson.dumps(value).decode()


def _named(
    low: str, words: str, noun: str, source: ClaimedCall, list_slot: str, key: str, elements: list[Any], ledger: Ledger
) -> set[int]:
    """Return the places of the elements that words name; words with a noun name only elements of a result that holds it."""
    place = place_said(low, len(elements), noun)
    if place is not None:
        return {place}
    found: set[int] = set()
    spec = source.spec
    for way in ways(spec, list_slot, key):
        pointer, is_text = (
            f"/{list_slot}/0/{way.field}",
            any(isinstance(_at(element, way.field), str) for element in elements),
        )
        for before, after in [fitting for frame in frames_of(way, noun) for fitting in _fitting(frame)]:
            if not (
                low.startswith(before.casefold()) and low.endswith(after.casefold()) and len(low) > len(before + after)
            ):
                continue
            rest = words[len(before) : len(words) - len(after)]
            for verbalizer in _OF_TEXTS if is_text else _OF_NUMBERS:
                try:
                    meaning = place_at(spec, pointer, verbalizer, "result").read(rest, ledger.today)
                except ValueError:
                    continue
                found |= {at for at, element in enumerate(elements) if _is_meant(meaning, element, way.field)}
    return found


def _fitting(frame: Frame) -> list[Frame]:
    """Return a frame and the forms that it takes before "tomorrow" and "The Old Mill"."""
    before, after = frame
    if before == "the ":
        return [frame, ("", after)]
    return [frame, (before[:-3], after)] if before.endswith((" on ", " at ")) else [frame]


def _is_meant(meaning: Any, element: Any, field: str) -> bool:
    """Whether an element has this value; capitals do not count, because a message may begin with it."""
    value = _at(element, field)
    if isinstance(value, str) and isinstance(meaning, str):
        return value.casefold() == meaning.casefold()
    return value is not None and same(value, meaning)


def _at(element: Any, field: str) -> Any:
    try:
        return resolve(element, field)
    except LookupError:
        return None


def _mistakable(
    claim: Claim, made: ClaimedCall, source: ClaimedCall, ledger: Ledger, *, is_noun_said: bool
) -> str | None:
    """Return why words for what was found some time ago could mean something that was found since, or None."""
    if claim.referred is not None:
        return None
    noun = noun_in_key(claim.result_pointer or "")
    since = [call for call in ledger.calls.values() if source.told_at < call.told_at < made.asked_at]
    if any(call.spec is source.spec or (noun and _gives(call.result, noun)) for call in since):
        return "something else of this kind has been found since"
    return (
        "something else has been found since, and the words do not say what is meant"
        if since and not is_noun_said
        else None
    )


def _gives(result: Any, noun: str) -> bool:
    """Whether a result holds the key of a thing of this kind."""
    if isinstance(result, dict):
        return any(noun_in_key(escape(name)) == noun and name_as_words(name) != noun for name in result) or any(
            _gives(part, noun) for part in result.values()
        )
    return isinstance(result, list) and any(_gives(part, noun) for part in result)


def that_fault(claim: Claim, made: ClaimedCall, source: ClaimedCall, words: str, ledger: Ledger) -> str | None:
    """Return why the words do not mean the only thing that an earlier call is about ("it", "that event"), or None."""
    noun = noun_in_key(claim.result_pointer or "")
    if words.casefold() not in ("it", *that_thing(noun)):
        return f"{words!r} is nothing that was found"
    if source.asked_at == made.asked_at:
        return None
    return _mistakable(claim, made, source, ledger, is_noun_said=words.casefold() != "it")


def check_choices(ledger: Ledger, proof: Proof, *, prefix: bool) -> None:
    """Check that all there is to choose from is listed, that the question follows, and that the user's reply answers it."""
    asks = {(ask.call_id, ask.pointer): ask for ask in proof.asks}
    again = {
        made.id for made in ledger.calls.values() if made.mends is not None
    }  # `alternatives.py` checks what is offered for these
    chosen = {
        (claim.call_id, claim.pointer): claim
        for claim in proof.arguments
        if claim.referred is not None and claim.pick is not None and claim.call_id not in again
    }
    for claim in chosen.values():
        fault = _not_asked(claim, asks.get((claim.call_id, claim.pointer)), ledger, prefix=prefix)
        if fault is not None:
            ledger.found.append(Finding("PF124", ("argument", claim.call_id, claim.pointer), fault))
    told = {(claim.call_id, claim.pointer) for claim in proof.answers if claim.of == "result"}
    for claim in proof.arguments:
        if names_one(claim) and claim.referred is None and not _was_told(claim, told, ledger):
            ledger.found.append(
                Finding("PF124", ("argument", claim.call_id, claim.pointer), "nobody has told that before")
            )
    for index, segments in ledger.segments.items():
        for segment in segments:
            asked = {
                asks[key].message for key, claim in chosen.items() if key in asks and _is_about(claim, segment, ledger)
            }
            fault = None if segment.tell.how != "several" else _listing_fault(segment, index, asked, ledger)
            if fault is not None:
                ledger.found.append(Finding("PF124", ("message", index, segment.start, segment.end), fault))


def _was_told(claim: Claim, told: set[tuple[str, str]], ledger: Ledger) -> bool:
    """Whether the user has been told the value by which they name an element, or can count its place."""
    source = next((call for call in ledger.calls.values() if call.told_at == claim.message), None)
    places = [] if source is None else list_indexes(source.result, claim.result_pointer or "")
    if source is None or not places:
        return False
    element = listed_result(split(claim.result_pointer or "")[: places[0] + 1])
    how, _, rest = (claim.pick or "").partition(" ")
    if how == "is":
        return (source.id, f"/{element}/{rest.partition(' ')[0]}") in told
    return any(call_id == source.id and pointer.startswith(f"/{element}/") for call_id, pointer in told)


def _is_about(claim: Claim, segment: TellSentence, ledger: Ledger) -> bool:
    return claim.message == ledger.calls[segment.tell.call_id].told_at


def _not_asked(claim: Claim, ask: AskClaim | None, ledger: Ledger, *, prefix: bool) -> str | None:
    """Return why a user who names one of several things was not asked to, or None."""
    assert claim.referred is not None
    made, index = ledger.calls.get(claim.call_id), claim.referred[0]
    if prefix and index >= len(ledger.contents):
        return None
    if made is None or ask is None or ledger.replies.get(index) != ask.message:
        return "nobody has asked which one is meant"
    segments = ledger.segments.get(ask.message, ())
    if not any(segment.tell.how == "several" and _is_about(claim, segment, ledger) for segment in segments):
        return "the assistant does not say what there is to choose from"
    if claim.start is None or claim.end is None or not 0 <= made.asked_at < len(ledger.contents):
        return "no request speaks of it"
    words, noun = (
        ledger.contents[made.asked_at][claim.start : claim.end].casefold(),
        noun_in_key(claim.result_pointer or ""),
    )
    if words not in (*the_thing(noun, is_name=True), *the_thing(noun, is_name=False)):
        return "the request says something else than that it is one of them"
    return None


def _listing_fault(segment: TellSentence, index: int, asked: set[int], ledger: Ledger) -> str | None:
    """Return why a sentence does not tell all elements of a list apart, in order, before the question in one of the messages `asked`; None if it does."""
    if index not in asked:
        return "nobody is asked which one is meant"
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
