"""Values by their names (`NO` as "Norway"), and codes, addresses and numbers as people shorten or group them."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from generator.arguments.kinds.written_names import WRITTEN_NAMES
from generator.dialogue.values.say.dates import MONTHS
from generator.dialogue.values.say.durations import say_seconds
from generator.dialogue.values.say.numbers import say_words
from generator.dialogue.values.voice import Voice

_CODE = re.compile(r"[A-Z]{2,6}(?:-(\d[\d-]*\d)|(\d{5,}))")
_WEB = re.compile(r"https://([a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/[\w./~-]*\w)?)")
_NORTH_AMERICAN = re.compile(r"\+1(\d{3})(\d{3})(\d{4})")
_BRITISH = re.compile(r"\+44(7\d{3})(\d{6})")
_DURATION = re.compile(r"P(?:(?P<days>[1-9]\d{0,2})D|T(?:(?P<hours>[1-9]\d?)H)?(?:(?P<minutes>[1-9]|[1-5]\d)M)?)")
_YEAR_MONTH = re.compile(r"([12]\d{3})-(0[1-9]|1[0-2])")
_CITY_AND_STATE = re.compile(r"((?:(?! in )[^\d,])+), ([A-Z]{2})")
_VERSION = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}")
_SHARES = {0.5: "one half", 0.25: "one quarter", 0.75: "three quarters", 0.2: "one fifth", 0.1: "one tenth"}
_CENTS_LIMIT = 10**9
_THOUSANDS_FROM = 10_000
_MILLION = 1_000_000


def _say_name(table: dict[str, tuple[str, ...]], value: Any, voice: Voice) -> str | None:
    """Return what a value of a table is called; speakers with other habits say other forms."""
    forms = table.get(value) if type(value) is str else None
    if forms is None:
        return None
    return forms[-1] if voice.short_months or voice.tight_meridiem else forms[0]


NAME_SAYERS: dict[str, Callable[[Any, Voice], str | None]] = {
    kind: partial(_say_name, table) for kind, table in WRITTEN_NAMES.items()
}
"""Kind of values → what says their names."""


def say_code(value: Any, voice: Voice) -> str | None:
    """Return an identifier without the letters that all of its kind begin with: `JOB-20417` as "20417"."""
    match = _CODE.fullmatch(value) if type(value) is str else None
    return None if match is None else match[1] or match[2]


def say_url(value: Any, voice: Voice) -> str | None:
    """Return a web address without its scheme: "example.com/page"."""
    match = _WEB.fullmatch(value) if type(value) is str else None
    return None if match is None else match[1]


def say_phone(value: Any, voice: Voice) -> str | None:
    """Return a telephone number in groups: `+14155550102` as "+1 415 555 0102"."""
    if type(value) is not str:
        return None
    if match := _NORTH_AMERICAN.fullmatch(value):
        return (
            f"+1 {match[1]}-{match[2]}-{match[3]}" if voice.tight_meridiem else f"+1 {match[1]} {match[2]} {match[3]}"
        )
    match = _BRITISH.fullmatch(value)
    return None if match is None else f"+44 {match[1]} {match[2]}"


def say_iso_duration(value: Any, voice: Voice) -> str | None:
    """Return a length of time of ISO 8601 in words: `PT1H30M` as "an hour and a half"."""
    match = _DURATION.fullmatch(value) if type(value) is str else None
    if match is None or match.lastgroup is None:
        return None
    days, hours, minutes = (int(match[part] or 0) for part in ("days", "hours", "minutes"))
    if days == 1 or (days % 7 == 0 and days):
        weeks = days // 7
        return "a day" if days == 1 else "a week" if weeks == 1 else f"{weeks} weeks"
    return f"{days} days" if days else say_seconds(hours * 3600 + minutes * 60, voice) if hours < 24 else None


def say_month_of_year(value: Any, voice: Voice) -> str | None:
    """Return a month with its year: `2026-03` as "March 2026"."""
    match = _YEAR_MONTH.fullmatch(value) if type(value) is str else None
    return None if match is None else f"{MONTHS[int(match[2])]} {match[1]}"


def say_cents(value: Any, voice: Voice) -> str | None:
    """Return an amount in cents as one with two decimals: `4950` as "49.50"."""
    if type(value) is not int or not 0 < value < _CENTS_LIMIT:
        return None
    return f"{value // 100}.{value % 100:02}"


def say_thousands(value: Any, voice: Voice) -> str | None:
    """Return a large round number with a word: `25000` as "25 thousand" or "25k", `1500000` as "1.5 million"."""
    if type(value) not in (int, float) or not _THOUSANDS_FROM <= value < 1000 * _MILLION or value != int(value):
        return None
    whole = int(value)
    if whole >= _MILLION:
        return None if whole % (_MILLION // 10) else f"{_decimal(whole, _MILLION)} million"
    if whole % 1000:
        return None
    return f"{whole // 1000}k" if voice.tight_meridiem or voice.thousands_comma else f"{whole // 1000} thousand"


def _decimal(whole: int, unit: int) -> str:
    number, tenth = divmod(whole * 10 // unit, 10)
    return f"{number}.{tenth}" if tenth else str(number)


def say_share(value: Any, voice: Voice) -> str | None:
    """Return a share of one as a fraction in words, where the speaker likes words: `0.25` as "one quarter"."""
    return _SHARES.get(value) if type(value) is float and voice.small_numbers_as_words else None


def say_city_and_state(value: Any, voice: Voice) -> str | None:
    """Return a city with the full name of its state: `Austin, TX` as "Austin, Texas"."""
    match = _CITY_AND_STATE.fullmatch(value) if type(value) is str else None
    state = None if match is None else WRITTEN_NAMES["state_code"].get(match[2])
    if match is None or state is None:
        return None
    return f"{match[1]} in {state[0]}" if voice.tight_meridiem else f"{match[1]}, {state[0]}"


def say_version(value: Any, voice: Voice) -> str | None:
    """Return a version as people write or say it: `2.4.1` as "v2.4.1", `2.1` as "two point one"."""
    if type(value) is not str or not _VERSION.fullmatch(value):
        return None
    spoken = [
        say_words(int(part), voice) if str(int(part)) == part and int(part) <= 100 else None
        for part in value.split(".")
    ]
    is_spoken = voice.small_numbers_as_words and None not in spoken
    return " point ".join(filter(None, spoken)) if is_spoken else f"v{value}"
