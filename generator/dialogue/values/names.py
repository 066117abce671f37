"""Values by their names (`NO` as "Norway", (38.7223, -9.1393) as "Lisbon"), and codes, addresses and numbers as people shorten or group them."""

import re
from functools import partial
from typing import Any

from generator.arguments.kinds.other_words import WRITTEN_NAMES, meanings_of, prefix_of, shows_plain_versions
from generator.arguments.kinds.places import PLACES
from generator.dialogue.values.dates import MONTHS
from generator.dialogue.values.measures import read_seconds, say_seconds
from generator.dialogue.values.numbers import NUMBER_WORDS, read_number, say_number, say_words
from generator.dialogue.values.texts import members_of, read_json_words, say_json, say_nothing_known
from generator.dialogue.values.voice import SpanContext, Verbalizer, Voice, expected, refuse_if

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
    return None if type(value) is not int or not 0 < value < _CENTS_LIMIT else f"{value // 100}.{value % 100:02}"


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
    """Return a number of units with one decimal, if it is not zero: 1500000 in millions as "1.5"."""
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


_NAMED = {f"{latitude},{longitude}": name for name, (_, (latitude, longitude)) in PLACES.items()}
_AT = {at: (before, name) for name, (before, at) in PLACES.items()}


def say_place(value: Any, voice: Voice) -> str | None:
    """Return the place at a latitude and a longitude."""
    found = _place_at(value)
    return None if found is None else found[1]


def say_where(value: Any, voice: Voice) -> str | None:
    """Return the place at a latitude and a longitude, with the word before it: "in Lisbon", "near the Louvre"."""
    found = _place_at(value)
    return None if found is None else " ".join(found)


def say_coordinates(value: Any, voice: Voice) -> str | None:
    """Return the place at a point that one text gives: `38.7223,-9.1393` as "Lisbon"."""
    return _NAMED.get(value) if type(value) is str else None


def say_point(value: tuple[float, float], voice: Voice) -> str:
    """Return a latitude and a longitude in digits."""
    return ", ".join([say_number(part, voice) or say_json(part, voice) or "" for part in value])


def _place_at(value: Any) -> tuple[str, str] | None:
    """Return the word before a place at a latitude and a longitude, and its name: ("in", "Lisbon")."""
    is_pair = type(value) is tuple and all(type(part) is float for part in value)
    return _AT.get(value) if is_pair else None


_DIGITS = re.compile(r"[0-9][0-9-]*[0-9]")
_ADDRESS = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/\S*)?")
_GROUPED = re.compile(r"\+[0-9]{1,3}(?:[ -][0-9]{2,6}){2,5}")
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,9})\.([0-9]{2})")
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PART = re.compile(r"(?:(a|an|one|two|three|four) )?(half|(?:third|quarter|fifth|tenth)s?)", re.IGNORECASE)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_CITY = re.compile(r"([^\d,]+?)(?:, | in )([^\d,]+)")
_V_VERSION = re.compile(r"(?:v|version )([0-9]{1,4}(?:\.[0-9]{1,4}){1,3})", re.IGNORECASE)
_MONTHS_OF_YEAR = {name.lower(): number for number, name in enumerate(MONTHS) if number}
_LARGE = re.compile(r"([1-9][0-9]{0,2})(?:\.([0-9]))?(k| thousand| million)", re.IGNORECASE)


