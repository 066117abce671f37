"""Open the ledger of a conversation: look up its calls, results, wishes, and the day it states."""

import re
from datetime import date
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import Any

import orjson

from generator.core.claims import DeclineClaim, Proof, UseClaim
from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage, UserMessage
from generator.core.profiles import says_failure
from generator.core.toolbox import Toolbox
from generator.dialogue.proof.ledger import NEVER, Acts, ClaimedCall, Ledger, Sentence
from generator.dialogue.proof.tongues import ANSWERS, FURTHER_REQUESTS, REPLIES, REQUESTS


def open_ledger(
    conversation: Conversation,
    proof: Proof,
    toolbox: Toolbox,
    acts: Acts,
    *,
    phrases: bool = True,
    prefix: bool = False,
) -> Ledger:
    """Return the ledger of a conversation.

    Args:
        conversation: The finished messages.
        proof: What is claimed about them.
        toolbox: The tools by name.
        acts: What a sentence of its own can tell.
        phrases: Whether the texts must be made of the tools' phrases.
        prefix: Whether the conversation may end before all that was asked for is done: then claims may name calls that have not
            been made yet.
    """
    messages = conversation.messages
    asks = {ask.message for ask in proof.asks}
    asking = {wish.message for wish in proof.wishes}
    uses: dict[int, list[UseClaim]] = {}
    for use in sorted(proof.uses, key=attrgetter("start")):
        uses.setdefault(use.message, []).append(use)
    steps = [
        (at, message) for at, message in enumerate(messages) if type(message) is AssistantMessage and message.tool_calls
    ]
    contents, today = [message.content or "" for message in messages], _stated_day(conversation)
    ledger = Ledger(conversation, proof, toolbox, phrases, prefix, contents, steps, today, uses)
    changing = {claim.by for claim in proof.retracted}
    proposed = {tell.message for tell in proof.tells if tell.how == "proposed"}
    before, first = -1, True
    for index, message in enumerate(messages):
        if type(message) is UserMessage:
            is_reply = (before in asks and index not in asking) or (before in proposed and index in changing)
            if is_reply:
                ledger.replies[index] = before
            ledger.tongues[index] = REPLIES if is_reply else REQUESTS if first else FURTHER_REQUESTS
            first = False
        elif type(message) is AssistantMessage and message.content:
            ledger.tongues[index] = ANSWERS
        before = index
    ledger.parts.update({index: [] for index in ledger.tongues})
    _note_calls(ledger)
    for decline in proof.declines:
        _note_decline(ledger, decline)
    _note_wishes(ledger)
    _note_sentences(ledger, acts)
    return ledger


def _note_calls(ledger: Ledger) -> None:
    """Note every call with its result."""
    told_at: dict[str, int] = {}
    for index, message in enumerate(ledger.conversation.messages):
        if type(message) is ToolMessage:
            told_at.setdefault(message.tool_call_id, index)
    for index, step in ledger.steps:
        for call in step.tool_calls:
            spec = ledger.toolbox.get(call.name)
            if spec is None:
                ledger.report("PF101", ("argument", call.id, ""), "there is no tool {!r}", call.name)
            elif call.id in ledger.calls:
                ledger.report("PF101", ("argument", call.id, ""), "two calls have this id")
            else:
                made = ledger.calls[call.id] = ClaimedCall(call.id, spec, call.arguments, index)
                if told_at.get(call.id, -1) > index:
                    made.told_at = told_at[call.id]
                    made.result = parsed(ledger.contents[made.told_at])
                    made.failed = is_failure(ledger.conversation.messages[made.told_at], made.result)


def _note_decline(ledger: Ledger, decline: DeclineClaim) -> None:
    """Note a declined wish as a call that was not made: claims name it by the request and the tool."""
    spec, wish, messages = ledger.toolbox.get(decline.tool), decline_id(decline), ledger.conversation.messages
    if spec is None:
        ledger.report("PF131", ("message", decline.message), "there is no tool {!r}", decline.tool)
    elif wish in ledger.calls:
        ledger.report("PF131", ("message", decline.message), "this is declined twice")
    elif not 0 <= decline.asked_at < decline.message or type(messages[decline.asked_at]) is not UserMessage:
        ledger.report("PF131", ("message", decline.message), "nobody asks for what is declined")
    else:
        ledger.calls[wish] = ClaimedCall(wish, spec, decline.arguments, decline.message, decline.asked_at)


