"""Changes of what is taken back, refused, or chosen from several."""

from typing import Any

import orjson
from changed_rows import Change, Proven, replace, spliced, with_claim, with_proof, with_value

from generator.core.pointers import resolve
from planting.arguments import other_spans
from planting.changes import Changes


def change_something_else_before_the_call(row: Proven) -> Changes:
    """The old value is said elsewhere, or the new one is the old one, or nobody says that something is changed."""
    for claim in row.proof.retracted:
        if claim.by is None:
            continue
        yield Change("nothing", with_claim(row, claim))
        yield Change("after the call", with_claim(row, claim, replace(claim, by=len(row.talk.messages) - 1)))
        for change in (
            *({"message": index} for index in (-1, *range(len(row.talk.messages))) if index != claim.message),
            *({"pointer": f"/{name}"} for name in row.arguments_of(claim.call_id) if f"/{name}" != claim.pointer),
            {"call_id": "000000000"},
            *({"start": start, "end": end} for start, end in other_spans(row, claim)),
        ):
            yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))
        for tell in row.proof.tells:
            if tell.how == "corrected":
                yield Change("not told", with_claim(row, tell))


def choose_another(row: Proven) -> Changes:
    """The call takes an element that the user has not chosen; the claim says so, or says that it was meant."""
    for claim in row.proof.arguments:
        if claim.pick is None or not claim.pick.startswith(("nth ", "is ")):
            continue
        *before, place, key = (claim.result_pointer or "").split("/")
        for other in range(6):
            there = "/".join([*before, str(other), key])
            if other != int(place) and reachable(row, claim.message, there):
                value = resolve(orjson.loads(row.text(claim.message)), there)
                changed = with_value(row, claim.call_id, claim.pointer, value)
                yield Change(f"{other}", with_claim(changed, claim, replace(claim, result_pointer=there)))
                yield Change(
                    f"{other}, meant",
                    with_claim(changed, claim, replace(claim, result_pointer=there, pick=f"nth {other + 1}")),
                )


def reachable(row: Proven, index: int | None, pointer: str) -> bool:
    try:
        resolve(orjson.loads(row.text(index)), pointer)
    except (LookupError, ValueError):
        return False
    return True


def choose_in_other_words(row: Proven) -> Changes:
    """What the user says when asked which one: something that names none of them, or nothing at all."""
    for claim in row.proof.arguments:
        if claim.referred is None or claim.pick is None:
            continue
        index, start, end = claim.referred
        for words in ("the seventh one", "any of them", "the blue one", "it"):
            changed = spliced(row, index, start, end - start, words)
            yield Change(words, with_claim(changed, claim, replace(claim, referred=(index, start, start + len(words)))))
        for there in (
            (index, start + 1, end),
            (index, start, end + 1),
            (index - 1, start, end),
            (index + 1, 0, 3),
            (-1, 0, 1),
            None,
        ):
            yield Change(f"{there}", with_claim(row, claim, replace(claim, referred=there)))


def name_what_was_left_open(row: Proven) -> Changes:
    """The request says which one it is, or speaks of something else."""
    for claim in row.proof.arguments:
        if claim.referred is not None and claim.pick is not None and claim.start is not None:
            for words in ("the first one", "each of them", "the umbrella", "nothing"):
                index, size = row.asked_at[claim.call_id], (claim.end or 0) - (claim.start or 0)
                changed = spliced(row, index, claim.start or 0, size, words)
                moved = replace(claim, end=(claim.start or 0) + len(words))
                yield Change(words, with_claim(changed, claim, moved))


def refer_to_something_else(row: Proven) -> Changes:
    """Words for what was found or said some turns ago that mean something else, or could."""
    for claim in row.proof.arguments:
        index, *span = claim.referred or (row.asked_at.get(claim.call_id, 0), claim.start, claim.end)
        is_later = claim.source == "result" and claim.start is not None and index - (claim.message or 0) > 2
        if is_later or (claim.source == "earlier_turn" and claim.referred is not None):
            for words in ("the umbrella", "it", "the same umbrella", "the seventh one"):
                changed = spliced(row, index, span[0], span[1] - span[0], words)
                moved = (
                    {"referred": (index, span[0], span[0] + len(words))}
                    if claim.referred
                    else {"end": span[0] + len(words)}
                )
                yield Change(words, with_claim(changed, claim, replace(claim, **moved)))


def leave_a_choice_out(row: Proven) -> Changes:
    """The assistant tells fewer than there are, or tells two alike, or another number."""
    for tell in row.proof.tells:
        if tell.how == "several":
            told = [
                claim
                for claim in row.proof.answers
                if claim.message == tell.message and tell.start <= claim.start < tell.end
            ]
            for claim in told:
                yield Change("one less claimed", with_claim(row, claim))
            one, other = told[:2]
            words = row.text(tell.message)[one.start : one.end]
            yield Change("alike", spliced(row, tell.message, other.start, other.end - other.start, words))
            text = row.text(tell.message)
            for number, more in (("two", "three"), ("three", "four"), ("four", "two"), ("five", "four")):
                at = text.casefold().find(number, tell.start, told[0].start)
                if at >= 0:
                    yield Change(f"{more} for {number}", spliced(row, tell.message, at, len(number), more))
            yield Change("nothing told", with_claim(row, tell))


def accept_what_was_refused(row: Proven, claim: Any) -> Changes:
    """The value is one that the tool accepts, or something else is said of what it accepts."""
    (tell,) = [tell for tell in row.proof.tells if tell.how == "refused" and tell.call_id == claim.call_id]
    reply = next(one for one in row.claims("user") if (one.call_id, one.pointer) == (claim.call_id, claim.pointer))
    right = row.text(reply.message)[reply.start : reply.end]
    yield Change("right", spliced(row, claim.message, claim.start, claim.end - claim.start, right))
    for words in (
        "It has to be blue.",
        "That isn't possible.",
        "It has to be between 7 and 7000.",
        "I can only offer red or blue.",
    ):
        yield Change(words, spliced(row, tell.message, tell.start, tell.end - tell.start, words))
    others = [name for name in row.arguments_of(claim.call_id) if f"/{name}" != claim.pointer]
    changes: list[dict[str, Any]] = [{"pointer": f"/{name}"} for name in others]
    changes += [{"message": index} for index in (-1, *range(len(row.talk.messages))) if index != claim.message]
    changes += [{"start": start, "end": end} for start, end in other_spans(row, claim)]
    for change in (*changes, {"call_id": "000000000"}):
        yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))
    yield Change("no question", with_proof(row, asks=()))
