"""The checker: what in a conversation breaks the clauses that its system message states."""

import re
from calendar import month_name
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Message, UserMessage
from generator.scenarios.policies.clauses import Clause, Confirm, Hide, Identity, Instead, Tell, Transfer
from generator.scenarios.policies.compliance.transcript import MadeCall, Transcript, UnmadeCall, objects_in, user_before
from generator.scenarios.policies.compliance.verdicts import forbidding, judgement, verdict
from generator.scenarios.policies.sentences import SLOT, refusals_of, with_listed_sentences
from generator.scenarios.policies.stated import Stated

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"\d{2}:\d{2}(:\d{2})?")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NEAR = r"today|tomorrow|yesterday|(?:on |next |this |last )?\w+day"
"""Days that are said from the day of the conversation."""


class Breach(msgspec.Struct, frozen=True):
    """A place at which a clause is broken."""

    kind: str
    """Of the clause; `unfounded` for a refusal that no clause asks for."""
    at: int
    """Index of the message."""
    what: str


Found = Iterator[tuple[int, str]]
"""Index of a message, and what is wrong there."""


def breaches(talk: Transcript) -> list[Breach]:
    """Return all breaches of the clauses that a conversation's system message states; none for a right one."""
    found = [
        Breach(stated.clause.kind, at, f"{what} ({stated.text})")
        for stated in talk.clauses
        for at, what in (*_wrong_calls(stated, talk), *_wrong_words(stated, talk))
    ]
    return [*found, *_unfounded(talk)]


def _wrong_calls(stated: Stated, talk: Transcript) -> Found:
    """Yield the calls that a clause does not let be made."""
    for call in talk.calls:
        may_be_made, fault = judgement(stated, talk, call)
        if not may_be_made:
            yield call.at, fault


def _wrong_words(stated: Stated, talk: Transcript) -> Found:
    """Yield where what is said, or not said, breaks a clause."""
    check = _OF_WORDS.get(type(stated.clause))
    if check is not None:
        yield from check(stated.clause, stated, talk)


def _unfounded(talk: Transcript) -> Iterator[Breach]:
    """Yield refusals for which there is no reason, or another one than is told, and questions for leave that no clause wants."""
    for call in talk.refused:
        if not _reasons(talk, call):
            yield Breach("unfounded", call.at, f"{call.tool} is refused, which no clause forbids")
        elif not reasons_told(talk, call):
            yield Breach("unfounded", call.at, f"{call.tool} is refused for a reason that is none: {call.text!r}")
    for call in talk.proposed:
        if talk.confirming(call.tool) is None:
            yield Breach("unfounded", call.at, f"{call.tool} is proposed, and no clause wants a yes to it")


def _reasons(talk: Transcript, call: UnmadeCall) -> list[Stated]:
    """Return the clauses that forbid a call, or telling a field of what it finds."""
    hidden = [stated for stated in talk.of(Hide) if stated.clause.hide == call.tool]
    return [*[stated for stated in talk.clauses if verdict(stated, talk, call) is False], *hidden]


def reasons_told(talk: Transcript, call: UnmadeCall) -> list[Stated]:
    """Return the clauses that forbid a call and are told as the reason: none for a refusal without ground."""
    reasons = _reasons(talk, call)
    seen = next((stated.clause.seen for stated in reasons if getattr(stated.clause, "seen", "")), "")
    thing = talk.thing(call, seen) or {}
    return [
        stated
        for stated in reasons
        if any(
            says(call.text, stated.filled(form), thing, call.args)
            for form in (getattr(stated.clause, "says", ()) or refusals_of(stated.clause))
        )
    ]


# --- what a text says ---


def says(text: str, form: str, it: dict[str, Any], args: dict[str, Any]) -> bool:
    """Whether a text says a form, with values of the thing and of the call's arguments in its places."""
    pattern, at = "", 0
    for slot in SLOT.finditer(form):
        value = (args if slot[1] else it).get(slot[2])
        pattern += f"{re.escape(form[at : slot.start()])}(?:{_pattern_of_value(value)})"
        at = slot.end()
    return re.search(pattern + re.escape(form[at:]), text, re.IGNORECASE) is not None


def _pattern_of_value(value: Any) -> str:
    """Return a pattern of the words that can stand for a value."""
    if isinstance(value, bool) or value is None:
        return "yes|no|nothing|none"
    if isinstance(value, int | float):
        return _pattern_of_number(value)
    if not isinstance(value, str):
        return r".+?"
    if _DAY.fullmatch(value):
        year, month, day = value.split("-")
        name = month_name[int(month)]
        name, number = f"(?:{name}|{name[:3]}\\.?)", f"{int(day)}(?:st|nd|rd|th)?"
        return rf"{value}|(?:\w+day,? )?(?:{number} (?:of )?{name}|{name} {number})(?:,? {year})?|{_NEAR}"
    if _CLOCK.fullmatch(value):
        hour, minute = int(value[:2]), value[3:5]
        return rf"{value}|{value[:5]}|{hour}:{minute}|{(hour - 1) % 12 + 1}(?:[:.]{minute})? ?[ap]\.?m\.?|noon|midnight"
    return f"[\"'“‘]?{re.escape(value).replace('_', '[ _]')}[\"'”’]?"


