"""What a call leaves out counts as the default that the tool's schema names, and is still not given."""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.core.seeds import Draw
from generator.tools.specs import load_toolbox
from generator.world import compile_backend
from generator.world.backend import Backend
from generator.world.state.entities import entities_of
from tests.examples import examples

TODAY = date(2026, 3, 4)
LOANS = """
entities:
  loan:
    key: loan_id
    count: [6, 9]
    fields:
      loan_id: {type: string, pattern: "^LN-[0-9]{5}$"}
      title: {type: string, examples: [Dune, Emma, Ulysses, Solaris, Middlemarch, Beloved, Persuasion, Hamlet]}
      days: {type: integer, minimum: 1, maximum: 40}
      shelf: {type: string, enum: [a, b]}
      is_back: {type: boolean}
      desk: {type: string, enum: [main, side]}
    called: [title]
tools:
  - name: list_loans
    parameters:
      type: object
      properties:
        shelf: {type: string, enum: [a, b], default: a}
        most: {type: integer, default: 30}
        with_returned: {type: boolean, default: false}
        is_back: {type: boolean, default: false}
        order: {type: string, enum: [days, title], default: days}
        limit: {type: integer, default: 2}
        locale: {type: string, default: en}
    returns:
      type: object
      properties:
        loans: {type: array, maxItems: 9, items: {type: object, properties: {loan_id: {type: string}, title: {type: string}, days: {type: integer}, shelf: {type: string}, is_back: {type: boolean}}, required: [loan_id, title, days, shelf, is_back]}}
        asked: {type: boolean, x-compute: given(limit)}
        note: {type: string, x-compute: "args.locale + ' up to ' + str(args.limit)"}
      required: [loans, asked, note]
    effect:
      find: loan
      at: loans
      by: {shelf: shelf, most: days <= args.most, with_returned: args.with_returned or not is_back, is_back: is_back}
      sort: {order: {days: days, title: title}}
      limit: limit
  - name: add_loan
    parameters:
      type: object
      properties: {title: {type: string}, days: {type: integer, default: 14}, shelf: {type: string, enum: [a, b], default: b}, at: {type: string, default: side}}
      required: [title]
    returns: {type: object, properties: {loan_id: {type: string}, days: {type: integer}, shelf: {type: string}, desk: {type: string}}, required: [loan_id, days, shelf, desk]}
    effect: {create: loan, set: {desk: args.at, is_back: false}}
  - name: change_loan
    parameters:
      type: object
      properties: {loan_id: {type: string}, days: {type: integer, default: 14}}
      required: [loan_id]
    returns: {type: object, properties: {loan_id: {type: string}, days: {type: integer}}, required: [loan_id, days]}
    effect: {update: loan}
  - name: filter_loans
    parameters: {type: object, properties: {filter: {type: object, properties: {shelf: {type: string, enum: [a, b]}, desk: {type: string, enum: [main, side]}}, additionalProperties: false}}}
    returns: {type: object, properties: {loans: {type: array, maxItems: 9, items: {type: object, properties: {shelf: {type: string}, desk: {type: string}}, required: [shelf, desk]}}}, required: [loans]}
    effect: {find: loan, at: loans, by: {filter: "(not given(args.filter.shelf) or shelf == args.filter.shelf) and (not given(args.filter.desk) or desk == args.filter.desk)"}}
  - name: quote
    parameters: {type: object, properties: {nights: {type: integer, default: 3}, rate: {type: [integer, "null"], default: 20}}}
    returns:
      type: object
      properties:
        total: {type: integer, minimum: -9, maximum: -1, x-compute: args.nights * args.rate}
        rooms: {type: array, minItems: 5, maxItems: 5, x-maximum: nights, items: {type: integer, minimum: 1, maximum: 999}}
      required: [total, rooms]
"""
DEFAULTS = {
    "shelf": "a",
    "most": 30,
    "with_returned": False,
    "order": "days",
    "limit": 2,
    "locale": "en",
}


