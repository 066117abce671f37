"""One bad piece costs itself: entities with a wrong field, results that contradict their entity, values of another shape."""

import asyncio
import copy
import json
from pathlib import Path
from typing import Any

import pytest
from authors import AS_MEANT, Oracle, entry_as_meant, people, writer

from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.run.authoring.author import author
from generator.run.authoring.bench import Bench, entities_that_fit, open_bench
from generator.run.authoring.elements import Element
from generator.run.authoring.readers import read_back
from generator.run.authoring.readers.items import Item, items_of
from generator.run.authoring.readers.reading import UNNATURAL, Reading
from generator.run.authoring.result import AuthoredTool, Authoring
from generator.run.authoring.writer.writing import load_author_prompts
from generator.run.trials import try_tool

TEXT = {"type": "string"}


def function(name: str, about: str, required: list[str], **properties: Any) -> dict[str, Any]:
    """A tool as MCP lists it."""
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": about, "inputSchema": schema}


TOOLS = [
    function("find_notes", "Find notes", [], query=TEXT, color=TEXT, max_pages={"type": "integer"}, limit={"type": "integer"}),
    function("add_note", "Add a note", ["title"], title=TEXT, body=TEXT, color=TEXT, pages={"type": "integer"}, author=TEXT),
    function("change_note", "Change a note", ["note_id"], note_id=TEXT, title=TEXT, body=TEXT, color=TEXT, pages={"type": "integer"}),
    function("pin_note", "Pin a note", ["note_id"], note_id=TEXT, tags={"type": "array", "items": TEXT}),
    function("import_notes", "Import notes", ["notes"], notes={"type": "array", "items": {"type": "object", "properties": {"title": TEXT, "pages": {"type": "integer"}}, "required": ["title", "pages"]}}, options={"type": "array", "items": {}}),
    function("define_word", "Look up a word", ["word"], word=TEXT),
]  # fmt: skip
EXAMPLES = [
    {"title": "Packing list", "body": "Tent, stove and two lamps."},
    {"title": "Garden plan", "body": "Beans along the fence, herbs by the door."},
    {"title": "Reading list", "body": "Start with the short novels."},
    {"title": "Guest room", "body": "New curtains and a lamp for the desk."},
]
SERVER: dict[str, Any] = {
    "entities": {
        "note": {
            "key": "note_id",
            "count": [4, 6],
            "fields": {
                "note_id": {"type": "string", "pattern": "^N-[0-9]{4}$"},
                "title": TEXT,
                "body": TEXT,
                "color": {"type": "string", "examples": ["red", "green", "blue", "yellow"]},
                "pages": {"type": "integer", "minimum": 1, "maximum": 9},
                "status": {"states": ["draft", "final"]},
                "link": {"type": "string", "x-compute": "'https://notes.example/' + note_id"},
            },
            "examples": EXAMPLES,
            "called": ["title"],
        }
    },
    "tools": {
        "find_notes": {
            "effect": {"find": "note", "by": {"query": ["title", "body"], "color": "color", "max_pages": "pages <= args.max_pages"}, "at": "notes", "limit": "limit"},
            "result": {"notes": ["note_id", "title", "color"]},
        },
        "add_note": {"effect": {"create": "note"}, "result": ["note_id", "title", "link"]},
        "change_note": {"effect": {"update": "note"}, "result": ["note_id", "title", "color"]},
        "pin_note": {"effect": {"act": "note"}},
    },
}  # fmt: skip
SAID: dict[str, Any] = {
    "find_notes": {
        "examples": {"query": ["garden", "list", "teapot"]},
        "phrases": {
            "request": ["find notes", "list my notes"],
            "slots": {"query": ["about {query}"], "color": ["in {color}"], "max_pages": [", {max_pages} pages at most"], "limit": ["at most {limit}"]},
            "answer": ["I found {notes}."],
            "each": {"notes": ["{title:quoted}, {color}", "{title:quoted} ({note_id})"]},
        },
    },
    "add_note": {"phrases": {"request": ["add the note {title:quoted}", "write down {title:quoted}"], "slots": {"body": ["with the text {body:quoted}"], "color": ["in {color}"], "pages": ["on {pages} pages"], "author": ["by {author}"]}, "answer": ["I've added {title:quoted} ({note_id})."]}},
    "change_note": {"phrases": {"request": ["change note {note_id}", "edit note {note_id}"], "slots": {"title": ["so that it is called {title:quoted}"], "body": ["so that it says {body:quoted}"], "color": ["to {color}"], "pages": ["to {pages} pages"]}, "answer": ["I've changed {note_id}."]}},
    "pin_note": {"examples": {"tags": ["home", "work", "later"]}, "phrases": {"request": ["pin note {note_id}", "keep note {note_id} on top"], "slots": {"tags": ["under {tags}"]}, "answer": ["I've pinned {title:quoted}."]}},
    "import_notes": {"returns": {"type": "object", "properties": {"count": {"type": "integer", "minimum": 1, "maximum": 9}}}, "phrases": {"request": ["import {notes}", "bring in {notes}"], "slots": {"notes/*": ["{notes/*/title:quoted} with {notes/*/pages} pages"]}, "answer": ["I've imported {count}."]}},
    "define_word": {
        "examples": {"word": ["ajar", "brisk", "glum"]},
        "returns": {"type": "object", "properties": {"word": TEXT, "meaning": {"type": "string", "examples": ["a", "b", "c"]}}},
        "worked": [{"arguments": {"word": "ajar"}, "result": {"meaning": "a little open"}}, {"arguments": {"word": "brisk"}, "result": {"meaning": "quick and lively"}}],
        "phrases": {"request": ["look up {word:quoted}", "tell me what {word:quoted} means"], "answer": ["{word:quoted} means {meaning:quoted}."]},
    },
}  # fmt: skip


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    path = tmp_path_factory.mktemp("notes") / "notes.json"
    path.write_text(json.dumps({"tools": TOOLS}))
    return open_bench(ToolFile(file=path))


