"""Rows of scripts: proven, the same on every machine, played in full, and not proven once anything in them is changed."""

import json
from collections import Counter
from random import Random

import msgspec
import pytest
from scripted_rows import prepared, recipe_of, row_at

from generator.core.conversation import AssistantMessage, ToolMessage, UserMessage
from generator.core.errors import RecipeError
from generator.dialogue.acts.check import check_row
from generator.episodes.player import play_reference
from generator.recipe.settings import pair_place
from generator.report.files.contamination import split_of
from generator.run.episodes import RecipeTasks
from generator.run.overlays.scramble import restore
from generator.run.row import make_row, prepare

ROWS = 40


@pytest.mark.parametrize("index", range(ROWS))
def test_a_row_is_proven(index: int) -> None:
    made = row_at(index)
    assert not check_row(made.row.conversation, made.row.proof, prepared().toolbox)
    assert any(tag.startswith("script:") for tag in made.row.tags)
    assert made.row.proof.scripts
    values = [claim for claim in made.row.proof.arguments if claim.expression]
    assert len(values) == len(made.row.proof.arguments)


def test_a_row_does_not_depend_on_the_rows_before_it() -> None:
    again = prepare(prepared().recipe)
    for index in (31, 3, 17):
        assert make_row(again, index).record == row_at(index).record


def test_no_script_makes_more_rows_than_it_may(tmp_path) -> None:
    more = "max_share: {tag: 1.0}\n"
    recipe = recipe_of(tmp_path, more)
    recipe = msgspec.structs.replace(recipe, scripts=msgspec.structs.replace(recipe.scripts, per_script=2))
    ready = prepare(recipe)
    names = Counter(ready.scripts.at(index, 0).scripts[0].name for index in range(ROWS))
    assert max(names.values()) <= 2
    with pytest.raises(RecipeError, match=r"at most \d+, 2 of each script; 100,000 are asked for"):
        prepare(msgspec.structs.replace(recipe, rows=100_000))


def test_a_scenario_of_scripts_alone_of_which_there_are_too_few_is_told_before_the_first_row(tmp_path) -> None:
    recipe = recipe_of(tmp_path)
    settings = msgspec.structs.replace(recipe.scripts, share=0.5)
    many = {"scripts": settings, "scenarios": (("single", 1.0), ("clarify", 1.0)), "rows": 100_000}
    with pytest.raises(RecipeError, match=r"at most \d+ rows of clarify, \d+ of each script .*about 50,000 are asked"):
        prepare(msgspec.structs.replace(recipe, **many))


def test_a_scenario_of_which_there_is_no_script_is_named(tmp_path) -> None:
    recipe = recipe_of(tmp_path)
    with pytest.raises(RecipeError, match=r"no script is of the scenario 'near_miss'; there are .*single \(\d+\)"):
        prepare(msgspec.structs.replace(recipe, scenarios=(("near_miss", 1.0),)))


def test_several_scripts_follow_each_other(tmp_path) -> None:
    recipe = msgspec.structs.replace(recipe_of(tmp_path), scenarios=(("long_context", 1.0),))
    ready = prepare(recipe)
    for index in range(6):
        row = make_row(ready, index).row
        assert len(row.proof.scripts) in (4, 5, 6)
        assert row.scenario == "long_context"
        first, second, *_ = row.proof.scripts
        assert isinstance(row.conversation.messages[second.first], UserMessage)
        assert first.script != second.script


def test_the_rest_is_put_together_of_phrases(tmp_path) -> None:
    recipe = recipe_of(tmp_path)
    settings = msgspec.structs.replace(recipe.scripts, share=0.5)
    ready = prepare(msgspec.structs.replace(recipe, scripts=settings, scenarios=(("single", 1.0),)))
    rows = [make_row(ready, index).row for index in range(24)]
    scripted = sum(bool(row.proof.scripts) for row in rows)
    assert 4 <= scripted <= 20
    assert {row.scenario for row in rows} == {"single"}


def test_the_rows_own_actions_get_all() -> None:
    episode = RecipeTasks(prepared()).episode()
    for index in range(ROWS):
        episode.reset(index)
        play_reference(episode)
        score = episode.score()
        assert score.reward == 1.0, (index, score)
        assert score.state is not False
        assert (score.calls, score.unasked) == (score.needed, 0)
    episode.close()


# -- whatever is changed in a finished row is found ----------------------------------------------------------------------


def _digits(row, draw: Random):
    """Another figure in a text."""
    places = [
        (at, place)
        for at, message in enumerate(row.conversation.messages)
        if not isinstance(message, ToolMessage) and message.content and at
        for place, letter in enumerate(message.content)
        if letter.isdigit()
    ]
    if not places:
        return None
    at, place = draw.choice(places)
    text = row.conversation.messages[at].content
    other = draw.choice([digit for digit in "123456789" if digit != text[place]])
    return _with_text(row, at, f"{text[:place]}{other}{text[place + 1 :]}")


def _argument(row, draw: Random):
    """Another value of an argument."""
    calls = [
        (at, place, key)
        for at, message in enumerate(row.conversation.messages)
        if isinstance(message, AssistantMessage)
        for place, call in enumerate(message.tool_calls)
        for key in call.arguments
    ]
    if not calls:
        return None
    at, place, key = draw.choice(calls)
    message = row.conversation.messages[at]
    call = message.tool_calls[place]
    value = call.arguments[key]
    other = value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else f"{value}x"
    changed = msgspec.structs.replace(call, arguments={**call.arguments, key: other})
    made = (*message.tool_calls[:place], changed, *message.tool_calls[place + 1 :])
    return _with_message(row, at, msgspec.structs.replace(message, tool_calls=made))


