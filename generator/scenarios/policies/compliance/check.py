"""The checker: what in a conversation breaks the clauses that its system message states."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Message, UserMessage
from generator.core.pointers import resolve
from generator.scenarios.policies import (
    Amount,
    Ask,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Hide,
    Identity,
    Instead,
    Limit,
    OneByOne,
    Order,
    Scope,
    Stated,
    Tell,
    Transfer,
    Whose,
    listed,
    refusals_of,
)
from generator.scenarios.policies.compliance.transcript import Left, Played, PlayedCall, objects_of, user_before

_SLOT = re.compile(r"\{(args\.)?(\w+)(?::\w+)?\}")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"\d{2}:\d{2}(:\d{2})?")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NEAR = r"today|tomorrow|yesterday|(?:on |next |this |last )?\w+day"
"""Days that are said from the day of the conversation."""


def says(text: str, form: str, it: dict[str, Any], args: dict[str, Any]) -> bool:
    """Whether a text says a form, with values of the thing and of the call's arguments in its places."""
    pattern, at = "", 0
    for slot in _SLOT.finditer(form):
        value = (args if slot[1] else it).get(slot[2])
        pattern += f"{re.escape(form[at : slot.start()])}(?:{_ways(value)})"
        at = slot.end()
    return re.search(pattern + re.escape(form[at:]), text, re.IGNORECASE) is not None


def _ways(value: Any) -> str:
    """Return a pattern of the words that can stand for a value."""
    if isinstance(value, bool) or value is None:
        return "yes|no|nothing|none"
    if isinstance(value, int | float):
        return _number(value)
    if not isinstance(value, str):
        return r".+?"
    if _DAY.fullmatch(value):
        year, month, day = value.split("-")
        name = _MONTHS[int(month) - 1]
        month_name, number = f"(?:{name}|{name[:3]}\\.?)", f"{int(day)}(?:st|nd|rd|th)?"
        return rf"{value}|(?:\w+day,? )?(?:{number} (?:of )?{month_name}|{month_name} {number})(?:,? {year})?|{_NEAR}"
    if _CLOCK.fullmatch(value):
        hour, minute = int(value[:2]), value[3:5]
        return rf"{value}|{value[:5]}|{hour}:{minute}|{(hour - 1) % 12 + 1}(?:[:.]{minute})? ?[ap]\.?m\.?|noon|midnight"
    return f"[\"'“‘]?{re.escape(value).replace('_', '[ _]')}[\"'”’]?"


def _number(value: float) -> str:
    """Return a pattern of the ways to write a number or an amount of money."""
    whole, _, cents = f"{value:.2f}".partition(".")
    cents = cents.rstrip("0")
    grouped = f"{int(whole):,}".replace(",", ",?")
    rest = rf"\.{cents}0?" if cents else r"(?:\.00)?"
    word = rf"|\b{_WORDS[int(value)]}\b" if value in range(len(_WORDS)) else ""
    return rf"(?<![\d.,:])[$€£]?{grouped}{rest}(?!\d|[.,:]\d)%?(?: (?:euros|dollars|pounds))?{word}"


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
