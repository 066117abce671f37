"""Whether each value keeps its role: who sends stays who sends, and the place of departure stays the place of departure.

A role shows in the preposition before a value. Another preposition may stand there if the tool's own phrases say the value with
it, or if it means the same. Values that could be taken for one another keep their order, unless their prepositions tell them apart.
"""

from collections.abc import Sequence
from itertools import groupby

from generator.validation.reworded.closed_classes import lexicon
from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.survival import Span, Spoken


def role_fault(was: MarkedText, now: MarkedText, spans: Sequence[Span], *, is_english: bool) -> str:
    """Return why a value has another role or went to another call in the new text; an empty text if none did.

    Args:
        was: The old text.
        now: The new text, with the same values.
        spans: Where they stand in the new text.
        is_english: Whether the new text is English, of which the prepositions are known.
    """
    spoken = was.spoken
    leads = [now.lead(value) if is_english else "" for value in range(len(spoken))]
    for value, one in enumerate(spoken):
        if one.group != "when" and not _may_lead(leads[value], was.lead(value), one):
            return f"another small word before a value: {leads[value]}"
    groups: dict[str, list[int]] = {}
    for value, one in enumerate(spoken):
        if one.group:
            groups.setdefault(one.group, []).append(value)
    if any(_changed_places(members, spoken, spans, leads) for members in groups.values()):
        return "values of one kind changed places"
    named = [(one, span) for one, span in zip(spoken, spans, strict=True) if one.group != "reference"]  # "the first one" may stand on either side of what it refers to
    before = [(one.start, one.calls) for one, _ in named]
    after = [(span[0], one.calls) for one, span in named]
    return "" if _turns(before) == _turns(after) else "a value went to where another call's values stand"


def _may_lead(lead: str, was: str, one: Spoken) -> bool:
    meanings = lexicon().prepositions
    if not lead or lead == was or lead in one.beside.leads:
        return True
    others = {was} if was else one.beside.leads
    return any(meanings[lead] & meanings.get(other, frozenset()) for other in others) or (not was and lead in _WEAK)


_WEAK = frozenset({"in", "at", "on", "of", "with", "as", "for", "about", "than", "including", "called", "named", "per", "via"})
"""Prepositions that do not turn the role of a value that stood without any."""


def _changed_places(members: Sequence[int], spoken: Sequence[Spoken], spans: Sequence[Span], leads: Sequence[str]) -> bool:
    """Whether values that could be taken for one another stand in another order, and nothing tells them apart."""
    before = sorted(members, key=lambda value: spoken[value].start)
    after = sorted(members, key=lambda value: spans[value])
    if before == after:
        return False
    place = {value: number for number, value in enumerate(after)}
    turned = [(one, other) for at, one in enumerate(before) for other in before[at + 1 :] if place[one] > place[other]]
    return not all(_told_apart(spoken[one], leads[one], spoken[other], leads[other]) for one, other in turned)


def _told_apart(one: Spoken, lead: str, other: Spoken, others: str) -> bool:
    """Whether the words before or after two values show which is which, as the tools' phrases have it."""
    if one.leaf == other.leaf:
        return False
    mine, theirs = one.beside, other.beside
    if mine.units != theirs.units and not mine.units & theirs.units:
        return True  # "30 days" and "8 people" cannot be taken for one another
    shown = (lead in mine.leads - theirs.leads) + (others in theirs.leads - mine.leads)
    return shown > 0 and (lead != others)


def _turns(owners: Sequence[tuple[int, frozenset[str]]]) -> list[frozenset[str]]:
    """Return the owners in the order of the text, each once for adjacent values."""
    of_one = [calls for _, calls in sorted(owners, key=lambda owner: owner[0]) if len(calls) == 1]
    return [calls for calls, _ in groupby(of_one)]
