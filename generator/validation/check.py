"""Rules against records: every fault, or only whether there is one."""

from collections.abc import Iterable
from typing import Any

from generator.conversation import Violation
from generator.validation.clean import surely_clean
from generator.validation.record import read_record
from generator.validation.rules import RULES
from generator.validation.rules.base import Rule


def check_record(record: Any, rules: Iterable[Rule] | None = None) -> list[Violation]:
    """Every violation of the rules (all of them unless some are named) in a raw record, any JSON value."""
    parts = read_record(record)
    return [
        Violation(rule.code, path, message)
        for rule in (RULES.values() if rules is None else rules)
        for path, message in rule.check(parts)
    ]


def is_clean(record: Any) -> bool:
    """Whether `check_record` finds nothing: the quick way for rows that are expected to be right.

    Declared tools are recognised by identity, so tool objects that many records share must not be changed.
    """
    return surely_clean(record, shared_tools=True) or not check_record(record)
