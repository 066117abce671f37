"""DF1xx: what a record, its messages and its calls are made of."""

from typing import Any

from generator.formats.rules.rules.base import Place, Rule, RuleFindings, add_finding
from generator.formats.rules.text import kind, quoted, wrong

RULES = (
    Rule("DF101", "A record is an object with a non-empty list `messages` and, if it declares tools, a list `tools`."),
    Rule("DF102", "Every message is an object whose `role` is `system`, `user`, `assistant` or `tool`."),
    Rule("DF103", "The content of a system or user message is a string."),
    Rule(
        "DF104", "The content of an assistant message is a string; beside calls it may also be absent, empty or null."
    ),
    Rule("DF105", "A message's `name`, where there is one, is a non-empty string."),
    Rule("DF106", "Only assistant messages have `tool_calls`."),
    Rule("DF107", "`tool_calls`, where there is one, is a non-empty list."),
    Rule("DF108", "Every call is an object that holds a `function` object."),
    Rule("DF109", "The `type` of every call is `function`."),
    Rule("DF110", "The `name` of a called function is a non-empty string."),
)
ROLES = ("system", "user", "assistant", "tool")


def check_lists(found: RuleFindings, record: Any) -> tuple[list[Any], list[Any] | None]:
    """Return the lists `messages` (empty when there is none) and `tools` (None when there is none)."""
    if not isinstance(record, dict):
        add_finding(found, "DF101", (), "a record should be an object, not {}".format, kind(record))
        return [], None
    messages, tools = record.get("messages"), record.get("tools")
    if not isinstance(messages, list) or not messages:
        add_finding(found, "DF101", ("messages",), wrong, record, "messages", "a list")
        messages = []
    if tools is not None and not isinstance(tools, list):
        add_finding(found, "DF101", ("tools",), wrong, record, "tools", "a list")
        tools = None
    return messages, tools


def check_role(found: RuleFindings, at: Place, message: Any) -> str | None:
    """Return the role of a message if it is one of ROLES, or None."""
    if not isinstance(message, dict):
        add_finding(found, "DF102", at, "a message should be an object, not {}".format, kind(message))
        return None
    role = message.get("role")
    if isinstance(role, str) and role in ROLES:
        return role
    add_finding(found, "DF102", (*at, "role"), f"should be one of {', '.join(ROLES)}, not {{}}".format, _said(role))
    return None


def check_message(found: RuleFindings, at: Place, message: dict[str, Any], role: str | None) -> list[Any] | None:
    """Return the entries of an assistant's `tool_calls`, if it has any."""
    content, calls = message.get("content"), message.get("tool_calls")
    if role == "assistant":
        if not isinstance(content, str) and (content is not None or calls is None):
            words = wrong if calls is not None else _wrong_without_calls
            add_finding(found, "DF104", (*at, "content"), words, message, "content", "a string")
        if calls is not None and not (isinstance(calls, list) and calls):
            add_finding(found, "DF107", (*at, "tool_calls"), wrong, message, "tool_calls", "a list")
    else:
        if (role == "user" or role == "system") and not isinstance(content, str):
            add_finding(found, "DF103", (*at, "content"), wrong, message, "content", "a string")
        if calls is not None:
            words = "stands on a message whose role is {}".format
            add_finding(found, "DF106", (*at, "tool_calls"), words, role or "unknown")
    if "name" in message:
        name = message["name"]
        if name is not None and not (isinstance(name, str) and name):
            add_finding(found, "DF105", (*at, "name"), wrong, message, "name", "a string")
    return calls if role == "assistant" and isinstance(calls, list) else None


def check_call(found: RuleFindings, at: Place, call: Any) -> dict[str, Any] | None:
    """Return the `function` of an entry of `tool_calls`, if it is an object."""
    if not isinstance(call, dict):
        add_finding(found, "DF108", at, "a call should be an object, not {}".format, kind(call))
        return None
    if call.get("type") != "function":
        add_finding(found, "DF109", (*at, "type"), "should be 'function', not {}".format, _said(call.get("type")))
    function = call.get("function")
    if not isinstance(function, dict):
        add_finding(found, "DF108", (*at, "function"), wrong, call, "function", "an object")
        return None
    name = function.get("name")
    if not isinstance(name, str) or not name:
        add_finding(found, "DF110", (*at, "function", "name"), wrong, function, "name", "a string")
    return function


def _wrong_without_calls(message: dict[str, Any], key: str, expected: str) -> str:
    return f"{wrong(message, key, expected)} (the message makes no calls)"


def _said(value: Any) -> str:
    return quoted(value) if isinstance(value, str) else kind(value)
