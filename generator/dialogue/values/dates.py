"""Calendar days ("14 March 2026", "tomorrow", "Friday"), times of a day and moments, said and read.

| verbalizers | values |
|---|---|
| `date` | `2026-03-14` |
| `time`, `time_seconds`, `time_utc` | `15:30` (or `03:16 (next day)`), `15:30:00`, `15:30:00Z` |
| `datetime`, `datetime_space` | `2026-03-14T15:30`, `2026-03-14 15:30` |
| `datetime_seconds` | `2026-03-14T15:30:00` |
| `datetime_utc`, `datetime_offset` | `2026-03-14T15:30:00Z`, `2026-03-14T15:30:00+02:00` |
"""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import lru_cache, partial
from typing import Any

from generator.core.yaml_values import own_data
from generator.dialogue.values.numbers import NUMBER_WORDS, ORDINAL_WORDS, ordinal_digits
from generator.dialogue.values.voice import Clock, SpanContext, Verbalizer, Voice, expected, refuse_if

_TABLES: dict[str, Any] = own_data(__file__)
MONTHS: list[str] = ["", *_TABLES["months"]]
_SHORT_MONTHS = [name[:3] for name in MONTHS]
_WEEKDAYS: list[str] = _TABLES["weekdays"]
_DAYS = ("", *(str(day) for day in range(1, 32)))
_ORDINAL_DAYS = ("", *(ordinal_digits(day) for day in range(1, 32)))

_RELATIVE = {-1: "yesterday", 0: "today", 1: "tomorrow", 7: "a week from today", 14: "two weeks from today"}
"""Verbalizers whose words also read well after "by", "until" and "from"; "in ten days" would not."""
_DAY_AFTER_TOMORROW = "the day after tomorrow"
_WITHOUT_ON = (*_RELATIVE.values(), _DAY_AFTER_TOMORROW)
_YEARLESS_DAYS = 300
"""Days ahead beyond which a date is said with its year: a reader could take it for one in the past."""
_FIRST_YEAR_IN_WORDS = 1000


def say_date(value: Any, voice: Voice) -> str | None:
    """Return a day `YYYY-MM-DD` in words, relative to today only when the conversation states today's date."""
    day = _DAYS_KNOWN[value] if type(value) is str and len(value) == 10 else None
    if day is None:
        return None
    ordinal, year, month, number = day
    needs_year = True
    if voice.knows_today:
        ahead = ordinal - voice.today.toordinal()
        if -1 <= ahead <= 14 and voice.relative:
            said = _relative(ahead, ordinal, voice)
            if said is not None:
                return said
        needs_year = not 0 < ahead < _YEARLESS_DAYS
    style = voice.date_style
    if style == "iso" or year < _FIRST_YEAR_IN_WORDS:
        return str(value)
    named = (_SHORT_MONTHS if voice.short_months else MONTHS)[month]
    numbered = (_ORDINAL_DAYS if voice.ordinal_days else _DAYS)[number]
    if style == "day_first":
        return f"{numbered} {named} {year}" if needs_year else f"{numbered} {named}"
    return f"{named} {numbered}, {year}" if needs_year else f"{named} {numbered}"


def takes_on(text: str) -> bool:
    """Whether "on" stands before this date: "on Friday", but "tomorrow"."""
    return not text.startswith(_WITHOUT_ON)


def _relative(ahead: int, ordinal: int, voice: Voice) -> str | None:
    """Return words for a day so many days ahead ("tomorrow", "Friday"); None where there are none."""
    if 2 <= ahead <= 6:
        if ahead == 2 and voice.small_numbers_as_words:  # for speakers who like words
            return _DAY_AFTER_TOMORROW
        return _WEEKDAYS[(ordinal - 1) % 7]
    return _RELATIVE.get(ahead)


class _Days(dict[str, tuple[int, int, int, int] | None]):
    """Cache of text → (ordinal, year, month, day); None when the text is no date."""

    def __missing__(self, value: str) -> tuple[int, int, int, int] | None:
        """Return ordinal, year, month and day of `2026-03-14`, kept for the next time; None for a text that is no date."""
        day = _parse(value)
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[value] = found = (day.toordinal(), day.year, day.month, day.day) if day is not None else None
        return found


_MOST_KNOWN = 4096
_DAYS_KNOWN = _Days()


def _parse(value: str) -> date | None:
    """Return the date of `2026-03-14`; None for other texts."""
    # fromisoformat also takes 20260314 and 2026-W11-6
    if value[4] != "-" or value[7] != "-":
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


