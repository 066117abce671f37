"""Values that the user takes back: "Sorry, I meant Rome."."""

from generator.connectives import CORRECTING
from generator.conversation import Proof, RetractedClaim
from generator.validation.proof.ledger import NEVER, Finding, Ledger, saying_of
from generator.validation.proof.refused import refused_calls
from generator.values import same


def check_retracted(ledger: Ledger, proof: Proof, *, prefix: bool) -> None:
    """What is taken back was said of the same argument before, and is not the value that the call takes in the end."""
    taken_back = set()
    refused = refused_calls(proof)
    for claim in proof.retracted:
        if claim.call_id in refused:
            continue
        if prefix and claim.call_id not in ledger.calls:
            continue  # what takes it back is still to come
        fault = _not_taken_back(claim, ledger)
        if fault is not None:
            ledger.found.append(Finding("PF123", ("message", claim.message, claim.start, claim.end), fault))
        taken_back.add(ledger.calls[claim.call_id].asked_at if claim.call_id in ledger.calls else NEVER)
    for index, tongue in ledger.tongues.items():
        if tongue.again and index not in taken_back and _takes_back(ledger.contents[index]):
            ledger.found.append(Finding("PF123", ("message", index), "nothing is taken back there"))


def _not_taken_back(claim: RetractedClaim, ledger: Ledger) -> str | None:
    made = ledger.calls.get(claim.call_id)
    if made is None or made.asked_at == NEVER or not 0 <= claim.message < made.asked_at:
        return "no later request takes it back"
    if not _takes_back(ledger.contents[made.asked_at]):
        return "the later request does not say that it takes something back"
    tool = made.sayings.spec.name
    parts = [part for part in ledger.parts.get(claim.message, ()) if (part.start, part.end) == (claim.start, claim.end)]
    if not any(part.saying.spot.tool == tool and part.saying.spot.leaf == _leaf(claim, ledger) for part in parts):
        return "nothing is said of this argument there"
    if made.arguments is None:
        return None
    value = next(part.value for part in parts if part.saying.spot.leaf == _leaf(claim, ledger))
    saying = saying_of(made.sayings, ledger.tongues[made.asked_at], "arguments", claim.pointer, claim.verbalizer)
    try:
        return "the call takes this value all the same" if same(saying.find(made.arguments), value) else None
    except LookupError:
        return "the call takes no other value in its place"


def _leaf(claim: RetractedClaim, ledger: Ledger) -> tuple[str, str]:
    made = ledger.calls[claim.call_id]
    return saying_of(made.sayings, ledger.tongues[claim.message], "arguments", claim.pointer, claim.verbalizer).spot.leaf


def _takes_back(content: str) -> bool:
    """Whether a message is said as those that correct something: "Sorry, could you first …" is not."""
    return any(content.startswith(before) and content.endswith(after) for before, after in CORRECTING)
