"""Formulas of entities that fail are told when the file is read, with what fails; none leaves a drawn value in silence."""

from datetime import date
from pathlib import Path

import pytest

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.core.errors import SpecError
from generator.tools.specs import load_toolbox
from generator.world import compile_backend

STORE = """
entities:
  crate:
    key: crate_id
    count: [2, 3]
    fields:
      crate_id: {type: string, pattern: "^CR-[0-9]{5}$"}
      hall: {type: string, enum: [north, south]}
      size: {type: integer, minimum: 1, maximum: 9}
  piece:
    key: code
    count: [3, 5]
    fields:
      code: {type: string, x-compute: KEY}
      crate_id: {}
      name: {type: string}
      made: {type: string, format: date, x-when: past}
      weight: {type: integer, enum: [0, 2, 4]}
      note: {type: string, x-compute: FORMULA}
    examples: [{name: Rope}, {name: Nail}, {name: Lamp}]
tables: {prices: prices.csv}
tools:
- name: list_pieces
  parameters: {type: object, properties: {}}
  returns: {type: object, properties: {pieces: {type: array, items: {type: object, properties: {code: {type: string}, crate_id: {type: string}, name: {type: string}, note: {type: string}}, required: [code, crate_id, name, note]}}}, required: [pieces]}
  effect: {find: piece, at: pieces}
- name: list_crates
  parameters: {type: object, properties: {}}
  returns: {type: object, properties: {crates: {type: array, items: {type: object, properties: {crate_id: {type: string}, hall: {type: string}}, required: [crate_id, hall]}}}, required: [crates]}
  effect: {find: crate, at: crates}
"""
KEY, FORMULA = '"plain(name)"', '"upper(name)"'


def compiled(folder: Path, key: str = KEY, formula: str = FORMULA):
    (folder / "prices.csv").write_text("name,price\nRope,3\nNail,1\n")
    path = folder / "store.yaml"
    path.write_text(STORE.replace("KEY", key).replace("FORMULA", formula))
    return compile_backend(load_toolbox([path]), compile_value, 1)


@pytest.mark.parametrize(
    ("formula", "told"),
    [
        ('"str(lookup(prices, name, price))"', "fails for the example .*Lamp.*the table prices has no row Lamp"),
        ('"str(8 // weight)"', "fails where weight is 0: .*ZeroDivisionError"),
        ('"lookup(crate, name, hall)"', "fails: .*MissingError"),
        ('"upper(lookup(crate, crate_id, size))"', "fails: .*TypeError"),
        ('"str(count(crate, hall, name) - hall)"', "no property 'hall' stands before it"),
        ('"name + args.size"', "there is no argument 'size'"),
    ],
)
def test_a_formula_that_fails_is_told_with_what_it_fails_for(tmp_path: Path, formula: str, told: str) -> None:
    with pytest.raises(SpecError, match=f"(?s)store.yaml:1?[0-9]: entities.piece.*x-compute of 'note'.*{told}"):
        compiled(tmp_path, formula=formula)


@pytest.mark.parametrize(
    ("key", "told"),
    [
        ('"name + today - 1"', "TypeError"),
        ('"lookup(crate, name, hall) + name"', "MissingError"),
        ('"lookup(crate, crate_id, size) + name"', "TypeError"),
    ],
)
def test_a_key_formula_that_fails_is_told(tmp_path: Path, key: str, told: str) -> None:
    with pytest.raises(SpecError, match=f"entities.piece: x-compute of 'code'.* fails: .*{told}"):
        compiled(tmp_path, key=key)


def test_a_key_may_follow_from_another_thing_and_the_day(tmp_path: Path) -> None:
    world = compiled(tmp_path, key="\"lookup(crate, crate_id, hall) + '/' + name + '/' + today\"").open(
        date(2026, 3, 4), 7
    )
    pieces, crates = (world.step([ToolCall("id", tool, {})])[0].value for tool in ("list_pieces", "list_crates"))
    halls = {one["crate_id"]: one["hall"] for one in crates["crates"]}
    assert pieces["pieces"]
    assert all(one["code"] == f"{halls[one['crate_id']]}/{one['name']}/2026-03-04" for one in pieces["pieces"])


def test_one_that_works_for_some_of_what_is_drawn_is_no_fault(tmp_path: Path) -> None:
    assert compiled(tmp_path, formula="\"str(days_between(made, today)) if contains(name, 'e') else name\"").tools
