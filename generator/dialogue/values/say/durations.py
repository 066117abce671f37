"""Lengths of time as people say them: "half an hour", "45 minutes", "an hour and a half", "2 days"."""

from typing import Any

from generator.dialogue.values.say.numbers import say_number, small_number
from generator.dialogue.values.voice import Voice

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_LONGEST = 10**9


def say_minutes(value: Any, voice: Voice) -> str | None:
    """Return whole minutes in words: `90` as "an hour and a half"."""
    return _say(value * _MINUTE, "minutes", voice) if type(value) is int else None


def say_seconds(value: Any, voice: Voice) -> str | None:
    """Return whole seconds in words: `90` as "90 seconds"."""
    return _say(value, "seconds", voice) if type(value) is int else None


def say_hours(value: Any, voice: Voice) -> str | None:
    """Return hours with up to two decimals in words: `1.5` as "an hour and a half"."""
    if type(value) is int:
        return _say(value * _HOUR, "hours", voice)
    if type(value) is not float or not 0 < value < 1000:
        return None
    if value % 0.5 == 0:
        return _say(int(value * _HOUR), "hours", voice)
    digits = say_number(value, voice)
    return None if digits is None or len(digits.partition(".")[2]) > 2 else f"{digits} hours"


def _say(seconds: int, unit: str, voice: Voice) -> str | None:
    if seconds == 0:
        return f"0 {unit}"
    if not 0 < seconds < _LONGEST:
        return None
    if seconds % 1800 == 0:
        return _half_hours(seconds, voice)
    if seconds % _MINUTE == 0:
        return _minutes(seconds // _MINUTE, voice)
    minutes, rest = divmod(seconds, _MINUTE)
    if 2 <= minutes < 60:
        return f"{_plural(minutes, 'minute', voice)} and {_plural(rest, 'second', voice)}"
    return _plural(seconds, "second", voice)


def _half_hours(seconds: int, voice: Voice) -> str:
    if seconds % _DAY == 0 and seconds > _DAY:
        return _plural(seconds // _DAY, "day", voice)
    hours, half = divmod(seconds, _HOUR)
    if not half:
        return _plural(hours, "hour", voice)
    if hours < 2:
        return "an hour and a half" if hours else "half an hour"
    if voice.small_numbers_as_words and hours <= 10:
        return f"{small_number(hours, voice)} and a half hours"
    return f"{hours}.5 hours"


def _minutes(minutes: int, voice: Voice) -> str:
    hours, rest = divmod(minutes, 60)
    if hours < 1:
        return _plural(minutes, "minute", voice)
    return f"{_plural(hours, 'hour', voice)} and {_plural(rest, 'minute', voice)}"


def _plural(number: int, unit: str, voice: Voice) -> str:
    if number == 1:
        return "an hour" if unit == "hour" else f"a {unit}"
    return f"{small_number(number, voice)} {unit}s"
