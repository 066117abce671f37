"""Calendar days: "14 March 2026", "March 14", "tomorrow", "Friday"."""

from datetime import date
from typing import Any

from generator.dialogue.values.say.numbers import ordinal_digits
from generator.dialogue.values.voice import Voice

MONTHS = (
    "",
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_SHORT_MONTHS = tuple(name[:3] for name in MONTHS)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DAYS = ("", *(str(day) for day in range(1, 32)))
_ORDINAL_DAYS = ("", *(ordinal_digits(day) for day in range(1, 32)))

_RELATIVE = {
    -1: "yesterday",
    0: "today",
    1: "tomorrow",
    7: "a week from today",
    14: "two weeks from today",
}
"""Verbalizers whose words also read well after "by", "until" and "from"; "in ten days" would not."""
_DAY_AFTER_TOMORROW = "the day after tomorrow"
_WITHOUT_ON = (*_RELATIVE.values(), _DAY_AFTER_TOMORROW)
FIRST_WITHOUT_ON = "".join(sorted({text[0] for text in _WITHOUT_ON}))
"""The first letters of dates that take no "on"."""
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
    if 2 <= ahead <= 6:
        if ahead == 2 and voice.small_numbers_as_words:  # for speakers who like words
            return _DAY_AFTER_TOMORROW
        return _WEEKDAYS[(ordinal - 1) % 7]
    return _RELATIVE.get(ahead)


class _Days(dict[str, tuple[int, int, int, int] | None]):
    """Cache of text → (ordinal, year, month, day); None when the text is no date."""

    def __missing__(self, value: str) -> tuple[int, int, int, int] | None:
        day = _parse(value)
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[value] = found = (day.toordinal(), day.year, day.month, day.day) if day is not None else None
        return found


_MOST_KNOWN = 4096
_DAYS_KNOWN = _Days()


def _parse(value: str) -> date | None:
    # fromisoformat also takes 20260314 and 2026-W11-6
    if value[4] != "-" or value[7] != "-":
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None
