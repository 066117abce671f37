"""Words that values are made of: those that are no kind of value stand in data/words.yaml."""

from generator.arguments.vocabulary.data_files import load
from generator.kinds.records import RECORDS, listed


def words(name: str) -> tuple[str, ...]:
    """Return a list of data/words.yaml."""
    return listed(load("words")[name])


def values_of(kind: str) -> tuple[str, ...]:
    """Return the values that the record of a kind lists."""
    return listed(RECORDS[kind].values)


CITIES = values_of("city")
WORDS = values_of("word")
"""Everyday nouns, small."""
PROPERTY_NAMES = words("property_names")
"""Names for properties of objects whose schema does not name any."""
