"""Stories made of tools: whatever tools there are, they are right stories of at least three goals, or it is said what is missing."""

import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench import TOOL_SPECS, load, recipe, write_tools

from generator.core.errors import RecipeError
from generator.core.toolbox import Toolbox
from generator.dialogue.wording.phrases.phrasebook import compile_book
from generator.recipe import ToolFile
from generator.run.preparing.loading import load as load_tools
from generator.scenarios.goals import Story, check_stories, derive_stories, read_stories
from generator.scenarios.goals.goals import sentence_of, ways_of
from generator.scenarios.goals.taking import is_clear

PLANTS = """
tools:
  - {name: water_plants, description: Water the plants on the balcony.}
  - {name: get_weather, description: Tell the weather., parameters: {type: object, properties: {city: {type: string}}, required: [city]}}
"""


@cache
def tools() -> Toolbox:
    """Described tools, and those of a server that nobody described."""
    files = ["mcp/fieldworks.json", "shop.yaml", "smart_home.yaml", "files.yaml"]
    return load_tools(recipe((), tools=tuple([ToolFile(file=TOOL_SPECS / file) for file in files]))).toolbox


def whole() -> dict[str, Story]:
    return {story.story: story for story in derive_stories(tools())}


@given(st.sets(st.sampled_from(sorted(tools())), min_size=1, max_size=12))
def test_any_tools_give_right_stories_or_a_reason(names: set[str]) -> None:
    own = {name: spec for name, spec in tools().items() if name in names}
    try:
        stories = derive_stories(own)
    except RecipeError:
        return
    check_stories(stories, own)
    for story in stories:
        assert story.tools <= own.keys()
        assert len([goal for goal in story.goals if goal.when != "change.failed"]) >= 3 == story.fewest


def test_every_sentence_is_one_that_the_tools_can_say() -> None:
    for story in whole().values():
        for goal in story.goals:
            forms = [sentence_of(way)[0].text for text in goal.say for way in ways_of(text)]
            assert all(text[0].isupper() and text[-1] in ".?" for text in forms)
            assert not any(" or {" in text or "optional" in text for text in forms)
            assert goal.call not in " ".join(forms)
            compile_book(tools()[goal.call])


def goals_of(story: str) -> dict[str, dict[str, str]]:
    return {goal.goal: dict(goal.written) for goal in whole()[story].goals}


def test_a_thing_is_found_looked_at_changed_and_put_back() -> None:
    assert goals_of("change_fieldworks_list_jobs_fieldworks_update_job_priority") == {
        "list": {},
        "look": {"job_id": "list"},
        "beside1": {"job_id": "look#/job_id"},
        "change": {"job_id": "look#/job_id"},
        "after": {"job_id": "change#/job_id"},
        "back": {"job_id": "after#/job_id", "priority": "look#/priority said"},
        "instead": {"job_id": "list"},
        "other": {"job_id": "list"},
    }


def test_a_thing_is_made_and_taken_away_again() -> None:
    goals = goals_of("make_fieldworks_schedule_visit")
    assert list(goals) == ["first", "make", "drop"]
    assert goals["drop"] == {"visit_id": "make#/visit_id"}


def test_nothing_is_done_with_what_is_called_off_or_sent() -> None:
    assert "more" not in goals_of("change_fieldworks_list_jobs_fieldworks_cancel_job")
    plain = {name for name, spec in tools().items() if len(spec.required) == 1}
    for story in whole().values():
        changed = {goal.call for goal in story.goals if goal.goal == "change" and not goal.said}
        has_values = any(
            len(sentence_of(text)[0].says) > 1 for goal in story.goals if goal.goal == "change" for text in goal.say
        )
        assert not (changed & plain and not has_values and "more" in [goal.goal for goal in story.goals]), story.story


