"""Keys that follow from other fields, and things that calls tell apart by fields that are no keys."""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.core.errors import SpecError
from generator.core.seeds import Draw
from generator.tools.specs import load_toolbox
from generator.world import compile_backend
from generator.world.backend import Backend
from generator.world.state.entities import entities_of
from tests.examples import examples

TODAY = date(2026, 3, 4)
SHED = """
entities:
  tool:
    key: slug
    count: [3, 5]
    fields:
      slug: {type: string, x-compute: "shelf + '/' + plain(name, '-')"}
      name: {type: string}
      shelf: {type: string}
    examples:
      - {name: Tile cutter, shelf: b2}
      - {name: Hedge trimmer, shelf: a4}
      - {name: Pipe wrench, shelf: b2}
      - {name: Soldering iron, shelf: c1}
  place:
    key: place_id
    count: [8, 8]
    fields:
      place_id: {type: string, pattern: "^P-[0-9]{5}$"}
      row: {type: string, enum: [north, south, east]}
      slug: {}
      holds: {type: string, x-compute: "lookup(tool, slug, name)"}
tools:
  - name: find_tools
    parameters: {type: object, properties: {shelf: {type: string}, name: {type: string}}}
    returns: {type: object, properties: {tools: {type: array, maxItems: 9, items: {type: object, properties: {slug: {type: string}, name: {type: string}, shelf: {type: string}}, required: [slug, name, shelf]}}}, required: [tools]}
    effect: {find: tool, by: {shelf: shelf, name: name}, at: tools}
  - name: get_tool
    parameters: {type: object, properties: {slug: {type: string}}, required: [slug]}
    returns: {type: object, properties: {slug: {type: string}, name: {type: string}}, required: [slug, name]}
    effect: {get: tool}
  - name: add_tool
    parameters: {type: object, properties: {name: {type: string}, shelf: {type: string}}, required: [name, shelf]}
    returns: {type: object, properties: {slug: {type: string}}, required: [slug]}
    effect: {create: tool}
  - name: look_in_row
    parameters: {type: object, properties: {row: {type: string, enum: [north, south, east]}}, required: [row]}
    returns: {type: object, properties: {place_id: {type: string}, slug: {type: string}, holds: {type: string}}, required: [place_id, slug, holds]}
    effect: {get: place, by: {row: row}}
"""


@cache
def shed() -> Backend:
    path = Path(mkdtemp()) / "shed.yaml"
    path.write_text(SHED)
    return compile_backend(load_toolbox([path]), compile_value, 3)


def slug_of(name: str, shelf: str) -> str:
    return f"{shelf}/{name.lower().replace(' ', '-')}"


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_a_key_follows_from_the_other_fields_and_is_there_once(salt: int) -> None:
    world = shed().open(TODAY, salt)
    (found,) = world.step([ToolCall("id", "find_tools", {})])
    listed = found.value["tools"]
    assert listed
    assert [one["slug"] for one in listed] == [slug_of(one["name"], one["shelf"]) for one in listed]
    assert len({one["slug"] for one in listed}) == len(listed)
    (got,) = world.step([ToolCall("id", "get_tool", {"slug": listed[-1]["slug"]})])
    assert got.value["name"] == listed[-1]["name"]
    first, second = (
        world.step([ToolCall("id", "add_tool", {"name": "Rake", "shelf": "d3"})])[0].value["slug"] for _ in range(2)
    )
    assert (first, second) == ("d3/rake", "d3/rake-2")


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_a_call_that_names_one_thing_by_a_field_never_meets_two(salt: int) -> None:
    world = shed().open(TODAY, salt)
    answers = [world.step([ToolCall("id", "look_in_row", {"row": one})])[0] for one in ("north", "south", "east")]
    assert any(one.ok for one in answers)
    assert not [one for one in answers if "onflict" in one.content]
    (tools,) = world.step([ToolCall("id", "find_tools", {})])
    known = {one["slug"] for one in tools.value["tools"]}
    assert {one.value["slug"] for one in answers if one.ok} <= known


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_a_search_is_for_what_one_thing_has_together(salt: int) -> None:
    world = shed().open(TODAY, salt)
    entities = entities_of(world)
    assert entities is not None
    asked = entities.fit("find_tools", {"shelf": "c1", "name": "Tile cutter"}, Draw(salt, TODAY))
    assert slug_of(asked["name"], asked["shelf"]) in {
        "b2/tile-cutter",
        "a4/hedge-trimmer",
        "b2/pipe-wrench",
        "c1/soldering-iron",
    }
    (found,) = world.step([ToolCall("id", "find_tools", asked)])
    assert [(one["name"], one["shelf"]) for one in found.value["tools"]] == [(asked["name"], asked["shelf"])]


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_a_formula_reads_what_an_entity_belongs_to(salt: int) -> None:
    world = shed().open(TODAY, salt)
    (tools,) = world.step([ToolCall("id", "find_tools", {})])
    names = {one["slug"]: one["name"] for one in tools.value["tools"]}
    answers = [world.step([ToolCall("id", "look_in_row", {"row": one})])[0] for one in ("north", "south", "east")]
    assert all(one.value["holds"] == names[one.value["slug"]] for one in answers if one.ok)


@pytest.mark.parametrize(
    ("formula", "told"),
    [("plain(name, 5)", "AttributeError"), ("name - 1", "TypeError"), ("add_days(shelf, 1)", "ValueError")],
)
def test_a_formula_that_fails_is_told_when_it_is_read(tmp_path: Path, formula: str, told: str):
    """It does not leave the key as it is drawn."""
    path = tmp_path / "shed.yaml"
    path.write_text(SHED.replace("shelf + '/' + plain(name, '-')", formula))
    with pytest.raises(SpecError, match=f"shed.yaml:3: entities.tool: x-compute of 'slug'.* fails: .*{told}"):
        compile_backend(load_toolbox([path]), compile_value, 1)
