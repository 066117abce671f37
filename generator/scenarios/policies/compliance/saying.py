"""Whether a text says a sentence of a policy with the values of a thing; read without what words the rows."""

import re
from typing import Any

_SLOT = re.compile(r"\{(args\.)?(\w+)(?::\w+)?\}")
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_CLOCK = re.compile(r"\d{2}:\d{2}(:\d{2})?")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NEAR = r"today|tomorrow|yesterday|(?:on |next |this |last )?\w+day"
"""Days that are said from the day of the conversation."""


def says(text: str, form: str, it: dict[str, Any], args: dict[str, Any]) -> bool:
    """Whether a text says a form, with values of the thing and of the call's arguments in its places."""
    pattern, at = "", 0
    for slot in _SLOT.finditer(form):
        value = (args if slot[1] else it).get(slot[2])
        pattern += f"{re.escape(form[at : slot.start()])}(?:{_ways(value)})"
        at = slot.end()
    return re.search(pattern + re.escape(form[at:]), text, re.IGNORECASE) is not None


def _ways(value: Any) -> str:
    """Return a pattern of the words that can stand for a value."""
    if isinstance(value, bool) or value is None:
        return "yes|no|nothing|none"
    if isinstance(value, int | float):
        return _number(value)
    if not isinstance(value, str):
        return r".+?"
    if _DAY.fullmatch(value):
        year, month, day = value.split("-")
        name = _MONTHS[int(month) - 1]
        month_name, number = f"(?:{name}|{name[:3]}\\.?)", f"{int(day)}(?:st|nd|rd|th)?"
        return rf"{value}|(?:\w+day,? )?(?:{number} (?:of )?{month_name}|{month_name} {number})(?:,? {year})?|{_NEAR}"
    if _CLOCK.fullmatch(value):
        hour, minute = int(value[:2]), value[3:5]
        return rf"{value}|{value[:5]}|{hour}:{minute}|{(hour - 1) % 12 + 1}(?:[:.]{minute})? ?[ap]\.?m\.?|noon|midnight"
    return f"[\"'“‘]?{re.escape(value).replace('_', '[ _]')}[\"'”’]?"


def _number(value: float) -> str:
    """Return a pattern of the ways to write a number or an amount of money."""
    whole, _, cents = f"{value:.2f}".partition(".")
    cents = cents.rstrip("0")
    grouped = f"{int(whole):,}".replace(",", ",?")
    rest = rf"\.{cents}0?" if cents else r"(?:\.00)?"
    word = rf"|\b{_WORDS[int(value)]}\b" if value in range(len(_WORDS)) else ""
    return rf"(?<![\d.,:])[$€£]?{grouped}{rest}(?!\d|[.,:]\d)%?(?: (?:euros|dollars|pounds))?{word}"
