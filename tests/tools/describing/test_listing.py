"""Lists of entities of tools that nobody described: how one is told, and which one people can mean before they see the list."""

from pathlib import Path

import pytest

from generator.recipe import ToolFile
from generator.run.deriving import derive_pieces
from generator.scenarios.affordances import compile_toolkit
from generator.tools.describing.results.declared import one_by_one, picks_of
from generator.tools.describing.things import Key
from generator.tools.specs import load_toolbox

SHIPPED = Path(__file__).parents[3] / "tool_specs" / "mcp" / "fieldworks.json"

VISIT = Key(field="visit_id", schema={"type": "string", "pattern": "^VIS-[1-9][0-9]{3}$"}, shown="visit_id")
UUID = Key(field="id", schema={"type": "string", "x-kind": "uuid"}, shown="id")
SHOWN = ("visit_id", "id", "title", "date", "time", "price", "status")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("one on {date} at {time}", "{visit_id} on {date} at {time} ({status})"),
        ("one on {date} ({status})", "{visit_id} on {date} ({status})"),
        ("{title}", "{title} ({visit_id}, {status})"),
        ("{title} (due {date})", "{title} ({visit_id}, {status}, due {date})"),
        ("the {title} for ${price:amount}", "the {title} ({visit_id}, {status}) for ${price:amount}"),
        ("{title} on {date} at {time}", "{title} ({visit_id}) on {date} at {time}"),
    ],
)
def test_a_thing_of_a_list_is_told_with_its_identifier_and_state(text: str, told: str):
    assert one_by_one([text], VISIT, "status", SHOWN) == [told]


def test_what_nobody_says_and_what_the_list_does_not_show_is_not_told():
    assert one_by_one(["{title} (due {date})"], UUID, "status", ("id", "title", "date")) == ["{title} (due {date})"]


def test_what_is_to_be_changed_is_singled_out_by_an_order_or_as_the_only_one():
    fields = {
        "name": {"type": "string"},
        "price": {"type": "number"},
        "due_date": {"type": "string", "format": "date"},
        "start_time": {"x-kind": "time"},
    }
    picks = picks_of("part", fields, "", True)
    assert {pick["say"]: pick["by"] for pick in picks if not pick.get("looks_up")} == {
        "that part": "only", "the cheapest part": "min price", "the most expensive part": "max price",
        "the part with the earliest due date": "min due_date", "the part with the latest due date": "max due_date",
    }  # fmt: skip
    assert [pick["say"] for pick in picks if pick.get("looks_up")] == ["the first part"]


def test_nobody_has_the_first_of_a_list_changed_that_they_have_not_seen():
    toolbox = load_toolbox([ToolFile(file=SHIPPED)], derive=derive_pieces)
    chains = [
        chain
        for ends in compile_toolkit(toolbox, (2, 3), (2, 3)).chains.values()
        for found in ends.values()
        for chain in found
    ]
    links = {
        (edge.source.removeprefix("fieldworks_"), edge.target.removeprefix("fieldworks_"))
        for chain in chains
        for edge in chain
    }
    assert {
        ("list_jobs", "cancel_job"),
        ("list_technicians", "get_technician_schedule"),
        ("search_customers", "update_customer_contact"),
    } <= links
    assert ("list_technicians", "assign_job") not in links  # technicians have no order
