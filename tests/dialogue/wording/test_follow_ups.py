"""What goes on from an earlier result is asked for in words that somebody wrote, not by the function's name."""

import json
from pathlib import Path

import msgspec
from workbench import rows, user_text, workshop

from generator.core.conversation import ToolMessage, UserMessage
from generator.recipe import ToolFile
from generator.run.prepared import prepare
from generator.run.row import make_row
from generator.run.usable import recipe_of_trial
from generator.tools.specs.load import load_toolbox

TEXT = {"type": "string"}
TOOLS = [
    {"name": "find_sheds", "description": "Find sheds", "inputSchema": {"type": "object", "properties": {}}},
    {
        "name": "mark_shed",
        "description": "Mark a shed",
        "inputSchema": {"type": "object", "properties": {"shed_id": TEXT, "note": TEXT}, "required": ["shed_id"]},
    },
]
OVERLAY = """
origin: model
tools:
  find_sheds:
    returns: {type: object, required: [sheds], properties: {sheds: {type: array, minItems: 2, maxItems: 4, items: {type: object, required: [shed_id, place], properties: {shed_id: {type: string, pattern: "^S-[0-9]{4}$"}, place: {type: string, x-kind: city}}}}}}
    phrases: {request: [list the sheds, show me the sheds], answer: ["I found {sheds}."], each: {sheds: ["{shed_id} in {place}"]}, pick: {sheds: [{say: the first one, by: first}]}}
  mark_shed:
    links: {shed_id: "find_sheds#/sheds/*/shed_id"}
    examples: {note: [leaks, needs paint, has mice]}
    returns: {type: object, required: [shed_id], properties: {shed_id: {type: string, x-from: shed_id}}}
    phrases: {request: ["mark shed {shed_id}", "put a mark on shed {shed_id}"], slots: {note: ["saying {note:quoted}"]}, follow_up: ["write {note:quoted} on {shed_id}"], answer: ["I've marked shed {shed_id}."]}
"""


def test_a_follow_up_that_does_not_fit_is_not_replaced_by_the_name_of_the_function(tmp_path: Path):
    (tmp_path / "sheds.json").write_text(json.dumps({"tools": TOOLS}))
    (tmp_path / "sheds.overlay.yaml").write_text(OVERLAY)
    toolbox = load_toolbox([ToolFile(file=tmp_path / "sheds.json", overlays=(tmp_path / "sheds.overlay.yaml",))])
    chains = msgspec.structs.replace(recipe_of_trial(12), scenarios=(("sequential", 1.0),), steps=(2, 2))
    prepared = prepare(chains, toolbox)
    for index in range(12):
        messages = make_row(prepared, index).row.conversation.messages
        said = " ".join(message.content for message in messages if isinstance(message, UserMessage))
        assert "mark shed for" not in said


DOORS = [
    {"name": "find_doors", "description": "Find doors", "inputSchema": {"type": "object", "properties": {}}},
    {
        "name": "set_door",
        "description": "Set a door",
        "inputSchema": {
            "type": "object",
            "properties": {"door_id": TEXT, "locked": {"type": "boolean"}},
            "required": ["door_id", "locked"],
        },
    },
]
OF_DOORS = """
origin: model
entities:
  door: {key: door_id, count: [3, 4], called: [place], fields: {door_id: {type: string, pattern: "^D-[0-9]{4}$"}, place: {type: string, x-kind: city}, locked: {type: boolean}}}
tools:
  find_doors:
    effect: {find: door, at: doors}
    returns: {type: object, required: [doors], properties: {doors: {type: array, maxItems: 4, items: {type: object, required: [door_id, place, locked], properties: {door_id: {type: string}, place: {type: string}, locked: {type: boolean}}}}}}
    phrases: {request: [list the doors, show me the doors], answer: ["I found {doors}."], each: {doors: ["{place}"]}, pick: {doors: [{say: the first one, by: first}, {say: the last one, by: last}]}}
  set_door:
    effect: {update: door}
    links: {door_id: "find_doors#/doors/*/door_id"}
    returns: {type: object, required: [door_id], properties: {door_id: {type: string}}}
    phrases: {request: ["set door {door_id}", "change door {door_id}"], slots: {locked: {true: [so that it is locked], false: [so that it is open]}}, follow_up: ["set {door_id}", "change {door_id}"], answer: ["I've set door {door_id}."]}
"""


def test_nobody_asks_for_what_is_so_already(tmp_path: Path):
    (tmp_path / "doors.json").write_text(json.dumps({"tools": DOORS}))
    (tmp_path / "doors.overlay.yaml").write_text(OF_DOORS)
    toolbox = load_toolbox([ToolFile(file=tmp_path / "doors.json", overlays=(tmp_path / "doors.overlay.yaml",))])
    chains = msgspec.structs.replace(recipe_of_trial(12), scenarios=(("sequential", 1.0),), steps=(2, 2))
    prepared = prepare(chains, toolbox)
    for index in range(12):
        messages = make_row(prepared, index).row.conversation.messages
        (listed, *_) = [json.loads(message.content) for message in messages if isinstance(message, ToolMessage)]
        before = {door["door_id"]: door["locked"] for door in listed["doors"]}
        calls = [call for message in messages for call in getattr(message, "tool_calls", ()) if call.name == "set_door"]
        assert calls
        assert all(before[call.arguments["door_id"]] is not call.arguments["locked"] for call in calls)


BRANCHES = """
tools:
  - name: create_branch
    description: Create a branch.
    parameters: {type: object, properties: {folder: {type: string, examples: [/srv/shop, /srv/mail]}, branch: {type: string}}, required: [folder, branch]}
    examples: {branch: [fix-typos, new-cart, faster-start]}
    effect: {act: true}
    returns: {type: object, properties: {folder: {type: string}, branch: {type: string}}, required: [folder, branch]}
    phrases: {request: ["create the branch {branch} in {folder}"], answer: ["The branch {branch} is there."]}
  - name: check_out
    description: Check out a branch.
    parameters: {type: object, properties: {folder: {type: string}, branch: {type: string}}, required: [folder, branch]}
    links: {branch: create_branch#/branch, folder: create_branch#/folder}
    effect: {act: true}
    returns: {type: object, properties: {branch: {type: string}}, required: [branch]}
    phrases: {request: ["switch to the branch {branch} in {folder}"], follow_up: ["switch to {branch}"], answer: ["It is on {branch} now."]}
"""


def test_what_is_made_first_is_used_then_although_the_user_has_said_all(tmp_path: Path):
    for made in rows(workshop(tmp_path, "sequential", text=BRANCHES), 6):
        calls = [call for message in made.row.conversation.messages for call in getattr(message, "tool_calls", ())]
        assert [call.name for call in calls] == ["create_branch", "check_out"]
        assert calls[0].arguments == calls[1].arguments
        assert "switch to it" in user_text(made).lower()
