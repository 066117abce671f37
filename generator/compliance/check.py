"""The checker: for each kind of clause, what in a conversation breaks it."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from generator.compliance.saying import says
from generator.compliance.transcript import Left, Played, PlayedCall, user_before
from generator.conversation import AssistantMessage, UserMessage
from generator.policies import (
    Ask,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Identity,
    Instead,
    Limit,
    OneByOne,
    Order,
    Stated,
    Tell,
    Transfer,
    refusals_of,
)


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


Found = Iterator[tuple[int, str]]


def _calls_of(played: Played, tool: str) -> Iterator[PlayedCall]:
    return (call for call in played.calls if call.tool == tool)


def _eligible(stated: Stated, played: Played) -> Found:
    clause: Eligible = stated.clause
    for call in _calls_of(played, clause.eligible):
        it = played.thing(call.tool, call.args, call.at, clause.seen)
        if it is None:
            yield call.at, f"{call.tool} is called, and {clause.seen} has not told of its thing"
        elif not stated.test(it=it, args=call.args, today=played.today):
            yield call.at, f"{call.tool} is called for a thing that it may not be called for"


def _forbid(stated: Stated, played: Played) -> Found:
    for call in _calls_of(played, stated.clause.forbid):
        if _is_forbidden(stated, played, call.tool, call.args, call.at):
            yield call.at, f"{call.tool} is called, which is forbidden"


def _is_forbidden(stated: Stated, played: Played, tool: str, args: dict[str, Any], at: int) -> bool:
    clause: Forbid = stated.clause
    if any(args.get(slot) != value for slot, value in clause.args.items()):
        return False
    it = played.thing(tool, args, at, clause.seen) or {}
    return not clause.when or bool(stated.test(it=it, args=args, today=played.today))


def _most(stated: Stated) -> float:
    clause: Limit = stated.clause
    return stated.numbers[clause.most] if isinstance(clause.most, str) else clause.most


def _limit(stated: Stated, played: Played) -> Found:
    done = [call for call in _calls_of(played, stated.clause.limit) if not call.failed]
    for call in done[int(_most(stated)) :]:
        yield call.at, f"{call.tool} is called more than {_most(stated):g} times"


_YES = re.compile(
    r"(yes|yep|yeah|sure|ok|okay|go ahead|please do|correct|that's right|right|fine|do it|exactly|perfect)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(no|not|don't|hold off|wait|leave it|forget it|but|maybe|unless)\b", re.IGNORECASE)


def _confirm(stated: Stated, played: Played) -> Found:
    clause: Confirm = stated.clause
    for call in played.calls:
        if not clause.covers(call.tool, looks_up=played.toolbox[call.tool].looks_up):
            continue
        reply = user_before(played.messages, call.at)
        if reply is None or not _YES.match(reply) or _NOT.search(reply):
            yield call.at, f"{call.tool} is called without a yes directly before"
        elif not _is_proposed(clause, played, call):
            yield call.at, f"{call.tool} is called with other arguments than were proposed, or its thing was not named"


def _is_proposed(clause: Confirm, played: Played, call: PlayedCall) -> bool:
    """Whether the message before the yes asks for leave, names what the call names, and says of it what the clause wants."""
    asked = played.messages[call.at - 2] if call.at > 1 else None
    text = asked.content or "" if type(asked) is AssistantMessage else ""
    linked = {link.argument.removeprefix("/") for link in played.toolbox[call.tool].links}
    named = [value for slot, value in call.args.items() if slot in linked and isinstance(value, str)]
    it = played.thing(call.tool, call.args, call.at)
    forms = clause.says.get(call.tool, ()) if it is not None else ()
    texts = [one.content or "" for one in played.messages[: call.at] if type(one) is AssistantMessage]
    is_told = not forms or any(says(said, form, it or {}, call.args) for said in texts for form in forms)
    return "?" in text and all(value in text for value in named) and is_told


def _ask(stated: Stated, played: Played) -> Found:
    clause: Ask = stated.clause
    for call in _calls_of(played, clause.tools[0]):
        if clause.slot not in call.args:
            yield call.at, f"{call.tool} is called, and nobody has asked for {clause.slot}"


def _order(stated: Stated, played: Played) -> Found:
    first, then = stated.clause.order
    for call in _calls_of(played, then):
        same = {name: call.args.get(name) for name in played.toolbox[first].required}
        before = [one for one in _calls_of(played, first) if one.told_at < call.at and not one.failed]
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


def _instead(stated: Stated, played: Played) -> Found:
    clause: Instead = stated.clause
    handing = {one.clause.transfer for one in played.of(Transfer)}
    first = {(left.tool, repr(left.args)): left for left in reversed(played.refused)}  # who insists is not offered it again
    for left in first.values():
        it = played.thing(left.tool, left.args, left.at) or {}
        text = played.messages[left.at].content or ""
        is_over = any(call.at < left.at and call.tool in handing for call in played.calls)
        forms = [stated.filled(form) for form in clause.offer]
        if left.tool == clause.instead and not is_over and not any(says(text, form, it, left.args) for form in forms):
            yield left.at, f"{left.tool} is refused, and nothing is offered in its place"


def _tell(stated: Stated, played: Played) -> Found:
    clause: Tell = stated.clause
    for call in _calls_of(played, clause.tell):
        text = (
            next((one.content for one in played.messages[call.told_at :] if type(one) is AssistantMessage), None) or ""
        )
        for field in [] if call.failed or not isinstance(call.result, dict) else clause.fields:
            if not says(text, f"{{{field}}}", call.result, {}):
                yield call.told_at, f"{field} of {call.tool} is not told"


def _transfer(stated: Stated, played: Played) -> Found:
    clause: Transfer = stated.clause
    for call in _calls_of(played, clause.of):
        if _is_to_hand_over(stated, played, call.tool, call.args, call.at):
            yield call.at, f"{call.tool} is called, which is to be handed over"
    for left in played.refused:
        if left.tool == clause.of and _is_to_hand_over(stated, played, left.tool, left.args, left.at):
            handed = [call for call in _calls_of(played, clause.transfer) if call.told_at < left.at]
            if not handed:
                yield left.at, f"{clause.transfer} is not called"
            elif left.at < len(played.messages) - 1 or left.text != played.messages[left.at].content:
                yield left.at, "more is said or done after the conversation has been handed over"


def _is_to_hand_over(stated: Stated, played: Played, tool: str, args: dict[str, Any], at: int) -> bool:
    clause: Transfer = stated.clause
    it = played.thing(tool, args, at, clause.seen) or {}
    return not clause.when or bool(stated.test(it=it, args=args, today=played.today))


def _identity(stated: Stated, played: Played) -> Found:
    clause: Identity = stated.clause
    known = [call for call in _calls_of(played, clause.identity) if not call.failed]
    for call in known:
        said = [one.content for one in played.messages[: call.at] if type(one) is UserMessage]
        if not any(str(call.args.get(clause.by)) in text for text in said):
            yield call.at, f"{call.tool} is called with what the user has not said"
    for call in played.calls:
        looks_up = played.toolbox[call.tool].looks_up
        is_before = not any(one.told_at < call.at for one in known)
        if call.tool != clause.identity and clause.covers(looks_up=looks_up) and is_before:
            yield call.at, f"{call.tool} is called before it is known who the user is"


CHECKS: dict[type[Clause], Callable[[Stated, Played], Found]] = {
    Transfer: _transfer,
    Identity: _identity,
    Forbid: _forbid,
    Eligible: _eligible,
    Limit: _limit,
    Order: _order,
    Ask: _ask,
    Confirm: _confirm,
    OneByOne: _one_by_one,
    Instead: _instead,
    Tell: _tell,
}
"""What breaks a clause of each kind."""


def _unfounded(played: Played) -> Iterator[Breach]:
    """Yield refusals for which there is no reason: no clause forbids the call, or another reason is told than there is."""
    for left in played.refused:
        reasons = [stated for stated in played.clauses if _forbids(stated, played, left)]
        it = _thing_of(reasons, played, left)
        forms = [
            stated.filled(form)
            for stated in reasons
            for form in (stated.clause.says if isinstance(stated.clause, Transfer) else refusals_of(stated.clause))
        ]
        if not reasons:
            yield Breach("unfounded", left.at, f"{left.tool} is refused, which no clause forbids")
        elif not any(says(left.text, form, it, left.args) for form in forms):
            yield Breach("unfounded", left.at, f"{left.tool} is refused for a reason that is none: {left.text!r}")


def _thing_of(reasons: Sequence[Stated], played: Played, left: Left) -> dict[str, Any]:
    seen = next((stated.clause.seen for stated in reasons if getattr(stated.clause, "seen", "")), "")
    return played.thing(left.tool, left.args, left.at, seen) or {}


def _forbids(stated: Stated, played: Played, left: Left) -> bool:
    """Whether a clause forbids a call that was asked for."""
    clause = stated.clause
    if isinstance(clause, Eligible) and clause.eligible == left.tool:
        it = played.thing(left.tool, left.args, left.at, clause.seen)
        return it is not None and not stated.test(it=it, args=left.args, today=played.today)
    if isinstance(clause, Transfer) and clause.of == left.tool:
        return _is_to_hand_over(stated, played, left.tool, left.args, left.at)
    if isinstance(clause, Forbid) and clause.forbid == left.tool:
        return _is_forbidden(stated, played, left.tool, left.args, left.at)
    if isinstance(clause, Limit) and clause.limit == left.tool:
        made = [call for call in _calls_of(played, left.tool) if call.at < left.at and not call.failed]
        return len(made) >= _most(stated)
    return False


def _needlessly(played: Played) -> Iterator[Breach]:
    """Yield questions for leave that no clause wants."""
    for left in played.proposed:
        looks_up = played.toolbox[left.tool].looks_up
        if not any(stated.clause.covers(left.tool, looks_up=looks_up) for stated in played.of(Confirm)):
            yield Breach("unfounded", left.at, f"{left.tool} is proposed, and no clause wants a yes to it")
