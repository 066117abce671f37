"""What the user requires of a look-up holds for the call that takes its result, or it is not said; a row that loses it is refused."""

from functools import cache

import pytest
from changed_rows import Proven, spliced, with_call
from workbench import TOOL_SPECS, recipe, rows

from generator.dialogue.from_results.choosing import without_lost
from generator.run.row import prepare
from generator.tools.specs import load_toolbox

BOOKING = {"book_hotel_room": "search_hotels", "book_flight": "search_flights", "book_train": "search_trains"}


@cache
def made(scenario: str, count: int = 60) -> tuple[Proven, ...]:
    shop = prepare(recipe([TOOL_SPECS / "travel.yaml", TOOL_SPECS / "mail.yaml"], scenario))
    return tuple([Proven(one.row.conversation, one.row.proof, scenario, shop.toolbox) for one in rows(shop, count)])


def searched_and_booked(row: Proven):
    """The searches of a row whose results bookings take, and the bookings."""
    for booking in row.calls.values():
        for search in row.calls.values():
            if search.name == BOOKING.get(booking.name) and search.id != booking.id:
                yield search, booking


@pytest.mark.parametrize("scenario", ["sequential", "mixed"])
def test_what_is_booked_is_what_was_searched_for(scenario: str) -> None:
    pairs = [pair for row in made(scenario) for pair in searched_and_booked(row)]
    assert pairs
    for search, booking in pairs:
        assert "breakfast" not in search.arguments.get("amenities", ()) or booking.arguments.get("breakfast") is True
        assert search.arguments.get("passengers", 1) == 1
        assert booking.name != "book_hotel_room" or search.arguments.get("guests", 1) == 1


def test_one_who_only_searches_says_all() -> None:
    said = [search.arguments for row in made("single", 300) for search in row.calls.values()]
    assert any("breakfast" in one.get("amenities", ()) for one in said)
    assert any(one.get("passengers", 1) > 1 for one in said)


def test_a_requirement_that_is_lost_is_refused() -> None:
    changed = []
    for row in made("sequential"):
        for search, _ in searched_and_booked(row):
            for claim in row.claims("user"):
                if claim.call_id == search.id and claim.pointer == "/amenities/0" and row.value(claim) != "breakfast":
                    other = spliced(row, claim.message, claim.start, claim.end - claim.start, "breakfast")
                    amenities = ["breakfast", *search.arguments["amenities"][1:]]
                    changed.append(with_call(other, search.id, arguments={**search.arguments, "amenities": amenities}))
    assert changed
    assert all("PF146" in row.codes() for row in changed)


def test_what_is_lost() -> None:
    tools = load_toolbox([TOOL_SPECS / "travel.yaml"])
    hotel, said = tools["book_hotel_room"], {"city": "Rome", "amenities": ["pool", "breakfast"], "guests": 2}
    assert without_lost(said, hotel, {}) == {"city": "Rome", "amenities": ["pool"]}
    assert without_lost(said, hotel, {"breakfast": True}) == {"city": "Rome", "amenities": ["pool", "breakfast"]}
    assert without_lost({"amenities": ["breakfast"], "guests": 1}, hotel, {"breakfast": False}) == {"guests": 1}
    assert without_lost({"amenities": []}, hotel, {}) == {"amenities": []}
    assert without_lost(said, tools["get_hotel_details"], {}) == said
