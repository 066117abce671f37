"""Figures in other words than the row's, and wrong ones."""

import json

import pytest

from generator.conversation import Tool, ToolCall
from generator.episodes.figures import figures
from generator.episodes.grounding import Told

HOTELS = json.dumps(
    {
        "hotels": [
            {"name": "The Elm", "price": 178, "rating": 4.2, "opens": "09:30", "minutes_away": 90},
            {"name": "Lantern Court", "price": 214, "rating": 3.9, "opens": "10:00", "minutes_away": 15},
        ],
        "open_from": "2026-03-14",
        "total": 2464.32,
        "phone": "020 7946 0197",
    }
)
CALL = ToolCall("c1", "search_hotels", {"city": "Zurich", "guests": 2})
TOLD = Told([])
TOLD.hear("Find me a hotel for two of us from March 14.")
TOLD.find(CALL, HOTELS, ok=True)

RIGHT = [
    "I found 2 hotels: The Elm (178 a night, rated 4.2) and Lantern Court (214, rated 3.9).",
    "There are two hotels. For 178 you get The Elm; Lantern Court costs 214.",
    "The Elm opens at half past nine, or 9:30 am, and is an hour and a half away; Lantern Court is 15 minutes away.",
    "From 14 March 2026 both are open. The total is $2,464.32, so about 2464.",
    "Call 020 7946 0197 to book for 2 guests from the 14th of March, at 9:30 a.m.",
    "1. The Elm: 178\n2. Lantern Court: 214",
]
WRONG = [
    "I found 3 hotels: The Elm (178 a night) and Lantern Court (214).",
    "The Elm costs 179 a night.",
    "The Elm is 214 a night, and Lantern Court 178.",
    "The Elm (178, rated 3.9) and Lantern Court (214, rated 3.9) have rooms.",
    "It opens at 9:40 am.",
    "It is an hour away.",
    "They are open from 15 March.",
    "The total is $2,464.23.",
    "Call 020 7946 0198.",
    "The code is AB-1234.",
]


@pytest.mark.parametrize("text", RIGHT)
def test_what_was_told_may_be_said_in_any_words(text: str) -> None:
    assert TOLD.faults(text) == []


@pytest.mark.parametrize("text", WRONG)
def test_what_was_not_told_is_found(text: str) -> None:
    assert TOLD.faults(text) != []


def test_figures_of_all_kinds_are_read() -> None:
    text = "On 3rd of May 2026 at 4 pm: 2 hours and 10 minutes, ORD-7, 1,200.50, twelve and 15%."
    assert {(one.kind, one.value) for one in figures(text)} == {
        ("day", (2026, 5, 3)),
        ("time", "16:00"),
        ("length", 7800.0),
        ("code", "ord-7"),
        ("number", 1200.5),
        ("number", 15),
        ("count", 12),
    }


TASKS = {
    "tasks": [
        {
            "task_id": "TSK-1001",
            "title": "Call the plumber",
            "owner": "Ada Quist",
            "status": "on_hold",
            "due": "2026-12-24",
            "hours": 2.5,
        },
        {
            "task_id": "TSK-1002",
            "title": "Paint the shed",
            "owner": "Ben Orrin",
            "status": "open",
            "due": "2026-12-28",
            "hours": 4,
        },
    ],
    "meeting_at": "17:30",
    "distance_m": 430,
    "wind_kmh": 50,
    "note": "No more than ten boxes carried by Ada",
}
OF_TASKS = Told([])
OF_TASKS.hear("What is there to do? Remind me of the meeting 20 minutes before.")
OF_TASKS.find(ToolCall("c1", "list_tasks", {}), json.dumps(TASKS), ok=True)

FOLLOWS = [
    "The two take 2.5 hours and 4 hours, 6.5 hours in total.",
    "The meeting is at 5.30 pm, that is half past five in the afternoon.",
    "Be there at 17:10, 20 minutes before it.",
    "It is 0.43 km away, and the wind blows at 31 mph.",
    "TSK-1001 is due on 24/12/2026, on Christmas Eve 2026.",
    "TSK-1001 and TSK-1002 (2.5 and 4 hours) are left.",
    "TSK-1001 (on hold) is Ada Quist's; TSK-1002 (open) is Ben Orrin's.",
    'The note says "No more than ten boxes carried by Ada".',
    "The meeting starts around half past five.",
]
DOES_NOT_FOLLOW = [
    "The two take 2.5 hours and 4 hours, 7.5 hours in total.",
    "The meeting is at 5.40 pm.",
    "Be there at 17:15, 20 minutes before it.",
    "It is 0.44 km away.",
    "TSK-1001 is due on 25/12/2026.",
    "The wind blows at 33 mph.",
    "- TSK-1001: Call the plumber, open",
    "TSK-1002 (Ada Quist) is the last one.",
    "The shed is painted by Carla Nyholm.",
    'The note says "No more than ten boxes carried by Eva".',
    "The meeting starts at a quarter past five.",
]


@pytest.mark.parametrize("text", FOLLOWS)
def test_what_follows_may_be_said(text: str) -> None:
    assert OF_TASKS.faults(text) == []


@pytest.mark.parametrize("text", DOES_NOT_FOLLOW)
def test_what_does_not_follow_is_found(text: str) -> None:
    assert OF_TASKS.faults(text) != []


def test_a_choice_that_was_not_made_is_found() -> None:
    schema = {"type": "object", "properties": {"priority": {"enum": ["normal", "high"]}}}
    told = Told([Tool(name="open_ticket", parameters=schema)])
    told.find(ToolCall("c1", "open_ticket", {"priority": "normal"}), '{"ok":true}', ok=True)
    assert told.faults("It is open, with high priority.") == ["'high' was not chosen"]
    assert told.faults("It is open, with normal priority.") == []