def test_a_value_is_put_back_as_what_it_was() -> None:
    story = whole()["change_fieldworks_list_jobs_fieldworks_update_job_title"]
    said = {goal.goal: " ".join(goal.say) for goal in story.goals}
    assert "the new title {title:quoted}" in said["change"]
    assert "the old title {title:quoted} again" in said["back"]


INCIDENTS = """
tools:
  - {name: list_incidents, description: List incidents., parameters: {type: object, properties: {status: {type: string, enum: [open, acknowledged, resolved]}}}}
  - {name: get_incident, description: Get an incident by ID., parameters: {type: object, properties: {incident_id: {type: integer}}, required: [incident_id]}}
  - {name: pause_incident, description: Pause an incident., parameters: {type: object, properties: {incident_id: {type: integer}}, required: [incident_id]}}
"""
"""`pause_incident` changes the state of an incident in a way that nothing tells."""


def test_what_is_not_known_to_change_a_state_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "incidents.yaml").write_text(INCIDENTS)
    own = load_tools(recipe((), tools=(ToolFile(file=tmp_path / "incidents.yaml"),))).toolbox
    effect = own["pause_incident"].effect
    assert effect is not None
    assert (effect.kind, effect.set) == ("act", {})
    assert {goal.call for story in derive_stories(own) for goal in story.goals} <= own.keys() - {"pause_incident"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("look up {task_id}", True),
        ("set the status for {task_id} to {status}", True),
        ("show me which tags {task_id} has", True),
        ("move task {task_id} to {list}", False),
        ("get purchase {task_id}", False),
        ("delete a task or {task_id}", False),
        ("delete {task_id} with an optional reason", False),
        ("remove a user from watching {task_id}", False),
        ("update {task_id}", False),
        ("{task_id}", False),
    ],
)
def test_a_phrase_is_used_if_it_can_stand_there(text: str, expected: bool) -> None:
    assert is_clear(text, "task_id") is expected


def test_tools_without_things_are_told(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="no story can be made of these tools: one is expected that lists things"):
        derive_stories(load(tmp_path, PLANTS))


ALIKE = """
tools:
  - {name: list_incidents, description: List incidents., parameters: {type: object, properties: {status: {type: string, enum: [open, acknowledged, resolved]}}}}
  - {name: get_incident, description: Get an incident by ID., parameters: {type: object, properties: {incident_id: {type: integer}}, required: [incident_id]}}
  - {name: FIRST, description: Update an incident., parameters: {type: object, properties: {incident_id: {type: integer}, title: {type: string}}, required: [incident_id, title]}}
  - {name: SECOND, description: Update an incident., parameters: {type: object, properties: {incident_id: {type: integer}, title: {type: string}}, required: [incident_id, title]}}
"""


@pytest.mark.parametrize("names", [("update-incident", "update_incident"), ("update_incident", "update_incident_")])
def test_names_are_such_as_stories_have_and_no_two_alike(tmp_path: Path, names: tuple[str, str]) -> None:
    file = write_tools(tmp_path, ALIKE.replace("FIRST", names[0]).replace("SECOND", names[1]))
    own = load_tools(recipe((), tools=(ToolFile(file=file),))).toolbox
    told = {story.story: {goal.call for goal in story.goals if goal.goal == "change"} for story in derive_stories(own)}
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in told)
    assert {name for calls in told.values() for name in calls} == {*names}


def test_a_written_story_has_a_name_of_its_own(tmp_path: Path) -> None:
    derived = derive_stories(tools())
    (tmp_path / "own.yaml").write_text(
        f"stories:\n- story: {derived[-1].story}\n  goals:\n"
        '  - {goal: one, call: list_folder, say: "What is in {folder}?"}\n'
        '  - {goal: two, call: list_folder, say: "And in {folder}?"}\n'
    )
    written = read_stories([tmp_path / "own.yaml"])
    with pytest.raises(RecipeError, match=rf"own.yaml:2: .*there is another story '{derived[-1].story}'.*derived"):
        check_stories((*written, *derived), tools())
