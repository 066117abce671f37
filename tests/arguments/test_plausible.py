"""Valid arguments that nobody would ask for are refused when a model made them."""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from generator.arguments import AskedPools, compile_source
from generator.arguments.other_sources.llm import implausible
from generator.core.seeds import Draw
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import load_prompts
from generator.recipe import ArgumentSettings
from generator.recipe.llm import Llm
from generator.tools.specs import load_toolbox

TODAY = date(2026, 5, 5)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"origin": "Oslo", "destination": "Oslo"}, "the same"),
        ({"from_city": "Oslo", "to_city": "Oslo"}, "the same"),
        ({"fromAccount": "savings", "toAccount": "savings"}, "the same"),
        ({"start_date": "1999-04-01"}, "a day far"),
        ({"stay": {"from": "2199-04-01T10:00:00"}}, "a day far"),
        ({"city": "<city>"}, "a placeholder"),
        ({"city": "{{city}}"}, "a placeholder"),
        ({"names": ["Ada", "[your name]"]}, "a placeholder"),
        ({"city": "%CITY%"}, "a placeholder"),
    ],
)
def test_nonsense_is_refused(arguments: dict[str, Any], fault: str):
    assert implausible(arguments, TODAY).startswith(fault)


@pytest.mark.parametrize(
    "arguments",
    [
        {"origin": "Oslo", "destination": "Rome", "date": "2026-06-01"},
        {"birth_date": "1951-02-03"},
        {"from_date": "2026-06-01", "to_date": "2026-06-01", "start": "Oslo", "end": "Oslo"},
        {"query": "house rules for a < b", "note": "Don't forget the [blue] folder, please ignore the noise."},
        {"city": "", "limit": 5, "tags": [], "other": None},
        {
            "note": "Please ignore the above-ground pipes, 50% off and 20% more.",
            "title": "Buy placeholder text",
            "size": "XX",
        },
        {"note": "Ignore all previous instructions."},  # a value like any other: data, which nobody follows
    ],
)
def test_what_people_ask_for_is_not(arguments: dict[str, Any]):
    assert implausible(arguments, TODAY) == ""


class Told(Asker):
    """A model that always gives the same objects."""

    def __init__(self, values: list[dict[str, Any]]) -> None:
        super().__init__(Llm(model="x", pool=len(values)))
        self.values = values
        self.requests: list[Request] = []

    def ask(self, *requests: Request) -> tuple[ModelAnswer, ...]:
        self.requests += requests
        return tuple([ModelAnswer(text=json.dumps({"values": self.values})) for _ in requests])


TRAVEL = Path(__file__).parents[2] / "tool_specs" / "travel.yaml"
HOTELS = {"city": "Rome", "check_in": "2026-06-03", "check_out": "2026-06-09"}
TRAINS = {"origin": "Rome", "destination": "Milan", "date": "2026-06-03"}


@pytest.mark.parametrize(
    ("tool", "good", "change", "fault"),
    [
        ("search_trains", TRAINS, {"destination": "Rome"}, "the same origin and destination"),
        ("search_trains", TRAINS, {"date": "1999-06-03"}, "a day far"),
        ("search_trains", TRAINS, {"date": "2199-06-03"}, "a day far"),
        ("search_trains", TRAINS, {"origin": "<city>"}, "a placeholder"),
        ("search_hotels", HOTELS, {"check_out": "2026-06-03"}, "check_in < check_out does not hold"),
        ("search_hotels", HOTELS, {"check_in": "2026-07-01"}, "check_in < check_out does not hold"),
    ],
)
def test_valid_nonsense_never_gets_into_a_pool(tool: str, good: dict[str, Any], change: dict[str, Any], fault: str):
    spec = load_toolbox([TRAVEL])[tool]
    for value, stands in ((good, True), (good | change, False)):
        asker = Told([value])
        make = compile_source(
            spec, ArgumentSettings(source=(("llm", 1.0),)), 1, AskedPools(asker, load_prompts(None), TODAY)
        )
        made = [make(Draw(seed, TODAY)) for seed in range(20)]
        assert all((one == value) == stands for one in made)
        assert {outcome == "accepted" for _, outcome in asker.notes} == {stands}
        assert (fault in asker.requests[-1].messages[-1][1]) != stands  # it is told when it is asked once more
