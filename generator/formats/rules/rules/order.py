"""DF5xx: who speaks after whom."""

from typing import Any

from generator.formats.rules.rules.base import Rule, RuleFindings, add_finding

RULES = (
    Rule("DF501", "A system message is the first message; there is at most one."),
    Rule("DF502", "The first message that is not the system's is the user's."),
    Rule("DF503", "A tool message directly follows the assistant message with its call, or another tool message."),
    Rule("DF504", "Two user messages, or two assistant messages, never stand in a row."),
    Rule("DF505", "A user message never directly follows a tool message."),
    Rule("DF506", "The last message is the assistant's."),
)


def check_order(found: RuleFindings, messages: list[Any], roles: list[str | None]) -> None:
    """Check the order of a record's messages; a role is None where a message has no known role."""
    before: str | None = "nobody"
    for index, role in enumerate(roles):
        if role == "tool":
            if before == "user" or before == "system" or (before == "assistant" and not _calls(messages[index - 1])):
                add_finding(found, "DF503", ("messages", index), _stands_after, before)
        elif role == "system":
            if index:
                add_finding(found, "DF501", ("messages", index), str, "a system message stands only at the beginning")
        elif role == before and role is not None:
            add_finding(found, "DF504", ("messages", index), "a second {} message in a row".format, role)
        elif role == "user" and before == "tool":
            add_finding(
                found, "DF505", ("messages", index), str, "the assistant has not spoken since the tool's answer"
            )
        before = role
    _check_ends(found, roles)


def _check_ends(found: RuleFindings, roles: list[str | None]) -> None:
    opening = 0
    while opening < len(roles) and roles[opening] == "system":
        opening += 1
    if opening < len(roles) and roles[opening] not in (None, "user"):
        words = "the first message after the system's should be the user's, not the {}'s".format
        add_finding(found, "DF502", ("messages", opening), words, roles[opening])
    if roles and roles[-1] not in (None, "assistant"):
        words = "the last message should be the assistant's, not the {}'s".format
        add_finding(found, "DF506", ("messages", len(roles) - 1), words, roles[-1])


def _calls(message: dict[str, Any]) -> bool:
    return message.get("tool_calls") is not None


def _stands_after(role: str) -> str:
    return f"stands after {'an assistant message without calls' if role == 'assistant' else f'a {role} message'}"
