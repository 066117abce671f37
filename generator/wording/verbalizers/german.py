"""Ways to say a value in German. `validation/readers/german.py` turns the words back into the value.

A day is said with the word that stands before it, because that depends on how it is said: `date` gives "am 4. Mai" and "morgen",
`date_of` "vom 4. Mai" and "von morgen", `date_alone`, behind "ab" and "bis", "4. Mai" and "morgen".
"""

from datetime import date
from typing import Any

from generator.wording.verbalizers.numbers import say_amount as say_english_amount
from generator.wording.verbalizers.numbers import say_number as say_english_number
from generator.wording.verbalizers.numbers import say_percent as say_english_percent
from generator.wording.verbalizers.verbalizer import Verbalizer
from generator.wording.voice import Voice

_MONTHS = (
    *("Januar", "Februar", "März", "April", "Mai", "Juni"),
    *("Juli", "August", "September", "Oktober", "November", "Dezember"),
)
_WEEKDAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
_RELATIVE = {-1: "gestern", 0: "heute", 1: "morgen", 2: "übermorgen"}
_YEARLESS_DAYS = 300
"""Days ahead beyond which a date is said with its year."""
_WORDS = ("zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf")
"""Words for 2 to 12; that for 1 depends on what is counted."""
_TURNED = str.maketrans(",.", ".,")


# --- numbers ---


def say_number(value: Any, voice: Voice) -> str | None:
    """Return a number in digits: `1234.5` as "1234,5", `12345` as "12.345" or "12345"."""
    text = say_english_number(value, voice)
    return None if text is None else text.translate(_TURNED)


def say_words(value: Any, voice: Voice) -> str | None:
    """Return a whole number from 2 to 12 in words."""
    return _WORDS[value - 2] if type(value) is int and 2 <= value < len(_WORDS) + 2 else None


def say_count(value: Any, voice: Voice) -> str | None:
    """Return a count in digits, or a small one in words when the speaker likes that."""
    if type(value) is not int or value < 0:
        return None
    return (say_words(value, voice) if voice.small_numbers_as_words else None) or say_number(value, voice)


def say_percentage(value: Any, voice: Voice) -> str | None:
    """Return a percentage: `15` as "15 %"."""
    text = say_number(value, voice)
    return None if text is None else f"{text} %"


def say_percent(value: Any, voice: Voice) -> str | None:
    """Return a share of one as a percentage: `0.155` as "15,5 %"."""
    text = say_english_percent(value, voice)
    return None if text is None else f"{text.removesuffix('%').translate(_TURNED)} %"


def say_amount(value: Any, voice: Voice) -> str | None:
    """Return an amount of money without its currency: `49.5` as "49,50"."""
    text = say_english_amount(value, voice)
    return None if text is None else text.translate(_TURNED)


def say_usd(value: Any, voice: Voice) -> str | None:
    """Return US dollars: "49,50 $", or "49,50 Dollar"."""
    return _money(value, "$", "Dollar", voice)


def say_eur(value: Any, voice: Voice) -> str | None:
    """Return euros: "49,50 €", or "49,50 Euro"."""
    return _money(value, "€", "Euro", voice)


def _money(value: Any, sign: str, word: str, voice: Voice) -> str | None:
    text = say_amount(value, voice)
    return None if text is None else f"{text} {word if voice.tight_meridiem else sign}"


# --- days and times ---


def say_date(value: Any, voice: Voice) -> str | None:
    """Return a day `YYYY-MM-DD` as something happens then: "am 4. Mai", "am Freitag", "morgen"."""
    return _day(value, voice, "am ", "")


def say_date_of(value: Any, voice: Voice) -> str | None:
    """Return a day `YYYY-MM-DD` as that of a thing: "vom 4. Mai", "vom Freitag", "von gestern"."""
    return _day(value, voice, "vom ", "von ")


def say_date_alone(value: Any, voice: Voice) -> str | None:
    """Return a day `YYYY-MM-DD` as it stands behind "ab" and "bis": "4. Mai", "Freitag", "morgen"."""
    return _day(value, voice, "", "")


def _day(value: Any, voice: Voice, before: str, before_relative: str) -> str | None:
    """Return a day behind the word for it, or behind the one for a day that is told from today."""
    day = _parsed(value)
    if day is None:
        return None
    ahead = (day - voice.today).days
    if voice.knows_today and voice.relative and ahead in _RELATIVE:
        return f"{before_relative}{_RELATIVE[ahead]}"
    if voice.knows_today and voice.relative and 3 <= ahead <= 6:
        return f"{before}{_WEEKDAYS[day.weekday()]}"
    if voice.date_style == "iso":
        return f"{before}{day.day:02}.{day.month:02}.{day.year}"
    is_near = voice.knows_today and 0 < ahead < _YEARLESS_DAYS
    return f"{before}{day.day}. {_MONTHS[day.month - 1]}{'' if is_near else f' {day.year}'}"