@pytest.fixture(autouse=True)
def _readers_know_what_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    def remembering(spec: ToolSpec, elements: Any) -> Any:
        found = items_of(spec, elements)
        AS_MEANT.update({item.text: entry_as_meant(item, spec.name) for item in found})
        return found

    monkeypatch.setattr(read_back, "items_of", remembering)


def described(bench: Bench, server: Any, said: Any, mended: Any = None, only: Any = ()) -> Authoring:
    asked = people(writer(server, said, mended), Oracle(), mends=mended is not None)
    return asyncio.run(author(bench, asked, load_author_prompts(None), {}, only))


@pytest.fixture(scope="module")
def done(bench: Bench) -> Authoring:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(read_back, "items_of", lambda spec, elements: remember(spec, elements))
        return described(bench, SERVER, SAID)


def remember(spec: ToolSpec, elements: Any) -> list[Item]:
    found = items_of(spec, elements)
    AS_MEANT.update({item.text: entry_as_meant(item, spec.name) for item in found})
    return found


def tool(done: Authoring, name: str) -> AuthoredTool:
    return next(one for one in done.tools if one.spec.name == name)


def calls(spec: ToolSpec, number: int = 30) -> list[tuple[dict[str, Any], Any]]:
    """Arguments and result of the calls of trial rows."""
    found = []
    for row in try_tool(spec, number).rows:
        messages = row.conversation.messages
        call = next(one for message in messages for one in getattr(message, "tool_calls", ()))
        result = next(json.loads(message.content) for message in messages if hasattr(message, "tool_call_id"))
        found.append((call.arguments, result))
    return found


def test_the_server_as_a_whole_is_kept(done: Authoring):
    dropped = [(one.element.name, one.element.text) for tool in done.tools for one in tool.dropped]
    assert dropped == [("examples.query", "teapot")]  # no note has it
    assert {one.spec.name: one.refused for one in done.tools if one.refused} == {}


def test_arguments_have_the_values_of_the_fields_they_set_or_are_compared_with(done: Authoring):
    find, add = tool(done, "find_notes").spec, tool(done, "add_note").spec
    assert find.examples["color"] == add.examples["color"] == ("red", "green", "blue", "yellow")
    assert set(find.examples["max_pages"]) <= set(range(1, 10))
    assert "author" not in add.examples  # no note has one
    told = {one["title"]: one["body"] for one in EXAMPLES}
    made = [arguments for arguments, _ in calls(add)]
    assert all(told[one["title"]] == one.get("body", told[one["title"]]) for one in made)


def test_few_optional_arguments_are_said_and_a_change_changes_something(done: Authoring):
    for name, required in (("add_note", {"title"}), ("change_note", {"note_id"})):
        made = [arguments.keys() - required for arguments, _ in calls(tool(done, name).spec)]
        assert max(map(len, made)) == 2
        assert min(map(len, made)) == (1 if name == "change_note" else 0)


def test_what_a_search_finds_holds_the_words_among_others(done: Authoring):
    found = [
        (arguments["query"], result["notes"])
        for arguments, result in calls(tool(done, "find_notes").spec)
        if "query" in arguments
    ]
    assert found
    titles = {one["title"] for one in EXAMPLES}
    for query, notes in found:
        assert query != "teapot"
        assert notes
        assert all(note["title"] in titles for note in notes)


def test_an_act_shows_what_it_was_done_with(done: Authoring):
    pin = tool(done, "pin_note").spec
    assert pin.returns is not None
    assert list(pin.returns["properties"]) == ["note_id", "title"]
    assert ("home",) in [tuple(one) for one in pin.examples["tags"]]


def test_words_for_lists(done: Authoring):
    phrases = tool(done, "find_notes").spec.phrases
    assert phrases.slots["limit"].frames == (", at most {limit}",)
    assert phrases.each["notes"][0] == "{title:quoted} ({color})"
    assert tool(done, "import_notes").spec.say == {"options": "never"}


def test_what_was_worked_out_by_hand_is_what_a_call_without_a_formula_gives(done: Authoring):
    assert {(one["word"], result["meaning"]) for one, result in calls(tool(done, "define_word").spec)} == {
        ("ajar", "a little open"),
        ("brisk", "quick and lively"),
    }


