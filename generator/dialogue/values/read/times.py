"""Readers of clock times and moments, which return the written form that the reader's name tells."""

import re
from functools import lru_cache

from generator.dialogue.values.read.dates import read_date
from generator.dialogue.values.read.reading import SpanContext

_match_twelve = re.compile(
    r"(?P<hour>[1-9]|1[0-2])(?::(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?)? ?(?P<half>[ap])(?:m|\.m\.)"
).fullmatch
_match_twenty_four = re.compile(
    r"(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?"
).fullmatch
_match_offset = re.compile(r"(.+) ([+-](?:[01][0-9]|2[0-3]):[0-5][0-9])", re.DOTALL).fullmatch
_UTC = " utc"
_LATER = " the next day"


def read_time(text: str, reading: SpanContext) -> str:
    """Return a time of day as `HH:MM`; one of the next day as `HH:MM (next day)`."""
    said = text[: -len(_LATER)] if text.lower().endswith(_LATER) else text
    clock, second = _read_clock(said)
    if second is not None:
        raise ValueError(f"{text!r} has seconds")
    return clock if said == text else f"{clock} (next day)"


def read_time_seconds(text: str, reading: SpanContext) -> str:
    """Return a time of day as `HH:MM:SS`."""
    clock, second = _read_clock(text)
    return f"{clock}:{second or '00'}"


def read_time_utc(text: str, reading: SpanContext) -> str:
    """Return a time of day as `HH:MM:SSZ`."""
    return read_time_seconds(_without_utc(text), reading) + "Z"


def read_datetime(text: str, reading: SpanContext) -> str:
    """Return a moment as `YYYY-MM-DDTHH:MM`."""
    day, clock = _split_moment(text)
    return f"{read_date(day, reading)}T{read_time(clock, reading)}"


def read_datetime_space(text: str, reading: SpanContext) -> str:
    """Return a moment as `YYYY-MM-DD HH:MM`."""
    day, clock = _split_moment(text)
    return f"{read_date(day, reading)} {read_time(clock, reading)}"


def read_datetime_seconds(text: str, reading: SpanContext) -> str:
    """Return a moment as `YYYY-MM-DDTHH:MM:SS`."""
    day, clock = _split_moment(text)
    return f"{read_date(day, reading)}T{read_time_seconds(clock, reading)}"


def read_datetime_utc(text: str, reading: SpanContext) -> str:
    """Return a moment as `YYYY-MM-DDTHH:MM:SSZ`."""
    return read_datetime_seconds(_without_utc(text), reading) + "Z"


def read_datetime_offset(text: str, reading: SpanContext) -> str:
    """Return a moment as `YYYY-MM-DDTHH:MM:SS+HH:MM`."""
    match = _match_offset(text)
    if match is None:
        raise ValueError(f"{text!r} does not end with an offset from UTC")
    return read_datetime_seconds(match[1], reading) + match[2]


@lru_cache(maxsize=4096)
def _read_clock(text: str) -> tuple[str, str | None]:
    """Return `HH:MM`, and the seconds if there are any."""
    match = _match_twenty_four(text)
    if match is not None:
        return f"{match['hour']}:{match['minute']}", match["second"]
    lower = text.lower()
    if lower == "noon":
        return "12:00", None
    if lower == "midnight":
        return "00:00", None
    match = _match_twelve(lower) if text.isascii() else None
    if match is None:
        raise ValueError(f"{text!r} is not a time of day")
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "p" else 0)
    return f"{hour:02}:{match['minute'] or '00'}", match["second"]


def _split_moment(text: str) -> tuple[str, str]:
    day, between, clock = text.lower().rpartition(" at ")
    if not between or not text.isascii():
        raise ValueError(f"{text!r} is not a day and a time")
    if clock == "midnight":
        raise ValueError("midnight is between two days")
    return day, clock


def _without_utc(text: str) -> str:
    if text[-len(_UTC) :].lower() != _UTC:
        raise ValueError(f"{text!r} does not end with UTC")
    return text[: -len(_UTC)]
