"""Contradictions in results are found by their structure, and results that are right have none."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.tools.sampled import contradictions_in, sampled_lines, sampled_tools
from generator.tools.specs import load_toolbox

MONEY = st.integers(1, 99_999).map(lambda cents: cents / 100)
LINES = st.lists(st.fixed_dictionaries({"name": st.sampled_from("abc"), "price": MONEY, "quantity": st.integers(1, 9)}), min_size=1, max_size=6)  # fmt: skip
DAYS = st.dates(date(1990, 1, 1), date(2040, 1, 1))


def places(result: Any, *, is_whole: bool = True) -> list[str]:
    """Where the result contradicts itself, after it went through JSON."""
    return [place for place, _ in contradictions_in(json.loads(json.dumps(result)), is_whole=is_whole)]


@given(LINES, MONEY, DAYS, st.integers(0, 900), st.booleans())
def test_what_agrees_is_no_contradiction(
    lines: list, shipping: float, day: date, days: int, with_shipping: bool
) -> None:
    end = day + timedelta(days)
    total = sum(one["price"] * one["quantity"] for one in lines) + (shipping if with_shipping else -shipping)
    order = {
        "orders": lines,
        "order_count": len(lines),
        "count": len(lines),
        "shipping": shipping,
        "total": round(total, 2),
        "ordered_on": day.isoformat(),
        "year": day.year,
        "month": day.strftime("%B"),
        "weekday": day.strftime("%a"),
        "start_date": day.isoformat(),
        "end_date": end.isoformat(),
        "end_year": str(end.year),
        "from_city": "Oslo",
        "to_city": "Bergen",
        "min_price": min(one["price"] for one in lines),
        "max_price": max(one["price"] for one in lines),
    }
    assert places({"order": order}) == []
    assert places([order, {"total_quantity": sum(one["quantity"] for one in lines), "lines": lines}]) == []


@given(LINES, DAYS, st.integers(1, 900), st.integers(1, 5))
def test_what_differs_is_found_where_it_stands(lines: list, day: date, days: int, more: int) -> None:
    total = round(sum(one["price"] * one["quantity"] for one in lines), 2)
    wrong = {
        "a": {"lines": lines, "count": len(lines) + more},
        "b": {"lines": lines, "line_count": len(lines) - more},
        "c": {"lines": lines, "total": total + 1e6 * more},
        "d": {"lines": lines, "total_quantity": 100 + more},
        "e": {"published": day.isoformat(), "year": day.year + more},
        "f": {"published_year": day.year - more, "published_at": f"{day.isoformat()}T10:00:00Z"},
        "g": {"date": day.isoformat(), "weekday": (day + timedelta(more)).strftime("%A")},
        "h": {"date": day.isoformat(), "month": day.month % 12 + 1},
        "i": {"starts_on": (day + timedelta(days)).isoformat(), "ends_on": day.isoformat()},
        "j": {"checkIn": (day + timedelta(days)).isoformat(), "checkOut": day.isoformat()},
        "k": {"price_min": 3 + more, "price_max": 3},
        "l": {"from_station": "Brig", "to_station": "Brig"},
    }
    found = places({"results": [wrong]})
    names = ["count", "line_count", "total", "total_quantity", "year", "published_year", "weekday", "month", "starts_on", "checkIn", "price_min", "from_station"]  # fmt: skip
    assert found == [f"results/*/{key}/{name}" for key, name in zip(wrong, names, strict=True)]


@given(LINES, st.integers(1, 9))
def test_a_list_that_may_be_cut_short_has_at_most_as_many(lines: list, more: int) -> None:
    assert places({"lines": lines, "total": len(lines) + more}, is_whole=False) == []
    assert places({"lines": lines, "count": len(lines) - 1}, is_whole=False) == ["count"]


@pytest.mark.parametrize(
    "fine",
    [
        {"release_year": 1994, "showing_date": "2026-03-04", "title": "Heat"},
        {"order_number": 7, "orders": [{"id": 1}, {"id": 2}]},
        {"total": 120, "items": [{"name": "Rope", "quantity": 2}]},
        {"total_pages": 9, "lines": [{"price": 2}]},
        {"start_time": "22:30", "end_time": "06:00"},
        {"from_account": 12, "to_account": 7},
        {"starts": "2026-03-04T10:00:00Z", "ends": "2026-03-04T09:00:00"},
        {"first_name": "Zoe", "last_name": "Abel"},
        {"guests": ["a"], "seat_count": 4},
        {"date": "2026-02-30", "year": 2025},
        {"day": "2026-03-04", "week": 10},
        "not an object",
    ],
)
def test_what_has_nothing_to_do_with_each_other_is_not_compared(fine: Any) -> None:
    assert places(fine) == []


LENDING = """
entities:
  loan:
    key: loan_id
    count: [4, 6]
    fields:
      loan_id: {type: string, pattern: "^LN-[0-9]{5}$"}
      title: {type: string, examples: [The Long Way, A Short Walk, Under Ice, Two Rivers]}
      subtitle: {type: string, x-compute: title}
      lent_on: {type: string, format: date, x-when: past}
      year: {type: integer, x-compute: "2000 + len(title)"}
      notes: {type: array, items: {type: string}, examples: [[]]}
tools:
- name: list_loans
  parameters: {type: object, properties: {with_notes: {type: boolean}}}
  returns: {type: object, properties: {serial: {type: integer}, count: {type: integer, minimum: 20, maximum: 90}, loans: {type: array, maxItems: 9, items: {type: object, properties: {loan_id: {type: string}, title: {type: string}}, required: [loan_id, title]}}}, required: [serial, count, loans]}
  effect: {find: loan, at: loans}
- name: get_loan
  parameters: {type: object, properties: {loan_id: {type: string}}, required: [loan_id]}
  returns: {type: object, properties: {loan_id: {type: string}, title: {type: string}, subtitle: {type: string}, lent_on: {type: string}, year: {type: integer}, notes: {type: array, items: {type: string}}}, required: [loan_id, title, subtitle, lent_on, year, notes]}
  effect: {get: loan}
"""


def test_two_results_of_each_tool_are_shown_with_what_contradicts_under_them(tmp_path: Path) -> None:
    (tmp_path / "lending.yaml").write_text(LENDING)
    listed, got = sampled_tools(load_toolbox([tmp_path / "lending.yaml"]))
    assert [(one.piece, one.is_told) for one in listed.faults] == [("count", False), ("with_notes", True)]
    assert [(one.piece, one.is_told) for one in got.faults] == [("year", False), ("notes", True), ("subtitle", True)]
    first, _, second, _, *told = sampled_lines(got)
    assert first.startswith('get_loan(loan_id="LN-')
    assert first != second
    assert [line.strip().split(" ")[0:2] for line in told] == [["contradiction:", "year:"], ["hint:", "notes:"], ["hint:", "subtitle:"]]  # fmt: skip


def test_a_file_whose_world_cannot_be_made_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "lending.yaml").write_text(LENDING.replace("2000 + len(title)", "2000 + lookup(loan, title, year)"))
    (found,) = sampled_tools(load_toolbox([tmp_path / "lending.yaml"]))
    (fault,) = found.faults
    assert "lending.yaml:3: entities.loan: x-compute of 'year'" in fault.message
