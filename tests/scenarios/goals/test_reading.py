"""Story files: every fault is told with file and line, and choices give all ways to say a sentence."""

import re
from pathlib import Path

import pytest
from hostile.limits import within
from workbench import TOOL_SPECS, load

from generator.core.errors import RecipeError
from generator.scenarios.goals import check_stories, read_stories, with_forms
from generator.scenarios.goals.goals import sentence_of, ways_of
from generator.tools.specs import load_toolbox

FIRST = '- {goal: look, call: find_orders, say: "What have I ordered from {customer}?"}'
HEAD = f"stories:\n- story: two\n  goals:\n  {FIRST}\n  "


def faults(folder: Path, goal: str, head: str = HEAD) -> str:
    """What is said of a story for the tools of the workbench's shop."""
    file = folder / "story.yaml"
    file.write_text(f"{head}- {goal}\n")
    with pytest.raises(RecipeError) as refused:
        check_stories(read_stories([file]), load(folder))
    assert str(file) in str(refused.value)
    return str(refused.value).removeprefix(f"{file}:")


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ('{goal: stop, cal: stop_order, say: "Stop it."}', "goals[1].cal"),
        ('{goal: stop, call: stop_oder, say: "Stop it."}', '(did you mean "stop_order"?)'),
        ('{goal: look, call: find_orders, say: "And what from {customer}?"}', "there is another goal 'look'"),
        ('{goal: stop, call: stop_order, say: "stop it"}', "begins with a capital letter and ends with a stop"),
        ('{goal: stop, call: stop_order, say: "Stop {ordr}."}', "stop_order has no argument 'ordr'"),
        ('{goal: stop, call: stop_order, with: {order_id: lok}, say: "Stop {order_id}."}', "neither a goal nor a tool"),
        ('{goal: stop, call: stop_order, with: {order_id: look}, say: "Stop that."}', "nothing says which order_id"),
        (
            '{goal: stop, call: stop_order, with: {order_id: lok.customer}, say: "Stop {order_id}."}',
            '(did you mean "look"?)',
        ),
        ('{goal: stop, call: stop_order, with: {order_id: "a b"}, say: "Stop {order_id}."}', 'not "a b"'),
        ('{goal: stop, call: stop_order, say: "Stop {order_id|it}."}', "neither `with` nor `said`"),
        (
            '{goal: stop, call: stop_order, said: {order_id: 5}, say: "Stop {order_id}."}',
            "said.order_id: stop_order does not take 5",
        ),
        (
            '{goal: stop, call: stop_order, asked: {order_id: 5}, say: "Stop {order_id}."}',
            "asked.order_id: stop_order does not take 5",
        ),
        (
            '{goal: stop, call: stop_order, asked: {ordr: x}, say: "Stop {order_id}."}',
            "stop_order has no argument 'ordr'",
        ),
        (
            '{goal: stop, call: stop_order, when: look.emty, say: "Stop {order_id}."}',
            'when: "look.emty": look has no \'emty\' (did you mean "empty"?)',
        ),
        (
            '{goal: stop, call: stop_order, said: {order_id: "= look.custmer"}, say: "Stop {order_id}."}',
            'said.order_id: "look.custmer": look has no \'custmer\' (did you mean "customer"?)',
        ),
        ('{goal: stop, call: stop_order, say: "Stop [now|] {order_id}."}', "two spaces stand side by side"),
        ('{goal: account, call: stop_order, say: "Stop {order_id}."}', "there is another goal 'account'"),
        (
            '{goal: stop, call: stop_order, with: {order_id: look}, prefers: [max sumn], say: "Stop {order_id}."}',
            "prefers: what find_orders finds has no 'sumn'",
        ),
        ('{goal: stop, call: stop_order, tell: [sum], say: "Stop {order_id}."}', "stop_order returns no 'sum'"),
        (
            '{goal: stop, call: stop_order, when: lok.done, say: "Stop {order_id}."}',
            "a dot is known only in account.NAME and find_orders.NAME and look.NAME",
        ),
        ('{goal: stop, call: stop_order, when: import os, say: "Stop {order_id}."}', "not an expression"),
        ('{goal: stop, call: stop_order, empty: 0.5, say: "Stop {order_id}."}', "empty: stop_order is no search"),
        (
            "{goal: more, call: find_orders, empty: 0.5}",
            "5: stories[0].goals[1]: empty: a sentence (`say`) is expected",
        ),
        (
            '{goal: more, empty: 0.5, wants: [{call: find_orders, say: "And from {customer}?"}]}',
            "goals[1]: empty: a goal with `wants` cannot find nothing",
        ),
        (
            '{goal: more, call: stop_order, vary: order_id, say: "Stop {order_id}."}',
            "vary: stop_order has no words for several values of 'order_id' (`phrases.vary`)",
        ),
        ('{goal: more, again: lok, say: "And from {customer}?"}', "again: no goal before is called 'lok'"),
        ("{goal: stop}", "a goal has a `call`, or `wants`, or is one `again`"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, goal: str, expected: str) -> None:
    assert expected in faults(tmp_path, goal)


