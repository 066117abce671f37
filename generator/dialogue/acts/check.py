"""The checker: one pass over a finished conversation and its claims, by code that did not write it.

Nothing here knows how a row was planned or worded. It sees the messages, the claims, and what the tool specs say about
spoken forms. It never raises, whatever it is given.
"""

from collections.abc import Iterator, Sequence

from generator.core.claims import Proof
from generator.core.conversation import Conversation, Violation
from generator.core.exact_json import is_among
from generator.core.pointers import escape
from generator.core.toolbox import Toolbox
from generator.core.yaml_values import own_data
from generator.dialogue.acts import (
    ask,
    asked,
    decline,
    detail,
    fail,
    leave,
    listed,
    picked,
    reason,
    refuse,
    remark,
    rule,
    set_aside,
    tally,
)
from generator.dialogue.proof.claims import check_arguments
from generator.dialogue.proof.ledger import Act, ClaimedCall, Finding, Ledger
from generator.dialogue.proof.opening import open_ledger
from generator.dialogue.proof.scripted import CODES as SCRIPT_CODES
from generator.dialogue.proof.scripted import check_scripts
from generator.dialogue.proof.texts import check_answers, check_texts

ACTS: dict[str, Act] = {
    act.how: act
    for module in (detail, fail, leave, listed, picked, reason, remark, rule, refuse, set_aside, tally)
    for act in module.ACTS
}
"""What a sentence of its own can tell."""
CODES: dict[str, str] = {**own_data(__file__), **SCRIPT_CODES}
"""What each check demands, by its code."""


def check_row(
    conversation: Conversation, proof: Proof, toolbox: Toolbox, *, phrases: bool = True, prefix: bool = False
) -> list[Finding]:
    """Return all faults of a row; none for a right one.

    Args:
        conversation: The finished messages.
        proof: What is claimed about them.
        toolbox: The tools by name.
        phrases: Whether the texts must be made of the tools' phrases.
        prefix: Whether the conversation may end before all that was asked for is done: calls that are claimed but
            have not been made are not looked for.
    """
    if proof.scripts:
        return check_scripts(conversation, proof, toolbox, prefix=prefix)
    try:
        ledger = open_ledger(conversation, proof, toolbox, ACTS, phrases=phrases, prefix=prefix)
        _note_demanded(ledger)
        check_arguments(ledger)
        _check_helping(ledger)
        if ledger.sentences or proof.retracted:
            refuse.note(ledger)
            leave.note(ledger)
        check_answers(ledger)
        for check in (fail.check, picked.check, picked.check_named, asked.check):
            check(ledger)
        if ledger.sentences:
            _check_sentences(ledger)
        left = decline.check(ledger)
        ask.check(ledger, left)
        check_texts(ledger, left)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as fault:
        # a claim that cannot be read (a pointer that leads nowhere, a value of another type) is a fault
        # of the row: no conversation may stop a run
        return [Finding("PF117", ("message", 0), "{}: {}", (type(fault).__name__, str(fault)))]
    return ledger.found


def _check_sentences(ledger: Ledger) -> None:
    """Check that what each sentence tells is so."""
    for sentence in ledger.spoken():
        for fault in sentence.act.faults(sentence):
            ledger.report(sentence.act.code, sentence.at, "{}", fault)


def violations_of(findings: Sequence[Finding]) -> list[Violation]:
    """Return findings as violations, which people read."""
    return [Violation(found.code, _path(found.at), found.text.format(*found.facts)) for found in findings]


def _path(at: tuple[object, ...]) -> str:
    """Return where a finding is as a JSON path: `$.messages[1].content[4:9]`."""
    kind_of_location, *details = at
    if kind_of_location == "argument":
        return f"$.arguments[{details[0]}]{details[1]}"
    if kind_of_location == "calls":
        return f"$.messages[{details[0]}].tool_calls"
    span = f"[{details[1]}:{details[2]}]" if len(details) > 1 else ""
    return f"$.messages[{details[0]}].content{span}"


def _note_demanded(ledger: Ledger) -> None:
    """Note which arguments of calls that a policy demands need no claims: values that the call which they are made for has, too."""
    for call in ledger.calls.values():
        helped = ledger.calls.get(call.helps or "") if call.demanded else None
        if helped is not None and call.arguments:
            values_of_helped = None if helped.arguments is None else list(helped.arguments.values())
            call.covered |= {
                f"/{escape(key)}"
                for key, value in call.arguments.items()
                if values_of_helped is None or is_among(value, values_of_helped)
            }


def _check_helping(ledger: Ledger) -> None:
    """Check that each is made for a call of the same request, which takes a value from its result or is about the same thing."""
    claims = [*ledger.proof.arguments, *[claim for wish in ledger.proof.wishes for claim in wish.said]]
    sources = {(claim.call_id, claim.message) for claim in claims if claim.source == "result"}
    for call in ledger.calls.values():
        if call.helps is not None:
            for fault in _does_not_help(call, ledger, sources):
                ledger.report("PF127", ("argument", call.id, ""), fault, call.helps)


def _does_not_help(call: ClaimedCall, ledger: Ledger, sources: set[tuple[str, int | None]]) -> Iterator[str]:
    """Yield why a call does not help the one that it is made for."""
    helped = ledger.calls.get(call.helps or "")
    if not call.spec.looks_up and not call.demanded:
        yield "it changes something, so it must be asked for"
    elif helped is None:
        if not ledger.prefix:
            yield "there is no call {}"
    elif helped.asked_at != call.asked_at:
        yield "{} is asked for in another message"
    elif call.demanded:
        return  # `compliance` holds it to the policy
    elif not (ledger.prefix and helped.arguments is None) and (helped.id, call.told_at) not in sources:
        yield "{} takes nothing from its result"
