"""The records of data/kinds.yaml: all there is to say about each kind of value."""

import msgspec

from generator.arguments.sampling.numbers import UsualNumbers
from generator.arguments.vocabulary.data_files import listed, load


class KindRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One kind of value. Lists are texts with commas between the values.

    Where the values come from is said by exactly one of: `values`, `faker`, `texts`, `code`, `clock`, `moment`, `make`
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
    """Whether Faker makes the values; pools.py says how."""
    faker_with_locale: bool = False
    """Whether Faker makes them where a recipe names a locale."""
    texts: str = ""
    """The texts of data/texts.yaml."""
    code: str = ""
    """The form of a code: A is a letter, 9 a digit, H a hexadecimal digit, everything else itself."""
    letters: str = "ABCDEFGHJKLMNPQRSTUVWXYZ"
    """The letters of `code`."""
    clock: str = ""
    """How a clock time is written: `{time}:00`."""
    moment: str = ""
    """How a day and a clock time are written: `{day}T{time}`."""
    make: str = ""
    """A function of drawn.py."""
    number: UsualNumbers | None = None


RECORDS: dict[str, KindRecord] = msgspec.convert(load("kinds"), dict[str, KindRecord])


def kinds_by(column: str) -> dict[str, str]:
    """Return which kind each value of a column (`formats`, `forms`, …) stands for; the first of several records wins."""
    found: dict[str, str] = {}
    for kind, record in RECORDS.items():
        for value in listed(getattr(record, column)):
            found.setdefault(value, kind)
    return found
