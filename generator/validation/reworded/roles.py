"""Whether each value keeps its role: who sends stays who sends, and the place of departure stays the place of departure.

A role shows in the preposition before a value. Another preposition may stand there if the tool's own phrases say the value with
it, or if it means the same. Values that could be taken for one another keep their order, unless their prepositions tell them apart.
"""

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from itertools import groupby

from generator.validation.reworded.closed_classes import lexicon
from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.survival import Span, Spoken


def role_fault(
    was: MarkedText, now: MarkedText, spans: Sequence[Span], *, is_english: bool, is_request: bool = True
) -> str:
    """Return why a value has another role or went to another call in the new text; an empty text if none did.

    Args:
        was: The old text.
        now: The new text, with the same values.
        spans: Where they stand in the new text.
        is_english: Whether the new text is English, of which the prepositions are known.
        is_request: Whether the user says it; answers may be freer, because what they tell is known.
    """
    spoken = was.spoken
    leads = [now.lead(value) if is_english else "" for value in range(len(spoken))]
    for value, one in enumerate(spoken):
        rivals = any(
            other.group == one.group and other.leaf != one.leaf and other.calls & one.calls for other in spoken
        )
        turns = was.lead(value) in _STRONG or not _DIRECTED.isdisjoint(_NAME_WORDS.findall(one.leaf.rpartition(" ")[2]))
        free = (
            not is_request
            or not (rivals or turns)
            or now.is_part_of_name(value)
            or (was.lead(value) in _WEAK and not rivals)
        )
        if (
            one.group != "when"
            and not one.is_clause
            and not _may_lead(leads[value], was.lead(value), one, is_free=free)
        ):
            return f"another small word before a value: {leads[value]}"
    if is_english and is_request and any(was.acts(value) and now.is_acted_on(value) for value in range(len(spoken))):
        return "who does it changed places"
    groups: dict[str, list[int]] = {}
    for value, one in enumerate(spoken):
        if one.group:
            groups.setdefault(one.group, []).append(value)
    if any(_changed_places(members, spoken, spans, leads) for members in groups.values()):
        return "values of one kind changed places"
    return "" if stand_together(spoken, spans) else "a value went to where another call's values stand"


def _may_lead(lead: str, was: str, one: Spoken, *, is_free: bool) -> bool:
    """Whether a preposition may stand before a value; where it is free, any that turns no role."""
    meanings = lexicon().prepositions
    if is_free and lead in _WEAK and was not in _STRONG:
        return True
    if not lead or lead == was or lead in one.beside.leads:
        return True
    others = {was} if was else one.beside.leads
    return any(meanings[lead] & meanings.get(other, frozenset()) for other in others) or (not was and lead in _WEAK)


_WEAK = frozenset(
    {"in", "at", "on", "of", "with", "as", "for", "about", "than", "including", "called", "named", "per", "via"}
)
_STRONG = frozenset({"to", "into", "by", "without", "against", "until", "before", "after"})
"""Prepositions that do not turn the role of a value that stood without any."""


def _changed_places(
    members: Sequence[int], spoken: Sequence[Spoken], spans: Sequence[Span], leads: Sequence[str]
) -> bool:
    """Whether values of one thing that could be taken for one another stand in another order, and nothing tells them apart."""
    before = sorted(members, key=lambda value: spoken[value].start)
    after = sorted(members, key=lambda value: spans[value])
    if before == after:
        return False
    place = {value: number for number, value in enumerate(after)}
    turned = [(one, other) for at, one in enumerate(before) for other in before[at + 1 :] if place[one] > place[other]]
    return not all(
        _of_two_things(spoken[one], spoken[other]) or _told_apart(spoken[one], leads[one], spoken[other], leads[other])
        for one, other in turned
    )


