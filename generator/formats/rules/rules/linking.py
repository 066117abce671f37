"""DF4xx: which answer belongs to which call."""

from typing import Any

import msgspec

from generator.formats.rules.rules.base import Place, Rule, RuleFindings, add_finding
from generator.formats.rules.text import path, quoted, wrong

RULES = (
    Rule(
        "DF401",
        "Every tool message has a `tool_call_id` that is the id of a call made since the last user or assistant turn.",
    ),
    Rule("DF402", "Every call is answered exactly once before the next user or assistant turn."),
    Rule("DF403", "The content of a tool message is a string."),
    Rule("DF404", "The `name` of a tool message, where there is one, is that of the called tool."),
)


class MessageCalls(msgspec.Struct):
    """The calls of one assistant message that have an id."""

    names: dict[str, Any] = {}
    """Id → name of the called tool; where two calls have one id, of the first."""
    waiting: dict[str, list[Place]] = {}
    """Id → the calls with this id that have no answer yet."""

    def add(self, call_id: str, at: Place, name: Any) -> None:
        """Add a call."""
        self.names.setdefault(call_id, name)
        self.waiting.setdefault(call_id, []).append(at)


def check_answer(
    found: RuleFindings, at: Place, message: dict[str, Any], step: MessageCalls, first: dict[str, Place]
) -> None:
    """Check a tool message; `first` has every call of the messages before (id → the call that has it first)."""
    if not isinstance(message.get("content"), str):
        add_finding(found, "DF403", (*at, "content"), wrong, message, "content", "a string")
    call_id = message.get("tool_call_id")
    if not isinstance(call_id, str):
        add_finding(found, "DF401", (*at, "tool_call_id"), wrong, message, "tool_call_id", "a string")
    elif call_id not in step.names:
        add_finding(found, "DF401", (*at, "tool_call_id"), _unlinked, call_id, first.get(call_id))
    else:
        waiting = step.waiting.pop(call_id, None)
        if waiting is None:
            add_finding(found, "DF402", (*at, "tool_call_id"), _answered_again, call_id)
        elif len(waiting) > 1:
            step.waiting[call_id] = waiting[1:]
        name, called = message.get("name"), step.names[call_id]
        if name != called and all(isinstance(text, str) and text for text in (name, called)):
            add_finding(found, "DF404", (*at, "name"), _other_tool, name, called)


def check_answered(found: RuleFindings, step: MessageCalls) -> None:
    """Check a step at whose end the next turn begins or the record ends."""
    for call_id, places in step.waiting.items():
        for place in places:
            add_finding(found, "DF402", place, _unanswered, call_id)


def _unlinked(call_id: str, other: Place | None) -> str:
    if other is None:
        return f"no call before it has the id {quoted(call_id)}"
    return f"{quoted(call_id)} is the id of {path(other)}, which is not in the turn just before"


def _answered_again(call_id: str) -> str:
    return f"the call {quoted(call_id)} has been answered already"


def _unanswered(call_id: str) -> str:
    return f"the call {quoted(call_id)} is not answered before the next turn"


def _other_tool(name: str, called: str) -> str:
    return f"{quoted(name)} is not the called tool {quoted(called)}"
