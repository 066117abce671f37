"""Things that lie within others of their kind or are told by a test only, the one thing of which there is one, and keys that another argument gives."""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.core.seeds import Draw
from generator.tools.specs import load_toolbox
from generator.world import compile_backend
from generator.world.backend import Backend
from generator.world.state.entities import entities_of
from tests.examples import examples

TODAY = date(2026, 3, 4)
OFFICE = """
entities:
  folder:
    key: folder_id
    count: [6, 9]
    fields:
      folder_id: {type: string, pattern: "^F-[0-9]{5}$"}
      parent_id: {of: folder}
      name: {type: string, examples: [Invoices, Contracts, Photos, Drafts, Archive, Reports, Letters, Plans, Scans]}
    called: [name]
  account:
    key: account_id
    count: [1, 1]
    fields:
      account_id: {type: string, pattern: "^A-[0-9]{5}$"}
      owner: {type: string, x-kind: person_name}
  label:
    key: label_name
    count: [2, 3]
    fields:
      label_name: {type: string, pattern: "^[a-z]{6}$"}
      colour: {type: string, enum: [red, blue]}
tools:
  - name: list_folders
    parameters: {type: object, properties: {within: {type: string}}}
    returns: {type: object, properties: {folders: {type: array, maxItems: 9, items: {type: object, properties: {folder_id: {type: string}, parent_id: {type: [string, "null"]}, name: {type: string}}, required: [folder_id, parent_id, name]}}}, required: [folders]}
    effect: {find: folder, by: {within: parent_id}, at: folders}
  - name: create_folder
    parameters: {type: object, properties: {name: {type: string}, parent_id: {type: string}}, required: [name]}
    returns: {type: object, properties: {folder_id: {type: string}, parent_id: {type: [string, "null"]}}, required: [folder_id, parent_id]}
    effect: {create: folder}
  - name: show_account
    parameters: {type: object, properties: {}}
    returns: {type: object, properties: {account_id: {type: string}, owner: {type: string}}, required: [account_id, owner]}
    effect: {get: account}
  - name: open_folder
    parameters: {type: object, properties: {title: {type: string}}, required: [title]}
    returns: {type: object, properties: {folder_id: {type: string}, name: {type: string}}, required: [folder_id, name]}
    effect: {get: folder, by: {title: name == args.title}}
  - name: add_label
    parameters: {type: object, properties: {name: {type: string}, colour: {type: string, enum: [red, blue]}}, required: [name, colour]}
    returns: {type: object, properties: {label_name: {type: string}, colour: {type: string}}, required: [label_name, colour]}
    effect: {create: label, set: {label_name: args.name}}
"""


@cache
def office() -> Backend:
    path = Path(mkdtemp()) / "office.yaml"
    path.write_text(OFFICE)
    return compile_backend(load_toolbox([path]), compile_value, 3)


def called(world: Any, tool: str, /, **arguments: Any) -> Any:
    (outcome,) = world.step([ToolCall("id", tool, arguments)])
    return outcome


def test_things_lie_within_others_that_are_there_and_none_within_itself() -> None:
    nested = tops = 0
    for salt in range(0, 2**64, 2**60):
        folders = called(office().open(TODAY, salt), "list_folders").value["folders"]
        within = {one["folder_id"]: one["parent_id"] for one in folders}
        assert {parent for parent in within.values() if parent} <= within.keys()
        for folder in within:
            seen, at = set(), folder
            while at is not None:
                assert at not in seen
                seen.add(at)
                at = within[at]
        nested += sum(parent is not None for parent in within.values())
        tops += sum(parent is None for parent in within.values())
    assert nested > tops > 16


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_what_is_created_lies_where_the_call_says_or_at_the_top(salt: int) -> None:
    world = office().open(TODAY, salt)
    top = called(world, "create_folder", name="Letters").value
    assert top["parent_id"] is None
    below = called(world, "create_folder", name="Plans", parent_id=top["folder_id"]).value
    assert [one["folder_id"] for one in called(world, "list_folders", within=top["folder_id"]).value["folders"]] == [
        below["folder_id"]
    ]
    assert not called(world, "create_folder", name="Scans", parent_id="F-none").ok


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_the_one_thing_is_shown_without_being_named(salt: int) -> None:
    world = office().open(TODAY, salt)
    first = called(world, "show_account")
    assert first.ok
    assert first.value["owner"]
    assert called(world, "show_account").value == first.value


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_an_argument_of_another_name_gives_the_key_of_what_is_created(salt: int) -> None:
    world = office().open(TODAY, salt)
    assert called(world, "add_label", name="to pay", colour="red").value == {"label_name": "to pay", "colour": "red"}
    assert "there already is a label to pay" in called(world, "add_label", name="to pay", colour="blue").content


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_a_thing_that_only_a_test_tells_is_found(salt: int) -> None:
    world = office().open(TODAY, salt)
    entities = entities_of(world)
    assert entities is not None
    asked = entities.fit("open_folder", {"title": "Pebble Panda"}, Draw(salt, TODAY))
    assert called(world, "open_folder", **asked).value["name"] == asked["title"]
