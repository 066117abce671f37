"""Typos in spec files of one's own: a file is read, or one message names it with the line; nothing else comes out."""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hostile.cases import changed, places
from workbench import TOOL_SPECS

from generator.arguments import compile_value
from generator.core.documents import read_document
from generator.core.errors import GeneratorError, SpecError
from generator.core.pointers import resolve
from generator.dialogue.wording import phrases_of_tools
from generator.scenarios.affordances import Toolkit
from generator.tools.specs import load_toolbox
from generator.world import compile_backend

FILES = sorted([*TOOL_SPECS.glob("*.yaml"), *TOOL_SPECS.glob("*.json")])
WRONG: tuple[Any, ...] = (None, True, 5, -0.5, "", "nothing", "a {b", [], [7], {}, {"a": 1})
SOME, MANY = 5, 600
"""Typos that are tried in each file, and in the nightly job."""
Typo = tuple[str, Any]
"""Pointer, and what stands there then."""


def wrong_types(value: Any, draw: random.Random) -> Iterator[Typo]:
    """Something of another kind at a place."""
    place = draw.choice([*places(value)])
    yield place, draw.choice(WRONG)


def cut_off(value: Any, draw: random.Random) -> Iterator[Typo]:
    """A text that ends too soon."""
    place, text = draw.choice(texts_in(value))
    yield place, text[: draw.randrange(len(text))]


def misspelt(value: Any, draw: random.Random) -> Iterator[Typo]:
    """A text without one of its letters, or with two of them exchanged."""
    place, text = draw.choice(texts_in(value))
    at = draw.randrange(len(text))
    yield (
        place,
        draw.choice((text[:at] + text[at + 1 :], text[:at] + text[at + 1 : at + 2] + text[at] + text[at + 2 :])),
    )


def misspelt_key(value: Any, draw: random.Random) -> Iterator[Typo]:
    """A key without one of its letters."""
    place = draw.choice([one for one in places(value) if isinstance(resolve(value, one), dict) and resolve(value, one)])
    found = resolve(value, place)
    key = draw.choice([*found])
    at = draw.randrange(len(str(key)))
    yield place, {(str(one)[:at] + str(one)[at + 1 :] if one == key else one): part for one, part in found.items()}


TYPOS: tuple[Callable[[Any, random.Random], Iterator[Typo]], ...] = (wrong_types, cut_off, misspelt, misspelt_key)


def texts_in(value: Any) -> list[tuple[str, str]]:
    return [(at, text) for at in places(value) if isinstance(text := resolve(value, at), str) and text]


def written_in(file: Path) -> dict[str, Any]:
    """What a file says."""
    value = json.loads(json.dumps(read_document(file, SpecError).value))  # keys are text
    return value if isinstance(value, dict) else {"tools": value}


def tried(path: Path) -> None:
    """Everything that is compiled before rows are made."""
    toolbox = load_toolbox([path])
    compile_backend(toolbox, compile_value, 1)
    phrases_of_tools(toolbox)
    Toolkit(toolbox, (2, 3), (2, 3))


ORDERS = """
entities:
  order:
    key: order_id
    fields:
      order_id: {type: string, pattern: "^O-[0-9]{3}$"}
      is_open: {type: boolean}
      replies: {type: integer, minimum: 0, maximum: 3}
      tags: {type: array, items: {type: string}}
      status: {states: {new: [old], old: []}}
tools:
  - name: find_orders
    parameters: {type: object, properties: {open: {type: boolean}}}
    returns: {type: object, properties: {orders: {type: array, items: {type: object, properties: {order_id: {type: string}, replies: {type: integer}}, required: [order_id, replies]}}}, required: [orders]}
    effect: {find: order, by: {open: is_open}, at: orders}
    phrases: {request: [find orders], tally: {orders: [{say: have no replies yet, by: count replies 0}]}}
"""


@pytest.mark.parametrize(
    ("place", "wrong"),
    [
        ("/tools/0/effect/by/open", "is_open or"),
        ("/tools/0/effect/by/open", ""),
        ("/tools/0/effect/by/open", []),
        ("/tools/0/phrases/tally/orders/0/say", "have 0 replies yet"),
        ("/tools/0/examples", True),
        ("/entities/order/fields/is_open/examples", True),
        ("/entities/order/fields/is_open/type", "bolean"),
        ("/entities/order/fields/is_open/type", None),
        ("/entities/order/fields/status/states/new/0", []),
    ],
)
def test_what_was_once_a_traceback_is_told(tmp_path: Path, place: str, wrong: Any):
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(changed(yaml.safe_load(ORDERS), place, wrong), sort_keys=False, width=10_000))
    with pytest.raises(GeneratorError, match=r"mine\.yaml:[0-9]+: "):
        tried(path)


@pytest.mark.parametrize("number", [SOME, pytest.param(MANY, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_typo_is_told_with_file_and_line_or_does_no_harm(tmp_path: Path, file: Path, number: int):
    for folder in ("tables", "texts"):
        (tmp_path / folder).symlink_to(TOOL_SPECS / folder)
    draw, path = random.Random(f"{file.name} {number}"), tmp_path / "mine.yaml"
    whole, odd = written_in(file), []
    for _ in range(number):
        value = {**whole, "tools": [draw.choice(whole["tools"])]}
        for place, wrong in draw.choice(TYPOS)(value, draw):
            path.write_text(json.dumps(changed(value, place, wrong), indent=1))
            try:
                tried(path)
            except GeneratorError as fault:
                if re.search(r"(mine\.yaml|tables/\S+|texts/\S+):[0-9]+: ", str(fault)) is None:
                    odd.append((place, wrong, str(fault)))
            except Exception as fault:  # a traceback, to somebody who has mistyped
                odd.append((place, wrong, repr(fault)))
    assert odd == [], "\n".join(f"{at} = {wrong!r}: {why}" for at, wrong, why in odd)
