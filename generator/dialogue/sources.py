"""Sources: where the value of an argument comes from. For each, how it is claimed while a row is worded, and how the claim is checked.

The two sides share nothing but the claim: a check sees the finished messages and the claims about them (`proof/ledger.py`). Rows of
scripts have their own proof (`proof/scripted.py`).
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from generator.core.claims import Claim, Source
from generator.core.conversation import SystemMessage, UserMessage
from generator.core.exact_json import is_among, same
from generator.core.planning import Call, Note, Ref, Say
from generator.core.pointers import escape, resolve, schema_at, schemas_at, split
from generator.core.templates import OF_TWO
from generator.core.toolbox import Pick, found_by
from generator.dialogue.from_results.choosing import REFERENCES, may_mean, noun_in_key, same_again, without_lost
from generator.dialogue.proof.ledger import NEVER, UNKNOWN, ClaimedCall, ClaimedSpan, FaultFacts, Ledger
from generator.dialogue.proof.picks import is_only, list_indexes, names_one, pick_faults, that_faults, which_faults
from generator.dialogue.proof.spans import coordinates_of, span_faults, verbalization
from generator.dialogue.proof.tongues import ANSWERS
from generator.dialogue.values.texts import reference_forms
from generator.dialogue.wording.transcript import Transcript

Faults = Iterator[FaultFacts]


class ValueSource(msgspec.Struct, frozen=True):
    """One place where values of arguments come from."""

    name: Source
    claims: Callable[[Transcript, Call, str, str], Iterator[Claim]]
    """Yields the claims about a slot of a call, whose id is the last argument."""
    faults: Callable[[Claim, Any, ClaimedCall, Ledger], Faults]
    """Yields why a value is not what is claimed of it."""
    before_call: bool = False
    """Whether the user says the value or describes it, which is looked at even where the call is not made yet."""


def source_of(talk: Transcript, call: Call, slot: str) -> Source:
    """Return where the value of a slot of a call comes from."""
    ref = call.args[slot]
    if _known_ref(talk, ref) is not None:
        return "context"
    if (ref.event, ref.of) in talk.spots:
        return "earlier_turn" if "/" + slot in talk.references.get(call.serves, ()) else "user"
    return "result" if (ref.event, ref.of) in talk.told_at else "context"


# --- user: the request says the value, or the reply to a question ---


def _claim_said(talk: Transcript, call: Call, slot: str, call_id: str) -> Iterator[Claim]:
    """Claim the words of the user for a value, or for each part of it."""
    ref, pointer = call.args[slot], f"/{slot}"
    at = talk.said_at[ref.event]
    for spot, start, end, way in talk.spots[ref.event, ref.of]:
        if spot == pointer or spot.startswith(pointer + "/"):
            yield Claim(call_id, spot, "user", at, start, end, way)


def _said_faults(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> Faults:
    """Yield why a message of the user does not say a value for its call; note that it is said there."""
    part = _claimed_span(claim, value, made, ledger)
    if part is None:
        yield _UNSAID
        return
    index = claim.message or 0
    if index != made.asked_at and made.asked_at != NEVER and not (index > made.asked_at and index in ledger.replies):
        yield "PF102", "only the request itself or a reply to a question says the value", ()
        return
    ledger.parts[index].append(part)
    # one span says one argument of a call; another argument of the same value needs a span of its own
    owner = made.said.setdefault((index, part.start), part.saying.pointer)
    if made.spec.context and _is_said_again(part, index, made, ledger):
        yield "PF116", "an earlier request says it already, and it holds on", ()
    elif owner != part.saying.pointer and not _is_one_place(owner, part, made):
        yield "PF102", "these words already say {}", (owner,)


_UNSAID: FaultFacts = ("PF102", "the value must be said by the user before the call", ())


def _claimed_span(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> ClaimedSpan | None:
    """Return the span of the user's words that say a value before the call; None where there is none."""
    index, start, end = claim.message, claim.start, claim.end
    if index is None or start is None or end is None or not index < made.at:
        return None
    if ledger.tongues.get(index, ANSWERS) is ANSWERS:
        return None
    saying = verbalization(made.spec, "arguments", claim.pointer, claim.verbalizer)
    return ClaimedSpan(start, end, made.id, saying, value)


def _is_one_place(owner: str, part: ClaimedSpan, made: ClaimedCall) -> bool:
    """Whether words that say a latitude say this longitude, too, or the other way round."""
    pair = (owner.removeprefix("/"), part.saying.pointer.removeprefix("/"))
    is_both = pair in coordinates_of(made.spec) or pair[::-1] in coordinates_of(made.spec)
    return is_both and part.saying.verbalizer in OF_TWO