_SIXTY = frozenset(f"{number:02}" for number in range(60))
_HOURS = {f"{hour:02}": (str(hour % 12 or 12), "am" if hour < 12 else "pm") for hour in range(24)}
_LATER = " (next day)"
_NAMED = {"12:00": "noon", "00:00": "midnight"}
_TIME_OF = {name: time for time, name in _NAMED.items()}
_is_offset = re.compile(r"[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]").fullmatch


def _times(clock: Clock, tight: bool) -> dict[str, str]:
    """Return all times of a day without seconds (`15:30`) in the words of a speaker with these habits."""
    said = {f"{hour}:{minute}": _clock(hour, minute, "00", clock, tight) for hour in _HOURS for minute in _SIXTY}
    return {**{time: text for time, text in said.items() if text is not None}, **(_NAMED if clock == 12 else {})}


_TIMES: dict[tuple[Clock, bool], dict[str, str]] = {}


def say_time(value: Any, voice: Voice) -> str | None:
    """Return `15:30` as "3:30 pm" or "15:30", and `03:16 (next day)` as "3:16 am the next day"."""
    if type(value) is not str:
        return None
    if value.endswith(_LATER):
        said = say_time(value.removesuffix(_LATER), voice)
        return None if said is None else f"{said} the next day"
    habits = voice.clock, voice.tight_meridiem
    times = _TIMES.get(habits)
    if times is None:
        _TIMES[habits] = times = _times(*habits)
    return times.get(value)


def say_time_seconds(value: Any, voice: Voice) -> str | None:
    """Return `15:30:00` as "3:30 pm"; seconds are said unless they are zero."""
    if type(value) is not str or len(value) != 8 or value[2] != ":" or value[5] != ":":
        return None
    if value[6:] == "00":
        return say_time(value[:5], voice)
    return _clock(value[:2], value[3:5], value[6:], voice.clock, voice.tight_meridiem)


def _say_moment(length: int, between: str, value: Any, voice: Voice) -> str | None:
    """Return `2026-03-14T15:30` as "14 March at 3:30 pm"; seconds are said unless they are zero."""
    if type(value) is not str or len(value) != length or value[10] != between or value[13] != ":":
        return None
    if length == 19 and value[16] != ":":
        return None
    seconds = value[17:] or "00"
    if voice.clock == 12 and seconds == "00" and value[11:16] == "12:00":
        clock: str | None = "noon"
    else:  # "midnight on 14 March" could be the night before or after
        clock = _clock(value[11:13], value[14:16], seconds, voice.clock, voice.tight_meridiem)
    day = say_date(value[:10], voice)
    return None if day is None or clock is None else f"{day} at {clock}"


def _say_zoned(
    say: Callable[[Any, Voice], str | None], length: int, is_zone: Callable[[str], object], value: Any, voice: Voice
) -> str | None:
    """Return a time or moment before a `Z` or an offset: `15:30:00Z` as "3:30 pm UTC"."""
    if type(value) is not str or not is_zone(value[length:]):
        return None
    said = say(value[:length], voice)
    return None if said is None else f"{said} {'UTC' if value[length:] == 'Z' else value[length:]}"


def _clock(hour: str, minute: str, second: str, clock: int, tight: bool) -> str | None:
    """Return a time in the words of a clock with 12 or 24 hours; None where it is no time."""
    twelve = _HOURS.get(hour)
    if twelve is None or minute not in _SIXTY or second not in _SIXTY:
        return None
    tail = "" if second == "00" else f":{second}"
    if clock == 24:
        return f"{hour}:{minute}{tail}"
    space = "" if tight else " "
    minutes = "" if minute == "00" and not tail else f":{minute}"
    return f"{twelve[0]}{minutes}{tail}{space}{twelve[1]}"


_MONTHS = {
    **{name.lower(): number for number, name in enumerate(MONTHS) if number},
    **{name.lower(): number for number, name in enumerate(_SHORT_MONTHS) if number},
    "sept": 9,
}
_NUMBERED_WEEKDAYS = {name.lower(): number for number, name in enumerate(_WEEKDAYS)}
_DAYS_AHEAD: dict[str, int] = _TABLES["ahead"]

