"""What tools a scenario needs, and how it is told that they are missing."""

from pathlib import Path

import pytest
from workbench import rows, workshop

from generator.core.errors import PlanError
from generator.scenarios.shape import conversation_shape

ALONE = """
- {name: get_time, parameters: {type: object, properties: {city: {type: string}}}}
- {name: get_news, parameters: {type: object, properties: {topic: {type: string}}}}
"""
ONE = "{name: get_time, parameters: {type: object, properties: {city: {type: string}}}}"
NOTHING_TO_SAY = "[{name: ping_it}, {name: pong_it, parameters: {type: object, properties: {}}}]"
PAIR = """
- name: find_it
  returns: {type: object, properties: {id: {type: string}}, required: [id]}
- name: use_it
  parameters: {type: object, properties: {id: {type: string}}, required: [id]}
  links: {id: "find_it#/id"}
"""
LOST_LINK = """
- name: use_it
  parameters: {type: object, properties: {id: {type: string}}, required: [id]}
  links: {id: "find_it#/id"}
- {name: get_time}
"""


@pytest.mark.parametrize(
    ("scenario", "text", "what"),
    [
        ("multiple", ONE, "scenario 'multiple' needs at least two tools"),
        ("parallel", NOTHING_TO_SAY, "scenario 'parallel' needs a tool with parameters"),
        ("parallel_multiple", ONE, "scenario 'parallel_multiple' needs two tools"),
        ("parallel_multiple", PAIR, "scenario 'parallel_multiple' needs two tools that do not feed each other"),
        ("sequential", ALONE, "scenario 'sequential' needs a link between two loaded tools"),
        ("sequential", LOST_LINK, "whose source is loaded too"),
        ("fan_out", ALONE, "scenario 'fan_out' needs a link into a list"),
        ("fan_out", PAIR, "scenario 'fan_out' needs a link into a list"),
        ("mixed", ALONE, "scenario 'mixed' needs a link between two loaded tools"),
        ("mixed", PAIR, "and a third tool to call beside the first"),
        ("clarify", PAIR, "scenario 'clarify' needs a script of this kind for the recipe's tools"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, scenario: str, text: str, what: str):
    with pytest.raises(PlanError) as caught:
        workshop(tmp_path, scenario, text=text)
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        ("single", "{name: ping_it}"),
        ("multiple", NOTHING_TO_SAY),
        ("parallel", ONE),
        ("parallel", ONE.replace("}}}}", "}}}, phrases: {request: [what time is it]}}")),
        ("parallel_multiple", ALONE),
        ("sequential", PAIR),
        ("mixed", PAIR + ALONE),
        ("sequential", LOST_LINK + PAIR.partition("- name: use_it")[0]),
    ],
)
def test_what_is_just_enough_is_enough(tmp_path: Path, scenario: str, text: str):
    assert rows(workshop(tmp_path, scenario, text=text), 6)


def test_tools_without_parameters_are_not_called_twice_at_once(tmp_path: Path):
    shop = workshop(tmp_path, "parallel", text=f"[{ONE}, {{name: ping_it}}]")
    for made in rows(shop, 20):
        assert {
            call.name for step in conversation_shape(made.row.conversation, made.row.proof).steps for call in step
        } == {"get_time"}


def test_a_circle_of_links_ends(tmp_path: Path):
    text = """
- name: find_a
  parameters: {type: object, properties: {b: {type: string}}, required: [b]}
  returns: {type: object, properties: {a: {type: string, pattern: "^[a-z]{9}$"}}, required: [a]}
  links: {b: "find_b#/b"}
- name: find_b
  parameters: {type: object, properties: {a: {type: string}}, required: [a]}
  returns: {type: object, properties: {b: {type: string, pattern: "^[a-z]{9}$"}}, required: [b]}
  links: {a: "find_a#/a"}
"""
    assert rows(workshop(tmp_path, "sequential", text=text, steps=(5, 5)), 6)


def test_a_tool_that_links_to_itself(tmp_path: Path):
    text = """
- name: next_page
  parameters: {type: object, properties: {page: {type: string}}}
  returns: {type: object, properties: {page: {type: string, x-from: null, pattern: "^[a-z]{9}$"}}, required: [page]}
  links: {page: "next_page#/page"}
"""
    assert rows(workshop(tmp_path, "single", "parallel", text=text), 6)
    with pytest.raises(PlanError):
        workshop(tmp_path, "sequential", text=text)