@cache
def loans() -> Backend:
    path = Path(mkdtemp()) / "loans.yaml"
    path.write_text(LOANS)
    return compile_backend(load_toolbox([path]), compile_value, 3)


def answer(salt: int, tool: str, arguments: dict[str, Any]) -> Any:
    (outcome,) = loans().open(TODAY, salt).step([ToolCall("id", tool, arguments)])
    assert outcome.ok
    return outcome.value


CALLS = st.fixed_dictionaries(
    {},
    optional={
        "shelf": st.sampled_from("ab"),
        "most": st.integers(1, 40),
        "with_returned": st.booleans(),
        "order": st.sampled_from(["days", "title"]),
        "limit": st.integers(1, 9),
        "locale": st.text("xyz"),
    },
)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 2**64 - 1), CALLS)
def test_a_call_is_answered_as_one_that_says_the_defaults(salt: int, call: dict[str, Any]) -> None:
    found, whole = answer(salt, "list_loans", call), answer(salt, "list_loans", {**DEFAULTS, **call})
    assert found["asked"] == ("limit" in call)
    assert {**found, "asked": True} == whole
    assert all(one["shelf"] == {**DEFAULTS, **call}["shelf"] for one in found["loans"])


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_a_flag_that_is_off_is_no_filter(salt: int) -> None:
    found = answer(salt, "list_loans", {"most": 99, "with_returned": True, "limit": 9})["loans"]
    off = answer(salt, "list_loans", {"most": 99, "with_returned": True, "limit": 9, "is_back": False})["loans"]
    assert off == [one for one in found if not one["is_back"]]


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1), CALLS)
def test_what_is_put_in_for_a_search_is_found_by_the_defaults(salt: int, call: dict[str, Any]) -> None:
    world = loans().open(TODAY, salt)
    entities = entities_of(world)
    assert entities is not None
    asked = entities.fit("list_loans", call, Draw(salt, TODAY))
    assert asked.keys() <= call.keys()
    (found,) = world.step([ToolCall("id", "list_loans", asked)])
    assert found.value["loans"]


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_what_is_made_has_them_and_a_change_leaves_alone_what_it_does_not_name(salt: int) -> None:
    world = loans().open(TODAY, salt)
    (made,) = world.step([ToolCall("id", "add_loan", {"title": "Emma", "days": 5})])
    assert {**made.value, "loan_id": ""} == {"loan_id": "", "days": 5, "shelf": "b", "desk": "side"}
    (changed,) = world.step([ToolCall("id", "change_loan", {"loan_id": made.value["loan_id"]})])
    assert changed.value["days"] == 5


@pytest.mark.parametrize(
    ("call", "total"), [({}, 60), ({"nights": 5}, 100), ({"rate": 7}, 21), ({"nights": 2, "rate": 9}, 18)]
)
def test_results_are_computed_with_them(call: dict[str, Any], total: int) -> None:
    result = answer(1, "quote", call)
    assert (result["total"], len(result["rooms"])) == (total, min(call.get("nights", 3), 5))


def test_null_is_not_left_out() -> None:
    assert answer(1, "quote", {"rate": None})["total"] < 0


@settings(max_examples=examples(40), deadline=None)
@given(
    st.integers(0, 2**64 - 1),
    st.fixed_dictionaries({}, optional={"shelf": st.sampled_from("ab"), "desk": st.sampled_from(["main", "side"])}),
)
def test_filters_within_an_argument_count_where_they_are_given(salt: int, told: dict[str, Any]) -> None:
    world = loans().open(TODAY, salt)
    entities = entities_of(world)
    assert entities is not None
    asked = entities.fit("filter_loans", {"filter": told}, Draw(salt, TODAY))
    every, found = (
        world.step([ToolCall("id", "filter_loans", call)])[0].value["loans"] for call in ({}, {"filter": told})
    )
    assert found == [one for one in every if told.items() <= one.items()]
    assert asked == {"filter": told}
    assert found
