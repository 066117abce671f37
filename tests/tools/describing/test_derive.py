"""What is derived of tools that nobody wrote phrases for: it always fits, reads well, and makes rows."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.core.conversation import Tool, UserMessage
from generator.core.toolbox import ToolOrigin, ToolSpec
from generator.recipe import ToolFile
from generator.run.described import DescribedTool, describe_source, faults_of_tools
from generator.run.prepared import derive_all
from generator.run.usable import try_tool
from generator.tools.specs.overlays import derived_layer, overlaid_as_far_as_it_fits

SHIPPED = Path(__file__).parents[3] / "tool_specs" / "mcp" / "fieldworks.json"


@cache
def described_tools() -> list[DescribedTool]:
    """The tools of the shipped server under what is derived of them."""
    return describe_source(ToolFile(file=SHIPPED))


def tool(
    name: str, description: str = "", required: tuple[str, ...] = (), annotations: Any = None, **properties: Any
) -> ToolSpec:
    parameters = {"type": "object", "properties": properties, "required": list(required)}
    return ToolSpec(
        tool=Tool(name=name, description=description, parameters=parameters),
        domain="server",
        where="server.json:1",
        origin=ToolOrigin(kind="mcp", server="server", annotations=annotations or {}),
    )


def text(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


def pieces_of(*specs: ToolSpec) -> dict[str, Any]:
    return derive_all(specs).tools[specs[0].name].pieces


WORDS = st.sampled_from(
    [
        "get",
        "list",
        "create",
        "issue",
        "issues",
        "the",
        "of",
        "a",
        "in",
        "for",
        "id",
        "Key",
        "name",
        "page",
        "_",
        "-",
        "7",
        "é",
        "{x}",
        "\n",
        "(see)",
        "e.g.",
        "'A-1'",
        "JSON",
    ]
)
SCHEMAS = st.sampled_from(
    [
        {"type": "string"},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "array", "items": {"type": "object"}},
        {"type": "object", "properties": {"id": {"type": "string"}}},
        {"enum": ["a", "b"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {},
        {"const": 3},
    ]
)


@st.composite
def any_tools(draw: Any) -> list[ToolSpec]:
    names = draw(st.lists(st.from_regex(r"[a-zA-Z0-9_-]{1,20}", fullmatch=True), min_size=1, max_size=3, unique=True))
    found = []
    for name in names:
        keys = draw(
            st.lists(
                st.one_of(
                    st.sampled_from(["id", "issue_key", "limit", "a/b", "x~y", "query", "owner", "repo"]),
                    st.text(min_size=1, max_size=6),
                ),
                max_size=4,
                unique=True,
            )
        )
        properties = {
            key: {**draw(SCHEMAS), "description": " ".join(draw(st.lists(WORDS, max_size=6)))} for key in keys
        }
        description = " ".join(draw(st.lists(WORDS, max_size=12)))
        found.append(tool(name, description, tuple(draw(st.sets(st.sampled_from(keys))) if keys else ()), **properties))
    return found


@settings(max_examples=examples(150), deadline=None)
@given(any_tools())
def test_deriving_never_fails_and_what_is_derived_loads(specs: list[ToolSpec]):
    derived = derive_all(specs).tools
    for spec in specs:
        read, dropped = overlaid_as_far_as_it_fits(spec, [derived_layer(spec, derived[spec.name].pieces)])
        assert set(read.origins.values()) <= {"derived"}
        assert len(dropped) < max(len(derived[spec.name].pieces), 1)


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Issue key (e.g., 'OPX-123')", "OPX-[1-9][0-9][0-9]"),
        ("The id, for example '10001'", "[1-9][0-9][0-9][0-9][0-9]"),
        ("Field (e.g. 'customfield_10001')", "customfield_[1-9][0-9][0-9][0-9][0-9]"),
    ],
)
def test_identifiers_that_are_shown_are_generalised(description: str, expected: str):
    found = pieces_of(tool("get_issue", "Get an issue.", ("issue_key",), issue_key=text(description)))
    assert found["patterns", "issue_key"] == expected


def test_identifiers_of_one_thing_have_one_shape_all_over_a_server():
    one = tool("get_crate", "Get a crate.", ("crate_id",), crate_id=text())
    other = tool("delete_crate", "Delete a crate.", ("crate_id",), crate_id=text("e.g. 'CR-4711'"))
    derived = derive_all([one, other]).tools
    assert derived["get_crate"].pieces["patterns", "crate_id"] == derived["delete_crate"].pieces["patterns", "crate_id"]


def test_values_that_are_listed_are_taken():
    found = pieces_of(
        tool(
            "list_boards",
            "List boards.",
            (),
            board_type=text("Kind of board (e.g., 'scrum', 'kanban')"),
            shade=text("One of 'dark', 'light' or 'auto'"),
        )
    )
    assert found["examples", "shade"] == ["dark", "light", "auto"]


def test_what_nobody_says_is_left_out():
    found = pieces_of(
        tool(
            "list_orders",
            "List orders.",
            (),
            cursor=text(),
            limit={"type": "integer"},
            expand=text(),
            payload={"type": "object"},
        )
    )
    assert {key[1]: value for key, value in found.items() if key[0] == "say"} == {
        "cursor": "never",
        "limit": "seldom",
        "expand": "never",
        "payload": "never",
    }


def test_links_join_the_same_things_only():
    specs = [
        tool("get_customer", "Get a customer.", ("customer_id",), customer_id=text("e.g. 'CUS-118'")),
        tool("search_customers", "Search customers.", ("query",), query=text()),
        tool("list_orders", "List orders.", (), status=text(enum=["placed", "shipped"])),
        tool("get_order", "Get an order.", ("order_id",), order_id=text("e.g. 'ORD-991'")),
    ]
    derived = derive_all(specs).tools
    assert derived["get_customer"].pieces["links", "customer_id"] == ["search_customers#/customers/*/customer_id"]
    assert derived["get_order"].pieces["links", "order_id"] == ["list_orders#/orders/*/order_id"]


def test_a_thing_of_many_meanings_is_not_made_up():
    names = tool("list_boards", "List the boards.")
    assert "returns" in derive_all([names]).tools["list_boards"].unknown
    one = tool("get_board", "Get a board.", ("board_id",), board_id=text())
    assert "returns" in derive_all([names, one]).tools["list_boards"].unknown
    made = tool("create_board", "Create a board.", ("title",), title=text())
    assert "returns" not in derive_all([names, one, made]).tools["list_boards"].unknown


def test_what_no_argument_identifies_is_not_made_up():
    for name, slot in (("web_search", "query"), ("read_file", "path"), ("get_diff", "target")):
        assert "returns" in derive_all([tool(name, "", (slot,), **{slot: text()})]).tools[name].unknown


def test_a_schedule_is_the_list_of_what_is_planned():
    of_visit = tool("get_visit", "Get a visit.", ("visit_id",), visit_id=text("e.g. 'VIS-118'"))
    technician = text("ID of the technician, e.g. 'TEC-07'")
    spec = tool(
        "get_technician_schedule", "Get the schedule of a technician.", ("technician_id",), technician_id=technician
    )
    others = [
        tool("list_visits", "List visits.", (), technician_id=technician, date=text(format="date")),
        tool("list_technicians", "List technicians."),
        of_visit,
    ]
    assert [*pieces_of(spec, *others)["returns",]["properties"]] == ["visits"]
    (missing,) = [line for line in derive_all([spec]).tools[spec.name].missing if "returns" in line]
    assert missing == "returns: nothing is known of what it returns"


def test_nothing_is_done_to_what_was_cancelled():
    job = text("ID of the job, e.g. 'JOB-118'")
    status = text(enum=["open", "on hold", "done", "cancelled"])
    made = tool("create_job", "Create a job.", ("title",), title=text("Title"))
    listed, assigned = (
        tool("list_jobs", "List jobs.", (), status=status),
        tool("assign_job", "Assign a job.", ("job_id",), job_id=job),
    )
    effect = derive_all([assigned, listed, made]).tools["assign_job"].pieces["effect",]
    assert [need["status"] for need in effect["needs"]] == [["open", "on hold"]]
    called_off = (
        derive_all([tool("cancel_job", "Cancel a job.", ("job_id",), job_id=job), listed, made])
        .tools["cancel_job"]
        .pieces["effect",]
    )
    assert [need["status"] for need in called_off["needs"]] == [["open", "on hold"]]


def test_annotations_tell_what_reads():
    spec = tool("log", "Shows the commit log.", (), {"readOnlyHint": True})
    assert "returns" in derive_all([spec]).tools["log"].unknown


def test_requests_say_the_tool_and_each_argument_by_its_name():
    for described in described_tools()[:8]:
        for row in try_tool(described.spec, 4).rows:
            asked = next(message.content for message in row.conversation.messages if isinstance(message, UserMessage))
            (call,) = [call for one in row.conversation.messages for call in getattr(one, "tool_calls", ())]
            assert all(f" {name} " in asked for name in call.arguments), asked
            assert call.name in asked
            assert "said_by_name" in row.tags


def test_results_are_told_by_the_names_of_their_fields():
    specs = {described.spec.name: described.spec for described in described_tools()}
    for row in try_tool(specs["fieldworks_search_customers"], 6).rows:
        *_, result, told = row.conversation.messages
        found = json.loads(result.content)["customers"]
        assert all(one["customer_id"] in told.content and one["name"] in told.content for one in found)
        assert found or "no customers" in told.content
    (row, *_) = try_tool(specs["fieldworks_get_part_stock"], 1).rows
    assert re.search(r"part_number \S+, warehouse .+, in_stock \d+\.$", row.conversation.messages[-1].content)


@pytest.mark.parametrize("name", ["list_s3_buckets", "ec2", "7", "h-3.x"])
def test_digits_of_names_are_said_as_words(name: str):
    spec = tool(name, "", ("x1", "x2"), x1=text(enum=["left", "right"]), x2=text(enum=["near", "far"]))
    (described,) = _described(spec)
    trial = try_tool(described, 6)
    assert len(trial.rows) == 6
    for row in trial.rows:
        (asked,) = [message.content for message in row.conversation.messages if isinstance(message, UserMessage)]
        assert not any(map(str.isdigit, asked))
        assert "x_one" in asked
        assert "x_two" in asked


def test_what_cannot_be_derived_is_named():
    spec = tool("draw_shapes", "Draw shapes.", ("shapes",), shapes={"type": "array", "items": {"type": "object"}})
    assert any("shapes" in line for line in derive_all([spec]).tools["draw_shapes"].missing)


def test_the_shipped_server_makes_rows_without_faults():
    tools = described_tools()
    assert [tool.dropped for tool in tools if tool.dropped] == []
    assert [fault for fault in faults_of_tools(tools, rows=8) if not fault.is_told] == []


def test_deriving_is_the_same_every_time():
    specs = [described.spec for described in describe_source(ToolFile(file=SHIPPED, describe="bare"))]
    first, second = derive_all(specs), derive_all(specs)
    assert str(first) == str(second)


FILE = {
    "type": "object",
    "properties": {"path": text(), "content": text(), "encoding": {"enum": ["utf-8", "base64"]}},
    "required": ["path", "content"],
}
PUSH = tool(
    "push_files", "Push files to a repository.", ("files",), files={"type": "array", "items": FILE, "minItems": 1}
)
RENAME = tool(
    "tag_people", "Tag people.", ("people",),
    people={"type": "array", "items": {"type": "object", "properties": {"name": text(), "tags": {"type": "array", "items": text(), "minItems": 1}}, "required": ["name", "tags"]}},
)  # fmt: skip


@pytest.mark.parametrize("spec", [PUSH, RENAME], ids=lambda spec: spec.name)
def test_lists_of_objects_are_said_field_by_field(spec: ToolSpec):
    (described,) = _described(spec)
    trial = try_tool(described, 12)
    assert len(trial.rows) == 12 == trial.attempts
    for row in trial.rows:
        asked = next(message.content for message in row.conversation.messages if isinstance(message, UserMessage))
        assert "{" not in asked
        assert "encoding" not in str(row.conversation.messages)  # it may be left out, and nobody says it


def _described(*specs: ToolSpec) -> list[ToolSpec]:
    derived = derive_all(specs)
    return [
        overlaid_as_far_as_it_fits(spec, [derived_layer(spec, derived.tools[spec.name].pieces)])[0] for spec in specs
    ]


def test_an_address_beside_a_city_is_a_street():
    specs = {described.spec.name: described.spec for described in described_tools()}
    assert specs["fieldworks_create_customer"].kinds["address"] == "street_address"


def test_nobody_looks_up_where_a_thing_is_that_another_argument_names():
    channels = tool("list_channels", "List channels.", (), title=text())
    reply = tool(
        "reply_to_thread",
        "Reply to a thread.",
        ("channel_id", "thread_id", "text"),
        channel_id=text(),
        thread_id=text(),
        text=text(),
    )
    post = tool("post_message", "Post a message to a channel.", ("channel_id", "text"), channel_id=text(), text=text())
    derived = derive_all([reply, post, channels]).tools
    assert ("links", "channel_id") not in derived["reply_to_thread"].pieces
    assert ("links", "channel_id") in derived["post_message"].pieces


def test_moments_whose_writing_is_told_are_said_as_people_say_them():
    spec = tool("book_slot", "Book a slot.", ("start",), start=text("Start, e.g. '2026-03-14T09:30:00'"))
    (read,) = _described(spec)
    said = [row.conversation.messages[0].content for row in try_tool(read, 4).rows]
    assert not any("T" in word and word[:2] == "20" for one in said for word in one.split())


def test_the_least_of_a_thing_is_below_the_most():
    amount = {"type": "number", "minimum": 100, "maximum": 900}
    few = {"type": "integer", "minimum": 1, "maximum": 8}
    flats = tool(
        "search_flats",
        "Search flats in a city.",
        ("city", "min_price", "max_price", "rooms_from", "rooms_to"),
        city=text("City"),
        min_price=amount,
        max_price=amount,
        rooms_from=few,
        rooms_to=few,
    )
    [described] = _described(flats)
    trial = try_tool(described, 6)
    assert len(trial.rows) == 6 == trial.attempts
    for row in trial.rows:
        call = next(one.tool_calls[0] for one in row.conversation.messages if getattr(one, "tool_calls", ()))
        assert call.arguments["min_price"] < call.arguments["max_price"]
        assert call.arguments["rooms_from"] < call.arguments["rooms_to"]


def test_latitude_and_longitude_come_together() -> None:
    degrees = {"type": "number", "description": "In degrees"}
    spec = tool("get_weather", "Get the weather for a location.", ("latitude", "longitude"), latitude=degrees, longitude=degrees)  # fmt: skip
    assert ("together",) not in pieces_of(spec)
    spec = tool("add_pin", "Add a pin.", ("title",), title=text(), pinLat=degrees, pinLng=degrees)
    assert [*pieces_of(spec)["together",]] == [["pinLat", "pinLng"]]
