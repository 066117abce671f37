"""Results that cannot all be so are found from the messages alone, and rows with such results are refused."""

from pathlib import Path
from shutil import copytree
from typing import Any

import orjson
import pytest

from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage, UserMessage
from generator.core.errors import SpecError
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS
from generator.tools.invariants import answered_calls, contradictions, read_invariants, shipped_invariants

ROOT = Path(__file__).parents[2]

Call = tuple[str, dict[str, Any], Any]
MEETING = {"event_id": "EVT-000001", "title": "Budget review", "date": "2026-03-04", "start_time": "09:00"}
SLOT = {
    "slot_id": "SLOT-00001",
    "date": "2026-03-04",
    "start_time": "09:15",
    "end_time": "09:45",
    "duration_minutes": 30,
}
LISTED = ("list_events", {"date": "2026-03-04"}, {"events": [{**MEETING, "duration_minutes": 60, "end_time": "10:00"}]})
FREE = ("find_free_slots", {"date": "2026-03-04", "duration_minutes": 30}, {"slots": [SLOT]})
FILE = {"file_id": "FIL-000001", "name": "plan.docx", "modified_on": "2026-02-01"}
REPORT = {"project_id": "PRJ-0001", "name": "Website", "open_tasks": 0}
TASK = {"task_id": "TSK-00001", "title": "Draft", "status": "open"}
CONTACT = {"contact_id": "CON-000001", "name": "Ana Ruiz", "city": "Leipzig"}

PLANTED: dict[str, list[Call]] = {
    "two values": [
        ("get_file_info", {"file": "FIL-000001"}, FILE),
        ("search_files", {"keyword": "plan"}, {"files": [{**FILE, "modified_on": "2026-02-02"}]}),
    ],
    "the currency of another country": [
        (
            "find_restaurants",
            {"city": "Lyon", "cuisine": "Thai"},
            {"restaurants": [{"restaurant_id": "RST-000001", "currency": "USD"}]},
        )
    ],
    "free over an event": [LISTED, FREE],
    "free over an event, asked before": [FREE, LISTED],
    "a relation of one thing": [
        ("list_events", {}, {"events": [{**MEETING, "duration_minutes": 60, "end_time": "10:30"}]})
    ],
    "a relation over two results": [
        ("search_events", {}, {"events": [MEETING]}),
        ("list_events", {}, {"events": [{"event_id": "EVT-000001", "duration_minutes": 60, "end_time": "11:00"}]}),
    ],
    "a count below its list": [
        ("get_project_report", {"project_id": "PRJ-0001"}, REPORT),
        ("find_tasks", {"assignee": "Ana Ruiz", "project_id": "PRJ-0001"}, {"tasks": [TASK]}),
    ],
    "a version after the last change": [
        ("get_file_info", {"file": "plan.docx"}, FILE),
        (
            "list_file_versions",
            {"file": "plan.docx"},
            {"file_id": "FIL-000001", "versions": [{"saved_on": "2026-02-09"}]},
        ),
    ],
    "a number of another country": [("find_contact", {}, {"matches": [{**CONTACT, "phone": "(503) 555-0172"}]})],
    "a price of another city": [
        ("search_hotels", {}, {"hotels": [{"offer_id": "OFR-000001", "city": "Zurich", "price_per_night": 20}]})
    ],
    "a meal at the price of another city": [
        (
            "find_restaurants",
            {"city": "Zurich"},
            {"restaurants": [{"restaurant_id": "RST-000001", "average_price": 8, "currency": "CHF"}]},
        )
    ],
    "a train faster than trains are": [
        (
            "search_trains",
            {"origin": "Birmingham", "destination": "Kaunas"},
            {"trains": [{"train_id": "TRN-000001", "changes": 0, "duration_minutes": 335}]},
        )
    ],
    "gone and listed": [
        ("delete_file", {"file": "FIL-000001"}, {"file_id": "FIL-000001", "status": "deleted"}),
        ("search_files", {"keyword": "plan"}, {"files": [FILE]}),
    ],
}
FINE: dict[str, list[Call]] = {
    "a change between": [
        ("get_file_info", {"file": "FIL-000001"}, FILE),
        ("rename_file", {"file": "FIL-000001", "new_name": "x"}, {"file_id": "FIL-000001", "name": "x.docx"}),
        ("get_file_info", {"file": "FIL-000001"}, {**FILE, "name": "x.docx", "modified_on": "2026-03-01"}),
    ],
    "a change by name": [
        ("get_file_info", {"file": "plan.docx"}, FILE),
        ("move_file", {"file": "plan.docx", "folder": "Work"}, {"status": "moved"}),
        ("get_file_info", {"file": "plan.docx"}, {**FILE, "modified_on": "2026-03-01"}),
    ],
    "free beside an event": [LISTED, ("find_free_slots", {}, {"slots": [{**SLOT, "start_time": "10:00"}]})],
    "another question": [
        ("find_parking", {"near": "the zoo"}, {"car_parks": [{"car_park_id": "CPK-00001", "distance_m": 90}]}),
        ("find_parking", {"near": "the fair"}, {"car_parks": [{"car_park_id": "CPK-00001", "distance_m": 300}]}),
    ],
    "what the user has written": [
        ("update_contact", {"contact": "CON-000001", "phone": "(503) 555-0172"}, {"contact_id": "CON-000001"}),
        ("find_contact", {}, {"matches": [{**CONTACT, "phone": "(503) 555-0172"}]}),
    ],
    "no objects": [("get_note", {}, "a text"), ("list_events", {}, {"events": [None, 3]}), ("find_tasks", {}, [1])],
}


