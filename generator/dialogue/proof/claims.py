"""Claims about arguments: each is compared with the text or result at the place that it names."""

from collections.abc import Iterator, Sequence
from typing import Any

from generator.core.claims import Claim
from generator.core.conversation import SystemMessage, ToolCall, UserMessage
from generator.core.exact_json import is_among, same
from generator.core.pointers import escape, expand, leaves, resolve, schema_at, schemas_at, split
from generator.core.templates import OF_TWO
from generator.core.toolbox import Pick, ToolSpec, found_by
from generator.dialogue.from_results.choosing import (
    REFERENCES,
    may_mean,
    noun_in_key,
    on_another_day,
    same_again,
    without_lost,
)
from generator.dialogue.proof.choices import names_one, that_faults, which_faults
from generator.dialogue.proof.ledger import NEVER, UNKNOWN, ClaimedCall, ClaimedSpan, FaultFacts, Ledger
from generator.dialogue.proof.picks import is_only, list_indexes, pick_faults
from generator.dialogue.proof.spans import coordinates_of, place_at, span_faults
from generator.dialogue.proof.tongues import ANSWERS
from generator.dialogue.proof.verbalizations import verbalization
from generator.dialogue.values.texts import reference_forms


def check_arguments(ledger: Ledger) -> None:
    """Check every claim about an argument, and that every argument has a claim."""
    for claim in _in_order(ledger):
        made = ledger.calls.get(claim.call_id)
        if made is None:
            if not ledger.prefix:
                _report(ledger, claim, ("PF101", "there is no call {}", (claim.call_id,)))
            continue
        for fault in _faults(claim, made, ledger):
            _report(ledger, claim, fault)
    _check_coverage(ledger)
    _check_each(ledger)
    _check_parallel(ledger)
    _check_days(ledger)


def _in_order(ledger: Ledger) -> Sequence[Claim]:
    """Return the claims about arguments of calls and of declined wishes, in an order in which each can be checked."""
    proof = ledger.proof
    claims: Sequence[Claim] = proof.arguments
    unmade = [claim for wish in proof.wishes for claim in wish.said if wish.unmade is not None]
    if unmade:
        claims = [*claims, *unmade]
    if proof.declines:
        claims = [*claims, *[claim for decline in proof.declines for claim in decline.said]]
    if ledger.prefix or len(ledger.steps) > 1:  # what is said or found first may be referred to later
        order = {call.id: (call.at, call.asked_at) for call in ledger.calls.values()}
        claims = sorted(claims, key=lambda claim: order.get(claim.call_id, (0, 0)))
    # what words stand for, before the words
    claims = sorted(claims, key=lambda claim: claim.referred is not None and claim.referred[0] == claim.message)
    if "context" in [claim.source for claim in claims]:  # a value that a request says may be used by later calls
        claims = sorted(claims, key=lambda claim: claim.source == "context")
    return claims


_SAID = frozenset({"user", "earlier_turn"})


