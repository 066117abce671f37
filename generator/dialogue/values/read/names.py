"""Readers of names that stand for values ("Norway" for `NO`), and of codes, addresses and numbers that people shorten or group."""

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from generator.arguments.kinds.meanings import meanings_of
from generator.arguments.kinds.other_words import prefix_of, shows_plain_versions
from generator.arguments.kinds.written_names import WRITTEN_NAMES
from generator.dialogue.values.read.dates import MONTH_NAMES
from generator.dialogue.values.read.durations import read_seconds
from generator.dialogue.values.read.numbers import NUMBER_WORDS
from generator.dialogue.values.read.reading import SpanContext

_DIGITS = re.compile(r"[0-9][0-9-]*[0-9]")
_ADDRESS = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:/\S*)?")
_GROUPED = re.compile(r"\+[0-9]{1,3}(?:[ -][0-9]{2,6}){2,5}")
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,9})\.([0-9]{2})")
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PART = re.compile(r"(?:(a|an|one|two|three|four) )?(half|(?:third|quarter|fifth|tenth)s?)", re.IGNORECASE)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4}
_CITY = re.compile(r"([^\d,]+?)(?:, | in )([^\d,]+)")
_V_VERSION = re.compile(r"(?:v|version )([0-9]{1,4}(?:\.[0-9]{1,4}){1,3})", re.IGNORECASE)
_LARGE = re.compile(r"([1-9][0-9]{0,2})(?:\.([0-9]))?(k| thousand| million)", re.IGNORECASE)


def _by_form(table: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for value, forms in table.items():
        for form in forms:
            found.setdefault(form.casefold(), []).append(value)
    return found


def _read_name(known: dict[str, list[str]], text: str, reading: SpanContext) -> str:
    values = known.get(text.casefold(), ())
    if len(values) != 1:
        raise ValueError(f"{text!r} is the name of {'no value' if not values else 'several values'}")
    return values[0]


NAME_READERS: dict[str, Callable[[str, SpanContext], str]] = {
    kind: partial(_read_name, _by_form(table)) for kind, table in WRITTEN_NAMES.items()
}


def read_meaning(text: str, reading: SpanContext) -> str:
    """Return the member of the enum that means this."""
    members: list[Any] = []
    schemas = [reading.schema]
    for schema in schemas:
        members += schema.get("enum", [schema["const"]] if "const" in schema else ())
        schemas += [
            part for key in ("anyOf", "oneOf", "allOf") for part in schema.get(key, ()) if isinstance(part, dict)
        ]
    return _read_name(
        _by_form(meanings_of(tuple(dict.fromkeys(filter(lambda one: type(one) is str, members))))), text, reading
    )


def read_code(text: str, reading: SpanContext) -> str:
    """Return an identifier with the letters that its schema shows."""
    prefix = prefix_of(reading.schema)
    if prefix is None or not _DIGITS.fullmatch(text):
        raise ValueError(f"{text!r} is not the number of an identifier")
    return f"{prefix}{text}"


def read_url(text: str, reading: SpanContext) -> str:
    """Return a web address with its scheme."""
    if not _ADDRESS.fullmatch(text):
        raise ValueError(f"{text!r} is not a web address without a scheme")
    return f"https://{text}"


def read_phone(text: str, reading: SpanContext) -> str:
    """Return a telephone number without spaces."""
    if not _GROUPED.fullmatch(text):
        raise ValueError(f"{text!r} is not a telephone number in groups")
    return "+" + re.sub(r"\D", "", text)


def read_iso_duration(text: str, reading: SpanContext) -> str:
    """Return a length of time as ISO 8601 writes it."""
    seconds = read_seconds(text, SpanContext(schema={"type": "integer"}))
    if not isinstance(seconds, int) or seconds <= 0 or seconds % 60:
        raise ValueError(f"{text!r} is not a length of time in minutes")
    if seconds % 86_400 == 0:
        return f"P{seconds // 86_400}D"
    hours, minutes = divmod(seconds // 60, 60)
    return "PT" + (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")


def read_month_of_year(text: str, reading: SpanContext) -> str:
    """Return a month as `YYYY-MM`."""
    name, _, year = text.partition(" ")
    if name.lower() not in MONTH_NAMES or not re.fullmatch("[12][0-9]{3}", year):
        raise ValueError(f"{text!r} is not a month of a year")
    return f"{year}-{MONTH_NAMES.index(name.lower()) + 1:02}"


def read_cents(text: str, reading: SpanContext) -> int:
    """Return an amount with two decimals in cents."""
    match = _AMOUNT.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not an amount with two decimals")
    return int(match[1] + match[2])


def read_thousands(text: str, reading: SpanContext) -> int:
    """Return a large round number."""
    match = _LARGE.fullmatch(text)
    if match is None or (match[2] is not None and match[3].lower() != " million"):
        raise ValueError(f"{text!r} is not a round number")
    size = 1_000_000 if match[3].lower() == " million" else 1_000
    return int(match[1]) * size + int(match[2] or 0) * size // 10


def read_share(text: str, reading: SpanContext) -> float:
    """Return a fraction in words as a number: "three quarters" as 0.75."""
    match = _PART.fullmatch(text)
    part = "" if match is None else match[2].lower()
    number = 1 if match is None else _COUNTS.get((match[1] or "one").lower(), 1)
    if match is None or (number > 1) != part.endswith("s") or number >= _PARTS[part.removesuffix("s")]:
        raise ValueError(f"{text!r} is not a part of one")
    return number / _PARTS[part.removesuffix("s")]


def read_city_and_state(text: str, reading: SpanContext) -> str:
    """Return a city with the two letters of its state."""
    match = _CITY.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a city with its state")
    return f"{match[1]}, {NAME_READERS['state_code'](match[2], reading)}"


def read_version(text: str, reading: SpanContext) -> str:
    """Return a version without the letter before it, where its schema shows that it has none."""
    match = _V_VERSION.fullmatch(text)
    spoken = [NUMBER_WORDS.get(part) for part in text.lower().removeprefix("version ").split(" point ")]
    is_spoken = 2 <= len(spoken) <= 4 and None not in spoken
    if not (match or is_spoken) or not shows_plain_versions(reading.schema):
        raise ValueError(f"{text!r} is not a version")
    return match[1] if match else ".".join(map(str, spoken))
