"""The records of kinds.yaml and composed.yaml: one for each kind of value."""

from typing import Literal

import msgspec

from generator.core.yaml_values import own_data


class UsualNumbers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The usual numbers of one kind; those that a schema does not allow are not used."""

    usual: tuple[int | float, ...] = ()
    """Values by frequency; without any, `low` and `high` say where to draw."""
    low: float | None = None
    high: float | None = None
    step: str | None = None
    """Distance of the values, exactly: `0.01`."""
    is_round: bool = True
    """Whether round figures are likelier than others."""
    is_money: bool = False
    """Whether values are amounts: whole, or with the cents that prices have."""
    real: "UsualNumbers | None" = None
    """What is usual when the numbers need not be whole."""
    yields: bool = False
    """Whether a closed range in the schema says more than `usual`."""


class KindRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of value. Lists are texts with commas between the values.

    Where the values come from is said by exactly one of: `values`, `faker`, `texts`, `grammar`, `code`, `clock`, `moment`, `make`
    and `number`.
    """

    names: str = ""
    """Names of parameters that ask for this kind, word by word, singular and small."""
    forms: str = ""
    """Words of a description that fix how the value is written, whatever its name (`yyyy-mm-dd`)."""
    descriptions: str = ""
    """Words of a description that ask for this kind where the name says nothing."""
    formats: str = ""
    """Values of JSON Schema's `format` that ask for it."""
    also: str = ""
    """Kinds to try where a schema does not allow this one's values (a country is also written as its code)."""
    has_shape: bool = False
    """Whether a pattern alone can ask for it, as it does for dates."""
    is_number: bool = False
    """Whether values are numbers although there is no `number`."""
    when: str | None = None
    """Days that dates are drawn from, whatever the schema says: `past` or `birth`."""
    edges: str = ""
    """Unusual values that somebody could mean."""
    values: str = ""
    """The values, those that are likelier more than once."""
    faker: bool = False
    """Whether Faker makes the values; vocabulary/pools.py says how."""
    faker_with_locale: bool = False
    """Whether Faker makes them where a recipe names a locale."""
    texts: str = ""
    """The texts of data/texts.yaml."""
    grammar: str = ""
    """Small grammars of the values, one a line: `The {Copper|Blue} {Pot|Plate}` stands for four."""
    code: str = ""
    """The form of a code: A is a letter, 9 a digit, H a hexadecimal digit, everything else itself."""
    letters: str = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    """The letters of `code`."""
    clock: str = ""
    """How a clock time is written: `{time}:00`."""
    moment: str = ""
    """How a day and a clock time are written: `{day}T{time}`."""
    make: str = ""
    """A function of vocabulary/kinds.py."""
    number: UsualNumbers | None = None
    verbalizer: Literal["", "quoted", "amount", "number"] = ""
    """How people say the values where the schema does not tell: as a quotation ("quoted"), as money ("amount": "$12"),
    or in digits ("number"), although other whole numbers are also said in words ("two")."""


def split_values(text: str) -> tuple[str, ...]:
    """Return the values of a text with commas between them."""
    return tuple(text.split(", ")) if text else ()


RECORDS: dict[str, KindRecord] = msgspec.convert(
    own_data(__file__, "kinds.yaml") | own_data(__file__, "composed.yaml"), dict[str, KindRecord]
)
NEUTRAL_WORDS = frozenset(split_values(own_data(__file__, "neutral_words.yaml")["neutral_words"]))
"""Words at the end of a name that say nothing about its kind."""


def kinds_by(column: str) -> dict[str, str]:
    """Return which kind each value of a column (`formats`, `forms`, …) stands for; the first of several records wins."""
    kinds: dict[str, str] = {}
    for kind, record in RECORDS.items():
        for value in split_values(getattr(record, column)):
            kinds.setdefault(value, kind)
    return kinds