def test_a_list_that_needs_words_and_has_none_leaves_the_tool_out(tmp_path: Path):
    anything = {"type": "array", "items": {}, "minItems": 1}
    path = tmp_path / "notes.json"
    path.write_text(json.dumps({"tools": [function("import_notes", "Import notes", ["options"], options=anything)]}))
    said = {
        "examples": {"options": [[1, "a"], [2, "b"], [3, "c"]]},
        "phrases": {"request": ["import {options}", "bring in {options}"]},
    }
    (one,) = described(open_bench(ToolFile(file=path)), {"entities": {}, "tools": {}}, {"import_notes": said}).tools
    assert one.refused == "options: nobody has said how people put it into words"


BAD: list[tuple[tuple[Any, ...], Any, str]] = [
    (("fields", "link", "x-compute"), "'https://notes.example/' + slug", "note.fields.link"),
    (("fields", "color", "x-kind"), "colour_of_paper", "note.fields.color"),
    (("fields", "pages", "of"), "book", "note.fields.pages"),
    (("examples", 1, "titel"), "Garden", "note.examples.1"),
    (("examples", 2, "title"), 7, "note.examples.2"),
    (("called",), ["name"], "note.called"),
]


@pytest.mark.parametrize(("way", "value", "place"), BAD)
def test_one_bad_part_of_an_entity_costs_that_part(bench: Bench, way: tuple[Any, ...], value: Any, place: str):
    entities = copy.deepcopy(SERVER["entities"])
    inside = entities["note"]
    for step in way[:-1]:
        inside = inside[step]
    inside[way[-1]] = value
    kept, wrong = entities_that_fit(bench, entities)
    assert list(wrong) == [place]
    assert all(wrong.values())
    assert kept["note"]["fields"].keys() >= {"note_id", "title", "body", "status"}
    bench.try_entities(kept)


def test_a_result_that_contradicts_its_entity_is_told_and_costs_itself(bench: Bench):
    server = copy.deepcopy(SERVER)
    server["tools"]["pin_note"]["returns"] = {"type": "object", "properties": {"note_id": TEXT, "status": {"const": "pinned"}}, "required": ["note_id", "status"]}  # fmt: skip
    (one,) = described(bench, server, SAID, only=["pin_note"]).tools
    assert one.refused == ""
    assert ["the field status" in each.why for each in one.dropped] == [True]
    assert one.spec.effect is not None
    assert one.spec.returns is not None
    assert list(one.spec.returns["properties"]) == ["note_id", "title"]


def test_what_is_given_again_takes_the_place_of_the_values_before(bench: Bench):
    said = copy.deepcopy(SAID["find_notes"])
    said["examples"] = {"query": ["Garden", "garden", 7]}
    again = {"find_notes": {"examples": {"query": ["list", "plan", "room"]}}}
    (one,) = described(bench, SERVER, {"find_notes": said}, again, only=["find_notes"]).tools
    assert one.spec.examples["query"] == ("list", "plan", "room")
    assert one.spec.phrases.request == ("find notes", "list my notes")


@pytest.mark.parametrize(
    ("is_part", "faults", "is_kept"),
    [
        (True, ((UNNATURAL,), ()), True),
        (True, ((UNNATURAL,), (UNNATURAL,)), False),
        (False, ((UNNATURAL,), ()), False),
        (True, ((UNNATURAL, "it also says: x"), ()), False),
    ],
)
def test_one_reader_alone_does_not_call_a_fragment_unnatural(is_part: bool, faults: Any, is_kept: bool):
    element = Element(("phrases", "again"), (0,), "for {user_id}")
    reading = Reading(item=Item(element=element, text="", kind="request", is_part=is_part), faults=faults)
    assert reading.is_kept == is_kept


def test_readers_see_what_it_is(bench: Bench, done: Authoring):
    spec = tool(done, "pin_note").spec
    said = {("links", "note_id"): "find_notes#/notes/*/note_id"}
    linked, _ = bench.read(bench.declaring(SERVER["entities"])["pin_note"], said)
    (item,) = items_of(linked, [Element(("phrases", "follow_up"), (0,), "pin {note_id}")])
    assert item.text == "(when find_notes has given note_id [A]) … and then pin [A: ID]."
    (again,) = items_of(spec, [Element(("phrases", "again"), (0,), "{note_id}")])
    assert again.text == "Please pin note …, and also [A: ID]."


def test_the_writer_is_told_of_which_arguments_nothing_is_needed(bench: Bench, done: Authoring):
    asked = writer(SERVER, SAID)
    seen: list[str] = []
    reply = asked.reply
    who = type(asked)(lambda name, text: (seen.append(text), reply(name, text))[1])
    asyncio.run(author(bench, people(who, Oracle()), load_author_prompts(None), {}, ["add_note", "find_notes"]))
    assert "values are known of: query, color, max_pages" in seen[-1]
    assert (
        "values are known of: title, body, color, pages" in seen[-1] or "values are known of: color, pages" in seen[-1]
    )
