"""Values that were written together stay together: in entities, in arguments, and in the result of a whole call."""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.arguments.sources import compile_source
from generator.core.conversation import ToolCall
from generator.core.errors import SpecError
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox
from generator.recipe import ArgumentSettings
from generator.tools.specs import load_toolbox
from generator.world import compile_backend
from tests.examples import examples

TODAY = date(2026, 3, 4)
BOARD = """
entities:
  team:
    key: team_id
    count: [2, 3]
    fields: {team_id: {type: string, enum: [OPS, WEB, DSN]}, name: {type: string, examples: [Operations, Website, Design]}}
  issue:
    key: issue_id
    count: [3, 5]
    fields:
      issue_id: {type: string, pattern: "^IS-[0-9]{4}$"}
      team_id: {}
      title: {type: string}
      body: {type: string}
      url: {type: string, x-compute: "'https://board.example/' + team_id + '/' + issue_id"}
    examples:
      - {title: Lift is stuck, body: It stops between the floors.}
      - {title: Coffee machine leaks, body: There is water under it.}
      - {title: Door does not close, body: The hinge is broken.}
    called: [title]
tools:
  - name: list_issues
    parameters: {type: object, properties: {}}
    returns: {type: object, properties: {issues: {type: array, maxItems: 9, items: {type: object, properties: {issue_id: {type: string}, team_id: {type: string}, title: {type: string}, body: {type: string}, url: {type: string}}, required: [issue_id, team_id, title, body, url]}}}, required: [issues]}
    effect: {find: issue, at: issues}
  - name: open_issue
    parameters: {type: object, properties: {title: {type: string}, body: {type: string}}, required: [title]}
    returns: {type: object, properties: {issue_id: {type: string}, team_id: {type: string}, url: {type: string}}, required: [issue_id, team_id, url]}
    effect: {create: issue}
  - name: look_up_word
    parameters: {type: object, properties: {word: {type: string}, language: {type: string}}, required: [word]}
    returns: {type: object, properties: {meaning: {type: string}, letters: {type: integer}}, required: [meaning, letters]}
    example_calls:
      - {arguments: {word: hinge}, result: {meaning: what a door turns on}}
      - {arguments: {word: lift, language: English}, result: {meaning: a box that goes up and down, letters: 4}}
"""
TITLES = {
    "Lift is stuck": "It stops between the floors.",
    "Coffee machine leaks": "There is water under it.",
    "Door does not close": "The hinge is broken.",
}


@cache
def board() -> Toolbox:
    path = Path(mkdtemp()) / "board.yaml"
    path.write_text(BOARD)
    return load_toolbox([path])


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**64 - 1))
def test_fields_of_one_thing_belong_together_and_formulas_know_its_key(salt: int):
    world = compile_backend(board(), compile_value, 3).open(TODAY, salt)
    new = ToolCall("id", "open_issue", {"title": "Lift is stuck", "body": "It hums."})
    (made,) = world.step([new])
    (listed,) = world.step([ToolCall("id", "list_issues", {})])
    issues = {one["issue_id"]: one for one in listed.value["issues"]}
    mine = issues.pop(made.value["issue_id"])
    titles = [one["title"] for one in issues.values()]
    assert len({*titles}) == len(titles)  # three titles, although up to five are wanted
    assert {one["title"]: one["body"] for one in issues.values()}.items() <= TITLES.items()
    assert (mine["title"], mine["body"], mine["url"]) == ("Lift is stuck", "It hums.", made.value["url"])
    for one in (*issues.values(), mine):
        assert one["url"] == f"https://board.example/{one['team_id']}/{one['issue_id']}"


def arguments(tool: str, number: int = 60) -> list[dict[str, Any]]:
    make = compile_source(board()[tool], ArgumentSettings(), 1)
    return [make(Draw(index, TODAY)) for index in range(number)]


def test_arguments_of_what_is_created_are_those_of_one_whole_example():
    drawn = arguments("open_issue")
    assert all(TITLES[one["title"]] == one.get("body", TITLES[one["title"]]) for one in drawn)
    assert {one["title"] for one in drawn} == TITLES.keys()
    assert {"body" in one for one in drawn} == {True, False}


def test_a_call_whose_result_is_written_is_made_as_a_whole_and_answered_so():
    drawn = arguments("look_up_word")
    assert {tuple(one.items()) for one in drawn} == {(("word", "hinge"),), (("word", "lift"), ("language", "English"))}
    world = compile_backend(board(), compile_value, 3).open(TODAY, 1)
    calls = [ToolCall("id", "look_up_word", {"word": one}) for one in ("hinge", "lift", "key")]
    known, alike, other = world.step(calls)
    assert known.value["meaning"] == "what a door turns on"
    assert isinstance(known.value["letters"], int)
    assert alike.value["meaning"] == "a box that goes up and down"
    assert other.value["meaning"] not in (known.value["meaning"], alike.value["meaning"])


