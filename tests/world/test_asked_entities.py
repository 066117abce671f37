"""The backend `llm` for tools that act on entities: what an entity is, the world says; what is left open, the model."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import load_prompts
from generator.recipe.llm import Llm
from generator.tools.specs import load_toolbox
from generator.world import compile_backend, with_model
from generator.world.llm import IN_PART, NOT_ASKED
from generator.world.world import SimulatedWorld

TODAY = date(2026, 5, 5)
PARCELS = """
entities:
  parcel:
    key: parcel_id
    count: [3, 3]
    fields:
      parcel_id: {type: string, pattern: "^P-[0-9]{4}$"}
      status: {states: {waiting: [held], held: []}, examples: [waiting, waiting, waiting]}
      size: {type: integer, minimum: 1, maximum: 9}
tools:
  - function: {name: find_parcels, parameters: {type: object, properties: {}}}
    effect: {find: parcel, at: parcels}
    returns:
      type: object
      properties:
        parcels:
          type: array
          items: {type: object, properties: {parcel_id: {type: string}, size: {type: integer}}, required: [parcel_id, size]}
      required: [parcels]
  - function: {name: list_hints, parameters: {type: object, properties: {}}}
    effect: {find: parcel, at: parcels}
    returns:
      type: object
      properties:
        parcels:
          type: array
          items: {type: object, properties: {parcel_id: {type: string}, hint: {type: string}}, required: [parcel_id, hint]}
      required: [parcels]
  - function: {name: get_parcel, parameters: &about {type: object, properties: {parcel_id: {type: string}}, required: [parcel_id]}}
    effect: {get: parcel, by: {parcel_id: parcel_id}}
    returns: &parcel
      type: object
      properties: {parcel_id: {type: string}, status: {type: string}, size: {type: integer}, hint: {type: string}, next_id: {type: string}}
      required: [parcel_id, status, size, hint, next_id]
  - function: {name: track_parcel, parameters: *about}
    effect: {get: parcel, by: {parcel_id: parcel_id}}
    returns: *parcel
  - function: {name: hold_parcel, parameters: *about}
    effect: {move: parcel, by: {parcel_id: parcel_id}, set: {status: held}}
    returns: *parcel