_DAY = r"(?P<day>[1-9]|[12][0-9]|3[01])(?P<suffix>st|nd|rd|th)?"
_match_day_first = re.compile(rf"{_DAY}(?: of)? (?P<month>[a-z]+)(?:,? (?P<year>[0-9]{{4}}))?").fullmatch
_match_month_first = re.compile(rf"(?P<month>[a-z]+) {_DAY}(?:,? (?P<year>[0-9]{{4}}))?").fullmatch
_match_spelled_day = re.compile(
    r"(?:the )?(?P<spelled>[a-z]+(?:-[a-z]+)?|[0-9]{1,2}(?:st|nd|rd|th))(?: of)? (?P<month>[a-z]+)(?P<year>,? [0-9]{4})?"
).fullmatch
_match_iso = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}").fullmatch
_match_distance = re.compile(
    r"(?P<in>in )?(?P<number>[a-z-]+|[1-9][0-9]{0,2}) (?P<unit>day|week)(?P<plural>s?)(?P<from> from (?:today|now))?"
).fullmatch


def read_date(text: str, reading: SpanContext) -> str:
    """Return a date as `YYYY-MM-DD`."""
    day = _day_in_words(text)
    if isinstance(day, str):
        return day
    if reading.today is None:
        raise ValueError(f"{text!r} says no year, and today is not known")
    return _day_from_today(day, reading.today, text).isoformat()


_Yearless = tuple[int, int]
"""Month and day of a date without a year."""


class _Weekday(int):
    """A day of the week, from 0 for Monday."""


@lru_cache(maxsize=8192)
def _day_in_words(text: str) -> str | _Yearless | _Weekday | int:
    """Return a full date as `YYYY-MM-DD`, or what depends on today; an int is a number of days ahead."""
    if _match_iso(text):
        return date.fromisoformat(text).isoformat()
    lower = text.lower()
    if not text.isascii():
        raise ValueError(f"{text!r} is not a date")
    lower = _in_digits(lower)
    match = (_match_day_first if lower[:1].isdigit() else _match_month_first)(lower)
    if match is not None and match["month"] in _MONTHS:
        return _named_day(match)
    if lower in _DAYS_AHEAD:
        return _DAYS_AHEAD[lower]
    return _Weekday(_NUMBERED_WEEKDAYS[lower]) if lower in _NUMBERED_WEEKDAYS else _days_ahead(lower)


def _in_digits(lower: str) -> str:
    """Return "the first of August" as "1 august", and other words as they are."""
    match = _match_spelled_day(lower)
    if match is None or match["month"] not in _MONTHS:
        return lower
    day = match["spelled"]
    if day not in ORDINAL_WORDS[1:]:
        return lower.removeprefix("the ")
    return f"{ORDINAL_WORDS.index(day)} {match['month']}{match['year'] or ''}"


def _day_from_today(day: _Yearless | _Weekday | int, today: date, text: str) -> date:
    """Return the date of a day that depends on today."""
    if isinstance(day, tuple):
        return _next_such_day(day, today, text)
    ahead = int(day)
    if isinstance(day, _Weekday):
        ahead = (day - today.weekday()) % 7
        refuse_if(ahead == 0, text, "may be today or in a week")
    try:
        return today + timedelta(days=ahead)
    except OverflowError:
        raise ValueError(f"{text!r} lies outside the calendar") from None


def _next_such_day(day: _Yearless, today: date, text: str) -> date:
    """Return the next date with this day and month; raises ValueError when it is too far ahead."""
    for year in (today.year, today.year + 1):
        try:
            found = date(year, *day)
        except ValueError:  # 29 February, or the year 10000
            continue
        if 0 < (found - today).days < _YEARLESS_DAYS:
            return found
    raise ValueError(f"{text!r} is not a day of the months ahead")


def _named_day(match: re.Match[str]) -> str | _Yearless:
    """Return the date of "14 March 2026" or "14 March"."""
    number, month = int(match["day"]), _MONTHS[match["month"]]
    is_wrong = match["suffix"] is not None and f"{number}{match['suffix']}" != ordinal_digits(number)
    if is_wrong:
        raise ValueError(f"{match[0]!r} has the wrong ending")
    if match["year"] is not None:
        return date(int(match["year"]), month, number).isoformat()
    return month, number


def _days_ahead(lower: str) -> int:
    """Return the number of days in "in ten days" or "a week from today"."""
    match = expected(_match_distance(lower), lower, "is not a date")
    refuse_if((match["in"] is None) == (match["from"] is None), lower, "is not a date")
    number = expected(_distance(match["number"]), lower, "is not a distance in days or weeks")
    refuse_if((number == 1) == bool(match["plural"]), lower, "is not a distance in days or weeks")
    return number * (7 if match["unit"] == "week" else 1)


