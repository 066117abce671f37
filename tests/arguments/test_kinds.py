"""Every kind makes plausible, non-empty values, and names find their kinds."""

import re

import pytest
from arguments.making import arguments_of, draws, tool

from generator.arguments import KINDS, compile_value
from generator.arguments.kinds.names import kind_of_name
from generator.arguments.sampling.numbers import UsualNumbers

NUMBERS = {name for name, kind in KINDS.items() if isinstance(kind, UsualNumbers)} | {"year", "birth_year"}
LOOKS = {
    "airport_code": r"[A-Z]{3}",
    "currency_code": r"[A-Z]{3}",
    "country_code": r"[A-Z]{2}",
    "language_code": r"[a-z]{2}",
    "date": r"2026-\d\d-\d\d",
    "birth_date": r"(19|20)\d\d-\d\d-\d\d",
    "time": r"([01]\d|2[0-3]):[0-5]\d",
    "local_date_time": r"2026-\d\d-\d\dT\d\d:\d\d",
    "date_time": r"2026-\d\d-\d\dT\d\d:\d\d:00Z",
    "email": r"[a-z0-9.]+@[a-z]+\.(com|org|net|example)",
    "phone_e164": r"\+\d{8,15}",
    "uuid": r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
    "hex_color": r"#[0-9a-f]{6}",
    "ipv4": r"\d+\.\d+\.\d+\.\d+",
    "mac": r"([0-9a-f]{2}:){5}[0-9a-f]{2}",
    "url": r"https://\S+",
    "version": r"\d+\.\d+\.\d+",
    "order_number": r"ORD-\d{5}",
    "file_name": r"[a-z_0-9]+\.[a-z]+",
    "person_name": r"[^\W\d_]\S* .+",
    "sku": r"[A-Z]{3}-\d{4}",
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_makes_plausible_values(kind):
    values = draws(compile_value({"type": "number" if kind in NUMBERS else "string"}, "thing", 1, kind=kind), 120)
    if kind in NUMBERS:
        assert all(isinstance(value, int | float) for value in values)
    else:
        assert all(
            isinstance(value, str) and value.strip() == value and value.isprintable() and value for value in values
        )
        assert all(re.fullmatch(LOOKS.get(kind, ".+"), value) for value in values)
        assert "lorem" not in " ".join(values).lower()
    assert len(set(values)) >= 3


@pytest.mark.parametrize(
    ("name", "parents", "kind"),
    [
        ("city", (), "city"),
        ("cities", (), "city"),
        ("departure_city", (), "city"),
        ("cityName", (), "city"),
        ("capacity", (), None),
        ("period", (), None),
        ("zip", (), "postal_code"),
        ("checkInDate", (), "date"),
        ("name", ("customer",), "person_name"),
        ("name", ("hotels",), "hotel_name"),
        ("street", ("address",), "street_address"),
        ("ip_address", (), "ipv4"),
        ("city_id", (), "identifier"),
        ("user-email", (), "email"),
        ("attendees", (), "person_name"),
    ],
)
def test_whole_words_of_names_find_kinds(name, parents, kind):
    assert kind_of_name(name, parents, is_number=False) == kind


def test_numbers_are_what_their_names_say():
    made = arguments_of(tool({name: {"type": "integer"} for name in ("guests", "year", "port", "limit")}))
    assert {row["year"] for row in made} <= set(range(2023, 2030))
    assert max(row["guests"] for row in made) <= 10
    assert 443 in {row["port"] for row in made}
    assert {row["limit"] for row in made} <= {3, 5, 8, 10, 15, 20, 25, 50}


def test_dates_are_soon_and_past_dates_are_past():
    soon = draws(compile_value({"type": "string", "format": "date"}, "date", 1))
    assert all("2026-03-02" <= value <= "2026-05-30" for value in soon)
    past = draws(compile_value({"type": "string", "format": "date"}, "date", 1, when="past"))
    assert all(value < "2026-03-01" for value in past)


def test_prices_have_two_decimals_at_most():
    values = draws(compile_value({"type": "number", "minimum": 0}, "price", 1))
    assert all(round(value, 2) == value for value in values)
    assert any(value != int(value) for value in values)
    assert any(value == int(value) for value in values)
