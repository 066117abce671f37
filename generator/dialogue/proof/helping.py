"""Calls that nobody asks for: "delete the newest one of my tax files" needs a search first, and a policy may demand a look-up."""

from collections.abc import Iterator

from generator.core.values import is_among
from generator.dialogue.proof.ledger import ClaimedCall, Ledger


def note_demanded(ledger: Ledger) -> None:
    """Note which arguments of calls that a policy demands need no claims: what the call that they are made for names, too."""
    for made in ledger.calls.values():
        helped = ledger.calls.get(made.helps or "") if made.demanded else None
        if helped is not None and made.arguments:
            known = None if helped.arguments is None else list(helped.arguments.values())
            made.keys.update([key for key, value in made.arguments.items() if known is None or is_among(value, known)])


def check_helping(ledger: Ledger) -> None:
    """Check that each is made for a call of the same request, which takes a value from its result or is about the same thing."""
    claims = [*ledger.proof.arguments, *[claim for wish in ledger.proof.wishes for claim in wish.said]]
    sources = {(claim.call_id, claim.message) for claim in claims if claim.source == "result"}
    for made in ledger.calls.values():
        if made.helps is not None:
            for fault in _does_not_help(made, ledger, sources):
                ledger.report("PF127", ("argument", made.id, ""), fault, made.helps)


def _does_not_help(made: ClaimedCall, ledger: Ledger, sources: set[tuple[str, int | None]]) -> Iterator[str]:
    """Yield why a call does not help the one that it is made for."""
    helped = ledger.calls.get(made.helps or "")
    if not made.spec.looks_up and not made.demanded:
        yield "it changes something, so it must be asked for"
    elif helped is None:
        if not ledger.prefix:
            yield "there is no call {}"
    elif helped.asked_at != made.asked_at:
        yield "{} is asked for in another message"
    elif made.demanded:
        return  # `compliance` holds it to the policy
    elif not (ledger.prefix and helped.arguments is None) and (helped.id, made.told_at) not in sources:
        yield "{} takes nothing from its result"
