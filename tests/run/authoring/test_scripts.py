"""Scripts as somebody writes them: what holds is kept, what does not goes back with the row at fault, and is dropped singly at last."""

import asyncio
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Any

import authored
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.core.documents import Document
from generator.run.authoring.author import Authored, scripts_for
from generator.run.authoring.scripts import MENDS, Batch, Writing, scripts_request, scripts_text, scripts_wanted
from generator.run.authoring.world import World, heard
from generator.scenarios.scripts import scripts_in

SOURCE = {"file": "spokes.json", "describe": "bare", "overlay": ["spokes.world.yaml"]}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    return heard(authored.tools(tmp_path_factory.mktemp("spokes")), yaml.safe_load(authored.WORLD))


def written(world: World, reply: Any, judge: Any = None) -> tuple[Batch, Writing, list[str]]:
    """A batch of scripts that somebody writes, and what they were asked."""
    seen: list[str] = []

    def answer(messages: Any) -> str:
        seen.append(messages[-1][1])
        return reply(messages)

    writing = Writing(world, authored.Scripted(answer), judge and authored.Scripted(judge))
    wanted = [*islice(scripts_wanted([world.tools[name] for name in world.callable]), 3)]
    batch = Batch(asked=scripts_request(world, wanted, "2-scripts-01"))
    asyncio.run(writing.write(batch))
    return batch, writing, seen


def test_faults_go_back_with_the_row_and_what_is_never_right_is_dropped_alone(world: World):
    batch, _, seen = written(world, authored.reply)
    assert list(batch.kept) == ["which_bikes", "out_of_it"]
    assert list(batch.faults) == ["engraved"]
    assert len(seen) == 1 + MENDS
    assert "which_bikes" not in seen[1]  # what holds is not asked for again
    assert "true: nothing before this has the name 'true'" in seen[1]
    assert "out_of_it" not in seen[2]


def test_a_wording_at_fault_goes_alone_and_the_file_does_not_have_it(world: World):
    wrong = '    - "Which of my 4 bikes are registered? {b.customer_name}."\n'
    batch, _, seen = written(world, lambda messages: authored.GOOD.replace("  - user:\n", f"  - user:\n{wrong}", 1))
    assert len(seen) == 1  # enough wordings are left
    done = Authored(batches=[batch])
    text = scripts_text(done.scripts, [SOURCE], "t")
    read = scripts_in(Document("x.yaml", text, yaml.safe_load(text)))
    assert read.faults == ()
    assert len(read.scripts[0].turns[0].user) == 3
    assert "my 4 bikes" not in text
    assert str(read.tools[0].overlays[0]) == "spokes.world.yaml"


def test_what_a_row_shows_is_shown_with_its_fault(world: World):
    told_nowhere = authored.GOOD.replace("{b.customer_name}", "{b.name}").replace(
        "customer_name=b.name", "customer_name=b.customer_name"
    )
    told_nowhere = told_nowhere.replace("customer_name=b.name)", "customer_name=b.customer_name)")
    _, _, seen = written(world, lambda messages: told_nowhere)
    assert re.search(r"(?s)which_bikes:\n- .*SP10\d .*\n    System: Today is .*\n    User: ", seen[1])


LINES = authored.GOOD.splitlines(keepends=True)


@settings(max_examples=12)
@given(
    st.integers(0, len(LINES) - 1),
    st.sampled_from(["", "drop", "- x", "  bad: [", "\t", "    - 7\n", "  let: 5\n", "  turns: {}\n"]),
)
def test_whatever_an_answer_says_the_scripts_beside_it_are_kept(world: World, at: int, new: str):
    broken = "".join([new if number == at else line for number, line in enumerate(LINES)]).replace(
        "which_bikes", "other"
    )
    batch, _, _ = written(world, lambda messages: f"{broken}\n{authored.MENDED}")
    if re.search(r"^- script: other", broken, re.MULTILINE):
        assert "out_of_it" in batch.kept
    for one in Authored(batches=[batch]).scripts:
        assert one.trial.script is not None