def test_a_call_with_several_results_has_one_of_them_all_through_a_conversation(tmp_path: Path):
    more = BOARD.replace(
        "      - {arguments: {word: lift,",
        "      - {arguments: {word: hinge}, result: {meaning: a joint}}\n      - {arguments: {word: lift,",
    )
    (tmp_path / "board.yaml").write_text(more)
    backend = compile_backend(load_toolbox([tmp_path / "board.yaml"]), compile_value, 3)
    told = set()
    for salt in range(20):
        world = backend.open(TODAY, salt)
        first, again = [
            world.step([ToolCall("id", "look_up_word", {"word": "hinge"})])[0].value["meaning"] for _ in range(2)
        ]
        assert first == again
        told.add(first)
    assert told == {"what a door turns on", "a joint"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{title: Lift is stuck,", "{titel: Lift is stuck,", "entities.issue.examples[0].titel: there is no field 'titel'"),
        ("{title: Lift is stuck,", "{title: 7,", "entities.issue.examples[0].title: 7 is no value of 'title'"),
        ("{title: Lift is stuck,", "{team_id: OPS,", "'team_id' is no field whose values are drawn"),
        ("{word: hinge}", "{wort: hinge}", "look_up_word has no argument 'wort'"),
        ("{word: hinge}", "{language: English}", "the arguments are not valid"),
        ("{meaning: what a door turns on}", "{sense: what}", "the result of look_up_word has no 'sense'"),
        ("letters: 4", "letters: four", "the result is not valid"),
    ],
)  # fmt: skip
def test_whole_examples_that_cannot_be_are_refused(tmp_path: Path, old: str, new: str, words: str):
    (tmp_path / "board.yaml").write_text(BOARD.replace(old, new))
    with pytest.raises(SpecError) as raised:
        load_toolbox([tmp_path / "board.yaml"])
    assert words in str(raised.value)


def test_an_object_within_a_result_shows_fields_of_the_entity_too(tmp_path: Path):
    nested = BOARD.replace(
        "title: {type: string}, body: {type: string}, url: {type: string}}, required: [issue_id, team_id, title, body, url]}}}",
        "fields: {type: object, properties: {Name: {type: string, x-field: title}, More: {type: object, properties: {Body: {type: string, x-field: body}}, required: [Body]}}, required: [Name, More]}}, required: [issue_id, team_id, fields]}}}",
    )
    assert nested != BOARD
    (tmp_path / "board.yaml").write_text(nested)
    world = compile_backend(load_toolbox([tmp_path / "board.yaml"]), compile_value, 3).open(TODAY, 5)
    (listed,) = world.step([ToolCall("id", "list_issues", {})])
    found = {one["fields"]["Name"]: one["fields"]["More"]["Body"] for one in listed.value["issues"]}
    assert found
    assert found.items() <= TITLES.items()
    (tmp_path / "board.yaml").write_text(nested.replace("x-field: body", "x-field: words"))
    with pytest.raises(SpecError, match="the entity has no field 'words'"):
        compile_backend(load_toolbox([tmp_path / "board.yaml"]), compile_value, 3)


REMARKS = """
entities:
  page:
    key: page_id
    count: [3, 3]
    fields: {page_id: {type: string, pattern: "^PG-[0-9]{4}$"}}
  remark:
    key: remark_id
    count: [3, 4]
    fields: {remark_id: {type: string, pattern: "^RM-[0-9]{4}$"}, page_id: {}, kind: {type: string}, words: {type: string}}
    examples:
      - {kind: short, words: Looks good.}
      - {kind: short, words: Thanks!}
      - {kind: long, words: Could you check the dates?}
      - {kind: long, words: Who owns this?}
      - {kind: short, words: Done.}
      - {kind: short, words: Approved.}
      - {kind: long, words: I will do it tomorrow.}
      - {kind: long, words: See the budget.}
      - {kind: long, words: The client has asked for one more change.}
      - {kind: short, words: Shipped.}
tools:
  - name: list_remarks
    parameters: {type: object, properties: {page_id: {type: string}}, required: [page_id]}
    returns: {type: object, properties: {remarks: {type: array, maxItems: 9, items: {type: object, properties: {words: {type: string}}, required: [words]}}}, required: [remarks]}
    effect: {find: remark, by: {page_id: page_id}, at: remarks}
"""


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_whole_example_comes_twice_while_there_are_others(salt: int):
    world = compile_backend(remarks(), compile_value, 3).open(TODAY, salt)
    entities, draw = world.entities, Draw(salt, TODAY)
    for _ in range(2):
        entities.fit("list_remarks", {"page_id": "PG-0000"}, draw)
    told = [one["words"] for one in world.state.every("board.remark")]
    assert len({*told}) == min(len(told), 10)
    assert len(told) >= 3


def test_all_whole_examples_are_there_where_as_many_are_wanted(tmp_path: Path):
    (tmp_path / "board.yaml").write_text(REMARKS.replace("count: [3, 4]", "count: [10, 10]"))
    backend = compile_backend(load_toolbox([tmp_path / "board.yaml"]), compile_value, 3)
    for salt in range(30):
        assert len({one["words"] for one in backend.open(TODAY, salt).state.every("board.remark")}) == 10


@cache
def remarks() -> Toolbox:
    path = Path(mkdtemp()) / "board.yaml"
    path.write_text(REMARKS)
    return load_toolbox([path])
