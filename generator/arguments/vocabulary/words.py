"""Words that values are made of: those that are no kind of value stand in data/words.yaml."""

from generator.arguments.kinds.records import RECORDS, split_values
from generator.arguments.vocabulary.data_files import load


def word_list(name: str) -> tuple[str, ...]:
    """Return a list of data/words.yaml."""
    return split_values(load("words")[name])


def values_of_kind(kind: str) -> tuple[str, ...]:
    """Return the values that the record of a kind lists."""
    return split_values(RECORDS[kind].values)


CITIES = values_of_kind("city")
WORDS = values_of_kind("word")
"""Everyday nouns, small."""
PROPERTY_NAMES = word_list("property_names")
"""Names for properties of objects whose schema does not name any."""
