"""Phrases that messages of violations are made of; nothing from the data in them can control a terminal."""

import json
import re
from collections.abc import Iterable
from typing import Any

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LONGEST = 200


def path(place: Iterable[str | int]) -> str:
    """Return the JSON path of a value from its keys and indexes: `$.messages[2].tool_calls[0].id`."""
    written = "$"
    for key in place:
        plain = isinstance(key, str) and _PLAIN_KEY.fullmatch(key)
        written += f".{key}" if plain else f"[{json.dumps(key)}]"
    return written


def kind(value: Any) -> str:
    """Return the type of a JSON value in words: `a list`, `null`."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    for types, word in ((str, "a string"), ((int, float), "a number"), (list, "a list"), (dict, "an object")):
        if isinstance(value, types):
            return word
    return type(value).__name__


def wrong(holder: dict[str, Any], key: str, expected: str) -> str:
    """Return why the value at `key` is not what is expected there (`a string`, `an object`, ...)."""
    if key not in holder:
        return "is missing"
    found = kind(holder[key])
    return "is empty" if found == expected else f"should be {expected}, not {found}"


def quoted(text: str) -> str:
    """Return text from the data in quotation marks, cut when it is long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def one_line(message: str) -> str:
    """Return a message by others about the data on one line, cut when it is long."""
    line = message.partition("\n")[0][: _LONGEST + 1]
    line = "".join(letter if letter.isprintable() else " " for letter in line)
    return line if len(line) <= _LONGEST else line[: _LONGEST - 3] + "..."