def _pattern_of_number(value: float) -> str:
    """Return a pattern of the ways to write a number or an amount of money."""
    whole, _, cents = f"{value:.2f}".partition(".")
    cents = cents.rstrip("0")
    grouped = f"{int(whole):,}".replace(",", ",?")
    rest = rf"\.{cents}0?" if cents else r"(?:\.00)?"
    word = rf"|\b{_WORDS[int(value)]}\b" if value in range(len(_WORDS)) else ""
    return rf"(?<![\d.,:])[$€£]?{grouped}{rest}(?!\d|[.,:]\d)%?(?: (?:euros|dollars|pounds))?{word}"


# --- handing over ---


def _wrong_identifications(clause: Identity, stated: Stated, talk: Transcript) -> Found:
    """Yield look-ups of users by what they have not said, and conversations that go on after too many wrong answers."""
    asked = talk.calls_of(clause.identity)
    for call in asked:
        texts = [one.content for one in talk.messages[: call.at] if type(one) is UserMessage]
        if not any(str(call.args.get(clause.by)) in text for text in texts):
            yield call.at, f"{call.tool} is called with what the user has not said"
    tries = stated.number(clause.tries)
    wrong = [call for call in asked if call.failed][:tries]
    if wrong and len(wrong) == tries:
        last = wrong[-1].result_at
        yield from _wrong_ending(clause, talk, last, [call for call in talk.calls if call.at > last])


def _wrong_handovers(clause: Transfer, stated: Stated, talk: Transcript) -> Found:
    """Yield calls that are to be handed over and are not, and conversations that go on after that."""
    if clause.on:
        yield from _wrong_handovers_on_request(clause, stated, talk)
    for call in talk.refused:
        if verdict(stated, talk, call) is False:
            if not talk.earlier(call, clause.transfer):
                yield call.at, f"{clause.transfer} is not called"
            elif call.at < len(talk.messages) - 1 or call.text != talk.messages[call.at].content:
                yield call.at, "more is said or done after the conversation has been handed over"


def _wrong_handovers_on_request(clause: Transfer, stated: Stated, talk: Transcript) -> Found:
    """Yield where it is not handed over although the user has said so often enough, or before that."""
    texts, messages, times = with_listed_sentences(clause.on), talk.messages, stated.number(clause.times)
    indexes_of_requests = [
        index for index, message in enumerate(messages) if type(message) is UserMessage and message.content in texts
    ]
    for number, index in enumerate(indexes_of_requests[:times], start=1):
        end = next(
            (
                later_index
                for later_index in range(index + 1, len(messages))
                if type(messages[later_index]) is UserMessage
            ),
            len(messages),
        )
        calls = [call for call in talk.calls_of(clause.transfer) if index < call.at < end]
        if number == times:
            yield from _wrong_ending(clause, talk, index, calls)
        elif calls:
            yield index, f"{clause.transfer} is called before the user has asked {times} times"


def _wrong_ending(clause: Identity | Transfer, talk: Transcript, at: int, after: list[MadeCall]) -> Found:
    """Yield why a message is not followed by handing over, and then by just one of the sentences for that."""
    if not after or after[0].at != at + 1 or after[0].tool != clause.transfer:
        yield at, f"{clause.transfer} is not called"
    elif after[0].result_at != len(talk.messages) - 2 or talk.messages[-1].content not in clause.says:
        yield at, "more is said or done after the conversation has been handed over"


# --- leave for a call ---


_YES = re.compile(
    r"(yes|yep|yeah|sure|ok|okay|go ahead|please do|correct|that's right|right|fine|do it|exactly|perfect)\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(
    r"\b(let me think|think it over|not (quite )?sure|made up my mind|give me a (minute|moment))\b", re.IGNORECASE
)
"""Neither yes nor no to a question: the user is given time."""
_NOT = re.compile(r"\b(no|not|don't|hold off|wait|leave it|forget it|but|maybe|unless)\b", re.IGNORECASE)


def _calls_without_leave(clause: Confirm, stated: Stated, talk: Transcript) -> Found:
    """Yield calls without the user's yes to just them directly before."""
    for call in talk.calls:
        if not clause.covers(call.tool, looks_up=talk.toolbox[call.tool].looks_up):
            continue
        reply = user_before(talk.messages, call.at)
        if reply is None or not _YES.match(reply) or _NOT.search(reply):
            yield call.at, f"{call.tool} is called without a yes directly before"
        elif not _follows_a_question(talk.messages, call.at):
            yield call.at, f"{call.tool} is called after a yes to no question"
        elif not _is_proposed(clause, talk, call):
            yield call.at, f"{call.tool} is called with other arguments than were proposed, or its thing was not named"