def _is_said_again(part: ClaimedSpan, index: int, made: ClaimedCall, ledger: Ledger) -> bool:
    """Whether a part says a value again that holds from an earlier message for another tool's call."""
    said = [(at, one) for at, one in _mentions(part.saying.slot, made, ledger) if at < index]
    if part.saying.slot not in made.spec.context or part.value is UNKNOWN or not said:
        return False
    last = _latest(said)
    return last.saying.spec.name != part.saying.spec.name and last.value is not UNKNOWN and same(last.value, part.value)


# --- earlier turn: it is said before, and the request refers to it ("the same day") ---


def _claim_reference(talk: Transcript, call: Call, slot: str, call_id: str) -> Iterator[Claim]:
    """Claim the words that say the value before, and those that refer to them."""
    words = (talk.said_at[call.serves[0]], *talk.references[call.serves]["/" + slot])
    for claim in _claims_elsewhere(talk, call.args[slot], slot, call_id):
        yield replace(claim, source="earlier_turn", referred=words)


def _claims_elsewhere(talk: Transcript, ref: Ref, slot: str, call_id: str) -> Iterator[Claim]:
    """Yield the claim, as one of a value from the context, about what is said of another wish."""
    at = talk.said_at[ref.event]
    for pointer, start, end, way in talk.spots[ref.event, ref.of]:
        if pointer == "/" + ref.at:
            yield Claim(call_id, "/" + slot, "context", at, start, end, way)