"""


class Told(Asker):
    """A model that says this of every call, and otherwise what is in the example."""

    def __init__(self, **said: Any) -> None:
        super().__init__(Llm(model="x"))
        self.said = said
        self.requests: list[Request] = []

    def ask(self, *requests: Request) -> tuple[ModelAnswer, ...]:
        self.requests += requests
        return tuple([ModelAnswer(text=json.dumps(self.answer(request.messages[-1][1]))) for request in requests])

    def answer(self, text: str) -> Any:
        example = json.loads(
            next(line for line in text.splitlines() if line.startswith(('{"parcel_id"', '{"parcels"')))
        )
        if "parcels" in example:
            return {"parcels": [{**one, "hint": f"hint of {one['parcel_id']}"} for one in reversed(example["parcels"])]}
        return example | self.said


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    """A function that opens a world, with a model if one is given."""
    (tmp_path / "tools.yaml").write_text(PARCELS)
    toolbox = load_toolbox([tmp_path / "tools.yaml"])

    def made(asker: Asker | None = None) -> SimulatedWorld:
        backend = compile_backend(toolbox, compile_value, 1, guided=asker is not None)
        return (
            backend.open(TODAY)
            if asker is None
            else with_model(backend, asker, load_prompts(None), toolbox).open(TODAY)
        )

    return made


def call(world: SimulatedWorld, tool: str, **arguments: Any) -> Any:
    """The result of one call."""
    (outcome,) = world.step([ToolCall("x", tool, arguments)])
    return outcome.value


def first_key(world: SimulatedWorld) -> str:
    """The key of a parcel that can be held."""
    parcels = world.state.all("tools.parcel")
    key = next(iter(parcels))
    parcels[key] = parcels[key] | {"status": "waiting"}
    return str(key)


def test_nobody_is_asked_where_entities_and_arguments_decide_everything(opened: Any):
    asker = Told()
    world = opened(asker)
    assert call(world, "find_parcels") == call(opened(), "find_parcels")
    assert asker.requests == []
    assert asker.notes == [("results", NOT_ASKED)]


def test_only_what_is_left_open_is_the_models(opened: Any):
    asker = Told(hint="Ring twice.", size=77, status="lost", next_id="P-0000")
    world, plain = opened(asker), opened()
    key = first_key(plain)
    assert first_key(world) == key
    found = call(world, "get_parcel", parcel_id=key)
    assert found == call(plain, "get_parcel", parcel_id=key) | {"hint": "Ring twice."}
    assert asker.notes == [("results", IN_PART)]
    assert "each element of a list):\nhint\n" in asker.requests[0].messages[-1][1]


def test_a_model_changes_no_entity(opened: Any):
    worlds = opened(Told(hint="Ring twice.", size=77)), opened()
    for world in worlds:
        call(world, "hold_parcel", parcel_id=first_key(world))
    assert worlds[0].state.digest() == worlds[1].state.digest() != ""


@pytest.mark.parametrize("again", ["get_parcel", "track_parcel"])
def test_what_a_result_showed_is_shown_again(opened: Any, again: str):
    asker = Told(hint="Ring twice.")
    world = opened(asker)
    key = first_key(world)
    call(world, "get_parcel", parcel_id=key)
    asker.said = {"hint": "Another one."}
    call(world, "hold_parcel", parcel_id=next(other for other in world.state.all("tools.parcel") if other != key))
    call(world, "find_parcels")
    before = len(asker.requests)
    world.state.all("tools.parcel")[key] = {**world.state.find("tools.parcel", key), "status": "held"}
    found = call(world, again, parcel_id=key)
    assert (found["status"], found["hint"]) == ("held", "Ring twice.")
    assert len(asker.requests) == before


def test_what_was_listed_is_shown_of_the_same_entity(opened: Any):
    asker = Told()
    world = opened(asker)
    listed = call(world, "list_hints")["parcels"]
    assert [one["parcel_id"] for one in listed] == list(world.state.all("tools.parcel"))
    assert all(one["hint"] == f"hint of {one['parcel_id']}" for one in listed)
    assert call(world, "get_parcel", parcel_id=listed[1]["parcel_id"])["hint"] == listed[1]["hint"]
    assert len(asker.requests) == 1


def test_a_call_that_changes_something_may_say_something_new_and_is_believed_later(opened: Any):
    asker = Told(hint="Ring twice.")
    world = opened(asker)
    key = first_key(world)
    call(world, "get_parcel", parcel_id=key)
    asker.said = {"hint": "It waits at the counter."}
    assert call(world, "hold_parcel", parcel_id=key)["hint"] == "It waits at the counter."
    assert call(world, "track_parcel", parcel_id=key)["hint"] == "It waits at the counter."


def test_trying_a_call_asks_nobody(opened: Any):
    asker = Told(hint="Ring twice.")
    world = opened(asker)
    key = first_key(world)
    assert world.peek(ToolCall("x", "get_parcel", {"parcel_id": key})).ok
    assert (asker.requests, asker.notes) == ([], [])
    assert call(world, "get_parcel", parcel_id=key)["hint"] == "Ring twice."
    assert world.peek(ToolCall("x", "track_parcel", {"parcel_id": key})).value["hint"] == "Ring twice."
    assert len(asker.requests) == 1


def test_the_order_of_calls_made_at_once_makes_no_difference_later(opened: Any):
    shown = []
    for tools in (("hold_parcel", "get_parcel"), ("get_parcel", "hold_parcel")):
        world = opened(Saying())
        key = first_key(world)
        world.step([ToolCall(tool, tool, {"parcel_id": key}) for tool in tools])
        shown.append(call(world, "track_parcel", parcel_id=key)["hint"])
    assert shown[0] == shown[1] == "said by hold_parcel"


class Saying(Told):
    """A model that says which tool it plays."""

    def answer(self, text: str) -> Any:
        return super().answer(text) | {"hint": f"said by {text.splitlines()[0].removeprefix('The tool: ')}"}
