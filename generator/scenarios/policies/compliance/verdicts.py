"""What each kind of clause makes of a call: the only place that says so, for the planner of rows as for their checker."""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.pointers import resolve_or_none, without
from generator.scenarios.policies import clauses
from generator.scenarios.policies.compliance.transcript import PlacedCall, Transcript
from generator.scenarios.policies.stated import Stated

Verdict = bool | None
"""True: the call may be made. False: it may not. None: not before something else, such as a look-up, or without an argument."""


def verdict(stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """Return what a clause makes of a call at its place in a conversation."""
    judge = _JUDGES.get(type(stated.clause))
    return judge is None or judge(stated.clause, stated, talk, call)


def forbidding(talk: Transcript, call: PlacedCall) -> Stated | None:
    """Return the first clause, in the order in which kinds are asked, that does not let a call be made; None where it may be made."""
    in_order = [stated for kind in _JUDGES for stated in talk.of(kind)]
    return next((stated for stated in in_order if verdict(stated, talk, call) is False), None)


def demanded_by(clause: clauses.Clause, tool: str) -> tuple[str, ...]:
    """Return the tools that a clause wants called before, or in place of, calls of a tool."""
    if isinstance(clause, clauses.Identity):
        return clause.tools
    demands = (
        isinstance(clause, clauses.Eligible | clauses.Order | clauses.Transfer | clauses.Whose)
        and clause.tools[0] == tool
    )
    return clause.tools[1:] if demands else ()


def with_amounts(talk: Transcript, call: PlacedCall) -> PlacedCall:
    """Return a call with the arguments that clauses compute, where it lacks them; None for those that cannot be computed."""
    for stated in talk.of(clauses.Amount):
        slot = stated.clause.slot
        if stated.clause.tools[0] == call.tool and slot not in call.args:
            call = msgspec.structs.replace(call, args={**call.args, slot: talk.value_of(stated, call)})
    return call


def _transfer_allows(clause: clauses.Transfer, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """Only calls are allowed that are not to be handed over."""
    return clause.of != call.tool or (bool(clause.when) and not talk.value_of(stated, call))


def _scope_allows(clause: clauses.Scope, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """Only calls of the tools within the scope are allowed."""
    return call.tool in clause.scope


def _identity_allows(clause: clauses.Identity, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """Calls wait until it is known who the user is; after too many wrong answers only the one that hands over is allowed."""
    if call.tool in (clause.identity, *[one.clause.transfer for one in talk.of(clauses.Transfer)]):
        return True
    wrong = [one for one in talk.calls_of(clause.identity) if one.failed and one.result_at < call.at]
    if clause.tries and len(wrong) >= stated.number(clause.tries):
        return call.tool == clause.transfer
    is_free = not clause.covers(looks_up=talk.toolbox[call.tool].looks_up)
    return is_free or bool(talk.earlier(call, clause.identity)) or None


def _whose_allows(clause: clauses.Whose, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """An argument has to be the user's own; it waits until it is known who the user is."""
    given = resolve_or_none(call.args, clause.slot)
    if clause.tools[0] != call.tool or given is None:
        return True
    users = talk.earlier(call, clause.by)
    return bool(given == users[-1].result.get(clause.same)) if users else None


def _forbid_allows(clause: clauses.Forbid, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """A tool is not called, with some arguments, or where an expression holds."""
    is_meant = clause.forbid == call.tool and clause.args.items() <= call.args.items()
    return not is_meant or (bool(clause.when) and not talk.value_of(stated, call))


def _eligible_allows(clause: clauses.Eligible, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """An expression has to hold of the thing that the call is about; the call waits until the thing was looked up."""
    if clause.eligible != call.tool:
        return True
    holds = None if talk.thing(call, clause.seen) is None else talk.value_of(stated, call)
    return None if holds is None else bool(holds)


def _limit_allows(clause: clauses.Limit, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """Some tools are called so often at most."""
    before = [one for one in talk.calls_of(*clause.limit) if one.at <= call.at and one is not call and not one.failed]
    return call.tool not in clause.limit or len(before) < stated.number(clause.most)


def _order_allows(clause: clauses.Order, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """A call waits until the same thing was looked up by another tool."""
    first, then = clause.order
    same = {name: call.args.get(name) for name in talk.toolbox[first].required}
    return then != call.tool or any(same.items() <= one.args.items() for one in talk.earlier(call, first)) or None


def _amount_allows(clause: clauses.Amount, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """An argument has to be what the clause computes."""
    others = msgspec.structs.replace(call, args=without(call.args, (clause.slot,)))
    right = talk.value_of(stated, others)
    return clause.tools[0] != call.tool or (right is not None and call.args.get(clause.slot) == right) or None


def _ask_allows(clause: clauses.Ask, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """A call waits until its optional argument was asked for."""
    return clause.tools[0] != call.tool or clause.slot in call.args or None


def _one_by_one_allows(clause: clauses.OneByOne, stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """A call stands alone in its message."""
    at_once = [call, *[one for one in talk.calls if one.at == call.at and one is not call]]
    return len([one for one in at_once if clause.covers(looks_up=talk.toolbox[one.tool].looks_up)]) < 2 or None


_JUDGES: dict[type[clauses.Clause], Callable[[Any, Stated, Transcript, PlacedCall], Verdict]] = {
    clauses.Transfer: _transfer_allows,
    clauses.Scope: _scope_allows,
    clauses.Identity: _identity_allows,
    clauses.Whose: _whose_allows,
    clauses.Forbid: _forbid_allows,
    clauses.Eligible: _eligible_allows,
    clauses.Limit: _limit_allows,
    clauses.Order: _order_allows,
    clauses.Amount: _amount_allows,
    clauses.Ask: _ask_allows,
    clauses.OneByOne: _one_by_one_allows,
}
"""By kind, in the order in which they are asked."""
