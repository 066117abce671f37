"""Arguments that hold for all later calls once they are said (`context: {desk_id: same}`)."""

from collections.abc import Iterator
from typing import Any

from generator.core.claims import Claim
from generator.core.pointers import split
from generator.core.values import same
from generator.dialogue.proof.ledger import NEVER, UNKNOWN, ClaimedCall, ClaimedSpan, FaultFacts, Ledger
from generator.dialogue.proof.spans import place_at, span_faults


def carried_faults(claim: Claim, index: int, value: Any, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
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


def said_again(part: ClaimedSpan, index: int, made: ClaimedCall, ledger: Ledger) -> bool:
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
