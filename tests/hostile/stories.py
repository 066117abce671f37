"""Hostile story files: very many ways to say a sentence, very many goals, and wrong values at every key."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from hostile.cases import RECIPE, RUN, TOOL, Case, changed, of_recipe, places
from hostile.tool_files import COMPUTED, VALUES

STORY: dict[str, Any] = {
    "stories": [
        {
            "story": "two",
            "goals": [
                {"goal": "look", "call": "find", "say": ["Do you have {title}?"], "said": {"title": ["Dune", "Emma"]}},
                {
                    "goal": "more",
                    "call": "find",
                    "say": ["[And|Or] {title}?"],
                    "said": {"title": "= look.title"},
                    "when": "look.price > 2",
                    "share": 0.9,
                },
            ],
        }
    ]
}
SAY, WHEN = "/stories/0/goals/1/say/0", "/stories/0/goals/1/when"


def _of_story(name: str, story: Any) -> Case:
    """A run whose message need not name a file: of a story without faults no row may come, as too little happens in it."""
    recipe = {**RECIPE, "rows": 1, "scenarios": ["story"], "stories": ["s.json"]}
    case = of_recipe(name, recipe, TOOL, **{"s.json": json.dumps(story).encode("ascii")})
    return msgspec.structs.replace(case, arguments=("run", "--quiet", *RUN[1:-2], "--no-report"))


def _choices(choices: int, options: int) -> str:
    words = "|".join(["".join([chr(97 + int(digit)) for digit in str(number)]) for number in range(options)])
    return "And " + " ".join([f"[{words}]"] * choices) + " {title}?"


def always() -> Iterator[Case]:
    """Very much of all, and what was found."""
    for choices, options in ((16, 2), (30, 2), (2_000, 2), (2, 5_000)):
        yield _of_story(f"{choices} choices of {options}", changed(STORY, SAY, _choices(choices, options)))
    goals = STORY["stories"][0]["goals"]
    for number in (400, 20_000):
        many = [{**goals[0], "goal": f"g{place}"} for place in range(number)]
        yield _of_story(f"{number} goals", changed(STORY, "/stories/0/goals", many))
    yield _of_story("a misspelt fact", changed(STORY, WHEN, "look.emty"))
    yield _of_story("brackets", changed(STORY, SAY, "[" * 20_000 + "{title}?"))
    for text in COMPUTED:
        yield _of_story(f"when {text[:40]}", changed(STORY, WHEN, text))


def some() -> Iterator[Case]:
    """Wrong values at every key of a story."""
    for place in places(STORY):
        for number, value in enumerate(VALUES):
            yield _of_story(f"{place} value {number}", changed(STORY, place, value))
