"""Words and texts that values are made of, and which city lies in which country: the files of `data`, and kinds of values."""

import csv
import io
import re
import unicodedata
from datetime import date
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from generator.arguments.kinds.records import RECORDS, split_values
from generator.core.files import read_regular
from generator.core.seeds import Draw, stream_seed
from generator.core.text_grammars import expand_texts
from generator.core.yaml_values import own_data

_COUNTRIES = list(
    csv.DictReader(io.StringIO(read_regular(Path(__file__).with_name("data") / "countries.csv").decode(), newline=""))
)
"""The rows of data/countries.csv, by column."""


@cache
def load(name: str) -> Any:
    """Return the content of `data/NAME.yaml`."""
    return own_data(__file__, f"data/{name}.yaml")


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


def plain_letters(name: str) -> str:
    """Return a name as it stands in an email address: lower-case ASCII letters only."""
    letters = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ø", "o").replace("Ø", "O"))
    return "".join(letter for letter in letters.lower() if letter.isascii() and letter.isalpha())


CITIES_IN: dict[str, tuple[str, ...]] = {row["code"]: split_values(row["cities"]) for row in _COUNTRIES}
"""Country code (ISO 3166-1 alpha-2) → cities."""

COUNTRY_OF: dict[str, str] = {city: code for code, cities in CITIES_IN.items() for city in cities}
"""City → country code."""

SPELLINGS: dict[str, tuple[str, str, str]] = {
    row["code"]: (row["code"], row["code_3"], row["name"]) for row in _COUNTRIES
}
"""Country code → its two letters, its three letters, its name."""

CODE_OF: dict[str, str] = {spelling: code for code, spellings in SPELLINGS.items() for spelling in spellings}
"""Any spelling of a country → its code."""


_OF_EACH = 24
_SMALL = frozenset({"query", "reason", "code_query", "web_query"})
"""Texts that people do not begin with a capital letter."""


@cache
def composed(grammar: str) -> tuple[str, ...]:
    """Return the texts that a kind's grammar stands for."""
    return expand_texts(tuple(grammar.splitlines()))


def write_texts(name: str) -> tuple[str, ...]:
    """Return texts of a name in the data file, up to two dozen of each template."""
    data = load("texts")
    draw = Draw(stream_seed("texts", name), date.min)
    texts: list[str] = []
    for template in data["texts"][name].splitlines():
        slots = list(dict.fromkeys(re.findall(r"{(\w+)}", template)))
        parts = [split_values(data["parts"][slot]) if slot in data["parts"] else values_of_kind(slot) for slot in slots]
        for chosen in draw.shuffled(list(product(*parts)))[:_OF_EACH]:
            text = template.format(**dict(zip(slots, chosen, strict=True)))
            texts.append(text if name in _SMALL else text[0].upper() + text[1:])
    return tuple(dict.fromkeys(texts))
