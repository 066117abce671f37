"""Figures in a text: times, dates, lengths of time, codes and numbers, as the proof's readers read them.

A figure of an answer is grounded when something that the assistant was told holds the same one, in whatever words: "half past
nine", "9.30 am" and `09:30` are the same time, and "an hour and a half" is `"duration_minutes": 90`.
"""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import msgspec

from generator.validation.readers import READERS, SpanContext
from generator.validation.readers.numbers import NUMBER_WORDS

_MONTH = r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = r"(?:[12][0-9]|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_MORE = rf"(?:{_DAY}(?:,| and| or| to| until| through|[-–]| [-–])+ ?)"
"""Days that share the month of the last one: "6 and 8 August"."""
_UNIT = r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|(?<=[0-9])h|(?<=[0-9] )h|(?<=[0-9])s|(?<=[0-9] )s|days?|weeks?)"
_COUNT = r"(?:[0-9]+(?:\.[0-9]+)?|[a-z]+(?:-[a-z]+)?)"
_PART = rf"{_COUNT}(?: and a half)?[ -]?{_UNIT}"


class Figure(msgspec.Struct, frozen=True):
    """One figure of a text."""

    kind: str
    """`day`, `time`, `length`, `code`, `number`, or `count`: a spelled number."""
    value: Any
    """(year or None, month, day), `HH:MM`, seconds, small letters, or a number."""
    start: int
    end: int
    decimals: int = 0
    """Of a number; of a time, whether it may be meant before noon or after it, and is said by the clock ("quarter past three"); of a day,
    whether day and month may be meant the other way round."""


EITHER_HALF = 1
"""In place of the decimals of a time: it may be meant before noon or after it."""
BY_THE_CLOCK = 2
"""In place of the decimals of a time: "quarter past three", which 15:17 is told as."""
HALF_A_DAY = 43_200


def seconds_of_day(time: str) -> int:
    """Return the seconds from midnight to a time."""
    parts = [int(part) for part in time.split(":") if part.isdigit()]
    return sum(part * unit for part, unit in zip(parts, (3_600, 60, 1), strict=False))


def is_name(text: str) -> bool:
    """Whether a text of a result that holds digits is said as a whole or not at all: "Sprint 1", "020 7946 0197"."""
    return " " in text and any(map(str.isdigit, text)) and all(kind == "number" for kind, _ in plain_figures(text))


def figures(text: str) -> list[Figure]:
    """Return the figures of a text, in no order; the numbers of a list's lines are none."""
    found: list[Figure] = []
    kinds = _SPELLED
    if _HAS_DIGIT(text) is not None:
        kinds, text = _KINDS, _LIST_NUMBER.sub(lambda match: " " * len(match[0]), text)
    for kind, has, find, read in kinds:
        if has(text) is None:
            continue
        blanked: list[tuple[int, int]] = []
        for match in find(text):
            for value, decimals in read(match):
                found.append(Figure(kind, value, match.start(), match.end(), decimals))
                blanked.append(match.span())
        for start, end in blanked if kind != "count" else ():
            text = f"{text[:start]}{' ' * (end - start)}{text[end:]}"
    return found


@lru_cache(maxsize=16384)
def plain_figures(text: str) -> tuple[tuple[str, Any], ...]:
    """Return kind and value of the figures of a text that was told."""
    if _IS_ID(text):  # most texts of results are ids
        return (("code", text.casefold()),)
    return tuple([(figure.kind, figure.value) for figure in figures(text)])


Values = Iterable[tuple[Any, int]]
"""Values with the number of their decimals."""


def _iso_day(match: re.Match[str]) -> Values:
    year, month, day = map(int, match[0].split("-"))
    return [((year, month, day), 0)] if month in range(1, 13) and day in range(1, 32) else []


def _slashed_day(match: re.Match[str]) -> Values:
    day, month, year = map(int, re.split("[/.]", match[0]))
    if month > 12:
        day, month = month, day
    return [((year, month, day), int(day <= 12))] if 0 < month <= 12 and 0 < day <= 31 else []


def _day(match: re.Match[str]) -> Values:
    month = _MONTHS.index((match["m1"] or match["m2"]).lower()[:3]) + 1
    days = re.findall("[0-9]+", f"{match['more1'] or ''} {match['d1'] or match['d2']} {match['more2'] or ''}")
    year = match["y1"] or match["y2"]
    return [((int(year) if year else None, month, int(day)), 0) for day in days]


def _ordinal(match: re.Match[str]) -> Values:
    return [((None, None, int(match[1])), 0)]


def _time(match: re.Match[str]) -> Values:
    words = match[0].lstrip("Tt").lower().replace(" a.m.", " am").replace(" p.m.", " pm").replace(".", ":")
    if words[1] == ":" and words[-1].isdigit():
        words = f"0{words}"
    try:
        either = EITHER_HALF if words[-1].isdigit() and not match[0].startswith("0") else 0
        return [(READERS["time_seconds"](words, _ANY)[:5] if words.count(":") < 2 else words, either)]
    except ValueError:
        return [(words, 0)]


