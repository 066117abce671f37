"""Which hint decides what a value looks like, and how often what is optional is there."""

import pytest
from arguments.making import arguments_of, draws, tool, tool_of

from generator.arguments import compile_source, compile_value
from generator.arguments.vocabulary.words import CITIES, values_of_kind
from generator.core.errors import RecipeError, SpecError
from generator.recipe import ArgumentSettings, Override

TEXT = {"type": "string"}


def test_examples_of_the_spec_come_before_its_kinds_and_those_before_names():
    spec = tool(
        {"city": TEXT, "origin": TEXT, "place": TEXT},
        examples={"place": ("Moon base",)},
        kinds={"origin": "airport_code"},
    )
    made = arguments_of(spec, 50)
    assert {row["place"] for row in made} == {"Moon base"}
    assert {row["origin"] for row in made} <= set(values_of_kind("airport_code"))
    assert {row["city"] for row in made} <= set(CITIES)


def test_hints_that_the_schema_does_not_allow_are_passed_over():
    spec = tool({"city": {"type": "string", "pattern": "^[A-Z]{3}$"}, "email": {"type": "string", "maxLength": 3}})
    made = arguments_of(spec, 50)
    assert {row["city"] for row in made} <= set(values_of_kind("airport_code"))
    assert all(0 < len(row["email"]) <= 3 for row in made)


def test_schema_examples_are_used():
    assert set(draws(compile_value({"type": "string", "examples": ["red", "green", "blue"]}, "x", 1))) == {
        "red",
        "green",
        "blue",
    }
    codes = draws(compile_value({"type": "string", "examples": ["AB-1234"]}, "x", 1))
    assert len(set(codes)) > 100
    assert all(code.startswith("AB-") and code[3:].isdigit() for code in codes)


def test_descriptions_can_fix_how_a_value_is_written():
    values = draws(compile_value({"type": "string", "description": "Where to start, an IATA code"}, "start", 1))
    assert set(values) <= set(values_of_kind("airport_code"))


def test_descriptions_can_ask_for_several_values_with_commas():
    listed = {"type": "string", "description": "Comma-separated list"}
    spec = tool(
        {"city": listed, "tags": listed, "both": listed}, examples={"tags": ("red", "blue"), "both": ("red,blue",)}
    )
    made = arguments_of(spec, 60, edge_cases=0)
    assert {len(row["city"].split(",")) for row in made} == {1, 2, 3}
    assert {city for row in made for city in row["city"].split(",")} <= set(CITIES)
    assert {row["tags"] for row in made} == {"red", "blue", "red,blue", "blue,red"}
    assert {row["both"] for row in made} == {"red,blue"}


def test_items_and_nested_properties_have_their_own_hints():
    items = {
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "properties": {"product": TEXT, "quantity": {"type": "integer"}},
            "required": ["product"],
        },
    }
    spec = tool(
        {"items": items, "friends": {"type": "array", "items": TEXT}},
        examples={"items/*/product": ("kettle",)},
        kinds={"friends/*": "first_name"},
    )
    for row in arguments_of(spec, 50):
        assert {item["product"] for item in row["items"]} == {"kettle"}
        assert all(" " not in name or name.istitle() for name in row["friends"])
        assert len(set(row["friends"])) == len(row["friends"])


def test_optional_parameters_are_both_there_and_not():
    spec = tool({"a": TEXT, "b": TEXT}, required=["a"])
    for share, low, high in ((0.0, 0, 0), (0.4, 50, 110), (1.0, 200, 200)):
        assert low <= sum("b" in row for row in arguments_of(spec, 200, optional=share)) <= high


def test_nullable_values_are_mostly_there():
    made = arguments_of(tool({"note": {"type": ["string", "null"]}}), 400)
    assert 10 < sum(row["note"] is None for row in made) < 150


