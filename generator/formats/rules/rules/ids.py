"""DF3xx: the ids of calls."""

from typing import Any

from generator.formats.rules.rules.base import Place, Rule, RuleFindings, add_finding
from generator.formats.rules.text import path, quoted, wrong

RULES = (
    Rule("DF301", "The id of a call is exactly nine letters (a-z, A-Z) or digits."),
    Rule("DF302", "No two calls of a conversation have the same id."),
)


def check_id(found: RuleFindings, at: Place, call: dict[str, Any], first: dict[str, Place]) -> str | None:
    """Return the id of a call if it is a string, and add it to `first` (id → the call that has it first)."""
    call_id = call.get("id")
    if not isinstance(call_id, str):
        add_finding(found, "DF301", (*at, "id"), wrong, call, "id", "a string")
        return None
    if not (len(call_id) == 9 and call_id.isascii() and call_id.isalnum()):
        add_finding(found, "DF301", (*at, "id"), _not_nine, call_id)
    if first.setdefault(call_id, at) is not at:
        add_finding(found, "DF302", (*at, "id"), _not_unique, call_id, first[call_id])
    return call_id


def _not_nine(call_id: str) -> str:
    return f"{quoted(call_id)} is not nine letters or digits"


def _not_unique(call_id: str, other: Place) -> str:
    return f"{quoted(call_id)} is the id of {path(other)} too"