def _follows_a_question(messages: Sequence[Message], at: int) -> bool:
    """Whether the user's message before a call follows a question, or the time that they were given for it."""
    reply = user_before(messages, at - 2)
    indexes = [at - 2, *([at - 4] if reply is not None and _UNSURE.search(reply) else [])]
    earlier_messages = [messages[index] for index in indexes if index >= 0]
    return any(type(message) is AssistantMessage and "?" in (message.content or "") for message in earlier_messages)


def _is_proposed(clause: Confirm, talk: Transcript, call: MadeCall) -> bool:
    """Whether what is said since the last result names what the call names, and says of it what the clause wants."""
    linked = {link.argument.removeprefix("/") for link in talk.toolbox[call.tool].links}
    named = [value for slot, value in call.args.items() if slot in linked and isinstance(value, str)]
    thing = talk.thing(call)
    forms = clause.says.get(call.tool, ()) if thing is not None else ()
    texts = _texts_of_assistant(talk.messages[: call.at])
    is_told = not forms or any(says(text, form, thing or {}, call.args) for text in texts for form in forms)
    last = max([one.result_at for one in talk.calls if one.result_at < call.at], default=0)
    since = _texts_of_assistant(talk.messages[last : call.at])
    return is_told and all(any(value in text for text in since) for value in named)


def _texts_of_assistant(messages: Sequence[Message]) -> list[str]:
    return [one.content or "" for one in messages if type(one) is AssistantMessage]


# --- what is offered, told and kept back ---


def _refusals_without_offer(clause: Instead, stated: Stated, talk: Transcript) -> Found:
    """Yield refusals after which nothing is offered, where a clause wants that.

    The first clause that rules the call out, of whichever kind, decides, because planned rows give that one as the reason: what is
    out of scope, or not the user's own, is refused without an offer, although another clause forbids it as well.
    """
    first = {
        (call.tool, repr(call.args)): call for call in reversed(talk.refused)
    }  # who insists is not offered it again
    for call in first.values():
        reason = forbidding(talk, call)
        text = talk.messages[call.at].content or ""
        forms = [stated.filled(form) for form in clause.offer]
        is_offered = any(says(text, form, talk.thing(call) or {}, call.args) for form in forms)
        if reason is not None and clause.follows(reason.clause) and not is_offered:
            yield call.at, f"{call.tool} is refused, and nothing is offered in its place"


def _untold_fields(clause: Tell, stated: Stated, talk: Transcript) -> Found:
    """Yield the results of which a field is not told that a clause wants told."""
    for call in talk.calls_of(clause.tell):
        text = next(iter(_texts_of_assistant(talk.messages[call.result_at :])), "")
        for field in [] if call.failed or not isinstance(call.result, dict) else clause.fields:
            if not says(text, f"{{{field}}}", call.result, {}):
                yield call.result_at, f"{field} of {call.tool} is not told"


def _hidden_fields_told(clause: Hide, stated: Stated, talk: Transcript) -> Found:
    """Yield where the value of a field is told that a clause hides."""
    for call in talk.calls_of(clause.hide):
        values = [item[clause.field] for item in objects_in(call.result) if item.get(clause.field) is not None]
        for index, message in enumerate(talk.messages[call.result_at + 1 :], start=call.result_at + 1):
            text = (message.content if type(message) is AssistantMessage else None) or ""
            hidden_values_told = [value for value in values if says(text, "{value}", {"value": value}, {})]
            if any(not _is_something_else(value, clause.field, talk, index) for value in hidden_values_told):
                yield index, f"{clause.field} of what {clause.hide} finds is told"


def _is_something_else(value: Any, field: str, talk: Transcript, at: int) -> bool:
    """Whether a number that is told at a place is also that of another field, so that it may be told of that: $30 and 30 reviews, or the 18th, or 4 matches."""
    objects = [item for call in talk.calls if call.result_at < at for item in objects_in(call.result)]
    values_of_other_fields = [
        str(len(field_value) if isinstance(field_value, list) else field_value)
        for item in objects
        for name, field_value in item.items()
        if name != field and not isinstance(field_value, dict)
    ]
    return isinstance(value, int | float) and any(
        float(item) == value for field_value in values_of_other_fields for item in _NUMBERS.findall(field_value)
    )


_NUMBERS = re.compile(r"\d+(?:\.\d+)?")
_OF_WORDS: dict[type[Clause], Callable[[Any, Stated, Transcript], Found]] = {
    Transfer: _wrong_handovers,
    Identity: _wrong_identifications,
    Confirm: _calls_without_leave,
    Instead: _refusals_without_offer,
    Tell: _untold_fields,
    Hide: _hidden_fields_told,
}
"""What breaks a clause of each kind that is about what is said."""
