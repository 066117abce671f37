"""Declines: nothing on offer can do what is asked, and the text says so and no more."""

from generator.conversation import DeclineClaim, Proof, SystemMessage, Tool
from generator.no_call.abilities import could_do, is_sister
from generator.no_call.talk import MOST_MENTIONED, declines, says_of_tool
from generator.toolbox import Toolbox
from generator.validation.phrase_grammar.tongues import ANSWERS
from generator.validation.proof.ledger import FaultFacts, Finding, Ledger
from generator.validation.proof.opening import decline_id


def check_declines(ledger: Ledger, proof: Proof, toolbox: Toolbox, *, phrases: bool) -> dict[int, str]:
    """Check all declines; return, by message, the text that remains without them.

    Args:
        ledger: The conversation.
        proof: What is claimed about it.
        toolbox: The tools by name.
        phrases: Whether the texts must be made of the tools' phrases.
    """
    rest: dict[int, str] = {}
    for decline in proof.declines:
        if decline_id(decline) not in ledger.calls:
            continue  # already reported
        for fault in (_why_not(decline, ledger, toolbox), _misworded(decline, ledger, toolbox) if phrases else None):
            if fault is not None:
                at = ("message", decline.message, decline.start, decline.end)
                ledger.found.append(Finding(fault[0], at, fault[1], fault[2]))
        content = ledger.contents[decline.message] if decline.message < len(ledger.contents) else ""
        before, after = content[: max(decline.start, 0)], content[max(decline.end, 0) :]
        rest[decline.message] = before.removesuffix(" ") + after
    return rest


def _why_not(decline: DeclineClaim, ledger: Ledger, toolbox: Toolbox) -> FaultFacts | None:
    """Return the fault if the wish should not be declined, or None."""
    made = ledger.calls[decline_id(decline)]
    for tool in usable_tools(ledger, decline.message):
        spec = toolbox.get(tool.name)
        if spec is None or could_do(spec, made.spec):
            return "PF131", "{} is on offer, which could do it", (tool.name,)
    if decline.like:
        offered = {tool.name for tool in usable_tools(ledger, decline.message)}
        if decline.like not in offered or not is_sister(toolbox[decline.like], made.spec):
            return "PF131", "no tool on offer looks as if it could do it: {}", (decline.like,)
    if any(decline.asked_at < at <= decline.message for at, _ in ledger.steps):
        return "PF131", "calls are made for it all the same", ()
    return None


def _misworded(decline: DeclineClaim, ledger: Ledger, toolbox: Toolbox) -> FaultFacts | None:
    """Return the fault if the text does not decline the wish, or None."""
    if ledger.tongues.get(decline.message) is not ANSWERS:
        return "PF132", "the assistant says nothing there", ()
    offered = {tool.name for tool in usable_tools(ledger, decline.message)}
    if not offered.issuperset(decline.instead) or len(decline.instead) > MOST_MENTIONED:
        return "PF132", "a tool is mentioned that is not on offer", ()
    text = ledger.contents[decline.message][max(decline.start, 0) : decline.end]
    instead = [toolbox[name] for name in decline.instead]
    is_withheld = any(tool.name == decline.tool for tool in ledger.conversation.tools)
    are_all = offered == set(decline.instead)
    if text in declines(toolbox[decline.tool], instead, are_all=are_all, is_withheld=is_withheld):
        return None
    return "PF132", "{!r} does not decline what {} does", (text, decline.tool)


def usable_tools(ledger: Ledger, before: int) -> list[Tool]:
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


def check_withheld(ledger: Ledger) -> None:
    """Check that no tool is called while a system message withholds it."""
    if sum(type(message) is SystemMessage for message in ledger.conversation.messages) == 0:
        return
    for index, message in ledger.steps:
        for call in message.tool_calls:
            if _is_withheld(ledger, call.name, index):
                ledger.found.append(Finding("PF134", ("calls", index), "{} cannot be used yet", (call.name,)))
