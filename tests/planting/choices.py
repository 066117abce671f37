"""Changes of what is taken back, and of words that refer to what was found or said before."""

from changed_rows import Change, Proven, replace, spliced, with_claim

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