def _parsed(value: Any) -> date | None:
    if type(value) is not str or len(value) != 10 or value[4] != "-" or value[7] != "-":
        return None
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return None
    return day if day.year >= 1000 else None


def say_time(value: Any, voice: Voice) -> str | None:
    """Return `15:30` as "15:30 Uhr", and `15:00` as "15 Uhr" or "15:00 Uhr"."""
    if type(value) is not str or len(value) != 5 or value[2] != ":" or not (value[:2] + value[3:]).isdecimal():
        return None
    hour, minute = int(value[:2]), int(value[3:])
    if not value.isascii() or hour > 23 or minute > 59:
        return None
    return f"{hour} Uhr" if not minute and voice.clock == 12 else f"{hour}:{minute:02} Uhr"


def say_datetime(value: Any, voice: Voice) -> str | None:
    """Return `2026-05-04T15:30` as "am 4. Mai um 15:30 Uhr"."""
    if type(value) is not str or len(value) != 16 or value[10] != "T":
        return None
    day, clock = say_date(value[:10], voice), say_time(value[11:], voice)
    return None if day is None or clock is None else f"{day} um {clock}"


# --- lengths of time ---


def say_minutes(value: Any, voice: Voice) -> str | None:
    """Return whole minutes: `30` as "eine halbe Stunde", `90` as "anderthalb Stunden", `80` as "eine Stunde und 20 Minuten"."""
    if type(value) is not int or not 0 <= value < 100_000:
        return None
    if value in _SPOKEN:
        return _SPOKEN[value]
    hours, rest = divmod(value, 60)
    parts = [_units(hours, "Stunde", voice)] if hours else []
    return " und ".join([*parts, *([_units(rest, "Minute", voice)] if rest or not hours else [])])


_SPOKEN = {30: "eine halbe Stunde", 90: "anderthalb Stunden"}


def say_hours(value: Any, voice: Voice) -> str | None:
    """Return hours: `2` as "2 Stunden", `1.5` as "anderthalb Stunden", `2.5` as "2,5 Stunden"."""
    if type(value) is int and 0 < value < 1000:
        return _units(value, "Stunde", voice)
    if type(value) is not float or not 0 < value < 1000 or value != round(value, 2):
        return None
    spoken = _SPOKEN.get(int(value * 60)) if value in (0.5, 1.5) else None
    return spoken or (
        _units(int(value), "Stunde", voice) if value == int(value) else f"{say_number(value, voice)} Stunden"
    )


def _units(number: int, unit: str, voice: Voice) -> str:
    return f"eine {unit}" if number == 1 else f"{say_count(number, voice)} {unit}n"


# --- texts ---


def say_quoted(value: Any, voice: Voice) -> str | None:
    """Return the text in quotation marks that do not occur in it: „so“ or "so"."""
    if type(value) is not str or not value.isprintable():
        return None
    opening, closing = ('"', '"') if voice.straight_quotes else ("„", "“")
    return None if opening in value or closing in value else f"{opening}{value}{closing}"


def say_titled(value: Any, voice: Voice) -> str | None:
    """Return a name with its title as it is written: "Dr. Ida Roth" for `Dr Ida Roth`."""
    if type(value) is not str or not value.isprintable() or value.startswith("Dr. "):
        return None
    return f"Dr. {value[3:]}" if value.startswith("Dr ") else value


def say_yes_no(value: Any, voice: Voice) -> str | None:
    """Return a boolean as "ja" or "nein"."""
    return "ja" if value is True else "nein" if value is False else None


GERMAN = (
    Verbalizer("quoted", say_quoted),
    Verbalizer("titled", say_titled),
    Verbalizer("yes_no", say_yes_no),
    Verbalizer("number", say_number),
    Verbalizer("words", say_words),
    Verbalizer("count", say_count),
    Verbalizer("percent", say_percent),
    Verbalizer("percentage", say_percentage),
    Verbalizer("amount", say_amount),
    Verbalizer("usd", say_usd),
    Verbalizer("eur", say_eur),
    Verbalizer("date", say_date),
    Verbalizer("date_of", say_date_of),
    Verbalizer("date_alone", say_date_alone),
    Verbalizer("time", say_time),
    Verbalizer("datetime", say_datetime),
    Verbalizer("minutes", say_minutes),
    Verbalizer("hours", say_hours),
)
"""Those that the language has of its own; numbers that are no words are said as they are elsewhere."""
