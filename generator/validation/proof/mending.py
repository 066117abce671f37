"""Calls that fail or are not made: each is made again or reported, and what is reported of it is true."""

from typing import Any

from generator.connectives import AGREEING, FORBIDDING, LEFT, LETTING, LETTING_BUT, MISTAKEN, REGRETTING
from generator.conversation import AssistantMessage, Proof
from generator.offers import KEEPING_BLOCKED, LEFT_BLOCKED, NONE_TAKEN, REFUSING_ANOTHER
from generator.pointers import resolve
from generator.validation.phrase_grammar.tongues import ANSWERS
from generator.validation.proof.alternatives import by_leave, changed_arguments
from generator.validation.proof.ledger import NEVER, ClaimedCall, Finding, Ledger, TellSentence
from generator.validation.schemas import UnusableSchema, compiled
from generator.values import same


def segment_at(ledger: Ledger, index: int, start: int) -> TellSentence | None:
    """Return the sentence, of those that report no result, in which a place of a message lies; None when it lies in none."""
    for segment in ledger.segments.get(index, ()):
        if segment.start <= start < segment.end:
            return segment
    return None


def note_mending(ledger: Ledger) -> None:
    """Note calls that are made again: with the same arguments, or with right ones where the first were refused."""
    for made in ledger.calls.values():
        if made.mends is None:
            continue
        failed = ledger.calls.get(made.mends)
        fault = _mend(failed, made, ledger)
        if fault is not None:
            ledger.found.append(Finding("PF121", ("argument", made.id, ""), fault, (made.mends,)))


def _mend(failed: ClaimedCall | None, made: ClaimedCall, ledger: Ledger) -> str | None:
    """Return why a call does not make a failed one again, or None; note what need not be claimed of either of them."""
    if failed is None:
        return "there is no call {}"
    is_to_come = made.arguments is None  # beyond the end of the prefix
    if is_to_come and _is_learnt(failed, ledger):
        return None
    why = None if is_to_come else _no_mending(failed, made)
    if why is not None:
        return why
    if not is_to_come and failed.failed and same(failed.arguments, made.arguments):
        made.is_again = True
        made.keys.update(made.arguments or ())
        return None
    if not is_to_come and (_is_learnt(failed, ledger) or not failed.failed):
        made.is_again = True
        made.keys.update({*(made.arguments or ())} - changed_arguments(failed, made))
        return by_leave(failed, made, ledger)
    failed.is_wrong = True
    failed.keys.update(failed.arguments or ())
    return None if is_to_come else _not_put_right(failed, made, ledger)


def _not_put_right(failed: ClaimedCall, made: ClaimedCall, ledger: Ledger) -> str | None:
    """Return why a call does not put right arguments in place of wrong ones, or None."""
    if _is_valid(failed):
        return "the arguments of {} are not wrong, and it is made again with others"
    if not _differ_in_one(failed.arguments or {}, made.arguments or {}):
        return "more than one argument differs from those of {}"
    return None


def _no_mending(failed: ClaimedCall, made: ClaimedCall) -> str | None:
    """Return why a call does not repeat or correct another one, or None."""
    if failed.spec.name != made.spec.name or failed.asked_at != made.asked_at or made.asked_at == NEVER:
        return "{} is a call for something else"
    if not (failed.failed or _finds_nothing(failed)) or not failed.told_at < made.at:
        return "{} has not failed before it is made again"
    return None


def _is_learnt(made: ClaimedCall, ledger: Ledger) -> bool:
    message = ledger.conversation.messages[made.at] if made.at < len(ledger.conversation.messages) else None
    return type(message) is AssistantMessage and message.train


def _differ_in_one(wrong: dict[str, Any], right: dict[str, Any]) -> bool:
    keys = {*wrong, *right}
    return sum(key not in wrong or key not in right or not same(wrong[key], right[key]) for key in keys) == 1


def _is_valid(made: ClaimedCall) -> bool:
    schema = made.spec.tool.parameters
    check = None if schema is None else compiled(schema)
    return check is None or isinstance(check, UnusableSchema) or check.is_valid(made.arguments)


def check_telling(ledger: Ledger, proof: Proof, *, phrases: bool, prefix: bool) -> None:
    """Check that every failed or unmade call is followed up, and that the sentences about them are true."""
    mended = {
        made.mends: made for made in ledger.calls.values() if made.mends is not None and made.at < len(ledger.contents)
    }
    told = {(tell.call_id, tell.how) for tell in proof.tells}
    reasons = {
        segment_of(ledger, claim.message, claim.start) for claim in proof.answers if claim.verbalizer == "message"
    }
    for index, segment in [(index, segment) for index, segments in ledger.segments.items() for segment in segments]:
        why = _untrue(segment, ledger, mended, index) or (_said_otherwise(segment, ledger, index) if phrases else None)
        if why is None and segment.tell.how == "failed" and id(segment) not in reasons:
            why = "it does not say why the call failed"
        if why is not None:
            ledger.found.append(Finding("PF120", ("message", index, segment.start, segment.end), why))
    if not prefix:
        for made in ledger.calls.values():
            fault = _not_followed_up(made, ledger, mended, told)
            if fault is not None:
                ledger.found.append(Finding("PF119", ("argument", made.id, ""), fault))
    _check_answers_of_failures(ledger, proof)


def _said_otherwise(segment: TellSentence, ledger: Ledger, index: int) -> str | None:
    """Return why a sentence that must be one of a few fixed texts is none of them, or None."""
    texts = _TEXTS.get(segment.tell.how)
    said = ledger.contents[index][segment.start : segment.end]
    return "nobody says it in these words" if texts is not None and said not in texts else None


