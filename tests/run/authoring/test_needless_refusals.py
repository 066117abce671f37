"""What writers say well and checks used to refuse."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.core.overlays import split_pieces
from generator.recipe import ToolFile
from generator.run.authoring.bench import Bench, judge, open_bench
from generator.run.authoring.tidying.ids import _is_opaque
from generator.run.authoring.tidying.sayable import never_asked
from generator.run.authoring.tidying.spoken import without_what_people_do_not_say
from generator.run.authoring.writer.server import pieces_of_tool
from generator.run.authoring.writer.values import one_question_each

TEXT = {"type": "string"}
FLAG = {"type": "boolean"}
LEVEL = {"anyOf": [{"type": "number"}, {"type": "null"}]}


def _tool(name: str, required: list[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": name.replace("_", " "), "inputSchema": schema}


TOOLS = [
    _tool("find_pages", []),
    _tool("list_children", ["block_id"], block_id=TEXT),
    _tool("change_page", ["page_id"], page_id=TEXT, in_trash=FLAG, level=LEVEL),
]
ENTITIES: dict[str, Any] = {
    "page": {
        "key": "page_id",
        "fields": {
            "page_id": {"type": "string", "pattern": "^P-[0-9]{5}$"},
            "title": {"type": "string", "examples": ["Road map", "Team list", "Packing list"]},
            "in_trash": FLAG,
        },
        "called": ["title"],
    },
    "block": {
        "key": "block_id",
        "fields": {
            "block_id": {"type": "string", "pattern": "^B-[0-9]{5}$"},
            "page_id": {},
            "inside": {"of": "block"},
            "text": {"type": "string", "examples": ["Buy chalk", "Ask Anna", "Call the hall"]},
        },
    },
}
WORLD: dict[str, Any] = {
    "find_pages": {"effect": {"find": "page", "at": "pages"}, "result": {"pages": ["page_id", "title"]}},
    "list_children": {
        "effect": {"find": "block", "by": {"block_id": "page_id"}, "at": "blocks"},
        "result": {"blocks": ["block_id", "text", "inside"]},
        "links": {"block_id": "find_pages#/pages/*/page_id"},
    },
    "change_page": {"effect": {"update": "page"}, "result": ["page_id", "in_trash"]},
}


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[tuple[str, str]]]:
    """(piece, reason) of what is refused of what is said of a tool."""
    path = tmp_path_factory.mktemp("pages") / "pages.json"
    path.write_text(json.dumps({"tools": TOOLS}))
    bench: Bench = open_bench(ToolFile(file=path))
    declared = bench.declaring(ENTITIES)
    specs = {name: bench.read(declared[name], pieces_of_tool(said, ENTITIES))[0] for name, said in WORLD.items()}

    def found(name: str, world: dict[str, Any] | None = None, **phrases: Any) -> list[tuple[str, str]]:
        pieces = pieces_of_tool(world or WORLD[name], ENTITIES) | split_pieces({"phrases": phrases} if phrases else {})
        return [(one.name, why) for one, why in judge(bench, declared[name], pieces, specs).dropped]

    return found


def test_a_link_joins_what_an_effect_looks_up_though_the_names_differ(refused: Callable[..., Any]):
    assert refused("list_children") == []
    assert refused(
        "list_children", WORLD["list_children"] | {"links": {"block_id": "list_children#/blocks/*/block_id"}}
    )


def test_the_topmost_of_a_kind_is_within_none(refused: Callable[..., Any]):
    returns = pieces_of_tool(WORLD["list_children"], ENTITIES)["returns",]
    assert returns["properties"]["blocks"]["items"]["properties"]["inside"]["type"] == ["string", "null"]


def test_a_question_is_cut_behind_its_mark():
    pieces = {
        ("phrases", "ask", "page_id"): ["Which page is it? I need its ID.", "Which page?", "The page, please."],
        ("say", "x"): "never",
    }
    cut = one_question_each(pieces)
    assert cut[("phrases", "ask", "page_id")] == ["Which page is it?", "Which page?", "The page, please."]
    assert cut[("say", "x")] == "never"


def test_clauses_by_which_something_ends_do_not_affirm_it(refused: Callable[..., Any]):
    clauses = {"true": ["and put it in the trash"], "false": ["and take it out of the trash"]}
    assert refused("change_page", slots={"in_trash": clauses}) == []
    clauses["false"] = ["and move it to the trash"]
    assert [name for name, _ in refused("change_page", slots={"in_trash": clauses})] == ["phrases.slots.in_trash.false"]


def test_a_field_may_be_called_by_capitals(refused: Callable[..., Any]):
    assert refused("find_pages", fields={"pages/*/page_id": "page ID"}) == []
    assert [name for name, _ in refused("find_pages", fields={"pages/*/page_id": "Page ID"})] == ["phrases.fields"]


def test_words_for_numbers_are_found_by_their_json(refused: Callable[..., Any], tmp_path: Any):
    assert refused("change_page", synonyms={"level": {"1": ["urgent"]}}) == []


@pytest.mark.parametrize(
    "value", ["+4915112345678", "+47-912-34-567", "2026-03-04", "2026-03-04T10:00:00Z", "14:30", "$25"]
)
def test_what_people_say_alone_is_no_id(value: str):
    assert not _is_opaque(value)
    assert _is_opaque(value.replace("+", "").replace("-", "").replace(":", "").replace("$", "x"))


def test_a_line_with_a_field_that_may_be_null_can_be_added_to_one_that_always_can_be_said():
    bench = open_bench(ToolFile(file=Path(__file__).parents[3] / "tool_specs" / "contacts.json"))
    added = split_pieces({"phrases": {"each": {"contacts": ["{name} at {company}"]}}})
    declared = bench.bare["search_contacts"]
    judged = judge(bench, declared, added, bench.bare)
    assert without_what_people_do_not_say(bench, declared, judged).dropped == ()


def test_a_question_that_is_never_heard_is_told(tmp_path: Path):
    (tmp_path / "pages.json").write_text(json.dumps({"tools": TOOLS}))
    bench = open_bench(ToolFile(file=tmp_path / "pages.json"))

    def heard(*requests: str) -> list[str]:
        phrases = {"request": [*requests], "question": [], "ask": {"page_id": ["Which page is it?"]}}
        pieces = pieces_of_tool(WORLD["change_page"], ENTITIES) | split_pieces({"phrases": phrases})
        return [*never_asked(judge(bench, bench.declaring(ENTITIES)["change_page"], pieces, bench.bare).spec)]

    assert heard("change page {page_id}", "edit page {page_id}") == ["page_id"]
    assert heard("change page {page_id}", "edit a page") == []
