"""What a rule is."""

from collections.abc import Callable, Iterator

import msgspec

from generator.validation.record import Record

Fault = tuple[str, str]
"""(JSON path, message)."""
Check = Callable[[Record], Iterator[Fault]]


class Rule(msgspec.Struct, frozen=True):
    """One named check with a code."""

    code: str
    name: str
    statement: str
    """The rule in one English sentence."""
    check: Check
    """Yields every place where a record breaks the rule; never raises, whatever the record is."""


def rule(code: str, check: Check) -> Rule:
    """A rule from its function, whose docstring is the statement."""
    return Rule(code, check.__name__, (check.__doc__ or "").strip(), check)