def _clock_time(match: re.Match[str]) -> Values:
    """The time of "half past nine", "twenty to five in the afternoon", "8 in the morning"."""
    hour = _whole(match["hour"] or match["bare"])
    if not 0 < hour <= 12:
        return []
    part = (match["part"] or "").lower()
    minute = {"half": 30, "quarter": 15}.get(match["minute"].lower(), _whole(match["minute"])) if match["minute"] else 0
    if not 0 <= minute < 60:
        return []
    hour = hour % 12 + (12 if part and part != "morning" else 0)
    seconds = hour * 3_600 + (-minute if match["side"] and match["side"].lower() == "to" else minute) * 60
    seconds %= 2 * HALF_A_DAY if part else HALF_A_DAY
    kind = BY_THE_CLOCK if match["minute"] else 0 if part else EITHER_HALF
    return [(f"{seconds // 3_600:02}:{seconds % 3_600 // 60:02}", kind)]


def _whole(words: str) -> int:
    return int(words) if words.isdigit() else NUMBER_WORDS.get(words.lower(), 0)


def _first_hour(match: re.Match[str]) -> Values:
    """The first hour of "6 to 8 pm"."""
    hour = int(match[1])
    return [(f"{hour % 12:02}:00", EITHER_HALF)] if 0 < hour < 13 else []


def _length(match: re.Match[str]) -> Values:
    words = _NEXT_PART.sub(" and ", _SECONDS.sub(" secs", match[0]))
    if words.lower() in {"a second", "a day", "a week"}:  # "a second time", "once a day"
        return []
    try:
        return [(float(READERS["seconds"](words, _ANY)), 0)]
    except ValueError:  # two lengths: "between 5 minutes and 24 hours"
        first, both, second = match[0].partition(" and ")
        return [one for part in (first, second) for one in _length_of(part)] if both else []


def _length_of(words: str) -> Values:
    try:
        return [(float(READERS["seconds"](words, _ANY)), 0)]
    except ValueError:
        return []


def _hours(match: re.Match[str]) -> Values:
    """Hours, and minutes without their unit: "1 h 30"."""
    return [(float(int(match[1]) * 3_600 + int(match[2]) * 60), 0)]


_SECONDS = re.compile(r"(?<=[0-9]) ?s\b")
_NEXT_PART = re.compile(r"(?<=[a-z]),? (?=[0-9])(?<!and )")


def _code(match: re.Match[str]) -> Values:
    return [(match[0].casefold().rstrip("-_./:"), 0)]


def _number(match: re.Match[str]) -> Values:
    digits = match[0].replace(",", "")
    if digits[-1] in _FRACTIONS:
        return [(float(digits[:-1] or 0) + _FRACTIONS[digits[-1]], 2)]
    return [(float(digits) if "." in digits else int(digits), len(digits.partition(".")[2]))]


def _word(match: re.Match[str]) -> Values:
    number = NUMBER_WORDS.get(match[0].lower(), 0)
    return [(number, 0)] if number > 1 else []  # "one" is said of anything


def _dozens(match: re.Match[str]) -> Values:
    return [(12 * (NUMBER_WORDS.get(match[1].lower(), 1)), 0)]


_FRACTIONS = {"¼": 0.25, "½": 0.5, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3}
_ANY = SpanContext()
_LIST_NUMBER = re.compile(r"^[0-9]{1,2}[.)](?= )", re.MULTILINE)
_HAS_DIGIT = re.compile("[0-9]").search
_HAS_UNIT = re.compile(rf"\b{_UNIT}\b", re.IGNORECASE).search
_HAS_MONTH = re.compile("|".join(_MONTHS), re.IGNORECASE).search
_HAS_ISO_DAY = re.compile("[0-9]-[0-9]").search
_HAS_ORDINAL = re.compile("the [0-9]").search
_HAS_HALF = re.compile(r"[0-9] ?[ap]\.?m\b", re.IGNORECASE).search
_HAS_TIME = re.compile(r"[0-9](?::[0-9]| ?[ap]\.?m\b)", re.IGNORECASE).search
_HAS_SLASHES = re.compile(r"[0-9]([/.])[0-9]{1,2}\1[0-9]{4}\b").search
_HOURS = "(?:1[0-2]|[1-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_WORDS = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)?").findall


def _has_number_word(text: str) -> bool | None:
    return None if NUMBER_WORDS.keys().isdisjoint(_WORDS(text.lower())) else True


def _has_clock(text: str) -> bool | None:
    return "past " in text or "ten to " in text or "quarter to " in text or "in the " in text or "clock" in text or None


def _has_dozen(text: str) -> bool | None:
    return "dozen" in text or None


