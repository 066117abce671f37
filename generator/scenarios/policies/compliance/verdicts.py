"""What each kind of clause makes of a call: the only place that says so, for the planner of rows as for their checker."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

import msgspec

from generator.core.pointers import resolve_or_none, without
from generator.scenarios.policies import clauses
from generator.scenarios.policies.compliance.transcript import MadeCall, PlacedCall, Transcript
from generator.scenarios.policies.stated import Stated

Verdict = bool | None
"""True: the call may be made. False: it may not. None: not before something else, such as a look-up, or without an argument."""
Judgement = tuple[Verdict, str]
"""A verdict, and what is wrong with the call if it is made although it may not, or not yet."""


def judgement(stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """Return what a clause makes of a call at its place in a conversation, and what is wrong if it is made all the same."""
    judge = _JUDGES.get(type(stated.clause))
    return (True, "") if judge is None else judge(stated.clause, stated, talk, call)


def verdict(stated: Stated, talk: Transcript, call: PlacedCall) -> Verdict:
    """Return whether a clause lets a call be made at its place in a conversation."""
    return judgement(stated, talk, call)[0]


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


def _judge_by_condition(stated: Stated, talk: Transcript, call: PlacedCall, fault: str) -> Judgement:
    """Return what a clause makes of a call that it forbids, or hands over, `when` an expression holds, or always.

    Where the thing lacks what the expression reads, nobody knows; of an argument that is still to be asked for, nothing is wrong.
    """
    holds = talk.value_of(stated, call) if stated.clause.when else True
    if holds is None and "args." not in stated.clause.when:
        return None, f"{call.tool} is called, and its thing lacks what {stated.clause.when!r} reads"
    return not holds, fault


def _judge_transfer(clause: clauses.Transfer, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """Only calls are allowed that are not to be handed over."""
    if clause.of != call.tool:
        return True, ""
    return _judge_by_condition(stated, talk, call, f"{call.tool} is called, which is to be handed over")


def _judge_scope(clause: clauses.Scope, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """Only calls of the tools within the scope are allowed."""
    return call.tool in clause.scope, f"{call.tool} is called, which is outside of what the assistant is for"


def _judge_identity(clause: clauses.Identity, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """Calls wait until it is known who the user is; after too many wrong answers only the one that hands over is allowed."""
    if call.tool in (clause.identity, *[one.clause.transfer for one in talk.of(clauses.Transfer)]):
        return True, ""
    wrong = [one for one in talk.calls_of(clause.identity) if one.failed and one.result_at < call.at]
    if clause.tries and len(wrong) >= stated.number(clause.tries):
        return call.tool == clause.transfer, f"{call.tool} is called after {len(wrong)} wrong answers"
    is_free = not clause.covers(looks_up=talk.toolbox[call.tool].looks_up)
    is_known = is_free or bool(talk.earlier(call, clause.identity))
    return is_known or None, f"{call.tool} is called before it is known who the user is"


def _judge_whose(clause: clauses.Whose, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """An argument has to be the user's own; it waits until it is known who the user is."""
    given = resolve_or_none(call.args, clause.slot)
    if clause.tools[0] != call.tool or given is None:
        return True, ""
    users = talk.earlier(call, clause.by)
    if not users:
        return None, f"{call.tool} is called before it is known who the user is"
    own = users[-1].result.get(clause.same)
    return bool(given == own), f"{clause.slot} of {call.tool} is {given}, which is not the user's"


def _judge_forbid(clause: clauses.Forbid, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """A tool is not called, with some arguments, or where an expression holds."""
    if clause.forbid != call.tool or not clause.args.items() <= call.args.items():
        return True, ""
    return _judge_by_condition(stated, talk, call, f"{call.tool} is called, which is forbidden")


def _judge_eligible(clause: clauses.Eligible, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """An expression has to hold of the thing that the call is about; the call waits until the thing was looked up."""
    if clause.eligible != call.tool:
        return True, ""
    if talk.thing(call, clause.seen) is None:
        return None, f"{call.tool} is called, and {clause.seen} has not told of its thing"
    holds = talk.value_of(stated, call)
    if holds is None:
        return None, f"{call.tool} is called, and it or its thing lacks what {clause.that!r} reads"
    return bool(holds), f"{call.tool} is called for a thing that it may not be called for"


def _judge_limit(clause: clauses.Limit, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """Some tools are called so often at most."""
    most = stated.number(clause.most)
    before = [one for one in _calls_before(talk, call) if one.tool in clause.limit and not one.failed]
    return call.tool not in clause.limit or len(before) < most, f"{call.tool} is called more than {most} times"


def _calls_before(talk: Transcript, call: PlacedCall) -> list[MadeCall]:
    """Return the calls that are made before another one, or before it in the same message."""
    return [one for one in takewhile(lambda one: one is not call, talk.calls) if one.at <= call.at]


def _judge_order(clause: clauses.Order, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """A call waits until the same thing was looked up by another tool."""
    first, then = clause.order
    same = {name: call.args.get(name) for name in talk.toolbox[first].required}
    is_known = then != call.tool or any(same.items() <= one.args.items() for one in talk.earlier(call, first))
    return is_known or None, f"{then} is called without {first} before"


def _judge_amount(clause: clauses.Amount, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """An argument has to be what the clause computes."""
    if clause.tools[0] != call.tool:
        return True, ""
    right = talk.value_of(stated, msgspec.structs.replace(call, args=without(call.args, (clause.slot,))))
    if right is None:
        return None, f"{call.tool} is called, and it or its thing lacks what {clause.value!r} reads"
    given = call.args.get(clause.slot)
    return given == right or None, f"{clause.slot} of {call.tool} is {given}, and not {right}"


def _judge_ask(clause: clauses.Ask, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """A call waits until its optional argument was asked for."""
    is_given = clause.tools[0] != call.tool or clause.slot in call.args
    return is_given or None, f"{call.tool} is called, and nobody has asked for {clause.slot}"


def _judge_one_by_one(clause: clauses.OneByOne, stated: Stated, talk: Transcript, call: PlacedCall) -> Judgement:
    """A call stands alone in its message, or is the first one there."""
    at_once = [*[one for one in _calls_before(talk, call) if one.at == call.at], call]
    number = len([one for one in at_once if clause.covers(looks_up=talk.toolbox[one.tool].looks_up)])
    return number < 2 or None, f"{number} calls are made at once"


_JUDGES: dict[type[clauses.Clause], Callable[[Any, Stated, Transcript, PlacedCall], Judgement]] = {
    clauses.Transfer: _judge_transfer,
    clauses.Scope: _judge_scope,
    clauses.Identity: _judge_identity,
    clauses.Whose: _judge_whose,
    clauses.Forbid: _judge_forbid,
    clauses.Eligible: _judge_eligible,
    clauses.Limit: _judge_limit,
    clauses.Order: _judge_order,
    clauses.Amount: _judge_amount,
    clauses.Ask: _judge_ask,
    clauses.OneByOne: _judge_one_by_one,
}
"""By kind, in the order in which they are asked."""
