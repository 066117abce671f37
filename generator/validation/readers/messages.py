"""The reader of error messages that are told as clauses: "the request timed out" for "The request timed out."."""

import re
from typing import Any

_PREFIX = re.compile(r"Error: (?:[A-Z][a-z ]* - )?")
"""What precedes the reason: "Error: " and, where there is one, the title of the error."""


def clause_of(value: Any) -> Any:
    """Return the text of an error as a clause: without its first capital, its full stop, "Error: " and a title after that."""
    if type(value) is not str:
        return value
    prefix = _PREFIX.match(value)
    text = value[prefix.end() if prefix else 0 :].strip().removesuffix(".")
    return text[:1].lower() + text[1:]
