"""Calls made in place of one that failed or found nothing, with one argument changed by the user's leave.

The assistant offers to take another element of a list, or to search without an argument, and the user agrees; or the user
has said with the request which argument shall be left out if nothing is found, or which other value it shall have.
"""

from generator.connectives import IF_NOTHING, LEFT_OUT, OFFERING, WIDENING, argument_name
from generator.conversation import Claim, Proof
from generator.pointers import split
from generator.validation.phrase_grammar.phrases import name_in_words
from generator.validation.proof.ledger import ClaimedCall, Finding, Ledger, TellSentence
from generator.values import same


def _check_offered(ledger: Ledger, proof: Proof) -> None:
    """Check every argument that is said to have been proposed by the assistant."""
    for claim in proof.arguments:
        made = ledger.calls.get(claim.call_id)
        fault = (
            None
            if claim.source != "offered" or made is None or made.arguments is None
            else _not_agreed(claim, made, ledger)
        )
        if fault is not None:
            ledger.found.append(Finding("PF130", ("argument", claim.call_id, claim.pointer), fault))


def _not_agreed(claim: Claim, made: ClaimedCall, ledger: Ledger) -> str | None:
    """Return why an argument is not one that the assistant has proposed and the user agreed to, or None."""
    index, before = claim.message, ledger.calls.get(made.mends or "")
    if index is None or claim.start is None or claim.end is None or before is None:
        return "nobody proposes the value"
    segments = [
        one for one in ledger.segments.get(index, ()) if one.tell.how == "offered" and one.tell.call_id == before.id
    ]
    parts = [
        part
        for part in ledger.parts.get(index, ())
        if (part.call, part.start, part.end) == (made.id, claim.start, claim.end)
    ]
    if not any(one.start <= claim.start < claim.end <= one.end for one in segments) or not parts:
        return "the assistant does not propose the value there"
    is_this = any(part.saying.spot.leaf == ("arguments", claim.pointer.removeprefix("/")) for part in parts)
    return None if is_this and ledger.tells(index + 1, before, "yes") else "nobody agrees to the value"


def changed_arguments(before: ClaimedCall, made: ClaimedCall) -> set[str]:
    """Return the arguments in which two calls differ."""
    one, other = before.arguments or {}, made.arguments or {}
    return {key for key in {*one, *other} if key not in one or key not in other or not same(one[key], other[key])}


def by_leave(before: ClaimedCall, made: ClaimedCall, ledger: Ledger) -> str | None:
    """Return why a call may not be made in place of another one with one argument changed, or None."""
    changed = changed_arguments(before, made)
    if len(changed) != 1:
        return "more than one argument differs from those of {}"
    (name,) = changed
    is_left_out = name not in (made.arguments or {})
    if not (before.failed or is_left_out) and name in (before.arguments or {}):
        is_said = ledger.tells(before.asked_at, made, "otherwise")
        is_agreed = any(
            _is_answered(index, before, ledger, "yes", "offered") for index in range(before.told_at + 1, made.at)
        )
        return None if is_said or is_agreed else "nobody has agreed to another value than that of {}"
    if before.failed == is_left_out:
        return "another element is for a call that failed, and a search is widened where it found nothing"
    answer = "no" if made.is_unmade else "yes"
    agreed = any(_is_answered(index, before, ledger, answer) for index in range(before.told_at + 1, made.at))
    if not agreed and not (is_left_out and ledger.tells(before.asked_at, before, "fallback")):
        return "nobody has agreed to anything else than {}"
    return None


def _is_answered(index: int, made: ClaimedCall, ledger: Ledger, answer: str, how: str = "alternative") -> bool:
    return ledger.tells(index, made, how) and ledger.tells(index + 1, made, answer)


def check_alternatives(ledger: Ledger, proof: Proof, *, phrases: bool, prefix: bool) -> None:
    """Check what is said of such calls: the offers, the user's own words for it, and that it was done."""
    _check_offered(ledger, proof)
    again = {made.mends: made for made in ledger.calls.values() if made.mends is not None}
    unmade = [claim for wish in proof.wishes for claim in wish.said]
    claims = {claim.call_id: claim for claim in (*proof.arguments, *unmade) if claim.referred is not None}
    for index, segment in [(index, segment) for index, segments in ledger.segments.items() for segment in segments]:
        how, about = segment.tell.how, ledger.calls[segment.tell.call_id]
        fault = None
        if how == "alternative":
            after = again.get(about.id)
            claim = None if after is None else claims.get(after.id)
            fault = _not_offered(index, segment, about, after, claim, ledger, phrases=phrases)
        elif how == "fallback":
            fault = _not_wanted(index, segment, about, again.get(about.id), ledger, phrases=phrases, prefix=prefix)
        elif how in ("offered", "otherwise"):
            fault = _not_after_nothing(how, index, about, ledger) or _not_that_value(
                index, segment, about, again.get(about.id), ledger, proof
            )
        elif how == "left_out":
            fault = _not_left_out(index, segment, about, ledger, phrases=phrases)
        if fault is not None:
            ledger.found.append(Finding("PF130", ("message", index, segment.start, segment.end), fault))


