"""Scenarios in a world with entities: what they put in, what they find out, and rows of every kind that hold."""

import json
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from generator.core.conversation import AssistantMessage, ToolMessage
from generator.core.offline_schemas import validator
from generator.core.seeds import Draw
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import Scene
from generator.world.state import entities_of
from tests.desk import DESK
from tests.workbench import TODAY, TOOL_SPECS, recipe

KINDS = (
    "single",
    "multiple",
    "parallel",
    "parallel_multiple",
    "sequential",
    "fan_out",
    "mixed",
)
SPOKEN = DESK.replace("kinds: {}", "examples: {order_id: [ORD-12345]}")  # people know numbers of orders by heart


def desk(folder: Path, *scenarios: str) -> PreparedRecipe:
    (folder / "desk.yaml").write_text(SPOKEN)
    return prepare(recipe([folder / "desk.yaml"], *scenarios))


def scene(shop: PreparedRecipe, salt: int = 0) -> Scene:
    world = shop.backend.open(TODAY, salt)
    return Scene(toolkit=shop.toolkit, draw=Draw(salt, TODAY), arguments=shop.sources, world=entities_of(world))


@pytest.mark.parametrize("kind", KINDS)
def test_every_scenario_gives_proven_rows_in_which_no_call_fails(tmp_path: Path, kind: str):
    shop = desk(tmp_path, kind)
    rejected = 0
    for index in range(40):
        made = make_row(shop, index)
        rejected += len(made.rejected)
        assert made.row.state
        tools = {tool.name: shop.toolbox[tool.name].returns for tool in made.row.conversation.tools}
        for message in made.row.conversation.messages:
            if isinstance(message, ToolMessage):
                assert not message.content.startswith("Error")
                assert validator(tools[message.name]).is_valid(msgspec.json.decode(message.content))
    assert rejected <= 8


def test_the_state_that_is_left_stands_in_the_row_and_follows_from_its_calls(tmp_path: Path):
    shop = desk(tmp_path, "single")
    first = [make_row(shop, index).row.state for index in range(8)]
    assert first == [make_row(shop, index).row.state for index in range(8)]
    assert len({*first}) == 8


def test_searches_are_given_what_the_next_tools_can_be_called_for(tmp_path: Path):
    shop = desk(tmp_path, "single")
    for salt in range(30):
        here = scene(shop, salt)
        said = here.wish("list_orders", "release_order", fewest=2).said
        found = here.peek("list_orders", said).value["orders"]
        assert len(found) >= min(2, said.get("limit", 2))
        assert all(here.peek("release_order", {"order_id": one["order_id"]}).ok for one in found)


def test_links_that_can_never_work_are_no_edges(tmp_path: Path):
    text = SPOKEN.replace(
        'links: {order_id: "list_orders#/orders/*/order_id"}\n    effect: {update: order, set: {status: open}',
        'links: {order_id: ["list_orders#/orders/*/order_id", "create_order#/order_id"]}\n    effect: {update: order, set: {status: open}',
    )
    assert text != SPOKEN
    (tmp_path / "desk.yaml").write_text(text)
    edges = {(edge.source, edge.target) for edge in prepare(recipe([tmp_path / "desk.yaml"], "single")).toolkit.edges}
    assert ("create_order", "cancel_order") in edges
    assert ("create_order", "release_order") not in edges


def test_calls_name_what_exists(tmp_path: Path):
    shop = desk(tmp_path, "single")
    called = set()
    for index in range(60):
        for message in make_row(shop, index).row.conversation.messages:
            called |= {call.name for call in message.tool_calls} if isinstance(message, AssistantMessage) else set()
    assert called == {"find_customers", "get_order"}


def test_nobody_has_two_events_at_the_same_time():
    calendar = prepare(recipe([TOOL_SPECS / "calendar.yaml"], "single", "fan_out"))
    days = 0
    for index in range(150):
        for message in make_row(calendar, index).row.conversation.messages:
            if isinstance(message, ToolMessage) and message.name == "list_events":
                times = [(event["start_time"], event["end_time"]) for event in json.loads(message.content)["events"]]
                days += len(times) > 1
                assert all(end <= start for (_, end), (start, _) in pairwise(times))
    assert days > 10
