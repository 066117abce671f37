"""Recipes whose rows are played in tests, opened once."""

from functools import cache
from pathlib import Path

from msgspec.structs import replace

from generator.core.conversation import ToolMessage
from generator.core.errors import RowError
from generator.episodes.episode import Episode
from generator.episodes.opening import Task
from generator.formats import FORMATS, format_options
from generator.recipe import load_recipe
from generator.run.episodes import RecipeTasks, open_recipe
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

ROOT = Path(__file__).parents[1]


def opened(path: Path, scenario: str = "") -> RecipeTasks:
    known = {**SCENARIOS, **DOCUMENT_SCENARIOS}
    recipe = load_recipe(path, scenarios=known, formats=FORMATS, format_options=format_options())
    plain = tuple(one for one in recipe.scenarios if one[0] != "script")  # rows of scripts: tests/scenarios/scripts
    recipe = replace(recipe, scripts=None, scenarios=plain)
    return open_recipe(replace(recipe, scenarios=((scenario, 1.0),)) if scenario else recipe)


def as_shipped(recipe: str) -> RecipeTasks:
    """A recipe by its name, with its rows of scripts."""
    known = {**SCENARIOS, **DOCUMENT_SCENARIOS}
    path = ROOT / "recipes" / f"{recipe}.yaml"
    return open_recipe(load_recipe(path, scenarios=known, formats=FORMATS, format_options=format_options()))


@cache
def tasks_of(recipe: str) -> RecipeTasks:
    """A recipe by its name, or with one of its scenarios only: `conversations/ambiguous`."""
    name, _, scenario = recipe.partition("/")
    return opened(ROOT / "recipes" / f"{name}.yaml", scenario)


@cache
def rows_of(recipe: str, count: int) -> tuple[Task, ...]:
    """The first rows of a recipe that can be made."""
    found = []
    for index in range(count):
        try:
            found.append(tasks_of(recipe).task(index))
        except RowError:
            continue
    return tuple(found)


def begun(recipe: str, index: int) -> Episode:
    episode = tasks_of(recipe).episode()
    episode.reset(index)
    return episode


def results_differ(episode: Episode) -> bool:
    """Whether a call has another result than in the row, whose own actions were played."""
    assert episode.task is not None
    row = [one.content for one in episode.task.row.conversation.messages if type(one) is ToolMessage]
    return row != [one.content for one in episode.messages if type(one) is ToolMessage]
