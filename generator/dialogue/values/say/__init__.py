"""Ways to say a value as a person would type it. `validation.readers` turns the text back into the value.

Each name here has a reader of the same name, written without this package. To add a verbalizer: a
`say` function in the module of its family, a line in the tuple below, and a reader.
"""

from generator.dialogue.values.say.choose import FAMILIES, verbalizers_for, verbalizers_for_result
from generator.dialogue.values.say.dates import FIRST_WITHOUT_ON, say_date, takes_on
from generator.dialogue.values.say.durations import say_hours, say_minutes, say_seconds
from generator.dialogue.values.say.enums import enum_forms, say_enum_value, say_nothing_known
from generator.dialogue.values.say.names import (
    NAME_SAYERS,
    say_cents,
    say_city_and_state,
    say_code,
    say_iso_duration,
    say_month_of_year,
    say_phone,
    say_share,
    say_thousands,
    say_url,
    say_version,
)
from generator.dialogue.values.say.numbers import (
    Money,
    say_amount,
    say_count,
    say_counted,
    say_digits,
    say_eur,
    say_gbp,
    say_money,
    say_number,
    say_ordinal,
    say_percent,
    say_percentage,
    say_usd,
    say_words,
)
from generator.dialogue.values.say.places import say_coordinates, say_place, say_point, say_where
from generator.dialogue.values.say.texts import (
    is_like_a_number,
    say_block,
    say_commas,
    say_json,
    say_literal,
    say_pairs,
    say_quoted,
    say_yes_no,
)
from generator.dialogue.values.say.times import (
    say_datetime,
    say_datetime_offset,
    say_datetime_seconds,
    say_datetime_space,
    say_datetime_utc,
    say_time,
    say_time_seconds,
    say_time_utc,
)
from generator.dialogue.values.say.units import UNIT_SAYERS
from generator.dialogue.values.say.verbalizer import Verbalizer

__all__ = [
    "FAMILIES",
    "FIRST_WITHOUT_ON",
    "VERBALIZERS",
    "Money",
    "Verbalizer",
    "enum_forms",
    "is_like_a_number",
    "say_point",
    "takes_on",
    "verbalizers_for",
    "verbalizers_for_result",
]

_ALL = (
    Verbalizer("literal", say_literal),
    Verbalizer("quoted", say_quoted),
    Verbalizer("block", say_block),
    Verbalizer("pairs", say_pairs),
    Verbalizer("json", say_json),
    Verbalizer("yes_no", say_yes_no),
    Verbalizer("enum", say_enum_value),
    Verbalizer("number", say_number),
    Verbalizer("digits", say_digits),
    Verbalizer("words", say_words),
    Verbalizer("count", say_count),
    Verbalizer("counted", say_counted),
    Verbalizer("ordinal", say_ordinal),
    Verbalizer("percent", say_percent),
    Verbalizer("percentage", say_percentage),
    Verbalizer("amount", say_amount),
    Verbalizer("usd", say_usd),
    Verbalizer("eur", say_eur),
    Verbalizer("gbp", say_gbp),
    Verbalizer("money", say_money),
    Verbalizer("date", say_date),
    Verbalizer("time", say_time),
    Verbalizer("time_seconds", say_time_seconds),
    Verbalizer("time_utc", say_time_utc),
    Verbalizer("datetime", say_datetime),
    Verbalizer("datetime_seconds", say_datetime_seconds),
    Verbalizer("datetime_utc", say_datetime_utc),
    Verbalizer("datetime_offset", say_datetime_offset),
    Verbalizer("datetime_space", say_datetime_space),
    Verbalizer("minutes", say_minutes),
    Verbalizer("seconds", say_seconds),
    Verbalizer("hours", say_hours),
    *(Verbalizer(unit, say) for unit, say in UNIT_SAYERS.items()),
    *(Verbalizer(kind, say) for kind, say in NAME_SAYERS.items()),
    Verbalizer("meaning", say_nothing_known),
    Verbalizer("code", say_code),
    Verbalizer("url", say_url),
    Verbalizer("phone", say_phone),
    Verbalizer("iso_duration", say_iso_duration),
    Verbalizer("month_of_year", say_month_of_year),
    Verbalizer("cents", say_cents),
    Verbalizer("thousands", say_thousands),
    Verbalizer("share", say_share),
    Verbalizer("city_and_state", say_city_and_state),
    Verbalizer("commas", say_commas),
    Verbalizer("coordinates", say_coordinates),
    Verbalizer("version", say_version),
    Verbalizer("place", say_place),
    Verbalizer("where", say_where),
)

VERBALIZERS: dict[str, Verbalizer] = {verbalizer.name: verbalizer for verbalizer in _ALL}
