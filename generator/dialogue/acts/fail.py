"""Fail: the assistant says that a call failed, and why."""

import re
from collections.abc import Iterator
from typing import Any

from generator.core.planning import Outcome, Step
from generator.core.pointers import resolve_or_none
from generator.core.yaml_values import own_data
from generator.dialogue.acts.leave import ASKS_LEAVE
from generator.dialogue.acts.set_aside import NOTED
from generator.dialogue.proof.ledger import Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.proof.tongues import ANSWERS, DOINGS
from generator.dialogue.values.texts import clause_of
from generator.dialogue.wording.doing import do_call
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import ResultOwner, closes, moved, moved_uses

_FORMS: dict[str, Any] = own_data(__file__)
_ERROR_TEXTS = ("message", "error/message")
"""Where a failed result that is an object says what went wrong."""


# --- saying ---


def tell(talk: Transcript, step: Step) -> None:
    """Add why the only call of a step failed: "I couldn't look up your account: no customer has this address.".

    Now and then the reason stands alone ("That didn't work: the card is frozen.").
    """
    (made,), (outcome,), draw = step.made, step.outcomes, talk.draw
    told: ResultOwner = (made.id, "result")
    pointer, text = _error_text(outcome)
    why = clause_of(text)
    if why[1:2].isupper():  # "ID is unknown"
        why = why[:1].upper() + why[1:]
    if draw.chance(0.15):
        before = draw.choice(_FORMS["alone"])
        spans = [(len(before), len(before) + len(why), "message", pointer, told)]
        talk.tell_apart((f"{before}{why}.", spans, []), made.id, "failed")
        return
    doing, spans, uses = do_call(talk.phrases[made.name], made.arguments, made.id, (), draw, talk.answering)
    if draw.chance(0.2) and not _POINTING.search(why):
        before = why[:1].upper() + why[1:] + draw.choice(_FORMS["so"])
        spans = [(0, len(why), "message", pointer, told), *moved(spans, len(before))]
        text = f"{before}{doing}{'' if closes(doing) else '.'}"
    else:
        before = draw.choice(_FORMS["cannot"])
        begun = f"{before}{doing}{draw.choice(_FORMS['reason'])}"
        spans = [*moved(spans, len(before)), (len(begun), len(begun) + len(why), "message", pointer, told)]
        text = f"{begun}{why}."
    talk.tell_apart((text, spans, moved_uses(uses, len(before), 0)), made.id, "failed")


def _error_text(outcome: Outcome) -> tuple[str, str]:
    """Return the pointer and the text of what an error says."""
    value = outcome.value if isinstance(outcome.value, dict) else {}
    said = [(f"/{slot}", str(text)) for slot in _ERROR_TEXTS if (text := resolve_or_none(value, slot)) is not None]
    return said[0] if said else ("", outcome.content)


_POINTING = re.compile(r"\b(?:it|this|that|there)\b")
"""Words in a reason that point at what has been spoken of."""


# --- checking ---


def _forms_of_failure(sentence: Sentence) -> Iterator[str]:
    """Yield what may be said of a failure: `{message}` is the reason, `…` the verb phrase of the call."""
    yield from [f"{before}{{message}}." for before in _FORMS["alone"]]
    for before in _FORMS["cannot"]:
        yield from [f"{before}…{reason}{{message}}." for reason in _FORMS["reason"]]
    yield from [f"{{message}}{so}…{stop}" for so in _FORMS["so"] for stop in (".", "")]


def _faults_of_failure(sentence: Sentence) -> Iterator[str]:
    """Yield that the call has not failed, or that the reason is not said."""
    made = sentence.made
    if not made.failed or not made.told_at < sentence.index:
        yield "the call has not failed"
    reasons = [part.saying.pointer for part in sentence.parts if part.saying.is_clause]
    if not any(pointer.removeprefix("/") in (*_ERROR_TEXTS, "") for pointer in reasons):
        yield "it does not say why the call failed"


def check(ledger: Ledger) -> None:
    """Check that every failed or unmade call is told of, and that a failed one is reported as a failure only."""
    told: dict[str, set[str]] = {}
    for tell in ledger.proof.tells:
        told.setdefault(tell.call_id, set()).add(tell.how)
    failed = set()
    for made in ledger.calls.values():
        if made.failed:
            failed.add(made.id)
        if not ledger.prefix and (made.failed or made.is_unmade or made.id in told):
            for fault in _not_followed_up(made, told.get(made.id, set()), ledger):
                ledger.report("PF119", ("argument", made.id, ""), fault)
    for claim in ledger.proof.answers if failed else ():
        is_usual = ledger.tongues.get(claim.message) is ANSWERS
        if claim.call_id in failed and is_usual and ledger.sentence_at(claim.message, claim.start) is None:
            at = ("message", claim.message, claim.start, claim.end)
            ledger.report("PF120", at, "the call failed, and this tells what it came to")


def _not_followed_up(made: ClaimedCall, told: set[str], ledger: Ledger) -> Iterator[str]:
    """Yield why a failed, proposed or unmade call is not followed up, after the acts that are told of it."""
    if told.intersection(ASKS_LEAVE) and not told & {"yes", "no"}:
        yield "leave is asked for, and nobody gives or refuses it"
    if made.is_unmade and not (told & _NOT_MADE or _is_open(made, ledger)):
        yield "the call is not made, and nobody says so"
    if made.failed and "failed" not in told:
        yield "the call failed, and nobody says so"


def _is_open(made: ClaimedCall, ledger: Ledger) -> bool:
    """Whether the conversation ends with the question for a value that the call needs."""
    return any(ask.call_id == made.id and ask.message == len(ledger.contents) - 1 for ask in ledger.proof.asks)


_NOT_MADE = {"not_done", "ruled_out", "put_off", *NOTED}
"""The acts that say why a call is not made."""
ACTS = (Act("failed", "assistant", "PF120", _forms_of_failure, _faults_of_failure, DOINGS),)
