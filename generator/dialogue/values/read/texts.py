"""Readers of text as it is, in quotation marks, or as JSON, and of yes and no."""

import json
import re
from typing import Any

from generator.core.exact_json import loads, no_constant, unique_keys
from generator.dialogue.values.read.reading import SpanContext

_CLOSING = {'"': '"', "'": "'", "“": "”"}
_find_line_break = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]").search
_NOT_TEXT = frozenset(("null", "none", "undefined", "nan", "true", "false", "yes", "no"))
_match_entry = re.compile(
    r'(?P<name>[A-Za-z_][A-Za-z0-9_]*) (?:"(?P<text>[^"]*)"|(?P<other>-?[0-9]+|true|false))(?P<then>, | and |$)'
).match
_YES_NO = {"yes": True, "no": False}


def read_literal(text: str, reading: SpanContext) -> str:
    """Return the text itself; raises ValueError when it would be taken for something other than text."""
    if text.lower() in _NOT_TEXT:
        raise ValueError(f"{text!r} is text only in quotation marks")
    if not text or text != text.strip() or '"' in text or _find_line_break(text):
        raise ValueError(f"{text!r} cannot stand without quotation marks")
    return text


def read_quoted(text: str, reading: SpanContext) -> str:
    """Return what stands between quotation marks."""
    inside = text[1:-1]
    closing = _CLOSING.get(text[:1])
    if closing is None or len(text) < 2 or text[-1] != closing:
        raise ValueError(f"{text!r} is not in quotation marks")
    if closing in inside or text[0] in inside or _find_line_break(inside):
        raise ValueError(f"{text!r} is not one quotation")
    return inside


def read_block(text: str, reading: SpanContext) -> str:
    """Return the lines that stand between two lines of backquotes."""
    opening, *inside, closing = text.split("\n")
    lines = "\n".join(inside)
    if opening != "```" or closing != "```" or not inside or "```" in lines:
        raise ValueError(f"{text!r} does not stand between lines of backquotes")
    if (
        not lines.strip()
        or not (inside[0] and inside[-1])
        or _find_line_break(lines.replace("\n", "").replace("\t", ""))
    ):
        raise ValueError(f"{text!r} begins or ends with an empty line, or holds control characters")
    return lines


def read_commas(text: str, reading: SpanContext) -> str:
    """Return things that are listed as one text with commas between them: "red, green and blue" as `red,green,blue`."""
    *others, last = [part for one in text.split(", ") for part in one.split(" and ")]
    if not others or text.count(" and ") != 1 or not text.endswith(f" and {last}") or "," in "".join(others):
        raise ValueError(f"{text!r} does not list several things")
    return ",".join([*others, last])


def read_pairs(text: str, reading: SpanContext) -> dict[str, Any]:
    """Return the object whose names and values are listed."""
    found: dict[str, Any] = {}
    place, before, is_last = 0, ", ", False
    while place < len(text):
        entry = _match_entry(text, place)
        if entry is None or is_last or entry["name"] in found:
            raise ValueError(f"{text!r} does not list names with values")
        found[entry["name"]] = entry["text"] if entry["text"] is not None else loads(entry["other"])
        is_last, place, before = before == " and ", entry.end(), entry["then"]
    if before:
        raise ValueError(f"{text!r} ends too early")
    return found


def read_json_words(text: str, reading: SpanContext) -> Any:
    """Return the JSON value."""
    try:
        value, end = _decode(text)
    except RecursionError:
        raise ValueError("the JSON is too deep") from None
    if end != len(text):
        raise ValueError(f"{text[end:]!r} follows the JSON value")
    return value


def read_yes_no(text: str, reading: SpanContext) -> bool:
    """Return True for "yes", False for "no"."""
    found = _YES_NO.get(text.lower())
    if found is None:
        raise ValueError(f"{text!r} is not yes or no")
    return found


_decode = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=no_constant).raw_decode
