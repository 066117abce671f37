"""DF3xx: the ids of calls."""

import re
from collections.abc import Iterator

from generator.validation.record import Record
from generator.validation.rules.base import Fault
from generator.validation.text import quoted, wrong

_NINE = re.compile(r"[a-zA-Z0-9]{9}")


def ids_have_nine_characters(record: Record) -> Iterator[Fault]:
    """The id of a call is exactly nine letters (a-z, A-Z) or digits."""
    for call in record.calls:
        if not isinstance(call.raw, dict):
            continue
        if call.id is None:
            yield f"{call.path}.id", wrong(call.body, "id", "a string")
        elif not _NINE.fullmatch(call.id):
            yield f"{call.path}.id", f"{quoted(call.id)} is not nine letters or digits"


def ids_are_unique(record: Record) -> Iterator[Fault]:
    """No two calls of a conversation have the same id."""
    first: dict[str, str] = {}
    for call in record.calls:
        if call.id is not None and first.setdefault(call.id, call.path) != call.path:
            yield f"{call.path}.id", f"{quoted(call.id)} is the id of {first[call.id]} too"
