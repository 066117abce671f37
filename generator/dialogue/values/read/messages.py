"""The reader of error messages that are told as clauses: "the request timed out" for "The request timed out."."""

import re
from typing import Any

from generator.core.yaml_values import own_data

IN_WORDS: dict[str, list[str]] = own_data(__file__)["in_words"]
"""What the assistant says of an error, by its text as a clause."""
_TEXTS = {words: clause for clause, ways in IN_WORDS.items() for words in ways}
_PREFIX = re.compile(r"Error: (?:[A-Z][a-z ]* - )?")
"""What precedes the reason: "Error: " and, where there is one, the title of the error."""


def clause_of(value: Any) -> Any:
    """Return the text of an error as a clause: without its first capital, its full stop, "Error: " and a title after that."""
    if type(value) is not str:
        return value
    prefix = _PREFIX.match(value)
    text = value[prefix.end() if prefix else 0 :].strip().removesuffix(".")
    return _told_as(text[:1].lower() + text[1:])


def error_in(words: str) -> str:
    """Return the text of an error, as a clause, that words tell: as it is, or in words of the assistant's own."""
    return _told_as(words[:1].lower() + words[1:])


def _told_as(text: str) -> str:
    """Return the text that all ways to say it have in common: a real error may read as the assistant would say another one."""
    return _TEXTS.get(text, text)
