"""Chains of authored tools: what is found in a place is acted on in that place, and only what has words goes on from another call."""

import asyncio
import json
from typing import Any

import msgspec
import pytest
from authors import AS_MEANT, Oracle, entry_as_meant, people, writer

from generator.recipe import ToolFile
from generator.run.authoring.author import author
from generator.run.authoring.bench import open_bench
from generator.run.authoring.readers import read_back
from generator.run.authoring.readers.items import items_of
from generator.run.authoring.result import Authoring
from generator.run.authoring.writer.writing import load_author_prompts
from generator.run.prepared import prepare
from generator.run.row import make_row
from generator.run.trials import recipe_of_trial

TEXT = {"type": "string"}


def function(name: str, about: str, *arguments: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": dict.fromkeys(arguments, TEXT), "required": list(arguments)}
    return {"name": name, "description": about, "inputSchema": schema}


TOOLS = [
    function("list_rooms", "List the rooms of a house", "house_id"),
    function("list_lamps", "List the lamps of a room", "room_id"),
    function("dim_lamp", "Dim a lamp of a room", "room_id", "lamp_id"),
    function("add_lamp", "Add a lamp to a room", "room_id", "name"),
    function("rename_lamp", "Give a lamp another name", "lamp_id", "name"),
]
NAMES = ["Reading lamp", "Desk lamp", "Floor lamp", "Night light", "Ceiling lamp", "String lights", "Mirror lamp", "Wall lamp"]  # fmt: skip
SERVER: dict[str, Any] = {
    "entities": {
        "room": {"key": "room_id", "count": [4, 6], "fields": {"room_id": {"type": "string", "pattern": "^R-[0-9]{4}$"}, "house_id": {"type": "string", "examples": ["H-1", "H-2"]}, "name": {"type": "string", "examples": ["Kitchen", "Attic", "Hall", "Study"]}}},
        "lamp": {"key": "lamp_id", "count": [6, 9], "fields": {"lamp_id": {"type": "string", "pattern": "^L-[0-9]{4}$"}, "room_id": {}, "name": {"type": "string", "examples": NAMES}}, "called": ["name"]},
    },
    "tools": {
        "list_rooms": {"effect": {"find": "room", "by": {"house_id": "house_id"}, "at": "rooms"}, "result": {"rooms": ["room_id", "name"]}},
        "list_lamps": {"effect": {"find": "lamp", "by": {"room_id": "room_id"}, "at": "lamps"}, "result": {"lamps": ["lamp_id", "name"]}, "links": {"room_id": "list_rooms#/rooms/*/room_id"}},
        "rename_lamp": {"effect": {"update": "lamp"}, "result": ["lamp_id", "name"], "links": {"lamp_id": "add_lamp#/lamp_id"}},
        "dim_lamp": {"effect": {"act": "lamp"}, "links": {"lamp_id": "list_lamps#/lamps/*/lamp_id"}},
        "add_lamp": {"effect": {"create": "lamp"}, "result": ["lamp_id", "name"], "links": {"room_id": "list_rooms#/rooms/*/room_id"}},
    },
}  # fmt: skip
SAID: dict[str, Any] = {
    "list_rooms": {"phrases": {"request": ["list the rooms of house {house_id}", "show me the rooms in house {house_id}"], "answer": ["House {args.house_id} has {rooms}."], "each": {"rooms": ["{name}, known as {room_id}"]}}},
    "list_lamps": {"phrases": {"request": ["list the lamps in room {room_id}", "show me the lamps of room {room_id}"], "follow_up": ["list the lamps of {room_id}"], "vary": ["room_id"], "pick": {"lamps": [{"say": "the first one", "by": "first"}]}, "answer": ["In room {args.room_id} I see {lamps}."], "each": {"lamps": ["{name} ({lamp_id})"]}}},
    "dim_lamp": {"phrases": {"request": ["dim lamp {lamp_id} in room {room_id}", "turn down lamp {lamp_id} in room {room_id}"], "follow_up": ["dim {lamp_id}", "turn {lamp_id} down"], "answer": ["I've dimmed {lamp_id}."]}},
    "rename_lamp": {"phrases": {"request": ["call lamp {lamp_id} {name:quoted}", "rename lamp {lamp_id} {name:quoted}"], "follow_up": ["rename {lamp_id} {name:quoted}", "call {lamp_id} {name:quoted}"], "answer": ["I've renamed lamp {lamp_id} {name:quoted}."]}},
    "add_lamp": {"phrases": {"request": ["add the lamp {name:quoted} to room {room_id}", "put {name:quoted} into room {room_id}"], "answer": ["I've added {name:quoted} to room {args.room_id}."]}},
}  # fmt: skip


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Authoring:
    path = tmp_path_factory.mktemp("lamps") / "lamps.json"
    path.write_text(json.dumps({"tools": TOOLS}))

    def remembering(spec: Any, elements: Any) -> Any:
        found = items_of(spec, elements)
        AS_MEANT.update({item.text: entry_as_meant(item, spec.name) for item in found})
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_back, "items_of", remembering)
        asked = people(writer(SERVER, SAID), Oracle())
        return asyncio.run(author(open_bench(ToolFile(file=path)), asked, load_author_prompts(None), {}, ()))


def test_what_is_taken_away_is_told(done: Authoring):
    assert {one.spec.name: one.refused for one in done.tools if one.refused} == {}
    told = {(tool.spec.name, one.element.name): one.why for tool in done.tools for one in tool.dropped}
    assert told == {
        ("list_lamps", "phrases.vary"): "“room” before it is one: several cannot be said as a list",
        ("add_lamp", "links.room_id"): "no follow_up says it",
        (
            "rename_lamp",
            "links.lamp_id",
        ): "nobody looks up, changes or deletes what was made just now: say what is done next with it, or leave the link out",
    }


def test_what_is_found_in_a_place_is_acted_on_in_that_place(done: Authoring):
    toolbox = {tool.spec.name: tool.spec for tool in done.tools}
    chains = msgspec.structs.replace(recipe_of_trial(16), scenarios=(("sequential", 1.0),), steps=(2, 2))
    prepared = prepare(chains, toolbox)
    pairs: list[tuple[str, ...]] = []
    for index in range(16):
        messages = make_row(prepared, index).row.conversation.messages
        calls = [call for message in messages for call in getattr(message, "tool_calls", ())]
        pairs.append(tuple(call.name for call in calls))
        assert pairs[-1][0] in ("list_rooms", "list_lamps")  # and not "add a lamp, then rename it"
        assert pairs[-1][1] != "dim_lamp" or calls[0].arguments["room_id"] == calls[1].arguments["room_id"]
    assert {("list_lamps", "dim_lamp"), ("list_rooms", "list_lamps")} <= {*pairs}