def test_edge_cases_reach_the_bounds():
    spec = tool({
        "n": {"type": "integer", "minimum": 1, "maximum": 100},
        "x": {"type": "number", "multipleOf": 0.05, "minimum": 0.05, "maximum": 9},
        "last_name": {"type": "string", "maxLength": 40},
        "tags": {"type": "array", "items": TEXT, "maxItems": 6},
        "d": {"type": "string", "format": "date"},
    })  # fmt: skip
    made = arguments_of(spec, 600, edge_cases=0.6)
    assert {1, 100} <= {row["n"] for row in made}
    assert {0.05, 9} <= {row["x"] for row in made}
    assert any(not row["last_name"].isascii() for row in made)
    assert {0, 6} <= {len(row["tags"]) for row in made}
    assert {"2026-12-31", "2027-02-28"} <= {row["d"] for row in made}
    assert max(row["d"] for row in made) < "2027-06"
    usual = arguments_of(spec, 600)
    assert all(row["last_name"] and row["tags"] for row in usual)


def test_values_are_fresh():
    make = compile_source(tool({"a": {"enum": [{"b": [1]}]}}), ArgumentSettings(), 1)
    for row in draws(make, 5):
        assert row == {"a": {"b": [1]}}
        row["a"]["b"].append(2)


def test_overrides_by_tool_and_pointer():
    spec = tool({"city": TEXT, "guests": {"type": "integer"}, "stops": {"type": "array", "items": TEXT, "minItems": 1}})
    overrides = {
        "do_it#/city": Override(choose=("Oslo", "Rome")),
        "do_it#/stops/*": Override(kind="airport_code"),
        "do_it#/guests": Override(source="property_based"),
        "other#/city": Override(choose=("Paris",)),
    }
    made = arguments_of(spec, 150, overrides=overrides)
    assert {row["city"] for row in made} == {"Oslo", "Rome"}
    assert {stop for row in made for stop in row["stops"]} <= set(values_of_kind("airport_code"))
    assert min(row["guests"] for row in made) < 0
    wild = arguments_of(
        spec, 150, overrides={"do_it": Override(source="property_based"), "do_it#/city": Override(choose=("Oslo",))}
    )
    assert {row["city"] for row in wild} == {"Oslo"}
    assert min(row["guests"] for row in wild) < 0


@pytest.mark.parametrize(
    ("key", "override", "told"),
    [
        ("do_it#/town", Override(choose=("x",)), "do_it has no parameter 'town'"),
        ("do_it#/city", Override(choose=(3,)), "3 is not valid for do_it at /city: 3 is not of type"),
        ("do_it#/city", Override(kind="citty"), "no kind of value 'citty' \\(did you mean \"city\"\\?\\)"),
    ],
)
def test_overrides_that_cannot_be_are_refused(key, override, told):
    with pytest.raises(RecipeError, match=told):
        compile_source(tool({"city": TEXT}), ArgumentSettings(overrides={key: override}), 1)


def test_unknown_kinds_are_refused():
    with pytest.raises(SpecError, match=r"d\.yaml:1: do_it: kinds\.city: no kind of value 'town'"):
        compile_source(tool({"city": TEXT}, kinds={"city": "town"}), ArgumentSettings(), 1)
    with pytest.raises(SpecError, match="no kind of value 'town'"):
        compile_value(TEXT, "city", 1, kind="town")


def test_a_tool_without_parameters_takes_none():
    assert arguments_of(tool_of(None), 3) == [{}, {}, {}]
    assert arguments_of(tool_of({"type": "object", "properties": {}}), 3) == [{}, {}, {}]


def test_edge_days_are_near_today_and_births_are_not():
    spec = tool(
        {
            "due_date": {"type": "string", "format": "date"},
            "birth_date": {"type": "string", "format": "date"},
            "order_date": {"type": "string", "format": "date"},
        }
    )
    made = arguments_of(spec, 200, edge_cases=1.0)
    assert {row["due_date"] for row in made} == {"2026-03-31", "2026-12-31", "2027-01-01", "2027-02-28"}
    assert {row["order_date"] for row in made} == {"2025-12-31", "2026-01-01", "2025-02-28"}
    assert "2000-02-29" in {row["birth_date"] for row in made}
    assert max(row["birth_date"] for row in made) < "2005"
