"""Searches that nobody asks for: "delete the newest one of my tax files" needs a search first."""

from generator.validation.proof.ledger import ClaimedCall, Ledger


def check_helping(ledger: Ledger) -> None:
    """Check that each is made for a call of the same request that takes a value from its result."""
    sources = {(claim.call_id, claim.message) for claim in ledger.proof.arguments if claim.source == "result"}
    for made in ledger.calls.values():
        if made.helps is not None:
            fault = _does_not_help(made, ledger, sources)
            if fault is not None:
                ledger.report("PF127", ("argument", made.id, ""), fault, made.helps)


def _does_not_help(made: ClaimedCall, ledger: Ledger, sources: set[tuple[str, int | None]]) -> str | None:
    """Return why a call does not help the one that it is made for, or None."""
    if not made.spec.looks_up:
        return "it changes something, so it must be asked for"
    helped = ledger.calls.get(made.helps or "")
    if helped is None:
        return None if ledger.prefix else "there is no call {}"
    if helped.asked_at != made.asked_at:
        return "{} is asked for in another message"
    if ledger.prefix and helped.arguments is None:
        return None
    return None if (helped.id, made.told_at) in sources else "{} takes nothing from its result"
