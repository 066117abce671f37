"""The backend `llm`: a model's values stand wherever no argument, formula or earlier result fixes them."""

import json
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from nightly import night

from generator.arguments import compile_source, compile_value
from generator.core.errors import CannotFillError
from generator.core.exact_json import same
from generator.core.offline_schemas import validator
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox
from generator.llm.asking import Asker, ModelAnswer, Request
from generator.llm.prompts import load_prompts
from generator.llm.schemas import looser_schema
from generator.recipe import ArgumentSettings
from generator.recipe.llm import Llm
from generator.tools.specs import load_toolbox
from generator.world import compile_backend, with_model
from generator.world.llm import shown_schema
from generator.world.state.effects import Refused

TODAY = date(2026, 5, 5)
ROOT = Path(__file__).parents[2]
HOTELS = """
- function:
    name: book_hotel
    parameters:
      type: object
      properties: {hotel: {type: string}, nights: {type: integer}, budget: {type: integer}, limit: {type: integer}}
  returns:
    type: object
    properties:
      hotel: {type: string}
      booking_id: {type: string, pattern: "^B-[0-9]{4}$"}
      price: {type: integer, minimum: 20, maximum: 900, x-maximum: budget}
      total: {type: integer, minimum: 0, maximum: 9, x-compute: "price * args.nights"}
      opened: {type: string, format: date, x-when: past}
      note: {type: string}
      rooms:
        type: array
        minItems: 1
        maxItems: 4
        x-maximum: limit
        x-sort: size
        items: {type: object, properties: {name: {type: string}, size: {type: integer, minimum: 1, maximum: 99}}, required: [name, size]}
    required: [hotel, booking_id, price, total, opened, rooms]
"""
CALL = {"hotel": "Astoria", "nights": 3, "budget": 100, "limit": 3}
GOOD: dict[str, Any] = {
    "hotel": "Astoria",
    "booking_id": "B-0912",  # as it is drawn: identifiers are never the model's
    "price": 80,
    "total": 240,
    "opened": "1998-04-01",
    "note": "Breakfast from seven.",
    "rooms": [{"name": "Garden", "size": 12}, {"name": "Attic", "size": 30}],
}


class Told(Asker):
    """A model that always says the same."""

    def __init__(self, *answers: Any) -> None:
        super().__init__(Llm(model="x"))
        self.answers = [answer if isinstance(answer, str) else json.dumps(answer) for answer in answers]
        self.requests: list[Request] = []

    def ask(self, *requests: Request) -> tuple[ModelAnswer, ...]:
        self.requests += requests
        return tuple([ModelAnswer(text=self.answers.pop(0)) for _ in requests])


def tools(folder: Path) -> Toolbox:
    (folder / "tools.yaml").write_text(HOTELS)
    return load_toolbox([folder / "tools.yaml"])


def answered(folder: Path, *answers: Any, call: dict[str, Any] = CALL) -> tuple[Any, list[tuple[str, str]]]:
    toolbox, asker = tools(folder), Told(*answers)
    backend = with_model(compile_backend(toolbox, compile_value, 1, guided=True), asker, load_prompts(None), toolbox)
    return backend.open(TODAY).answer("book_hotel", call), asker.notes


def test_what_nothing_fixes_is_the_models(tmp_path: Path):
    assert answered(tmp_path, GOOD) == (GOOD, [("results", "accepted")])


@pytest.mark.parametrize(
    ("change", "stands"),
    [
        ({"hotel": "Ritz"}, {"hotel": "Astoria"}),
        ({"booking_id": "B-1234"}, {"booking_id": "B-0912"}),
        ({"total": 5}, {"total": 240}),
        ({"rooms": GOOD["rooms"][::-1]}, {"rooms": GOOD["rooms"]}),
    ],
)
def test_what_something_fixes_is_not(tmp_path: Path, change: dict[str, Any], stands: dict[str, Any]):
    assert answered(tmp_path, GOOD | change) == (GOOD | stands, [("results", "accepted in part")])


def test_formulas_count_with_the_models_values(tmp_path: Path):
    result, _ = answered(tmp_path, GOOD | {"price": 33, "total": 1})
    assert (result["price"], result["total"]) == (33, 99)


def test_limits_of_the_call_hold(tmp_path: Path):
    result, notes = answered(
        tmp_path,
        GOOD
        | {
            "price": 700,
            "opened": "2030-01-01",
            "rooms": [*GOOD["rooms"], {"name": "Loft", "size": 1}, {"name": "Sea", "size": 2}],
        },
    )
    assert result["price"] <= 100
    assert result["opened"] <= TODAY.isoformat()
    assert len(result["rooms"]) <= 3
    assert notes == [("results", "accepted in part")]


def test_optional_properties_are_there_if_the_model_gives_them(tmp_path: Path):
    assert "note" not in answered(tmp_path, {key: value for key, value in GOOD.items() if key != "note"})[0]


@pytest.mark.parametrize(
    ("bad", "outcome"),
    [
        ({"booking_id": "1234"}, "replaced: not valid"),
        ({"note": "<|im_start|>"}, "replaced: holds a control token"),
    ],
)
def test_what_is_not_valid_is_asked_for_once_more_and_replaced(tmp_path: Path, bad: dict[str, Any], outcome: str):
    own = compile_backend(tools(tmp_path), compile_value, 1).open(TODAY).answer("book_hotel", CALL)
    assert answered(tmp_path, GOOD | bad, GOOD | bad) == (own, [("results", outcome)])
    assert answered(tmp_path, GOOD | bad, GOOD) == (GOOD, [("results", "accepted")])


def test_an_answer_of_which_nothing_is_kept_does_not_count(tmp_path: Path):
    own = compile_backend(tools(tmp_path), compile_value, 1).open(TODAY).answer("book_hotel", CALL)
    assert answered(tmp_path, own) == (own, [("results", "replaced: the same values")])
    fixed = own | {"hotel": "Ritz", "total": 1}
    assert answered(tmp_path, fixed) == (own, [("results", "replaced: nothing of it can stand")])


@night
def test_the_example_that_is_shown_follows_the_schema_beside_it_and_stands_when_it_is_repeated():
    toolbox = load_toolbox(
        [path for path in sorted((ROOT / "tool_specs").iterdir()) if path.suffix in (".yaml", ".json")]
    )
    backend = compile_backend(toolbox, compile_value, 1, guided=True)
    made = 0
    for name, spec in toolbox.items():
        arguments, checker = (
            compile_source(spec, ArgumentSettings(), 1),
            validator(looser_schema(shown_schema(spec.returns))),
        )
        for number in range(2):
            world, draw = backend.open(TODAY, number), Draw(number, TODAY)
            assert world.entities is not None
            with suppress(CannotFillError):
                call = world.entities.fit(name, arguments(draw), draw)
                effect = backend.effects.get(name)
                found = [] if effect is None else effect.refuse(world.state, call, TODAY.isoformat())
                if isinstance(found, Refused):
                    continue
                found = found if effect is None else effect.apply(world.state, found, call, TODAY.isoformat())
                example = world.result_of(name, call, found)
                made += 1
                assert checker.is_valid(example.value), (name, example.value)
                assert same(world.result_of(name, call, found, example.value).value, example.value), name
    assert made > 300
