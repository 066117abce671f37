"""What readers may leave unsaid of a text, and what they may read otherwise, without its being refused; and what not."""

import asyncio
import json
from typing import Any

import pytest

from generator.core.conversation import Tool
from generator.core.overlays import split_pieces
from generator.core.toolbox import ToolSpec
from generator.llm.account import Account
from generator.llm.asking import ModelAnswer
from generator.recipe import ToolFile
from generator.run.authoring.asking import Asked
from generator.run.authoring.bench import open_bench
from generator.run.authoring.elements import all_elements
from generator.run.authoring.readers.items import Item, items_of
from generator.run.authoring.readers.reading import read_by, reading_request
from generator.run.authoring.writer.writing import load_author_prompts, signature

TEXT = {"type": "string"}
ROOMS = {"type": "string", "enum": ["hall", "attic"]}
ARGUMENTS: dict[str, Any] = {
    "room": ROOMS,
    "level": {"type": "integer", "minimum": 1, "maximum": 9},
    "until": {"type": "string", "format": "time"},
    "gentle": {"type": "boolean"},
    "mode": {"enum": ["eco", None]},
    "radius_m": {"type": "integer", "minimum": 10, "maximum": 90},
    "earliest": {"anyOf": [{"type": "string", "format": "time"}, {"type": "null"}]},
    "place": {"$ref": "#/$defs/place"},
}
PLACE = {
    "type": "object",
    "properties": {"street": TEXT, "city": TEXT, "code": TEXT},
    "required": ["street", "city", "code"],
}
RETURNS: dict[str, Any] = {
    "status": {"type": "string", "enum": ["set"]},
    "phase": {"type": "string", "enum": ["heating", "idle"]},
    "holds_until": {"type": "string", "examples": ["next change", "next change"], "x-from": "until"},
    "lasts": {"type": "string", "x-compute": "'for a while' if given(until) else 'for good'"},
    "sound": {"type": "string", "x-compute": "('soft' if args.gentle else 'loud') if given(gentle) else 'usual'"},
    "pace": {"type": "string", "examples": ["full", "full"], "x-compute": "'low' if args.gentle else 'full'"},
    "degrees": {"type": "integer", "minimum": 1, "maximum": 30},
    "warm": {"type": "boolean", "x-compute": "degrees > 18"},
    "note": {"type": ["string", "null"]},
}


@pytest.fixture(scope="module")
def spec(tmp_path_factory: pytest.TempPathFactory) -> ToolSpec:
    parameters = {
        "type": "object",
        "properties": ARGUMENTS,
        "required": ["room", "level"],
        "$defs": {"place": PLACE},
        "additionalProperties": False,
    }
    tool = {
        "type": "function",
        "function": {"name": "set_heating", "description": "Set the heating of a room.", "parameters": parameters},
        "returns": {"type": "object", "properties": RETURNS, "required": [*RETURNS]},
        "effect": {"read": True},
        "phrases": {
            "request": ["heat the {room} at level {level}"],
            "slots": {
                "until": ["until {until:time}"],
                "gentle": {"true": ["gently"], "false": ["fast"]},
                "mode": {"eco": ["in the saving mode"], "null": ["in no mode"]},
                "radius_m": ["within {radius_m} metres"],
                "earliest": ["from {earliest:time}"],
                "place": ["at {place/street}, {place/city}"],
            },
            "answer": ["The {args.room} is at {degrees} degrees."],
            "ask": {"room": ["Which room?"], "level": ["Which level?"]},
        },
    }
    path = tmp_path_factory.mktemp("heating") / "heating.json"
    path.write_text(json.dumps({"tools": [tool]}))
    (found,) = open_bench(ToolFile(file=path)).bare.values()
    return found


class _Says:
    """A reader with one answer for everything."""

    account = Account()

    def __init__(self, entry: dict[str, Any]) -> None:
        self.entry = entry

    async def answer(self, asked: Asked) -> ModelAnswer:
        return ModelAnswer(text=json.dumps({"readings": [{"number": 1, "beyond": "", **self.entry}]}), usd=0.0)


def item_of(spec: ToolSpec, **phrases: Any) -> Item:
    (item,) = items_of(spec, all_elements(split_pieces({"phrases": phrases})))
    return item


def faults(spec: ToolSpec, item: Item, **entry: Any) -> tuple[str, ...]:
    """How a reader reads a text otherwise than it was written; it names every letter unless told otherwise."""
    entry = {"tool": spec.name, "slots": dict(item.slots), **entry}
    asked = reading_request("read", [spec], [(spec, item)], load_author_prompts(None).read)
    (found,) = asyncio.run(read_by(_Says(entry), asked, [(spec, item)]))
    return found


