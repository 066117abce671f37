"""Hostile files of scripts: very many choices, turns and brackets, expressions that would do something else, wrong values at every key."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from hostile.cases import RECIPE, RUN, TOOL, Case, changed, of_recipe, places
from hostile.tool_files import COMPUTED, VALUES

SCRIPT: dict[str, Any] = {
    "tools": ["t.json"],
    "scripts": [
        {
            "script": "two",
            "let": {"first": {"of": ["Dune", "Emma"]}, "s": {"args": "find", "has": {"title": "= first"}}},
            "where": ["len(first) > 2"],
            "turns": [
                {"user": ["[Do|Would] you have {first}?", "Is {first} there?"]},
                {"call": "found = find(title=first)", "need": "found.price > 0"},
                {"say": ["It costs {found.price:amount}.", "Yes, for {found.price:amount}."]},
            ],
        }
    ],
}
TURNS = "/scripts/0/turns"
EXPRESSIONS = (
    "found.price ** 9 ** 9",
    "'a' * 999999999",
    "[x for x in found for y in found]",
    "every('thing')",
    "x" * 9_000,
)


def _of_script(name: str, script: Any) -> Case:
    """A run whose message need not name a file: a script without faults may fit no world."""
    recipe = {**RECIPE, "rows": 1, "scenarios": ["script"], "scripts": {"files": ["s.json"]}}
    case = of_recipe(name, recipe, TOOL, **{"s.json": json.dumps(script).encode("ascii")})
    return msgspec.structs.replace(case, arguments=("run", "--quiet", *RUN[1:-2], "--no-report"))


def always() -> Iterator[Case]:
    """Very much of all, and what was found."""
    for choices, options in ((30, 2), (2_000, 2), (2, 5_000)):
        words = "|".join(f"a{number}" for number in range(options))
        text = " ".join([f"[{words}]"] * choices) + " {first}?"
        yield _of_script(f"{choices} choices of {options}", changed(SCRIPT, f"{TURNS}/0/user/0", text))
    turns = SCRIPT["scripts"][0]["turns"]
    for number in (66, 20_000):
        yield _of_script(f"{number} times as many turns", changed(SCRIPT, TURNS, turns * number))
    for opening in "[{(":
        yield _of_script(f"many {opening}", changed(SCRIPT, f"{TURNS}/2/say/0", opening * 20_000))
    for text in (*COMPUTED, *EXPRESSIONS):
        yield _of_script(f"need {text[:40]}", changed(SCRIPT, f"{TURNS}/1/need", text))
        yield _of_script(f"slot {text[:40]}", changed(SCRIPT, f"{TURNS}/2/say/0", f"It costs {{{text}}}."))
        yield _of_script(f"call {text[:40]}", changed(SCRIPT, f"{TURNS}/1/call", f"found = find(title={text})"))


def some() -> Iterator[Case]:
    """Wrong values at every key of a script."""
    for place in places(SCRIPT):
        for value in VALUES:
            yield _of_script(f"{value!r:.40} at {place}", changed(SCRIPT, place, value))