def decline_id(decline: DeclineClaim) -> str:
    """Return the id by which claims name a declined wish."""
    return f"{decline.asked_at}:{decline.tool}"


def _note_wishes(ledger: Ledger) -> None:
    """Note which message asks for each call."""
    proof, toolbox, prefix = ledger.proof, ledger.toolbox, ledger.prefix
    messages = ledger.conversation.messages
    for wish in proof.wishes:
        made = ledger.calls.get(wish.call_id)
        is_unmade = wish.unmade is not None
        if made is None and (is_unmade or prefix) and wish.tool in toolbox:
            spec, end = toolbox[wish.tool], len(messages)
            made = ledger.calls[wish.call_id] = ClaimedCall(wish.call_id, spec, wish.unmade, end, is_unmade=is_unmade)
        if made is None or not 0 <= wish.message < made.at or type(messages[wish.message]) is not UserMessage:
            fault = "the call must be asked for by the user, before it"
            ledger.report("PF114", ("argument", wish.call_id, ""), fault)
        elif made.asked_at != NEVER:
            ledger.report("PF114", ("argument", wish.call_id, ""), "two messages are said to ask for it")
        else:
            made.asked_at, made.helps, made.demanded = wish.message, wish.helps, wish.demanded
            if wish.tool != made.spec.name:
                fault = "the user is said to ask for {!r}"
                ledger.report("PF114", ("argument", wish.call_id, ""), fault, wish.tool)


def _note_sentences(ledger: Ledger, acts: Acts) -> None:
    """Note the sentences that are neither requests nor results told, and what each does."""
    for tell in ledger.proof.tells:
        index, made, act = tell.message, ledger.calls.get(tell.call_id), acts.get(tell.how)
        at, tongue = ("message", index, tell.start, tell.end), ledger.tongues.get(index)
        if act is None:
            ledger.report("PF120", at, "{!r} is nothing that can be told", tell.how)
        elif (
            tongue is None
            or (tongue is not ANSWERS) != (act.by == "user")
            or not 0 <= tell.start < tell.end <= len(ledger.contents[index])
        ):
            ledger.report("PF120", at, "nobody says it there")
        elif made is None:
            ledger.report("PF120", at, "there is no call {}", tell.call_id)
        else:
            sentence = Sentence(ledger, index, tell.start, tell.end, act, made)
            ledger.sentences.setdefault(index, []).append(sentence)
    for index, sentences in ledger.sentences.items():
        sentences.sort(key=lambda sentence: sentence.start)
        if any(one.end > other.start for one, other in pairwise(sentences)):
            ledger.report("PF120", ("message", index), "two of these sentences are in one another")


_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_NAMED = re.compile(r"\b(?:today|date|day)\b[^.!?]{0,40}\Z", re.IGNORECASE)
"""The words before today's date, when a system message holds several dates."""


def _stated_day(conversation: Conversation) -> date | None:
    """Return the day that the first message, if it is a system message, states as today's."""
    first = conversation.messages[0] if conversation.messages else None
    return day_in(first.content) if type(first) is SystemMessage else None


@lru_cache(maxsize=1024)
def day_in(content: str) -> date | None:
    """Return the date that a system message gives as today's; None when it gives none."""
    days = list(_DAY.finditer(content))
    named = [day for day in days if _NAMED.search(content[: day.start()])]
    try:
        return date.fromisoformat((named or days)[0].group()) if days else None
    except ValueError:
        return None


def is_failure(message: Message, result: Any) -> bool:
    """Whether a tool message reports a failed call: by its mark, or by its content where a format has lost the mark."""
    return (type(message) is ToolMessage and message.is_error) or says_failure(result)


def parsed(content: str) -> Any:
    """Return a result parsed as JSON; text that is not JSON is returned as it is."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content