def conversation(calls: list[Call]) -> Conversation:
    """Return a conversation with these calls, one after the other."""
    messages: list[Any] = [UserMessage("Please.")]
    for number, (name, arguments, result) in enumerate(calls):
        messages.append(AssistantMessage(tool_calls=(ToolCall(str(number), name, arguments),)))
        messages.append(ToolMessage(str(number), orjson.dumps(result).decode(), name))
    return Conversation(tuple(messages))


@pytest.mark.parametrize("name", PLANTED)
def test_contradictions_are_found(name: str) -> None:
    """Each planted one is found in the last result, and not without it."""
    made = conversation(PLANTED[name])
    found = contradictions(shipped_invariants(), answered_calls(made))
    assert [one.message for one in found] == [len(made.messages) - 2]
    assert contradictions(shipped_invariants(), answered_calls(conversation(PLANTED[name][:-1]))) == []


@pytest.mark.parametrize("name", FINE)
def test_what_may_be_is_left_alone(name: str) -> None:
    """A change, another question and what the user says may make values differ."""
    assert contradictions(shipped_invariants(), answered_calls(conversation(FINE[name]))) == []


def test_calls_of_one_message_do_not_see_each_other() -> None:
    """A look-up that is made beside a change may show what was there before."""
    calls = (ToolCall("a", "delete_file", {"file": "FIL-000001"}), ToolCall("b", "search_files", {"keyword": "plan"}))
    answers = ({"file_id": "FIL-000001", "status": "deleted"}, {"files": [FILE]})
    told = [ToolMessage(call.id, orjson.dumps(one).decode()) for call, one in zip(calls, answers, strict=True)]
    assert (
        contradictions(shipped_invariants(), answered_calls(Conversation((AssistantMessage(tool_calls=calls), *told))))
        == []
    )


def test_rows_with_contradictions_are_refused(tmp_path: Path) -> None:
    """An invariant that results break refuses rows: the run says WD101 and writes none of them."""
    (tmp_path / "invariants").mkdir()
    copytree(ROOT / "tool_specs" / "texts", tmp_path / "texts")
    tools = (ROOT / "tool_specs" / "notes.yaml").read_text(encoding="utf-8")
    (tmp_path / "notes.yaml").write_text(tools, encoding="utf-8")
    rules = "look_ups: [find]\ninvariants:\n- {each: saved_on, that: \"saved_on == ''\", tool: find_notes}\n"
    (tmp_path / "invariants" / "ours.yaml").write_text(rules, encoding="utf-8")
    recipe = "name: r\nseed: 1\nrows: 1\ntools: [notes.yaml]\nscenarios: {single: 1}\nformats: [deepfabric]\n"
    (tmp_path / "r.yaml").write_text(recipe, encoding="utf-8")
    prepared = prepare(load_recipe(tmp_path / "r.yaml", scenarios=SCENARIOS, formats=FORMATS))
    made = [make_row(prepared, index) for index in range(12)]
    refused = [fault.rule for one in made for rejected in one.rejected for fault in rejected.violations]
    assert "WD101" in refused
    names = [call.name for one in made for call in answered_calls(one.row.conversation)]
    assert "find_notes" not in names


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("invariants:\n- {fre: a}\n", "an invariant begins with one of"),
        ("invariants:\n- {of: event_id, that: 'open('}\n", "not an expression"),
        ("invariants:\n- {of: event_id, that: 'title == 1', by: x}\n", "by"),
        ("invariants:\n- {free: slots, busy: a, on: b, start: c, minutes: d}\n", "free"),
    ],
)
def test_faults_of_files_are_told(tmp_path: Path, text: str, told: str) -> None:
    """A file that cannot be read names its line."""
    file = tmp_path / "x.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SpecError, match=r"x\.yaml:2") as fault:
        read_invariants([file])
    assert told in str(fault.value)