def _result(row, draw: Random):
    """Another value of a field of a result that an answer tells."""
    told = [claim for claim in row.proof.answers if claim.of == "result"]
    if not told:
        return None
    claim = draw.choice(told)
    at = next(at for at, m in enumerate(row.conversation.messages) if getattr(m, "tool_call_id", "") == claim.call_id)
    value = json.loads(row.conversation.messages[at].content)
    *steps, last = claim.pointer.split("/")[1:]
    of = value
    for step in steps:
        of = of[int(step)] if isinstance(of, list) else of[step]
    if not isinstance(of, dict) or isinstance(of[last], bool | dict | list):
        return None
    of[last] = of[last] + 1 if isinstance(of[last], int | float) else f"{of[last]}x"
    return _with_text(row, at, json.dumps(value))


def _argument_too_many(row, draw: Random):
    """An argument that nobody has said."""
    at = next((at for at, m in enumerate(row.conversation.messages) if getattr(m, "tool_calls", ())), None)
    if at is None:
        return None
    message = row.conversation.messages[at]
    call = msgspec.structs.replace(message.tool_calls[0], arguments={**message.tool_calls[0].arguments, "note": "x"})
    return _with_message(row, at, msgspec.structs.replace(message, tool_calls=(call, *message.tool_calls[1:])))


def _with_text(row, at: int, text: str):
    return _with_message(row, at, msgspec.structs.replace(row.conversation.messages[at], content=text))


def _with_message(row, at: int, message):
    messages = (*row.conversation.messages[:at], message, *row.conversation.messages[at + 1 :])
    return msgspec.structs.replace(row.conversation, messages=messages)


@pytest.mark.parametrize("change", [_digits, _argument, _result, _argument_too_many])
def test_what_is_changed_in_a_row_is_found(change) -> None:
    tried = 0
    for index in range(ROWS):
        row = row_at(index).row
        changed = change(row, Random(index))
        if changed is not None:
            tried += 1
            assert check_row(changed, row.proof, prepared().toolbox), (index, changed.messages)
    assert tried >= ROWS // 4


# -- pairs and parts -----------------------------------------------------------------------------------------------------


def test_a_script_and_its_idle_twin_offer_the_same(tmp_path) -> None:
    recipe = recipe_of(tmp_path, "no_call: {share: 0.4, twins: beside}\n")
    ready = prepare(recipe)
    pairs = [at for at in range(0, 40, 2) if pair_place(recipe.no_call, at) is not None]
    for index in pairs[:6]:
        first, twin = (make_row(ready, at).row for at in (index, index + 1))
        (script,), (idle,) = first.proof.scripts, twin.proof.scripts
        assert ready.scripts.at(index, 0).scripts[0].idle == idle.script
        assert script.script != idle.script
        assert first.conversation.tools == twin.conversation.tools
        assert first.family == twin.family is not None
        assert {"twin:called", "twin:idle"} == {tag for row in (first, twin) for tag in row.tags if "twin" in tag}
        assert not any(getattr(message, "tool_calls", ()) for message in twin.conversation.messages)
        assert any(getattr(message, "tool_calls", ()) for message in first.conversation.messages)


def test_a_split_holds_out_scripts(tmp_path) -> None:
    ready = prepare(recipe_of(tmp_path, "splits: {by: script, train: 0.8, test: 0.2}\n"))
    found: dict[str, set[str]] = {}
    for index in range(200):
        for script in ready.scripts.at(index, index % 9).scripts:
            found.setdefault(script.name, set()).add(split_of(ready.recipe)(index))
    assert all(len(splits) == 1 for splits in found.values())
    assert {"train", "test"} == set().union(*found.values())


@pytest.mark.parametrize(
    "more",
    [
        "overlays: {personas: {casual: 0.3, typos: 0.3, lower_case: 0.4}}",
        "overlays: {system: 1, beside: 1, scramble: 0.5}",
        "results: full",
    ],
)
def test_what_is_laid_over_rows_leaves_them_proven(tmp_path, more) -> None:
    recipe = msgspec.structs.replace(recipe_of(tmp_path, more), thoughts=("reason", "reflect"))
    ready = prepare(recipe)
    rows = [make_row(ready, index).row for index in range(16)]
    for row in rows:
        shown = restore(row.conversation, row.proof, row.renamed) if row.renamed else (row.conversation, row.proof)
        assert not check_row(*shown, ready.toolbox)
    text = " ".join(message.content or "" for row in rows for message in row.conversation.messages)
    plain = " ".join(
        message.content or "" for index in range(16) for message in row_at(index).row.conversation.messages
    )
    assert text != plain


def test_rejected_continuations_have_one_defect(tmp_path) -> None:
    recipe = msgspec.structs.replace(recipe_of(tmp_path), formats=("trl-preference",))
    ready = prepare(recipe)
    found = Counter(one.rejected.defect for index in range(24) for one in make_row(ready, index).row.preferences)
    assert found["unfounded_claim"]
    assert len(found) >= 3