def _by_form(table: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """Return the values of a table by what they are called, in small letters."""
    found: dict[str, list[str]] = {}
    for value, forms in table.items():
        for form in forms:
            found.setdefault(form.casefold(), []).append(value)
    return found


def _read_name(known: dict[str, list[str]], text: str, reading: SpanContext) -> str:
    """Return the only value that is called so."""
    values = known.get(text.casefold(), [])
    refuse_if(len(values) != 1, text, f"is the name of {'several values' if values else 'no value'}")
    return values[0]


_STATES = _by_form(WRITTEN_NAMES["state_code"])


def read_meaning(text: str, reading: SpanContext) -> str:
    """Return the member of the enum that means this."""
    members = [member for member in members_of(reading.schema) if type(member) is str]
    return _read_name(_by_form(meanings_of(tuple(dict.fromkeys(members)))), text, reading)


def read_code(text: str, reading: SpanContext) -> str:
    """Return an identifier with the letters that its schema shows."""
    prefix = expected(prefix_of(reading.schema), text, "is not the number of an identifier")
    refuse_if(not _DIGITS.fullmatch(text), text, "is not the number of an identifier")
    return f"{prefix}{text}"


def read_url(text: str, reading: SpanContext) -> str:
    """Return a web address with its scheme."""
    refuse_if(not _ADDRESS.fullmatch(text), text, "is not a web address without a scheme")
    return f"https://{text}"


def read_phone(text: str, reading: SpanContext) -> str:
    """Return a telephone number without spaces."""
    refuse_if(not _GROUPED.fullmatch(text), text, "is not a telephone number in groups")
    return "+" + re.sub(r"\D", "", text)


def read_iso_duration(text: str, reading: SpanContext) -> str:
    """Return a length of time as ISO 8601 writes it."""
    seconds = read_seconds(text, SpanContext(schema={"type": "integer"}))
    refuse_if(not isinstance(seconds, int) or seconds <= 0 or seconds % 60, text, "is not a length of time in minutes")
    if seconds % 86_400 == 0:
        return f"P{seconds // 86_400}D"
    hours, minutes = divmod(seconds // 60, 60)
    return "PT" + (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")


def read_month_of_year(text: str, reading: SpanContext) -> str:
    """Return a month as `YYYY-MM`."""
    name, _, year = text.partition(" ")
    refuse_if(
        name.lower() not in _MONTHS_OF_YEAR or not re.fullmatch("[12][0-9]{3}", year), text, "is not a month of a year"
    )
    return f"{year}-{_MONTHS_OF_YEAR[name.lower()]:02}"


def read_cents(text: str, reading: SpanContext) -> int:
    """Return an amount with two decimals in cents."""
    match = expected(_AMOUNT.fullmatch(text), text, "is not an amount with two decimals")
    return int(match[1] + match[2])


def read_thousands(text: str, reading: SpanContext) -> int:
    """Return a large round number."""
    match = expected(_LARGE.fullmatch(text), text, "is not a round number")
    refuse_if(match[2] is not None and match[3].lower() != " million", text, "is not a round number")
    size = 1_000_000 if match[3].lower() == " million" else 1_000
    return int(match[1]) * size + int(match[2] or 0) * size // 10


def read_share(text: str, reading: SpanContext) -> float:
    """Return a fraction in words as a number: "three quarters" as 0.75."""
    match = expected(_PART.fullmatch(text), text, "is not a part of one")
    part, number = match[2].lower(), _COUNTS.get((match[1] or "one").lower(), 1)
    whole = _PARTS[part.removesuffix("s")]
    refuse_if((number > 1) != part.endswith("s") or number >= whole, text, "is not a part of one")
    return number / whole


def read_city_and_state(text: str, reading: SpanContext) -> str:
    """Return a city with the two letters of its state."""
    match = expected(_CITY.fullmatch(text), text, "is not a city with its state")
    return f"{match[1]}, {_read_name(_STATES, match[2], reading)}"


def read_version(text: str, reading: SpanContext) -> str:
    """Return a version without the letter before it, where its schema shows that it has none."""
    match = _V_VERSION.fullmatch(text)
    spoken = [NUMBER_WORDS.get(part) for part in text.lower().removeprefix("version ").split(" point ")]
    is_spoken = 2 <= len(spoken) <= 4 and None not in spoken
    refuse_if(not (match or is_spoken) or not shows_plain_versions(reading.schema), text, "is not a version")
    return match[1] if match else ".".join(map(str, spoken))


_POINTS = {name.casefold(): (before, point) for name, (before, point) in PLACES.items()}


def read_place(text: str, reading: SpanContext) -> tuple[float, float]:
    """Return the latitude and the longitude of a place."""
    known = _POINTS.get(text.casefold())
    return _read_two_degrees(text, reading) if known is None else known[1]


def read_where(text: str, reading: SpanContext) -> tuple[float, float]:
    """Return the latitude and the longitude of a place with the word before it."""
    before, _, name = text.partition(" ")
    if before.casefold() == "at":
        return _read_two_degrees(name, reading)
    known = expected(_POINTS.get(name.casefold()), text, "does not say where a known place is")
    refuse_if(before.casefold() != known[0], text, "does not say where a known place is")
    return known[1]


def read_coordinates(text: str, reading: SpanContext) -> str:
    """Return the point of a known place as one text, latitude first."""
    known = expected(_POINTS.get(text.casefold()), text, "is not a known place")
    return ",".join(map(repr, known[1]))


def _read_two_degrees(text: str, reading: SpanContext) -> tuple[float, float]:
    """Return a latitude and a longitude in digits: "38.7, -9.1"."""
    latitude, _, longitude = text.partition(", ")
    return _read_degrees(latitude, reading), _read_degrees(longitude, reading)


def _read_degrees(text: str, reading: SpanContext) -> float:
    """Return a number of degrees in digits."""
    number = read_json_words(text, reading) if "e" in text or text == "-0.0" else read_number(text, reading)
    refuse_if(not isinstance(number, int | float), text, "is neither a known place nor a number of degrees")
    return number


NAMES: tuple[Verbalizer, ...] = (
    Verbalizer("meaning", say_nothing_known, read_meaning),
    Verbalizer("code", say_code, read_code),
    Verbalizer("url", say_url, read_url),
    Verbalizer("phone", say_phone, read_phone),
    Verbalizer("iso_duration", say_iso_duration, read_iso_duration),
    Verbalizer("month_of_year", say_month_of_year, read_month_of_year),
    Verbalizer("cents", say_cents, read_cents),
    Verbalizer("thousands", say_thousands, read_thousands),
    Verbalizer("share", say_share, read_share),
    Verbalizer("city_and_state", say_city_and_state, read_city_and_state),
    Verbalizer("coordinates", say_coordinates, read_coordinates),
    Verbalizer("version", say_version, read_version),
    Verbalizer("place", say_place, read_place),
    Verbalizer("where", say_where, read_where),
    *(
        Verbalizer(kind, partial(_say_name, table), partial(_read_name, _by_form(table)))
        for kind, table in WRITTEN_NAMES.items()
    ),
)
