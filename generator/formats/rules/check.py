"""One walk over a record, which is any JSON value, that finds every place where it breaks a rule.

Nothing is assumed and nothing raises: what does not have the expected shape is reported by the rule about that shape, and
skipped by the rules about its content.
"""

from collections.abc import Container
from typing import Any

from generator.core.conversation import Violation
from generator.formats.rules.rules.arguments import check_arguments
from generator.formats.rules.rules.base import Place, RuleFinding, RuleFindings
from generator.formats.rules.rules.ids import check_id
from generator.formats.rules.rules.linking import MessageCalls, check_answer, check_answered
from generator.formats.rules.rules.order import check_order
from generator.formats.rules.rules.structure import check_call, check_lists, check_message, check_role
from generator.formats.rules.rules.tools import DeclaredTool, called_tool, check_tools
from generator.formats.rules.text import path

_NO_CALLS = MessageCalls()


def examine(record: Any) -> list[RuleFinding]:
    """Return all findings in a record, in the order of codes; none for a right one."""
    found: RuleFindings = []
    messages, entries = check_lists(found, record)
    tools = None if entries is None else check_tools(found, entries)
    roles: list[str | None] = []
    first: dict[str, Place] = {}  # id → the first call with it
    step = _NO_CALLS
    for index, message in enumerate(messages):
        at = ("messages", index)
        role = check_role(found, at, message)
        roles.append(role)
        calls = check_message(found, at, message, role) if isinstance(message, dict) else None
        if role == "tool":
            check_answer(found, at, message, step, first)
        elif role == "assistant" or role == "user":
            if step.waiting:
                check_answered(found, step)
            step = _check_calls(found, index, calls, tools, first) if calls else _NO_CALLS
    check_answered(found, step)
    check_order(found, messages, roles)
    if found:
        found.sort(key=lambda finding: finding.code)
    return found


def check_record(record: Any, waived: Container[str] = ()) -> list[Violation]:
    """Return the findings as violations, which people read, without those of waived rules."""
    return [
        Violation(found.code, path(found.place), found.words(*found.facts))
        for found in examine(record)
        if found.code not in waived
    ]


def _check_calls(
    found: RuleFindings, message: int, calls: list[Any], tools: dict[str, DeclaredTool] | None, first: dict[str, Place]
) -> MessageCalls:
    step = MessageCalls()
    for index, call in enumerate(calls):
        place = ("messages", message, "tool_calls", index)
        function = check_call(found, place, call)
        call_id = check_id(found, place, call, first) if isinstance(call, dict) else None
        if call_id is not None:
            step.add(call_id, place, None if function is None else function.get("name"))
        if function is not None:
            tool = None if tools is None else called_tool(found, place, function, tools)
            check_arguments(found, place, function, tool)
    return step
