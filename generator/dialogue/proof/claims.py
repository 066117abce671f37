"""Claims about arguments: each is compared with the text or result at the place that it names, as its source wants it."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from generator.core.claims import Claim
from generator.core.exact_json import same
from generator.core.pointers import expand, leaves, resolve
from generator.core.toolbox import ToolSpec
from generator.dialogue.from_results.choosing import on_another_day
from generator.dialogue.proof.ledger import NEVER, UNKNOWN, ClaimedCall, Ledger
from generator.dialogue.sources import SOURCES, Faults


def check_arguments(ledger: Ledger) -> None:
    """Check every claim about an argument, and that every argument has a claim."""
    for claim in _in_order(ledger):
        made = ledger.calls.get(claim.call_id)
        at = ("argument", claim.call_id, claim.pointer)
        if made is not None:
            for code, text, facts in _faults(claim, made, ledger):
                ledger.report(code, at, text, *facts)
        elif not ledger.prefix:
            ledger.report("PF101", at, "there is no call {}", claim.call_id)
    _check_coverage(ledger)
    _check_each(ledger)
    _check_parallel(ledger)
    _check_days(ledger)


def _in_order(ledger: Ledger) -> Sequence[Claim]:
    """Return the claims about arguments of calls and of declined wishes, in an order in which each can be checked."""
    proof = ledger.proof
    unmade = [claim for wish in proof.wishes for claim in wish.said if wish.unmade is not None]
    claims = [*proof.arguments, *unmade, *[claim for decline in proof.declines for claim in decline.said]]
    # what is said or found first may be referred to later; what words of a message stand for, before the words; and a value
    # that a request says may be used by later calls
    order = {call.id: (call.at, call.asked_at) for call in ledger.calls.values()}
    return sorted(
        claims,
        key=lambda claim: (claim.source == "context", claim.source == "earlier_turn", order.get(claim.call_id, (0, 0))),
    )


def _faults(claim: Claim, made: ClaimedCall, ledger: Ledger) -> Faults:
    """Yield why an argument does not come from where it is claimed to; note that it has a claim."""
    source = SOURCES.get(claim.source)
    made.covered.add(claim.pointer)
    if source is None:
        yield "PF101", "the source {!r} is not known", (claim.source,)
    elif made.arguments is not None:
        try:
            value = resolve(made.arguments, claim.pointer)
        except LookupError:
            yield "PF101", "there is no such argument", ()
        else:
            yield from source.faults(claim, value, made, ledger)
    elif source.before_call:
        yield from source.faults(claim, UNKNOWN, made, ledger)


def _check_coverage(ledger: Ledger) -> None:
    """Check that every leaf of every call's arguments has a claim, and that every call is asked for."""
    for made in ledger.calls.values():
        if made.arguments is None:
            continue
        if made.asked_at == NEVER:
            ledger.report("PF114", ("argument", made.id, ""), "nothing says which message asks for the call")
        for pointer, _ in leaves(made.arguments) if made.arguments else ():
            if not any(pointer == part or pointer.startswith(part + "/") for part in made.covered):
                ledger.report("PF101", ("argument", made.id, pointer), "nothing says where this value comes from")


def _check_each(ledger: Ledger) -> None:
    """Check that what is asked "for each of them" is done for every element of the list."""
    for (message, pattern), pointers in ledger.each.items():
        result = next(call.result for call in ledger.calls.values() if call.told_at == message)
        if set(expand(result, pattern)) != pointers:
            ledger.report("PF104", ("message", message), "not every element of the list has its call")


def _check_parallel(ledger: Ledger) -> None:
    """Check that calls made at once differ from each other."""
    for index, message in ledger.steps:
        pairs = combinations(message.tool_calls, 2)
        if any(one.name == other.name and same(one.arguments, other.arguments) for one, other in pairs):
            ledger.report("PF108", ("calls", index), "two of the calls are the same")


def _check_days(ledger: Ledger) -> None:
    """Check that no message asks for what is done at once together with something of another day."""
    asked: dict[int, list[tuple[ToolSpec, dict[str, Any]]]] = {}
    for made in ledger.calls.values():
        if made.arguments is not None:
            asked.setdefault(made.asked_at, []).append((made.spec, made.arguments))
    for index, calls in asked.items():
        if len(calls) > 1 and on_another_day(calls, str(ledger.today)):
            text = "what is done at once is asked for with something of another day"
            ledger.report("PF147", ("message", index), text)
