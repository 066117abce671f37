"""Whether somebody would ask for arguments that a model made: what a schema allows can still be nonsense."""

import re
from datetime import date
from typing import Any

from generator.llm.reading import made_up_fault, texts_within

_YEARS = 5, 10
"""How many years before and after the day of the requests a day may lie."""
_LONG_AGO = re.compile(r"birth|born|found|built|issue|hired|joined|since|expir|valid", re.IGNORECASE)
"""In names of arguments whose days may lie anywhere in a life."""
_DAY = re.compile(r"(\d{4})-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}.*)?", re.DOTALL)
_WAYS = (
    *(("origin", "destination"), ("from", "to"), ("source", "target"), ("sender", "recipient"), ("start", "destination")),
    *(("departure", "arrival"), ("from_currency", "to_currency"), ("from_account", "to_account"), ("from_city", "to_city")),
)
"""Arguments of which one is where something comes from and the other where it goes."""


def implausible(arguments: dict[str, Any], today: date) -> str:
    """Return what is wrong with valid arguments, or nothing.

    Args:
        arguments: The argument object of one call.
        today: The day on which they would be asked for.
    """
    for name, text in texts_within(arguments):
        fault = made_up_fault(text)
        if fault:
            return fault
        day = _DAY.fullmatch(text)
        if day and not _LONG_AGO.search(name) and not today.year - _YEARS[0] <= int(day[1]) <= today.year + _YEARS[1]:
            return f"a day far from {today.isoformat()}: {text}"
    for start, end in _WAYS:
        if isinstance(arguments.get(start), str) and arguments[start] == arguments.get(end):
            return f"the same {start} and {end}: {arguments[start][:60]}"
    return ""
