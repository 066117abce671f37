"""What words break: for each kind of clause that is about what is said, where it is not said, or more than that is."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from generator.core.conversation import AssistantMessage, Message, UserMessage
from generator.scenarios.policies import (
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Hide,
    Instead,
    Stated,
    Tell,
    Transfer,
    listed,
)
from generator.scenarios.policies.compliance.calls import (
    Found,
    calls_of,
    is_forbidden,
    is_ineligible,
    more_than_handing_over,
)
from generator.scenarios.policies.compliance.saying import says
from generator.scenarios.policies.compliance.transcript import Left, Played, PlayedCall, objects_of, user_before

_YES = re.compile(
    r"(yes|yep|yeah|sure|ok|okay|go ahead|please do|correct|that's right|right|fine|do it|exactly|perfect)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(let me think|think it over|not (quite )?sure|made up my mind|give me a (minute|moment))\b", re.IGNORECASE
)
"""Neither yes nor no to a question: the user is given time."""
_NOT = re.compile(r"\b(no|not|don't|hold off|wait|leave it|forget it|but|maybe|unless)\b", re.IGNORECASE)


def _confirm(stated: Stated, played: Played) -> Found:
    clause: Confirm = stated.clause
    for call in played.calls:
        if not clause.covers(call.tool, looks_up=played.toolbox[call.tool].looks_up):
            continue
        reply = user_before(played.messages, call.at)
        if reply is None or not _YES.match(reply) or _NOT.search(reply):
            yield call.at, f"{call.tool} is called without a yes directly before"
        elif not _is_asked(played.messages, call.at):
            yield call.at, f"{call.tool} is called after a yes to no question"
        elif not _is_proposed(clause, played, call):
            yield call.at, f"{call.tool} is called with other arguments than were proposed, or its thing was not named"


def _is_asked(messages: Sequence[Message], at: int) -> bool:
    """Whether the user's message before a call follows a question, or the time that they were given for it."""
    reply = user_before(messages, at - 2)
    places = [at - 2, *([at - 4] if reply is not None and _UNSURE.search(reply) else [])]
    asked = [messages[place] for place in places if place >= 0]
    return any(type(one) is AssistantMessage and "?" in (one.content or "") for one in asked)


def _is_proposed(clause: Confirm, played: Played, call: PlayedCall) -> bool:
    """Whether what is said since the last result names what the call names, and says of it what the clause wants."""
    linked = {link.argument.removeprefix("/") for link in played.toolbox[call.tool].links}
    named = [value for slot, value in call.args.items() if slot in linked and isinstance(value, str)]
    it = played.thing(call.tool, call.args, call.at)
    forms = clause.says.get(call.tool, ()) if it is not None else ()
    texts = [one.content or "" for one in played.messages[: call.at] if type(one) is AssistantMessage]
    is_told = not forms or any(says(said, form, it or {}, call.args) for said in texts for form in forms)
    last = max([one.told_at for one in played.calls if one.told_at < call.at], default=0)
    since = [one.content or "" for one in played.messages[last : call.at] if type(one) is AssistantMessage]
    return is_told and all(any(value in said for said in since) for value in named)


def _instead(stated: Stated, played: Played) -> Found:
    clause: Instead = stated.clause
    handing = {one.clause.transfer for one in played.of(Transfer)}
    first = {
        (left.tool, repr(left.args)): left for left in reversed(played.refused)
    }  # who insists is not offered it again
    for left in first.values():
        it = played.thing(left.tool, left.args, left.at) or {}
        text = played.messages[left.at].content or ""
        is_over = any(call.at < left.at and call.tool in handing for call in played.calls)
        forms = [stated.filled(form) for form in clause.offer]
        if not _is_for_its_reason(clause, played, left):
            continue
        if left.tool == clause.instead and not is_over and not any(says(text, form, it, left.args) for form in forms):
            yield left.at, f"{left.tool} is refused, and nothing is offered in its place"


def _is_for_its_reason(clause: Instead, played: Played, left: Left) -> bool:
    """Whether the first clause that rules a call out is one after whose refusals something is offered."""
    of = (left.tool, left.args, left.at)
    reasons = [
        one for one in played.of(Forbid) if one.clause.forbid == left.tool and is_forbidden(one, played, *of)
    ] or [one for one in played.of(Eligible) if one.clause.eligible == left.tool and is_ineligible(one, played, *of)]
    return bool(reasons) and clause.follows(reasons[0].clause)


