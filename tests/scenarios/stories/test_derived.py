"""Rows of stories that are made of tools: proven, about one thing, and undone by what was shown."""

import re
from pathlib import Path

import pytest

from generator.core.conversation import AssistantMessage, ToolMessage, UserMessage
from generator.core.errors import RecipeError
from generator.core.exact_json import loads
from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.run.row import MadeRow, PreparedRecipe, prepare
from generator.run.row import _attempt as attempt_at
from generator.run.stages.attempt import Attempt
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[3]
ROWS = 12
TASKS = '''
"""The tasks of a team."""

from typing import Literal


def list_tasks(status: Literal["open", "in progress", "done"] | None = None) -> list[dict]:
    """List tasks.

    Args:
        status: Only tasks with this status
    """


def get_task(task_id: str) -> dict:
    """Get one task.

    Args:
        task_id: ID of the task
    """


def update_task(task_id: str, status: Literal["open", "in progress", "done"] | None = None) -> dict:
    """Update a task.

    Args:
        task_id: ID of the task
        status: New status
    """
'''


PAGES = '''
"""A wiki."""


def create_page(space_id: str, title: str) -> dict:
    """Create a page in a space.

    Args:
        space_id: ID of the space
        title: Title of the page
    """


def get_page(space_id: str, page_id: str) -> dict:
    """Get a page.

    Args:
        space_id: ID of the space
        page_id: ID of the page
    """


def update_page(space_id: str, page_id: str, title: str | None = None) -> dict:
    """Update a page.

    Args:
        space_id: ID of the space
        page_id: ID of the page
        title: New title
    """


def delete_page(space_id: str, page_id: str) -> dict:
    """Delete a page.

    Args:
        space_id: ID of the space
        page_id: ID of the page
    """
'''


def recipe(folder: Path, text: str) -> Recipe:
    file = folder / "recipe.yaml"
    file.write_text(text)
    return load_recipe(file, scenarios=SCENARIOS, formats=FORMATS)


def of_the_page(folder: Path) -> PreparedRecipe:
    """The recipe that docs/stories.md shows."""
    page = (ROOT / "docs" / "stories.md").read_text(encoding="utf-8")
    text = next(block for block in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL) if "stories: derived" in block)
    (folder / "tool_specs").symlink_to(ROOT / "tool_specs")
    return prepare(recipe(folder, text))


def rows_of(prepared: PreparedRecipe) -> list[MadeRow]:
    made = [attempt_at(prepared, Attempt(index=index)) for index in range(ROWS)]
    return [row for row in made if isinstance(row, MadeRow)]


def test_most_attempts_at_the_recipe_of_the_page_give_a_row(tmp_path: Path) -> None:
    rows = rows_of(of_the_page(tmp_path))
    assert len(rows) * 2 >= ROWS
    for row in rows:
        messages = row.row.conversation.messages
        calls = [call for one in messages if type(one) is AssistantMessage for call in one.tool_calls]
        said = " ".join([one.content or "" for one in messages if type(one) is UserMessage])
        assert 3 <= len(calls) <= 9
        assert not any(call.name in said for call in calls), said


def test_the_page_s_search_that_finds_nothing_gives_rows_of_both_kinds(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "stories.md").read_text(encoding="utf-8")
    (tmp_path / "concerts.yaml").write_text(re.findall(r"```yaml\n(# concerts.yaml.*?)```", page, re.DOTALL)[0])
    tools = (ROOT / "tool_specs" / "music.json").as_posix()
    rows = rows_of(
        prepare(
            recipe(
                tmp_path,
                f"name: night\nrows: 20\ntools: [{tools}]\nstories: [concerts.yaml]\nscenarios: {{story: 1}}\n",
            )
        )
    )
    assert len(rows) * 4 >= ROWS * 3
    assert {any(tell.how == "empty" for tell in row.row.proof.tells) for row in rows} == {True, False}
    for row in rows:
        assert "quantity?" not in str(row.row.conversation.messages)


def test_functions_of_a_user_give_stories_that_put_back_what_was_shown(tmp_path: Path) -> None:
    (tmp_path / "team.py").write_text(TASKS)
    text = "{name: team, rows: 9, tools: [{functions: team.py}], stories: derived, scenarios: [story]}"
    undone = 0
    for row in rows_of(prepare(recipe(tmp_path, text))):
        messages = row.row.conversation.messages
        results = [loads(one.content) for one in messages if type(one) is ToolMessage]
        calls = [call for one in messages if type(one) is AssistantMessage for call in one.tool_calls]
        changes = [call.arguments for call in calls if call.name == "update_task"]
        if len(changes) > 1:
            first, last = changes
            shown = next(one for one in results if one.get("task_id") == first["task_id"])
            assert last == {"task_id": first["task_id"], "status": shown["status"]}
            assert first["status"] != shown["status"]
            undone += 1
    assert undone


def test_what_holds_on_is_said_once_and_kept(tmp_path: Path) -> None:
    (tmp_path / "wiki.py").write_text(PAGES)
    text = "{name: wiki, rows: 9, tools: [{functions: wiki.py}], stories: derived, scenarios: [story]}"
    rows = rows_of(prepare(recipe(tmp_path, text)))
    assert len(rows) * 2 >= ROWS
    for row in rows:
        messages = row.row.conversation.messages
        calls = [call for one in messages if type(one) is AssistantMessage for call in one.tool_calls]
        (space,) = {call.arguments["space_id"] for call in calls}
        assert sum(space in (one.content or "") for one in messages if type(one) is UserMessage) == 1
        titles = [call.arguments["title"] for call in calls if "title" in call.arguments]
        assert len(titles) == len({*titles}), "nothing is renamed to what it is called"


@pytest.mark.parametrize(
    ("stories", "expected"),
    [
        ("derived", "recipe.yaml:1: stories: no story can be made of these tools: one is expected that lists things"),
        ("[dervied]", "recipe.yaml:1: stories[0]: there is no file"),
        ("{derived: true}", "recipe.yaml:1: stories: text, or a list of texts, is expected"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, stories: str, expected: str) -> None:
    (tmp_path / "tools.yaml").write_text("tools: [{name: water_plants, description: Water the plants.}]")
    with pytest.raises(RecipeError) as refused:
        prepare(recipe(tmp_path, f"{{name: g, rows: 9, tools: [tools.yaml], stories: {stories}, scenarios: [story]}}"))
    assert expected in str(refused.value)
