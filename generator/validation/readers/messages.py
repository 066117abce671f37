"""Texts of errors, told as clauses: "the request timed out" for "The request timed out."."""

from typing import Any

_PREFIX = "Error: "


def clause_of(value: Any) -> Any:
    """The text of an error without what makes it a sentence: its first capital, its full stop, and "Error: "."""
    if type(value) is not str:
        return value
    text = value.removeprefix(_PREFIX).strip().removesuffix(".")
    return text[:1].lower() + text[1:]
