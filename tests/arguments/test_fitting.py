"""Values of one call fit together where names say so, stay valid, and leave alone what a recipe chose."""

import re

import pytest
from arguments.making import arguments_of, faults, tool
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from generator.arguments.vocabulary.words import CITIES, CITIES_IN, CODE_OF, COUNTRY_OF, plain_letters, values_of_kind
from generator.core.toolbox import Relation
from generator.recipe import Override

TEXT = {"type": "string"}
MAIL = {"type": "string", "format": "email"}
DATE = {"type": "string", "format": "date"}
CLOCK = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}
MOMENT = {"type": "string", "format": "date-time"}


def rows(properties, count=120, **settings):
    spec = tool(properties, settings.pop("required", None))
    made = arguments_of(spec, count, **settings)
    assert all(faults(spec.tool.parameters, row) == [] for row in made)
    return made


@pytest.mark.parametrize(
    ("left", "right", "schema"),
    [
        ("start_date", "end_date", DATE),
        ("date_from", "date_to", DATE),
        ("check_in", "check_out", DATE),
        ("departure_date", "return_date", DATE),
        ("startTime", "endTime", CLOCK),
        ("starts_at", "ends_at", MOMENT),
        ("min_price", "max_price", {"type": "number", "minimum": 0, "maximum": 500}),
        ("price_min", "price_max", {"type": "integer"}),
        ("minimum_age", "maximum_age", {"type": "integer", "minimum": 18, "maximum": 99}),
    ],
)
@pytest.mark.parametrize("source", ["realistic", "property_based"])
def test_the_first_comes_before_the_second(left, right, schema, source):
    made = rows({right: schema, left: schema}, 60, source=((source, 1.0),), edge_cases=0.2)
    fits = sum(row[left] < row[right] for row in made)
    assert fits == len(made) if source == "realistic" else fits > 0.9 * len(made)  # no number is above the greatest


@settings(max_examples=examples(60), deadline=None)
@given(bounds=st.lists(st.integers(-50, 50), min_size=4, max_size=4), kind=st.sampled_from(["integer", "number"]))
def test_ranges_that_do_not_allow_the_order_stay_valid(bounds, kind):
    ranges = [{"type": kind, "minimum": min(pair), "maximum": max(pair)} for pair in (bounds[:2], bounds[2:])]
    rows({"min_size": ranges[0], "max_size": ranges[1]}, 20)


def test_other_pairs_are_left_alone():
    place = {"type": "string", "enum": ["a", "b"]}
    assert {(row["from"], row["to"]) for row in rows({"from": place, "to": place})} >= {("a", "a"), ("b", "a")}


@pytest.mark.parametrize(
    ("names", "mail"),
    [
        (("guest",), "email"),
        (("customer_name",), "customer_email"),
        (("first_name", "last_name"), "email"),
        (("fullName",), "emailAddress"),
    ],
)
def test_mail_is_like_the_name(names, mail):
    for row in rows({mail: MAIL} | dict.fromkeys(names, TEXT) | {"note": TEXT}):
        words = [plain_letters(word) for name in names for word in row[name].split()]
        local = re.sub("[^a-z]", "", row[mail].partition("@")[0])
        assert local in {"".join(words), words[0][0] + words[-1], words[0] + words[-1]}


def test_mail_is_like_a_name_that_is_declared_to_be_a_persons():
    spec = structs.replace(tool({"name": TEXT, "email": MAIL}), kinds={"name": "person_name"})
    for row in arguments_of(spec, 40):
        assert plain_letters(row["name"].split()[-1]) in re.sub("[^a-z]", "", row["email"])


def test_everybody_has_mail_of_their_own():
    made = rows(
        dict.fromkeys(("sender_name", "recipient_name"), TEXT)
        | dict.fromkeys(("sender_email", "recipient_email"), MAIL)
    )
    for row in made:
        for who in ("sender", "recipient"):
            assert plain_letters(row[f"{who}_name"].split()[-1]) in re.sub("[^a-z]", "", row[f"{who}_email"])


