"""What the shipped tools make and change is there afterwards: found by the searches of its subject, with what was given and nothing else."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.conversation import ToolCall
from generator.run.prepared import PreparedRecipe, prepare
from generator.world.state import entities_of
from tests.workbench import TODAY, TOOL_SPECS, recipe

FILES = [TOOL_SPECS / name for name in ("contacts.json", "mail.yaml", "calendar.yaml", "notes.yaml", "smart_home.yaml")]


@pytest.fixture(scope="module")
def shop() -> PreparedRecipe:
    return prepare(recipe(FILES, "single"))


def called(shop: PreparedRecipe, *calls: tuple[str, dict[str, Any]], today: date = TODAY) -> list[Any]:
    """Return the results of calls made one after another in one world; of a call that fails its text."""
    with shop.backend.open(today, 5) as world:
        entities = entities_of(world)
        assert entities is not None
        entities.begin()
        outcomes = [
            world.step([ToolCall(f"c{place}", name, arguments)])[0] for place, (name, arguments) in enumerate(calls)
        ]
    return [outcome.value if outcome.ok else outcome.content for outcome in outcomes]


def test_a_mail_that_was_sent_is_found_by_the_search(shop):
    sent = {"to": ["ann@b.example"], "subject": "Notes on the trade fair", "body": "See you there."}
    made, found = called(shop, ("send_message", sent), ("search_messages", {"query": "trade fair"}))
    assert [one["message_id"] for one in found["messages"] if one["sender"] == "you"] == [made["message_id"]]
    assert found["messages"][0]["received_on"] == TODAY.isoformat()


def test_an_event_is_found_by_its_day_and_by_those_who_were_invited(shop):
    event = {"title": "Riding lesson", "date": "2026-04-01", "start_time": "10:00", "attendees": ["Ann Lee"]}
    asked = ("list_events", {"date": "2026-04-01", "person": "Ann Lee"})
    made, found, others = called(
        shop, ("create_event", event), asked, ("list_events", {"date": "2026-04-01", "person": "Bob Lee"})
    )
    assert [one["event_id"] for one in found["events"]] == [made["event_id"]]
    assert made["event_id"] not in str(others)


PERSON = {"first_name": "Ann", "last_name": "Lee", "phone": "555-0101"}


def test_a_contact_has_what_was_given_and_nothing_else(shop):
    _, found, birthday = called(
        shop,
        ("create_contact", PERSON),
        ("find_contact", {"first_name": "Ann", "last_name": "Lee"}),
        ("get_birthday", {"contact": "Ann Lee"}),
    )
    assert {key: found["matches"][0][key] for key in ("phone", "email", "city")} == {
        "phone": "555-0101",
        "email": None,
        "city": None,
    }
    assert birthday == "Error: No birthday - no birthday is noted for Ann Lee"


@given(st.dates(date(1930, 1, 1), date(2015, 12, 31)), st.dates(date(2025, 1, 1), date(2028, 12, 31)))
def test_the_birthday_of_a_contact_can_be_asked_for(shop, born: date, today: date):
    _, told, listed = called(
        shop,
        ("create_contact", {**PERSON, "birthday": born.isoformat()}),
        ("get_birthday", {"contact": "Ann Lee"}),
        ("list_birthdays", {"within_days": 120}),
        today=today,
    )
    following = date.fromisoformat(told["next_birthday"])
    assert 0 <= (following - today).days <= 366
    assert told["next_age"] == following.year - born.year
    assert (following.month, following.day) == (born.month, born.day) or (
        born.day == 29 and (following.month, following.day) == (2, 28)
    )
    assert told["birthday"] == born.isoformat() or born.day == 29
    if any(one["name"] == "Ann Lee" for one in listed["birthdays"]):
        assert (following - today).days <= 120


def test_fields_that_tests_read_have_one_order(shop: PreparedRecipe) -> None:
    """They are tried in turn: a set would have another order in each process, and so other rows."""
    found = [fields for effect in shop.backend.effects.values() for _, _, fields in effect.tests]
    assert any(len(fields) > 1 for fields in found)
    assert all(isinstance(fields, tuple) and list(fields) == sorted(fields) for fields in found)
