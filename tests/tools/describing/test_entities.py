"""Entities and effects of tools that nobody described: calls do what their names say, and what cannot be told is left out."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.core.toolbox import Toolbox
from generator.recipe import ToolFile
from generator.run.described import describe_source
from generator.run.prepared import derive_pieces
from generator.tools.specs import load_toolbox
from generator.world.backend import compile_backend

TEXT = {"type": "string"}
STATUS = {"type": "string", "enum": ["open", "pending", "closed"]}


def tool(
    called: str, description: str, required: tuple[str, ...] = (), returns: Any = None, /, **properties: Any
) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": called, "description": description, "inputSchema": schema} | (
        {"outputSchema": returns} if returns else {}
    )


TICKET_ID = {"type": "string", "description": "e.g. 'TCK-1042'"}
DESK = [
    tool("list_tickets", "List tickets.", (), None, status={"type": "string", "enum": [*STATUS["enum"], "all"]}, project_id=TEXT,
         query=TEXT, created_after={"type": "string", "format": "date"}, limit={"type": "integer"}, zone_bias={"type": "number"}),
    tool("find_tickets_by_rank", "Find tickets by rank.", ("rank_bias",), rank_bias={"type": "number"}),
    tool("search_tickets_jql", "Search tickets with a query.", ("jql",), jql=TEXT),
    tool("get_ticket", "Get a ticket.", ("ticket_id",), ticket_id=TICKET_ID),
    tool("create_ticket", "Create a ticket.", ("summary",), summary=TEXT, project_id=TEXT, priority={"type": "string", "enum": ["low", "high"]}),
    tool("update_ticket", "Update a ticket.", ("ticket_id",), ticket_id=TEXT, summary=TEXT, status=STATUS),
    tool("close_ticket", "Close a ticket.", ("ticket_id",), ticket_id=TEXT),
    tool("delete_ticket", "Delete a ticket.", ("ticket_id",), ticket_id=TEXT),
    tool("get_ticket_weather", "Get the weather of a ticket.", ("ticket_id",), ticket_id=TEXT),
    tool("list_projects", "List projects.", ()),
    tool("delete_project", "Delete a project.", ("project_id",), project_id=TEXT),
]  # fmt: skip


def saved(folder: Path, tools: list[dict[str, Any]]) -> Path:
    path = folder / "desk.json"
    path.write_text(json.dumps({"serverInfo": {"name": "desk"}, "tools": tools}))
    return path


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    return load_toolbox(
        [ToolFile(file=saved(tmp_path_factory.mktemp("desk"), DESK), undescribed="keep")], derive=derive_pieces
    )


class Desk:
    """One conversation with the server."""

    def __init__(self, toolbox: Toolbox, salt: int = 0) -> None:
        self.world = compile_backend(toolbox, compile_value, 3).open(date(2026, 3, 2), salt)

    def call(self, tool: str, /, **arguments: Any) -> Any:
        (outcome,) = self.world.step([ToolCall("c", tool, arguments)])
        return outcome.value if outcome.ok else outcome.content


@pytest.fixture
def desk(toolbox: Toolbox) -> Desk:
    return Desk(toolbox)


def test_effects_follow_from_names_and_arguments(toolbox: Toolbox):
    kinds = {name: spec.effect.kind if spec.effect else None for name, spec in toolbox.items()}
    assert kinds == {
        "list_tickets": "find", "find_tickets_by_rank": None, "search_tickets_jql": "find", "get_ticket": "get", "create_ticket": "create",
        "update_ticket": "update", "close_ticket": "move", "delete_ticket": "delete", "get_ticket_weather": "read",
        "list_projects": "find", "delete_project": "delete",
    }  # fmt: skip


def test_what_is_created_is_found_as_it_was_made(desk: Desk):
    made = desk.call("create_ticket", summary="The printer is on fire", priority="high")
    found = desk.call("list_tickets", query="printer")["tickets"]
    assert [one["summary"] for one in found if one["ticket_id"] == made["ticket_id"]] == ["The printer is on fire"]
    shown = desk.call("get_ticket", ticket_id=made["ticket_id"])
    assert shown in found
    assert (shown["status"], shown["priority"]) == ("open", "high")


def test_searches_honour_filters_words_days_and_limits(desk: Desk):
    everything = desk.call("list_tickets", status="all")["tickets"]
    assert len(everything) > 2
    for status in STATUS["enum"]:
        assert desk.call("list_tickets", status=status)["tickets"] == [
            one for one in everything if one["status"] == status
        ]
    assert len(desk.call("list_tickets", limit=1)["tickets"]) == 1
    word = everything[0]["summary"].split()[-1]
    assert everything[0] in desk.call("list_tickets", query=word.upper())["tickets"]
    assert desk.call("list_tickets", query="no such words")["tickets"] == []
    assert desk.call("list_tickets", project_id="0")["tickets"] == []


def test_changes_last_and_what_is_gone_is_not_found(desk: Desk):
    (first, second) = [one["ticket_id"] for one in desk.call("list_tickets")["tickets"]][:2]
    desk.call("update_ticket", ticket_id=first, summary="Another summary", status="pending")
    assert desk.call("get_ticket", ticket_id=first)["summary"] == "Another summary"
    assert desk.call("close_ticket", ticket_id=first)["status"] == "closed"
    assert desk.call("close_ticket", ticket_id=first).startswith("Error: Wrong state")
    desk.call("delete_ticket", ticket_id=second)
    for name in ("get_ticket", "delete_ticket", "get_ticket_weather"):
        assert desk.call(name, ticket_id=second) == f"Error: Not found - there is no ticket {second}"


def test_unknown_identifiers_are_not_found_wherever_they_stand(desk: Desk):
    assert desk.call("get_ticket", ticket_id="TCK-0000").startswith("Error: Not found")
    assert desk.call("create_ticket", summary="x", project_id="0").startswith("Error: Not found - there is no project")


def test_what_is_not_known_is_left_out_and_named(tmp_path: Path, toolbox: Toolbox):
    assert toolbox["list_tickets"].say == {"limit": "seldom", "zone_bias": "never"}
    told = {one.spec.name: one.missing for one in describe_source(ToolFile(file=saved(tmp_path, DESK)))}
    assert "effect: it is not known what rank_bias leaves out" in told["find_tickets_by_rank"]
    assert "effect: what jql asks for is not followed" in told["search_tickets_jql"]
    shown = toolbox["search_tickets_jql"].returns["properties"]["tickets"]["items"]["properties"]
    assert "status" not in shown  # nothing that could contradict the query
    assert any("returns" in line for line in told["get_ticket_weather"])


def test_an_overlay_can_declare_other_entities_and_effects(tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "entities:\n  ticket:\n    key: ticket_id\n    count: [2, 2]\n    fields:\n"
        '      ticket_id: {type: string, pattern: "^T-[0-9]{4}$"}\n      summary: {type: string, examples: [a, b, c]}\n'
        "      status: {states: [open, pending, closed]}\n      priority: {enum: [low, high], type: string}\n      due_date: {type: string, format: date}\n"
        "      project_id: {}\n      created: {type: string, format: date}\n"
        "tools:\n  close_ticket:\n    effect: {delete: ticket}\n"
    )
    desk = Desk(
        load_toolbox(
            [ToolFile(file=saved(tmp_path, DESK), overlays=(overlay,), undescribed="keep")], derive=derive_pieces
        )
    )
    (first, _) = [one["ticket_id"] for one in desk.call("list_tickets")["tickets"]]
    desk.call("close_ticket", ticket_id=first)
    assert desk.call("get_ticket", ticket_id=first).startswith("Error: Not found")


def test_a_derived_effect_gives_way_to_a_result_that_somebody_wrote(tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "tools:\n  list_tickets:\n    returns: {type: object, properties: {total: {type: integer}}, required: [total]}\n"
    )
    spec = load_toolbox(
        [ToolFile(file=saved(tmp_path, DESK), overlays=(overlay,), undescribed="keep")], derive=derive_pieces
    )["list_tickets"]
    assert (spec.effect, list(spec.returns["properties"])) == (None, ["total"])


ROOM = {
    "type": "object",
    "properties": {"id": TEXT, "name": TEXT, "state": {"type": "string", "enum": ["free", "booked"]}, "qzx": TEXT},
    "required": ["id", "name"],
}
ROOMS = [
    tool("list_rooms", "List rooms.", (), {"type": "object", "properties": {"data": {"type": "array", "items": ROOM}, "next_cursor": TEXT}}),
    tool("get_room", "Get a room.", ("room_id",), ROOM, room_id=TEXT),
    tool("create_room", "Create a room.", ("name",), ROOM, name=TEXT),
    tool("delete_room", "Delete a room.", ("room_id",), {"type": "object", "properties": {"id": TEXT, "deleted": {"type": "boolean"}}}, room_id=TEXT),
]  # fmt: skip


def test_results_that_servers_describe_show_the_entities(tmp_path: Path):
    toolbox = load_toolbox([ToolFile(file=saved(tmp_path, ROOMS), undescribed="keep")], derive=derive_pieces)
    desk = Desk(toolbox)
    made = desk.call("create_room", name="Kestrel")
    listed = desk.call("list_rooms")
    assert list(listed) == ["data"]
    assert made["id"] in [one["id"] for one in listed["data"]]
    assert desk.call("get_room", room_id=made["id"])["name"] == "Kestrel"
    assert "qzx" not in made  # nothing tells what it means, and it may be left out
    assert [str(link.tool) for link in toolbox["get_room"].links] == [
        "list_rooms"
    ]  # nobody asks for what they have just had made
    assert desk.call("delete_room", room_id=made["id"]) == {"id": made["id"], "deleted": True}
    assert desk.call("get_room", room_id=made["id"]).startswith("Error: Not found")


def test_operations_without_a_name_are_read_from_their_address(tmp_path: Path):
    path = tmp_path / "api.json"
    answer = {"200": {"description": "", "content": {"application/json": {"schema": ROOM}}}}
    place = [{"name": "room", "in": "path", "required": True, "schema": TEXT}]
    path.write_text(
        json.dumps(
            {
                "openapi": "3.0.3",
                "info": {"title": "Rooms", "version": "1"},
                "paths": {
                    "/api/rooms/{room}": {
                        "get": {"responses": answer, "parameters": place},
                        "delete": {"responses": {"204": {"description": ""}}, "parameters": place},
                    },
                    "/api/rooms/{room}/restart": {
                        "post": {"responses": {"204": {"description": ""}}, "parameters": place}
                    },
                },
            }
        )
    )
    specs = load_toolbox([ToolFile(file=path)], derive=derive_pieces).values()
    assert [spec.effect.kind for spec in specs if spec.effect] == ["get", "delete", "act"]


def test_what_is_called_off_stays_and_takes_nothing_new(tmp_path: Path):
    state = {"type": "string", "enum": ["open", "done", "cancelled"]}
    jobs = [
        tool("list_jobs", "List jobs.", (), None, status=state),
        tool("create_job", "Create a job.", ("title",), title=TEXT),
        tool("cancel_job", "Cancel a job.", ("job_id",), job_id=TEXT),
        tool(
            "create_visit",
            "Create a visit for a job.",
            ("job_id", "date"),
            job_id=TEXT,
            date={"type": "string", "format": "date"},
        ),
        tool("list_visits", "List visits.", (), None, job_id=TEXT),
        tool("cancel_visit", "Cancel a visit.", ("visit_id",), visit_id=TEXT),
    ]
    toolbox = load_toolbox([ToolFile(file=saved(tmp_path, jobs))], derive=derive_pieces)
    desk = Desk(toolbox)
    first = desk.call("list_jobs", status="open")["jobs"][0]["job_id"]
    made = desk.call("create_visit", job_id=first, date="2026-03-04")
    assert desk.call("cancel_job", job_id=first)["status"] == "cancelled"
    assert first in [one["job_id"] for one in desk.call("list_jobs", status="cancelled")["jobs"]]
    assert desk.call("create_visit", job_id=first, date="2026-03-05").startswith("Error: Wrong state")
    assert "deleted" not in desk.call("cancel_visit", visit_id=made["visit_id"])
    assert not any(
        link.tool == "create_visit" for link in toolbox["cancel_visit"].links
    )  # nobody has it made to call it off
