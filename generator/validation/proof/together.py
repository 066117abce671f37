"""What is said of one call stands together; calls share words only where these apply to all of them."""

from itertools import pairwise

from generator.validation.phrase_grammar.tongues import Spot
from generator.validation.proof.ledger import ClaimedSpan

ClaimedSpans = list[ClaimedSpan]
"""The parts that share one span."""


def apart(spans: list[ClaimedSpans], linked: list[set[str]]) -> str | None:
    """Return why what is said of one call does not stand together, or None; calls that share words (are linked) count as one."""
    group: dict[str, frozenset[str]] = {about[0].call: frozenset((about[0].call,)) for about in spans}
    for calls in linked:
        whole = frozenset(calls).union(*[group.get(call, frozenset()) for call in calls])
        group.update(dict.fromkeys(whole, whole))
    order = [group[about[0].call] for about in spans]
    groups = set(order)
    if sum([left != right for left, right in pairwise(order)]) >= max(1, len(groups)):
        return "the words for one call stand among those for another"
    for members in groups:
        if len(members) > 1:
            fault = _unshared(members, [about for about, whole in zip(spans, order, strict=True) if whole == members])
            if fault is not None:
                return fault
    return None


def _unshared(calls: frozenset[str], spans: list[ClaimedSpans]) -> str | None:
    """Return why words do not apply to all of the calls alike, or None: calls in one phrase differ in one argument, which each has."""
    owners: set[str] = set()
    varied: set[str] = set()
    for about in spans:
        said: dict[str, set[Spot]] = {}
        for part in about:
            said.setdefault(part.call, set()).add(part.saying.spot)
        if len(said) == 1:
            owners.update(said)
            varied.update([part.saying.spot.leaf[1].removesuffix("/*") for part in about])
        elif said.keys() != calls or any(spots != said[about[0].call] for spots in said.values()):
            return "words that are for several calls are not for all of them alike"
    if len(varied) > 1 or (owners and owners != calls):
        return "calls that share words differ in more than one argument"
    return None
