"""The checker: what in a conversation breaks the clauses that its system message states."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from generator.scenarios.policies import (
    Confirm,
    Eligible,
    Forbid,
    Hide,
    Identity,
    Limit,
    Scope,
    Stated,
    Transfer,
    Whose,
    refusals_of,
)
from generator.scenarios.policies.compliance.calls import OF_CALLS, calls_of, is_forbidden, is_ineligible, is_of_another
from generator.scenarios.policies.compliance.saying import says
from generator.scenarios.policies.compliance.transcript import Left, Played
from generator.scenarios.policies.compliance.words import OF_WORDS, is_to_hand_over

CHECKS = {**OF_WORDS, **OF_CALLS}
"""What breaks a clause of each kind."""


class Breach(msgspec.Struct, frozen=True):
    """A place at which a clause is broken."""

    kind: str
    """Of the clause; `unfounded` for a refusal that no clause asks for."""
    at: int
    """Index of the message."""
    what: str


def breaches(played: Played) -> list[Breach]:
    """Return all breaches of the clauses that a conversation's system message states; none for a right one."""
    found = [
        Breach(stated.clause.kind, at, f"{what} ({stated.text})")
        for stated in played.clauses
        for kind, check in CHECKS.items()
        if isinstance(stated.clause, kind)
        for at, what in check(stated, played)
    ]
    return [*found, *_unfounded(played), *_needlessly(played)]


def _unfounded(played: Played) -> Iterator[Breach]:
    """Yield refusals for which there is no reason: no clause forbids the call, or another reason is told than there is."""
    for left in played.refused:
        if not any(_forbids(stated, played, left) for stated in played.clauses):
            yield Breach("unfounded", left.at, f"{left.tool} is refused, which no clause forbids")
        elif not forbidding(played, left):
            yield Breach("unfounded", left.at, f"{left.tool} is refused for a reason that is none: {left.text!r}")


def forbidding(played: Played, left: Left) -> list[Stated]:
    """Return the clauses that forbid a call and are told as the reason: none for a refusal without ground."""
    reasons = [stated for stated in played.clauses if _forbids(stated, played, left)]
    it = _thing_of(reasons, played, left)
    return [
        stated
        for stated in reasons
        if any(says(left.text, stated.filled(form), it, left.args) for form in _reasons(stated.clause))
    ]


def _reasons(clause: Any) -> tuple[str, ...]:
    return clause.says if isinstance(clause, Transfer | Identity) else refusals_of(clause)


def _thing_of(reasons: Sequence[Stated], played: Played, left: Left) -> dict[str, Any]:
    seen = next((stated.clause.seen for stated in reasons if getattr(stated.clause, "seen", "")), "")
    return played.thing(left.tool, left.args, left.at, seen) or {}


def _forbids(stated: Stated, played: Played, left: Left) -> bool:
    """Whether a clause forbids a call that was asked for."""
    clause = stated.clause
    if isinstance(clause, Eligible) and clause.eligible == left.tool:
        return is_ineligible(stated, played, left.tool, left.args, left.at)
    if isinstance(clause, Transfer) and clause.of == left.tool:
        return is_to_hand_over(stated, played, left.tool, left.args, left.at)
    if isinstance(clause, Forbid) and clause.forbid == left.tool:
        return is_forbidden(stated, played, left.tool, left.args, left.at)
    if isinstance(clause, Limit) and left.tool in clause.limit:
        made = [call for call in calls_of(played, *clause.limit) if call.at < left.at and not call.failed]
        return len(made) >= stated.number(clause.most)
    if isinstance(clause, Scope):
        return left.tool not in clause.scope
    if isinstance(clause, Whose) and clause.tools[0] == left.tool:
        return bool(is_of_another(stated, played, left.args, left.at))
    if isinstance(clause, Identity) and clause.tries:
        wrong = [call for call in calls_of(played, clause.identity) if call.failed and call.told_at < left.at]
        return len(wrong) >= stated.number(clause.tries)
    return isinstance(clause, Hide) and clause.hide == left.tool


def _needlessly(played: Played) -> Iterator[Breach]:
    """Yield questions for leave that no clause wants."""
    for left in played.proposed:
        looks_up = played.toolbox[left.tool].looks_up
        if not any(stated.clause.covers(left.tool, looks_up=looks_up) for stated in played.of(Confirm)):
            yield Breach("unfounded", left.at, f"{left.tool} is proposed, and no clause wants a yes to it")
