"""What calls break: for each kind of clause that is about calls, those that it does not allow."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from generator.core.conversation import UserMessage
from generator.core.pointers import resolve
from generator.scenarios.policies import (
    Amount,
    Ask,
    Clause,
    Eligible,
    Forbid,
    Identity,
    Limit,
    OneByOne,
    Order,
    Scope,
    Stated,
    Transfer,
    Whose,
)
from generator.scenarios.policies.compliance.transcript import Played, PlayedCall

Found = Iterator[tuple[int, str]]
"""Index of a message, and what is wrong there."""


def calls_of(played: Played, *tools: str) -> Iterator[PlayedCall]:
    """Yield the calls of a tool or of several, in order."""
    return (call for call in played.calls if call.tool in tools)


def _eligible(stated: Stated, played: Played) -> Found:
    clause: Eligible = stated.clause
    for call in calls_of(played, clause.eligible):
        it = played.thing(call.tool, call.args, call.at, clause.seen)
        if it is None:
            yield call.at, f"{call.tool} is called, and {clause.seen} has not told of its thing"
        elif not stated.test(it=it, args=call.args, today=played.today):
            yield call.at, f"{call.tool} is called for a thing that it may not be called for"


def is_ineligible(stated: Stated, played: Played, tool: str, args: dict[str, Any], at: int) -> bool:
    """Whether a thing is known at a place, and a clause does not let a call be made for it."""
    it = played.thing(tool, args, at, stated.clause.seen)
    return it is not None and not stated.test(it=it, args=args, today=played.today)


def _forbid(stated: Stated, played: Played) -> Found:
    for call in calls_of(played, stated.clause.forbid):
        if is_forbidden(stated, played, call.tool, call.args, call.at):
            yield call.at, f"{call.tool} is called, which is forbidden"


def is_forbidden(stated: Stated, played: Played, tool: str, args: dict[str, Any], at: int) -> bool:
    """Whether a clause forbids a call at a place."""
    clause: Forbid = stated.clause
    if any(args.get(slot) != value for slot, value in clause.args.items()):
        return False
    it = played.thing(tool, args, at, clause.seen) or {}
    return not clause.when or bool(stated.test(it=it, args=args, today=played.today))


def _limit(stated: Stated, played: Played) -> Found:
    most = stated.number(stated.clause.most)
    done = [call for call in calls_of(played, *stated.clause.limit) if not call.failed]
    for call in done[most:]:
        yield call.at, f"{call.tool} is called more than {most} times"


def _scope(stated: Stated, played: Played) -> Found:
    for call in played.calls:
        if call.tool not in stated.clause.scope:
            yield call.at, f"{call.tool} is called, which is outside of what the assistant is for"


def _whose(stated: Stated, played: Played) -> Found:
    clause: Whose = stated.clause
    for call in calls_of(played, clause.tools[0]):
        if is_of_another(stated, played, call.args, call.at) is not False:
            yield call.at, f"{call.tool} is called with what is not the user's, or nobody knows who the user is"


def is_of_another(stated: Stated, played: Played, args: dict[str, Any], at: int) -> bool | None:
    """Whether an argument is another one than the user's; None where it is not known who the user is."""
    clause: Whose = stated.clause
    try:
        given = resolve(args, clause.slot)
    except LookupError:
        return False
    known = [call.result for call in calls_of(played, clause.by) if call.told_at < at and not call.failed]
    return given != known[-1].get(clause.same) if known else None


def _amount(stated: Stated, played: Played) -> Found:
    clause: Amount = stated.clause
    for call in calls_of(played, clause.tools[0]):
        it = played.thing(call.tool, call.args, call.at, clause.seen) or {}
        others = {slot: value for slot, value in call.args.items() if slot != clause.slot}
        right = stated.test(it=it, args=others, today=played.today)
        if call.args.get(clause.slot) != right:
            yield call.at, f"{clause.slot} of {call.tool} is {call.args.get(clause.slot)}, and not {right}"


def _ask(stated: Stated, played: Played) -> Found:
    clause: Ask = stated.clause
    for call in calls_of(played, clause.tools[0]):
        if clause.slot not in call.args:
            yield call.at, f"{call.tool} is called, and nobody has asked for {clause.slot}"


def _order(stated: Stated, played: Played) -> Found:
    first, then = stated.clause.order
    for call in calls_of(played, then):
        same = {name: call.args.get(name) for name in played.toolbox[first].required}
        before = [one for one in calls_of(played, first) if one.told_at < call.at and not one.failed]
        if not any(same.items() <= one.args.items() for one in before):
            yield call.at, f"{then} is called without {first} before"


def _one_by_one(stated: Stated, played: Played) -> Found:
    for at in sorted({call.at for call in played.calls}):
        covered = [
            call
            for call in played.calls
            if call.at == at and stated.clause.covers(looks_up=played.toolbox[call.tool].looks_up)
        ]
        if len(covered) > 1:
            yield at, f"{len(covered)} calls are made at once"


def _identity(stated: Stated, played: Played) -> Found:
    clause: Identity = stated.clause
    asked = [*calls_of(played, clause.identity)]
    known = [call for call in asked if not call.failed]
    for call in asked:
        said = [one.content for one in played.messages[: call.at] if type(one) is UserMessage]
        if not any(str(call.args.get(clause.by)) in text for text in said):
            yield call.at, f"{call.tool} is called with what the user has not said"
    over = {one.clause.transfer for one in played.of(Transfer)} | {clause.transfer}
    for call in played.calls:
        looks_up = played.toolbox[call.tool].looks_up
        is_before = not any(one.told_at < call.at for one in known)
        if call.tool not in (clause.identity, *over) and clause.covers(looks_up=looks_up) and is_before:
            yield call.at, f"{call.tool} is called before it is known who the user is"
    yield from _tried(stated, played, asked)


def _tried(stated: Stated, played: Played, asked: list[PlayedCall]) -> Found:
    """Yield where it goes on after as many wrong answers as there may be."""
    clause: Identity = stated.clause
    wrong = [call for call in asked if call.failed][: stated.number(clause.tries)]
    if not clause.tries or len(wrong) < stated.number(clause.tries):
        return
    last = wrong[-1].told_at
    after = [call for call in played.calls if call.at > last]
    if [call.tool for call in after] != [clause.transfer]:
        yield last, f"{clause.transfer} is not called, or something else is, after {len(wrong)} wrong answers"
    else:
        yield from more_than_handing_over(played, after[0], clause.says)


def more_than_handing_over(played: Played, call: PlayedCall, says: Sequence[str]) -> Found:
    """Yield where a conversation goes on after the call that hands it over and one of the sentences for that."""
    if call.told_at != len(played.messages) - 2 or played.messages[-1].content not in says:
        yield call.at, "more is said or done after the conversation has been handed over"


OF_CALLS: dict[type[Clause], Callable[[Stated, Played], Found]] = {
    Identity: _identity,
    Scope: _scope,
    Whose: _whose,
    Forbid: _forbid,
    Eligible: _eligible,
    Limit: _limit,
    Order: _order,
    Amount: _amount,
    Ask: _ask,
    OneByOne: _one_by_one,
}
"""What breaks a clause of each kind that is about calls."""