_Kind = tuple[
    str,
    Callable[[str], object],
    Callable[[str], Iterable[re.Match[str]]],
    Callable[[re.Match[str]], Values],
]
"""A kind, whether a text may hold such figures (None: it does not), how they are found, and how they are read."""
_KINDS: tuple[_Kind, ...] = (
    ("day", _HAS_ISO_DAY, re.compile(r"(?<![\w-])[0-9]{4}-[0-9]{2}-[0-9]{2}(?=T|\b)").finditer, _iso_day),
    ("day", _HAS_SLASHES, re.compile(r"(?<![\w/.])[0-9]{1,2}([/.])[0-9]{1,2}\1[0-9]{4}\b").finditer, _slashed_day),
    (
        "day",
        _HAS_MONTH,
        re.compile(
            rf"(?<![\w:.,])(?:(?P<more1>{_MORE}*)(?P<d1>{_DAY})(?: of)? (?P<m1>{_MONTH})\b(?:,? (?P<y1>[0-9]{{4}})\b)?"
            rf"|(?P<m2>{_MONTH}) (?:the )?(?P<d2>{_DAY})\b(?P<more2>(?: ?(?:and|or|to|until|[-–]) ?{_DAY}\b(?![:.%]?[\w]| [ap]\.?m\b| {_UNIT}))*)(?:,? (?P<y2>[0-9]{{4}})\b)?)",
            re.IGNORECASE,
        ).finditer,
        _day,
    ),
    ("day", _HAS_ORDINAL, re.compile(r"\bthe ([12][0-9]|3[01]|[1-9])(?:st|nd|rd|th)\b").finditer, _ordinal),
    (
        "time",
        _has_clock,
        re.compile(
            rf"(?<![\w.:,])(?:(?P<minute>half|quarter|five|ten|twenty|twenty-five) (?P<side>past|to) (?P<hour>{_HOURS})\b(?! [a-z]+s\b)"
            rf"|(?P<bare>{_HOURS})(?= o['’]clock| in the (?:morning|afternoon|evening)))(?: o['’]clock)?(?: in the (?P<part>morning|afternoon|evening))?",
            re.IGNORECASE,
        ).finditer,
        _clock_time,
    ),
    (
        "time",
        _HAS_HALF,
        re.compile(
            r"(?<![\w.:])([0-9]{1,2})(?= ?(?:-|–|to|and|or|until) ?[0-9]{1,2}(?::[0-9]{2})? ?[ap]\.?m\b)"
        ).finditer,
        _first_hour,
    ),
    (
        "time",
        _HAS_TIME,
        re.compile(
            r"(?<![\w.:])(?:T(?=[0-9]))?(?:[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?: ?[ap](?:m\b|\.m\.))?|[0-9]{1,2}(?:\.[0-5][0-9])? ?[ap](?:m\b|\.m\.))",
            re.IGNORECASE,
        ).finditer,
        _time,
    ),
    ("length", _HAS_DIGIT, re.compile(r"\b([0-9]{1,2}) ?h(?:rs?)? ?([0-9]{2})\b(?! ?(?:min|m\b|s))").finditer, _hours),
    (
        "length",
        _HAS_UNIT,
        re.compile(
            rf"(?!(?<=[0-9] )an? )\b(?:half an hour|an hour and a half|three quarters of an hour|a quarter of an hour|{_PART}(?:(?: and |, | )(?:[0-9]+|{_COUNT})[ -]?{_UNIT})?)\b",
            re.IGNORECASE,
        ).finditer,
        _length,
    ),
    (
        "code",
        _HAS_DIGIT,
        re.compile(
            r"(?<![\w-])(?=[\w./:@+-]*[0-9])(?=[\w./:@+-]*[A-Za-z_])(?![0-9]+-[a-z]+\b)(?![0-9.,]+(?:st|nd|rd|th|h|min|mins|km|m|cm|mm|kg|g|mb|gb|kb|ml|l|x|k|%|mph|kmh)\b)(?![0-9.,]+/[a-z]+\b)[A-Za-z0-9][\w./:@+-]*[\w]"
            r"|(?<![\w.,-])[0-9]+(?:[-/][0-9]+)+(?![\w-])|(?<![\w.,])0[0-9]+(?!\w|[.,][0-9])",
            re.IGNORECASE,
        ).finditer,
        _code,
    ),
    (
        "number",
        _HAS_DIGIT,
        re.compile(r"(?<![\w])(?<![0-9][.,])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?:[¼½¾⅓⅔]|(?!\w*[A-Z_]))").finditer,
        _number,
    ),
    (
        "number",
        _has_dozen,
        re.compile(r"\b(a|one|two|three|four|five|six) dozen\b", re.IGNORECASE).finditer,
        _dozens,
    ),
    ("count", _has_number_word, re.compile(r"(?<!past )(?<!quarter to )\b[A-Za-z]+(?:-[A-Za-z]+)?\b").finditer, _word),
)
_SPELLED = tuple([kind for kind in _KINDS if kind[1] in {_HAS_UNIT, _has_clock, _has_dozen, _has_number_word}])
"""Those that texts without digits may hold."""
_IS_ID = re.compile(
    r"(?:https://[a-z._/]+(?:/v[0-9]+/[a-z._/]+)?/)?[A-Z]{2,6}-[0-9]+|[a-z]{2,}_(?=[a-f]*[0-9])[0-9a-f]{8}"
).fullmatch
"""What would be read as one code: TCK-59424, its address, ext_012b64f7."""
