"""Searches that nobody asks for: "delete the newest one of my tax files" needs a search first."""

from collections.abc import Iterator

from generator.validation.proof.ledger import ClaimedCall, Ledger


def check_helping(ledger: Ledger) -> None:
    """Check that each is made for a call of the same request that takes a value from its result."""
    claims = [*ledger.proof.arguments, *[claim for wish in ledger.proof.wishes for claim in wish.said]]
    sources = {(claim.call_id, claim.message) for claim in claims if claim.source == "result"}
    for made in ledger.calls.values():
        if made.helps is not None:
            for fault in _does_not_help(made, ledger, sources):
                ledger.report("PF127", ("argument", made.id, ""), fault, made.helps)


def _does_not_help(made: ClaimedCall, ledger: Ledger, sources: set[tuple[str, int | None]]) -> Iterator[str]:
    """Yield why a call does not help the one that it is made for."""
    helped = ledger.calls.get(made.helps or "")
    if not made.spec.looks_up:
        yield "it changes something, so it must be asked for"
    elif helped is None:
        if not ledger.prefix:
            yield "there is no call {}"
    elif helped.asked_at != made.asked_at:
        yield "{} is asked for in another message"
    elif not (ledger.prefix and helped.arguments is None) and (helped.id, made.told_at) not in sources:
        yield "{} takes nothing from its result"
