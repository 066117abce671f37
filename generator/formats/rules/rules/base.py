"""Rules, and the findings where one is broken."""

from collections.abc import Callable
from typing import Any

import msgspec

Place = tuple[str | int, ...]
"""The keys and indexes that lead to a value of a record: `("messages", 2, "tool_calls", 0, "id")`."""


class Rule(msgspec.Struct, frozen=True):
    """One named check with a code."""

    code: str
    statement: str
    """The rule in one English sentence."""


class RuleFinding(msgspec.Struct, frozen=True):
    """One place where a record breaks a rule. Its message is made only when somebody reads it."""

    code: str
    place: Place
    words: Callable[..., str]
    """Makes the message from the facts."""
    facts: tuple[Any, ...]


RuleFindings = list[RuleFinding]


def add_finding(found: RuleFindings, code: str, place: Place, words: Callable[..., str], *facts: Any) -> None:
    """Add a finding."""
    found.append(RuleFinding(code, place, words, facts))
