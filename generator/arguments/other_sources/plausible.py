"""Whether somebody would ask for arguments that a model made: what a schema allows can still be nonsense."""

import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from typing import Any

from generator.arguments.kinds.names import words_in_name
from generator.core.yaml_values import own_data
from generator.llm.reading import texts_within

_YEARS = 5, 10
"""How many years before and after the day of the requests a day may lie."""
_DAY = re.compile(r"(\d{4})-\d{2}(?:-\d{2})?(?:[T ]\d{2}:\d{2}.*)?", re.DOTALL)
_PLACEHOLDER = re.compile(r"<[^<>]+>|\{\{?[^{}]+\}\}?|\[[^\[\]]+\]|%[A-Z_]+%")
"""Brackets and nothing else: the form of a gap, whatever stands in it."""


def implausible(arguments: dict[str, Any], today: date) -> str:
    """Return what is wrong with valid arguments, or nothing.

    Args:
        arguments: The argument object of one call.
        today: The day on which they would be asked for.
    """
    for name, text in texts_within(arguments):
        if _PLACEHOLDER.fullmatch(text):
            return f"a placeholder: {text[:60]}"
        day = _DAY.fullmatch(text)
        if (
            day
            and not today.year - _YEARS[0] <= int(day[1]) <= today.year + _YEARS[1]
            and _any_day().isdisjoint(words_in_name(name))
        ):
            return f"a day far from {today.isoformat()}: {text}"
    for start, end in _ways_between(arguments):
        if arguments[start] == arguments[end]:
            return f"the same {start} and {end}: {arguments[start][:60]}"
    return ""


def _ways_between(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield pairs of arguments of which one is where something comes from and the other where it goes; days may be the same."""
    places = {
        words_in_name(name): name
        for name, value in arguments.items()
        if isinstance(value, str) and not value[:1].isdecimal()
    }
    for words, name in places.items():
        for start, end in _data()["ways"]:
            other = tuple([end if word == start else word for word in words])
            if other != words and other in places:
                yield name, places[other]


@cache
def _any_day() -> frozenset[str]:
    return frozenset(_data()["any_day"].split())


@cache
def _data() -> dict[str, Any]:
    data: dict[str, Any] = own_data(__file__)
    return data