def _reference_faults(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> Faults:
    """Yield why words of a request ("the same day") do not stand for what it says before them; note them as a span of that value."""
    part, (message_index, start, end) = _claimed_span(claim, value, made, ledger), claim.referred or (-1, 0, 0)
    if part is None:
        yield _UNSAID
        return
    if (
        message_index != made.asked_at
        or claim.message != message_index
        or not part.end < start < end <= len(ledger.contents[message_index])
    ):
        yield "PF102", "no request refers to it", ()
        return
    words, slot = ledger.contents[message_index][start:end].casefold(), part.saying.slot
    spans_so_far = [span for index, spans in ledger.parts.items() if index <= message_index for span in spans]
    spans_it_may_mean = [span for span in spans_so_far if _could_be_meant(words, span)]
    in_this_message = [span for span in spans_it_may_mean if span in ledger.parts[message_index]]
    if words not in same_again(slot):
        yield "PF102", "{!r} does not refer to what was said of {}", (words, slot)
    elif all((span.start, span.end) != (part.start, part.end) for span in in_this_message):
        yield "PF102", "no request of that turn says it there", ()
    elif value is not UNKNOWN and any(
        span.value is not UNKNOWN and not same(span.value, value) for span in spans_it_may_mean
    ):
        yield "PF102", "{!r} could mean something else", (words,)
    else:
        # words of the request stand for a value that is said before them
        saying = verbalization(made.spec, "arguments", "/" + slot, None)
        ledger.parts[message_index].append(ClaimedSpan(start, end, made.id, saying, UNKNOWN))
        yield from _misread(claim, value, made, ledger, "PF102")


def _could_be_meant(words: str, part: ClaimedSpan) -> bool:
    """Whether words such as "the same day" could refer to what a span of the user says."""
    saying = part.saying
    schema = schema_at(saying.spec.tool.parameters, saying.slot) or {}
    return saying.of == "arguments" and may_mean(words, saying.slot, schema)


def _misread(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger, code: str) -> Faults:
    """Yield why the words at a claim's span do not say a value."""
    saying = verbalization(made.spec, "arguments", claim.pointer, claim.verbalizer)
    content = ledger.contents[claim.message or 0]
    if value is not UNKNOWN:
        for text, facts in span_faults(content, claim.start or 0, claim.end or 0, value, saying, ledger.today):
            yield code, text, facts


# --- context: the system message states it, or an earlier request, where it is the same in all calls ---


def _known_ref(talk: Transcript, ref: Ref) -> Ref | None:
    """Return where the value stands that a wish marks as known, following marks to the first place; None if it is not marked."""
    found = None
    while isinstance(event := talk.log.events[ref.event], Say):
        known = event.wishes[ref.of].known.get(ref.at) if ref.of < len(event.wishes) else None
        if known is None:
            break
        found = ref = known
    return found


def _claim_context(talk: Transcript, call: Call, slot: str, call_id: str) -> Iterator[Claim]:
    """Claim where the system message, or an earlier request, states a value."""
    ref = _known_ref(talk, call.args[slot]) or call.args[slot]
    note = talk.log.events[ref.event]
    if not isinstance(note, Note):
        yield from _claims_elsewhere(talk, ref, slot, call_id)
        return
    value, start, end = next(span[1:] for span in note.spans if span[0] == ref.at)
    way = "literal" if isinstance(value, str) else "json"
    yield Claim(call_id, "/" + slot, "context", talk.said_at[ref.event], start, end, way)


def _context_faults(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> Faults:
    """Yield why a system message, or an earlier request, does not state a value."""
    index = -1 if claim.message is None else claim.message
    message = ledger.conversation.messages[index] if 0 <= index < len(ledger.contents) else None
    fault: tuple[str, tuple[Any, ...]] | None = None
    if claim.start is None or claim.end is None:
        fault = "the claim does not say where the value stands", ()
    elif isinstance(message, UserMessage):
        fault = _not_carried(claim, index, value, made, ledger)
    elif not isinstance(message, SystemMessage) or index >= made.at:
        fault = "a value from the context must stand in a system message before the call", ()
    if fault is not None:
        yield "PF116", *fault
        return
    yield from _misread(claim, value, made, ledger, "PF116")


def _not_carried(
    claim: Claim, index: int, value: Any, made: ClaimedCall, ledger: Ledger
) -> tuple[str, tuple[Any, ...]] | None:
    """Return why an argument that the request does not say is not what an earlier request says of it; None where it is."""
    name = claim.pointer.removeprefix("/")
    if name not in made.spec.context:
        return "nothing says that {} is the same in all calls", (claim.pointer,)
    said = [(at, part) for at, part in _mentions(name, made, ledger) if at <= made.asked_at != NEVER]
    if all((at, part.start, part.end) != (index, claim.start, claim.end) for at, part in said):
        return "no earlier request says it there", ()
    last = _latest(said).value
    return None if last is UNKNOWN or same(last, value) else ("the user has said {!r} since", (last,))


def _mentions(slot: str, made: ClaimedCall, ledger: Ledger) -> Iterator[tuple[int, ClaimedSpan]]:
    """Yield where the user says an argument of this name of other calls whose tools all use it, with the index of the message."""
    for index, parts in ledger.parts.items():
        for part in parts:
            is_it = part.saying.of == "arguments" and part.saying.slot == slot and part.call != made.id
            if is_it and slot in ledger.calls[part.call].spec.context:
                yield index, part


def _latest(said: list[tuple[int, ClaimedSpan]]) -> ClaimedSpan:
    """Return the span that is said last."""
    return max(said, key=lambda one: (one[0], one[1].start))[1]


# --- result: an earlier result holds it; of a list, the element that the user's words single out ---


def _claim_result(talk: Transcript, call: Call, slot: str, call_id: str) -> Iterator[Claim]:
    """Claim the place of a value in a result, and the words that describe its element ("the cheapest one")."""
    ref = call.args[slot]
    start, end = _description(talk, call, slot, ref)
    pick = None if ref.pick is None else ref.pick.by
    message, pointer = talk.told_at[ref.event, ref.of], "/" + ref.at
    if start is not None and end is not None and ref.because is not None:
        words = talk.messages[talk.said_at[ref.because[0]]].content or ""
        if words[start:end].casefold() in REFERENCES.pronouns:
            # "it" means what was spoken of before, for the reason given there
            pick = talk.reasons.get((message, pointer), pick)
        talk.reasons.setdefault((message, pointer), pick)
    yield Claim(call_id, "/" + slot, "result", message, start, end, result_pointer=pointer, pick=pick)


def _description(talk: Transcript, call: Call, slot: str, ref: Ref) -> tuple[int | None, int | None]:
    """Return the span in which the user says which element an argument comes from; arguments of one element share it."""
    if ref.because is None:
        return None, None
    found, element = talk.references.get(ref.because[:2], {}), (ref.event, ref.of, ref.pick)
    alike = [one for one, other in call.args.items() if (other.event, other.of, other.pick) == element]
    slots = [slot] if ref.pick is None else [slot, *alike]
    return next((found["/" + one] for one in slots if "/" + one in found), (None, None))


def _result_faults(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> Faults:
    """Yield why a value is not that of a result before the call, or why nobody has singled out its element."""
    if value is UNKNOWN:
        _note_description(claim, made, ledger)
        return
    source = ledger.answered_at(claim.message)
    if source is None or source.told_at > made.at:
        yield "PF103", "the result must stand before the call", ()
        return
    pointer = claim.result_pointer or ""
    try:
        taken = resolve(source.result, pointer)
    except LookupError:
        yield "PF103", "the result has no {}", (pointer,)
        return
    _note_description(claim, made, ledger)
    if not same(taken, value):
        yield "PF103", "{!r} is not the result's {!r}", (value, taken)
    for fault in _element_faults(claim, made, source, ledger):
        yield "PF104", "{}", (fault,)
    said = source.arguments or {}
    kept = without_lost(said, made.spec, made.arguments or {})
    for name in said:
        if kept.get(name) != said[name]:
            yield "PF146", "the call loses {} of the look-up: {!r}", (name, said[name])


def _note_description(claim: Claim, made: ClaimedCall, ledger: Ledger) -> None:
    """Note the words that describe an element ("the cheapest one") in the message that asks for the call."""
    if claim.start is not None and claim.end is not None and made.asked_at != NEVER:
        saying = verbalization(made.spec, "arguments", claim.pointer, claim.verbalizer)
        ledger.parts[made.asked_at].append(ClaimedSpan(claim.start, claim.end, made.id, saying, UNKNOWN))


def _element_faults(claim: Claim, made: ClaimedCall, source: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why the user's words do not single out the element from which a value is taken."""
    pointer, words = claim.result_pointer or "", _describing_words(claim, made, ledger)
    if words is not None and words.casefold() in (REFERENCES.pronoun_of(noun_in_key(pointer)), *reference_forms("it")):
        words = "it"
    key = (source.told_at, pointer, claim.pick)
    if words is not None and words.casefold() == "it" and claim.pick is not None and key not in ledger.taken:
        words = None  # "it" would have nothing to refer to
    ledger.taken.add(key)
    if claim.pick == "each":
        ledger.each.setdefault((source.told_at, _any_element(source.result, pointer)), set()).add(pointer)
    if claim.pick is None and words is not None and is_only(source.result, pointer):
        yield from that_faults(made, source, words, ledger)
    elif names_one(claim):
        yield from which_faults(claim, made, source, words, ledger)
    else:
        yield from pick_faults(claim, source.result, words, _picks_on_the_way(source, pointer))


def _describing_words(claim: Claim, made: ClaimedCall, ledger: Ledger) -> str | None:
    """Return the user's words for the element, in the message that asks for the call."""
    start, end = claim.start, claim.end
    if start is None or end is None or not 0 <= made.asked_at < len(ledger.contents):
        return None
    content = ledger.contents[made.asked_at]
    return content[start:end] if 0 <= start < end <= len(content) else None


def _picks_on_the_way(source: ClaimedCall, pointer: str) -> tuple[Pick, ...]:
    """Return the picks that the tool's phrases offer for the lists that a pointer passes through."""
    steps = _any_element(source.result, pointer).split("/")[1:]
    slots = ["/".join(steps[:at]) for at in list_indexes(source.result, pointer)]
    noun = found_by(source.spec.name)
    general = (Pick(f"the first of {noun}", "first"), Pick(f"the last of {noun}", "last")) if noun else ()
    return (*[pick for slot in slots for pick in source.spec.phrases.pick.get(slot, ())], *general)


def _any_element(result: Any, pointer: str) -> str:
    """Return the pointer with `*` for elements of lists; the result tells them from keys that look like numbers."""
    places = list_indexes(result, pointer)
    return "/" + "/".join(["*" if index in places else escape(step) for index, step in enumerate(split(pointer))])


# --- default: the schema leaves no choice ---


def _claim_default(talk: Transcript, call: Call, slot: str, call_id: str) -> Iterator[Claim]:
    """Claim that the schema fixes the value."""
    yield Claim(call_id, "/" + slot, "default")


def _default_faults(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> Faults:
    """Yield that the schema fixes another value, or none."""
    for schema in schemas_at(made.spec.tool.parameters, claim.pointer):
        members = schema.get("enum", ())
        fixed = [schema[key] for key in ("const", "default") if key in schema]
        if is_among(value, [*fixed, *(members if len(members) == 1 else ())]):
            return
    yield "PF105", "{!r} is not what the schema fixes", (value,)


SOURCES: dict[str, ValueSource] = {
    source.name: source
    for source in (
        ValueSource("earlier_turn", _claim_reference, _reference_faults, before_call=True),
        ValueSource("result", _claim_result, _result_faults, before_call=True),
        ValueSource("context", _claim_context, _context_faults),
        ValueSource("user", _claim_said, _said_faults, before_call=True),
        ValueSource("default", _claim_default, _default_faults),
    )
}
"""Where values of arguments come from, by name."""
