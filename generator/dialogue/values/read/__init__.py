"""Readers: from a span of text back to the value that it says. `wording.verbalizers` makes the texts that they read.

The two packages do not know each other, so that a mistake in one is not repeated by the other. A reader
takes the whole span or nothing, and does not guess. To add one: a function in the module of its family and
a line in the tuple below.
"""

from generator.dialogue.values.read.dates import read_date
from generator.dialogue.values.read.durations import read_hours, read_minutes, read_seconds
from generator.dialogue.values.read.enums import read_enum
from generator.dialogue.values.read.names import (
    NAME_READERS,
    read_cents,
    read_city_and_state,
    read_code,
    read_iso_duration,
    read_meaning,
    read_month_of_year,
    read_phone,
    read_share,
    read_thousands,
    read_url,
    read_version,
)
from generator.dialogue.values.read.numbers import (
    read_count,
    read_counted,
    read_eur,
    read_gbp,
    read_money,
    read_number,
    read_ordinal,
    read_percent,
    read_percentage,
    read_usd,
    read_words,
)
from generator.dialogue.values.read.places import read_coordinates, read_place, read_where
from generator.dialogue.values.read.reading import Reader, SpanContext
from generator.dialogue.values.read.texts import (
    read_block,
    read_commas,
    read_json_words,
    read_literal,
    read_pairs,
    read_quoted,
    read_yes_no,
)
from generator.dialogue.values.read.times import (
    read_datetime,
    read_datetime_offset,
    read_datetime_seconds,
    read_datetime_space,
    read_datetime_utc,
    read_time,
    read_time_seconds,
    read_time_utc,
)
from generator.dialogue.values.read.units import UNIT_READERS

__all__ = ["READERS", "Reader", "SpanContext"]

_ALL: tuple[tuple[str, Reader], ...] = (
    ("literal", read_literal),
    ("quoted", read_quoted),
    ("block", read_block),
    ("pairs", read_pairs),
    ("json", read_json_words),
    ("yes_no", read_yes_no),
    ("enum", read_enum),
    ("number", read_number),
    ("digits", read_number),
    ("words", read_words),
    ("count", read_count),
    ("counted", read_counted),
    ("ordinal", read_ordinal),
    ("percent", read_percent),
    ("percentage", read_percentage),
    ("amount", read_number),
    ("usd", read_usd),
    ("eur", read_eur),
    ("gbp", read_gbp),
    ("money", read_money),
    ("date", read_date),
    ("time", read_time),
    ("time_seconds", read_time_seconds),
    ("time_utc", read_time_utc),
    ("datetime", read_datetime),
    ("datetime_seconds", read_datetime_seconds),
    ("datetime_utc", read_datetime_utc),
    ("datetime_offset", read_datetime_offset),
    ("datetime_space", read_datetime_space),
    ("minutes", read_minutes),
    ("seconds", read_seconds),
    ("hours", read_hours),
    *UNIT_READERS.items(),
    *NAME_READERS.items(),
    ("meaning", read_meaning),
    ("code", read_code),
    ("url", read_url),
    ("phone", read_phone),
    ("iso_duration", read_iso_duration),
    ("month_of_year", read_month_of_year),
    ("cents", read_cents),
    ("thousands", read_thousands),
    ("share", read_share),
    ("city_and_state", read_city_and_state),
    ("commas", read_commas),
    ("coordinates", read_coordinates),
    ("version", read_version),
    ("place", read_place),
    ("where", read_where),
)

READERS: dict[str, Reader] = dict(_ALL)
