"""Decline: nothing on offer can do what is asked, and the assistant says so and no more."""

from collections.abc import Iterator

from generator.core.claims import DeclineClaim
from generator.core.connectives import CONNECTIVES
from generator.core.conversation import SystemMessage, Tool
from generator.core.planning import Decline
from generator.dialogue.no_call.abilities import can_of, could_do, is_sister
from generator.dialogue.no_call.talk import (
    MOST_MENTIONED,
    as_list_in_words,
    decline_templates,
    declined,
    declines,
    says_of_tool,
)
from generator.dialogue.proof.ledger import ClaimedCall, Ledger
from generator.dialogue.proof.opening import decline_id
from generator.dialogue.proof.tongues import ANSWERS
from generator.dialogue.wording.claiming import claim_wished
from generator.dialogue.wording.transcript import Transcript

# --- saying ---


def tell(talk: Transcript, event: Decline) -> None:
    """Add that nothing on offer can do what is asked, and what other tools can do; note what the user wished."""
    wish, offered = talk.wish_at(event.wish), talk.log.offered
    wished, instead = talk.phrases[wish.tool].spec, [talk.phrases[name].spec for name in event.instead]
    is_withheld = any(tool.name == wished.name for tool in offered)
    are_all = len(instead) == len(offered)
    template = talk.draw.choice(decline_templates(wished, instead, are_all=are_all, is_withheld=is_withheld))
    do, *cans = [talk.draw.choice(can_of(spec)) for spec in (wished, *instead)]
    text = declined(template, do, as_list_in_words(cans, CONNECTIVES.link))
    begin, asked_at, at = talk.add(text), talk.said_at[event.wish[0]], len(talk.messages)
    said = claim_wished(talk, event.wish, f"{asked_at}:{wish.tool}")
    place = (at, begin, begin + len(text), asked_at)
    talk.declines.append(DeclineClaim(*place, wish.tool, wish.said, said, event.instead, event.like))


# --- checking ---


def check(ledger: Ledger) -> dict[int, str]:
    """Check all declines, and that no tool is called that is withheld; return, by message, the text that remains."""
    _check_withheld(ledger)
    rest: dict[int, str] = {}
    for decline in ledger.proof.declines:
        made = ledger.calls.get(decline_id(decline))
        if made is None:
            continue  # already reported
        at = ("message", decline.message, decline.start, decline.end)
        for fault in _faults(decline, made, ledger):
            ledger.report("PF131", at, "{}", fault)
        if ledger.phrases:
            for fault in _misworded(decline, made, ledger):
                ledger.report("PF132", at, "{}", fault)
        content = ledger.contents[decline.message] if decline.message < len(ledger.contents) else ""
        before, after = content[: max(decline.start, 0)], content[max(decline.end, 0) :]
        rest[decline.message] = before.removesuffix(" ") + after
    return rest


def _check_withheld(ledger: Ledger) -> None:
    """Check that no tool is called while a system message withholds it."""
    speaks = any(type(message) is SystemMessage for message in ledger.conversation.messages)
    for index, message in ledger.steps if speaks else ():
        for call in message.tool_calls:
            if _is_withheld(ledger, call.name, index):
                ledger.report("PF134", ("calls", index), "{} cannot be used yet", call.name)


def _faults(decline: DeclineClaim, made: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why the wish should not be declined."""
    usable = [tool.name for tool in _usable(ledger, decline.message)]
    for name in usable:
        spec = ledger.toolbox.get(name)
        if spec is None or could_do(spec, made.spec):
            yield f"{name} is on offer, which could do it"
    if decline.like and not (decline.like in usable and is_sister(ledger.toolbox[decline.like], made.spec)):
        yield f"no tool on offer looks as if it could do it: {decline.like}"
    if any(decline.asked_at < at <= decline.message for at, _ in ledger.steps):
        yield "calls are made for it all the same"


def _misworded(decline: DeclineClaim, made: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why the text does not decline the wish."""
    offered = {tool.name for tool in _usable(ledger, decline.message)}
    if ledger.tongues.get(decline.message) is not ANSWERS:
        yield "the assistant says nothing there"
    elif not offered.issuperset(decline.instead) or len(decline.instead) > MOST_MENTIONED:
        yield "a tool is mentioned that is not on offer"
    else:
        text = ledger.contents[decline.message][max(decline.start, 0) : decline.end]
        instead = [ledger.toolbox[name] for name in decline.instead]
        is_withheld = any(tool.name == decline.tool for tool in ledger.conversation.tools)
        are_all = offered == set(decline.instead)
        if text not in declines(made.spec, instead, are_all=are_all, is_withheld=is_withheld):
            yield f"{text!r} does not decline what {decline.tool} does"


def _usable(ledger: Ledger, before: int) -> list[Tool]:
    """Return the tools on offer without those that a system message before that message withholds."""
    return [tool for tool in ledger.conversation.tools if not _is_withheld(ledger, tool.name, before)]


def _is_withheld(ledger: Ledger, tool: str, before: int) -> bool:
    """Whether the last system message that speaks of a tool withholds it."""
    for index in range(before - 1, -1, -1):
        if type(ledger.conversation.messages[index]) is SystemMessage:
            for kind in ("available", "withheld"):
                if says_of_tool(kind, ledger.contents[index], tool):
                    return kind == "withheld"
    return False