def _tell(stated: Stated, played: Played) -> Found:
    clause: Tell = stated.clause
    for call in calls_of(played, clause.tell):
        text = (
            next((one.content for one in played.messages[call.told_at :] if type(one) is AssistantMessage), None) or ""
        )
        for field in [] if call.failed or not isinstance(call.result, dict) else clause.fields:
            if not says(text, f"{{{field}}}", call.result, {}):
                yield call.told_at, f"{field} of {call.tool} is not told"


def _hide(stated: Stated, played: Played) -> Found:
    clause: Hide = stated.clause
    for call in calls_of(played, clause.hide):
        values = [one[clause.field] for one in objects_of(call.result) if one.get(clause.field) is not None]
        for at, message in enumerate(played.messages[call.told_at + 1 :], start=call.told_at + 1):
            text = message.content if type(message) is AssistantMessage else None
            told = [value for value in values if says(text or "", "{value}", {"value": value}, {})]
            if any(not _is_something_else(value, clause.field, played, at) for value in told):
                yield at, f"{clause.field} of what {clause.hide} finds is told"


def _is_something_else(value: Any, field: str, played: Played, at: int) -> bool:
    """Whether a number that is told at a place is also that of another field, so that it may be told of that: $30 and 30 reviews, or the 18th, or 4 matches."""
    found = [one for call in played.calls if call.told_at < at for one in objects_of(call.result)]
    others = [
        str(len(own) if isinstance(own, list) else own)
        for one in found
        for name, own in one.items()
        if name != field and not isinstance(own, dict)
    ]
    return isinstance(value, int | float) and any(
        float(one) == value for own in others for one in _NUMBERS.findall(own)
    )


_NUMBERS = re.compile(r"\d+(?:\.\d+)?")


def _transfer(stated: Stated, played: Played) -> Found:
    clause: Transfer = stated.clause
    if clause.on:
        yield from _asked_for(stated, played)
        return
    for call in calls_of(played, clause.of):
        if is_to_hand_over(stated, played, call.tool, call.args, call.at):
            yield call.at, f"{call.tool} is called, which is to be handed over"
    for left in played.refused:
        if left.tool == clause.of and is_to_hand_over(stated, played, left.tool, left.args, left.at):
            handed = [call for call in calls_of(played, clause.transfer) if call.told_at < left.at]
            if not handed:
                yield left.at, f"{clause.transfer} is not called"
            elif left.at < len(played.messages) - 1 or left.text != played.messages[left.at].content:
                yield left.at, "more is said or done after the conversation has been handed over"


def is_to_hand_over(stated: Stated, played: Played, tool: str, args: dict[str, Any], at: int) -> bool:
    """Whether a clause wants a call handed over at a place."""
    clause: Transfer = stated.clause
    it = played.thing(tool, args, at, clause.seen) or {}
    return not clause.when or bool(stated.test(it=it, args=args, today=played.today))


def _asked_for(stated: Stated, played: Played) -> Found:
    """Yield where it is not handed over although the user has said so often enough, or before that."""
    clause: Transfer = stated.clause
    texts, messages = listed(clause.on), played.messages
    asked = [at for at, one in enumerate(messages) if type(one) is UserMessage and one.content in texts]
    times = stated.number(clause.times)
    for place, at in enumerate(asked, start=1):
        until = next(
            (later for later in range(at + 1, len(messages)) if type(messages[later]) is UserMessage), len(messages)
        )
        calls = [call for call in played.calls if at < call.at < until and call.tool == clause.transfer]
        if place < times and calls:
            yield at, f"{clause.transfer} is called before the user has asked {times} times"
        elif place == times:
            yield from _not_over(clause, played, at, calls)


def _not_over(clause: Transfer, played: Played, at: int, calls: list[PlayedCall]) -> Found:
    """Yield why a message is not followed by handing over, and then by just one of the sentences for that."""
    if not calls or calls[0].at != at + 1:
        yield at, f"{clause.transfer} is not called"
    else:
        yield from more_than_handing_over(played, calls[0], clause.says)


OF_WORDS: dict[type[Clause], Callable[[Stated, Played], Found]] = {
    Transfer: _transfer,
    Confirm: _confirm,
    Instead: _instead,
    Tell: _tell,
    Hide: _hide,
}
"""What breaks a clause of each kind that is about what is said."""
