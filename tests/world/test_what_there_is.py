"""What there is in a world: as often as the file says, named in turn, and not the same in every conversation."""

from collections import Counter
from datetime import date
from functools import cache
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from generator.arguments import compile_value
from generator.tools.specs import load_toolbox
from generator.world import compile_backend

TODAY = date(2026, 5, 4)
WORLDS = 400
NAMES = ["Oak", "Elm", "Ash", "Fir", "Yew"]
SHELF = f"""
entities:
  box:
    key: box_id
    count: [3, 3]
    fields:
      box_id: {{type: string, pattern: "^B-[0-9]{{6}}$"}}
      name: {{type: string, examples: [{", ".join(NAMES)}]}}
      full: {{type: boolean, examples: [true, true, true, true, false]}}
      size: {{type: string, enum: [s, m, l], examples: [s, m]}}
      state: {{states: {{shut: [open], open: [shut]}}, examples: [shut, shut, shut, open]}}
      total: {{type: integer, x-compute: "sum_of(things, 'weight')"}}
      things:
        type: array
        minItems: 2
        maxItems: 3
        items:
          type: object
          properties:
            thing_id: {{type: string, pattern: "^T-[0-9]{{6}}$", x-fresh: true}}
            weight: {{type: integer, x-fresh: true, examples: [1, 2, 3, 5, 8, 13, 21]}}
            color: {{type: string, examples: [red, blue, green]}}
          required: [thing_id, weight, color]
    called: [name]
tools:
  - name: get_box
    parameters: {{type: object, properties: {{box_id: {{type: string, pattern: "^B-[0-9]{{6}}$"}}}}, required: [box_id]}}
    returns: {{type: object, properties: {{name: {{type: string}}, total: {{type: integer}}}}, required: [name, total]}}
    effect: {{get: box}}
"""


@cache
def boxes() -> list[list[dict[str, Any]]]:
    """Return the boxes of many conversations."""
    path = Path(mkdtemp()) / "shelf.yaml"
    path.write_text(SHELF)
    backend = compile_backend(load_toolbox([path]), compile_value, 7)
    return [list(backend.open(TODAY, salt).state.all("shelf.box").values()) for salt in range(WORLDS)]


def shares(field: str) -> dict[Any, float]:
    found = Counter(one[field] for world in boxes() for one in world)
    return {value: number / found.total() for value, number in found.items()}


def test_what_examples_have_twice_comes_twice_as_often() -> None:
    assert 0.7 < shares("full")[True] < 0.9
    assert 0.65 < shares("state")["shut"] < 0.85
    assert min(shares("size").values()) > 0.2  # these have no value twice: all three come


def test_neighbours_have_names_of_their_own_though_names_come_round() -> None:
    assert {one["name"] for world in boxes() for one in world} == {*NAMES}
    alike = sum(len({one["name"] for one in world}) < len(world) for world in boxes())
    assert alike < 0.03 * WORLDS  # where the last of a pool stands beside the first


def test_elements_of_lists_are_drawn_anew_in_each_conversation() -> None:
    lists = [[thing["thing_id"] for thing in one["things"]] for world in boxes() for one in world]
    assert len({tuple(one) for one in lists}) > 0.99 * len(lists)
    assert all(len({*one}) == len(one) for one in lists)


def test_what_stands_together_in_a_list_differs() -> None:
    """Of seven weights, the one that follows another is not always the same, and none comes twice."""
    lists = [[thing["weight"] for thing in one["things"]] for world in boxes() for one in world]
    following = {pair for one in lists for pair in pairwise(one)}
    assert len(following) > 30
    assert all(len({*one}) == len(one) for one in lists)
    pairs = {(thing["thing_id"][-1], thing["weight"]) for world in boxes() for one in world for thing in one["things"]}
    assert len(pairs) > 60


def test_what_is_computed_from_them_follows() -> None:
    assert all(one["total"] == sum(thing["weight"] for thing in one["things"]) for world in boxes() for one in world)