def _distance(word: str) -> int | None:
    """Return the number of "a", "ten" or "10" days; None for other words."""
    if word == "a":
        return 1
    number = int(word) if word.isdigit() else NUMBER_WORDS.get(word)
    return number or None


_match_twelve = re.compile(
    r"(?P<hour>[1-9]|1[0-2])(?::(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?)? ?(?P<half>[ap])(?:m|\.m\.)"
).fullmatch
_match_twenty_four = re.compile(
    r"(?P<hour>[01][0-9]|2[0-3]):(?P<minute>[0-5][0-9])(?::(?P<second>[0-5][0-9]))?"
).fullmatch
_match_offset = re.compile(r"(.+) ([+-](?:[01][0-9]|2[0-3]):[0-5][0-9])", re.DOTALL).fullmatch
_UTC = " utc"
_SAID_LATER = " the next day"


def read_time(text: str, reading: SpanContext) -> str:
    """Return a time of day as `HH:MM`; one of the next day as `HH:MM (next day)`."""
    said = text[: -len(_SAID_LATER)] if text.lower().endswith(_SAID_LATER) else text
    clock, second = _read_clock(said)
    if second is not None:
        raise ValueError(f"{text!r} has seconds")
    return clock if said == text else f"{clock} (next day)"


def read_time_seconds(text: str, reading: SpanContext) -> str:
    """Return a time of day as `HH:MM:SS`."""
    clock, second = _read_clock(text)
    return f"{clock}:{second or '00'}"


def _read_moment(between: str, read_clock: Callable[[str, SpanContext], str], text: str, reading: SpanContext) -> str:
    """Return a day and a time of day, with what stands between them: `2026-03-14T15:30`."""
    day, between_words, clock = text.lower().rpartition(" at ")
    refuse_if(not between_words or not text.isascii(), text, "is not a day and a time")
    refuse_if(clock == "midnight", clock, "is between two days")
    return f"{read_date(day, reading)}{between}{read_clock(clock, reading)}"


def _read_utc(read: Callable[[str, SpanContext], str], text: str, reading: SpanContext) -> str:
    """Return a time or moment with `Z` behind it."""
    refuse_if(text[-len(_UTC) :].lower() != _UTC, text, "does not end with UTC")
    return read(text[: -len(_UTC)], reading) + "Z"


def _read_offset(text: str, reading: SpanContext) -> str:
    """Return a moment with an offset behind it: `2026-03-14T15:30:00+02:00`."""
    match = expected(_match_offset(text), text, "does not end with an offset from UTC")
    return _read_moment("T", read_time_seconds, match[1], reading) + match[2]


@lru_cache(maxsize=4096)
def _read_clock(text: str) -> tuple[str, str | None]:
    """Return `HH:MM`, and the seconds if there are any."""
    match = _match_twenty_four(text)
    if match is not None:
        return f"{match['hour']}:{match['minute']}", match["second"]
    lower = text.lower()
    if lower in _TIME_OF:
        return _TIME_OF[lower], None
    match = expected(_match_twelve(lower) if text.isascii() else None, text, "is not a time of day")
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "p" else 0)
    return f"{hour:02}:{match['minute'] or '00'}", match["second"]


_say_seconds, _read_seconds = partial(_say_moment, 19, "T"), partial(_read_moment, "T", read_time_seconds)
_is_utc = "Z".__eq__
MOMENTS: tuple[Verbalizer, ...] = (
    Verbalizer("date", say_date, read_date),
    Verbalizer("time", say_time, read_time),
    Verbalizer("time_seconds", say_time_seconds, read_time_seconds),
    Verbalizer("time_utc", partial(_say_zoned, say_time_seconds, 8, _is_utc), partial(_read_utc, read_time_seconds)),
    Verbalizer("datetime", partial(_say_moment, 16, "T"), partial(_read_moment, "T", read_time)),
    Verbalizer("datetime_seconds", _say_seconds, _read_seconds),
    Verbalizer("datetime_utc", partial(_say_zoned, _say_seconds, 19, _is_utc), partial(_read_utc, _read_seconds)),
    Verbalizer("datetime_offset", partial(_say_zoned, _say_seconds, 19, _is_offset), _read_offset),
    Verbalizer("datetime_space", partial(_say_moment, 16, " "), partial(_read_moment, " ", read_time)),
)