def _not_offered(
    index: int,
    segment: TellSentence,
    about: ClaimedCall,
    after: ClaimedCall | None,
    claim: Claim | None,
    ledger: Ledger,
    *,
    phrases: bool,
) -> str | None:
    """Return why a sentence does not offer what is done when the user agrees, or None."""
    if not about.told_at < index or not (ledger.tells(index, about, "failed") or ledger.tells(index, about, "empty")):
        return "nobody says there that the first call failed or found nothing"
    if claim is None or claim.referred is None:
        if about.failed and after is not None and after.arguments is not None:
            return "it does not say what is taken instead"
        known = (
            {*(about.arguments or {})} if after is None or after.arguments is None else changed_arguments(about, after)
        )
        return _not_named(ledger, index, segment, WIDENING, known) if phrases else None
    if (
        after is not None
        and after.arguments is not None
        and changed_arguments(about, after) != {split(claim.pointer)[0]}
    ):
        return "another argument differs than the one that is offered"
    at, start, end = claim.referred
    if at != index or not segment.start <= start < end <= segment.end:
        return "it does not say what is taken instead"
    content = ledger.contents[index]
    frame = (content[segment.start : start], content[end : segment.end])
    return None if not phrases or frame in OFFERING else "nobody says it in these words"


def _not_wanted(
    index: int,
    segment: TellSentence,
    about: ClaimedCall,
    after: ClaimedCall | None,
    ledger: Ledger,
    *,
    phrases: bool,
    prefix: bool,
) -> str | None:
    """Return why a user does not say what is to be left out if nothing is found, or why it is not left out then; None otherwise."""
    if index != about.asked_at:
        return "it is not said with the request"
    if after is None:
        return None if prefix else "the search is not made again without it"
    known = {*(about.arguments or {})} if after.arguments is None else changed_arguments(about, after)
    return _not_named(ledger, index, segment, IF_NOTHING, known) if phrases else None


def _not_left_out(
    index: int, segment: TellSentence, about: ClaimedCall, ledger: Ledger, *, phrases: bool
) -> str | None:
    """Return why a sentence does not say without which argument a search was made again, or None."""
    before = ledger.calls.get(about.mends or "")
    if before is None or not about.told_at < index:
        return "nothing was left out before"
    return _not_named(ledger, index, segment, LEFT_OUT, changed_arguments(before, about)) if phrases else None


def _not_after_nothing(how: str, index: int, about: ClaimedCall, ledger: Ledger) -> str | None:
    """Return why a sentence does not say with which value a search is to be made again that has found nothing, or None."""
    if how == "offered":
        is_told = about.told_at < index and ledger.tells(index, about, "empty")
        return None if is_told else "nobody says there that the first call found nothing"
    before = ledger.calls.get(about.mends or "")
    if before is None or before.failed or index != about.asked_at:
        return "it is not said with the request for a search that has found nothing"
    return None


def _not_that_value(
    index: int, segment: TellSentence, about: ClaimedCall, after: ClaimedCall | None, ledger: Ledger, proof: Proof
) -> str | None:
    """Return why a sentence does not say the value in which a search differs from the one that has found nothing, or None."""
    is_offered = segment.tell.how == "offered"
    before, made = (about, after) if is_offered else (ledger.calls.get(about.mends or ""), about)
    if before is None or made is None or made.arguments is None:  # it is to come
        return None
    there = (made.id, "offered" if is_offered else "user", index)
    claims = [claim for claim in proof.arguments if (claim.call_id, claim.source, claim.message) == there]
    within = [claim for claim in claims if segment.start <= (claim.start or 0) < (claim.end or 0) <= segment.end]
    is_said = changed_arguments(before, made) <= {claim.pointer.removeprefix("/") for claim in within}
    return None if is_said else "the value said there is not the one that differs"


def _not_named(
    ledger: Ledger, index: int, segment: TellSentence, forms: tuple[str, ...], arguments: set[str]
) -> str | None:
    """Return why a sentence does not name one of the arguments in one of these forms, or None."""
    names = [argument_name(name_in_words(argument)) for argument in arguments]
    said = ledger.contents[index][segment.start : segment.end]
    return (
        None if said in [form.format(name) for form in forms for name in names if name] else "it names another argument"
    )
