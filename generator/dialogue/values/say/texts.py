"""Text as it is, text in quotation marks, yes and no, and JSON for what has no other form."""

import json
import re
from typing import Any

from generator.dialogue.values.voice import Voice

_LONGEST_LITERAL = 80
_OTHER_MEANINGS = frozenset({"null", "true", "false", "none", "undefined", "nan", "yes", "no"})
"""Texts that would be taken for something other than text."""
_LONGEST_OF_THEM = max(map(len, _OTHER_MEANINGS))
_NUMBER = re.compile(r"[-+]?(?:[0-9][0-9.,]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_find_control = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]").search
_UNREADABLE = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def say_literal(value: Any, voice: Voice) -> str | None:
    """Return the text itself; None unless a reader of the sentence can see where it begins and ends, and that it is text."""
    if type(value) is not str or not is_plain(value):
        return None
    return value if len(value) > _LONGEST_OF_THEM or value.lower() not in _OTHER_MEANINGS else None


def is_plain(text: str) -> bool:
    """Whether text without quotation marks has a visible beginning and end in a sentence."""
    if not 0 < len(text) <= _LONGEST_LITERAL:
        return False
    return text[0] != " " != text[-1] and '"' not in text and text.isprintable()


def is_like_a_number(text: str) -> bool:
    """Whether text would be taken for a number."""
    return _NUMBER.fullmatch(text) is not None


def say_quoted(value: Any, voice: Voice) -> str | None:
    """Return the text in quotation marks that do not occur in it."""
    if type(value) is not str or (not value.isprintable() and _find_control(value)):
        return None
    if not voice.straight_quotes:
        return None if "“" in value or "”" in value else f"“{value}”"
    if '"' not in value:
        return f'"{value}"'
    return None if "'" in value else f"'{value}'"


def say_block(value: Any, voice: Voice) -> str | None:
    """Return a text of several lines between two lines of backquotes, which it must not hold itself."""
    if type(value) is not str or "```" in value or not value.strip() or value != value.strip("\n"):
        return None
    return None if _find_control(value.replace("\n", "").replace("\t", "")) else f"```\n{value}\n```"


def say_commas(value: Any, voice: Voice) -> str | None:
    """Return a text that lists others with commas as people list things: `red,green,blue` as "red, green and blue"."""
    parts = value.split(",") if type(value) is str else []
    if len(parts) < _LEAST_LISTED or not all(_LISTED.fullmatch(part) and " and " not in f" {part} " for part in parts):
        return None
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


_LISTED = re.compile(r"[^\W_](?:[\w '-]*[^\W_])?")
"""One of the texts: letters and digits, at its ends, too."""
_LEAST_LISTED = 2


def say_pairs(value: Any, voice: Voice) -> str | None:
    """Return an object of plain values as names with their values: `Name "Landing page" and Pages 24`."""
    if type(value) is not dict or not value or not all(_NAME.fullmatch(key) for key in value):
        return None
    said = [_plain_value(part, voice) for part in value.values()]
    if None in said:
        return None
    *before, last = [f"{key} {text}" for key, text in zip(value, said, strict=True)]
    return f"{', '.join(before)} and {last}" if before else last


def _plain_value(value: Any, voice: Voice) -> str | None:
    if type(value) is str:
        return f'"{value}"' if '"' not in value and value.isprintable() else None
    return say_json(value, voice) if type(value) in (bool, int) else None


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def say_json(value: Any, voice: Voice) -> str | None:
    """Return any JSON value as JSON; letters of all scripts stay, invisible characters are escaped."""
    try:
        text = _encode(value)
    except ValueError:  # NaN, infinity, or a number with thousands of digits
        return None
    return text if text.isascii() and "\x7f" not in text else _UNREADABLE.sub(_escape, text)


def say_yes_no(value: Any, voice: Voice) -> str | None:
    """Return a boolean as "yes" or "no"."""
    return "yes" if value is True else "no" if value is False else None


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"