def _faults(claim: Claim, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why an argument does not come from where it is claimed to."""
    if claim.source in _SAID:
        return _said_faults(claim, made, ledger)
    if made.arguments is not None:
        return _unsaid_faults(claim, made, ledger)
    if claim.source == "result":
        _describe(claim, made, ledger)
    return iter(())


def _report(ledger: Ledger, claim: Claim, fault: FaultFacts) -> None:
    ledger.report(fault[0], ("argument", claim.call_id, claim.pointer), fault[1], *fault[2])


def _said_faults(claim: Claim, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why the user does not say a value as claimed; note the span and the argument that it says."""
    index, start, end, pointer = claim.message, claim.start, claim.end, claim.pointer
    tongue = ledger.tongues.get(-1 if index is None else index, ANSWERS)
    if index is None or start is None or end is None or tongue is ANSWERS or not index < made.at:
        _note(claim, made)
        yield "PF102", "the value must be said by the user before the call", ()
        return
    saying = verbalization(made.spec, tongue, "arguments", pointer, claim.verbalizer)
    if saying.place.key is None:
        made.covered.append(pointer)
    else:
        made.keys.add(saying.place.key)
    try:
        value = UNKNOWN if made.arguments is None else saying.find(made.arguments)
    except LookupError:
        yield "PF101", "there is no such argument", ()
        return
    part = ClaimedSpan(start, end, made.id, saying, value)
    if claim.source == "earlier_turn":
        yield from _same_faults(index, claim.referred, part, made, ledger)
    elif index != made.asked_at and made.asked_at != NEVER and not (index > made.asked_at and index in ledger.replies):
        yield "PF102", "only the request itself or a reply to a question says the value", ()
    else:
        yield from _noted(index, part, made, ledger)


def _same_faults(
    index: int, referred: tuple[int, int, int] | None, part: ClaimedSpan, made: ClaimedCall, ledger: Ledger
) -> Iterator[FaultFacts]:
    """Yield why the words at a place of the request ("the same day") do not refer to this value, which is said before them."""
    at, start, end = referred or (-1, 0, 0)
    is_before = (index, part.end) < (at, start)
    if at != made.asked_at or not is_before or not 0 <= start < end <= len(ledger.contents[at]):
        yield "PF102", "no request refers to it", ()
        return
    words = ledger.contents[at][start:end].casefold()
    if words not in same_again(part.saying.leaf[1]):
        yield "PF102", "{!r} does not refer to what was said of {}", (words, part.saying.leaf[1])
        return
    spoken_of = [
        other
        for later, parts in ledger.parts.items()
        if later <= at
        for other in parts
        if _could_be_meant(words, other)
    ]
    if not any(
        other in ledger.parts[index] and (other.start, other.end) == (part.start, part.end) for other in spoken_of
    ):
        yield "PF102", "no request of that turn says it there", ()
    elif any(
        other.value is not UNKNOWN and not same(other.value, part.value)
        for other in spoken_of
        if part.value is not UNKNOWN
    ):
        yield "PF102", "{!r} could mean something else", (words,)
    else:
        # words of the request stand for a value that is said before them
        saying = verbalization(made.spec, ledger.tongues[at], "arguments", "/" + part.saying.leaf[1], None)
        ledger.parts[at].append(ClaimedSpan(start, end, made.id, saying, UNKNOWN))
        if part.value is not UNKNOWN:
            content, place = ledger.contents[index], part.saying.place
            for text, facts in span_faults(content, part.start, part.end, part.value, place, ledger.today):
                yield "PF102", text, facts


def _could_be_meant(words: str, part: ClaimedSpan) -> bool:
    """Whether words such as "the same day" could refer to what a span of the user says."""
    (of, slot), spec = part.saying.leaf, part.saying.spec
    return of == "arguments" and may_mean(words, slot, schema_at(spec.tool.parameters, slot) or {})


def _noted(index: int, part: ClaimedSpan, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Note where the user says an argument; yield why it may not be said there."""
    ledger.parts[index].append(part)
    # one span says one argument of a call; another argument of the same value needs a span of its own
    owner = made.said.setdefault((index, part.start), part.saying.pointer)
    if made.spec.context and _said_again(part, index, made, ledger):
        yield "PF116", "an earlier request says it already, and it holds on", ()
    elif owner != part.saying.pointer and not _is_one_place(owner, part, made):
        yield "PF102", "these words already say {}", (owner,)


def _is_one_place(owner: str, part: ClaimedSpan, made: ClaimedCall) -> bool:
    """Whether words that say a latitude say this longitude, too, or the other way round."""
    pair = (owner.removeprefix("/"), part.saying.pointer.removeprefix("/"))
    is_both = pair in coordinates_of(made.spec) or pair[::-1] in coordinates_of(made.spec)
    return is_both and part.saying.place.verbalizer in OF_TWO


def _note(claim: Claim, made: ClaimedCall) -> None:
    """Note which argument a claim is about."""
    steps = split(claim.pointer)
    if len(steps) == 1 and claim.pointer == f"/{escape(steps[0])}":
        made.keys.add(steps[0])
    else:
        made.covered.append(claim.pointer)


def _unsaid_faults(claim: Claim, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why a value that the user does not say is not what is claimed."""
    _note(claim, made)
    try:
        value = resolve(made.arguments, claim.pointer)
    except LookupError:
        yield "PF101", "there is no such argument", ()
        return
    if claim.source == "result":
        yield from _taken_faults(claim, value, made, ledger)
    elif claim.source == "context":
        yield from _context_faults(claim, value, made, ledger)
    else:
        yield from _default_faults(claim, value, made)


def _default_faults(claim: Claim, value: Any, made: ClaimedCall) -> Iterator[FaultFacts]:
    if claim.source != "default":
        yield "PF101", "the source {!r} is not known", (claim.source,)
        return
    for schema in schemas_at(made.spec.tool.parameters, claim.pointer):
        members = schema.get("enum", ())
        only = [
            *(members if len(members) == 1 else ()),
            *(schema[key] for key in ("const", "default") if key in schema),
        ]
        if is_among(value, only):
            return
    yield "PF105", "{!r} is not what the schema fixes", (value,)


def _context_faults(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    index = claim.message if claim.message is not None else -1
    messages = ledger.conversation.messages
    spec, start, end = made.spec, claim.start, claim.end
    if 0 <= index < len(messages) and type(messages[index]) is UserMessage:
        yield from _carried_faults(claim, index, value, made, ledger)
    elif not 0 <= index < len(messages) or type(messages[index]) is not SystemMessage:
        yield "PF116", "a value from the context must stand in a system message", ()
    elif index >= made.at:
        yield "PF116", "the system message must stand before the call", ()
    elif start is None or end is None:
        yield "PF116", "the claim does not say where the value stands", ()
    else:
        place = place_at(spec, claim.pointer, claim.verbalizer or "", "arguments")
        for text, facts in span_faults(ledger.contents[index], start, end, value, place, ledger.today):
            yield "PF116", text, facts


def _taken_faults(claim: Claim, value: Any, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    index = claim.message if claim.message is not None else -1
    source = next((call for call in ledger.calls.values() if call.told_at == index), None)
    if source is None or index > made.at:
        yield "PF103", "the result must stand before the call", ()
        return
    pointer = claim.result_pointer or ""
    try:
        taken = resolve(source.result, pointer)
    except LookupError:
        yield "PF103", "the result has no {}", (pointer,)
        return
    words = _words(claim, made, ledger)
    _describe(claim, made, ledger)
    if not same(taken, value):
        yield "PF103", "{!r} is not the result's {!r}", (value, taken)
    for fault in _misnamed(claim, words, made, source, ledger):
        yield "PF104", "{}", (fault,)
    yield from _lost(claim, source, made, ledger)


def _lost(claim: Claim, source: ClaimedCall, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield what is required of a look-up and not of the call that takes its result."""
    said = source.arguments or {}
    kept = without_lost(said, made.spec, made.arguments or {})
    for name in said if kept != said else ():
        if kept.get(name) != said[name]:
            yield "PF146", "the call loses {} of the look-up: {!r}", (name, said[name])


def _misnamed(claim: Claim, words: str | None, made: ClaimedCall, source: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why the user's words do not single out the element from which a value is taken."""
    index, pointer = claim.message, claim.result_pointer or ""
    assert index is not None
    if words is not None and words.casefold() == REFERENCES.pronoun_of(noun_in_key(pointer)):
        words = "it"
    if words is not None and words.casefold() in reference_forms("it"):
        words = "it"
    if words is not None and words.casefold() == "it" and (index, pointer, claim.pick) not in ledger.taken:
        words = None if claim.pick is not None else words  # "it" would have nothing to refer to
    ledger.taken.add((index, pointer, claim.pick))
    if claim.pick == "each":
        ledger.each.setdefault((index, _any_element(source.result, pointer)), set()).add(pointer)
    if claim.pick is None and words is not None and is_only(source.result, pointer):
        yield from that_faults(made, source, words, ledger)
    elif names_one(claim):
        yield from which_faults(claim, made, source, words, ledger)
    else:
        general = REFERENCES.picks
        yield from pick_faults(claim, source.result, words, _picks(source, pointer), general)


def _describe(claim: Claim, made: ClaimedCall, ledger: Ledger) -> None:
    """Note the words that describe an element ("the cheapest one") in the message that asks for the call."""
    if claim.start is None or claim.end is None or made.asked_at == NEVER:
        return
    saying = verbalization(made.spec, ledger.tongues[made.asked_at], "arguments", claim.pointer, claim.verbalizer)
    ledger.parts[made.asked_at].append(ClaimedSpan(claim.start, claim.end, made.id, saying, UNKNOWN))


def _words(claim: Claim, made: ClaimedCall, ledger: Ledger) -> str | None:
    """Return the user's words for the element, in the message that asks for the call."""
    start, end = claim.start, claim.end
    if start is None or end is None or not 0 <= made.asked_at < len(ledger.contents):
        return None
    content = ledger.contents[made.asked_at]
    return content[start:end] if 0 <= start < end <= len(content) else None


def _picks(source: ClaimedCall, pointer: str) -> tuple[Pick, ...]:
    """Return the picks that the tool's phrases offer for the lists that a pointer passes through."""
    steps = split(pointer)
    places = list_indexes(source.result, pointer)
    slots = ["/".join(["*" if at in places else escape(step) for at, step in enumerate(steps[:end])]) for end in places]
    known = source.spec.phrases.pick
    noun = found_by(source.spec.name)
    general = (Pick(f"the first of {noun}", "first"), Pick(f"the last of {noun}", "last")) if noun else ()
    return (*[pick for slot in slots for pick in known.get(slot, ())], *general)


def _any_element(result: Any, pointer: str) -> str:
    """Return the pointer with `*` for elements of lists; the result tells them from keys that look like numbers."""
    places = list_indexes(result, pointer)
    return "/" + "/".join(["*" if index in places else escape(step) for index, step in enumerate(split(pointer))])


def _check_coverage(ledger: Ledger) -> None:
    """Check that every leaf of every call's arguments has a claim, and that every call is asked for."""
    for made in ledger.calls.values():
        if made.arguments is None:
            continue
        if made.asked_at == NEVER:
            ledger.report("PF114", ("argument", made.id, ""), "nothing says which message asks for the call")
        if made.arguments.keys() <= made.keys:
            continue
        for key, value in made.arguments.items():
            for pointer, _ in leaves(value, f"/{escape(key)}") if key not in made.keys else ():
                if pointer not in made.covered and not any(pointer.startswith(part + "/") for part in made.covered):
                    text = "nothing says where this value comes from"
                    ledger.report("PF101", ("argument", made.id, pointer), text)


def _check_each(ledger: Ledger) -> None:
    """Check that what is asked "for each of them" is done for every element of the list."""
    for (message, pattern), pointers in ledger.each.items():
        result = next(call.result for call in ledger.calls.values() if call.told_at == message)
        if set(expand(result, pattern)) != pointers:
            ledger.report("PF104", ("message", message), "not every element of the list has its call")


def _check_parallel(ledger: Ledger) -> None:
    """Check that calls made at once differ from each other."""
    for index, message in ledger.steps:
        calls = message.tool_calls
        if len(calls) > 1 and _repeats(calls):
            ledger.report("PF108", ("calls", index), "two of the calls are the same")


def _check_days(ledger: Ledger) -> None:
    """Check that no message asks for what is done at once together with something of another day."""
    asked: dict[int, list[tuple[ToolSpec, dict[str, Any]]]] = {}
    for made in ledger.calls.values():
        if made.arguments is not None:
            asked.setdefault(made.asked_at, []).append((made.spec, made.arguments))
    for index, some in asked.items():
        if len(some) > 1 and on_another_day(some, str(ledger.today)):
            ledger.report(
                "PF147", ("message", index), "what is done at once is asked for with something of another day"
            )


def _repeats(calls: tuple[ToolCall, ...]) -> bool:
    return any(
        call.name == other.name and same(call.arguments, other.arguments)
        for place, call in enumerate(calls)
        for other in calls[:place]
    )


def _carried_faults(claim: Claim, index: int, value: Any, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why an argument that the request does not say is not what an earlier request says of it."""
    spec, steps = made.spec, split(claim.pointer)
    if len(steps) != 1 or steps[0] not in spec.context:
        yield "PF116", "nothing says that {} is the same in all calls", (claim.pointer,)
        return
    if claim.start is None or claim.end is None or index > made.asked_at or made.asked_at == NEVER:
        yield "PF116", "no earlier request says it", ()
        return
    said = [(at, part) for at, part in _said(steps[0], ledger) if at <= made.asked_at and part.call != made.id]
    if not any(at == index and (part.start, part.end) == (claim.start, claim.end) for at, part in said):
        yield "PF116", "no earlier request says it there", ()
        return
    _, last = max(said, key=lambda one: (one[0], one[1].start))
    if last.value is not UNKNOWN and not same(last.value, value):
        yield "PF116", "the user has said {!r} since", (last.value,)
        return
    place = place_at(spec, claim.pointer, claim.verbalizer or "", "arguments")
    for text, facts in span_faults(ledger.contents[index], claim.start, claim.end, value, place, ledger.today):
        yield "PF116", text, facts


def _said_again(part: ClaimedSpan, index: int, made: ClaimedCall, ledger: Ledger) -> bool:
    """Whether a part says a value again that holds from an earlier message for another tool's call."""
    slot = part.saying.leaf[1]
    if slot not in made.spec.context or part.value is UNKNOWN:
        return False
    said = [(at, one) for at, one in _said(slot, ledger) if at < index and one.call != made.id]
    if not said:
        return False
    _, last = max(said, key=lambda one: (one[0], one[1].start))
    return last.saying.spec.name != part.saying.spec.name and last.value is not UNKNOWN and same(last.value, part.value)


def _said(slot: str, ledger: Ledger) -> Iterator[tuple[int, ClaimedSpan]]:
    """Yield where the user says an argument of this name, with the index of the message, for tools whose later calls all use it."""
    for index, parts in ledger.parts.items():
        for part in parts:
            of, name = part.saying.leaf
            if of == "arguments" and name == slot and slot in ledger.calls[part.call].spec.context:
                yield index, part