@pytest.mark.parametrize(
    "answer", ["", "no scripts today", "- 5", "```yaml\n```", "scripts: 7", "- script:\n", "- script: a\n"]
)
def test_an_answer_without_scripts_is_told_and_asked_for_again(world: World, answer: str):
    batch, _, seen = written(world, lambda messages: answer)
    assert batch.kept == {}
    assert len(seen) == 1 + MENDS
    assert all(batch.faults.values())


def test_a_judge_sends_words_back_once_and_what_is_still_wrong_is_dropped(world: World):
    batch, writing, seen = written(world, lambda m: authored.reply(m, faulty=False), authored.reply)
    assert "nobody talks so" in seen[1]
    assert "Here you are" in batch.kept["which_bikes"].raw["turns"][2]["say"][1]
    assert writing.told[0] == "out_of_it: dear tyres"
    strict = "- {script: which_bikes, fault: nobody talks so}"
    batch, _, _ = written(world, lambda m: authored.reply(m, faulty=False), lambda messages: strict)
    assert list(batch.kept) == ["out_of_it", "put_aside"]
    assert "the judge: nobody talks so" in batch.faults["which_bikes"]


def test_a_judge_who_says_nothing_of_use_is_told(world: World):
    batch, writing, _ = written(world, lambda messages: authored.GOOD, lambda messages: "All fine!")
    assert list(batch.kept) == ["which_bikes"]
    assert writing.told == ["3-judge-scripts-01: the answer is of no use: a list is expected"]


@pytest.mark.parametrize(
    "form", ["{0}{1}", "Here:\n```yaml\n{0}```\nand\n```\n{1}```\nDone.", "```yaml\n{0}{1}", "scripts:\n{0}\n{1}"]
)
def test_scripts_are_found_however_an_answer_holds_them(world: World, form: str):
    batch, _, seen = written(world, lambda messages: form.format(authored.GOOD, authored.MENDED))
    assert list(batch.kept) == ["which_bikes", "out_of_it"]
    assert len(seen) == 1


def test_two_scripts_of_one_name_have_two_names(world: World):
    batch, _, _ = written(world, lambda messages: authored.GOOD)
    done = Authored(world=world, batches=[batch, batch, batch])
    assert [one.name for one in done.scripts] == ["which_bikes", "which_bikes_2", "which_bikes_3"]
    assert done.without_script == ["search_parts", "reserve_part"]


@pytest.mark.parametrize("number", [1, 3, 8, 40])
def test_each_tool_is_wanted_about_as_often_and_shapes_suit_it(world: World, number: int):
    specs = [world.tools[name] for name in world.callable]
    wanted = [*islice(scripts_wanted(specs), number)]
    times = Counter(one.tool for one in wanted if one.tool)
    assert len(wanted) == number
    if number >= scripts_for(world.tools):
        assert min(times[spec.name] for spec in specs) >= 2
        assert len({one.shape for one in wanted}) > 8
    assert all(one.tool == "reserve_part" for one in wanted if one.shape.startswith("correction"))
    assert wanted == [*islice(scripts_wanted(specs), number)]
    assert wanted != [*islice(scripts_wanted(specs, number + 1), number)]


def test_what_is_shown_to_writers_is_of_the_program_and_in_order(world: World, tmp_path: Path):
    specs = [world.tools[name] for name in world.callable]
    system, user = scripts_request(world, [*islice(scripts_wanted(specs), 2)], "x").messages
    assert system[0] == "system"
    for text in ("- script: cheapest_dinner\n", "- script: reopened\n", "too_bright"):
        assert text in system[1]
    assert "{{" not in system[1] + user[1]
    assert "# ----" not in system[1]
    again = scripts_request(world, [*islice(scripts_wanted(specs), 3)], "y").messages
    assert again[0] == system  # what is the same for all requests stands first, so that providers can keep it
