"""Values that the user takes back: "Sorry, I meant Rome."."""

from typing import Any

import orjson

from generator.connectives import CORRECTING, LETTING_BUT
from generator.conversation import Proof, RetractedClaim
from generator.pointers import set_at, split
from generator.toolbox import ToolSpec, overwrites, restores, rewrites
from generator.validation.proof.ledger import NEVER, UNKNOWN, ClaimedSpan, Finding, Ledger
from generator.validation.proof.refused import calls_after_refusal
from generator.validation.proof.verbalizations import verbalization
from generator.values import same


def check_retracted(ledger: Ledger, proof: Proof, *, prefix: bool) -> None:
    """Check that what is taken back was said of the same argument before, and is not what the call takes in the end."""
    taken_back = set()
    refused = calls_after_refusal(proof)
    for claim in proof.retracted:
        if claim.call_id in refused or claim.by is not None:
            continue
        if prefix and claim.call_id not in ledger.calls:
            continue  # the message that takes it back is still to come
        fault = _not_taken_back(claim, ledger)
        if fault is not None:
            ledger.found.append(Finding("PF123", ("message", claim.message, claim.start, claim.end), fault))
        taken_back.add(ledger.calls[claim.call_id].asked_at if claim.call_id in ledger.calls else NEVER)
    for index, tongue in ledger.tongues.items():
        if tongue.again and index not in taken_back and _takes_back(ledger.contents[index]):
            ledger.found.append(Finding("PF123", ("message", index), "nothing is taken back there"))


def check_undone(ledger: Ledger, proof: Proof) -> None:
    """Check that what the user wants undone was made by an earlier call, and that the call for it deletes or cancels just that."""
    taken = {(claim.call_id, claim.message) for claim in proof.arguments if claim.source == "result"}
    for index, segment in [(index, segment) for index, segments in ledger.segments.items() for segment in segments]:
        if segment.tell.how != "regretted":
            continue
        made = ledger.calls[segment.tell.call_id]
        undone = any(
            (made.id, call.told_at) in taken and undoes(made.spec, call.spec) for call in ledger.calls.values()
        )
        if made.asked_at != index or segment.start or not undone:
            ledger.found.append(
                Finding(
                    "PF123", ("message", index, segment.start, segment.end), "nothing that was made before is undone"
                )
            )


def undoes(spec: ToolSpec, other: ToolSpec) -> bool:
    """Whether a tool deletes, moves to another state or changes what another one creates, or leads back to the state before it."""
    one, two = spec.effect, other.effect
    if one is None or two is None or spec.domain != other.domain or one.entity != two.entity:
        return False
    if two.kind == "create":
        return one.kind in ("delete", "move") or bool(rewrites(spec, other))
    return two.kind in ("update", "move") and restores(spec, other)


def check_changed(ledger: Ledger, proof: Proof, *, prefix: bool) -> None:
    """Check that a value changed before the call was said in the request, and that the call takes the new value."""
    changed = {claim.by: claim for claim in proof.retracted if claim.by is not None}
    for claim in changed.values():
        fault = _not_changed(claim, ledger, prefix=prefix)
        if fault is not None:
            ledger.found.append(Finding("PF123", ("message", claim.message, claim.start, claim.end), fault))
    for index, segments in ledger.segments.items():
        for segment in segments:
            said = ledger.contents[index][segment.start : segment.end]
            changes = segment.tell.how == "corrected" or (segment.tell.how == "yes" and said in LETTING_BUT)
            claimed = changed.get(index)
            if changes != (claimed is not None and claimed.call_id == segment.tell.call_id) and segment.tell.how in (
                "yes",
                "corrected",
            ):
                fault = "nothing is changed there" if changes else "it is not said that something is changed"
                ledger.found.append(Finding("PF123", ("message", index, segment.start, segment.end), fault))


def _not_changed(claim: RetractedClaim, ledger: Ledger, *, prefix: bool) -> str | None:
    """Return why a reply does not change a value, or None; note where the old value is said, and the proposed arguments."""
    made, by = ledger.calls.get(claim.call_id), claim.by or 0
    if made is None or claim.message != made.asked_at or not claim.message < by or claim.message not in ledger.parts:
        return "the request does not say it"
    content = ledger.contents[claim.message]
    if not 0 <= claim.start < claim.end <= len(content):
        return "there is no such text"
    if any(part.start < claim.end and claim.start < part.end for part in ledger.parts[claim.message]):
        return "these words say something else"
    saying = verbalization(made.spec, ledger.tongues[claim.message], "arguments", claim.pointer, claim.verbalizer)
    ledger.parts[claim.message].append(ClaimedSpan(claim.start, claim.end, made.id, saying, UNKNOWN))
    made.said[claim.message, claim.start] = claim.pointer  # it was said, so nobody need ask for it
    if made.arguments is None or (prefix and by >= len(ledger.contents)):
        return None
    said = [start for (index, start), pointer in made.said.items() if (index, pointer) == (by, claim.pointer)]
    begin = next((one.start if one.tell.how == "corrected" else one.end for one in ledger.segments.get(by, ())), 0)
    if by not in ledger.replies or by >= made.at or not any(start >= begin for start in said):
        return "nothing else is said in its place"
    try:
        old = saying.place.read(content[claim.start : claim.end], ledger.today)
        if same(old, saying.find(made.arguments)):
            return "the call takes this value all the same"
    except (LookupError, ValueError):
        return "the words say no value"
    made.proposed = _with(made.arguments, claim.pointer, old)
    return None


def _with(arguments: dict[str, Any], pointer: str, value: Any) -> dict[str, Any]:
    """Return the arguments with another value at a pointer."""
    changed: dict[str, Any] = orjson.loads(orjson.dumps(arguments))
    set_at(changed, pointer, value)
    return changed


def _not_taken_back(claim: RetractedClaim, ledger: Ledger) -> str | None:
    made = ledger.calls.get(claim.call_id)
    if made is None or made.asked_at == NEVER or not 0 <= claim.message < made.asked_at:
        return "no later request takes it back"
    if not _takes_back(ledger.contents[made.asked_at]):
        return "the later request does not say that it takes something back"
    spec = made.spec
    tool = spec.name
    before = [
        call
        for call in ledger.calls.values()
        if call.asked_at == claim.message and call.spec is spec and not call.failed
    ]
    if before and not spec.looks_up and not overwrites(spec, split(claim.pointer)[0]):
        return "another call does not change what the first one has done"
    parts = [part for part in ledger.parts.get(claim.message, ()) if (part.start, part.end) == (claim.start, claim.end)]
    if not any(part.saying.spot.tool == tool and part.saying.spot.leaf == _leaf(claim, ledger) for part in parts):
        return "nothing is said of this argument there"
    if made.arguments is None:
        return None
    value = next(part.value for part in parts if part.saying.spot.leaf == _leaf(claim, ledger))
    saying = verbalization(made.spec, ledger.tongues[made.asked_at], "arguments", claim.pointer, claim.verbalizer)
    try:
        return "the call takes this value all the same" if same(saying.find(made.arguments), value) else None
    except LookupError:
        return "the call takes no other value in its place"


def _leaf(claim: RetractedClaim, ledger: Ledger) -> tuple[str, str]:
    made = ledger.calls[claim.call_id]
    return verbalization(
        made.spec, ledger.tongues[claim.message], "arguments", claim.pointer, claim.verbalizer
    ).spot.leaf


def _takes_back(content: str) -> bool:
    """Whether a message begins like a correction; "Sorry, could you first …" does not."""
    return any(content.startswith(before) and content.endswith(after) for before, after in CORRECTING)