def test_names_in_other_letters_say_nothing_about_mail():
    made = rows({"full_name": TEXT, "email": MAIL}, locale=(("ja_JP", 1.0),))
    assert all(row["email"].isascii() for row in made)


@pytest.mark.parametrize(
    ("name", "schema", "length"),
    [
        ("country", TEXT, None),
        ("country_code", {"type": "string", "pattern": "^[A-Z]{2}$"}, 2),
        ("country", {"type": "string", "pattern": "^[A-Z]{3}$"}, 3),
    ],
)
def test_the_city_is_in_the_country(name, schema, length):
    for row in rows(
        {
            name: schema,
            "address": {"type": "object", "properties": {"city": TEXT, name: schema}, "required": ["city", name]},
            "city": TEXT,
        }
    ):
        for place in (row, row["address"]):
            assert CODE_OF[place[name]] == COUNTRY_OF[place["city"]]
            assert length is None or len(place[name]) == length


def test_a_chosen_country_moves_the_city_and_a_chosen_city_the_country():
    made = rows({"city": TEXT, "country": TEXT}, overrides={"do_it#/country": Override(choose=("Norway",))})
    assert {row["city"] for row in made} == set(CITIES_IN["NO"])
    made = rows({"city": TEXT, "country": TEXT}, overrides={"do_it#/city": Override(choose=("Lima",))})
    assert {row["country"] for row in made} == {"Peru"}


def test_countries_of_an_enum_are_used_where_they_can_be():
    made = rows({"city": TEXT, "country": {"enum": ["Norway", "Peru"]}}, 400)
    assert all(
        row["country"] == {"NO": "Norway", "PE": "Peru"}.get(COUNTRY_OF[row["city"]], row["country"]) for row in made
    )


def test_every_known_city_has_a_country_with_three_spellings():
    assert set(CITIES) <= set(COUNTRY_OF)
    assert {CODE_OF[code] for code in values_of_kind("country_code") if code in CODE_OF} <= set(CITIES_IN)
    assert len(CODE_OF) == 3 * len(CITIES_IN)


@pytest.mark.parametrize(
    ("price", "count", "total"),
    [("price", "quantity", "total"), ("unit_price", "qty", "total_amount"), ("unitPrice", "units", "lineTotal")],
)
def test_the_total_is_price_times_quantity(price, count, total):
    money = {"type": "number", "minimum": 0}
    made = rows(
        {
            total: money,
            price: money | {"multipleOf": 0.01, "maximum": 900},
            count: {"type": "integer", "minimum": 1, "maximum": 20},
        }
    )
    assert all(abs(row[total] - row[price] * row[count]) < 0.001 for row in made)


def test_a_total_that_is_not_allowed_or_chosen_stays():
    parts = {
        "price": {"type": "integer", "minimum": 50, "maximum": 90},
        "quantity": {"type": "integer", "minimum": 3, "maximum": 9},
    }
    rows(parts | {"total": {"type": "integer", "maximum": 100}})
    made = rows(parts | {"total": {"type": "integer"}}, overrides={"do_it#/total": Override(choose=(7,))})
    assert {row["total"] for row in made} == {7}


def test_what_the_spec_file_says_goes_first():
    spec = tool({"from_date": DATE, "to_date": DATE}, relations=(Relation("to_date", "<", "from_date"),))
    assert all(row["to_date"] < row["from_date"] for row in arguments_of(spec))


def test_an_empty_name_leaves_the_address_alone():
    own = {"do_it#/full_name": Override(choose=("", "Ann Lee"))}
    made = rows({"full_name": TEXT, "email": MAIL}, overrides=own)
    assert {row["full_name"] for row in made} == {"", "Ann Lee"}
    assert all("lee" in row["email"] for row in made if row["full_name"])


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_a_total_beyond_64_bits_is_left_as_it_was_drawn(kind):
    huge = {"type": kind, "minimum": 2**52, "maximum": 2**53 - 1}
    made = rows({"price": huge, "quantity": huge, "total": {"type": kind, "minimum": 0}})
    assert all(abs(row["total"]) < 2**63 for row in made)
