"""Clock times and moments. The written form of the value is in the verbalizer's name, so that the reader can restore it.

| name | value |
|---|---|
| `time`, `time_seconds`, `time_utc` | `15:30` (or `03:16 (next day)`), `15:30:00`, `15:30:00Z` |
| `datetime`, `datetime_space` | `2026-03-14T15:30`, `2026-03-14 15:30` |
| `datetime_seconds` | `2026-03-14T15:30:00` |
| `datetime_utc`, `datetime_offset` | `2026-03-14T15:30:00Z`, `2026-03-14T15:30:00+02:00` |
"""

import re
from typing import Any

from generator.dialogue.values.say.dates import say_date
from generator.dialogue.values.voice import Clock, Voice

_SIXTY = frozenset(f"{number:02}" for number in range(60))
_HOURS = {f"{hour:02}": (str(hour % 12 or 12), "am" if hour < 12 else "pm") for hour in range(24)}
_LATER = " (next day)"
_NAMED = {"12:00": "noon", "00:00": "midnight"}
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


def say_time_utc(value: Any, voice: Voice) -> str | None:
    """Return `15:30:00Z` as "3:30 pm UTC"."""
    if type(value) is not str or value[8:] != "Z":
        return None
    said = say_time_seconds(value[:8], voice)
    return None if said is None else f"{said} UTC"


def say_datetime(value: Any, voice: Voice) -> str | None:
    """Return `2026-03-14T15:30` as "14 March at 3:30 pm"."""
    return _moment(value, 16, "T", voice)


def say_datetime_space(value: Any, voice: Voice) -> str | None:
    """Return `2026-03-14 15:30` as "14 March at 3:30 pm"."""
    return _moment(value, 16, " ", voice)


def say_datetime_seconds(value: Any, voice: Voice) -> str | None:
    """Return `2026-03-14T15:30:00` as "14 March at 3:30 pm"; seconds are said unless they are zero."""
    return _moment(value, 19, "T", voice)


def say_datetime_utc(value: Any, voice: Voice) -> str | None:
    """Return `2026-03-14T15:30:00Z` as "14 March at 3:30 pm UTC"."""
    if type(value) is not str or value[19:] != "Z":
        return None
    said = _moment(value[:19], 19, "T", voice)
    return None if said is None else f"{said} UTC"


def say_datetime_offset(value: Any, voice: Voice) -> str | None:
    """Return `2026-03-14T15:30:00+02:00` as "14 March at 3:30 pm +02:00"."""
    if type(value) is not str or not _is_offset(value[19:]):
        return None
    said = _moment(value[:19], 19, "T", voice)
    return None if said is None else f"{said} {value[19:]}"


def _moment(value: Any, length: int, between: str, voice: Voice) -> str | None:
    if type(value) is not str or len(value) != length or value[10] != between or value[13] != ":":
        return None
    seconds = "00"
    if length == 19:
        if value[16] != ":":
            return None
        seconds = value[17:]
    if voice.clock == 12 and seconds == "00" and value[11:16] == "12:00":
        clock: str | None = "noon"
    else:  # "midnight on 14 March" could be the night before or after
        clock = _clock(value[11:13], value[14:16], seconds, voice.clock, voice.tight_meridiem)
    day = say_date(value[:10], voice)
    return None if day is None or clock is None else f"{day} at {clock}"


def _clock(hour: str, minute: str, second: str, clock: int, tight: bool) -> str | None:
    twelve = _HOURS.get(hour)
    if twelve is None or minute not in _SIXTY or second not in _SIXTY:
        return None
    tail = "" if second == "00" else f":{second}"
    if clock == 24:
        return f"{hour}:{minute}{tail}"
    space = "" if tight else " "
    minutes = "" if minute == "00" and not tail else f":{minute}"
    return f"{twelve[0]}{minutes}{tail}{space}{twelve[1]}"
