"""Recipes whose rows are played in tests, opened once."""

from functools import cache
from pathlib import Path

from msgspec.structs import replace

from generator.core.conversation import ToolMessage
from generator.core.errors import RowError
from generator.episodes import Task
from generator.episodes.episode import Episode
from generator.formats import FORMATS, format_options
from generator.recipe import load_recipe
from generator.run.episodes import RecipeTasks, open_recipe
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS
from generator.scenarios.scripts import SCRIPTED

ROOT = Path(__file__).parents[1]


def opened(path: Path, scenario: str = "", *, scripted: bool = True) -> RecipeTasks:
    known = {**SCENARIOS, **DOCUMENT_SCENARIOS}
    recipe = load_recipe(path, scenarios=known, formats=FORMATS, format_options=format_options())
    if not scripted:
        plain = tuple(one for one in recipe.scenarios if one[0] not in SCRIPTED)
        recipe = replace(recipe, scripts=None, scenarios=plain)
    return open_recipe(replace(recipe, scenarios=((scenario, 1.0),), rows=100) if scenario else recipe)


@cache
def tasks_of(recipe: str) -> RecipeTasks:
    """A recipe by its name, or with one of its scenarios only: `mixed/parallel`; `phrases`: conversations without scripts."""
    name, _, scenario = recipe.partition("/")
    is_scripted, file = name != "phrases", "conversations" if name == "phrases" else name
    return opened(ROOT / "recipes" / f"{file}.yaml", scenario, scripted=is_scripted)


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