WORLD = """stories:
- story: trip
  world: [WORLD]
  goals:
  - {goal: look, call: find_bookings, say: "What is booked for {traveller}?"}
  - {goal: stop, call: cancel_booking, with: {booking_id: look}, say: "Cancel {booking_id}."}
"""


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        ("{thing: bookng, has: {price: 90}}", "no tool of the story has 'bookng' (did you mean \"booking\"?)"),
        ("{thing: booking, has: {pric: 90}}", "booking has no field 'pric' (did you mean \"price\"?)"),
        ("{thing: booking, has: {price: much}}", "has.price: 'much' is no value of it"),
        ("{thing: booking, has: {price: 1000}}", "has.price: 1000 is no value of it"),
        ("{thing: booking, has: {status: [confirmd]}}", "has.status: 'confirmd' is no value of it"),
        ("{thing: booking, after: lok, has: {price: 90}}", "there is no goal 'lok' (did you mean \"look\"?)"),
        ('{thing: booking, has: {traveller: "= look.traveller"}}', 'has.traveller: "look.traveller"'),
        ("{thing: booking, has: {price: 90}, share: 2}", "share"),
    ],
)
def test_faults_of_a_storys_world_are_told_with_their_place(tmp_path: Path, world: str, expected: str) -> None:
    file = tmp_path / "story.yaml"
    file.write_text(WORLD.replace("WORLD", world))
    with pytest.raises(RecipeError) as refused:
        check_stories(read_stories([file]), load_toolbox([TOOL_SPECS / "travel.yaml"]))
    assert str(refused.value).startswith(f"{file}:3: stories[0].world[0]")
    assert expected in str(refused.value)


def test_a_right_story_gives_its_sentences_to_the_tools(tmp_path: Path) -> None:
    file = tmp_path / "story.yaml"
    goal = '{goal: stop, call: stop_order, with: {order_id: look}, say: "[Stop|Please stop] {order_id}."}'
    file.write_text(f"{HEAD}- {goal}\n")
    tools = load(tmp_path)
    stories = read_stories([file])
    check_stories(stories, tools)
    told = with_forms(tools, stories)
    assert told["stop_order"].told == ("Stop {order_id}.", "Please stop {order_id}.")
    assert told["find_orders"].told == ("What have I ordered from {customer}?",)
    assert stories[0].tools == {"find_orders", "stop_order"}


@pytest.mark.parametrize("files", [("two", "two"), ("two", "one", "one"), ("one two one",)])
def test_stories_of_one_name_are_refused_at_the_second(tmp_path: Path, files: tuple[str, ...]) -> None:
    goals = HEAD.partition("goals:")[2] + FIRST.replace("look", "again")
    paths = [tmp_path / f"{number}.yaml" for number, _ in enumerate(files)]
    for path, names in zip(paths, files, strict=True):
        path.write_text("stories:\n" + "".join([f"- story: {name}\n  goals:{goals}\n" for name in names.split()]))
    with pytest.raises(RecipeError, match=rf"{paths[-1]}:[0-9]+: .*there is another story '(one|two)'"):
        read_stories(paths)


def test_choices_give_every_way() -> None:
    ways = ways_of("[Is|Was] it {city|there}[, then|]?")
    assert [*ways] == [
        "Is it {city|there}, then?",
        "Is it {city|there}?",
        "Was it {city|there}, then?",
        "Was it {city|there}?",
    ]
    form, words = sentence_of(ways[0])
    assert (form.text, words) == ("Is it {city}, then?", {"city": "there"})


@pytest.mark.parametrize(("choices", "options"), [(7, 2), (30, 2), (300, 3), (2, 1000)])
def test_of_very_many_ways_some_are_drawn_with_each_option_in_one(choices: int, options: int):
    named = [[f"<{place}.{option}>" for option in range(options)] for place in range(choices)]
    text = f"Look {' '.join(f'[{chr(124).join(own)}]' for own in named)}."
    with within(5):
        ways = ways_of(text)
    assert ways == ways_of(text)
    assert len(ways) <= 64
    assert options > 64 or all(any(option in way for way in ways) for own in named for option in own)
    assert all(re.fullmatch(r"Look( <[0-9.]+>)+\.", way) and way.count("<") == choices for way in ways)


def test_a_story_of_too_many_goals_is_refused(tmp_path: Path):
    goals = "".join([f'  - {{goal: g{at}, call: find_orders, say: "What from {{customer}}?"}}\n' for at in range(400)])
    (tmp_path / "story.yaml").write_text(f"stories:\n- story: two\n  goals:\n{goals}")
    with within(5), pytest.raises(RecipeError, match=r"story.yaml:3: stories\[0\].goals: at most 100 entries"):
        read_stories([tmp_path / "story.yaml"])
