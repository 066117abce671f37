"""Which city lies in which country, and how countries are written (data/countries.csv)."""

from generator.arguments.kinds.records import split_values
from generator.arguments.vocabulary.data_files import load_rows

CITIES_IN: dict[str, tuple[str, ...]] = {row["code"]: split_values(row["cities"]) for row in load_rows("countries")}
"""Country code (ISO 3166-1 alpha-2) → cities."""

COUNTRY_OF: dict[str, str] = {city: code for code, cities in CITIES_IN.items() for city in cities}
"""City → country code."""

SPELLINGS: dict[str, tuple[str, str, str]] = {
    row["code"]: (row["code"], row["code_3"], row["name"]) for row in load_rows("countries")
}
"""Country code → its two letters, its three letters, its name."""

CODE_OF: dict[str, str] = {spelling: code for code, spellings in SPELLINGS.items() for spelling in spellings}
"""Any spelling of a country → its code."""