def _of_two_things(one: Spoken, other: Spoken) -> bool:
    """Whether two values are of different calls, or of different elements of a list, which may be told in any order."""
    if one.calls != other.calls:
        return not one.calls & other.calls
    if not one.record or not other.record or one.record == other.record:
        return one.record != other.record and one.leaf != other.leaf
    return one.has_siblings or one.record.startswith("result") or not any(word in one.leaf for word in _IN_ORDER)


_IN_ORDER = ("stop", "step", "route", "point", "track", "song", "place", "leg", "queue", "path")
"""Parts of the names of lists whose order counts: places to call at."""


def _told_apart(one: Spoken, lead: str, other: Spoken, others: str) -> bool:
    """Whether the words before or after two values show which is which, as the tools' phrases have it."""
    if one.leaf == other.leaf:
        return False
    if one.verbalizer != other.verbalizer and {one.verbalizer, other.verbalizer} & _PLAIN_KINDS:
        return True
    if one.group != "number" and _unlike_names(one.leaf, other.leaf):
        return True
    mine, theirs = one.beside, other.beside
    if mine.units != theirs.units and not mine.units & theirs.units:
        return True  # "30 days" and "8 people" cannot be taken for one another
    shown = (lead in mine.leads - theirs.leads) + (others in theirs.leads - mine.leads)
    return shown > 0 and (lead != others)


def stand_together(spoken: Sequence[Spoken], spans: Sequence[Span]) -> bool:
    """Whether the values of each call, and of each element of a list, stand together as they did before.

    Calls may be asked for and told of in any order, unless the text refers to what another call finds.
    """
    named = [
        (one, span) for one, span in zip(spoken, spans, strict=True) if one.group != "reference"
    ]  # "the first one" may stand on either side of what it refers to
    of_one = [(one, span) for one, span in named if len(one.calls) == 1]
    before = _turns([(one.start, one.calls) for one, _ in of_one])
    after = _turns([(span[0], one.calls) for one, span in of_one])
    if before != after and (len(named) < len(spoken) or not _as_few(before, after)):
        return False
    told = [(one, span) for one, span in of_one if one.has_siblings]
    turns = [
        _turns([(place, (one.calls, one.record)) for one, place in texts])
        for texts in ([(one, one.start) for one, _ in told], [(one, span[0]) for one, span in told])
    ]
    return turns[0] == turns[1] or _as_few(*turns)


def _as_few(before: Sequence[Hashable], after: Sequence[Hashable]) -> bool:
    """Whether nobody has more turns than before."""
    were, are = Counter(before), Counter(after)
    return all(count <= were[owner] for owner, count in are.items())


@lru_cache(maxsize=8192)
def _unlike_names(leaf: str, other: str) -> bool:
    """Whether two slots are named for things of different kinds, and for no direction: a project and a sprint, not two cities."""
    names = [
        _NAME_WORDS.findall(place.rpartition(" ")[2].rstrip("/*0123456789").rpartition("/")[2])
        for place in (leaf, other)
    ]
    if not all(names) or any(_DIRECTED & set(words) for words in names):
        return False
    return bool(names[0][-1] != names[1][-1])


_NAME_WORDS = re.compile(r"[a-z]+")
_DIRECTED = frozenset(
    [
        "from",
        "to",
        "origin",
        "destination",
        "source",
        "target",
        "start",
        "end",
        "old",
        "new",
        "min",
        "max",
        "sender",
        "recipient",
        "before",
        "after",
        "first",
        "last",
        "low",
        "high",
        "departure",
        "arrival",
        "begin",
        "until",
        "since",
        "by",
        "open",
        "close",
        "sunrise",
        "sunset",
        "street",
        "city",
    ]
)
_PLAIN_KINDS = frozenset({"usd", "eur", "gbp", "percent", "percentage", "minutes", "hours", "seconds", "date", "time"})
"""Verbalizers whose words show what they say."""


def _turns(owners: Sequence[tuple[int, Hashable]]) -> list[Hashable]:
    """Return the owners in the order of the text, each once for adjacent values."""
    return [owner for owner, _ in groupby([owner for _, owner in sorted(owners, key=lambda one: one[0])])]