UNTIL = "The {args.room} is at {degrees} degrees until {args.until}."
PLAIN = "The {args.room} is at {degrees} degrees."
BARE = "The {args.room} is set."
UNSAID: list[tuple[str, dict[str, Any], dict[str, Any], bool]] = [
    (BARE, {"status": "set"}, {}, True),
    (BARE, {"phase": "idle"}, {}, False),
    (BARE, {"phase": "idle"}, {"phase": "heating"}, False),
    (BARE, {"note": None}, {}, True),
    (BARE, {"note": None}, {"note": "open a window"}, False),
    (BARE, {"holds_until": "next change"}, {}, True),
    (UNTIL, {"holds_until": "next change"}, {}, False),
    (BARE, {"lasts": "for good"}, {}, True),
    (BARE, {"lasts": "for a while"}, {}, False),
    (UNTIL, {"lasts": "for a while"}, {}, True),
    (UNTIL, {"lasts": "for good"}, {}, False),
    (BARE, {"sound": "usual"}, {}, True),
    (BARE, {"sound": "soft"}, {}, False),
    (BARE, {"sound": "soft"}, {"gentle": True}, True),
    (BARE, {"sound": "soft"}, {"gentle": False}, False),
    (BARE, {"sound": "usual"}, {"sound": "soft"}, False),
    (BARE, {"pace": "full"}, {}, True),
    (BARE, {"pace": "full"}, {"gentle": True}, False),
    (BARE, {"pace": "low"}, {}, False),
    (PLAIN, {"warm": True}, {}, True),
    (PLAIN, {"warm": True}, {"warm": False}, False),
    (BARE, {"warm": True}, {}, False),
    ("The {args.room} is {phase}.", {"phase": "idle"}, {}, True),
    (BARE, {}, {"status": "set"}, True),
    (BARE, {}, {"status": "off"}, False),
    (BARE, {}, {"phase": "idle"}, False),
]


@pytest.mark.parametrize(("text", "when", "values", "is_right"), UNSAID)
def test_an_answer_need_not_say_what_its_letters_settle(
    spec: ToolSpec, text: str, when: dict[str, Any], values: dict[str, Any], is_right: bool
):
    item = item_of(spec, answer=[{"when": when, "say": text}] if when else [text])
    assert (faults(spec, item, values=values) == ()) is is_right


@pytest.mark.parametrize(("read", "is_right"), [(None, True), ("null", True), ("eco", False), (False, False)])
def test_a_clause_for_null_is_read_as_nothing(spec: ToolSpec, read: Any, is_right: bool):
    item = item_of(spec, slots={"mode": {"null": ["in whatever mode"]}})
    assert (faults(spec, item, values={"mode": read}) == ()) is is_right


def test_a_clause_still_has_to_say_its_value(spec: ToolSpec):
    assert faults(spec, item_of(spec, slots={"mode": {"null": ["in whatever mode"]}}))
    assert faults(spec, item_of(spec, slots={"gentle": {"false": ["as usual"]}}))


@pytest.mark.parametrize(
    ("slot", "operator", "is_right"),
    [
        ("radius_m", "at most", True),
        ("radius_m", "at least", False),
        ("earliest", "at least", True),
        ("earliest", "at most", False),
        ("level", "at most", False),
    ],
)
def test_bounds_that_names_tell(spec: ToolSpec, slot: str, operator: str, is_right: bool):
    item = item_of(spec, slots={slot: [f"with {{{slot}}}"]})
    (letter,) = [letter for letter, name in item.slots if name == slot]
    assert (faults(spec, item, operators={letter: operator}) == ()) is is_right


def test_a_field_that_shows_an_argument_is_as_good_as_the_argument(spec: ToolSpec):
    item = item_of(spec, answer=[UNTIL])
    as_field = {letter: slot.replace("args.until", "holds_until") for letter, slot in item.slots}
    assert faults(spec, item, slots=as_field) == ()
    item = item_of(spec, answer=["The {args.room} stays warm until {holds_until}."])
    as_argument = {letter: slot.replace("holds_until", "args.until") for letter, slot in item.slots}
    assert faults(spec, item, slots=as_argument) == ()
    assert faults(spec, item, slots={letter: slot.replace("holds_until", "phase") for letter, slot in item.slots})


def test_a_clause_is_not_refused_for_the_letters_of_the_request_before_it(spec: ToolSpec):
    item = item_of(spec, slots={"until": ["up to {until:time}"]})
    assert [slot for _, slot in item.slots] == ["until"]
    (letter,) = [letter for letter, _ in item.slots]
    assert faults(spec, item, slots={"A": "level", "B": "room", letter: "until"}) == ()
    assert faults(spec, item, slots={letter: "earliest"})


def test_parts_of_one_object_with_no_word_between_them_cannot_be_told_apart(spec: ToolSpec):
    near = item_of(spec, slots={"place": ["at {place/street}, {place/code} {place/city}"]})
    letters = {slot: letter for letter, slot in near.slots}
    turned = {letters["place/street"]: "place/street", letters["place/code"]: "place/city"}
    assert faults(spec, near, slots={**turned, letters["place/city"]: "place/code"}) == ()
    assert faults(spec, near, slots={**turned, letters["place/city"]: "place/city"})
    apart = item_of(spec, slots={"place": ["on {place/street} in the city of {place/city}"]})
    letters = {slot: letter for letter, slot in apart.slots}
    assert faults(spec, apart, slots={letters["place/street"]: "place/city", letters["place/city"]: "place/street"})


def test_one_part_of_an_object_stands_for_the_others_in_an_answer(spec: ToolSpec):
    item = item_of(spec, answer=["The heating at {args.place/street} is set."])
    assert faults(spec, item, slots={"A": "args.place/city"}) == ()
    assert faults(spec, item, slots={"A": "args.room"})


def test_readers_see_the_parts_of_objects(spec: ToolSpec):
    shown = signature(spec)
    assert "place?: object of street, city, code" in shown
    assert "mode?: one of eco|null" in shown
    assert "earliest?: time or null" in shown


def test_a_tool_whose_argument_holds_its_own_kind_has_a_line() -> None:
    """A filter of filters, as MCP servers have them."""
    node = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/N"}}]}
    tool = Tool(
        name="find", parameters={"type": "object", "properties": {"where": {"$ref": "#/$defs/N"}}, "$defs": {"N": node}}
    )
    line = signature(ToolSpec(tool=tool, domain="d", where="x"))
    assert line.startswith("find(where?: string or list of string or list of ")
