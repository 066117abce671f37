"""Rejected continuations: each has exactly the one defect that it names, whatever scenario the row is of."""

import json
from collections import Counter
from functools import cache
from pathlib import Path

import msgspec
import pytest
from consumers import ROOT, converter_of

from generator.conversation import AssistantMessage, Conversation, Proof, Row
from generator.data.validate import check_raw
from generator.defects import DEFECTS
from generator.errors import RecipeError
from generator.formats import FORMATS, format_options
from generator.recipe import load_recipe
from generator.recipe.recipe import Preferences
from generator.run.engine.run import RunOptions, run
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS
from generator.validation.rejected import Continuation, defect_of, is_right

TOOLS = ("travel.yaml", "weather.json", "calendar.yaml", "mail.yaml", "shop.yaml", "banking.json", "files.yaml", "tickets.yaml", "maps.yaml")
RECIPE = f"""
name: preferred
seed: 3
rows: 12
tools: {[str(ROOT / "tool_specs" / name) for name in TOOLS]}
offer: {{distractors: [1, 4]}}
scenarios: [single, parallel, sequential, clarify, confirm, error_stop, error_recover, multi_turn, irrelevant]
calls: [2, 3]
system: "Today is {{weekday}}, {{today}}."
overlays: {{register: {{casual: 0.3}}, scramble: 0.1}}
formats: [{{name: trl, rows: preference}}, {{name: trl, rows: unpaired}}, {{name: openai, rows: preference}}, {{name: sharegpt, rows: ranking}}]
"""
EVERY = Preferences(per_row=len(DEFECTS))


def written(folder: Path, more: str = "") -> Path:
    (folder / "preferred.yaml").write_text(RECIPE + more)
    return folder / "preferred.yaml"


def loaded(path: Path):
    return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS, format_options=format_options())


@cache
def prepared() -> PreparedRecipe:
    path = ROOT / "recipes/mixed.yaml"
    recipe = loaded(path)
    usual = [(name, 1.0) for name in SCENARIOS if name not in DOCUMENT_SCENARIOS]
    recipe = msgspec.structs.replace(recipe, scenarios=tuple(usual), formats=("trl-preference",), preferences=EVERY)
    return prepare(recipe)


@cache
def rows() -> tuple[Row, ...]:
    return tuple(make_row(prepared(), index).row for index in range(110))


def test_every_defect_is_made_in_rows_of_every_scenario_where_it_can_be():
    made = {(row.scenario, one.rejected.defect) for row in rows() for one in row.preferences if one.rejected}
    defects = Counter(defect for _, defect in made)
    assert set(defects) == set(DEFECTS)
    assert defects["extra_call"] >= 20  # in rows of nearly every scenario, those without calls among them
    for scenario, defect in (
        ("sequential", "dependent_calls"), ("sequential", "early_stop"), ("parallel", "serial_calls"),
        ("clarify", "call_instead_of_question"), ("confirm", "call_instead_of_question"),
        ("error_stop", "ignored_error"), ("error_recover", "ignored_error"), ("single", "unfounded_claim"),
    ):  # fmt: skip
        assert (scenario, defect) in made


def test_what_is_chosen_is_the_row_and_what_is_rejected_differs_from_it():
    for row in rows():
        assert len({one.rejected.defect for one in row.preferences if one.rejected}) == len(row.preferences)
        for one in row.preferences:
            assert one.rejected is not None
            assert one.messages == row.conversation.messages[: len(one.messages)]
            assert isinstance(one.messages[-1], AssistantMessage)
            assert one.messages[-1].train
            assert one.rejected.message != one.messages[-1]


def test_the_checker_tells_no_defect_of_what_is_right_and_none_of_two_at_once():
    """A rejected call with one more change has two defects, and so no name."""
    toolbox, seen = prepared().toolbox, 0
    for row in rows():
        for one in row.preferences:
            at, wrong = len(one.messages) - 1, one.rejected
            right = row.conversation.messages[at]
            assert wrong is not None
            assert isinstance(right, AssistantMessage)
            assert is_right(row.conversation, row.proof, at, toolbox)
            same = Continuation(
                message=right,
                answers=tuple(c for c in row.proof.answers if c.message == at),
                asks=tuple(c for c in row.proof.asks if c.message == at),
            )
            assert defect_of(row.conversation, row.proof, at, same, toolbox) is None
            if wrong.defect in ("wrong_value", "unsaid_optional", "wrong_type", "wrong_tool") and len(right.tool_calls) > 1:
                twice = msgspec.structs.replace(wrong.message, tool_calls=wrong.message.tool_calls[::-1][1:])
                other = defect_of(row.conversation, row.proof, at, Continuation(message=twice), toolbox)
                changed = {c.id: c for c in right.tool_calls}
                if any(c != changed.get(c.id) for c in twice.tool_calls):
                    seen += 1
                    assert other is None
    assert seen > 10


def test_rows_are_the_same_with_and_without_preferences():
    plain = msgspec.structs.replace(prepared(), recipe=msgspec.structs.replace(prepared().recipe, formats=("trl",)))
    for index in range(12):
        bare = make_row(plain, index).row
        assert bare.preferences == ()
        assert msgspec.structs.replace(rows()[index], preferences=()) == bare


def test_a_run_writes_every_format_of_preferences_with_the_wanted_defects(tmp_path):
    path = written(tmp_path, "preferences: {defects: [wrong_value, extra_call], per_row: 2}\n")
    run(loaded(path), tmp_path / "out", how=RunOptions(executor="serial"))
    records = {
        name: [json.loads(line) for line in (tmp_path / f"out/{name}.jsonl").read_text().splitlines()]
        for name in ("trl-preference", "trl-unpaired", "openai-preference", "sharegpt-ranking")
    }
    pairs = records["trl-preference"]
    assert {record["defect"] for record in pairs} == {"wrong_value", "extra_call"}
    assert 12 < len(pairs) <= 24
    assert [record["label"] for record in records["trl-unpaired"]] == [True, False] * len(pairs)
    assert [record["completion"] for record in records["trl-unpaired"]] == [
        record[key] for record in pairs for key in ("chosen", "rejected")
    ]
    for name, made in records.items():
        assert not [fault for record in made for fault in check_raw(record, FORMATS[name])]
    convert = converter_of("sharegpt-ranking")
    for record in records["sharegpt-ranking"]:
        chosen, wrong = convert(record)["_response"]
        assert chosen != wrong


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("preferences: {defects: wrong_valeu}\n", "unknown defect 'wrong_valeu' (did you mean \"wrong_value\"?)"),
        ("preferences: {per_row: 0}\n", "preferences.per_row"),
        ("preferences: {}\nformats: [trl]\n", "no format of the recipe writes what is rejected"),
    ],
)
def test_wrong_keys_are_told_with_their_place(tmp_path, more, told):
    path = written(tmp_path)
    path.write_text(RECIPE.partition("formats:")[0] + ("" if "formats:" in more else "formats: [{name: trl, rows: preference}]\n") + more)
    with pytest.raises(RecipeError) as raised:
        loaded(path)
    assert told in str(raised.value)


def test_a_conversation_without_claims_has_no_named_defect():
    conversation, nothing = rows()[0].conversation, Proof()
    at = next(i for i, m in enumerate(conversation.messages) if isinstance(m, AssistantMessage))
    wrong = Continuation(message=AssistantMessage("Done."))
    assert defect_of(Conversation(conversation.messages, conversation.tools), nothing, at, wrong, prepared().toolbox) is None