def segment_of(ledger: Ledger, index: int, start: int) -> int | None:
    """Return the identity of the sentence in which a place lies; None when it lies in none."""
    found = segment_at(ledger, index, start)
    return None if found is None else id(found)


_TEXTS: dict[str, tuple[str, ...]] = {
    "yes": LETTING + LETTING_BUT + AGREEING,
    "no": FORBIDDING + REFUSING_ANOTHER + KEEPING_BLOCKED,
    "not_done": LEFT + NONE_TAKEN + LEFT_BLOCKED,
    "regretted": REGRETTING + MISTAKEN,
}
"""The sentences that must be one of a few fixed texts."""


def _untrue(segment: TellSentence, ledger: Ledger, mended: dict[str, ClaimedCall], index: int) -> str | None:
    """Return why a sentence is not true, or None."""
    made, how = ledger.calls[segment.tell.call_id], segment.tell.how
    if how in {"failed", "empty"}:
        return _untrue_of_result(made, how, mended.get(made.id), index)
    if how == "proposed":
        return None if made.asked_at < index < made.at else "the call is made already, or nobody has asked for it"
    if how in {"yes", "no"}:
        return _untrue_answer(made, how, mended, ledger, index)
    if how in {
        "comparison",
        "best",
        "corrected",
        "several",
        "refused",
        "alternative",
        "offered",
        "fallback",
        "otherwise",
        "left_out",
        "regretted",
    }:
        return None  # checked in `comparisons.py`, `choices.py`, `refused.py`, `alternatives.py` and `retracted.py`
    if how in {"unblocking", "if_need_be"}:
        return None  # checked in `unblocking.py`
    if how == "condition":
        return None if made.asked_at == index else "the user does not ask for that call there"
    if how == "untrue":
        return (
            None
            if made.is_unmade and ledger.tells(made.asked_at, made, "condition")
            else "the call hangs on no condition"
        )
    is_refused = any(
        ledger.tells(index - 1, call, "no") for call in (made, ledger.calls.get(made.mends or "")) if call is not None
    )
    return None if made.is_unmade and is_refused else "there is no reason not to make the call"


def _untrue_answer(
    made: ClaimedCall, how: str, mended: dict[str, ClaimedCall], ledger: Ledger, index: int
) -> str | None:
    """Return why a yes or no does not answer a question for leave, or is not followed; None if it is."""
    if how == "no" and any(
        other.asked_at == made.asked_at and index < other.at < len(ledger.contents) for other in ledger.calls.values()
    ):
        return "the user says no, and a call is made all the same"
    if ledger.tells(index - 1, made, "alternative") or ledger.tells(index - 1, made, "offered"):
        is_followed = how == "no" or made.id in mended or index == len(ledger.contents) - 1
        return None if is_followed else "the user agrees, and nothing is done"
    if not ledger.tells(index - 1, made, "proposed") and not ledger.tells(index - 1, made, "unblocking"):
        return "nobody has asked for leave"
    return (
        None if made.is_unmade == (how == "no") else "the call is made although the user says no, or not although yes"
    )


def _untrue_of_result(made: ClaimedCall, how: str, again: ClaimedCall | None, index: int) -> str | None:
    """Return why it is not true that a call failed, or that a search found nothing; None if it is true."""
    if how == "empty":
        return None if made.told_at < index and _finds_nothing(made) else "the search found something"
    if not made.failed or not made.told_at < index:
        return "the call has not failed"
    return "the call was made again" if again is not None and again.at < index else None


def _finds_nothing(made: ClaimedCall) -> bool:
    """Whether a search returned an empty list."""
    effect = made.spec.effect
    if made.failed or effect is None or effect.kind != "find":
        return False
    try:
        return bool(resolve(made.result, effect.at) == [])
    except LookupError:
        return False


def _not_followed_up(
    made: ClaimedCall, ledger: Ledger, mended: dict[str, ClaimedCall], told: set[tuple[str, str]]
) -> str | None:
    """Return why a failed, proposed or unmade call is not followed up, or None."""
    if {(made.id, "proposed"), (made.id, "alternative"), (made.id, "offered"), (made.id, "unblocking")} & told and not {
        (made.id, "yes"),
        (made.id, "no"),
    } & told:
        return "leave is asked for, and nobody gives or refuses it"
    if made.is_unmade:
        return (
            None if {(made.id, "not_done"), (made.id, "untrue")} & told else "the call is not made, and nobody says so"
        )
    if not made.failed or made.told_at >= len(ledger.contents):
        return None
    if not getattr(ledger.conversation.messages[made.told_at], "is_error", False):
        return None
    return None if made.id in mended or (made.id, "failed") in told else "the call failed, and nobody says so"


def _check_answers_of_failures(ledger: Ledger, proof: Proof) -> None:
    """Check that a failed call is reported as a failure only."""
    failed = {made.id for made in ledger.calls.values() if getattr(_told(made, ledger), "is_error", False)}
    for claim in proof.answers if failed else ():
        is_usual = (
            ledger.tongues.get(claim.message) is ANSWERS and segment_at(ledger, claim.message, claim.start) is None
        )
        if claim.call_id in failed and is_usual:
            at = ("message", claim.message, claim.start, claim.end)
            ledger.found.append(Finding("PF120", at, "the call failed, and this tells what it came to"))


def _told(made: ClaimedCall, ledger: Ledger) -> object:
    messages = ledger.conversation.messages
    return messages[made.told_at] if made.told_at < len(messages) else None
