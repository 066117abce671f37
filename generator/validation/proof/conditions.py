"""Calls that depend on a result: "If the sky is rainy, cancel the picnic."."""

from generator.connectives import COMPARED
from generator.conversation import ConditionClaim, Proof
from generator.pointers import resolve
from generator.validation.phrase_grammar.tongues import ANSWERS
from generator.validation.proof.ledger import NEVER, ClaimedCall, ClaimedSpan, Finding, Ledger, TellSentence
from generator.validation.proof.mending import segment_at
from generator.validation.proof.verbalizations import verbalization


def check_conditions(ledger: Ledger, proof: Proof, *, prefix: bool) -> None:
    """Check that a call is made if, and only if, its condition is fulfilled; note the values with which users compare results."""
    for claim in proof.conditions:
        made, source = ledger.calls.get(claim.call_id), ledger.calls.get(claim.of)
        at = ("message", claim.message, claim.start, claim.end)
        segment = segment_at(ledger, claim.message, claim.start)
        if made is None or source is None or segment is None or segment.tell.how != "condition":
            ledger.found.append(Finding("PF122", at, "there is no such condition"))
            continue
        saying = verbalization(source.spec, segment.tongue or ANSWERS, "result", claim.pointer, claim.verbalizer)
        ledger.parts[claim.message].append(ClaimedSpan(claim.start, claim.end, source.id, saying, claim.value))
        fault = _broken_condition(claim, made, source, segment, ledger, prefix=prefix)
        if fault is not None:
            ledger.found.append(Finding("PF122", at, fault))


def _broken_condition(
    claim: ConditionClaim,
    made: ClaimedCall,
    source: ClaimedCall,
    segment: TellSentence,
    ledger: Ledger,
    *,
    prefix: bool,
) -> str | None:
    """Return why a call does not follow its condition, or None."""
    if segment.tell.call_id != made.id or {made.asked_at, source.asked_at} != {claim.message}:
        return "it is not the condition of that call"
    said = ledger.contents[claim.message][segment.start : claim.start].casefold()
    if not any(said.endswith(way) for way in COMPARED.get(claim.op, ())):
        return "the words do not compare in this way"
    if source.told_at == NEVER:
        return None if prefix else "the result on which it hangs is not there"
    try:
        found = resolve(source.result, claim.pointer)
    except LookupError:
        return "the result has no {}".format(claim.pointer.replace("{", "").replace("}", ""))
    if type(found) is not type(claim.value) and not {type(found), type(claim.value)} <= {int, float}:
        return "the result cannot be compared with that"
    is_fulfilled = (
        found == claim.value if claim.op == "is" else found > claim.value if claim.op == "over" else found < claim.value
    )
    if made.is_unmade == is_fulfilled:
        return "the call is not made although the condition is fulfilled, or made although it is not"
    return None if source.told_at < made.at else "the call does not wait for the result on which it hangs"
