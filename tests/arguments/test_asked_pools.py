"""Pools of argument objects that a model makes: requests tell what is there, and what comes again is asked for anew."""

import json
import random
import re
from collections import Counter
from datetime import date
from pathlib import Path
from typing import Any

from generator.arguments import AskedPools, compile_source
from generator.core.seeds import Draw
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import load_prompts
from generator.recipe import ArgumentSettings
from generator.recipe.llm import Llm
from generator.tools.specs import load_toolbox

TODAY = date(2026, 5, 5)
TRAVEL = Path(__file__).parents[2] / "tool_specs" / "travel.yaml"
_KNOWN = re.compile(r"There already, so not wanted again:\n(.*?)\n\nMake", re.DOTALL)


class Forgetful(Asker):
    """A model that has favourites: it names one of a few well-known cities unless the request tells it that they are there."""

    def __init__(self, pool: int, favourites: int) -> None:
        super().__init__(Llm(model="x", pool=pool))
        self.favourites = favourites
        self.rounds: list[tuple[Request, ...]] = []
        self.given: list[str] = []

    def ask(self, *requests: Request) -> tuple[ModelAnswer, ...]:
        self.rounds += [requests] if requests else []
        return tuple(map(self._answer, requests))

    def _answer(self, request: Request) -> ModelAnswer:
        text = "\n".join([text for _, text in request.messages])
        draw, values = random.Random(text), list[dict[str, Any]]()
        for _ in range(8):
            names = [f"Town {'abcdefghijklmnopqrstuvwxyz'[n % 26]}{n}" for n in range(3000)]
            favourite = draw.choice(names[: self.favourites])
            name = draw.choice(names) if f'"{favourite}"' in text or draw.random() < 0.5 else favourite
            values.append({"origin": name, "destination": "Milan", "date": "2026-06-03"})
        self.given += [json.dumps(value) for value in values]
        return ModelAnswer(text=json.dumps({"values": values}))


def filled(asker: Asker) -> list[Any]:
    """The pool that a source fills."""
    toolbox = load_toolbox([TRAVEL])
    tools = tuple([f"{name}: {spec.tool.description}" for name, spec in toolbox.items()])
    pools = AskedPools(asker, load_prompts(None), TODAY, ("a nurse", "a pilot"), ("a wedding", "a move"), tools)
    make = compile_source(toolbox["search_trains"], ArgumentSettings(source=(("llm", 1.0),)), 1, pools)
    make(Draw(1, TODAY))
    (pool,) = asker.pools.values()
    return [*pool]


def test_eight_hundred_objects_are_five_hundred_different_ones_and_more():
    asker = Forgetful(800, favourites=40)
    pool = filled(asker)
    assert len(pool) == 800
    assert len({entry.value for entry in pool if entry.value}) >= 500
    assert len(set(asker.given)) < len(asker.given)  # the model repeats itself: what came again was asked for anew
    asked = sum(len(requests) for requests in asker.rounds)
    assert 800 // 8 < asked <= 4 * 800 // 8
    assert len(asker.rounds) < 24


def test_requests_tell_what_is_there_who_asks_and_which_other_tools_there_are():
    asker = Forgetful(40, favourites=3)
    filled(asker)
    seen: set[str] = set()
    told = Counter[str]()
    for requests in asker.rounds:
        if len(requests[0].messages) == 2:  # no request that is made once more
            for request in requests:
                text = request.messages[1][1]
                known = _KNOWN.search(text)
                assert known is not None
                lines = set() if known[1] == "(nothing yet)" else set(known[1].split("\n"))
                assert {json.dumps(json.loads(line)) for line in lines} <= seen
                assert lines or not seen
                told.update(one for one in ("a nurse", "a pilot", "a wedding", "a move") if one in text)
                assert "- search_hotels: " in text
                assert "- search_trains: " not in text
        seen |= set(asker.given)
    assert len(told) == 4
    again = [one for requests in asker.rounds for one in requests if len(one.messages) > 2]
    assert any("repeated: " in one.messages[-1][1] for one in again)


def test_a_pool_depends_on_answers_alone():
    first, second = Forgetful(60, favourites=20), Forgetful(60, favourites=20)
    assert filled(first) == filled(second)
    assert first.rounds == second.rounds
